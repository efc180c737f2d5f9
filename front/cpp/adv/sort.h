/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort.h - TopK, Sort and what goes with it, and Arange.
 *
 * A sorted pair is 8 bytes, whatever the type: the score in the low bytes, its index in the high
 * four.
 */
#ifndef NPU_FRONT_ADV_SORT_H
#define NPU_FRONT_ADV_SORT_H
#include "softmax.h"
#include "../order.h"
#include "kernel_tiling/adv_types.h"

namespace AscendC {

struct TopKInfo {
    int32_t outter = 1, inner, n;
};

/* The form with a TopKConfig is one of other chips. */
#define NPU_TOPK(tmp_arg, ...)                                                                     \
    template <typename T, bool isInitIndex = false, bool isHasfinish = false,                      \
              bool isReuseSrc = false, enum TopKMode topkMode = TopKMode::TOPK_NORMAL>             \
    inline void TopK(                                                                              \
        const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,            \
        const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,                 \
        const LocalTensor<bool> &finishLocal __VA_ARGS__, const int32_t k, const TopkTiling &,     \
        const TopKInfo &topKInfo, const bool isLargest = true, npu_where where = NPU_HERE)         \
    {                                                                                              \
        constexpr bool is_small = topkMode == TopKMode::TOPK_NSMALL;                               \
        NPU_ROWS_TAKES(TopK, T, NPU_F16_F32);                                                      \
        const uint64_t rows = uint32_t(topKInfo.outter), n = uint32_t(topKInfo.inner);             \
        constexpr uint64_t per = NPU_BLK_BYTES / sizeof(T);                                        \
        const uint64_t kk = k > 0 ? uint32_t(k) : 0;                                               \
        const uint64_t values = is_small ? kk : (kk + per - 1) / per * per;                        \
        const uint64_t indices = is_small ? kk : (kk + 7) / 8 * 8;                                 \
        nputwin::topk_check(is_small, isHasfinish, topKInfo.outter, topKInfo.inner, where);        \
        nputwin::rows_call c(ROWS_TopK, nputwin::type_of<T>, nputwin::type_of<T>, where);          \
        c.writes(dstValueLocal, rows * values).writes(dstIndexLocal, rows * indices).tmp(tmp_arg); \
        c.reads(srcLocal, rows * n);                                                               \
        c.reads(srcIndexLocal, isInitIndex ? (is_small ? rows * n : n) : 0);                       \
        c.reads(finishLocal, isHasfinish ? rows : 0);                                              \
        c.number(rows).number(n).number(uint32_t(topKInfo.n)).number(kk).number(!isLargest);       \
        c.number(is_small).number(is_small ? 2 : 1).issue();                                       \
    }

} // namespace AscendC

namespace nputwin {

inline void topk_check(bool is_small, bool has_finish, int32_t outter, int32_t inner,
                       npu_where where)
{
    const bool fits = is_small ? inner == 32 : inner > 0 && inner <= 4096 && inner % 32 == 0;
    if (is_small && has_finish)
        npu_fault(core(), NPU_E_ARG, where, "TopK: isHasfinish is true, Small mode takes false");
    if (!fits || outter < 1)
        npu_fault(core(), NPU_E_ARG, where,
                  "TopK: outter %d, inner %d; outter is at least 1, and inner %s", outter, inner,
                  is_small ? "is 32 in Small mode" : "a multiple of 32 up to 4096");
}

} // namespace nputwin

namespace AscendC {

NPU_TMP_FORMS(NPU_TOPK)
#undef NPU_TOPK

template <typename T> inline uint32_t GetSortOffset(const uint32_t elemOffset)
{
    return elemOffset * 8;
}
template <typename T> inline uint32_t GetSortLen(const uint32_t elemCount) { return elemCount * 8; }

/* Scores need no preparation on this chip: a tensor without memory becomes src itself. */
template <typename T>
inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &,
                   const int32_t repeatTime, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(Concat, T, NPU_F16_F32);
    static_assert(nputwin::rows_takes<ROWS_Sort, T>(), "Concat: half and float are allowed");
    if (repeatTime < 0 || repeatTime > 255) {
        npu_fault(nputwin::core(), NPU_E_ARG, where, "Concat: repeatTime is %d, allowed are 0..255",
                  repeatTime);
        return;
    }
    if (!concat.raw() || concat.raw() == src.raw()) {
        concat = src;
        return;
    }
    nputwin::rows_call c(ROWS_Concat, nputwin::type_of<T>, nputwin::type_of<T>, where);
    const uint64_t n = uint64_t(repeatTime) * 16;
    c.writes(concat, n).reads(src, n).number(1).number(n).number(1).number(1);
    if (n)
        c.issue();
}

/* 32 scores of each repeat in falling order, or all of them with isFullSort. */
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
                 const LocalTensor<uint32_t> &index, LocalTensor<T> &tmp, const int32_t repeatTime,
                 npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(Sort, T, NPU_F16_F32);
    if (repeatTime < 0 || repeatTime > 255) {
        npu_fault(nputwin::core(), NPU_E_ARG, where, "Sort: repeatTime is %d, allowed are 0..255",
                  repeatTime);
        return;
    }
    nputwin::rows_call c(ROWS_Sort, nputwin::type_of<T>, nputwin::type_of<T>, where);
    const uint64_t n = uint64_t(repeatTime) * 32;
    c.writes(dst, 2 * n * (4 / sizeof(T)));
    if (isFullSort)
        c.tmp(tmp.template ReinterpretCast<uint8_t>());
    c.reads(concat, n).reads(index, n).number(n).number(isFullSort ? n : 32);
    if (n)
        c.issue();
}

/* 32 pairs a repeat. */
template <typename T>
inline void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
                    const LocalTensor<T> &sorted, const int32_t repeatTime,
                    npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(Extract, T, NPU_F16_F32);
    if (repeatTime < 0 || repeatTime > 255) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "Extract: repeatTime is %d, allowed are 0..255", repeatTime);
        return;
    }
    nputwin::rows_call c(ROWS_Extract, nputwin::type_of<T>, nputwin::type_of<T>, where);
    const uint64_t n = uint64_t(repeatTime) * 32;
    c.writes(dstValue, n).writes(dstIndex, n).reads(sorted, 2 * n * (4 / sizeof(T))).number(n);
    if (n)
        c.issue();
}

#if NPU_ARCH == 2201
/* The form that hands the lengths back. */
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
                    const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                    const int32_t repeatTime, npu_where where = NPU_HERE)
{
    if (repeatTime < 1 || repeatTime > 255) {
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "MrgSort: repeatTime is %d, allowed are 1..255", repeatTime);
        return;
    }
    MrgSort(dst, sortList,
            MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, uint8_t(repeatTime)),
            where);
    for (int i = 0; isExhaustedSuspension && i < 4; i++)
        sortedNum[i] = nputwin::core()->regs.n_merged[i];
}
#endif

/* dst[i] = firstValue + i * diffValue. */
template <typename T>
inline void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                   const int32_t count, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(Arange, T, "half, float, int16_t, int32_t");
    if (count < 1) {
        npu_fault(nputwin::core(), NPU_E_ARG, where, "Arange: count is %d, at least 1 is allowed",
                  count);
        return;
    }
    nputwin::rows_call c(ROWS_Arange, nputwin::type_of<T>, nputwin::type_of<T>, where);
    const auto wide = [](T v) {
        if constexpr (std::is_integral_v<T>)
            return double(v);
        else
            return double(float(v));
    };
    c.writes(dst, uint32_t(count)).number(uint32_t(count));
    c.bits(wide(firstValue), wide(diffValue)).issue();
}
/* The older name. */
template <typename T>
inline void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                             const int32_t count, npu_where where = NPU_HERE)
{
    Arange(dst, firstValue, diffValue, count, where);
}

} // namespace AscendC
#endif
