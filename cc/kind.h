/* SPDX-License-Identifier: Apache-2.0 */
/* kind.h - which cores a kernel runs on. */
#ifndef CC_KIND_H
#define CC_KIND_H
#include "elfobj.h"

/* Numbers of enum nputwin_kernel_kind in engine/kernel.h. */
enum cc_kind { CC_KIND_AIV, CC_KIND_AIC, CC_KIND_MIX_1_1, CC_KIND_MIX_1_2 };

struct cc_keyed {
    uint64_t key;
    enum cc_kind kind;
};
struct cc_kinds {
    enum cc_kind kind;
    bool is_said; /* by the kernel; else by what its code reaches */
    size_t n;     /* tiling keys with a kind of their own */
    struct cc_keyed *at;
};

/* aic: NULL when both sorts of cores have one text. The kernel's own words win (KERNEL_TASK_TYPE,
 * then the qualifier); without any, what its code reaches. False: printed. free(to->at) either way.
 */
bool cc_kinds_of(struct cc_kinds *to, const struct cc_elf *aiv, const struct cc_elf *aic,
                 const char *kernel);
/* Does a launch of it start such cores? */
bool cc_kinds_use(const struct cc_kinds *k, bool is_aic);
#endif
