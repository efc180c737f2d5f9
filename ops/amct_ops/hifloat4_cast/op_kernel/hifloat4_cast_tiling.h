/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat4_cast_tiling.h - what the host decides and the kernels read.
 *
 * Rule: the kernels hold no length of their own. The host asks the platform for the number of
 * vector cores and the size of UB, so one binary adapts to every chip of an architecture.
 */
#ifndef HIFLOAT4_CAST_TILING_H
#define HIFLOAT4_CAST_TILING_H
#include <cstdint>

/* Type of the elements: input of fake_quant and pack, output of fake_quant and unpack. The same
 * types as in the TORCH_CHECKs of register.cpp. */
enum HiFloat4CastMode : uint32_t {
    HIFLOAT4_F16,
    HIFLOAT4_BF16,
    HIFLOAT4_F32,
};

struct HiFloat4CastTiling {
    uint32_t castMode;    /* enum HiFloat4CastMode */
    uint32_t tileBlocks;  /* blocks of one tile, a multiple of HIFLOAT4_TILE_ALIGN */
    uint64_t totalBlocks; /* blocks of the tensor */
    uint64_t coreBlocks;  /* blocks of one core; the last core may have fewer */
};

/* A block: 64 elements that share a scale. Packed, 32 bytes of codes and 4 bytes of scale. */
constexpr uint32_t HIFLOAT4_BLOCK = 64;
constexpr uint32_t HIFLOAT4_CODE_BYTES = 32;
constexpr uint32_t HIFLOAT4_SCALE_BYTES = 4;

/* A row has a float a block, and rows begin on 32 bytes. */
constexpr uint32_t HIFLOAT4_TILE_ALIGN = 8;

/* The budget in hifloat4_cast_kernel.cpp as numbers, bytes a block. Queues hold two tiles each. */
constexpr uint32_t HIFLOAT4_WIDE_BYTES = HIFLOAT4_BLOCK * 4;
constexpr uint32_t HIFLOAT4_GROUP_BYTES = (8 + 3 * 16) * 4;
constexpr uint32_t HIFLOAT4_WORK_BYTES = 4 * HIFLOAT4_WIDE_BYTES + HIFLOAT4_GROUP_BYTES + 4 * 4;
constexpr uint32_t HIFLOAT4_PACKED_BYTES = HIFLOAT4_CODE_BYTES + HIFLOAT4_SCALE_BYTES;
/* What the compiler reserves at the top of UB. */
constexpr uint32_t HIFLOAT4_UB_RESERVED_BYTES = 8 * 1024;

#endif
