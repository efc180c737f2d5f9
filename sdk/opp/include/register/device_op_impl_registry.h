/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_op_impl_registry.h - a TilingFunc for the device.
 *
 * Only graphs move tiling there. The twin has no graph engine and tiles in the first phase of an
 * aclnn call, on the host; it uses the function where the OpDef names none.
 */
#ifndef NPUTWIN_DEVICE_OP_IMPL_REGISTRY_H
#define NPUTWIN_DEVICE_OP_IMPL_REGISTRY_H
#include "op_impl_registry.h"
#define DEVICE_IMPL_OP_OPTILING(type) IMPL_OP_OPTILING(type)
#endif
