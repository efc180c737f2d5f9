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
#include <set>

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

    if (!from || from == &p)
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

/* ---- chips ---- */

struct unit {
    const char *name;
    int arch;
};
#define NPU_OPP_UNIT(name, arch) {#name, arch},
constexpr unit UNITS[] = {NPU_OPP_UNIT_ROWS(NPU_OPP_UNIT)};
#undef NPU_OPP_UNIT
constexpr size_t N_UNITS = sizeof UNITS / sizeof *UNITS;

/* The parameters as one chip has them, behind those of the OpDef: more variants. A parameter that
 * the chip does not name keeps its own. written: the OpDef before expand(). Returns the chips that
 * have each variant. */
inline std::vector<uint8_t> add_chips(ops::OpDef &op, const ops::OpDef &written)
{
    std::vector<uint8_t> units(n_variants(op), uint8_t((1u << N_UNITS) - 1));

    for (const auto &[name, config] : op.aicore.configs) {
        ops::OpDef chip = written;
        uint8_t bit = 0;

        for (size_t u = 0; u < N_UNITS; u++)
            if (name == UNITS[u].name)
                bit = uint8_t(1u << u);
        if ((config.inputs.empty() && config.outputs.empty()) || !bit)
            continue;
        auto replace = [](std::deque<ops::OpParamDef> &to, const std::deque<ops::OpParamDef> &own) {
            for (const ops::OpParamDef &p : own) {
                ops::OpParamDef *old = find_param(to, p.name);

                if (!old)
                    continue;
                old->follow = p.follow;
                old->follow_type = p.follow_type;
                old->types = p.types;
                old->formats = p.formats;
                old->type_list = p.type_list;
                old->format_list = p.format_list;
                old->bin_types = p.bin_types;
                old->bin_formats = p.bin_formats;
            }
        };
        replace(chip.inputs, config.inputs);
        replace(chip.outputs, config.outputs);
        /* One that is not named: as many combinations as the others, when it has one only. */
        expand(chip);
        const size_t n = n_variants(chip);
        for (auto params : {std::make_pair(&op.inputs, &chip.inputs),
                            std::make_pair(&op.outputs, &chip.outputs)}) {
            for (size_t i = 0; i < params.first->size(); i++) {
                ops::OpParamDef &to = (*params.first)[i], &from = (*params.second)[i];

                if (from.types.size() == 1)
                    from.types.resize(n, from.types[0]);
                to.types.insert(to.types.end(), from.types.begin(), from.types.end());
                to.formats.insert(to.formats.end(), from.formats.begin(), from.formats.end());
                to.bin_types.clear(); /* counted per chip: not kept across chips */
                to.bin_formats.clear();
            }
        }
        for (uint8_t &u : units)
            u = uint8_t(u & ~bit);
        units.insert(units.end(), n, bit);
    }
    return units;
}

/* Which variant's kernel each variant runs: DataTypeForBinQuery, FormatForBinQuery. A combination
 * that is none of the listed ones changes nothing. */
inline std::vector<uint16_t> kernels_of(const ops::OpDef &op)
{
    const size_t n = n_variants(op);
    std::vector<uint16_t> of(n);

    for (size_t v = 0; v < n; v++) {
        of[v] = uint16_t(v);
        for (size_t w = 0; w < n; w++) {
            bool same = true;

            for (const auto *params : {&op.inputs, &op.outputs})
                for (const ops::OpParamDef &p : *params)
                    same &=
                        (p.bin_types.size() == n ? p.bin_types : p.types)[v] == p.types[w] &&
                        (p.bin_formats.size() == n ? p.bin_formats : p.formats)[v] == p.formats[w];
            if (same) {
                of[v] = uint16_t(w);
                break;
            }
        }
    }
    return of;
}

/* ---- what is wrong ---- */

inline bool is_input(const ops::OpDef &op, const std::string &name)
{
    for (const ops::OpParamDef &p : op.inputs)
        if (p.name == name)
            return true;
    return false;
}

/* An array of the host: all floats, all bools, or integers with int64 among them. */
inline std::string check_values(const ops::OpParamDef &p)
{
    size_t floats = 0, bools = 0, longs = 0, integers = 0;

    for (ge::DataType t : p.types) {
        floats += t == ge::DT_FLOAT;
        bools += t == ge::DT_BOOL;
        longs += t == ge::DT_INT64;
        integers += t == ge::DT_INT8 || t == ge::DT_INT16 || t == ge::DT_INT32 ||
                    t == ge::DT_INT64 || t == ge::DT_UINT8 || t == ge::DT_UINT16 ||
                    t == ge::DT_UINT32 || t == ge::DT_UINT64;
    }
    if (floats == p.types.size() || bools == p.types.size() ||
        (integers == p.types.size() && longs))
        return "";
    return "ValueDepend() needs DT_FLOAT only, DT_BOOL only, or integers with DT_INT64 among them";
}

inline std::string check_form(const ops::OpDef &op, const ops::OpParamDef &p, bool is_out)
{
    const bool is_scalar = p.form == NPU_OPP_SCALAR || p.form == NPU_OPP_SCALARS;

    if (is_out && p.form == NPU_OPP_VALUES)
        return "ValueDepend() is for inputs";
    if (!is_out && p.form != NPU_OPP_TENSOR && p.option == ops::DYNAMIC)
        return "ParamType(DYNAMIC) is a list of tensors; ValueDepend(), Scalar() and ScalarList() "
               "are no tensors";
    if (!is_out && p.form == NPU_OPP_VALUES)
        return check_values(p);
    if (!is_scalar && (p.to_type >= 0 || !p.to_input.empty()))
        return "To() is for Scalar() and ScalarList()";
    if (!p.to_input.empty() && !is_input(op, p.to_input))
        return "To(\"" + p.to_input + "\"): there is no such input";
    if ((!p.bin_types.empty() && p.bin_types.size() != p.types.size()) ||
        (!p.bin_formats.empty() && p.bin_formats.size() != p.formats.size()))
        return "DataTypeForBinQuery() and FormatForBinQuery() list as many as the parameter has";
    if (p.sets_shape && (!is_out || p.option == ops::DYNAMIC || is_input(op, p.name)))
        return "OutputShapeDependOnCompute() is for outputs that are one tensor and no input as "
               "well";
    if (!p.init.empty() && !is_out)
        return "InitValue() is for outputs";
    if (p.init.size() > 1 && p.init.size() != n_variants(op))
        return "InitValue() lists " + std::to_string(p.init.size()) + " values for " +
               std::to_string(n_variants(op)) + " data types";
    if (p.version && p.option != ops::OPTIONAL)
        return "Version() is for an OPTIONAL input";
    return "";
}

/* "" when fine; else what is wrong, and what to do. For an expanded OpDef. */
inline std::string check_param(const ops::OpDef &op, const ops::OpParamDef &p, bool is_out)
{
    const std::string who = op.type + ": " + p.name + ": ";
    const size_t n = n_variants(op);
    const std::string why = check_form(op, p, is_out);

    if (p.option != ops::REQUIRED && p.option != ops::OPTIONAL && p.option != ops::DYNAMIC)
        return who + "ParamType must be REQUIRED, OPTIONAL or DYNAMIC";
    if (p.types.size() != n || p.formats.size() != n)
        return who + "lists " + std::to_string(p.types.size()) + " data types and " +
               std::to_string(p.formats.size()) + " formats; the first parameter has " +
               std::to_string(n) +
               " types, and position i of all lists together is one combination";
    return why.empty() ? "" : who + why;
}

inline std::string check_attr(const ops::OpDef &op, const ops::OpAttrDef &a)
{
    const std::string who = op.type + ": " + a.name + ": ";

    if (a.kind < 0)
        return who + "the attribute has no type, as Int() or Float(0.5f)";
    if (a.option == ops::OPTIONAL && !a.has_default)
        return who + "an OPTIONAL attribute needs a default, as Int(0)";
    if (a.version && !a.has_default)
        return who + "Version() is for an OPTIONAL attribute: functions without it use the default";
    if (a.kind == NPU_OPP_LIST_LIST_INT && !a.has_default)
        return who + "no aclnn function can take a ListListInt(); give it a default";
    return "";
}

/* The numbers of its aclnn functions: 0 for the one without, and what the parameters name. */
inline std::set<uint32_t> versions_of(const ops::OpDef &op)
{
    std::set<uint32_t> found = {0};

    for (const ops::OpParamDef &p : op.inputs)
        found.insert(p.version);
    for (const ops::OpAttrDef &a : op.attrs)
        found.insert(a.version);
    return found;
}

inline std::string check(const ops::OpDef &op)
{
    std::string why;

    if (op.refused == "MC2")
        return op.type + ": MC2(): kernels that communicate are not computed; call a collective "
                         "between two kernels";
    if (!op.refused.empty())
        return op.type + ": " + op.refused +
               "(): the twin has AI Cores only; give the operator AICore().SetTiling(...) and "
               "a kernel";
    if (op.outputs.empty())
        return op.type + ": it has no Output";
    if (!op.aicore.tiling)
        return op.type + ": AICore().SetTiling(...) is missing";
    if (!n_variants(op))
        return op.type + ": no parameter has a DataType";
    for (const auto *params : {&op.inputs, &op.outputs}) {
        for (const ops::OpParamDef &p : *params) {
            if (!why.empty())
                return why;
            why = check_param(op, p, params == &op.outputs);
        }
    }
    for (const ops::OpParamDef &p : op.inputs)
        if (!p.follow.empty() && p.follow_type == ops::FollowType::SHAPE)
            return op.type + ": " + p.name + ": an input cannot follow a shape";
    for (const ops::OpAttrDef &a : op.attrs)
        if (why.empty())
            why = check_attr(op, a);
    return why;
}

} // namespace nputwin::opp
#endif
