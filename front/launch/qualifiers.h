/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qualifiers.h - the words of the Ascend C language, for a C++ compiler.
 *
 * Four sorts: words that the driver's rewriter takes out itself (__global__ __vector__ __cube__
 * __mix__ __launch_bounds__ __schedmode__ and the on-chip memories __ubuf__ ...), so they are not
 * here; words that say nothing on this machine; conditions on the sort of core, which the driver
 * fixes for each compile; and built-in values.
 */
#ifndef NPUTWIN_QUALIFIERS_H
#define NPUTWIN_QUALIFIERS_H
#include <cstdint>

/* Where code runs and where global data lies: one address space here. */
#define __aicore__
#define __host__
#define __host_aicore__
#define __gm__
#define __kfc_workspace__

using GM_ADDR = std::uint8_t *; /* a type, not a macro: it may stand in any declaration */

/* `if ASCEND_IS_AIV {`: the condition carries its own parentheses. The host reads the AIV's answer,
 * so that a file without cube code has one text and one compile. NPUTWIN_VIEW_AIC is the driver's. */
#ifdef NPUTWIN_VIEW_AIC
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#else
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#endif

/* The kind of a kernel, said inside it. The driver reads the name of the static in the object. */
#define KERNEL_TASK_TYPE_DEFAULT(type) \
    static const char nputwin_task_##type __attribute__((used)) = 1
#define KERNEL_TASK_TYPE(key, type) KERNEL_TASK_TYPE_DEFAULT(type)

#endif
