/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar.h - the C API on 64-bit words of the scalar unit: bits counted, found, set and cleared.
 */
#ifndef NPU_FRONT_C_SCALAR_H
#define NPU_FRONT_C_SCALAR_H
#include "core.h"

inline int64_t asc_popc(uint64_t value) { return __builtin_popcountll(value); }
inline int64_t asc_zero_bits_cnt(uint64_t value) { return __builtin_popcountll(~value); }
inline int64_t asc_clz(uint64_t value_in) { return value_in ? __builtin_clzll(value_in) : 64; }
/* The lowest bit that is 1, that is 0; -1 when there is none. */
inline int64_t asc_ffs(uint64_t value) { return value ? __builtin_ctzll(value) : -1; }
inline int64_t asc_ffz(uint64_t value) { return asc_ffs(~value); }
/* Bits below the sign that are equal to it; -1 for 0 and -1, where all are. */
inline int64_t asc_sflbits(int64_t value)
{
    const uint64_t other = uint64_t(value < 0 ? ~value : value);
    return other ? __builtin_clzll(other) - 1 : -1;
}
/* A bit beyond 0..63 is taken modulo 64. */
inline uint64_t asc_set_nthbit(uint64_t bits, int64_t idx)
{
    return bits | uint64_t(1) << (idx & 63);
}
inline uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx)
{
    return bits & ~(uint64_t(1) << (idx & 63));
}
#endif
