/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_operator.h - the door of Ascend C kernels.
 *
 * Prints the same text in every pass of the driver (host, AIV, AIC): what differs by pass is a
 * macro that leaves its trace only where a kernel uses it. Cheap to parse: no iostream, regex,
 * functional.
 */
#ifndef NPU_FRONT_KERNEL_OPERATOR_H
#define NPU_FRONT_KERNEL_OPERATOR_H
/* What a kernel is compiled with, -Wconversion say, is about the kernel; our own tests look here
 * too. */
#ifndef NPU_FRONT_WARNINGS
#pragma GCC system_header
#endif
#include "core.h"
#include "types.h"
#include "tensor.h"
#include "sys.h"
#include "pipe.h"
#include "queue.h"
#include "bufpool.h"
#include "sync.h"
#include "cube_group.h"
#include "copy.h"
#include "cube.h"
#include "vector.h"
#include "select.h"
#include "reduce.h"
#include "gather.h"
#include "fuse.h"
#include "order.h"
#include "workspace.h"
#include "register_tiling.h"
#include "list_tensor.h"
#include "adv/math.h"
#include "adv/activation.h"
#include "adv/quant.h"
#include "debug.h"
#include "refuse.h"
#include "adv/norm.h"
#include "adv/reduce.h"
#include "adv/softmax.h"
#include "adv/sort.h"
#include "adv/transform.h"
#include "adv/filter.h"
#include "../cce/cce.h"
#include "asc_assert.h" /* kernels say assert with this header alone */
#endif
