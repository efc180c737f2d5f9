/* SPDX-License-Identifier: Apache-2.0 */
/* t_gather.cpp - Gather: elements by byte offsets; tails, masks, strides, wrong offsets. */
#include "kernel.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t N = 700; /* five repeats of 16-bit lanes and a part */

/* Element i of dst comes from element (i * 37 + 5) % N of src. */
uint32_t source_of(uint32_t i) { return (i * 37 + 5) % N; }

template <class T> void check_count_form(void **)
{
    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> a, b, o;
        pipe.InitBuffer(a, N * sizeof(T));
        pipe.InitBuffer(b, (N + 128) * sizeof(T));
        pipe.InitBuffer(o, N * sizeof(uint32_t));
        LocalTensor<T> src = a.Get<T>(), dst = b.Get<T>();
        LocalTensor<uint32_t> offset = o.Get<uint32_t>();
        for (uint32_t count : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 129u, N}) {
            for (uint32_t i = 0; i < N; i++) {
                src.SetValue(i, T(int(i) + 3));
                offset.SetValue(i, source_of(i) * uint32_t(sizeof(T)));
            }
            for (uint32_t i = 0; i < N + 128; i++)
                dst.SetValue(i, T(1));
            Gather(dst, src, offset, 0u, count);
            for (uint32_t i = 0; i < N + 128; i++) {
                const T want = i < count ? T(int(source_of(i)) + 3) : T(1);
                if (nputwin::bits_of(dst.GetValue(i)) != nputwin::bits_of(want))
                    npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "count %u: element %u", count, i);
            }
        }
    });
}

/* Tables that fit registers and those that just do not; the first entry is not at offset 0. */
void check_small_tables(void **)
{
    constexpr uint32_t MANY = 1000, FIRST = 6;

    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> a, b, o;
        pipe.InitBuffer(a, 1024);
        pipe.InitBuffer(b, (MANY + 24) * sizeof(uint16_t));
        pipe.InitBuffer(o, MANY * sizeof(uint32_t));
        LocalTensor<uint16_t> src = a.Get<uint16_t>(), dst = b.Get<uint16_t>();
        LocalTensor<uint32_t> offset = o.Get<uint32_t>();
        for (uint32_t i = 0; i < 512; i++)
            src.SetValue(i, uint16_t(i * 40503));
        for (uint32_t entries : {1u, 2u, 31u, 64u, 128u, 200u, 255u, 256u, 257u, 500u}) {
            for (uint32_t i = 0; i < MANY; i++)
                offset.SetValue(i, (FIRST + i * 7919 % entries) * 2);
            dst.SetValue(MANY - 1, 1);
            Gather(dst, src, offset, 4u, MANY - 1);
            for (uint32_t i = 0; i < MANY; i++) {
                const uint16_t from = uint16_t((2 + FIRST + i * 7919 % entries) * 40503);
                if (dst.GetValue(i) != (i + 1 < MANY ? from : 1))
                    npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "%u entries: element %u", entries,
                              i);
            }
        }
    });
}

/* Every other lane, two repeats, a gap of one blk in dst, and a base that skips 8 elements. */
void check_repeat_form(void **)
{
    run_well([] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> a, b, o;
        pipe.InitBuffer(a, 2048);
        pipe.InitBuffer(b, 2048);
        pipe.InitBuffer(o, 2048);
        LocalTensor<int32_t> src = a.Get<int32_t>(), dst = b.Get<int32_t>();
        LocalTensor<uint32_t> offset = o.Get<uint32_t>();
        for (uint32_t i = 0; i < 512; i++) {
            src.SetValue(i, int(i) * 7);
            dst.SetValue(i, -1);
        }
        for (uint32_t i = 0; i < 128; i++)
            offset.SetValue(i, (127 - i) * 4);
        const uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0};
        Gather(dst, src, offset, 32u, odd, 2, 9);
        for (uint32_t i = 0; i < 512; i++) {
            const uint32_t r = i / 72, lane = i % 72; /* 8 blks of a repeat and the gap */
            const bool on = r < 2 && lane < 64 && lane % 2;
            const int32_t want = on ? int32_t(8 + 127 - (r * 64 + lane)) * 7 : -1;
            if (dst.GetValue(i) != want)
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "element %u: %d, not %d", i,
                          dst.GetValue(i), want);
        }
        dst.SetValue(0, 5);
        Gather(dst, src, offset, 0u, 3, 1, 8); /* a number of lanes */
        for (uint32_t i = 0; i < 3; i++)
            if (dst.GetValue(i) != int32_t(127 - i) * 7)
                npu_fault(npu_self(), NPU_E_ARG, NPU_HERE, "lane %u", i);
    });
}

void with_offset(uint32_t at, uint32_t base)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b, o;
    pipe.InitBuffer(a, 256);
    pipe.InitBuffer(b, 256);
    pipe.InitBuffer(o, 512);
    LocalTensor<uint32_t> offset = o.Get<uint32_t>();
    for (uint32_t i = 0; i < 128; i++)
        offset.SetValue(i, i == 77 ? at : 2 * i);
    Gather(b.Get<half>(), a.Get<half>(), offset, base, 128u);
}

void check_wrong_offsets(void **)
{
    run_fails([] { with_offset(196608, 0); }, NPU_E_RANGE,
              {"vgather", "src0", "196608 bytes", "t_gather.cpp"});
    run_fails([] { with_offset(0xfffffffe, 0); }, NPU_E_RANGE, {"vgather", "src0"});
    run_fails([] { with_offset(100, 0xfffffff0); }, NPU_E_RANGE, {"vgather", "src0"});
    run_fails([] { with_offset(13, 0); }, NPU_E_ALIGN,
              {"vgather", "src0", "byte 13", "multiple of 2"});
    run_fails([] { with_offset(12, 1); }, NPU_E_ALIGN, {"vgather", "src0", "multiple of 2"});
    run_well([] { with_offset(196606, 0); });
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(check_count_form<half>),
        cmocka_unit_test(check_count_form<bfloat16_t>),
        cmocka_unit_test(check_count_form<int16_t>),
        cmocka_unit_test(check_count_form<uint16_t>),
        cmocka_unit_test(check_count_form<float>),
        cmocka_unit_test(check_count_form<int32_t>),
        cmocka_unit_test(check_count_form<uint32_t>),
        cmocka_unit_test(check_small_tables),
        cmocka_unit_test(check_repeat_form),
        cmocka_unit_test(check_wrong_offsets),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
