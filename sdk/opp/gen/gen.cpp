/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.cpp - what npu_op_code_gen writes from the OpDefs of a project.
 *
 * Compiled together with op_host when a project is configured, and run as: gen <out dir> <plan>.
 *   aclnn_<op>.h, aclnn_<op>.cpp   the two functions of an operator, typed
 *   kernel/<op>_<variant>.asc      text around its kernel: DTYPE_X, ORIG_DTYPE_X, FORMAT_X
 *   <plan>                         a line an operator for CMake: Type|name|units|chip:variants ...
 */
#include "ascendc/host_api/tiling/template_argument.h"
#include "register/op_check.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace {

using nputwin::opp::is_input;
using nputwin::opp::registry;
using ops::OpAttrDef;
using ops::OpDef;
using ops::OpParamDef;

[[noreturn]] void refuse(const std::string &why)
{
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

bool upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }

/* AddCustom -> add_custom, GRUCell -> gru_cell, Conv2DCustom -> conv2_d_custom */
std::string snake(const std::string &type)
{
    std::string out;

    for (size_t i = 0; i < type.size(); i++) {
        const bool before = i && !upper(type[i - 1]);
        const bool behind = i && i + 1 < type.size() && std::islower(type[i + 1]);

        if (i && upper(type[i]) && (before || behind))
            out += '_';
        out += char(std::tolower(static_cast<unsigned char>(type[i])));
    }
    return out;
}

std::string capital(std::string s)
{
    for (char &c : s)
        c = char(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

/* Files that did not change keep their time, so that nothing is compiled again. */
void write(const std::string &path, const std::string &text)
{
    std::ifstream old(path);
    std::stringstream is;

    is << old.rdbuf();
    if (old && is.str() == text)
        return;
    std::ofstream file(path);
    file << text;
    if (!file.flush())
        refuse(path + ": cannot be written");
}

/* ---- types ---- */

struct type_row {
    ge::DataType type;
    const char *word, *ctype;
};
const type_row TYPES[] = {
    {ge::DT_FLOAT, "DT_FLOAT", "float"},      {ge::DT_FLOAT16, "DT_FLOAT16", "half"},
    {ge::DT_INT8, "DT_INT8", "int8_t"},       {ge::DT_INT32, "DT_INT32", "int32_t"},
    {ge::DT_UINT8, "DT_UINT8", "uint8_t"},    {ge::DT_INT16, "DT_INT16", "int16_t"},
    {ge::DT_UINT16, "DT_UINT16", "uint16_t"}, {ge::DT_UINT32, "DT_UINT32", "uint32_t"},
    {ge::DT_INT64, "DT_INT64", "int64_t"},    {ge::DT_UINT64, "DT_UINT64", "uint64_t"},
    {ge::DT_DOUBLE, "DT_DOUBLE", "double"},   {ge::DT_BOOL, "DT_BOOL", "bool"},
    {ge::DT_BF16, "DT_BF16", "bfloat16_t"},   {ge::DT_HIFLOAT8, "DT_HIFLOAT8", "hifloat8_t"},
};
struct format_row {
    ge::Format format;
    const char *word;
};
const format_row FORMATS[] = {
    {ge::FORMAT_NCHW, "FORMAT_NCHW"},   {ge::FORMAT_NHWC, "FORMAT_NHWC"},
    {ge::FORMAT_ND, "FORMAT_ND"},       {ge::FORMAT_NDHWC, "FORMAT_NDHWC"},
    {ge::FORMAT_NCDHW, "FORMAT_NCDHW"}, {ge::FORMAT_NCL, "FORMAT_NCL"},
};

const type_row &type_of(const OpDef &op, const OpParamDef &p, size_t v)
{
    for (const type_row &r : TYPES)
        if (r.type == p.types[v])
            return r;
    refuse(op.type + ": " + p.name + ": data type " + std::to_string(p.types[v]) +
           " is not supported by nputwin in an operator project");
}

const char *format_of(const OpDef &op, const OpParamDef &p, size_t v)
{
    for (const format_row &r : FORMATS)
        if (r.format == p.formats[v])
            return r.word;
    refuse(op.type + ": " + p.name + ": format " + std::to_string(p.formats[v]) +
           " is not supported by nputwin; it has plain formats only (ND, NCHW, NHWC, NCL, NCDHW)");
}

/* ---- aclnn functions ---- */

const char *attr_type(const OpAttrDef &a)
{
    switch (a.kind) {
    case NPU_OPP_BOOL:
        return "bool ";
    case NPU_OPP_INT:
        return "int64_t ";
    case NPU_OPP_FLOAT:
        return "double ";
    case NPU_OPP_STRING:
        return "const char *";
    case NPU_OPP_LIST_BOOL:
        return "const aclBoolArray *";
    case NPU_OPP_LIST_INT:
        return "const aclIntArray *";
    default:
        return "const aclFloatArray *";
    }
}

const char *attr_field(const OpAttrDef &a)
{
    return a.kind == NPU_OPP_BOOL || a.kind == NPU_OPP_INT ? "i"
           : a.kind == NPU_OPP_FLOAT                       ? "d"
                                                           : "p";
}

std::string tensor_name(const OpDef &op, const OpParamDef &p, bool is_out)
{
    const bool optional = p.option == ops::OPTIONAL;

    if (is_out)
        return p.name + "Out";
    for (const OpParamDef &o : op.outputs)
        if (o.name == p.name)
            return p.name + "Ref";
    return p.name + (optional ? "Optional" : "");
}

const char *tensor_type(const OpParamDef &p, bool is_out)
{
    if (p.option == ops::DYNAMIC)
        return "const aclTensorList *";
    switch (is_out ? NPU_OPP_TENSOR : p.form) {
    case NPU_OPP_VALUES:
        return p.types[0] == ge::DT_FLOAT  ? "const aclFloatArray *"
               : p.types[0] == ge::DT_BOOL ? "const aclBoolArray *"
                                           : "const aclIntArray *";
    case NPU_OPP_SCALAR:
        return "const aclScalar *";
    case NPU_OPP_SCALARS:
        return "const aclScalarList *";
    default:
        return "const aclTensor *";
    }
}

/* What a function that does not take this attribute yet passes on. */
std::string default_of(const OpAttrDef &a)
{
    char number[64];

    if (a.kind == NPU_OPP_FLOAT) {
        std::snprintf(number, sizeof number, "%a", double(a.f));
        return number;
    }
    return a.kind == NPU_OPP_BOOL || a.kind == NPU_OPP_INT ? std::to_string(a.i) : "nullptr";
}

struct text {
    std::string params, values;
};
/* Of the function with this version number: later parameters are absent, or their default. */
text arguments(const OpDef &op, uint32_t version)
{
    text t;
    auto add = [&](const std::string &type, const std::string &name, const char *field) {
        t.params += "    " + type + name + ",\n";
        t.values += std::string("    v[n++].") + field + " = " + name + ";\n";
    };

    for (const OpParamDef &p : op.inputs) {
        if (p.version > version)
            t.values += "    v[n++].p = nullptr;\n";
        else
            add(tensor_type(p, false), tensor_name(op, p, false), "p");
    }
    for (const OpAttrDef &a : op.attrs) {
        if (a.version > version || a.kind == NPU_OPP_LIST_LIST_INT)
            t.values += std::string("    v[n++].") + attr_field(a) + " = " + default_of(a) + ";\n";
        else
            add(attr_type(a), a.name, attr_field(a));
    }
    for (const OpParamDef &p : op.outputs)
        if (!is_input(op, p.name))
            add(tensor_type(p, true), tensor_name(op, p, true), "p");
    return t;
}

const char HEAD[] = "/* Written by npu_op_code_gen. */\n";

/* aclnnAddCustom, aclnnAddCustomV1, ... */
std::string function_name(const OpDef &op, uint32_t version)
{
    return "aclnn" + op.type + (version ? "V" + std::to_string(version) : "");
}
std::string phase_one(const OpDef &op, uint32_t version)
{
    return "aclnnStatus " + function_name(op, version) + "GetWorkspaceSize(\n" +
           arguments(op, version).params +
           "    uint64_t *workspaceSize,\n    aclOpExecutor **executor)";
}
std::string phase_two(const OpDef &op, uint32_t version)
{
    return "aclnnStatus " + function_name(op, version) +
           "(\n    void *workspace,\n    uint64_t workspaceSize,\n    aclOpExecutor *executor,\n"
           "    aclrtStream stream)";
}

void write_header(const std::string &dir, const OpDef &op)
{
    const std::string guard = "ACLNN_" + capital(snake(op.type)) + "_H_";
    const std::string visible = "__attribute__((visibility(\"default\")))\n";
    std::string functions;

    for (const uint32_t v : nputwin::opp::versions_of(op))
        functions += visible + phase_one(op, v) + ";\n\n" + visible + phase_two(op, v) + ";\n\n";
    write(dir + "/aclnn_" + snake(op.type) + ".h",
          HEAD + std::string("#ifndef ") + guard + "\n#define " + guard +
              "\n#include \"aclnn/acl_meta.h\"\n#include \"acl/acl_rt.h\"\n\n#ifdef __cplusplus\n"
              "extern \"C\" {\n#endif\n\n" +
              functions + "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

void write_source(const std::string &dir, const OpDef &op)
{
    const std::string quoted = '"' + op.type + '"';
    std::string functions;

    for (const uint32_t v : nputwin::opp::versions_of(op))
        functions += phase_one(op, v) + "\n{\n    union npu_opp_value v[" +
                     std::to_string(op.inputs.size() + op.attrs.size() + op.outputs.size()) +
                     "];\n    int n = 0;\n\n" + arguments(op, v).values +
                     "    return npu_opp_prepare(npu_opp_package(), " + quoted +
                     ", v, workspaceSize, executor);\n}\n\n" + phase_two(op, v) +
                     "\n{\n    return npu_opp_launch(" + quoted +
                     ", workspace, workspaceSize, executor, stream);\n}\n\n";
    write(dir + "/aclnn_" + snake(op.type) + ".cpp",
          HEAD + std::string("#include \"aclnn_") + snake(op.type) +
              ".h\"\n#include \"nputwin/opp.h\"\n\nextern \"C\" {\n\n" + functions + "}\n");
}

/* ---- text around a kernel ---- */

using Classes = std::vector<std::pair<std::string, std::unique_ptr<optiling::TilingDef>>>;

const Classes &classes()
{
    static const Classes all = [] {
        Classes c;

        for (const nputwin::opp::tiling_class &t : nputwin::opp::tiling_classes())
            c.emplace_back(t.op_type, t.make());
        return c;
    }();

    return all;
}

/* Plans of the high-level API, which the kernel's headers define. */
bool is_library_struct(const std::string &name)
{
    static const char *const NAMES[] = {
#define TILING(name, ...) #name,
#include "kernel_tiling/tilings.def"
    };

    for (const char *n : NAMES)
        if (name == n)
            return true;
    return false;
}

void add_struct(const optiling::TilingDef &def, std::string &text, std::vector<std::string> &done)
{
    const std::string name = def.GetTilingClassName();

    for (const std::string &d : done)
        if (d == name)
            return;
    done.push_back(name);
    for (const optiling::TilingDef::Field &f : def.Fields())
        if (f.inner)
            add_struct(*f.inner, text, done);
    if (!is_library_struct(name)) {
        text += "struct " + name + " {\n";
        for (const optiling::TilingDef::Field &f : def.Fields())
            text += "    " + std::string(f.inner ? f.inner->GetTilingClassName() : f.type) + " " +
                    f.name + (f.count ? "[" + std::to_string(f.count) + "]" : "") + ";\n";
        text += "};\n";
    }
    text += "static_assert(sizeof(" + name + ") == " + std::to_string(def.GetDataSize()) + ");\n";
}

/* The structs of this operator: Type, and Type_<key>. */
std::string tiling_structs(const OpDef &op)
{
    std::string text;
    std::vector<std::string> done;

    for (const auto &c : classes()) {
        if (c.first != op.type && c.first.compare(0, op.type.size() + 1, op.type + "_") != 0)
            continue;
        add_struct(*c.second, text, done);
        if (c.first == op.type)
            text +=
                "using nputwin_tiling_default = " + std::string(c.second->GetTilingClassName()) +
                ";\n";
    }
    return text;
}

void add_words(std::string &text)
{
    for (const type_row &r : TYPES)
        text += std::string("#define ") + r.word + " " + std::to_string(r.type) + "\n";
    for (const format_row &r : FORMATS)
        text += std::string("#define ") + r.word + " " + std::to_string(r.format) + "\n";
}

void add_param(std::string &text, const OpDef &op, const OpParamDef &p, size_t v,
               const std::string &suffix)
{
    const std::string name = capital(p.name) + suffix;
    const type_row &t = type_of(op, p, v);

    text += "#define DTYPE_" + name + " " + t.ctype + "\n#define ORIG_DTYPE_" + name + " " +
            t.word + "\n#define FORMAT_" + name + " " + format_of(op, p, v) + "\n";
}

/* ---- kernels by template arguments ---- */

using AscendC::ParamStruct;
using nputwin::opp::tpl;

const tpl *tpl_of(const OpDef &op)
{
    for (const tpl &t : nputwin::opp::tpls())
        if (t.op_type == op.type)
            return &t;
    return nullptr;
}

const char *KERNEL_TYPES[] = {"AIV_ONLY",    "AIC_ONLY",    "MIX_AIV_1_0",
                              "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};

const type_row *type_row_of(uint64_t number)
{
    for (const type_row &r : TYPES)
        if (uint64_t(r.type) == number)
            return &r;
    return nullptr;
}

/* The value of one argument: that of a tensor is the one of this variant. */
uint64_t number_of(const OpDef &op, const ParamStruct &p, uint64_t value, size_t v)
{
    const auto &params = value >= ASCENDC_TPL_OUTPUT(0) ? op.outputs : op.inputs;
    const size_t i = size_t(value & 0xffff);

    if (value < ASCENDC_TPL_INPUT(0))
        return value;
    if (i >= params.size())
        refuse(op.type + ": " + p.name + ": ASCENDC_TPL_INPUT/OUTPUT(" + std::to_string(i) +
               "): there is none with that number");
    return uint64_t(p.paramType == AscendC::ASCENDC_TPL_FORMAT ? int(params[i].formats[v])
                                                               : int(params[i].types[v]));
}

/* As C++ writes it. */
std::string word_of(const OpDef &op, const ParamStruct &p, uint64_t number)
{
    if (p.paramType != AscendC::ASCENDC_TPL_DATATYPE)
        return std::to_string(number);
    if (!type_row_of(number))
        refuse(op.type + ": " + p.name + ": data type " + std::to_string(number) +
               " is not supported by nputwin in an operator project");
    return type_row_of(number)->ctype;
}

/* The arguments of a selection in the order of the declaration. */
std::vector<ParamStruct> in_order(const OpDef &op, const tpl &t, const std::vector<ParamStruct> &s)
{
    std::vector<ParamStruct> out;

    for (const ParamStruct &d : t.declared) {
        const size_t before = out.size();

        for (const ParamStruct &p : s)
            if (p.IsArgument() && std::string(p.name) == d.name)
                out.push_back(p);
        if (out.size() != before + 1)
            refuse(op.type + ": ASCENDC_TPL_ARGS_SEL has " + std::to_string(out.size() - before) +
                   " lines for " + d.name + "; each combination needs one for each argument");
    }
    return out;
}

/* Cases of the switch over the tiling key: every combination of one selection. */
void add_cases(const OpDef &op, const tpl &t, const std::vector<ParamStruct> &s, size_t v,
               const std::string &call, std::vector<uint64_t> &seen, std::string &text)
{
    const std::vector<ParamStruct> params = in_order(op, t, s);
    std::vector<size_t> at(params.size());

    for (;;) {
        std::vector<uint64_t> values;
        std::string words;

        for (size_t i = 0; i < params.size(); i++) {
            values.push_back(number_of(op, params[i], params[i].Values()[at[i]], v));
            words += (i ? ", " : "") + word_of(op, params[i], values[i]);
        }
        const uint64_t key = AscendC::EncodeTilingKey(t.declared, t.selected, values);
        if (key == AscendC::INVALID_TILING_KEY)
            refuse(op.type + ": ASCENDC_TPL_ARGS_SEL selects <" + words +
                   ">, which ASCENDC_TPL_ARGS_DECL does not declare, or whose bits do not fit");
        if (std::find(seen.begin(), seen.end(), key) == seen.end()) {
            seen.push_back(key);
            text += "    case " + std::to_string(key) + "u: return " + call + "<" + words + ">";
            text += "(NPU_TPL_ARGS);\n";
        }
        size_t i = 0;
        while (i < params.size() && ++at[i] == params[i].Values().size())
            at[i++] = 0;
        if (i == params.size())
            return;
    }
}

/* The cores of a selection; AICORE: it leaves them to its code. */
int64_t cores_of(const OpDef &op, const std::vector<ParamStruct> &s)
{
    int64_t type = ASCENDC_TPL_AICORE;

    for (const ParamStruct &p : s) {
        if (p.paramType == AscendC::ASCENDC_TPL_TILING_STRUCT)
            refuse(op.type + ": ASCENDC_TPL_TILING_STRUCT_SEL(" + p.name +
                   ") is not supported by nputwin; use GET_TILING_DATA_WITH_STRUCT under "
                   "if constexpr");
        if (p.paramType == AscendC::ASCENDC_TPL_KERNEL_TYPE && !p.vals.empty())
            type = int64_t(p.vals[0]);
    }
    if (type != ASCENDC_TPL_AICORE && type >= int64_t(sizeof KERNEL_TYPES / sizeof *KERNEL_TYPES))
        refuse(op.type + ": ASCENDC_TPL_KERNEL_TYPE_SEL(" + std::to_string(type) +
               ") is not supported by nputwin");
    return type;
}

/* What the selections say beside arguments: cores, of all or of the keys of each. Deterministic
 * ones are left out: they are for a switch that the twin has not, and it is deterministic without.
 */
std::string kernel_types(const OpDef &op, const std::vector<std::pair<uint64_t, int64_t>> &cores)
{
    std::string text;
    bool differ = false, some = false;

    for (const auto &c : cores) {
        differ |= c.second != cores[0].second;
        some |= c.second == ASCENDC_TPL_AICORE;
    }
    if (differ && some)
        refuse(op.type + ": ASCENDC_TPL_KERNEL_TYPE_SEL stands in some combinations only, and the "
                         "kernel runs on cores of its own there: name the type in each");
    if (!differ)
        return cores.empty() || cores[0].second == ASCENDC_TPL_AICORE
                   ? ""
                   : std::string("    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_") +
                         KERNEL_TYPES[cores[0].second] + ");\n";
    for (const auto &c : cores)
        text += "    KERNEL_TASK_TYPE(" + std::to_string(c.first) + "u, KERNEL_TYPE_" +
                KERNEL_TYPES[c.second] + ");\n";
    return text;
}

bool is_deterministic(const std::vector<ParamStruct> &s)
{
    for (const ParamStruct &p : s)
        if (p.paramType == AscendC::ASCENDC_TPL_DETERMINISTIC && !p.vals.empty() && p.vals[0])
            return true;
    return false;
}

/* The kernel file with its template, and a kernel that picks the instance of the tiling key. */
std::string template_kernel(const OpDef &op, const tpl &t, size_t v, size_t n_pointers)
{
    const std::string name = snake(op.type), entry = "npu_tpl_" + name;
    std::string cases, params, args;
    std::vector<uint64_t> seen;
    std::vector<std::pair<uint64_t, int64_t>> cores; /* of each key */

    for (size_t i = 0; i < n_pointers; i++) {
        params += (i ? ", GM_ADDR a" : "GM_ADDR a") + std::to_string(i);
        args += (i ? ", a" : "a") + std::to_string(i);
    }
    for (const auto &s : t.selected) {
        const int64_t type = cores_of(op, s);
        if (is_deterministic(s))
            continue;
        add_cases(op, t, s, v, name, seen, cases);
        while (cores.size() < seen.size())
            cores.emplace_back(seen[cores.size()], type);
    }
    return "#undef __global__\n#define __global__ /* called by the kernel below */\n"
           "#include NPU_OP_KERNEL_FILE\n#undef __global__\n"
           "#define NPU_TPL_ARGS " +
           args + "\n#define " + entry + " NPU_PASTE(npu_tpl_" + name + "_" + std::to_string(v) +
           ", NPU_OP_ARCH)\nextern \"C\" __global__ __aicore__ void " + entry + "(" + params +
           ")\n{\n" + kernel_types(op, cores) + "    switch (nputwin_tiling_key()) {\n" + cases +
           "    default: nputwin::no_instance(\"" + op.type + "\", " + std::to_string(seen.size()) +
           ");\n    }\n}\n";
}

/* Does the kernel say the shape of an output? */
bool sets_shape(const OpDef &op)
{
    for (const OpParamDef &p : op.outputs)
        if (p.sets_shape)
            return true;
    return false;
}

void write_kernel(const std::string &dir, const OpDef &op, size_t v)
{
    const std::string name = snake(op.type), mine = name + "_" + std::to_string(v);
    const tpl *by_template = tpl_of(op);
    const std::string entry = by_template ? "npu_tpl_" + name : name;
    const bool has_shapes = sets_shape(op);
    const size_t n = op.inputs.size() + op.outputs.size() + has_shapes + 2;
    std::string text = HEAD, pointers, values;

    for (size_t i = 0; i < n; i++) {
        pointers += i ? ", uint8_t *" : "uint8_t *";
        values += (i ? ", static_cast<uint8_t *>(gm[" : "static_cast<uint8_t *>(gm[") +
                  std::to_string(i) + "])";
    }
    text += "#include \"kernel_operator.h\"\n#include \"nputwin/front/cpp/tiling.h\"\n";
    add_words(text);
    for (const OpParamDef &p : op.inputs)
        add_param(text, op, p, v, "");
    for (const OpParamDef &p : op.outputs)
        add_param(text, op, p, v, is_input(op, p.name) ? "_REF" : "");
    text += tiling_structs(op);
    text += "#define NPU_PASTE_(a, b) a##_##b\n#define NPU_PASTE(a, b) NPU_PASTE_(a, b)\n"
            "#define " +
            name + " NPU_PASTE(" + mine + ", NPU_OP_ARCH)\n";
    text += by_template ? template_kernel(op, *by_template, v, n) : "#include NPU_OP_KERNEL_FILE\n";
    text += "\nextern \"C\" const void *NPU_PASTE(npu_key_" + mine +
            ", NPU_OP_ARCH)(void)\n{\n"
            "    using kernel = void (*)(" +
            pointers +
            ");\n\n"
            "    static_assert(std::is_same_v<decltype(&" +
            entry + "), kernel>,\n        \"" + op.type +
            ": its kernel takes GM_ADDR for each input, each output, " +
            (has_shapes ? "the shapes (OutputShapeDependOnCompute), " : "") +
            "workspace and tiling\");\n"
            "    return reinterpret_cast<const void *>(kernel(&" +
            entry +
            "));\n}\n"
            "extern \"C\" void NPU_PASTE(npu_call_" +
            mine +
            ", NPU_OP_ARCH)(void (*fn)(void), void *const *gm)\n{\n"
            "    const std::tuple<" +
            pointers + "> args{" + values +
            "};\n\n"
            "    ::nputwin::lang::signature<" +
            pointers + ">::call(fn, &args);\n}\n";
    write(dir + "/kernel/" + mine + ".asc", text);
}

/* ---- operators ---- */

void check_type(const std::string &type)
{
    bool good = !type.empty() && upper(type[0]);

    for (char c : type)
        good &= std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!good)
        refuse("OP_ADD(" + type +
               "): the type of an operator is CamelCase, as AddCustom: letters and "
               "digits, a capital first");
}

void refuse_if(const std::string &why)
{
    if (!why.empty())
        refuse(why);
}

/* "ascend910b:0,1 ascend910_93:0,1 ascend950:0,1,2": the kernels that each chip needs. */
std::string kernels_by_chip(const std::vector<uint8_t> &units, const std::vector<uint16_t> &of)
{
    std::string text;

    for (size_t u = 0; u < nputwin::opp::N_UNITS; u++) {
        std::vector<bool> needs(units.size());

        text += (u ? " " : "") + std::string(nputwin::opp::UNITS[u].name) + ":";
        for (size_t v = 0; v < units.size(); v++)
            if (units[v] >> u & 1)
                needs[of[v]] = true;
        for (size_t v = 0, n = 0; v < units.size(); v++)
            if (needs[v])
                text += (n++ ? "," : "") + std::to_string(v);
    }
    return text;
}

std::string generate(const std::string &dir, const nputwin::opp::added &a)
{
    OpDef op = a.make(a.type);
    std::string units;

    check_type(a.type);
    nputwin::opp::fill_in(op);
    const OpDef written = op;
    nputwin::opp::expand(op);
    refuse_if(nputwin::opp::check(op));
    const std::vector<uint8_t> chips = nputwin::opp::add_chips(op, written);
    refuse_if(nputwin::opp::check(op));
    const std::vector<uint16_t> of = nputwin::opp::kernels_of(op);
    write_header(dir, op);
    write_source(dir, op);
    for (size_t v = 0; v < nputwin::opp::n_variants(op); v++)
        write_kernel(dir, op, v);
    for (const auto &config : op.aicore.configs)
        units += (units.empty() ? "" : ",") + config.first;
    return op.type + "|" + snake(op.type) + "|" + units + "|" + kernels_by_chip(chips, of) + "\n";
}

} // namespace

int main(int argc, char **argv)
{
    std::string plan;

    if (argc != 3)
        refuse("usage: gen <out dir> <plan>");
    if (registry().empty())
        refuse("there is no OP_ADD(...) in the sources that SRC names");
    for (const nputwin::opp::added &a : registry())
        plan += generate(argv[1], a);
    write(argv[2], plan);
    return 0;
}
