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

enum { NPUTWIN_KERNEL_ABI = 1, NPUTWIN_KERNEL_ABI_BITS = 8 };
enum nputwin_kernel_kind { NPUTWIN_AIV, NPUTWIN_AIC, NPUTWIN_MIX_1_1, NPUTWIN_MIX_1_2 };

struct nputwin_kernel {
    const void *key;   /* address of the host symbol: what the launch expression names */
    void (*aiv)(void); /* device copies; NULL where the kernel has no such part */
    void (*aic)(void);
    const char *name; /* demangled, with template arguments */
    uint32_t kind;    /* enum nputwin_kernel_kind */
    uint32_t arch;    /* 2201 or 3510 */
};

/* abi: NPUTWIN_KERNEL_ABI in the low bits; above them the number of engine/layout.h that the doors
 * left in the object, 0 when it uses none. An object of another layout is remembered by name only:
 * a launch of its kernels says to build it again.
 * rows stay valid until nputwin_unregister with the same pointer (dlclose). Thread-safe. */
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
