/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary.h - binaries of kernels, functions in them, and one launch by handle. Between the files of
 * the core that know tables of kernels (launch.c) and those that load them (binary.c, args.c).
 */
#ifndef NPU_RT_BINARY_H
#define NPU_RT_BINARY_H
#include "core.h"
#include "../../engine/kernel.h"

enum { NPU_MAX_PARAMS = 128 };

/* ---- launch.c ---- */
struct npu_kernel_table {
    const struct nputwin_kernel *rows;
    uint32_t n, row_bytes;
    bool is_stale;
};
/* Tables that register while a thread loads a binary; is_cut: more than there is room for. */
struct npu_collected {
    struct npu_kernel_table table[64];
    uint32_t n_tables;
    bool is_cut;
};
/* From now on to's thread is this one; NULL ends it. One thread at a time. */
void rt_collect(struct npu_collected *to);
/* The row of a host symbol; NULL too when it is of version 1, which knows no parameters. */
const struct nputwin_kernel *rt_kernel(const void *key);

/* ---- binary.c ---- */
/* A task that runs code of a binary keeps it from being unloaded. NULL is allowed. */
void rt_binary_hold(struct npu_binary *b);
void rt_binary_release(struct npu_binary *b);
/* The row behind a handle of aclrtBinaryGetFunction or a host symbol, and its binary; NULL with the
 * message when it is neither. */
const struct nputwin_kernel *rt_function_row(const void *function, struct npu_binary **binary,
                                             const char *who);

/* ---- args.c ---- */
/* Lists of the function end. */
void rt_args_forget(const struct npu_function *f);

/* nputwin_launch() with a limit, as the launches by handle have it. */
uint32_t rt_launch(const void *key, uint32_t block_dim, void *stream,
                   void (*call)(void (*fn)(void), const void *args), const void *args,
                   void *(*copy)(const void *args), void (*drop)(void *copy), int64_t limit_us);

#endif
