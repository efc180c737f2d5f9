/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_leakyrelu_tiling.h - what the host decides and the kernel reads.
 *
 * The plan of the product is CANN's struct, filled by its tiling library; the rest is ours.
 */
#pragma once
#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"
#include "tiling/tiling_api.h"

namespace npu_ops {

struct MatmulLeakyReluTilingData {
    AscendC::tiling::TCubeTiling cube;
    uint32_t tileLength; /* floats that a vector core takes at once, a multiple of 8 */
    float negativeSlope;
};

/* The budget in matmul_leakyrelu.asc: bytes = tileLength * this. */
constexpr uint32_t MATMUL_LEAKYRELU_TILE_BYTES = 2 * 2 * 4;
constexpr uint32_t MATMUL_LEAKYRELU_TILE_ALIGN = 8;
/* A copy has at most so many runs. */
constexpr uint32_t MATMUL_LEAKYRELU_RUNS_MAX = 4095;

struct MatmulLeakyReluPlan {
    MatmulLeakyReluTilingData tiling;
    uint32_t blocks;
    uint64_t workspaceBytes;
    const char *failure; /* nullptr, or why there is no plan */
};

/* Vector cores call the Matmul object, so it is they whom the plan counts. */
inline bool PlanProduct(const platform_ascendc::PlatformAscendC &platform,
                        matmul_tiling::DataType type, int32_t m, int32_t n, int32_t k,
                        AscendC::tiling::TCubeTiling &plan)
{
    using matmul_tiling::CubeFormat, matmul_tiling::DataType, matmul_tiling::TPosition;
    matmul_tiling::MultiCoreMatmulTiling cut(platform);

    cut.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    cut.SetAType(TPosition::GM, CubeFormat::ND, type);
    cut.SetBType(TPosition::GM, CubeFormat::ND, type);
    cut.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cut.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cut.EnableBias(true);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBufferSpace(-1, -1, -1);
    return cut.GetTiling(plan) != -1;
}

/* m, n and k are not 0. */
inline MatmulLeakyReluPlan MakePlan(matmul_tiling::DataType type, int32_t m, int32_t n, int32_t k,
                                    float negativeSlope)
{
    auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    MatmulLeakyReluPlan plan{};
    MatmulLeakyReluTilingData &t = plan.tiling;
    uint64_t ubBytes = 0;

    if (platform == nullptr || platform->GetCoreNumAic() == 0) {
        plan.failure = "the platform library knows no cube core of this chip";
        return plan;
    }
    if (!PlanProduct(*platform, type, m, n, k, t.cube)) {
        plan.failure = "the tiling library has no plan for this shape";
        return plan;
    }
    platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    /* Half of UB: the Matmul object may want some for itself. */
    t.tileLength = static_cast<uint32_t>(ubBytes / 2 / MATMUL_LEAKYRELU_TILE_BYTES) /
                   MATMUL_LEAKYRELU_TILE_ALIGN * MATMUL_LEAKYRELU_TILE_ALIGN;
    t.negativeSlope = negativeSlope;
    plan.blocks = static_cast<uint32_t>((t.cube.usedCoreNum + 1) / 2); /* two vector cores each */
    plan.workspaceBytes = platform->GetLibApiWorkSpaceSize() +
                          static_cast<uint64_t>(m) * static_cast<uint64_t>(n) * sizeof(float);
    return plan;
}

} // namespace npu_ops
