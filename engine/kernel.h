/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - the ABI between an object that `bisheng` made and the runtime.
 *
 * The object carries a table of its kernels and registers it from a static constructor; a
 * rewritten `k<<<blocks, l2, stream>>>(args)` ends in nputwin_launch(). Implemented in
 * rt/launch.c, exported by libascendc_runtime.so. Names and layout stay as they are, so that
 * objects compiled with an older version still run; version says which layout a table has.
 */
#ifndef NPU_KERNEL_H
#define NPU_KERNEL_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NPUTWIN_KERNEL_ABI = 3, NPUTWIN_KERNEL_ABI_BITS = 8 };
/* What GetLibApiWorkSpaceSize() says: the system's part in front of a kernel's own workspace. */
enum { NPU_SYS_WORKSPACE_BYTES = 16 << 20 };
enum nputwin_kernel_kind { NPUTWIN_AIV, NPUTWIN_AIC, NPUTWIN_MIX_1_1, NPUTWIN_MIX_1_2 };

/* What a caller needs who has only addresses of the arguments, not their types: a launch by handle
 * (aclrtLaunchKernelWithArgsArray and its like). call(fn, arg) calls a device copy fn with the
 * values at arg[0..n-1]; NULL when the parameters are no plain values. */
struct nputwin_param {
    uint32_t bytes, align;
};
struct nputwin_params {
    uint32_t n;
    const struct nputwin_param *param;
    void (*call)(void (*fn)(void), void *const *arg);
};

/* KERNEL_TASK_TYPE(key, type): cores by the tiling key of an operator's launch. */
struct nputwin_keyed_kind {
    uint64_t key;
    uint32_t kind, unused; /* enum nputwin_kernel_kind */
};
struct nputwin_keyed {
    uint32_t n, has_default; /* has_default: the row's kind is that of all other keys */
    const struct nputwin_keyed_kind *at;
};

struct nputwin_kernel {
    const void *key;   /* address of the host symbol: what the launch expression names */
    void (*aiv)(void); /* device copies; NULL where the kernel has no such part */
    void (*aic)(void);
    const char *name; /* demangled, with template arguments */
    uint32_t kind;    /* enum nputwin_kernel_kind */
    uint32_t arch;    /* 2201 or 3510 */
    /* since 2 */
    const char *symbol; /* as the linker knows it: what aclrtBinaryGetFunction takes */
    const struct nputwin_params *params; /* NULL: a parameter has no name in the source */
    /* since 3 */
    const struct nputwin_keyed *keyed; /* NULL: one kind, whatever the key */
};
/* A row of version 1 ends before symbol, one of version 2 before keyed. */
enum { NPUTWIN_KERNEL_BYTES_1 = 40, NPUTWIN_KERNEL_BYTES_2 = 56 };

/* The last bytes of a binary that aclrtBinaryLoadFromData takes (`bisheng --cce-aicore-only`):
 * a shared library of this machine, then this. Nothing without it, or with another hash, is ever
 * handed to the loader of programs. */
struct nputwin_binary_tail {
    char magic[8]; /* NPUTWIN_BINARY_MAGIC, without its NUL */
    uint32_t version, arch;
    uint64_t bytes, hash; /* of what stands before the tail; FNV-1a, 64 bits */
};
#define NPUTWIN_BINARY_MAGIC "nputwinB"
enum { NPUTWIN_BINARY_VERSION = 1 };

/* abi: the version of the rows (1 to NPUTWIN_KERNEL_ABI) in the low bits; above them the number of
 * engine/layout.h that the doors left in the object, 0 when it uses none. An object of another
 * layout is remembered by name only: a launch of its kernels says to build it again. rows stay
 * valid until nputwin_unregister with the same pointer (dlclose). Thread-safe. */
void nputwin_register(uint32_t abi, const struct nputwin_kernel *rows, uint32_t n);
void nputwin_unregister(const struct nputwin_kernel *rows);

/* Enqueues one launch on stream (NULL: the default stream of the current device).
 *   call(fn, args): calls the device copy fn with the packed arguments, on the block's fiber;
 *   copy(args): heap copy of the packed arguments, made only when the launch has to wait;
 *   drop(copy): destroys that copy.
 * Returns an aclError: 0, 107000 for 0 or more than 65535 blocks or an unregistered key (nothing
 * runs), 507015 and the like for a fault when the launch ran at once. The story is in
 * aclGetRecentErrMsg(). */
uint32_t nputwin_launch(const void *key, uint32_t block_dim, void *l2_ctrl, void *stream,
                        void (*call)(void (*fn)(void), const void *args), const void *args,
                        void *(*copy)(const void *args), void (*drop)(void *copy));

#ifdef __cplusplus
}
#endif
#endif
