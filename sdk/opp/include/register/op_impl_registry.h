/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_impl_registry.h - IMPL_OP: functions of an operator, apart from its OpDef.
 *
 * They are used where the OpDef names none: its own SetTiling, SetInferShape, SetInferDataType win.
 */
#ifndef NPUTWIN_OP_IMPL_REGISTRY_H
#define NPUTWIN_OP_IMPL_REGISTRY_H
#include "op_def.h"
#include <initializer_list>

namespace nputwin::opp {

struct impl {
    const char *type;
    ops::TilingFunc tiling;
    ops::InferShapeFunc infer_shape;
    ops::InferDataTypeFunc infer_type;
    ops::TilingParseFunc parse;
    void *(*make_compile_info)();
};

__attribute__((visibility("hidden"))) inline std::deque<impl> &impls()
{
    static std::deque<impl> list;

    return list;
}

class impl_adder {
public:
    explicit impl_adder(const char *type)
        : to_(impls().emplace_back(impl{type, nullptr, nullptr, nullptr, nullptr, nullptr}))
    {
    }
    impl_adder &Tiling(ops::TilingFunc f)
    {
        to_.tiling = f;
        return *this;
    }
    impl_adder &InferShape(ops::InferShapeFunc f)
    {
        to_.infer_shape = f;
        return *this;
    }
    impl_adder &InferDataType(ops::InferDataTypeFunc f)
    {
        to_.infer_type = f;
        return *this;
    }
    template <class T> impl_adder &TilingParse(ops::TilingParseFunc f)
    {
        to_.parse = f;
        to_.make_compile_info = []() -> void * { return new T(); };
        return *this;
    }
    /* About graphs. */
    template <class F> impl_adder &InferShapeRange(F) { return *this; }
    impl_adder &InputsDataDependency(std::initializer_list<int32_t>) { return *this; }
    impl_adder &TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }
    impl_adder &TilingInputsDataDependency(std::initializer_list<int32_t>,
                                           std::initializer_list<gert::TilingPlacement>)
    {
        return *this;
    }

private:
    impl &to_;
};

/* Functions that the OpDef leaves out. */
inline void fill_in(ops::OpDef &op)
{
    for (const impl &i : impls()) {
        if (op.type != i.type)
            continue;
        if (!op.aicore.tiling)
            op.aicore.tiling = i.tiling;
        if (!op.infer_shape)
            op.infer_shape = i.infer_shape;
        if (!op.infer_type)
            op.infer_type = i.infer_type;
        if (!op.aicore.parse)
            op.aicore.parse = i.parse;
        if (!op.aicore.make_compile_info)
            op.aicore.make_compile_info = i.make_compile_info;
    }
}

} // namespace nputwin::opp

#define NPUTWIN_IMPL_(type, line)                                                                  \
    static const ::nputwin::opp::impl_adder nputwin_impl_##type##_##line =                         \
        ::nputwin::opp::impl_adder(#type)
#define NPUTWIN_IMPL(type, line)     NPUTWIN_IMPL_(type, line)
#define IMPL_OP(type)                NPUTWIN_IMPL(type, __LINE__)
#define IMPL_OP_OPTILING(type)       IMPL_OP(type)
#define IMPL_OP_INFERSHAPE(type)     IMPL_OP(type)
#define IMPL_OP_INFER_DATATYPE(type) IMPL_OP(type)
#endif
