/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rms_norm_tiling.h - what the host decides and the kernel reads.
 *
 * Rule: the kernel holds no length of its own. The host asks the platform for the number of cores
 * and the size of UB, so one binary adapts to every chip of an architecture.
 */
#pragma once
#include <algorithm>
#include <cstdint>

namespace npu_ops {

struct RmsNormTilingData {
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
/* The budget in rms_norm.asc as numbers: bytes = FIXED + tileLength * RmsNormTileBytes. */
constexpr uint32_t RMS_NORM_UB_FIXED_BYTES = (RMS_NORM_PARTS_MAX + 2) * RMS_NORM_SUM_BYTES;
constexpr uint32_t RmsNormTileBytes(uint32_t elementBytes) { return 3 * 2 * elementBytes + 2 * 4; }

/* Less of a row than this is not worth a core of its own. */
constexpr uint64_t MIN_PART = 4096;

inline uint64_t DivideUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit; }

inline uint64_t RoundUp(uint64_t n, uint64_t unit) { return DivideUp(n, unit) * unit; }

/* The most elements whose buffers fit UB. */
inline uint64_t LargestTile(uint64_t ubBytes, uint32_t elementBytes)
{
    uint64_t fixed = RMS_NORM_UB_FIXED_BYTES + RMS_NORM_UB_RESERVED_BYTES;
    uint64_t tile = ubBytes > fixed ? (ubBytes - fixed) / RmsNormTileBytes(elementBytes) : 0;

    return tile < RMS_NORM_TILE_MIN ? 0 : tile / RMS_NORM_ALIGN * RMS_NORM_ALIGN;
}

inline uint64_t Parts(uint64_t cores, uint64_t rows, uint64_t rowLength)
{
    uint64_t parts = std::min(cores / rows, DivideUp(rowLength, MIN_PART));

    return std::max<uint64_t>(1, std::min<uint64_t>(parts, RMS_NORM_PARTS_MAX));
}

struct RmsNormPlan {
    RmsNormTilingData tiling;
    uint32_t blocks;
    uint64_t workspaceBytes; /* 0: blocks share no row */
};

/* rows and rowLength are not 0. tileLength is 0 when UB has no room for a tile. */
inline RmsNormPlan MakePlan(uint32_t cores, uint64_t ubBytes, uint32_t elementBytes, uint64_t rows,
                            uint64_t rowLength, float eps)
{
    RmsNormPlan plan{};
    RmsNormTilingData &t = plan.tiling;

    t.rows = rows;
    t.rowLength = rowLength;
    t.factor = static_cast<float>(1.0 / static_cast<double>(rowLength));
    t.eps = eps;
    t.partLength = RoundUp(DivideUp(rowLength, Parts(cores, rows, rowLength)), RMS_NORM_ALIGN);
    t.parts = static_cast<uint32_t>(DivideUp(rowLength, t.partLength));
    t.tileLength =
        static_cast<uint32_t>(std::min(LargestTile(ubBytes, elementBytes), t.partLength));
    plan.blocks =
        static_cast<uint32_t>(t.parts > 1 ? rows * t.parts : std::min<uint64_t>(rows, cores));
    plan.workspaceBytes = t.parts > 1 ? plan.blocks * RMS_NORM_SUM_BYTES : 0;
    return plan;
}

} // namespace npu_ops
