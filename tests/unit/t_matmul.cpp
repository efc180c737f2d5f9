/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_matmul.cpp - Matmul objects on cube cores and in mix kernels: who computes, and what is
 * refused.
 *
 * Values against numpy are in tests/cc/test_matmul.py; here inputs are quarters, so that every
 * order of adding gives the same bits.
 */
#include "kernel.hpp"
#include "../../front/cpp/adv/matmul.h"
#include <random>

using namespace AscendC;

namespace {

TCubeTiling plan_of(int32_t m, int32_t n, int32_t k, bool is_bias = false)
{
    TCubeTiling t;
    t.usedCoreNum = 1;
    t.M = t.singleCoreM = m;
    t.N = t.singleCoreN = n;
    t.Ka = t.Kb = t.singleCoreK = k;
    t.baseM = t.baseN = 64;
    t.baseK = 32;
    t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    t.dbL0A = t.dbL0B = t.dbL0C = 1;
    t.isBias = is_bias;
    return t;
}

template <class A, class C> struct problem {
    int32_t m, n, k;
    std::vector<A> a, b;
    std::vector<C> c;
    std::vector<float> bias;
    GlobalTensor<A> ga, gb;
    GlobalTensor<C> gc;
    GlobalTensor<float> gbias;
    problem(int32_t m_, int32_t n_, int32_t k_) : m(m_), n(n_), k(k_)
    {
        std::mt19937 gen{1};
        std::uniform_int_distribution<int> pick(-20, 20);
        a.resize(size_t(m * k));
        b.resize(size_t(n * k));
        c.resize(size_t(m * n));
        bias.resize(size_t(n));
        for (A &v : a)
            v = A(float(pick(gen)) / 4);
        for (A &v : b)
            v = A(float(pick(gen)) / 4);
        for (float &v : bias)
            v = float(pick(gen));
        ga.SetGlobalBuffer(a.data(), a.size());
        gb.SetGlobalBuffer(b.data(), b.size());
        gc.SetGlobalBuffer(c.data(), c.size());
        gbias.SetGlobalBuffer(bias.data(), bias.size());
    }
    double sum(int32_t i, int32_t j, bool turns_a, bool turns_b) const
    {
        double s = 0;
        for (int32_t x = 0; x < k; x++)
            s += double(float(a[size_t(turns_a ? x * m + i : i * k + x)])) *
                 double(float(b[size_t(turns_b ? j * k + x : x * n + j)]));
        return s;
    }
    void check(bool turns_a, bool turns_b, bool has_bias, const char *what) const
    {
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < n; j++) {
                const double s =
                    sum(i, j, turns_a, turns_b) + (has_bias ? double(bias[size_t(j)]) : 0.0);
                const C want = C(float(s));
                assert_same(&c[size_t(i * n + j)], &want, 1, what);
            }
    }
};
void is_well(const outcome &o)
{
    if (o.status != NPU_OK)
        fail_msg("%s: %s", npu_status_name(o.status), o.story.c_str());
}
void is_refused(const outcome &o, npu_status status, std::initializer_list<const char *> words)
{
    if (o.status != status)
        fail_msg("status %s: %s", npu_status_name(o.status), o.story.c_str());
    for (const char *word : words)
        if (o.story.find(word) == std::string::npos)
            fail_msg("the story does not say \"%s\": %s", word, o.story.c_str());
}

template <class T, bool turns = false, TPosition pos = TPosition::GM>
using nd = MatmulType<pos, CubeFormat::ND, T, turns>;
using direct_t = MatmulImpl<nd<half>, nd<half>, nd<float>, nd<float>>;
using served_t = Matmul<nd<half>, nd<half>, nd<float>, nd<float>>;

template <class A, class C, bool turns_a, bool turns_b> void all_of()
{
    problem<A, C> p(100, 77, 300);
    TCubeTiling t = plan_of(p.m, p.n, p.k, true);
    is_well(run_on(CORE_AIC, 0, [&] {
        TPipe pipe;
        MatmulImpl<nd<A, turns_a>, nd<A, turns_b>, nd<C>, nd<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        mm.SetTensorA(p.ga, turns_a);
        mm.SetTensorB(p.gb, turns_b);
        mm.SetBias(p.gbias);
        mm.IterateAll(p.gc);
        mm.End();
    }));
    p.check(turns_a, turns_b, true, "MatmulImpl");
}
void test_on_a_cube_core(void **)
{
    all_of<half, float, false, false>();
    all_of<half, float, true, false>();
    all_of<half, half, false, true>();
    all_of<bfloat16_t, float, true, true>();
    all_of<float, float, true, false>();
}

/* What each way to a configuration sets. */
constexpr MatmulConfig norm =
    GetNormalConfig(true, true, true, BatchMode::BATCH_LARGE_THAN_L1, false, IterateOrder::ORDER_N,
                    ScheduleType::OUTER_PRODUCT, false, true, BatchOutMode::MULTI_BATCH);
static_assert(norm.doNorm && norm.intrinsicsCheck && norm.isNBatch && norm.enVecND2NZ &&
              norm.batchMode == BatchMode::BATCH_LARGE_THAN_L1 && !norm.enableReuse &&
              norm.iterateOrder == IterateOrder::ORDER_N &&
              norm.scheduleType == ScheduleType::OUTER_PRODUCT && !norm.enUnitFlag &&
              norm.enableMixDualMaster && norm.bmmOutMode == BatchOutMode::MULTI_BATCH);
constexpr MatmulConfig mdl =
    GetMDLConfig(true, false, 2, true, true, true, true, false, false, true, true, true);
static_assert(mdl.doMultiDataLoad && mdl.intrinsicsCheck && mdl.doMTE2Preload == 2 &&
              mdl.enVecND2NZ && mdl.isPerTensor && mdl.hasAntiQuantOffset && mdl.enUnitFlag &&
              !mdl.enableReuse && !mdl.enableUBReuse && mdl.enableL1CacheUB &&
              mdl.enableMixDualMaster && mdl.enableKdimReorderLoad && !CFG_MDL.enUnitFlag);
constexpr MatmulConfig special = GetSpecialMDLConfig(true, true, 1, true, true, true);
static_assert(special.doSpecialMDL && !special.doMultiDataLoad && special.isNBatch &&
              special.doMTE2Preload == 1);
constexpr MatmulConfig share =
    GetIBShareNormConfig(true, true, true, BatchMode::SINGLE_LARGE_THAN_L1, true, false);
static_assert(share.doIBShareNorm && !share.doNorm && share.enableDoubleCache &&
              share.batchMode == BatchMode::SINGLE_LARGE_THAN_L1 && !share.enUnitFlag);
constexpr MatmulConfig basic =
    GetBasicConfig(16, 32, 48, true, true, BatchMode::BATCH_LARGE_THAN_L1);
static_assert(basic.doBasicBlock && basic.basicM == 16 && basic.basicN == 32 && basic.basicK == 48);
constexpr MatmulConfig by_parts = GetMMConfig<MatmulConfigMode::CONFIG_IBSHARE>(
    MatmulQuantParams{true, true}, MatmulShapeParams{1, 2, 3, 4, 5, 6},
    MatmulBatchParams{true, BatchMode::BATCH_LARGE_THAN_L1, false}, MatmulFuncParams{true, true});
static_assert(by_parts.doIBShareNorm && by_parts.isPerTensor && by_parts.singleCoreK == 3 &&
              by_parts.basicK == 6 && by_parts.isNBatch && !by_parts.isBiasBatch &&
              by_parts.intrinsicsCheck && by_parts.enVecND2NZ);
static_assert(GetMMConfig<MatmulConfigMode::CONFIG_SPECIALMDL>().doSpecialMDL &&
              GetMMConfig<MatmulConfigMode::CONFIG_MDL>().doMultiDataLoad);
/* A plan of constants: inside the memories, the whole of it only when the part of a core is said.
 */
constexpr MatmulApiStaticTiling some = GetMatmulApiTiling<nd<half>, nd<half>, nd<float>, nd<float>>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{0, 0, 0, 128, 128, 64}));
static_assert(some.baseM == 128 && some.M == -1 && some.dbL0A == 2 && some.dbL0C == 2 &&
              (some.depthA1 + some.depthB1) * 128 * 64 * 2 <= 512 * 1024);
constexpr MatmulApiStaticTiling whole =
    GetMatmulApiTiling<nd<half>, nd<half>, nd<float>, nd<float>>(
        GetMMConfig<MatmulConfigMode::CONFIG_MDL>(MatmulShapeParams{256, 256, 128, 128, 128, 64}),
        128 * 1024);
static_assert(whole.M == 256 && whole.Kb == 128 && whole.stepKa == 1 && whole.cfg.doMultiDataLoad);
/* Calls that the configuration says are not used. */
constexpr MatmulConfig without_tail()
{
    MatmulConfig c = CFG_NORM;
    c.enableSetTail = c.enableSetOrgShape = false;
    return c;
}
constexpr MatmulConfig NO_TAIL = without_tail();
void test_what_is_switched_off(void **)
{
    static TCubeTiling t = plan_of(64, 64, 64);
    auto with = [](auto call) {
        return run_on(CORE_AIC, 0, [&] {
            TPipe pipe;
            MatmulImpl<nd<half>, nd<half>, nd<float>, nd<float>, NO_TAIL> mm;
            REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
            call(mm);
        });
    };
    is_refused(with([](auto &mm) { mm.SetTail(32, 32, 32); }), NPU_E_ARG,
               {"SetTail", "enableSetTail = false", "t_matmul.cpp:"});
    is_refused(with([](auto &mm) { mm.SetOrgShape(32, 32, 32); }), NPU_E_ARG, {"SetOrgShape"});
}

/* Two vector cores of one group, a half of the rows each. */
void test_served(void **)
{
    problem<half, float> p(128, 80, 96);
    TCubeTiling t = plan_of(p.m, p.n, p.k);
    t.singleCoreM = 64;
    is_well(run_on(CORE_AIC, 2, [&] {
        TPipe pipe;
        served_t mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        const uint64_t first = 64 * uint64_t(GetSubBlockIdx());
        mm.SetTensorA(p.ga[first * uint64_t(p.k)]);
        mm.SetTensorB(p.gb);
        mm.template IterateAll<false>(p.gc[first * uint64_t(p.n)], 0, false, true);
        mm.WaitIterateAll();
        mm.End();
    }));
    p.check(false, false, false, "served");
}

/* Tiles come in order of rows, into UB, and are written by the vector core. */
void test_tiles_into_ub(void **)
{
    problem<half, float> p(128, 64, 48);
    TCubeTiling t = plan_of(p.m, p.n, p.k);
    is_well(run_on(CORE_AIC, 1, [&] {
        TPipe pipe;
        Matmul<nd<half>, nd<half>, nd<float, false, TPosition::VECIN>, nd<float>> mm;
        TQue<TPosition::VECIN, 1> in;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        pipe.InitBuffer(in, 1, 64 * 64 * sizeof(float));
        mm.SetTensorA(p.ga);
        mm.SetTensorB(p.gb);
        uint64_t row = 0;
        while (mm.Iterate()) {
            LocalTensor<float> c = in.AllocTensor<float>();
            mm.GetTensorC(c, 0, true);
            in.EnQue(c);
            c = in.DeQue<float>();
            PipeBarrier<PIPE_ALL>();
            DataCopy(p.gc[row * 64], c, 64 * 64);
            PipeBarrier<PIPE_ALL>();
            in.FreeTensor(c);
            row += 64;
        }
        mm.End();
        assert_int_equal(row, 128);
    }));
    p.check(false, false, false, "into UB");
}

outcome with_plan(TCubeTiling t)
{
    static problem<half, float> p(64, 64, 64);
    return run_on(CORE_AIC, 0, [&] {
        TPipe pipe;
        direct_t mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        mm.SetTensorA(p.ga);
        mm.SetTensorB(p.gb);
        mm.IterateAll(p.gc);
    });
}
void test_plans_that_do_not_fit(void **)
{
    TCubeTiling t = plan_of(64, 64, 64);
    t.baseM = 60;
    is_refused(with_plan(t), NPU_E_ALIGN, {"baseM 60", "multiples of 16", "t_matmul.cpp:"});
    t = plan_of(64, 64, 64);
    t.baseK = 20;
    is_refused(with_plan(t), NPU_E_ALIGN, {"baseK 20"});
    t = plan_of(64, 64, 64);
    t.baseM = t.baseN = 256;
    is_refused(with_plan(t), NPU_E_RANGE,
               {"baseM * baseN * dbL0C", "262144 bytes of L0C", "131072"});
    t = plan_of(64, 64, 64);
    t.baseK = 1024;
    is_refused(with_plan(t), NPU_E_RANGE,
               {"baseM * baseK * dbL0A", "131072 bytes of L0A", "65536"});
    t = plan_of(64, 64, 64);
    t.depthA1 = 200;
    is_refused(with_plan(t), NPU_E_RANGE, {"depthA1", "823296 bytes of L1", "524288"});
    t = plan_of(64, 64, 64);
    t.baseM = 16;
    t.baseN = 512;
    t.baseK = 128;
    is_refused(with_plan(t), NPU_E_RANGE,
               {"baseN * baseK * dbL0B", "131072 bytes of L0B", "65536"});
    t.baseK = 32;
    t.isBias = 1;
    is_refused(with_plan(t), NPU_E_RANGE, {"baseN of the bias", "2048 bytes of BT", "1024"});
    t = plan_of(64, 64, 64);
    t.stepKb = 0;
    is_refused(with_plan(t), NPU_E_ARG, {"stepKb of TCubeTiling is 0"});
}
/* baseK of floats: a multiple of 16, and of 8 where A lies as it is and B transposed. */
void test_base_of_floats(void **)
{
    static TCubeTiling t = plan_of(64, 64, 64);
    using turned = MatmulType<TPosition::GM, CubeFormat::ND, float, true>;
    t.baseK = 24;
    is_refused(run_on(CORE_AIC, 0,
                      [] {
                          TPipe pipe;
                          MatmulImpl<nd<float>, nd<float>, nd<float>, nd<float>> mm;
                          REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
                      }),
               NPU_E_ALIGN, {"baseK 24 one of 16"});
    const outcome o = run_on(CORE_AIC, 0, [] {
        TPipe pipe;
        MatmulImpl<nd<float>, turned, nd<float>, nd<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    });
    assert_int_equal(o.status, NPU_OK);
}
template <class Body> outcome direct(TCubeTiling t, Body body)
{
    return run_on(CORE_AIC, 0, [&] {
        TPipe pipe;
        direct_t mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        body(mm);
    });
}
void test_what_is_missing(void **)
{
    static problem<half, float> p(64, 64, 64);
    const TCubeTiling t = plan_of(64, 64, 64);
    is_refused(direct(t, [](direct_t &mm) { mm.IterateAll(p.gc); }), NPU_E_ARG,
               {"IterateAll: the Matmul object has no A (SetTensorA)"});
    is_refused(direct(t,
                      [](direct_t &mm) {
                          mm.SetTensorA(p.ga);
                          mm.IterateAll(p.gc);
                      }),
               NPU_E_ARG, {"no B (SetTensorB)"});
    static problem<float, float> f(64, 64, 64);
    is_refused(run_on(CORE_AIC, 0,
                      [&] {
                          TPipe pipe;
                          MatmulImpl<nd<float>, nd<float>, nd<float>, nd<float>> mm;
                          REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
                          mm.SetTensorA(f.ga, true);
                      }),
               NPU_E_ARG, {"SetTensorA: transposed", "ISTRANS"});
    is_refused(direct(t, [](direct_t &mm) { mm.SetBias(p.gbias); }), NPU_E_ARG, {"isBias", "is 0"});
    is_refused(direct(t,
                      [](direct_t &mm) {
                          mm.SetTail(-16, 64);
                          mm.SetTensorA(p.ga);
                          mm.SetTensorB(p.gb);
                          mm.IterateAll(p.gc);
                      }),
               NPU_E_ARG, {"singleCoreM -16", "parts for 1 cores, the others return"});
    is_refused(direct(t, [](direct_t &mm) { mm.GetTensorC(p.gc); }), NPU_E_ARG,
               {"GetTensorC: no tile has been computed"});
    is_refused(direct(t, [](direct_t &mm) { mm.template Iterate<false>(); }), NPU_E_ARG,
               {"SetWorkspace comes first"});
    is_refused(run_on(CORE_AIC, 0,
                      [] {
                          TPipe pipe;
                          direct_t mm;
                          mm.SetTensorA(p.ga);
                          mm.SetTensorB(p.gb);
                          mm.IterateAll(p.gc);
                      }),
               NPU_E_ARG, {"no TCubeTiling"});
}
void test_who_is_not_there(void **)
{
    static problem<half, float> p(64, 64, 64);
    static TCubeTiling t = plan_of(64, 64, 64);
    auto kernel = [] {
        TPipe pipe;
        served_t mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
        mm.SetTensorA(p.ga);
        mm.SetTensorB(p.gb);
        mm.IterateAll(p.gc);
    };
    is_refused(run_on(CORE_AIC, 0, kernel), NPU_E_UNSUP, {"ASCENDC_CUBE_ONLY"});
    is_refused(run_on(CORE_AIV, 0, kernel), NPU_E_UNSUP, {"this launch has vector cores only"});
    is_refused(run_on(CORE_AIC, 1,
                      [&] {
                          if (nputwin::core()->core_kind == CORE_AIV)
                              kernel();
                      }),
               NPU_E_DEADLOCK, {"IterateAll waits for ever", "serves nobody"});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_on_a_cube_core),
        cmocka_unit_test(test_what_is_switched_off),
        cmocka_unit_test(test_served),
        cmocka_unit_test(test_tiles_into_ub),
        cmocka_unit_test(test_plans_that_do_not_fit),
        cmocka_unit_test(test_base_of_floats),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_who_is_not_there),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
