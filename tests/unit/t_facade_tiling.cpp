/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_tiling.cpp - the macros by which a kernel reads its tiling data; key and length are this
 * file's, where an operator package has those of its launch.
 */
#include "kernel.hpp"
#include "../../front/cpp/tiling.h"
#include "../../front/cpp/workspace.h"

struct Inner {
    uint16_t a, b;
};
struct Tiling {
    uint32_t n;
    Inner inner;
    int64_t list[3];
};
static const Tiling written = {7, {1, 2}, {-1, -2, -3}};
static uint64_t key = 5;
static size_t n_bytes = sizeof(Tiling);
extern "C" uint64_t nputwin_tiling_key(void) { return key; }
extern "C" size_t nputwin_tiling_bytes(void) { return n_bytes; }

REGISTER_TILING_DEFAULT(Tiling);
REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR > 10", Inner);
REGISTER_NONE_TILING;

static void data_by_all_macros(void **)
{
    GM_ADDR tiling = reinterpret_cast<GM_ADDR>(const_cast<Tiling *>(&written));
    bool ok = true;
    run_well([&] {
        GET_TILING_DATA(whole, tiling);
        GET_TILING_DATA_WITH_STRUCT(Inner, first, tiling);
        GET_TILING_DATA_MEMBER(Tiling, inner, inner, tiling);
        GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, ptr, tiling);
        COPY_TILING_WITH_STRUCT(Inner, &ptr->inner, copy);
        COPY_TILING_WITH_ARRAY(int64_t, 3, &ptr->list, list);
        ok &= whole.n == 7 && whole.list[2] == -3 && first.a == 7 && inner.b == 2;
        ok &= ptr == &written && copy->b == 2 && copy != &ptr->inner && list[1] == -2;
    });
    assert_true(ok);
    n_bytes = 4;
    run_fails(
        [&] {
            GET_TILING_DATA_PTR_WITH_STRUCT(Tiling, ptr, tiling);
            (void)ptr;
        },
        NPU_E_ARG, {"GET_TILING_DATA", "wrote 4"});
    run_fails(
        [&] {
            GET_TILING_DATA(whole, tiling);
            (void)whole;
        },
        NPU_E_ARG, {"wrote 4"});
    n_bytes = sizeof(Tiling);
}
static void keys(void **)
{
    assert_true(TILING_KEY_IS(5) && !TILING_KEY_IS(6) && TILING_KEY_VAR == 5);
    assert_true(TILING_KEY_LIST(5, 9) && TILING_KEY_LIST(9, 5) && !TILING_KEY_LIST(6, 9));
    key = 9;
    assert_true(TILING_KEY_LIST(5, 9) && !TILING_KEY_IS(5));
    key = 5;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_by_all_macros),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
