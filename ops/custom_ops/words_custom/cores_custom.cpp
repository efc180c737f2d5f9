/* SPDX-License-Identifier: Apache-2.0 */
#include "cores_custom.h"

extern "C" __global__ __aicore__ void cores_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling)
{
    (void)x, (void)workspace, (void)tiling;
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    if (TILING_KEY_IS(1)) {
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_MIX_AIC_1_2);
        leave_mark(y);
    } else if (TILING_KEY_IS(10000000001)) {
        KERNEL_TASK_TYPE(10000000001, KERNEL_TYPE_AIC_ONLY);
        leave_mark(y);
    } else if (TILING_KEY_IS(3)) {
        KERNEL_TASK_TYPE(3, KERNEL_TYPE_MIX_AIC_1_1);
        leave_mark(y);
    } else if (TILING_KEY_IS(4)) {
        leave_mark(y);
    }
}
