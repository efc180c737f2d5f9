/* SPDX-License-Identifier: Apache-2.0 */
/* lanes_plain.c - the lane loops for any machine: the reference that the others must equal. */
#define LANES      npu_lanes_plain
#define LANES_NAME "plain"
#include "lanes.h"
