/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_table.h - the operators that OP_ADD listed, as the tables of nputwin/opp.h.
 *
 * Made when somebody asks for the first time and kept for the life of the library.
 */
#ifndef NPUTWIN_OP_TABLE_H
#define NPUTWIN_OP_TABLE_H
#include "op_check.h"
#include "op_def_registry.h"
#include "op_impl_registry.h"

namespace nputwin::opp {

struct op_rows {
    explicit op_rows(ops::OpDef d) : def(std::move(d))
    {
        fill_in(def);
        const ops::OpDef written = def;
        expand(def);
        units = add_chips(def, written);
        kernel_of = kernels_of(def);
        take(def.inputs, in, false);
        take(def.outputs, out, true);
        for (const ops::OpAttrDef &a : def.attrs)
            attrs.push_back(attr_of(a));
        row.units = units.data();
        row.kernel_of = kernel_of.data();
        row.runs_empty = def.aicore.runs_empty;
        row.type = def.type.c_str();
        row.n_in = uint16_t(in.size());
        row.n_out = uint16_t(out.size());
        row.n_attrs = uint16_t(attrs.size());
        row.n_variants = uint16_t(n_variants(def));
        row.in = in.data();
        row.out = out.data();
        row.attrs = attrs.data();
        /* A context is an npu_opp_call with methods. */
        row.tiling = reinterpret_cast<npu_opp_host_fn *>(def.aicore.tiling);
        row.infer_shape = reinterpret_cast<npu_opp_host_fn *>(def.infer_shape);
        row.infer_type = reinterpret_cast<npu_opp_host_fn *>(def.infer_type);
        row.compile_info = parsed();
    }
    op_rows(const op_rows &) = delete;

    npu_opp_op row = {};

private:
    /* Kept as long as the rows are. A TilingParse that fails leaves its operator without. */
    const void *parsed() const
    {
        if (!def.aicore.make_compile_info)
            return nullptr;
        void *info = def.aicore.make_compile_info();
        gert::TilingParseContext context(&row, info);

        return !def.aicore.parse || def.aicore.parse(&context) == ge::GRAPH_SUCCESS ? info
                                                                                    : nullptr;
    }
    void take(const std::deque<ops::OpParamDef> &from, std::vector<npu_opp_param> &to, bool is_out)
    {
        bool any_contiguous = false;

        for (const ops::OpParamDef &p : from)
            any_contiguous |= p.strides == NPU_OPP_MAKE_CONTIGUOUS;
        for (const ops::OpParamDef &p : from) {
            npu_opp_param r = {};

            r.name = p.name.c_str();
            r.option = p.option == ops::OPTIONAL ? NPU_OPP_OPTIONAL : NPU_OPP_REQUIRED;
            r.form = uint8_t(p.option == ops::DYNAMIC ? NPU_OPP_TENSORS
                             : is_out                 ? NPU_OPP_TENSOR
                                                      : p.form);
            r.needs_host = p.needs_host;
            r.sets_shape = p.sets_shape;
            r.to = p.to_type >= 0       ? numbers(std::vector<int>(p.types.size(), p.to_type))
                   : p.to_input.empty() ? nullptr
                                        : numbers(find_param(def.inputs, p.to_input)->types);
            r.init = p.init.empty() ? nullptr : init_of(p);
            r.strides = uint8_t(p.strides);
            if (any_contiguous && !is_out && p.strides == NPU_OPP_REFUSE_STRIDES)
                r.strides = NPU_OPP_MAKE_CONTIGUOUS;
            r.same_as = is_out ? number_of(p.name) : int16_t(-1);
            r.shape_of = is_out && (p.follow_type == ops::FollowType::ALL ||
                                    p.follow_type == ops::FollowType::SHAPE)
                             ? root_of(p.follow)
                             : int16_t(-1);
            r.types = numbers(p.types);
            r.formats = numbers(p.formats);
            to.push_back(r);
        }
    }
    int16_t number_of(const std::string &input) const
    {
        for (size_t i = 0; i < def.inputs.size(); i++)
            if (def.inputs[i].name == input)
                return int16_t(i);
        return -1;
    }
    /* The input at the end of a chain of Follow. */
    int16_t root_of(std::string name) const
    {
        int16_t at = number_of(name);

        for (size_t steps = 0; at >= 0 && steps < def.inputs.size(); steps++) {
            const ops::OpParamDef &p = def.inputs[size_t(at)];

            if (p.follow.empty() || p.follow_type != ops::FollowType::ALL)
                break;
            at = number_of(p.follow);
        }
        return at;
    }
    const double *init_of(const ops::OpParamDef &p)
    {
        std::vector<double> v;

        for (size_t i = 0; i < p.types.size(); i++)
            v.push_back(p.init[p.init.size() == 1 ? 0 : i].number);
        inits.push_back(std::move(v));
        return inits.back().data();
    }
    template <class T> const int32_t *numbers(const std::vector<T> &v)
    {
        lists.emplace_back(v.begin(), v.end());
        return lists.back().data();
    }
    npu_opp_attr attr_of(const ops::OpAttrDef &a)
    {
        npu_opp_attr r = {a.name.c_str(), uint8_t(a.kind), !a.has_default, {}};

        switch (a.kind) {
        case NPU_OPP_BOOL:
            r.def.b = a.i != 0;
            break;
        case NPU_OPP_INT:
            r.def.i = a.i;
            break;
        case NPU_OPP_FLOAT:
            r.def.f = a.f;
            break;
        case NPU_OPP_STRING:
            r.def.s = a.s.c_str();
            break;
        case NPU_OPP_LIST_INT:
            r.def.list = {a.ints.size(), a.ints.data()};
            break;
        case NPU_OPP_LIST_FLOAT:
            r.def.list = {a.floats.size(), a.floats.data()};
            break;
        case NPU_OPP_LIST_LIST_INT:
            int_lists.emplace_back();
            for (const auto &l : a.int_lists)
                int_lists.back().push_back({l.size(), l.data()});
            r.def.list = {a.int_lists.size(), int_lists.back().data()};
            break;
        default:
            r.def.list = {a.bools.size(), a.bools.data()};
            break;
        }
        return r;
    }

    ops::OpDef def;
    std::vector<npu_opp_param> in, out;
    std::vector<npu_opp_attr> attrs;
    std::deque<std::vector<int32_t>> lists;
    std::deque<std::vector<double>> inits;
    std::deque<std::vector<npu_opp_list>> int_lists;
    std::vector<uint8_t> units;
    std::vector<uint16_t> kernel_of;
};

/* All operators of this library. */
__attribute__((visibility("hidden"))) inline const std::vector<const npu_opp_op *> &rows()
{
    static const std::vector<const npu_opp_op *> list = [] {
        auto *keep = new std::deque<op_rows>; /* for the life of the process */
        std::vector<const npu_opp_op *> l;

        for (const added &a : registry())
            l.push_back(&keep->emplace_back(a.make(a.type)).row);
        return l;
    }();

    return list;
}

} // namespace nputwin::opp
#endif
