/* SPDX-License-Identifier: Apache-2.0 */
/* panels_plain.c - the panels of the cube unit for plain; see CMakeLists.txt for the flags. */
#define PANELS      npu_panels_plain
#define PANELS_NAME "plain"
#include "panel_loops.h"
