/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm_tiling.cpp - rows for blocks; or, when rows are fewer than cores, parts of rows. */
#include "rms_norm_tiling.h"

#include <algorithm>

#include "tiling/platform/platform_ascendc.h"

namespace rms_norm_ext {
namespace {

/* Less of a row than this is not worth a core of its own. */
constexpr uint64_t MIN_PART = 4096;

uint64_t DivideUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit; }

uint64_t RoundUp(uint64_t n, uint64_t unit) { return DivideUp(n, unit) * unit; }

/* The most elements whose buffers fit UB: the budget in rms_norm_custom.cpp, solved for T. */
uint64_t LargestTile(uint64_t ubBytes, uint32_t elementBytes)
{
    uint64_t fixed = RMS_NORM_UB_FIXED_BYTES + RMS_NORM_UB_RESERVED_BYTES;
    uint64_t tile = ubBytes > fixed ? (ubBytes - fixed) / RmsNormTileBytes(elementBytes) : 0;

    return tile < RMS_NORM_TILE_MIN ? 0 : tile / RMS_NORM_ALIGN * RMS_NORM_ALIGN;
}

uint64_t Parts(uint64_t cores, uint64_t rows, uint64_t rowLength)
{
    uint64_t parts = std::min(cores / rows, DivideUp(rowLength, MIN_PART));

    return std::max<uint64_t>(1, std::min<uint64_t>(parts, RMS_NORM_PARTS_MAX));
}

} // namespace

Chip GetChip()
{
    auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    Chip chip{};

    if (platform != nullptr) {
        chip.vectorCores = platform->GetCoreNumAiv();
        platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, chip.ubBytes);
        chip.systemWorkspaceBytes = platform->GetLibApiWorkSpaceSize();
    }
    return chip;
}

Plan MakePlan(const Chip &chip, RmsNormType type, uint32_t elementBytes, uint64_t rows,
              uint64_t rowLength, float eps)
{
    Plan plan{};
    RmsNormTilingData &t = plan.tiling;

    t.type = type;
    t.rows = rows;
    t.rowLength = rowLength;
    t.factor = static_cast<float>(1.0 / static_cast<double>(rowLength));
    t.eps = eps;
    t.partLength =
        RoundUp(DivideUp(rowLength, Parts(chip.vectorCores, rows, rowLength)), RMS_NORM_ALIGN);
    t.parts = static_cast<uint32_t>(DivideUp(rowLength, t.partLength));
    t.tileLength =
        static_cast<uint32_t>(std::min(LargestTile(chip.ubBytes, elementBytes), t.partLength));
    plan.blocks = static_cast<uint32_t>(t.parts > 1 ? rows * t.parts
                                                    : std::min<uint64_t>(rows, chip.vectorCores));
    plan.workspaceBytes = chip.systemWorkspaceBytes + plan.blocks * RMS_NORM_SUM_BYTES;
    return plan;
}

} // namespace rms_norm_ext
