/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.h - Ascend C, preprocessed, becomes plain C++ that g++ compiles.
 *
 *   k<T><<<blocks, l2, stream>>>(args)   k<T> ->* ::nputwin::lang::cfg(blocks, l2, stream)(args)
 *   __global__ __vector__ void k(...) {  void k(...) { <mark> ...     + stubs behind it
 *   k<<<1>>>(args) with defaults in k   .. cfg(1).defaults(nputwin_def_k())(args)
 *   __ubuf__ T a[N];                     an array in the core's memory (placed.c)
 *
 * `->*` binds weaker than the call on its right, so nothing to the left of <<< is ever parsed, and
 * the compiler itself finds the kernel's parameter types (front/launch/nputwin_launch.h).
 *
 * Works on bytes and never fails but with a sentence: any input gives either text or an error
 * (tests/fuzz/fz_rewrite.c). Text without Ascend C comes back unchanged, byte for byte.
 */
#ifndef CC_REWRITE_H
#define CC_REWRITE_H
#include "text.h"

/* Which copies the compiled text is for. */
enum cc_view {
    CC_HOST = 1,   /* a kernel's body is a message: it was called without <<<>>> */
    CC_DEVICE = 2, /* the body, and a mark by which the object tells that this is a kernel */
    CC_BOTH = 3,   /* one compile serves host and device */
};

struct cc_kernel {
    char *name;     /* as written, without namespace */
    char *c_params; /* ", void *x, uint32_t n": for the header of aclrtlaunch_<name> */
    char attr[8];   /* v, c, m12, ...: the qualifier as written; x: none */
    unsigned id;    /* index in the array; part of the names of its stubs */
    unsigned n_params, n_defaults; /* the last n_defaults parameters have a default */
    bool is_template, is_def, is_c, is_static, is_inline;
};

struct cc_rewritten {
    struct cc_text out;
    struct cc_kernel *kernel;
    unsigned n_kernels, n_launches;
    bool registers; /* the text refers to nputwin_rows and nputwin_n_rows (object.c makes them) */
    char *error;    /* "file:line:col: error: what"; NULL when all went well */
};

/* aclrt: also emit aclrtlaunch_<k>, the C entry of the legacy ascendc_library.
 * workspace: 1 the last parameter of each kernel is one, 2 the last but one, 0 none is.
 * False: only error is set. Give r to cc_rewritten_finish either way. */
bool cc_rewrite(const char *text, size_t size, enum cc_view view, bool aclrt, unsigned workspace,
                struct cc_rewritten *r);
void cc_rewritten_finish(struct cc_rewritten *r);
#endif
