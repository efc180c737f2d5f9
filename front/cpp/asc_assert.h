/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asc_assert.h - assert(expr) and assert(expr, fmt, ...) of a kernel; off with NDEBUG, as C's.
 *
 * Without an include guard for the macro itself: C's <cassert> may come before or after.
 */
#include "debug.h"
#undef assert
#ifdef NDEBUG
#define assert(expr, ...) (static_cast<void>(0))
#else
#define assert(expr, ...) ascendc_assert(expr __VA_OPT__(, ) __VA_ARGS__)
#endif
