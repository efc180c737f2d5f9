/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template_argument.h - kernels chosen by template arguments.
 *
 *   ASCENDC_TPL_ARGS_DECL(AddCustom, ASCENDC_TPL_UINT_DECL(TILES, ASCENDC_TPL_8_BW, ...), ...);
 *   ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(TILES, ASCENDC_TPL_UI_LIST, 1, 8),
 * ...));
 *
 * Host and generator read both lists; in the compile of a kernel they are nothing, because the text
 * around it names every combination (gen.cpp). A key holds each argument in its own bits, the first
 * lowest: a UINT as its number in the declaration, everything else as it is.
 */
#ifndef NPUTWIN_TEMPLATE_ARGUMENT_H
#define NPUTWIN_TEMPLATE_ARGUMENT_H

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
/* How the values of a UINT are listed: n ranges; values; n ranges and then values. */
#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST  1
#define ASCENDC_TPL_UI_MIX   2

/* ge::DataType and ge::Format, usable in both worlds. */
#define C_DT_FLOAT          0
#define C_DT_FLOAT16        1
#define C_DT_INT8           2
#define C_DT_INT32          3
#define C_DT_UINT8          4
#define C_DT_INT16          6
#define C_DT_UINT16         7
#define C_DT_UINT32         8
#define C_DT_INT64          9
#define C_DT_UINT64         10
#define C_DT_DOUBLE         11
#define C_DT_BOOL           12
#define C_DT_BF16           27
#define C_DT_HIFLOAT8       34
#define C_DT_FLOAT8_E5M2    35
#define C_DT_FLOAT8_E4M3FN  36
#define C_FORMAT_NCHW       0
#define C_FORMAT_NHWC       1
#define C_FORMAT_ND         2
#define C_FORMAT_NC1HWC0    3
#define C_FORMAT_FRACTAL_Z  4
#define C_FORMAT_HWCN       16
#define C_FORMAT_NDHWC      27
#define C_FORMAT_FRACTAL_NZ 29
#define C_FORMAT_NCDHW      30
#define C_FORMAT_NCL        47

/* "The type of input x": the combination of types that runs decides. */
#define ASCENDC_TPL_INPUT(x)  (0x10000 + (x))
#define ASCENDC_TPL_OUTPUT(x) (0x20000 + (x))

#define ASCENDC_TPL_AIV_ONLY        0
#define ASCENDC_TPL_AIC_ONLY        1
#define ASCENDC_TPL_MIX_AIV_1_0     2
#define ASCENDC_TPL_MIX_AIC_1_0     3
#define ASCENDC_TPL_MIX_AIC_1_1     4
#define ASCENDC_TPL_MIX_AIC_1_2     5
#define ASCENDC_TPL_AICORE          6
#define ASCENDC_TPL_VECTORCORE      7
#define ASCENDC_TPL_MIX_AICORE      8
#define ASCENDC_TPL_MIX_VECTOR_CORE 9

#ifdef NPU_OP_KERNEL_FILE
/* Something must stand before the semicolon that follows. */
#define ASCENDC_TPL_ARGS_DECL(x, ...) static_assert(true)
#define ASCENDC_TPL_SEL(...)          static_assert(true)
#else

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace AscendC {

enum TilingParamKind : uint32_t {
    ASCENDC_TPL_DTYPE,    /* numbers of the operator's own, an int parameter */
    ASCENDC_TPL_DATATYPE, /* a type, a typename parameter */
    ASCENDC_TPL_FORMAT,
    ASCENDC_TPL_UINT,
    ASCENDC_TPL_BOOL,
    ASCENDC_TPL_SHARED_KERNEL_TYPE,
    ASCENDC_TPL_KERNEL_TYPE,   /* no parameter: cores of this combination */
    ASCENDC_TPL_DETERMINISTIC, /* no parameter */
    ASCENDC_TPL_TILING_STRUCT  /* no parameter */
};

struct ParamStruct {
    const char *name;
    uint32_t paramType;
    uint8_t bitWidth;
    std::vector<uint64_t> vals;
    const char *macroType;

    ParamStruct(const char *name_, uint32_t type_, uint8_t bits_, std::vector<uint64_t> vals_,
                const char *macro_)
        : name(name_), paramType(type_), bitWidth(bits_), vals(std::move(vals_)), macroType(macro_)
    {
    }
    bool IsArgument() const { return paramType < ASCENDC_TPL_KERNEL_TYPE; }
    /* The values themselves: ranges written out. */
    std::vector<uint64_t> Values() const
    {
        std::vector<uint64_t> out;
        size_t at = 1;

        if (paramType != ASCENDC_TPL_UINT)
            return vals;
        if (!vals.empty() && vals[0] != ASCENDC_TPL_UI_LIST && vals.size() > 1) {
            const size_t n = size_t(vals[1]);

            for (at = 2; at < 2 + 2 * n && at + 1 < vals.size(); at += 2)
                for (uint64_t v = vals[at]; v <= vals[at + 1]; v++)
                    out.push_back(v);
        }
        for (; at < vals.size(); at++)
            out.push_back(vals[at]);
        return out;
    }
};
using TilingDeclareParams = std::vector<ParamStruct>;
using TilingSelectParams = std::vector<std::vector<ParamStruct>>;

constexpr uint64_t INVALID_TILING_KEY = ~uint64_t(0);

/* INVALID_TILING_KEY when a value was not declared: the launch then says that no kernel has it. */
inline uint64_t EncodeTilingKey(const TilingDeclareParams &declared, const TilingSelectParams &,
                                const std::vector<uint64_t> &values)
{
    uint64_t key = 0;
    unsigned bits = 0;

    if (declared.size() != values.size())
        return INVALID_TILING_KEY;
    for (size_t i = 0; i < values.size(); i++) {
        const ParamStruct &p = declared[i];
        const std::vector<uint64_t> known = p.Values();
        uint64_t code = INVALID_TILING_KEY;

        for (size_t k = 0; k < known.size(); k++)
            if (known[k] == values[i] || known[k] >= ASCENDC_TPL_INPUT(0))
                code = p.paramType == ASCENDC_TPL_UINT ? k : values[i];
        if (code >> p.bitWidth || bits + p.bitWidth > 63)
            return INVALID_TILING_KEY;
        key |= code << bits;
        bits += p.bitWidth;
    }
    return key;
}

} // namespace AscendC

namespace nputwin::opp {

struct tpl {
    std::string op_type;
    AscendC::TilingDeclareParams declared;
    AscendC::TilingSelectParams selected;
};

__attribute__((visibility("hidden"))) inline std::vector<tpl> &tpls()
{
    static std::vector<tpl> list;

    return list;
}

/* A header that several files include says the same several times. */
struct tpl_adder {
    tpl_adder(const char *op_type, const AscendC::TilingDeclareParams &declared,
              const AscendC::TilingSelectParams &selected)
    {
        for (const tpl &t : tpls())
            if (t.op_type == op_type)
                return;
        tpls().push_back({op_type, declared, selected});
    }
};

} // namespace nputwin::opp

#define NPUTWIN_TPL(x, kind, bits, macro, ...)                                                     \
    ::AscendC::ParamStruct { #x, ::AscendC::ASCENDC_TPL_##kind, bits, {__VA_ARGS__}, macro }
#define ASCENDC_TPL_DTYPE_DECL(x, ...)      NPUTWIN_TPL(x, DTYPE, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...)   NPUTWIN_TPL(x, DATATYPE, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...)     NPUTWIN_TPL(x, FORMAT, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) NPUTWIN_TPL(x, UINT, bits, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...)       NPUTWIN_TPL(x, BOOL, 1, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...)                                                       \
    NPUTWIN_TPL(x, SHARED_KERNEL_TYPE, 8, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(x, ...)    NPUTWIN_TPL(x, DTYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) NPUTWIN_TPL(x, DATATYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...)   NPUTWIN_TPL(x, FORMAT, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...)     NPUTWIN_TPL(x, UINT, 0, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...)     NPUTWIN_TPL(x, BOOL, 1, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...)                                                 \
    NPUTWIN_TPL(x, SHARED_KERNEL_TYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)                                                           \
    NPUTWIN_TPL(kernel_type, KERNEL_TYPE, 8, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)                                                         \
    NPUTWIN_TPL(deterministic, DETERMINISTIC, 1, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(x, ...) NPUTWIN_TPL(x, TILING_STRUCT, 0, "SEL", 0)

#define ASCENDC_TPL_ARGS_DECL(x, ...)                                                              \
    [[maybe_unused]] static const char *const g_tilingOpType = #x;                                 \
    [[maybe_unused]] static const ::AscendC::TilingDeclareParams g_tilingDeclareParams             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...)                                                                       \
    [[maybe_unused]] static const ::AscendC::TilingSelectParams g_tilingSelectParams{__VA_ARGS__}; \
    [[maybe_unused]] static const ::nputwin::opp::tpl_adder g_tilingAdder(                         \
        g_tilingOpType, g_tilingDeclareParams, g_tilingSelectParams)

#define GET_TPL_TILING_KEY(...)                                                                    \
    ::AscendC::EncodeTilingKey(g_tilingDeclareParams, g_tilingSelectParams, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...)                                                        \
    do {                                                                                           \
        (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__));                                  \
    } while (0)
#endif
#endif
