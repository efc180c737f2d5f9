/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_def_registry.h - OP_ADD(Type): the operators of a library.
 *
 * The list is hidden in the library that is linked, so that two packages in one process keep apart.
 */
#ifndef NPUTWIN_OP_DEF_REGISTRY_H
#define NPUTWIN_OP_DEF_REGISTRY_H
#include "op_def.h"
#include "op_impl_registry.h" /* op_host leans on it */

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

template <class... Info> void take_compile_info(ops::OpDef &def)
{
    static_assert(sizeof...(Info) <= 1, "OP_ADD takes an operator and at most one structure");
    ((def.aicore.make_compile_info = []() -> void * { return new Info(); }), ...);
}

struct adder {
    adder(const char *type, make_fn make) { registry().push_back({type, make}); }
};

} // namespace nputwin::opp

/* OP_ADD(Type), or OP_ADD(Type, CompileInfo): what its TilingParse fills in. Only a tiling library
 * knows that structure (npu_op_library(... TILING) defines the word); elsewhere it is not looked
 * at. */
#ifdef OP_TILING_LIB
#define NPUTWIN_TAKE_INFO(...) ::nputwin::opp::take_compile_info<__VA_ARGS__>
#else
#define NPUTWIN_TAKE_INFO(...) ::nputwin::opp::take_compile_info<>
#endif
#define OP_ADD(Type, ...)                                                                          \
    static const ::nputwin::opp::adder nputwin_opp_add_##Type(                                     \
        #Type, [](const char *type) -> ::ops::OpDef {                                              \
            ::ops::OpDef def = Type(type);                                                         \
            NPUTWIN_TAKE_INFO(__VA_ARGS__)(def);                                                   \
            return def;                                                                            \
        })
#endif
