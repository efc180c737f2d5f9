/* SPDX-License-Identifier: Apache-2.0 */
/* panels_v4.c - the panels of the cube unit for x86-64-v4; see CMakeLists.txt for the flags. */
#define PANELS      npu_panels_v4
#define PANELS_NAME "x86-64-v4"
#include "panel_loops.h"
