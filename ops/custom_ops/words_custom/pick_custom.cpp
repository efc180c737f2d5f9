/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_operator.h"
#include "pick_custom_key.h"

template <typename T_X, int TIMES, int FLIP>
__global__ __aicore__ void pick_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(uint32_t);
    GET_TILING_DATA(length, tiling);

    (void)workspace;
    static_assert(sizeof(T_X) == 4, "the type comes from the input");
    for (uint32_t i = 0; i < length; i++)
        ((__gm__ T_X *)y)[i] = ((__gm__ T_X *)x)[i] * (FLIP ? -TIMES : TIMES);
}
