/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_leakyrelu_tiling.cpp - CANN's tiling library cuts the product; UB decides the rest. */
#include "matmul_leakyrelu_tiling.h"

#include "tiling/tiling_api.h"

namespace matmul_leakyrelu_ext {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;

/* Vector cores call the Matmul object, so it is they whom the plan counts. */
bool PlanProduct(const platform_ascendc::PlatformAscendC &platform, int32_t m, int32_t n, int32_t k,
                 AscendC::tiling::TCubeTiling &plan)
{
    matmul_tiling::MultiCoreMatmulTiling cut(platform);

    cut.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    cut.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cut.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    cut.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cut.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    cut.EnableBias(true);
    cut.SetShape(m, n, k);
    cut.SetOrgShape(m, n, k);
    cut.SetBufferSpace(-1, -1, -1);
    return cut.GetTiling(plan) != -1;
}

} // namespace

Plan MakePlan(int32_t m, int32_t n, int32_t k, float negativeSlope)
{
    auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    Plan plan{};
    MatmulLeakyReluTilingData &t = plan.tiling;
    uint64_t ubBytes = 0;

    if (platform == nullptr || platform->GetCoreNumAic() == 0) {
        plan.failure = "the platform library knows no cube core of this chip";
        return plan;
    }
    if (!PlanProduct(*platform, m, n, k, t.cube)) {
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

} // namespace matmul_leakyrelu_ext
