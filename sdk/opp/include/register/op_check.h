/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_check.h - whether an OpDef makes sense and whether the twin does what it asks for.
 *
 * Also brings it to its plain form: after expand() every parameter lists its types and formats, one
 * for each variant.
 */
#ifndef NPUTWIN_OP_CHECK_H
#define NPUTWIN_OP_CHECK_H
#include "op_def.h"
#include <algorithm>

namespace nputwin::opp {

inline ops::OpParamDef *find_param(std::deque<ops::OpParamDef> &list, const std::string &name)
{
    for (ops::OpParamDef &p : list)
        if (p.name == name)
            return &p;
    return nullptr;
}

/* A new axis: each old variant once with each value of list. */
template <class T> inline void take_list(ops::OpDef &op, std::vector<T> &mine, std::vector<T> &list)
{
    const size_t n = list.size();
    auto spread = [&](auto &v) {
        auto old = v;

        v.clear();
        for (const auto &e : old)
            v.insert(v.end(), n, e);
    };

    size_t old = 1;
    for (auto *params : {&op.inputs, &op.outputs}) {
        for (ops::OpParamDef &p : *params) {
            old = std::max(old, std::max(p.types.size(), p.formats.size()));
            spread(p.types);
            spread(p.formats);
        }
    }
    mine.clear();
    for (size_t i = 0; i < old; i++)
        mine.insert(mine.end(), list.begin(), list.end());
    list.clear();
}

inline void follow(ops::OpDef &op, ops::OpParamDef &p)
{
    const ops::OpParamDef *from = find_param(op.inputs, p.follow);

    if (!from)
        return;
    if (p.follow_type == ops::FollowType::ALL || p.follow_type == ops::FollowType::DTYPE)
        p.types = from->types;
    if (p.follow_type == ops::FollowType::ALL || p.follow_type == ops::FollowType::FORMAT)
        p.formats = from->formats;
}

inline size_t n_variants(const ops::OpDef &op)
{
    for (const auto *params : {&op.inputs, &op.outputs})
        for (const ops::OpParamDef &p : *params)
            if (!p.types.empty())
                return p.types.size();
    return 0;
}

inline void expand(ops::OpDef &op)
{
    for (auto *params : {&op.inputs, &op.outputs}) {
        for (ops::OpParamDef &p : *params) {
            if (!p.type_list.empty())
                take_list(op, p.types, p.type_list);
            if (!p.format_list.empty())
                take_list(op, p.formats, p.format_list);
        }
    }
    for (auto *params : {&op.inputs, &op.outputs})
        for (ops::OpParamDef &p : *params)
            follow(op, p);
    for (auto *params : {&op.inputs, &op.outputs})
        for (ops::OpParamDef &p : *params)
            if (p.formats.empty())
                p.formats.assign(n_variants(op), ge::FORMAT_ND);
}

/* "" when fine; else what is wrong, and what to do. For an expanded OpDef. */
inline std::string check_param(const ops::OpDef &op, const ops::OpParamDef &p)
{
    const std::string who = op.type + ": " + p.name + ": ";
    const size_t n = n_variants(op);

    if (!p.refused.empty())
        return who + p.refused + "() is not supported by nputwin";
    if (p.option == ops::DYNAMIC)
        return who + "ParamType(DYNAMIC) (a list of tensors) is not supported by nputwin";
    if (p.option != ops::REQUIRED && p.option != ops::OPTIONAL)
        return who + "ParamType must be REQUIRED or OPTIONAL";
    if (p.types.size() != n || p.formats.size() != n)
        return who + "lists " + std::to_string(p.types.size()) + " data types and " +
               std::to_string(p.formats.size()) + " formats; the first parameter has " +
               std::to_string(n) +
               " types, and position i of all lists together is one combination";
    return "";
}

inline std::string check(const ops::OpDef &op)
{
    std::string why;

    if (op.outputs.empty())
        return op.type + ": it has no Output";
    if (!op.aicore.tiling)
        return op.type + ": AICore().SetTiling(...) is missing";
    if (op.aicore.has_own_params)
        return op.type + ": inputs and outputs of its own for one chip (OpAICoreConfig) are not "
                         "supported by nputwin; list the types in the OpDef";
    if (!n_variants(op))
        return op.type + ": no parameter has a DataType";
    for (const auto *params : {&op.inputs, &op.outputs}) {
        for (const ops::OpParamDef &p : *params) {
            why = check_param(op, p);
            if (!why.empty())
                return why;
        }
    }
    for (const ops::OpParamDef &p : op.inputs)
        if (!p.follow.empty() && p.follow_type == ops::FollowType::SHAPE)
            return op.type + ": " + p.name + ": an input cannot follow a shape";
    for (const ops::OpAttrDef &a : op.attrs) {
        if (!a.refused.empty())
            return op.type + ": " + a.name + ": " + a.refused + "() is not supported by nputwin";
        if (a.kind < 0)
            return op.type + ": " + a.name + ": the attribute has no type, as Int() or Float(0.5f)";
        if (a.option == ops::OPTIONAL && !a.has_default)
            return op.type + ": " + a.name + ": an OPTIONAL attribute needs a default, as Int(0)";
    }
    return "";
}

} // namespace nputwin::opp
#endif
