/* SPDX-License-Identifier: Apache-2.0 */
/* op_impl_registry.h - IMPL_OP: refused; a TilingFunc is found through its OpDef. */
#ifndef NPUTWIN_OP_IMPL_REGISTRY_H
#define NPUTWIN_OP_IMPL_REGISTRY_H
#define IMPL_OP(type)                                                                              \
    static_assert(false, "IMPL_OP(" #type ") is not supported by nputwin; use "                    \
                         "AICore().SetTiling() in the OpDef")
#define IMPL_OP_OPTILING(type)   IMPL_OP(type)
#define IMPL_OP_INFERSHAPE(type) IMPL_OP(type)
#endif
