/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_def_registry.h - OP_ADD(Type): the operators of a library.
 *
 * The list is hidden in the library that is linked, so that two packages in one process keep apart.
 */
#ifndef NPUTWIN_OP_DEF_REGISTRY_H
#define NPUTWIN_OP_DEF_REGISTRY_H
#include "op_def.h"

namespace nputwin::opp {

using make_fn = ops::OpDef (*)(const char *type);
struct added {
    const char *type;
    make_fn make;
};

__attribute__((visibility("hidden"))) inline std::vector<added> &registry()
{
    static std::vector<added> list;

    return list;
}

struct adder {
    adder(const char *type, make_fn make) { registry().push_back({type, make}); }
};

} // namespace nputwin::opp

#define OP_ADD(Type)                                                                               \
    static const ::nputwin::opp::adder nputwin_opp_add_##Type(                                     \
        #Type, [](const char *type) -> ::ops::OpDef { return Type(type); })
#endif
