/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiling_api.h - the host side of the high-level API: how much temporary space a call wants, and
 * the structs that carry a plan from host to kernel.
 *
 * One header a family; each is a table with a few lines around it.
 */
#ifndef NPUTWIN_TILING_API_H
#define NPUTWIN_TILING_API_H
#include "platform/platform_ascendc.h"
#include "securec.h" /* hosts copy plans with memcpy_s and do not include it themselves */
#include "register/tilingdata_base.h"
#include "../kernel_tiling/tiling_classes.h"
#include "nputwin/tmp_size.h"
#include "nputwin/rows_size.h"
#include "nputwin/matmul_tiling.h"
#include <iostream> /* hosts say whether GetTiling went well and do not include it themselves */
#endif
