/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asc_assert.h - assert(expr) and assert(expr, fmt, ...) of a kernel; off with NDEBUG, as C's.
 *
 * Without an include guard for the macro itself: C's <cassert> comes before, as the documents ask.
 * One macro serves a file's kernels and its host code, where assert(expr) does what C's does.
 */
#include "debug.h"
#undef assert
#ifdef NDEBUG
#define assert(expr, ...) (static_cast<void>(0))
#else
#define assert(expr, ...)                                                                          \
    ((expr) ? static_cast<void>(0)                                                                 \
            : ::nputwin::plain_assert_failed(NPU_HERE, __PRETTY_FUNCTION__,                        \
                                             #expr __VA_OPT__(, ) __VA_ARGS__))
#endif
