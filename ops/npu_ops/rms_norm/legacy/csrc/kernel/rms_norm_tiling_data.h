/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rms_norm_tiling_data.h - what the host decides and the kernel reads.
 *
 * Rule: the kernel holds no length of its own. The host asks the platform for the number of cores
 * and the size of UB, so one binary adapts to every chip of an architecture.
 */
#ifndef RMS_NORM_TILING_DATA_H
#define RMS_NORM_TILING_DATA_H
#include <cstdint>

/* The types of x, gamma and y. The same as in the TORCH_CHECK of rms_norm.cpp. */
enum RmsNormType : uint32_t { RMS_NORM_F16, RMS_NORM_BF16, RMS_NORM_F32 };

struct RmsNormTilingData {
    uint32_t type;       /* enum RmsNormType */
    uint32_t tileLength; /* elements of one tile, a multiple of RMS_NORM_ALIGN */
    uint64_t rows;       /* of x */
    uint64_t rowLength;  /* elements of a row: those of gamma */
    uint64_t partLength; /* elements of a part of a row; the last one may have fewer */
    uint32_t parts;      /* 1: blocks take whole rows. More: that many blocks share a row */
    float factor;        /* 1 / rowLength */
    float eps;
};

/* Bytes that a block leaves in the workspace when blocks share rows: a sum, and zeros beside it. */
constexpr uint32_t RMS_NORM_SUM_BYTES = 32;
/* Parts and tiles are whole 256-byte repeats of float. */
constexpr uint32_t RMS_NORM_ALIGN = 64;
/* At most so many blocks share a row: their sums have a place of their own in UB, and a tile is at
 * least as long. */
constexpr uint32_t RMS_NORM_PARTS_MAX = 128;
constexpr uint32_t RMS_NORM_TILE_MIN = RMS_NORM_PARTS_MAX * RMS_NORM_SUM_BYTES / 4;
/* What the compiler reserves at the top of UB. */
constexpr uint32_t RMS_NORM_UB_RESERVED_BYTES = 8 * 1024;
/* The budget in rms_norm_custom.cpp as numbers: bytes = FIXED + tileLength * RmsNormTileBytes. */
constexpr uint32_t RMS_NORM_UB_FIXED_BYTES = (RMS_NORM_PARTS_MAX + 2) * RMS_NORM_SUM_BYTES;
constexpr uint32_t RmsNormTileBytes(uint32_t elementBytes) { return 3 * 2 * elementBytes + 2 * 4; }

#endif
