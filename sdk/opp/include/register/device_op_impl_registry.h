/* SPDX-License-Identifier: Apache-2.0 */
/* device_op_impl_registry.h - tiling on the device: refused by the name of its macro. */
#ifndef NPUTWIN_DEVICE_OP_IMPL_REGISTRY_H
#define NPUTWIN_DEVICE_OP_IMPL_REGISTRY_H
#define DEVICE_IMPL_OP_OPTILING(type)                                                              \
    static_assert(false, "DEVICE_IMPL_OP_OPTILING(" #type "): nputwin has no tiling on the "       \
                         "device")
#endif
