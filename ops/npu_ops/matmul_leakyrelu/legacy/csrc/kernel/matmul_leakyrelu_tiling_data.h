/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_leakyrelu_tiling_data.h - what the host decides and the kernel reads.
 *
 * The plan of the product is CANN's struct, filled by its tiling library; the rest is ours.
 */
#ifndef MATMUL_LEAKYRELU_TILING_DATA_H
#define MATMUL_LEAKYRELU_TILING_DATA_H
#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"

struct MatmulLeakyReluTilingData {
    AscendC::tiling::TCubeTiling cube;
    uint32_t tileLength; /* floats that a vector core takes at once, a multiple of 8 */
    float negativeSlope;
};

/* The budget in matmul_leakyrelu_custom.cpp: bytes = tileLength * this. */
constexpr uint32_t MATMUL_LEAKYRELU_TILE_BYTES = 2 * 2 * 4;
constexpr uint32_t MATMUL_LEAKYRELU_TILE_ALIGN = 8;
/* A copy has at most so many runs. */
constexpr uint32_t MATMUL_LEAKYRELU_RUNS_MAX = 4095;

#endif
