/* SPDX-License-Identifier: Apache-2.0 */
/* t_tiling.cpp - the host side of the high-level API, through tiling/tiling_api.h. */
#include <iostream> /* before cmocka, whose fail() is a macro */
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <setjmp.h>
extern "C" {
#include <cmocka.h>
}
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/tiling_api.h"

static_assert(AscendC::BLOCK_CUBE == 16, "host functions count in fractals too");

static void test_shape(void **)
{
    AscendC::TensorShape s{{3, 5}};

    assert_int_equal(s.GetShapeSize(), 15);
    assert_int_equal(s.GetDim(1), 5);
    assert_int_equal(s.SetDim(1, 7), ge::GRAPH_SUCCESS);
    assert_int_equal(s.SetDim(2, 7), ge::GRAPH_FAILED);
    assert_int_equal(s.GetShapeSize(), 21);
    assert_int_equal(s.GetDimNum(), 2);
    assert_int_equal(AscendC::TensorShape().GetShapeSize(), 0);
    assert_int_equal(AscendC::TensorShape({int64_t(1) << 40, int64_t(1) << 40}).GetShapeSize(), -1);
}

/* The documents promise: least <= most; a shape of one repeat needs the same of both; the factor
 * inverts the size: (bytes - extra) / factor / type size elements fit into `bytes`. */
#define SHAPE_ARGS
#define CHIP_ARGS         *platform_ascendc::PlatformAscendCManager::GetInstance(),
#define CHECK_SHAPE(name) CHECK(name, SHAPE_ARGS)
#define CHECK_EXP(name)   CHECK(name, SHAPE_ARGS)
#define CHECK_CHIP(name)  CHECK(name, CHIP_ARGS)
#define CHECK_NONE(name)
#define CHECK(name, first)                                                                         \
    for (uint32_t bytes : {2u, 4u}) {                                                              \
        uint32_t most = 7, least = 9, one = 7, factor = 7, extra = 9;                              \
        AscendC::Get##name##MaxMinTmpSize(first AscendC::TensorShape({1000}), bytes, false, most,  \
                                          least);                                                  \
        AscendC::Get##name##MaxMinTmpSize(first AscendC::TensorShape({256 / bytes}), bytes, false, \
                                          one, least);                                             \
        AscendC::Get##name##TmpBufferFactorSize(first bytes, factor, extra);                       \
        assert_int_equal(one, least);                                                              \
        assert_true(least <= most);                                                                \
        assert_int_equal(most, factor * ((1000 * bytes + 255) / 256 * 256) + extra);               \
    }
static void test_every_row(void **){
#define TMP(name, host, half, single) CHECK_##host(name)
#include "tiling/nputwin/tmp_size.def"
}

/* More elements never need less, and the least never exceeds the most, whatever the source's fate.
 */
#undef CHECK
#define CHECK(name, first)                                                                         \
    for (uint32_t bytes : {2u, 4u})                                                                \
        for (bool reuse : {false, true}) {                                                         \
            uint32_t before_most = 0, before_least = 0;                                            \
            for (int64_t n : {1, 7, 64, 100, 128, 1000, 1024, 4097, 65536}) {                      \
                uint32_t most = 7, least = 9;                                                      \
                AscendC::Get##name##MaxMinTmpSize(first AscendC::TensorShape({n}), bytes, reuse,   \
                                                  most, least);                                    \
                assert_true(least <= most && before_most <= most && before_least <= least);        \
                before_most = most;                                                                \
                before_least = least;                                                              \
            }                                                                                      \
        }
static void test_sizes_grow(void **)
{
#define TMP(name, host, half, single) CHECK_##host(name)
#include "tiling/nputwin/tmp_size.def"
}

/* The same of whole rows, when there are more of them and when they are wider. */
struct range {
    uint32_t most, least;
};
static void test_row_sizes_grow(void **)
{
    using namespace AscendC;
    static const struct {
        const char *name;
        range (*of)(const TensorShape &s);
    } calls[] = {{"SoftMax",
                  [](const TensorShape &s) {
                      return range{GetSoftMaxMaxTmpSize(s, 4, false),
                                   GetSoftMaxMinTmpSize(s, 4, false)};
                  }},
                 {"SoftMaxGrad",
                  [](const TensorShape &s) {
                      return range{GetSoftMaxGradMaxTmpSize(s, 2, false, false),
                                   GetSoftMaxGradMinTmpSize(s, 2, false, false)};
                  }},
                 {"SoftMaxFlashV2",
                  [](const TensorShape &s) {
                      return range{GetSoftMaxFlashV2MaxTmpSize(s, 2, 4, false),
                                   GetSoftMaxFlashV2MinTmpSize(s, 2, 4, false)};
                  }},
#define SIZES(name, ...)                                                                           \
    {#name, [](const TensorShape &s) {                                                             \
         range r = {};                                                                             \
         Get##name##MaxMinTmpSize(__VA_ARGS__, r.most, r.least);                                   \
         return r;                                                                                 \
     }},
                 SIZES(LayerNorm, s, 4, false) SIZES(LayerNormGrad, s, 4, false)
                     SIZES(LayerNormGradBeta, s, 2, false) SIZES(WelfordFinalize, s, 4, false)
                         SIZES(DeepNorm, s, 4, false, false) SIZES(RmsNorm, s, 4)
                             SIZES(ReduceXorSum, s, 2, false) SIZES(AscendQuant, s, 4)
                                 SIZES(AscendDequant, s, 4) SIZES(DropOut, s, 4, false)
                                     SIZES(Sum, uint32_t(s.GetShapeSize()), 4, false)
                                         SIZES(Mean, uint32_t(s.GetShapeSize()), 2, 4, false)
#undef SIZES
    };
    for (const auto &c : calls) {
        for (int64_t fixed : {1, 3, 33, 256}) {
            range by_rows = {}, by_width = {};
            for (int64_t n : {1, 8, 9, 64, 100, 1024}) {
                const range tall = c.of(TensorShape({1, n, fixed}));
                const range wide = c.of(TensorShape({1, fixed, n}));
                if (tall.least > tall.most || wide.least > wide.most || tall.most < by_rows.most ||
                    tall.least < by_rows.least || wide.most < by_width.most ||
                    wide.least < by_width.least)
                    fail_msg("%s: %lld x %lld", c.name, (long long)n, (long long)fixed);
                by_rows = tall;
                by_width = wide;
            }
        }
    }
}

static void test_other_arguments(void **)
{
    const AscendC::TensorShape tensor({64, 4}), scalar({1});
    uint32_t most = 0, least = 0, most2 = 0, least2 = 0;

    assert_true(AscendC::GetExpMaxMinTmpSize(tensor, 4, false, most, least));
    AscendC::GetPowerMaxMinTmpSize(tensor, scalar, false, 4, false, most, least);
    AscendC::GetPowerMaxMinTmpSize(scalar, tensor, false, 4, false, most2, least2);
    assert_int_equal(most, most2);
    assert_int_equal(most, 4 * least);
    AscendC::GetGeluMaxMinTmpSize(tensor, 2, most, least);
    assert_int_equal(most, AscendC::GetGeluMaxTmpSize(tensor, 2));
    assert_int_equal(least, AscendC::GetGeluMinTmpSize(tensor, 2));
    assert_int_equal(most, 2 * least);
    AscendC::GetSwiGLUMaxMinTmpSize(tensor, 2, most, least, false);
    assert_int_equal(most, 2 * least);
    AscendC::GetSinMaxMinTmpSize(AscendC::SinConfig{}, tensor, 2, false, most, least);
    AscendC::GetSinMaxMinTmpSize(tensor, 2, false, most2, least2);
    assert_int_equal(most, most2);
}

/* The prototypes of the pages: a function of another type does not initialise these. */
using AscendC::TensorDataType;
using AscendC::TensorShape;
using platform_ascendc::PlatformAscendC;
namespace prototypes {
using namespace AscendC;
typedef void (*by_shape)(const TensorShape &, uint32_t, bool, uint32_t &, uint32_t &);
typedef void (*by_type)(uint32_t, uint32_t &, uint32_t &);
typedef void (*by_chip)(const PlatformAscendC &, const TensorShape &, uint32_t, bool, uint32_t &,
                        uint32_t &);
typedef void (*by_chip_type)(const PlatformAscendC &, uint32_t, uint32_t &, uint32_t &);
static const by_shape sizes[] = {
    GetAcosMaxMinTmpSize,  GetAcoshMaxMinTmpSize, GetAsinMaxMinTmpSize,   GetAsinhMaxMinTmpSize,
    GetAtanMaxMinTmpSize,  GetAtanhMaxMinTmpSize, GetAxpyMaxMinTmpSize,   GetCeilMaxMinTmpSize,
    GetClampMaxMinTmpSize, GetCosMaxMinTmpSize,   GetCoshMaxMinTmpSize,   GetDigammaMaxMinTmpSize,
    GetErfMaxMinTmpSize,   GetErfcMaxMinTmpSize,  GetFloorMaxMinTmpSize,  GetFmodMaxMinTmpSize,
    GetFracMaxMinTmpSize,  GetHypotMaxMinTmpSize, GetLgammaMaxMinTmpSize, GetLogMaxMinTmpSize,
    GetLog2MaxMinTmpSize,  GetLog10MaxMinTmpSize, GetSignMaxMinTmpSize,   GetSinMaxMinTmpSize,
    GetSinhMaxMinTmpSize,  GetTanMaxMinTmpSize,   GetTanhMaxMinTmpSize,   GetTruncMaxMinTmpSize,
    GetXorMaxMinTmpSize,   GetGeGLUMaxMinTmpSize, GetReGluMaxMinTmpSize,  GetSigmoidMaxMinTmpSize,
    GetSiluTmpSize,        GetSwishTmpSize};
static const by_type factors[] = {
    GetAcosTmpBufferFactorSize,   GetAcoshTmpBufferFactorSize, GetAsinTmpBufferFactorSize,
    GetAsinhTmpBufferFactorSize,  GetAtanTmpBufferFactorSize,  GetAtanhTmpBufferFactorSize,
    GetAxpyTmpBufferFactorSize,   GetCeilTmpBufferFactorSize,  GetClampTmpBufferFactorSize,
    GetCosTmpBufferFactorSize,    GetCoshTmpBufferFactorSize,  GetDigammaTmpBufferFactorSize,
    GetErfTmpBufferFactorSize,    GetErfcTmpBufferFactorSize,  GetFloorTmpBufferFactorSize,
    GetFmodTmpBufferFactorSize,   GetFracTmpBufferFactorSize,  GetHypotTmpBufferFactorSize,
    GetLgammaTmpBufferFactorSize, GetLogTmpBufferFactorSize,   GetLog2TmpBufferFactorSize,
    GetLog10TmpBufferFactorSize,  GetSignTmpBufferFactorSize,  GetSinTmpBufferFactorSize,
    GetSinhTmpBufferFactorSize,   GetTanTmpBufferFactorSize,   GetTanhTmpBufferFactorSize,
    GetTruncTmpBufferFactorSize,  GetXorTmpBufferFactorSize,   GetGeGLUTmpBufferFactorSize,
    GetExpTmpBufferFactorSize,    GetSwiGLUTmpBufferFactorSize};
static const by_chip chip_sizes[] = {
    GetBitwiseAndMaxMinTmpSize, GetBitwiseNotMaxMinTmpSize, GetBitwiseOrMaxMinTmpSize,
    GetBitwiseXorMaxMinTmpSize, GetFmaMaxMinTmpSize,        GetIsInfMaxMinTmpSize,
    GetIsNanMaxMinTmpSize,      GetLogicalAndMaxMinTmpSize, GetLogicalAndsMaxMinTmpSize,
    GetLogicalNotMaxMinTmpSize, GetLogicalOrMaxMinTmpSize,  GetLogicalOrsMaxMinTmpSize,
    GetLogicalXorMaxMinTmpSize, GetRintMaxMinTmpSize,       GetRoundMaxMinTmpSize,
    GetSinCosMaxMinTmpSize,     GetWhereMaxMinTmpSize};
static const by_chip_type chip_factors[] = {
    GetBitwiseAndTmpBufferFactorSize,  GetBitwiseNotTmpBufferFactorSize,
    GetBitwiseOrTmpBufferFactorSize,   GetBitwiseXorTmpBufferFactorSize,
    GetFmaTmpBufferFactorSize,         GetIsInfTmpBufferFactorSize,
    GetIsNanTmpBufferFactorSize,       GetLogicalAndTmpBufferFactorSize,
    GetLogicalAndsTmpBufferFactorSize, GetLogicalNotTmpBufferFactorSize,
    GetLogicalOrTmpBufferFactorSize,   GetLogicalOrsTmpBufferFactorSize,
    GetLogicalXorTmpBufferFactorSize,  GetRintTmpBufferFactorSize,
    GetRoundTmpBufferFactorSize,       GetSinCosTmpBufferFactorSize,
    GetWhereTmpBufferFactorSize};
static bool (*const exp_size)(const TensorShape &, uint32_t, bool, uint32_t &,
                              uint32_t &) = GetExpMaxMinTmpSize;
static void (*const power_size)(const TensorShape &, const TensorShape &, bool, uint32_t, bool,
                                uint32_t &, uint32_t &) = GetPowerMaxMinTmpSize;
static void (*const power_factor)(bool, bool, bool, uint32_t, uint32_t &,
                                  uint32_t &) = GetPowerTmpBufferFactorSize;
static void (*const cumsum_size)(const TensorShape &, uint32_t, bool, bool, uint32_t &,
                                 uint32_t &) = GetCumSumMaxMinTmpSize;
static void (*const swiglu_size)(const TensorShape &, uint32_t, uint32_t &, uint32_t &,
                                 bool) = GetSwiGLUMaxMinTmpSize;
typedef void (*quant_size)(const TensorShape &, uint32_t, uint32_t &, uint32_t &);
static const quant_size quant_sizes[] = {GetAscendQuantMaxMinTmpSize, GetAscendDequantMaxMinTmpSize,
                                         GetGeluMaxMinTmpSize};
static void (*const quant_factor)(uint32_t &, uint32_t &) = GetAscendQuantTmpBufferFactorSize;
static void (*const dequant_factor)(const TensorShape &, uint32_t &,
                                    uint32_t &) = GetAscendDequantTmpBufferFactorSize;
typedef void (*antiquant_range)(const TensorShape &, const TensorShape &, bool, TensorDataType,
                                TensorDataType, uint32_t &, uint32_t &);
static const antiquant_range antiquant_ranges[] = {GetAscendAntiQuantMaxMinTmpSize,
                                                   GetAscendAntiQuantTmpBufferFactorSize};
typedef uint32_t (*antiquant_size)(const TensorShape &, const TensorShape &, bool, TensorDataType,
                                   TensorDataType);
static const antiquant_size antiquant_sizes[] = {GetAscendAntiQuantMaxTmpSize,
                                                 GetAscendAntiQuantMinTmpSize};
} // namespace prototypes

/* Called through those prototypes: never less than the least, and one operand's worth a multiple.
 */
static void test_prototypes(void **)
{
    namespace p = prototypes;
    const TensorShape s({100, 8});
    const PlatformAscendC &chip = *platform_ascendc::PlatformAscendCManager::GetInstance();
    uint32_t most = 0, least = 0;

    for (const auto f : p::sizes)
        f(s, 4, false, most, least), assert_true(most % 256 == 0 && least <= most);
    for (const auto f : p::chip_sizes)
        f(chip, s, 4, false, most, least), assert_true(most % 256 == 0 && least <= most);
    for (const auto f : p::factors)
        f(2, most, least), assert_true(most < 16 && least == 0);
    for (const auto f : p::chip_factors)
        f(chip, 2, most, least), assert_true(most < 16 && least == 0);
    for (const auto f : p::quant_sizes)
        f(s, 4, most, least), assert_int_equal(most, least / 256 * 3328);
    assert_true(p::exp_size(s, 4, false, most, least));
    assert_false(p::exp_size(TensorShape({-1}), 4, false, most, least));
    p::power_size(s, s, true, 4, false, most, least);
    p::power_factor(true, true, true, 4, least, most);
    p::cumsum_size(s, 4, true, false, most, least);
    assert_int_equal(most, 3328);
    p::swiglu_size(s, 4, most, least, false);
    assert_int_equal(most, 2 * 3328);
    p::quant_factor(most, least);
    assert_true(most > 0 && least == 0);
    p::dequant_factor(s, most, least);
    assert_true(most > 0 && least == 0);
    p::antiquant_ranges[1](s, s, false, ge::DT_INT8, ge::DT_FLOAT16, most, least);
    assert_true(most > 0 && least == 0);
    p::antiquant_ranges[0](s, s, false, ge::DT_INT8, ge::DT_FLOAT16, most, least);
    assert_int_equal(most, p::antiquant_sizes[0](s, s, false, ge::DT_INT8, ge::DT_FLOAT16));
    assert_int_equal(least, p::antiquant_sizes[1](s, s, false, ge::DT_INT8, ge::DT_FLOAT16));
}

namespace optiling {
BEGIN_TILING_DATA_DEF(with_a_plan_inside)
TILING_DATA_FIELD_DEF(int32_t, first)
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube)
END_TILING_DATA_DEF;
} // namespace optiling

/* A constant out of bytes. */
constexpr uint8_t bytes_of_a_plan[sizeof(TCubeTiling)] = {24, 0, 0, 0, 0, 1};
constexpr TCubeTiling constant_plan = convert_from_bytes<TCubeTiling>(bytes_of_a_plan);
static_assert(constant_plan.usedCoreNum == 24 && constant_plan.M == 256 && constant_plan.N == 0);

/* What is nested in a copy is the copy's own. */
static void test_copy_of_nested_plans(void **)
{
    optiling::with_a_plan_inside from;
    struct {
        int32_t first;
        TCubeTiling cube;
    } bytes;

    from.cube.set_baseM(32);
    optiling::with_a_plan_inside to = from;
    from.cube.set_baseM(48);
    to.set_first(7);
    assert_int_equal(to.GetDataSize(), sizeof(bytes));
    to.SaveToBuffer(&bytes, sizeof(bytes));
    assert_int_equal(bytes.first, 7);
    assert_int_equal(bytes.cube.baseM, 32);
    to.cube.set_baseM(64);
    to.SaveToBuffer(&bytes, sizeof(bytes));
    assert_int_equal(bytes.cube.baseM, 64);
}

static void test_plan_has_the_kernels_bytes(void **)
{
    optiling::SoftMaxTiling host;
    AscendC::tiling::SoftMaxTiling kernel;

    host.set_srcM(3);
    host.set_tailReduceSize(11);
    assert_int_equal(host.GetDataSize(), sizeof(kernel));
    host.SaveToBuffer(&kernel, sizeof(kernel));
    assert_int_equal(kernel.srcM, 3);
    assert_int_equal(kernel.srcK, 0);
    assert_int_equal(kernel.tailReduceSize, 11);

    optiling::TCubeTiling cube;
    TCubeTiling plan;
    cube.set_usedCoreNum(24);
    cube.set_stepKb(5);
    cube.set_BatchNum(7);
    assert_int_equal(cube.GetDataSize(), sizeof(plan));
    cube.SaveToBuffer(&plan, sizeof(plan));
    assert_int_equal(plan.usedCoreNum, 24);
    assert_int_equal(plan.stepKb, 5);
    assert_int_equal(plan.BatchNum, 7);
    assert_int_equal(plan.baseM, 0);

    const optiling::TCubeTiling copy = cube; /* functions return plans by value */
    cube.set_stepKb(9);
    assert_int_equal(copy.get_stepKb(), 5);
    copy.SaveToBuffer(&plan, sizeof(plan));
    assert_int_equal(plan.usedCoreNum, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_sizes_grow),
        cmocka_unit_test(test_row_sizes_grow),
        cmocka_unit_test(test_other_arguments),
        cmocka_unit_test(test_prototypes),
        cmocka_unit_test(test_plan_has_the_kernels_bytes),
        cmocka_unit_test(test_copy_of_nested_plans),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
