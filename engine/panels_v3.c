/* SPDX-License-Identifier: Apache-2.0 */
/* panels_v3.c - the panels of the cube unit for x86-64-v3; see CMakeLists.txt for the flags. */
#define PANELS      npu_panels_v3
#define PANELS_NAME "x86-64-v3"
#include "panel_loops.h"
