/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_operator.h"

/* Behind the outputs: a shape for each output that has one, 9 words a shape. The mark says that the
 * sizes have 64 bits. */
extern "C" __global__ __aicore__ void positive_custom(GM_ADDR x, GM_ADDR y, GM_ADDR place,
                                                      GM_ADDR first, GM_ADDR shapes,
                                                      GM_ADDR workspace, GM_ADDR tiling)
{
    constexpr uint64_t SIZES_OF_64_BITS = 0x80000000;
    const uint32_t length = *(__gm__ uint32_t *)tiling;
    auto *in = (__gm__ DTYPE_X *)x;
    AscendC::GlobalTensor<uint64_t> shape;
    uint64_t n = 0;

    for (uint32_t i = 0; i < length; i++) {
        if (in[i] > DTYPE_X(0)) {
            ((__gm__ DTYPE_Y *)y)[n] = in[i];
            ((__gm__ int64_t *)place)[n++] = i;
        }
    }
    if (first)
        *(__gm__ float *)first = n ? float(((__gm__ DTYPE_Y *)y)[0]) : 0.0f;
    shape.SetGlobalBuffer((__gm__ uint64_t *)shapes, 18);
    shape.SetValue(0, 1);
    shape.SetValue(1, n);
    shape.SetValue(9, SIZES_OF_64_BITS | 2);
    shape.SetValue(10, n);
    shape.SetValue(11, 1);
}
