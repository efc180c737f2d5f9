/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void older_custom(GM_ADDR x, GM_ADDR bias, GM_ADDR x_ref,
                                                   GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    AscendC::GlobalTensor<DTYPE_X> in, add, out;

    (void)workspace;
    in.SetGlobalBuffer((__gm__ DTYPE_X *)x, t.length);
    add.SetGlobalBuffer((__gm__ DTYPE_X *)bias, bias ? t.length : 0);
    out.SetGlobalBuffer((__gm__ DTYPE_X_REF *)x_ref, t.length);
    for (uint32_t i = 0; i < t.length; i++) {
        int64_t v = int64_t(in.GetValue(i)) * t.times + t.offsets.value[i % t.offsets.count];

        if (t.bias)
            v += t.bias * int64_t(add.GetValue(i));
        out.SetValue(i, DTYPE_X(t.flip ? -v : v * OLDER_SIGN));
    }
}
