/* SPDX-License-Identifier: Apache-2.0 */
#include "factor.h"
#ifndef __CCE_AICORE__
static_assert(HOST_PART == 2, "an option for the host side");
#else
static_assert(DEVICE_PART == 1, "an option for the device side");
#endif
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, uint32_t n, float unused)
{
    for (uint32_t i = 0; i < n; i++)
        ((__gm__ int *)y)[i] = ((__gm__ int *)x)[i] * FACTOR + OFFSET;
}
extern "C" __global__ __aicore__ void no_arguments() {}
