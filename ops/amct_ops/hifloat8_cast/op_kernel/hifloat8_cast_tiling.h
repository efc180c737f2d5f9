/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_cast_tiling.h - what the host decides and the kernel reads.
 *
 * Rule: the kernel holds no length of its own. The host asks the platform for the number of vector
 * cores and the size of UB, so one binary adapts to every chip of an architecture.
 */
#ifndef HIFLOAT8_CAST_TILING_H
#define HIFLOAT8_CAST_TILING_H
#include <cstdint>

/* One cast of the operator. The dtypes are those of the TORCH_CHECKs in register.cpp. */
enum HiFloat8CastMode : uint32_t {
    HIFLOAT8_ENCODE_F16,  /* half -> HiFloat8 */
    HIFLOAT8_ENCODE_BF16, /* bfloat16 -> HiFloat8 */
    HIFLOAT8_DECODE,      /* HiFloat8 -> half or bfloat16: the table holds the 16-bit results */
};

struct HiFloat8CastTiling {
    uint32_t castMode;    /* enum HiFloat8CastMode */
    uint32_t tileLength;  /* elements of one tile, a multiple of HIFLOAT8_TILE_ALIGN */
    uint64_t totalLength; /* elements of the tensor */
    uint64_t coreLength;  /* elements of one core; the last core may have fewer */
};

/* Entries of the two look-up tables, 16 bits each (hifloat8_cast_table.h). */
constexpr uint32_t HIFLOAT8_ENCODE_ENTRIES = 8192;
constexpr uint32_t HIFLOAT8_DECODE_ENTRIES = 256;

/* Whole 256-byte repeats of half: 128 elements. It also keeps every tile and every core's share on
 * a 32-byte boundary of both tensors. */
constexpr uint32_t HIFLOAT8_TILE_ALIGN = 128;

/* The budget in hifloat8_cast_kernel.cpp as numbers: bytes = TABLE + ELEMENT * tileLength. */
constexpr uint32_t HIFLOAT8_ENCODE_TABLE_BYTES = HIFLOAT8_ENCODE_ENTRIES * 2;
constexpr uint32_t HIFLOAT8_DECODE_TABLE_BYTES = HIFLOAT8_DECODE_ENTRIES * 2;
constexpr uint32_t HIFLOAT8_ELEMENT_BYTES = 12;           /* either way */
constexpr uint32_t HIFLOAT8_UB_RESERVED_BYTES = 8 * 1024; /* by the compiler */

#endif
