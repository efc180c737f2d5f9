/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_tiling_matmul.cpp - plans of matrix products: every one is legal by the table of TCubeTiling's
 * page, covers its shape and fits its chip; what cannot be is refused with sizes and limit.
 */
#include <iostream> /* before cmocka, whose fail() is a macro */
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <setjmp.h>
extern "C" {
#include <cmocka.h>
}
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/tiling_api.h"

#include "../../rt/rt.h"

using namespace matmul_tiling;
using Plan = AscendC::tiling::TCubeTiling;
using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using platform_ascendc::PlatformAscendCManager;

static const char *const chips[] = {"Ascend910B1", "Ascend910B4", "Ascend910_9362",
                                    "Ascend950PR_9599", "Ascend950DT_9571"};
struct kind {
    DataType a, b, c;
    int bits;
};
static const kind kinds[] = {
    {DataType::DT_FLOAT16, DataType::DT_FLOAT16, DataType::DT_FLOAT, 16},
    {DataType::DT_BF16, DataType::DT_BF16, DataType::DT_BF16, 16},
    {DataType::DT_FLOAT, DataType::DT_FLOAT, DataType::DT_FLOAT, 32},
    {DataType::DT_INT8, DataType::DT_INT8, DataType::DT_INT32, 8},
    {DataType::DT_INT4, DataType::DT_INT4, DataType::DT_FLOAT16, 4},
};

static uint64_t seed = 1;
static int draw(int low, int high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + int((seed >> 33) % uint64_t(high - low + 1));
}
/* Small ones, and multiples and neighbours of powers of two. */
static int draw_length()
{
    const int n = 1 << draw(0, 13);
    return draw(0, 1) ? draw(1, 300) : n + draw(n > 1 ? -1 : 0, 1);
}
static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }
static int64_t mem(const PlatformAscendC &p, CoreMemType type)
{
    uint64_t bytes = 0;
    p.GetCoreMemSize(type, bytes);
    return int64_t(bytes);
}

struct shape {
    int64_t m, n, k;
    bool at, bt, has_bias;
};

/* The table of constraints. */
static void check_legal(const PlatformAscendC &chip, const kind &t, const shape &s, const Plan &p)
{
    const int64_t c0 = 256 / t.bits;
    const int64_t a = int64_t(p.baseM) * p.baseK * t.bits / 8;
    const int64_t b = int64_t(p.baseN) * p.baseK * t.bits / 8;
    const int64_t db_a = p.depthA1 / (p.stepM * p.stepKa);
    const int64_t db_b = p.depthB1 / (p.stepN * p.stepKb);

    assert_true(p.baseM > 0 && p.baseM % 16 == 0 && p.baseN > 0 && p.baseN % 16 == 0);
    assert_int_equal(p.baseK % (s.at || !s.bt ? (c0 > 16 ? c0 : 16) : c0), 0);
    assert_true(p.baseM <= up(p.singleCoreM, s.at && c0 > 16 ? c0 : 16));
    assert_true(p.baseN <= up(p.singleCoreN, c0 > 16 ? c0 : 16));
    assert_true((p.dbL0A == 1 || p.dbL0A == 2) && p.dbL0B == p.dbL0A);
    assert_true(p.dbL0C == 1 || p.dbL0C == 2);
    assert_true(a * p.dbL0A <= mem(chip, CoreMemType::L0_A));
    assert_true(b * p.dbL0B <= mem(chip, CoreMemType::L0_B));
    assert_true(int64_t(p.baseM) * p.baseN * 4 * p.dbL0C <= mem(chip, CoreMemType::L0_C));
    assert_int_equal(p.isBias, s.has_bias);
    if (s.has_bias)
        assert_true(p.baseN * 4 <= mem(chip, CoreMemType::BT));
    assert_true(db_a == 1 || db_a == 2);
    assert_true(db_b == 1 || db_b == 2);
    assert_int_equal(p.depthA1, p.stepM * p.stepKa * db_a);
    assert_int_equal(p.depthB1, p.stepN * p.stepKb * db_b);
    assert_true(a * p.depthA1 + b * p.depthB1 + (s.has_bias ? p.baseN * 4 : 0) <=
                mem(chip, CoreMemType::L1) - 256);
    if (p.singleCoreK > int64_t(p.baseK) * p.stepKa)
        assert_int_equal(p.stepM, 1);
    if (p.singleCoreK > int64_t(p.baseK) * p.stepKb)
        assert_int_equal(p.stepN, 1);
    const int64_t ka = parts(p.singleCoreK, int64_t(p.baseK) * p.stepKa);
    const int64_t kb = parts(p.singleCoreK, int64_t(p.baseK) * p.stepKb);
    assert_true(ka % kb == 0 || kb % ka == 0);
}
static void check_covers(const shape &s, const Plan &p, int dim, bool splits_k)
{
    const int64_t m = parts(s.m, p.singleCoreM), n = parts(s.n, p.singleCoreN);
    const int64_t k = parts(s.k, p.singleCoreK);

    assert_true(p.singleCoreM > 0 && p.singleCoreM <= s.m);
    assert_true(p.singleCoreN > 0 && p.singleCoreN <= s.n);
    assert_true(p.singleCoreK > 0 && p.singleCoreK <= s.k);
    if (!splits_k)
        assert_int_equal(k, 1);
    assert_int_equal(p.usedCoreNum, m * n * k);
    assert_true(p.usedCoreNum <= dim);
    assert_int_equal(p.M, s.m);
    assert_int_equal(p.N, s.n);
    assert_int_equal(p.Ka, s.k);
    assert_int_equal(p.Kb, s.k);
}
static const char *reason()
{
    const char *text = npu_rt_take_message();
    return text ? text : "";
}
template <class Tiling> static void set_types(Tiling &t, const kind &k, const shape &s)
{
    t.SetAType(TPosition::GM, CubeFormat::ND, k.a, s.at);
    t.SetBType(TPosition::GM, CubeFormat::ND, k.b, s.bt);
    t.SetCType(TPosition::GM, CubeFormat::ND, k.c);
    t.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    t.EnableBias(s.has_bias);
    t.SetOrgShape(int32_t(s.m), int32_t(s.n), int32_t(s.k));
    t.SetShape(int32_t(s.m), int32_t(s.n), int32_t(s.k));
    t.SetBufferSpace(-1, -1, -1);
}

/* Every chip, type, turn, number of cores: legal, and nothing is left out. */
static void random_shapes(void **)
{
    for (int i = 0; i < 4000; i++) {
        const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance(chips[draw(0, 4)]);
        const kind &k = kinds[draw(0, 4)];
        const bool splits = draw(0, 4) == 0;
        const shape s = {draw_length(),   draw_length(),   draw_length(),
                         draw(0, 1) == 1, draw(0, 1) == 1, !splits && draw(0, 1)};
        const int dim = draw(1, int(chip.GetCoreNumAiv()));
        MultiCoreMatmulTiling t(chip);
        Plan p;

        set_types(t, k, s);
        t.SetDim(dim);
        t.EnableMultiCoreSplitK(splits);
        t.SetMatmulConfigParams(draw(0, 1));
        if (t.GetTiling(p) == -1)
            fail_msg("m %d n %d k %d: %s", int(s.m), int(s.n), int(s.k), reason());
        check_legal(chip, k, s, p);
        check_covers(s, p, dim, splits);
        if (!splits)
            assert_int_equal(p.singleCoreK, s.k);

        MatmulApiTiling one(chip);
        set_types(one, k, s);
        assert_int_equal(one.GetTiling(p), 0);
        check_legal(chip, k, s, p);
        check_covers(s, p, 1, false);
    }
}

/* What is asked for is what comes. */
static void fixed_numbers(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    const shape s = {1024, 640, 256, false, false, true};
    MultiCoreMatmulTiling t(chip);
    optiling::TCubeTiling o;
    int32_t dim, m, n, k;

    assert_int_equal(t.GetCoreNum(dim, m, n), -1);
    assert_int_equal(t.GetSingleShape(m, n, k), -1);
    set_types(t, kinds[0], s);
    assert_int_equal(t.SetDim(2), 0);
    assert_int_equal(t.SetFixSplit(256, 128, -1), 0);
    assert_int_equal(t.SetTraverse(MatrixTraverse::FIRSTN), 0);
    assert_int_equal(t.GetTiling(o), 0);
    assert_int_equal(o.get_baseM(), 256);
    assert_int_equal(o.get_baseN(), 128);
    assert_int_equal(o.get_baseK(), 64);
    assert_int_equal(o.get_iterateOrder(), 1);
    assert_int_equal(o.get_usedCoreNum(), 2);
    assert_int_equal(o.get_singleCoreM(), 512);
    assert_int_equal(t.GetBaseM(), 256);
    assert_int_equal(t.GetBaseN(), 128);
    assert_int_equal(t.GetBaseK(), o.get_baseK());
    assert_int_equal(t.GetSingleShape(m, n, k), 0);
    assert_true(m == 512 && n == 640 && k == 256);
    assert_int_equal(t.GetCoreNum(dim, m, n), 0);
    assert_true(dim == 2 && m == 2 && n == 1);

    SysTilingTempBufSize size;
    assert_int_equal(MatmulGetTmpBufSize(o, size), 0);
    assert_int_equal(size.l0cSize, 256 * 128 * 4);
    assert_true(size.l1Size > 0 && size.l1Size <= 524288 && size.ubSize == 0);
    SysTilingTempBufSize again;
    assert_int_equal(MultiCoreMatmulGetTmpBufSize(o, again), 0);
    assert_int_equal(again.l1Size, size.l1Size);
    assert_int_equal(BatchMatmulGetTmpBufSize(o, again), 0);
    Plan none;
    assert_int_equal(MatmulGetTmpBufSizeV2(none, again), -1);
    assert_int_equal(MultiCoreMatmulGetTmpBufSizeV2(none, again), -1);
    assert_int_equal(BatchMatmulGetTmpBufSizeV2(none, again), -1);

    /* The recommended base, and a core's part by name; more parts than cores go round. */
    Plan p;
    MultiCoreMatmulTiling big(chip);
    set_types(big, kinds[0], {8192, 4096, 1024, false, true, false});
    big.SetDim(24);
    big.SetSingleShape(1024, 1024, -1);
    assert_int_equal(big.GetTiling(p), 0);
    assert_true(p.baseM == 128 && p.baseN == 256 && p.baseK == 64);
    assert_true(p.singleCoreM == 1024 && p.singleCoreN == 1024 && p.usedCoreNum == 24);
    assert_true(p.dbL0A == 2 && p.depthA1 == 2 * p.stepM * p.stepKa);
    /* Five bases side by side would fit; four divide the sixteen of k. */
    assert_true(p.stepKa == 4 && p.stepKb == 4 && p.depthA1 == 8 && p.depthB1 == 8);
    assert_false(big.EnableL1BankConflictOptimise());

    /* Sparse products plan with the length before compression; the older names of two setters. */
    MultiCoreMatmulTiling sparse(chip);
    set_types(sparse, kinds[3], {512, 512, 4096, false, true, false});
    assert_int_equal(sparse.SetSparse(true), 0);
    assert_int_equal(sparse.SetDim(24), 0);
    assert_int_equal(sparse.SetBias(true), 0);
    assert_int_equal(sparse.GetTiling(p), 0);
    assert_true(p.isBias == 1 && p.singleCoreK == 4096);
    check_legal(chip, kinds[3], {512, 512, 4096, false, true, true}, p);
    assert_int_equal(sparse.SetBias(false), 0);
    sparse.SetShape(16, 16, 4096);
    sparse.SetSplitK(true);
    assert_int_equal(sparse.GetTiling(p), 0);
    assert_true(p.isBias == 0 && p.singleCoreK < 4096);

    /* -1 is the length of SetOrgShape; Ka and Kb may differ from k. */
    MatmulApiTiling rest(chip);
    set_types(rest, kinds[0], s);
    assert_int_equal(rest.SetOrgShape(1024, 640, 300, 280), 0);
    assert_int_equal(rest.SetShape(-1, 600, 256), 0);
    assert_int_equal(rest.GetTiling(p), 0);
    assert_true(p.M == 1024 && p.N == 640 && p.Ka == 300 && p.Kb == 280);
    assert_true(p.singleCoreM == 1024 && p.singleCoreN == 600 && p.singleCoreK == 256);
}

static void ranges(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    Plan p;

    for (int i = 0; i < 300; i++) {
        const shape s = {draw(256, 4096), draw(256, 4096), draw(64, 2048), false, true, false};
        const int align = 16 * draw(1, 8), high = 16 * draw(4, 16);
        MultiCoreMatmulTiling t(chip);
        set_types(t, kinds[0], s);
        t.SetDim(24);
        assert_int_equal(t.SetAlignSplit(align, -1, 0), 0);
        assert_int_equal(t.SetSplitRange(high, -1, 64, -1, 64), 0);
        assert_int_equal(t.GetTiling(p), 0);
        assert_true(p.singleCoreM % align == 0 || p.singleCoreM == s.m);
        assert_true(p.baseM <= high && p.baseK <= 64);
        assert_true(p.baseN >= 64 || p.baseN == up(p.singleCoreN, 16));
        check_legal(chip, kinds[0], s, p);

        MultiCoreMatmulTiling r(chip);
        set_types(r, kinds[0], s);
        r.SetDim(48);
        assert_int_equal(r.SetSingleRange(2048, -1, -1, 128, 64, -1), 0);
        assert_int_equal(r.GetTiling(p), 0);
        assert_true(p.singleCoreM <= 2048 && p.singleCoreM >= 128 && p.singleCoreN >= 64);
    }
}

/* Where whole parts and bases cost little more there is no rest, so that kernels without SetTail
 * and with a number of tiles from the plan are right as well. */
static void no_rest(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    const struct {
        int64_t m, n, k;
        int dim, used;
    } sizes[] = {{512, 512, 128, 24, 16},   {1024, 1024, 1024, 20, 16}, {640, 1024, 256, 8, 8},
                 {768, 768, 768, 24, 24},   {96, 5120, 5120, 8, 8},     {1024, 640, 256, 8, 8},
                 {320, 320, 320, 48, 40},   {7680, 480, 320, 24, 24},   {7680, 480, 320, 48, 48},
                 {128, 4096, 4096, 24, 16}, {2560, 128, 512, 20, 20},   {1536, 1024, 512, 48, 48}};

    for (const auto &x : sizes) {
        const shape s = {x.m, x.n, x.k, false, false, false};
        MultiCoreMatmulTiling t(chip);
        Plan p;
        set_types(t, kinds[0], s);
        t.SetDim(x.dim);
        assert_int_equal(t.GetTiling(p), 0);
        assert_int_equal(p.usedCoreNum, x.used);
        assert_int_equal(s.m % p.singleCoreM, 0);
        assert_int_equal(s.n % p.singleCoreN, 0);
        assert_int_equal(p.singleCoreM % p.baseM, 0);
        assert_int_equal(p.singleCoreN % p.baseN, 0);
    }
}

/* Less room: still legal, in what is left. */
static void less_room(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");

    for (int i = 0; i < 300; i++) {
        const shape s = {draw_length(), draw_length(), draw_length(), false, false, false};
        const int l1 = 1024 * draw(16, 512), l0c = 1024 * draw(4, 128);
        const kind &k = kinds[draw(0, 3)];
        MatmulApiTiling t(chip);
        Plan p;
        set_types(t, k, s);
        assert_int_equal(t.SetBufferSpace(l1, l0c, -1), 0);
        if (t.GetTiling(p) == -1)
            fail_msg("l1 %d l0c %d: %s", l1, l0c, reason());
        check_legal(chip, k, s, p);
        assert_true(p.baseM * p.baseN * 4 * p.dbL0C <= l0c);
        assert_true((int64_t(p.baseM) * p.depthA1 + int64_t(p.baseN) * p.depthB1) * p.baseK *
                        k.bits / 8 <=
                    l1);
        assert_true(p.shareL1Size <= l1 && p.shareL0CSize <= l0c);
    }
}

static void schedules(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    Plan p;

    MatmulApiTiling nb(chip);
    set_types(nb, kinds[0], {256, 2048, 192, false, false, false});
    nb.SetMatmulConfigParams({1, false, ScheduleType::N_BUFFER_33, MatrixTraverse::NOSET, false});
    assert_int_equal(nb.GetTiling(p), 0);
    assert_true(p.stepM <= 3 && p.stepM * p.baseM >= 256 && p.stepKa == p.stepKb);
    assert_int_equal(p.stepKa, parts(192, p.baseK));
    assert_true(p.stepKa <= 3);
    check_legal(chip, kinds[0], {256, 2048, 192, false, false, false}, p);

    for (int by_n = 0; by_n < 2; by_n++) {
        MatmulApiTiling outer(chip);
        set_types(outer, kinds[0], {1024, 1024, 64, false, false, false});
        outer.SetMatmulConfigParams(1, false, ScheduleType::OUTER_PRODUCT,
                                    by_n ? MatrixTraverse::FIRSTN : MatrixTraverse::FIRSTM);
        assert_int_equal(outer.GetTiling(p), 0);
        assert_true((by_n ? p.stepM : p.stepN) == 2 && p.baseK >= 64 && p.dbL0C == 2);
        assert_int_equal(p.iterateOrder, by_n);
        check_legal(chip, kinds[0], {1024, 1024, 64, false, false, false}, p);
    }

    /* A lies in L1 already: all of it counts. */
    MatmulApiTiling tscm(chip);
    set_types(tscm, kinds[0], {256, 1024, 512, false, false, false});
    assert_int_equal(tscm.SetAType(TPosition::TSCM, CubeFormat::NZ, DataType::DT_FLOAT16), 0);
    assert_int_equal(tscm.GetTiling(p), 0);
    assert_int_equal(p.stepM * p.baseM * p.stepKa * p.baseK / (256 * 512), 1);
    assert_int_equal(p.depthA1, p.stepM * p.stepKa);
    assert_true(256 * 512 * 2 + int64_t(p.baseN) * p.baseK * p.depthB1 * 2 <= 524288 - 256);
}

static void batches(void **)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    BatchMatmulTiling t(chip);
    Plan p;
    int32_t dim, m, n, bm, bn;

    assert_int_equal(t.GetCoreNum(dim, m, n, bm, bn), -1);
    set_types(t, kinds[0], {64, 48, 32, false, false, false});
    assert_int_equal(t.SetSingleShape(64, 48, 32), 0);
    assert_int_equal(t.SetBatchInfoForNormal(2, 4, 64, 48, 32), 0);
    assert_int_equal(t.SetBatchNum(4), 0);
    assert_int_equal(t.GetTiling(p), 0);
    assert_true(p.ALayoutInfoB == 2 && p.ALayoutInfoS == 64 && p.ALayoutInfoD == 32);
    assert_true(p.BLayoutInfoB == 4 && p.BLayoutInfoS == 48 && p.BLayoutInfoD == 32);
    assert_true(p.CLayoutInfoB == 4 && p.CLayoutInfoS1 == 64 && p.CLayoutInfoS2 == 48);
    assert_int_equal(p.BatchNum, 4);
    assert_int_equal(t.GetCoreNum(dim, m, n, bm, bn), 0);
    assert_true(dim == 1 && m == 1 && n == 1 && bm == 1 && bn == 1);
    assert_int_equal(t.SetALayout(3, 64, 2, 2, 32) | t.SetBLayout(3, 32, 2, 2, 48) |
                         t.SetCLayout(3, 64, 2, 2, 48),
                     0);
    assert_int_equal(t.GetTiling(p), 0);
    assert_true(p.ALayoutInfoN == 2 && p.BLayoutInfoG == 2 && p.CLayoutInfoN == 2);
    assert_int_equal(t.SetALayout(0, 1, 1, 1, 1), -1);
    assert_int_equal(t.SetBatchNum(0), -1);
}

/* Constructors without a platform and with one by hand; scaled products of the A5. */
static void platforms(void **)
{
    Plan p;
    MatmulApiTiling own;
    set_types(own, kinds[0], {512, 512, 512, false, false, true});
    assert_int_equal(own.GetTiling(p), 0);
    check_legal(*PlatformAscendCManager::GetInstance(), kinds[0],
                {512, 512, 512, false, false, true}, p);

    const PlatformInfo small = {
        platform_ascendc::SocVersion::ASCEND910B, 65536, 16384, 0, 8192, 8192};
    MultiCoreMatmulTiling t(small);
    set_types(t, kinds[0], {512, 512, 512, false, false, true});
    assert_int_equal(t.SetMadType(MatrixMadType::MXMODE), -1);
    assert_int_equal(t.GetTiling(p), 0);
    assert_true(p.baseM * p.baseK * 2 * p.dbL0A <= 8192 && p.baseM * p.baseN * 4 <= 16384);

    const PlatformAscendC &a5 = *PlatformAscendCManager::GetInstance("Ascend950PR_9599");
    MatmulApiTiling mx(a5);
    set_types(mx, {DataType::DT_FLOAT8_E4M3FN, DataType::DT_FLOAT8_E5M2, DataType::DT_FLOAT, 8},
              {256, 256, 1000, false, true, false});
    assert_int_equal(mx.SetMadType(MatrixMadType::MXMODE), 0);
    assert_int_equal(mx.SetScaleAType(TPosition::GM, CubeFormat::ND), 0);
    assert_int_equal(mx.SetScaleBType(TPosition::GM, CubeFormat::ND), 0);
    assert_int_equal(mx.SetScaleBType(TPosition::CO1, CubeFormat::ND), -1);
    assert_int_equal(mx.GetTiling(p), 0);
    assert_true(p.baseK % 64 == 0 && p.mxTypePara == 0x01010101);
    assert_true(mx.EnableL1BankConflictOptimise());
}

template <class Set> static void refused(Set set, const char *what, const char *limit)
{
    const PlatformAscendC &chip = *PlatformAscendCManager::GetInstance("Ascend910B1");
    MultiCoreMatmulTiling t(chip);
    Plan p;

    set_types(t, kinds[0], {512, 512, 512, false, false, true});
    set(t);
    p.baseM = 77;
    assert_int_equal(t.GetTiling(p), -1);
    assert_int_equal(p.baseM, 77);
    const char *text = reason();
    if (!strstr(text, "MatmulApi Tiling") || !strstr(text, what) || !strstr(text, limit))
        fail_msg("\"%s\" has no \"%s\" and \"%s\"", text, what, limit);
}
static void refusals(void **)
{
    using T = MultiCoreMatmulTiling;
    refused([](T &t) { t.SetFixSplit(256, 256, -1); }, "262144 bytes of L0C", "131072");
    refused([](T &t) { t.SetFixSplit(24, 128, -1); }, "baseM 24", "multiples of 16");
    refused([](T &t) { t.SetFixSplit(-1, 528, -1); }, "baseN 528", "up to 512");
    refused([](T &t) { t.SetFixSplit(16, 512, -1); }, "2048 of BT", "(1024)");
    refused([](T &t) { t.SetBufferSpace(512, -1, -1); }, "L1 (512 free", "no base fits");
    refused([](T &t) { t.SetBufferSpace(1 << 20, -1, -1); }, "1048576 bytes of L1", "524288");
    refused([](T &t) { t.SetDim(49); }, "SetDim(49)", "48 cores");
    refused([](T &t) { t.SetSingleRange(16, 16, -1); }, "cannot be cut for 1 cores", "-1..16");
    refused([](T &t) { t.EnableMultiCoreSplitK(true); }, "EnableBias", "each part of k");
    refused([](T &t) { t.SetSparse(true); }, "SetSparse: A is half", "int8");
    refused([](T &t) { t.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT); },
            "B is float", "no cube core multiplies");
    refused([](T &t) { t.SetMatmulConfigParams(0, false, ScheduleType::N_BUFFER_33); },
            "N_BUFFER_33", "MDL");

    MatmulApiTiling t(*PlatformAscendCManager::GetInstance("Ascend910B1"));
    Plan p;
    assert_int_equal(t.GetTiling(p), -1);
    assert_non_null(strstr(reason(), "SetShape or SetOrgShape"));
    assert_int_equal(t.SetAType(TPosition::CO1, CubeFormat::ND, DataType::DT_FLOAT16), -1);
    assert_int_equal(t.SetCType(TPosition::A1, CubeFormat::ND, DataType::DT_FLOAT16), -1);
    assert_int_equal(t.SetBiasType(TPosition::GM, CubeFormat::NZ, DataType::DT_FLOAT), -1);
    assert_int_equal(t.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_INT8), -1);
    assert_int_equal(t.SetOrgShape(0, 1, 1), -1);
    assert_int_equal(t.SetShape(0, 1, 1), -1);
    assert_int_equal(t.SetBufferSpace(-2), -1);
    assert_int_equal(t.SetTraverse(MatrixTraverse::NOSET), -1);
    assert_int_equal(t.SetDequantType(DequantType::TENSOR), 0);
    assert_int_equal(t.SetDequantType(DequantType(7)), -1);
    assert_int_equal(t.SetDoubleBuffer(true, true, true, false), 0);
}

/* What cannot be planned leaves the caller's structs alone. */
static void a_refused_plan_writes_nothing(void **)
{
    nputwin_mm_question ask = {};
    nputwin_cube_tiling plan = {}, before = {};
    nputwin_mm_cut cut = {7, 8, 9};

    plan.M = before.M = 77;
    plan.baseK = before.baseK = 88;
    ask.shape = {-1, 16, 16};
    assert_int_equal(nputwin_matmul_plan(&ask, &plan, &cut), -1);
    assert_memory_equal(&plan, &before, sizeof plan);
    assert_true(cut.m == 7 && cut.n == 8 && cut.k == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes), cmocka_unit_test(fixed_numbers),
        cmocka_unit_test(ranges),        cmocka_unit_test(no_rest),
        cmocka_unit_test(less_room),     cmocka_unit_test(schedules),
        cmocka_unit_test(batches),       cmocka_unit_test(platforms),
        cmocka_unit_test(refusals),      cmocka_unit_test(a_refused_plan_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
