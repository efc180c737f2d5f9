/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qualifiers.h - the words of the Ascend C language, for a C++ compiler.
 *
 * Words that say nothing on this machine, memories and kinds of kernels are taken out by the
 * driver's rewriter (cc/rewrite.c), which puts spaces in their place: so every column in a
 * diagnostic is the user's. They are macros that expand to themselves, for `#ifdef __aicore__`.
 * What is left here are conditions on the sort of core, which the driver fixes for each compile,
 * and the kind of a kernel.
 */
#ifndef NPUTWIN_QUALIFIERS_H
#define NPUTWIN_QUALIFIERS_H
#include <cstdint>

#define __aicore__ __aicore__
#define __global__ __global__
#define __gm__     __gm__
#define __ubuf__   __ubuf__

using GM_ADDR = std::uint8_t *; /* a type, not a macro: it may stand in any declaration */

/* Known before the first line, as the compiler's own: a kernel may then make macros of them. */
// clang-format off
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
// clang-format on

/* `if ASCEND_IS_AIV {`: the condition carries its own parentheses, and is as long as the word, for
 * the columns. The host reads the AIV's answer, so that a file without cube code has one text and
 * one compile. NPUTWIN_VIEW_AIC is the driver's. */
#ifdef NPUTWIN_VIEW_AIC
#define ASCEND_IS_AIC constexpr(!0)
#define ASCEND_IS_AIV constexpr(!1)
#else
#define ASCEND_IS_AIC constexpr(!1)
#define ASCEND_IS_AIV constexpr(!0)
#endif
/* `g_coreType == AscendC::AIC`, with or without AscendC:: in front: a constant of each view. */
#ifdef NPUTWIN_VIEW_AIC
#define g_coreType AIC_VIEW
#else
#define g_coreType AIV_VIEW
#endif
#define ASCEND_IS_NOT_AIC ASCEND_IS_AIV
#define ASCEND_IS_NOT_AIV ASCEND_IS_AIC

/* The kind of a kernel, said inside it: for all launches, or for those of one tiling key. The
 * driver reads the name of the static in the object, and the key that it holds. */
#define KERNEL_TASK_TYPE_DEFAULT(type)                                                             \
    static const char nputwin_task_##type __attribute__((used)) = 1
#define KERNEL_TASK_TYPE(key, type)                                                                \
    do { /* a scope, for two keys of one type */                                                   \
        static constexpr std::uint64_t nputwin_key_##type __attribute__((used)) =                  \
            std::uint64_t(key);                                                                    \
    } while (0)

#endif
