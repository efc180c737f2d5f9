/* SPDX-License-Identifier: Apache-2.0 */
/* lanes_v3.c - the lane loops for x86-64-v3 (AVX2, FMA, F16C); see CMakeLists.txt for the flags. */
#define LANES      npu_lanes_v3
#define LANES_NAME "x86-64-v3"
#include "lanes.h"
