/* SPDX-License-Identifier: Apache-2.0 */
/* t_tiling.cpp - the host side of the high-level API, through tiling/tiling_api.h. */
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
static void test_every_row(void **)
{
#define TMP(name, host, half, single) CHECK_##host(name)
#include "tiling/nputwin/tmp_size.def"
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_other_arguments),
        cmocka_unit_test(test_plan_has_the_kernels_bytes),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
