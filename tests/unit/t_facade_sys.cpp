/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_facade_sys.cpp - system variables, special registers, scalar arithmetic, shapes and layouts,
 * lists of tensors, dumps. Expected values are those of the documents' examples or worked out by
 * hand.
 */
#include "kernel.hpp"
#include <cmath>
#include <string>
#include <unistd.h>

using namespace AscendC;

/* What body prints to stdout. */
template <class Body> static std::string printed(Body body)
{
    FILE *file = tmpfile();
    const int keep = dup(1);
    fflush(stdout);
    dup2(fileno(file), 1);
    const outcome o = run_kernel(body);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    rewind(file);
    std::string text;
    for (int c; (c = fgetc(file)) != EOF;)
        text += char(c);
    fclose(file);
    if (o.status != NPU_OK)
        text = o.story;
    return text;
}

/* ---- scalars --------------------------------------------------------------------------- */

static void bits(void **)
{
    assert_int_equal(CountBitsCntSameAsSignBit(0x0100000000000020LL), 6);
    assert_int_equal(CountBitsCntSameAsSignBit(0), 63);
    assert_int_equal(CountBitsCntSameAsSignBit(-1), 63);
    assert_int_equal(CountBitsCntSameAsSignBit(-2), 62);
    assert_int_equal(CountLeadingZero(0), 64);
    assert_int_equal(CountLeadingZero(1), 63);
    assert_int_equal(CountLeadingZero(0x0fffffffffffffffULL), 4);
    assert_int_equal(GetBitCount<1>(0xf0f0ULL), 8);
    assert_int_equal(GetBitCount<0>(0xf0f0ULL), 56);
    assert_int_equal(GetSFFValue<1>(0x1000000000000100ULL), 8);
    assert_int_equal(GetSFFValue<1>(0), -1);
    assert_int_equal(GetSFFValue<0>(~0ULL), -1);
    assert_int_equal(GetSFFValue<0>(0xffULL), 8);
    assert_int_equal(CeilDivision(7, 2), 4);
    assert_int_equal(CeilDivision(8, 2), 4);
    assert_int_equal(CeilDivision(8, 0), 0);
    Nop();
    Nop<5>();
}
static void scalar_casts(void **)
{
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_ROUND>(2.5f)), 3);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_ROUND>(-2.5f)), -3);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_RINT>(2.5f)), 2);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_CEIL>(-2.5f)), -2);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f)), -3);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_RINT>(3e9f)), INT32_MAX);
    assert_int_equal((Cast<float, int32_t, RoundMode::CAST_RINT>(-3e9f)), INT32_MIN);
    /* 1 + 2^-12 lies between the halves 1 and 1 + 2^-10, whose last bits are 0 and 1 */
    assert_true(float(Cast<float, half, RoundMode::CAST_ODD>(1.000244140625f)) == 1.0009765625f);
    assert_true(float(Cast<float, half, RoundMode::CAST_ODD>(-1.000244140625f)) == -1.0009765625f);
    assert_true(float(Cast<float, half, RoundMode::CAST_ODD>(1.5f)) == 1.5f);
    assert_true(float(Cast<float, half, RoundMode::CAST_ODD>(1e6f)) == 65504.0f);
    assert_true(float(Cast(1.00390625f)) == 1.0f); /* 1 + 2^-8: a tie, to even */
    assert_true(Cast(bfloat16_t(-3.5f)) == -3.5f);
}
static void older_names(void **)
{
    assert_int_equal(ScalarCountLeadingZero(0x0fffffffffffffffULL), 4);
    assert_int_equal(ScalarGetCountOfValue<1>(0xf0f0ULL), 8);
    assert_int_equal(ScalarGetCountOfValue<0>(0xf0f0ULL), 56);
    assert_int_equal(ScalarGetSFFValue<1>(0x1000000000000100ULL), 8);
    assert_int_equal(ScalarGetSFFValue<0>(0xffULL), 8);
    assert_int_equal((ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f)), -3);
    assert_true(float(ScalarCast<float, half, RoundMode::CAST_ODD>(1.000244140625f)) ==
                1.0009765625f);
    assert_true(float(ToBfloat16(1.01171875f)) == 1.015625f); /* 1 + 3 * 2^-8: a tie, to even */
    assert_true(ToFloat(bfloat16_t(-3.5f)) == -3.5f);
}

/* ---- system ---------------------------------------------------------------------------- */

static void only_vector(int *n) { ++*n; }
static void variables(void **)
{
    uint8_t gm[8];
    int calls = 0;
    bool ok = true;
    run_well(
        [&] {
            ok &= GetBlockNum() == 3 && GetBlockIdx() < 3 && GetSubBlockIdx() == 0;
            ok &= GetSubBlockNum() == 1 && GetTaskRatio() == 1 && GetDataBlockSizeInBytes() == 32;
            ok &= GetSysWorkSpacePtr() == nullptr;
            SetSysWorkspace(gm);
            ok &= GetSysWorkSpacePtr() == gm;
            ok &= GetUserWorkspace(gm) == gm + 16 * 1024 * 1024;
            const int64_t t = GetSystemCycle();
            ok &= GetProgramCounter() != 0 && GetSystemCycle() >= t;
            if (GetBlockIdx() == 0) {
                Async<EngineType::AIV, only_vector>(&calls);
                Async<EngineType::AIC, only_vector>(&calls);
            }
            ICachePreLoad(1);
            PRELOAD(2);
            ok &= GetICachePreloadStatus() == 0;
            MetricsProfStart();
            MetricsProfStop();
        },
        3);
    assert_true(ok);
    assert_int_equal(calls, 1);
}

/* Half results: 60000 + 60000 is beyond 65504; inf - inf is no number. */
static void saturation(void **)
{
    enum { N = 32 };
    float got[6] = {};
    int64_t ctrl[3] = {};
    run_well([&] {
        LocalMemAllocator<Hardware::UB> ub;
        LocalTensor<half> a = ub.Alloc<half, N>(), d = ub.Alloc<half, N>();
        LocalTensor<float> f = ub.Alloc<float, N>();
        ctrl[0] = GetCtrlSpr<48, 48>();
        ctrl[1] = GetSaturationFlag<SaturationMode::FLOAT>();
        Duplicate(a, half(60000.0f), N);
        Add(d, a, a, N);
        got[0] = float(d.GetValue(3));
        SetSaturationFlag<SaturationMode::FLOAT>(true);
        ctrl[2] = GetCtrlSpr<48, 48>() * 2 + GetSaturationFlag<SaturationMode::FLOAT>();
        Add(d, a, a, N);
        got[1] = float(d.GetValue(3));
        Muls(d, a, half(-2.0f), 128, 1, {1, 1, 8, 8}); /* through the general walk */
        got[2] = float(d.GetValue(5));
        SetCtrlSpr<48, 48>(0);
        AscendCUtils::SetOverflow(1);
        Add(d, a, a, N);
        Sub(d, d, d, N);
        got[3] = float(d.GetValue(0));
        SetCtrlSpr<48, 48>(1);
        AscendCUtils::SetOverflow(0);
        Adds(a, d, half(0.0f), N);
        got[4] = float(a.GetValue(0));
        Duplicate(f, 1e9f, N);
        Cast(d, f, RoundMode::CAST_RINT, N);
        got[5] = float(d.GetValue(1));
        ctrl[1] += GetSaturationFlag<SaturationMode::CAST>() ? 10 : 0;
    });
    assert_true(std::isinf(got[0]));
    assert_true(got[1] == 65504.0f && got[2] == -65504.0f);
    assert_true(std::isnan(got[3]));
    assert_true(got[4] == 0.0f && got[5] == 65504.0f);
    assert_int_equal(ctrl[0], 1);
    assert_int_equal(ctrl[1], 10);
    assert_int_equal(ctrl[2], 1);
}

/* ---- shapes and layouts ---------------------------------------------------------------- */

static void layouts(void **)
{
    using Std::Int;
    constexpr auto shape = MakeShape(3, 4, 5);
    constexpr auto stride = MakeStride(20, 5, 1);
    constexpr auto layout = MakeLayout(shape, stride);
    static_assert(layout(MakeCoord(1, 2, 3)) == 33, "");
    static_assert(Crd2Idx(MakeCoord(1, 2, 3), layout) == 33, "");
    static_assert(Crd2Idx(MakeCoord(1, 2, 3), shape, stride) == 33, "");
    /* fewer numbers than dimensions */
    constexpr auto nested = MakeLayout(MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                                       MakeStride(MakeStride(3, 6), MakeStride(1, 24)));
    static_assert(nested(MakeCoord(11, 12)) == 129, "");
    static_assert(Crd2Idx(MakeCoord(Int<1>{}, Int<2>{}), MakeShape(Int<4>{}, Int<8>{}),
                          MakeStride(Int<8>{}, Int<1>{})) == 10,
                  "");
    static_assert(is_layout<decltype(layout)>::value == false, ""); /* const */
    static_assert(is_layout_v<std::remove_const_t<decltype(layout)>>, "");
    static_assert(Std::get<1>(layout.GetShape()) == 4 && Std::get<0>(layout.GetStride()) == 20, "");
    assert_int_equal(Std::get<2>(layout.layout().GetShape()), 5);

    TensorTrait<half> plain;
    (void)plain.GetLayout();
    auto trait =
        MakeTensorTrait<float, TPosition::VECIN>(MakeLayout(MakeShape(2, 3), MakeStride(3, 1)));
    static_assert(is_tensorTrait<decltype(trait)>::value && !is_tensorTrait<float>::value, "");
    static_assert(is_tensorTrait_v<TensorTrait<half>>, "");
    static_assert(std::is_same_v<decltype(trait)::LiteType, float>, "");
    assert_int_equal(trait.GetLayout()(MakeCoord(1, 2)), 5);
    trait.SetLayout(MakeLayout(MakeShape(2, 3), MakeStride(1, 2)));
    assert_int_equal(trait.GetLayout()(MakeCoord(1, 2)), 5);
    assert_int_equal(trait.GetLayout()(MakeCoord(1, 1)), 3);
}
static void shape_info(void **)
{
    const uint32_t dims[] = {2, 3, 4}, original[] = {2, 12};
    const ShapeInfo s(3, dims, 2, original, DataFormat::NZ), t(3, dims),
        u(2, original, DataFormat::NHWC);
    assert_int_equal(GetShapeSize(s), 24);
    assert_int_equal(GetShapeSize(ShapeInfo()), 1);
    assert_true(s.dataFormat == DataFormat::NZ && t.dataFormat == DataFormat::ND);
    assert_true(u.dataFormat == DataFormat::NHWC && u.originalShape[1] == 12);
    bool ok = true;
    run_well([&] {
        LocalTensor<float> x(TPosition::VECIN, 64, 24);
        GlobalTensor<float> g;
        ok &= x.GetShapeInfo().shapeDim == 0 && g.GetShapeInfo().shapeDim == 0;
        x.SetShapeInfo(s);
        g.SetShapeInfo(u);
        ok &= x.GetShapeInfo().originalShape[1] == 12 && x.GetShapeInfo().shape[2] == 4;
        ok &= g.GetShapeInfo().shapeDim == 2;
        ok &= x[4].GetShapeInfo().shapeDim == 3; /* copies keep it */
        g.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        g.SetL2CacheHint<CacheRwMode::READ>(CacheMode::CACHE_MODE_NORMAL);
    });
    assert_true(ok);
}
static void lengths_and_bases(void **)
{
    bool ok = true;
    run_well([&] {
        TPipe pipe;
        LocalTensor<uint8_t> first(TPosition::VECIN, 0, 64);
        ok &=
            uint64_t(uintptr_t(pipe.GetBaseAddr(int8_t(TPosition::VECOUT)))) == first.GetPhyAddr();
        ok &= pipe.GetBaseAddr(int8_t(TPosition::A1)) == nullptr; /* a vector core has no L1 */
        LocalTensor<half> t = first.ReinterpretCast<half>();
        t.SetBufferLen(128);
        ok &= t.GetLength() == 128 && t.GetSize() == 64;
        t.SetSize(16);
        ok &= t.GetLength() == 32;
        /* without the barrier on all pipes, and a new pipe after it */
        pipe.DestroyWithoutPipeAll();
        ok &= GetTPipePtr() == nullptr;
        TPipe next;
        ok &= GetTPipePtr() == &next;
    });
    assert_true(ok);
    using Flat = Layout<Shape<int>, Stride<int>>;
    static_assert(is_layout<Flat>::value && Flat(MakeShape(3), MakeStride(2))(MakeCoord(2)) == 4,
                  "");
}
/* Tensors of a trait move and are read as tensors of its element. */
static void traits_as_elements(void **)
{
    float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {};
    using Trait = TensorTrait<float>;
    run_well([&] {
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q;
        pipe.InitBuffer(q, 1, 32);
        GlobalTensor<Trait> a, b;
        a.SetGlobalBuffer(in, 8);
        b.SetGlobalBuffer(out, 8);
        LocalTensor<Trait> x = q.AllocTensor<Trait>();
        DataCopy(x, a, 8);
        q.EnQue(x);
        x = q.DeQue<Trait>();
        PipeBarrier<PIPE_ALL>();
        Add(x, x, x, 8);
        PipeBarrier<PIPE_ALL>();
        x.SetValue(0, x.GetValue(1) + 0.5f);
        DataCopy(b, x, 8);
        q.FreeTensor(x);
        if (LocalTensor<TensorTrait<half, TPosition::VECIN>>(uint32_t(64)).GetPhyAddr() !=
            LocalTensor<half>(TPosition::VECIN, 64, 8).GetPhyAddr())
            Trap();
    });
    for (int i = 1; i < 8; i++)
        assert_true(out[i] == 2.0f * in[i]);
    assert_true(out[0] == 4.5f);
}

static void standard_names(void **)
{
    static_assert(Std::is_same<int, int>::value &&
                      Std::is_same_v<Std::conditional_t<true, int, half>, int>,
                  "");
    static_assert(Std::min(3, 5L) == 3 && Std::max(3, 5L) == 5, "");
    static_assert(Std::ceil_align(33, 32) == 64 && Std::ceil_division(33, 32) == 2, "");
    static_assert(Std::is_same_v<Std::remove_cvref_t<const int &>, int>, "");
    auto t = Std::make_tuple(1, 2.5f, 'c');
    static_assert(Std::tuple_size<decltype(t)>::value == 3 && Std::tuple_size_v<decltype(t)> == 3,
                  "");
    static_assert(Std::is_same_v<Std::tuple_element<1, decltype(t)>::type, float>, "");
    int i = 0;
    Std::tie(i, Std::ignore, Std::ignore) = t;
    assert_int_equal(i, 1);
    assert_true(Std::get<1>(t) == 2.5f && Std::sqrt(9.0f) == 3.0f && Std::abs(-4) == 4);
}

/* ---- lists of tensors ------------------------------------------------------------------ */

static void list_of_tensors(void **)
{
    int32_t first[3] = {7, 8, 9}, second[2] = {1, 2};
    struct {
        uint64_t pointers;
        uint32_t dim0, index0;
        uint64_t shape0[3];
        uint32_t dim1, index1;
        uint64_t shape1[1];
        int32_t *at[2];
    } list = {8 + 32 + 16, 3, 0, {1, 2, 3}, 1, 1, {2}, {first, second}};
    bool ok = true;
    run_well([&] {
        ListTensorDesc l(&list, sizeof list, 2), later;
        uint64_t shape[8] = {};
        TensorDesc<int32_t> d;
        ok &= l.GetSize() == 2 && l.GetDataPtr<int32_t>(1) == second;
        d.SetShapeAddr(shape);
        l.GetDesc(d, 0);
        ok &= d.GetDim() == 3 && d.GetIndex() == 0 && d.GetShape(0) == 1 && d.GetShape(2) == 3;
        ok &= d.GetDataPtr() == first && d.GetDataObj().GetValue(2) == 9;
        later.Init(&list);
        later.GetDesc(d, 1);
        ok &= d.GetDim() == 1 && d.GetIndex() == 1 && shape[0] == 2;
    });
    assert_true(ok);
    run_fails([&] { ListTensorDesc(&list).GetDataPtr<int32_t>(2); }, NPU_E_ARG, {"tensor 2 of 2"});
    run_fails([&] { ListTensorDesc(&list, 60); }, NPU_E_ARG, {"60 bytes"});
    run_fails([&] { ListTensorDesc(&list, sizeof list, 3); }, NPU_E_ARG, {"3 tensors"});
    run_fails([] { ListTensorDesc(nullptr); }, NPU_E_ARG, {"null"});
}

/* ---- dumps ----------------------------------------------------------------------------- */

static void dumps(void **)
{
    const std::string local = printed([] {
        LocalMemAllocator<Hardware::UB> ub;
        (void)ub.Alloc<half, 16>();
        LocalTensor<half> x = ub.Alloc<half, 32>();
        for (uint32_t i = 0; i < 32; i++)
            x.SetValue(i, half(float(i) * 0.5f));
        DumpTensor(x, 5, 3);
        DumpAccChkPoint(x, 6, 16, 2);
        x.Print(18);
    });
    assert_string_equal(local.c_str(),
                        "DumpTensor: desc=5, addr=20, data_type=float16, position=UB, dump_size=3\n"
                        "[0.000000, 0.500000, 1.000000]\n"
                        "DumpTensor: desc=6, addr=40, data_type=float16, position=UB, dump_size=2\n"
                        "[8.000000, 8.500000]\n"
                        "0.000000 0.500000 1.000000 1.500000 2.000000 2.500000 3.000000 3.500000 "
                        "4.000000 4.500000 5.000000 5.500000 6.000000 6.500000 7.000000 7.500000\n"
                        "8.000000 8.500000\n");
    int32_t gm[4] = {-1, 2, -3, 4};
    const std::string global = printed([&] {
        GlobalTensor<int32_t> g;
        const uint32_t dims[] = {2, 3};
        g.SetGlobalBuffer(gm, 4);
        DumpTensor(g, 1, 4, ShapeInfo(2, dims));
        DumpAccChkPoint(g, 2, 3, 1);
    });
    assert_non_null(strstr(global.c_str(), "data_type=int32, position=GM, dump_size=4\n"
                                           "[[-1, 2, -3],\n[4, -, -]]\n"));
    assert_non_null(strstr(global.c_str(), "desc=2"));
    assert_non_null(strstr(global.c_str(), "\n[4]\n"));
    const std::string large = printed([] {
        LocalTensor<float> x(TPosition::VECIN, 0, 8000);
        DumpTensor(x, 1, 8000);
    });
    assert_string_equal(large.c_str(), "");
    run_fails(
        [] {
            LocalTensor<float> x(TPosition::VECIN, 196608 - 32, 8);
            DumpTensor(x, 1, 9);
        },
        NPU_E_RANGE, {"DumpTensor: 9 elements"});
    assert_string_equal(printed([] { PrintTimeStamp(70000); }).c_str(), ""); /* not compiled in */
}
/* From an address on; asc_dump finds the memory, the others refuse another than theirs. */
static void dumps_of_addresses(void **)
{
    uint16_t gm[3] = {7, 8, 9};
    const std::string text = printed([&] {
        LocalTensor<float> x(TPosition::VECIN, 64, 8);
        x.SetValue(0, 1.5f);
        x.SetValue(1, -2.0f);
        asc_dump_gm<uint16_t>(gm, 1, 2);
        asc_dump_ubuf<float>((float *)x.GetPhyAddr(), 2, 2);
        asc_dump(gm + 2, 3, 1);
        asc_dump((float *)x.GetPhyAddr() + 1, 4, 1);
        asc_time_stamp(70000);
        TRACE_START(0x2);
        asc_prof_start();
        asc_prof_stop();
        TRACE_STOP(0x2);
    });
    char at[2][32];
    for (int i = 0; i < 2; i++)
        std::snprintf(at[i], sizeof at[i], "%llx", (unsigned long long)(uintptr_t)(gm + 2 * i));
    const std::string want =
        std::string("DumpTensor: desc=1, addr=") + at[0] +
        ", data_type=uint16, position=GM, dump_size=2\n[7, 8]\n"
        "DumpTensor: desc=2, addr=40, data_type=float32, position=UB, dump_size=2\n"
        "[1.500000, -2.000000]\n"
        "DumpTensor: desc=3, addr=" +
        at[1] +
        ", data_type=uint16, position=GM, dump_size=1\n[9]\n"
        "DumpTensor: desc=4, addr=44, data_type=float32, position=UB, dump_size=1\n[-2.000000]\n";
    assert_string_equal(text.c_str(), want.c_str());
    run_fails([&] { asc_dump_ubuf(gm, 1, 1); }, NPU_E_RANGE, {"asc_dump_ubuf", "of GM, not of UB"});
    run_fails([] { asc_dump_l1buf(nputwin::core()->mem[MEM_UB].base + 96, 1, 1); }, NPU_E_RANGE,
              {"asc_dump_l1buf", "byte 0x60 of UB, not of L1"});
    run_fails([] { asc_dump_cbuf(nputwin::core()->mem[MEM_UB].base, 1, 1); }, NPU_E_RANGE,
              {"asc_dump_cbuf", "not of L0C"});
    run_fails([] { asc_dump((float *)(nputwin::core()->mem[MEM_UB].base + 196608 - 4), 1, 2); },
              NPU_E_RANGE, {"asc_dump: 2 elements end at byte 196612 of UB"});
}
static void to_file(void **)
{
    char name[] = "/tmp/nputwin_to_file_XXXXXX";
    close(mkstemp(name));
    int32_t status[2] = {9, 9};
    run_well([&] {
        LocalTensor<uint16_t> x(TPosition::VECIN, 0, 3);
        for (uint32_t i = 0; i < 3; i++)
            x.SetValue(i, 0x4141 + i);
        status[0] = x.ToFile(std::string(name));
        status[1] = x.ToFile(std::string("/nonexistent/x"));
    });
    char text[16] = {};
    FILE *f = fopen(name, "rb");
    assert_int_equal(fread(text, 1, sizeof text, f), 6);
    fclose(f);
    unlink(name);
    assert_string_equal(text, "AABACA");
    assert_int_equal(status[0], 0);
    assert_int_equal(status[1], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),
        cmocka_unit_test(scalar_casts),
        cmocka_unit_test(older_names),
        cmocka_unit_test(variables),
        cmocka_unit_test(saturation),
        cmocka_unit_test(layouts),
        cmocka_unit_test(shape_info),
        cmocka_unit_test(traits_as_elements),
        cmocka_unit_test(lengths_and_bases),
        cmocka_unit_test(standard_names),
        cmocka_unit_test(list_of_tensors),
        cmocka_unit_test(dumps),
        cmocka_unit_test(dumps_of_addresses),
        cmocka_unit_test(to_file),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
