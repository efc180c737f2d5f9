/* SPDX-License-Identifier: Apache-2.0 */
/* kind.h - which cores a kernel runs on. */
#ifndef CC_KIND_H
#define CC_KIND_H
#include "elfobj.h"

/* Numbers of enum nputwin_kernel_kind in engine/kernel.h. */
enum cc_kind { CC_KIND_AIV, CC_KIND_AIC, CC_KIND_MIX_1_1, CC_KIND_MIX_1_2 };

/* aic: NULL when both sorts of cores have one text. The kernel's own words win (KERNEL_TASK_TYPE,
 * then the qualifier); without any, what its code reaches. */
enum cc_kind cc_kind_of(const struct cc_elf *aiv, const struct cc_elf *aic, const char *kernel);
#endif
