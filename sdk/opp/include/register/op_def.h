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
#include "../exe_graph/runtime/tiling_parse_context.h"
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>
/* What op_host leans on without including it itself. */
#include "securec.h"
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FollowType { ALL = 0, DTYPE, FORMAT, SHAPE };
enum class DependScope { ALL = 0, TILING };

using TilingFunc = ge::graphStatus (*)(gert::TilingContext *);
using TilingParseFunc = ge::graphStatus (*)(gert::TilingParseContext *);
using InferShapeFunc = ge::graphStatus (*)(gert::InferShapeContext *);
using InferDataTypeFunc = ge::graphStatus (*)(gert::InferDataTypeContext *);

enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = uint32_t(-1)
};
union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;

    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t v) : value_u64(v) {}
    explicit ScalarNum(int64_t v) : value_i64(v) {}
    explicit ScalarNum(float v) : value_f32(v) {}
};
/* A value as InitValue takes it; `number` is what the twin writes. */
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_DTYPE;
    ScalarNum scalar_num;
    double number = 0;

    ScalarVar() = default;
    ScalarVar(ScalarType t, uint64_t v) : scalar_type(t), scalar_num(v), number(double(v)) {}
    ScalarVar(ScalarType t, int64_t v) : scalar_type(t), scalar_num(v), number(double(v)) {}
    ScalarVar(ScalarType t, int v) : ScalarVar(t, int64_t(v)) {}
    ScalarVar(ScalarType t, unsigned v) : ScalarVar(t, uint64_t(v)) {}
    ScalarVar(ScalarType t, float v) : scalar_type(t), scalar_num(v), number(double(v)) {}
    ScalarVar(ScalarType t, double v) : ScalarVar(t, float(v)) {}
    bool operator==(const ScalarVar &o) const
    {
        return scalar_type == o.scalar_type && number == o.number;
    }
};

class OpParamDef {
public:
    explicit OpParamDef(const char *name) : name(name) {}

    OpParamDef &ParamType(Option o) { return Set(option, o); }
    OpParamDef &DataType(std::vector<ge::DataType> v) { return Set(types, std::move(v)); }
    OpParamDef &Format(std::vector<ge::Format> v) { return Set(formats, std::move(v)); }
    OpParamDef &DataTypeList(std::vector<ge::DataType> v) { return Set(type_list, std::move(v)); }
    OpParamDef &FormatList(std::vector<ge::Format> v) { return Set(format_list, std::move(v)); }
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format>) { return *this; } /* about graphs */
    OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> v)
    {
        return Set(bin_types, std::move(v));
    }
    OpParamDef &FormatForBinQuery(std::vector<ge::Format> v)
    {
        return Set(bin_formats, std::move(v));
    }
    OpParamDef &AutoContiguous() { return Set(strides, NPU_OPP_MAKE_CONTIGUOUS); }
    OpParamDef &IgnoreContiguous() { return Set(strides, NPU_OPP_PASS_STRIDES); }
    OpParamDef &Follow(const char *from, FollowType t = FollowType::ALL)
    {
        follow = from;
        return Set(follow_type, t);
    }
    OpParamDef &Comment(const char *) { return *this; }
    OpParamDef &ValueDepend(Option o, DependScope = DependScope::ALL)
    {
        needs_host = o == REQUIRED;
        return Set(form, NPU_OPP_VALUES);
    }
    OpParamDef &Scalar() { return Set(form, NPU_OPP_SCALAR); }
    OpParamDef &ScalarList() { return Set(form, NPU_OPP_SCALARS); }
    OpParamDef &To(ge::DataType t) { return Set(to_type, int(t)); }
    OpParamDef &To(const char *from) { return Set(to_input, from); }
    OpParamDef &Version(uint32_t v) { return Set(version, v); }
    OpParamDef &InitValue(uint64_t v) { return InitValue(ScalarVar(ScalarType::UINT64, v)); }
    OpParamDef &InitValue(const ScalarVar &v) { return Set(init, std::vector<ScalarVar>{v}); }
    OpParamDef &InitValue(const std::vector<ScalarVar> &v) { return Set(init, v); }
    OpParamDef &OutputShapeDependOnCompute() { return Set(sets_shape, true); }

    std::string name, follow;
    Option option = REQUIRED;
    FollowType follow_type = FollowType::ALL;
    npu_opp_strides strides = NPU_OPP_REFUSE_STRIDES;
    std::vector<ge::DataType> types, type_list;
    std::vector<ge::Format> formats, format_list;
    std::vector<ge::DataType> bin_types; /* of the variant whose kernel this one shares */
    std::vector<ge::Format> bin_formats;
    npu_opp_form form = NPU_OPP_TENSOR;
    bool needs_host = false;
    int to_type = -1;     /* ge::DataType */
    std::string to_input; /* the type of this input */
    uint32_t version = 0; /* of the aclnn function that takes it first */
    std::vector<ScalarVar> init;
    bool sets_shape = false;

private:
    template <class T, class V> OpParamDef &Set(T &field, V &&value)
    {
        field = std::forward<V>(value);
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
    OpAttrDef &ListListInt() { return Kind(NPU_OPP_LIST_LIST_INT); }
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> v)
    {
        int_lists = std::move(v);
        return Default(NPU_OPP_LIST_LIST_INT);
    }
    OpAttrDef &Version(uint32_t v)
    {
        version = v;
        return *this;
    }
    OpAttrDef &Comment(const char *) { return *this; }
    bool IsRequired() const { return option == REQUIRED; }

    std::string name, s;
    uint32_t version = 0;
    std::vector<std::vector<int64_t>> int_lists;
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
};

/* What one chip has: flags, which are about graphs, and inputs and outputs of its own, which then
 * stand for those of the same name in the OpDef. */
class OpAICoreConfig {
public:
    OpAICoreConfig() = default;
    explicit OpAICoreConfig(const char *) {}
    OpParamDef &Input(const char *name) { return Own(inputs, name); }
    OpParamDef &Output(const char *name) { return Own(outputs, name); }
    OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig &ExtendCfgInfo(const char *, const char *) { return *this; }

    std::deque<OpParamDef> inputs, outputs;

private:
    static OpParamDef &Own(std::deque<OpParamDef> &list, const char *name)
    {
        for (OpParamDef &p : list)
            if (p.name == name)
                return p;
        return list.emplace_back(name);
    }
};

class OpAICoreDef {
public:
    OpAICoreDef &SetTiling(TilingFunc f)
    {
        tiling = f;
        return *this;
    }
    OpAICoreDef &SetTilingParse(TilingParseFunc f)
    {
        parse = f;
        return *this;
    }
    /* About graphs: what the aclnn functions do not ask. */
    template <class F> OpAICoreDef &SetCheckSupport(F) { return *this; }
    template <class F> OpAICoreDef &SetOpSelectFormat(F) { return *this; }
    template <class F> OpAICoreDef &SetOpSupportInfo(F) { return *this; }
    template <class F> OpAICoreDef &SetOpSpecInfo(F) { return *this; }
    template <class F> OpAICoreDef &SetParamGeneralize(F) { return *this; }
    OpAICoreDef &LaunchWithZeroEleOutputTensors(bool flag)
    {
        runs_empty = flag;
        return *this;
    }
    OpAICoreDef &AddConfig(const char *unit) { return AddConfig(unit, OpAICoreConfig()); }
    OpAICoreDef &AddConfig(const char *unit, const OpAICoreConfig &config)
    {
        configs.push_back({unit, config});
        return *this;
    }

    TilingFunc tiling = nullptr;
    TilingParseFunc parse = nullptr;
    void *(*make_compile_info)() = nullptr; /* the structure that `parse` fills in */
    bool runs_empty = false;
    std::vector<std::pair<std::string, OpAICoreConfig>> configs;
};

enum class FormatCheckOption { DEFAULT = 0, STRICT = 1, MAX = 2 };
enum class ItemFindStatus { ITEM_FIND = 0, ITEM_NOEXIST };
enum class CommentSection { CATEGORY = 0, BRIEF = 1, CONSTRAINTS = 2, RESTRICTIONS = 3, SEE = 4 };

/* An operator of a processor that the twin has not: its words are taken, the OpDef is refused. */
class OtherCores {
public:
    OtherCores &OpKernelLib(const char *) { return *this; }
    OtherCores &Engine(const char *) { return *this; }
    OtherCores &FlagPartial(bool) { return *this; }
    OtherCores &FlagAsync(bool) { return *this; }
    OtherCores &KernelSo(const char *) { return *this; }
    OtherCores &FunctionName(const char *) { return *this; }
    OtherCores &UserDefined(bool) { return *this; }
    OtherCores &ComputeCost(const char *) { return *this; }
    OtherCores &ExtendCfgInfo(const char *, const char *) { return *this; }
    OtherCores &HcclGroup(const char *) { return *this; }
    OtherCores &HcclGroup(std::vector<const char *>) { return *this; }
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
    /* About graphs, or only words. */
    OpDef &Comment(const char *) { return *this; }
    template <class S> OpDef &Comment(S, const char *) { return *this; }
    template <class F> OpDef &SetInferShapeRange(F) { return *this; }
    OpDef &EnableFallBack() { return *this; }
    OpDef &FormatMatchMode(FormatCheckOption) { return *this; }
    /* Known and not done by the twin: op_check.h refuses them by name. */
    OtherCores &AICPU() { return Other("AICPU"); }
    OtherCores &HostCPU() { return Other("HostCPU"); }
    OtherCores &MC2() { return Other("MC2"); }

    std::string type;
    std::deque<OpParamDef> inputs, outputs; /* the references that were handed out stay good */
    std::deque<OpAttrDef> attrs;
    OpAICoreDef aicore;
    InferShapeFunc infer_shape = nullptr;
    InferDataTypeFunc infer_type = nullptr;
    std::string refused; /* the first word that the twin does not do */

private:
    OtherCores &Other(const char *word)
    {
        refused = refused.empty() ? word : refused;
        return other_;
    }
    OtherCores other_;
};

} // namespace ops
#endif
