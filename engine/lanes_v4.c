/* SPDX-License-Identifier: Apache-2.0 */
/* lanes_v4.c - the lane loops for x86-64-v4 (AVX-512); see CMakeLists.txt for the flags. */
#define LANES      npu_lanes_v4
#define LANES_NAME "x86-64-v4"
#include "lanes.h"
