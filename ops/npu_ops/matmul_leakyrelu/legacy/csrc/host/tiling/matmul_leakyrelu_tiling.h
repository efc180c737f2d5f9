/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_leakyrelu_tiling.h - how the product is cut for this chip. */
#ifndef MATMUL_LEAKYRELU_TILING_H
#define MATMUL_LEAKYRELU_TILING_H
#include "../../kernel/matmul_leakyrelu_tiling_data.h"

namespace matmul_leakyrelu_ext {

struct Plan {
    MatmulLeakyReluTilingData tiling;
    uint32_t blocks;
    uint64_t workspaceBytes;
    const char *failure; /* nullptr, or why there is no plan */
};

/* m, n and k are not 0. */
Plan MakePlan(int32_t m, int32_t n, int32_t k, float negativeSlope);

} // namespace matmul_leakyrelu_ext
#endif
