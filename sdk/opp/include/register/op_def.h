/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_def.h - ops::OpDef: what an operator takes, written down by its constructor.
 *
 * The same definition is read twice: by the code generator when a project is configured, which
 * refuses what the twin does not do (op_check.h), and by op_table.h in the finished library.
 */
#ifndef NPUTWIN_OP_DEF_H
#define NPUTWIN_OP_DEF_H
#include "../exe_graph/runtime/infer_datatype_context.h"
#include "../exe_graph/runtime/infer_shape_context.h"
#include "../exe_graph/runtime/tiling_context.h"
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FollowType { ALL = 0, DTYPE, FORMAT, SHAPE };
enum class DependScope { ALL = 0, TILING };

using TilingFunc = ge::graphStatus (*)(gert::TilingContext *);
using InferShapeFunc = ge::graphStatus (*)(gert::InferShapeContext *);
using InferDataTypeFunc = ge::graphStatus (*)(gert::InferDataTypeContext *);

class OpParamDef {
public:
    explicit OpParamDef(const char *name) : name(name) {}

    OpParamDef &ParamType(Option o) { return Set(option, o); }
    OpParamDef &DataType(std::vector<ge::DataType> v) { return Set(types, std::move(v)); }
    OpParamDef &Format(std::vector<ge::Format> v) { return Set(formats, std::move(v)); }
    OpParamDef &DataTypeList(std::vector<ge::DataType> v) { return Set(type_list, std::move(v)); }
    OpParamDef &FormatList(std::vector<ge::Format> v) { return Set(format_list, std::move(v)); }
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
    OpParamDef &AutoContiguous() { return Set(strides, NPU_OPP_MAKE_CONTIGUOUS); }
    OpParamDef &IgnoreContiguous() { return Set(strides, NPU_OPP_PASS_STRIDES); }
    OpParamDef &Follow(const char *from, FollowType t = FollowType::ALL)
    {
        follow = from;
        return Set(follow_type, t);
    }
    OpParamDef &Comment(const char *) { return *this; }
    /* Known and not done by the twin: op_check.h refuses them by name. */
    OpParamDef &ValueDepend(Option, DependScope = DependScope::ALL)
    {
        return Refuse("ValueDepend");
    }
    OpParamDef &Scalar() { return Refuse("Scalar"); }
    OpParamDef &ScalarList() { return Refuse("ScalarList"); }
    OpParamDef &To(ge::DataType) { return Refuse("To"); }
    OpParamDef &To(const char *) { return Refuse("To"); }
    OpParamDef &Version(uint32_t) { return Refuse("Version"); }
    OpParamDef &InitValue(uint64_t) { return Refuse("InitValue"); }
    OpParamDef &OutputShapeDependOnCompute() { return Refuse("OutputShapeDependOnCompute"); }

    std::string name, follow;
    Option option = REQUIRED;
    FollowType follow_type = FollowType::ALL;
    npu_opp_strides strides = NPU_OPP_REFUSE_STRIDES;
    std::vector<ge::DataType> types, type_list;
    std::vector<ge::Format> formats, format_list;
    std::string refused; /* the first word that the twin does not do */

private:
    template <class T, class V> OpParamDef &Set(T &field, V &&value)
    {
        field = std::forward<V>(value);
        return *this;
    }
    OpParamDef &Refuse(const char *word)
    {
        if (refused.empty())
            refused = word;
        return *this;
    }
};

class OpAttrDef {
public:
    explicit OpAttrDef(const char *name) : name(name) {}

    OpAttrDef &AttrType(Option o)
    {
        option = o;
        return *this;
    }
    OpAttrDef &Bool() { return Kind(NPU_OPP_BOOL); }
    OpAttrDef &Bool(bool v)
    {
        i = v;
        return Default(NPU_OPP_BOOL);
    }
    OpAttrDef &Int() { return Kind(NPU_OPP_INT); }
    OpAttrDef &Int(int64_t v)
    {
        i = v;
        return Default(NPU_OPP_INT);
    }
    OpAttrDef &Float() { return Kind(NPU_OPP_FLOAT); }
    OpAttrDef &Float(float v)
    {
        f = v;
        return Default(NPU_OPP_FLOAT);
    }
    OpAttrDef &String() { return Kind(NPU_OPP_STRING); }
    OpAttrDef &String(const char *v)
    {
        s = v;
        return Default(NPU_OPP_STRING);
    }
    OpAttrDef &ListBool() { return Kind(NPU_OPP_LIST_BOOL); }
    OpAttrDef &ListBool(std::vector<bool> v)
    {
        bools.assign(v.begin(), v.end());
        return Default(NPU_OPP_LIST_BOOL);
    }
    OpAttrDef &ListInt() { return Kind(NPU_OPP_LIST_INT); }
    OpAttrDef &ListInt(std::vector<int64_t> v)
    {
        ints = std::move(v);
        return Default(NPU_OPP_LIST_INT);
    }
    OpAttrDef &ListFloat() { return Kind(NPU_OPP_LIST_FLOAT); }
    OpAttrDef &ListFloat(std::vector<float> v)
    {
        floats = std::move(v);
        return Default(NPU_OPP_LIST_FLOAT);
    }
    OpAttrDef &ListListInt() { return Refuse("ListListInt"); }
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>>) { return Refuse("ListListInt"); }
    OpAttrDef &Version(uint32_t) { return Refuse("Version"); }
    OpAttrDef &Comment(const char *) { return *this; }
    bool IsRequired() const { return option == REQUIRED; }

    std::string name, s, refused;
    Option option = REQUIRED;
    int kind = -1; /* npu_opp_attr_kind */
    bool has_default = false;
    int64_t i = 0;
    float f = 0;
    std::vector<int64_t> ints;
    std::vector<float> floats;
    std::vector<uint8_t> bools; /* std::vector<bool> has no bytes to point at */

private:
    OpAttrDef &Kind(npu_opp_attr_kind k)
    {
        kind = k;
        return *this;
    }
    OpAttrDef &Default(npu_opp_attr_kind k)
    {
        has_default = true;
        return Kind(k);
    }
    OpAttrDef &Refuse(const char *word)
    {
        refused = word;
        return *this;
    }
};

/* Flags of a chip. Those about graphs say nothing here; parameters of its own are refused. */
class OpAICoreConfig {
public:
    OpAICoreConfig() = default;
    explicit OpAICoreConfig(const char *) {}
    OpParamDef &Input(const char *name) { return Own(name); }
    OpParamDef &Output(const char *name) { return Own(name); }
    OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig &ExtendCfgInfo(const char *, const char *) { return *this; }

    std::deque<OpParamDef> own;

private:
    OpParamDef &Own(const char *name) { return own.emplace_back(name); }
};

class OpAICoreDef {
public:
    OpAICoreDef &SetTiling(TilingFunc f)
    {
        tiling = f;
        return *this;
    }
    void AddConfig(const char *unit) { units.push_back(unit); }
    void AddConfig(const char *unit, const OpAICoreConfig &config)
    {
        units.push_back(unit);
        has_own_params |= !config.own.empty();
    }

    TilingFunc tiling = nullptr;
    std::vector<std::string> units;
    bool has_own_params = false;
};

class OpDef {
public:
    explicit OpDef(const char *type) : type(type) {}
    virtual ~OpDef() = default;

    OpParamDef &Input(const char *name) { return inputs.emplace_back(name); }
    OpParamDef &Output(const char *name) { return outputs.emplace_back(name); }
    OpAttrDef &Attr(const char *name) { return attrs.emplace_back(name); }
    OpAICoreDef &AICore() { return aicore; }
    OpDef &SetInferShape(InferShapeFunc f)
    {
        infer_shape = f;
        return *this;
    }
    OpDef &SetInferDataType(InferDataTypeFunc f)
    {
        infer_type = f;
        return *this;
    }
    OpDef &Comment(const char *) { return *this; }
    OpDef &EnableFallBack() { return *this; } /* about graphs */

    std::string type;
    std::deque<OpParamDef> inputs, outputs; /* the references that were handed out stay good */
    std::deque<OpAttrDef> attrs;
    OpAICoreDef aicore;
    InferShapeFunc infer_shape = nullptr;
    InferDataTypeFunc infer_type = nullptr;
};

} // namespace ops
#endif
