/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asc_simd.h - the C API of Ascend C: what a kernel gets from #include "c_api/asc_simd.h".
 *
 * Pointers with plain addresses, calls with counts or with strides, a _sync form that waits. This
 * version has dav-2201, vector and cube; on dav-3510 its names refuse (refuse.h).
 */
#ifndef NPU_FRONT_C_ASC_SIMD_H
#define NPU_FRONT_C_ASC_SIMD_H
#include "scalar.h"
#include "sync.h"
#include "system.h"
#if NPU_ARCH == 2201
#include "cube.h"
#include "move.h"
#include "special.h"
#include "vector.h"
#else
#include "refuse.h"
#endif
#endif
