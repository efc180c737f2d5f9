/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.h - reductions inside a repeat or a blk, Brcb and Copy: the calls that move elements to
 * other places.
 *
 * Rule: dstRepStride counts results of one repeat (elements, pairs of value and index, or eight
 * values), not blks; it travels as it is in npu_ref.rep_stride and the engine knows the unit.
 */
#ifndef NPU_FRONT_REDUCE_H
#define NPU_FRONT_REDUCE_H
#include "vector.h"

namespace nputwin {

template <npu_op op, bool isSetMask, class T, class Mask>
inline void reduce(const T *dst, const T *src, Mask mask, int32_t repeat, int32_t dst_rep,
                   int32_t src_blk, int32_t src_rep, uint8_t order, npu_where where)
{
    npu_core *c = core();
    if (NPU_UNLIKELY(repeat < 0 || repeat > 255)) {
        npu_fault(c, NPU_E_ARG, where, "repeatTime is %d, allowed are 0..255", repeat);
        return;
    }
    if constexpr (isSetMask)
        load_mask(c, mask_argument(mask), where);
    npu_insn in =
        vec_insn(c, op, type_of<T>, dst, src, nullptr, uint32_t(repeat),
                 {{1, uint16_t(src_blk), 0}, {uint16_t(dst_rep), uint16_t(src_rep), 0}}, where);
    in.mode = order;
    issue_masked(c, in);
}

/* Results of the first round of a sum over n_repeats that the mask register may count instead. */
template <class T> inline uint32_t n_results(const npu_core *c, int32_t repeat)
{
    constexpr uint32_t lanes = NPU_REPEAT_BYTES / sizeof(T);
    if (c->regs.counter_mode)
        return uint32_t((c->regs.mask[0] + lanes - 1) / lanes);
    return c->regs.mask[0] | c->regs.mask[1] ? uint32_t(repeat) : 0;
}

/* The tree over the results of all repeats: rounds of vcadd in tmp until one is left. */
template <class T>
inline void sum_tree(npu_core *c, const T *dst, const T *tmp, npu_insn first, npu_where where)
{
    constexpr uint32_t lanes = NPU_REPEAT_BYTES / sizeof(T);
    uint32_t n = n_results<T>(c, int32_t(first.repeat));
    if (n == 1)
        first.ref[0] = ub_ref(c, dst, 1, 1);
    if (n)
        issue_masked(c, first);
    for (; n > 1; n = (n + lanes - 1) / lanes) {
        npu_insn in = vec_insn(c, OP_vcadd, type_of<T>, n <= lanes ? dst : tmp, tmp, nullptr, 0,
                               {{1, 1, 0}, {1, 8, 0}}, where);
        in.mode = uint8_t(AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        in.count = n;
        npu_issue(c, &in);
    }
}

/* repeatTime and srcRepStride of ReduceSum and its sisters; false and a fault outside them. */
inline bool check_reduce(npu_core *c, const char *name, int32_t repeat, int32_t rep_stride,
                         npu_where where)
{
    if (NPU_LIKELY(repeat >= 0 && rep_stride >= 0 && rep_stride <= 65535))
        return true;
    npu_fault(c, NPU_E_ARG, where,
              "%s: repeatTime %d, srcRepStride %d; at least 0 and 0 to 65535 are allowed", name,
              repeat, rep_stride);
    return false;
}

/* One maximum or minimum over everything, with its index when asked for. */
template <npu_op op, class T>
inline npu_insn extreme_insn(const npu_core *c, const T *dst, const T *src, uint32_t repeat,
                             int32_t src_rep, bool with_index, npu_where where)
{
    npu_insn in = vec_insn(c, op, type_of<T>, dst, src, nullptr, repeat,
                           {{1, 1, 0}, {1, uint16_t(src_rep), 0}}, where);
    in.mode = uint8_t(with_index ? AscendC::ReduceOrder::ORDER_VALUE_INDEX
                                 : AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    return in;
}

} // namespace nputwin

namespace AscendC {

#define NPU_REDUCE_ARGS int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride
#define NPU_REDUCE_CALL(row, order)                                                                \
    nputwin::reduce<OP_##row, isSetMask>(dst.raw(), src.raw(), mask, repeatTime, dstRepStride,     \
                                         srcBlkStride, srcRepStride, uint8_t(order), where)

/* One result a repeat. */
template <typename T, bool isSetMask = true, typename Mask>
inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask,
                           const int32_t repeatTime, const NPU_REDUCE_ARGS,
                           npu_where where = NPU_HERE)
{
    NPU_TAKES("WholeReduceSum", OP_vcadd, T);
    NPU_REDUCE_CALL(vcadd, ReduceOrder::ORDER_ONLY_VALUE);
}
#define NPU_WHOLE_REDUCE(name, row)                                                                \
    template <typename T, bool isSetMask = true, typename Mask>                                    \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask,        \
                     const int32_t repeatTime, const NPU_REDUCE_ARGS,                              \
                     ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,                           \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        NPU_REDUCE_CALL(row, order);                                                               \
    }
NPU_WHOLE_REDUCE(WholeReduceMax, vcmax)
NPU_WHOLE_REDUCE(WholeReduceMin, vcmin)

/* Eight results a repeat, one for each blk; here the repeat number comes before the mask. */
#define NPU_BLOCK_REDUCE(name, row)                                                                \
    template <typename T, bool isSetMask = true, typename Mask>                                    \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                         \
                     const int32_t repeatTime, const Mask mask, const NPU_REDUCE_ARGS,             \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        NPU_REDUCE_CALL(row, ReduceOrder::ORDER_ONLY_VALUE);                                       \
    }
NPU_BLOCK_REDUCE(BlockReduceSum, vcgadd)
NPU_BLOCK_REDUCE(BlockReduceMax, vcgmax)
NPU_BLOCK_REDUCE(BlockReduceMin, vcgmin)

/* The names of the newer documentation. */
template <ReduceType type, typename T, typename U, bool isSetMask = true, typename Mask>
inline void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                         const int32_t repeatTime, const NPU_REDUCE_ARGS,
                         ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                         npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<T, U>, "ReduceRepeat: dst and src have one type on this chip");
    NPU_TAKES("ReduceRepeat", OP_vcadd, T);
    if constexpr (type == ReduceType::SUM)
        NPU_REDUCE_CALL(vcadd, ReduceOrder::ORDER_ONLY_VALUE);
    else if constexpr (type == ReduceType::MAX)
        NPU_REDUCE_CALL(vcmax, order);
    else
        NPU_REDUCE_CALL(vcmin, order);
}
template <ReduceType type, typename T, typename U, bool isSetMask = true, typename Mask>
inline void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                            const int32_t repeatTime, const NPU_REDUCE_ARGS,
                            npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<T, U>, "ReduceDataBlock: dst and src have one type on this chip");
    NPU_TAKES("ReduceDataBlock", OP_vcgadd, T);
    if constexpr (type == ReduceType::SUM)
        NPU_REDUCE_CALL(vcgadd, ReduceOrder::ORDER_ONLY_VALUE);
    else if constexpr (type == ReduceType::MAX)
        NPU_REDUCE_CALL(vcgmax, ReduceOrder::ORDER_ONLY_VALUE);
    else
        NPU_REDUCE_CALL(vcgmin, ReduceOrder::ORDER_ONLY_VALUE);
}

/* On 2201 the names below have these types and this order of additions; 3510 has others. */
#if NPU_ARCH == 2201
/* One sum for each two neighbours; dstRepStride counts 128 bytes. */
template <ReduceType type, typename T, typename U, bool isSetMask = true, typename Mask>
inline void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,
                           const int32_t repeatTime, const NPU_REDUCE_ARGS,
                           npu_where where = NPU_HERE)
{
    static_assert(type == ReduceType::SUM, "ReducePairElem: the chip has ReduceType::SUM only");
    static_assert(std::is_same_v<T, U>, "ReducePairElem: dst and src have one type on this chip");
    NPU_TAKES("ReducePairElem", OP_vcpadd, T);
    NPU_REDUCE_CALL(vcpadd, ReduceOrder::ORDER_ONLY_VALUE);
}
/* Older names. dstBlkStride of RepeatReduceSum was never looked at. */
template <typename T, bool isSetMask = true, typename Mask>
inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const int32_t repeatTime, const Mask mask, const NPU_REDUCE_ARGS,
                          npu_where where = NPU_HERE)
{
    NPU_TAKES("PairReduceSum", OP_vcpadd, T);
    NPU_REDUCE_CALL(vcpadd, ReduceOrder::ORDER_ONLY_VALUE);
}
template <typename T, bool isSetMask = true, typename Mask>
inline void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                            const int32_t repeatTime, const Mask mask, const int32_t,
                            const int32_t srcBlkStride, const int32_t dstRepStride,
                            const int32_t srcRepStride, npu_where where = NPU_HERE)
{
    NPU_TAKES("RepeatReduceSum", OP_vcadd, T);
    NPU_REDUCE_CALL(vcadd, ReduceOrder::ORDER_ONLY_VALUE);
}

/* The sum of the first count elements: a tree inside each 256 bytes, those one after the other. The
 * buffer is not used. With isSetMask = false the mask register says how much. */
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                      const int32_t count, npu_where where = NPU_HERE)
{
    NPU_TAKES("ReduceSum", OP_vsumall, T);
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vsumall, nputwin::type_of<T>, dst.raw(), src.raw(),
                                    nullptr, 1, {{1, 1, 0}, {1, 8, 0}}, where);
    if constexpr (isSetMask) {
        in.count = count > 0 ? uint32_t(count) : 0;
        if (in.count)
            npu_issue(c, &in);
        nputwin::after_count(c);
    } else {
        nputwin::issue_masked(c, in);
    }
}
/* Trees all the way; sharedTmpBuffer holds the results of the repeats. */
template <typename T, typename Mask>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      const LocalTensor<T> &sharedTmpBuffer, const Mask mask,
                      const int32_t repeatTime, const int32_t srcRepStride,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("ReduceSum", OP_vcadd, T);
    npu_core *c = nputwin::core();
    if (!nputwin::check_reduce(c, "ReduceSum", repeatTime, srcRepStride, where))
        return;
    nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(c, OP_vcadd, nputwin::type_of<T>, sharedTmpBuffer.raw(),
                                    src.raw(), nullptr, uint32_t(repeatTime),
                                    {{1, 1, 0}, {1, uint16_t(srcRepStride), 0}}, where);
    in.mode = uint8_t(ReduceOrder::ORDER_ONLY_VALUE);
    nputwin::sum_tree(c, dst.raw(), sharedTmpBuffer.raw(), in, where);
}

/* dst[0] is the extreme, dst[1] (with calIndex) its index as the bits of an integer, counted over
 * the lanes of all repeats. The work buffer of the chip's version is not needed. */
#define NPU_REDUCE_ALL(name, row)                                                                  \
    template <typename T>                                                                          \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &, \
                     const int32_t count, bool calIndex = false, npu_where where = NPU_HERE)       \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in =                                                                              \
            nputwin::extreme_insn<OP_##row>(c, dst.raw(), src.raw(), 0, 8, calIndex, where);       \
        in.count = count > 0 ? uint32_t(count) : 0;                                                \
        if (in.count)                                                                              \
            npu_issue(c, &in);                                                                     \
        nputwin::after_count(c);                                                                   \
    }                                                                                              \
    template <typename T, typename Mask>                                                           \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &, \
                     const Mask mask, const int32_t repeatTime, const int32_t srcRepStride,        \
                     bool calIndex = false, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        npu_core *c = nputwin::core();                                                             \
        if (!nputwin::check_reduce(c, #name, repeatTime, srcRepStride, where))                     \
            return;                                                                                \
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);                                \
        npu_insn in = nputwin::extreme_insn<OP_##row>(                                             \
            c, dst.raw(), src.raw(), uint32_t(repeatTime), srcRepStride, calIndex, where);         \
        nputwin::issue_masked(c, in);                                                              \
    }
NPU_REDUCE_ALL(ReduceMax, vmaxall)
NPU_REDUCE_ALL(ReduceMin, vminall)
#undef NPU_REDUCE_ALL

/* What the newest ReduceSum of the count form has written. */
template <typename T> inline T GetReduceRepeatSumSpr()
{
    NPU_TAKES("GetReduceRepeatSumSpr", OP_vsumall, T);
    T sum;
    npu_settle(nputwin::core()); /* the scalar unit reads what the vector unit leaves */
    std::memcpy(&sum, &nputwin::core()->regs.sum, sizeof(T));
    return sum;
}
template <typename T> inline T GetAccVal() { return GetReduceRepeatSumSpr<T>(); } /* older name */

/* The extreme over all repeats of the newest ReduceRepeat, ReduceMax or ReduceMin, and its lane as
 * the bits of an integer. Not after counter mode: so says the page. */
template <typename T> inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex)
{
    NPU_TAKES("GetReduceRepeatMaxMinSpr", OP_vcmax, T);
    npu_settle(nputwin::core());
    const uint32_t *reg = nputwin::core()->regs.extreme;
    std::memcpy(&maxMinValue, &reg[0], sizeof(T));
    std::memcpy(&maxMinIndex, &reg[1], sizeof(T));
}
template <typename T> inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex); /* older name */
}
#endif
#undef NPU_WHOLE_REDUCE
#undef NPU_BLOCK_REDUCE
#undef NPU_REDUCE_ARGS
#undef NPU_REDUCE_CALL

/* Eight elements a repeat, each fills one blk of dst. The mask register has no say. */
template <typename T>
inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeatTime,
                 const BrcbRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Brcb", OP_vbrcb, T);
    npu_core *c = nputwin::core();
    npu_insn in =
        nputwin::vec_insn(c, OP_vbrcb, nputwin::type_of<T>, dst.raw(), src.raw(), nullptr,
                          repeatTime, {{p.dstBlkStride, 1, 0}, {p.dstRepStride, 1, 0}}, where);
    nputwin::issue_unmasked(c, in);
}

/* UB to UB under the mask. In counter mode the register counts the elements of each repeat. */
template <typename T, bool isSetMask = true, typename Mask>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask mask,
                 const uint8_t repeatTime, const CopyRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Copy", OP_vcopy, T);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(
        c, OP_vcopy, nputwin::type_of<T>, dst.raw(), src.raw(), nullptr, repeatTime,
        {{p.dstStride, p.srcStride, 0}, {p.dstRepeatSize, p.srcRepeatSize, 0}}, where);
    if (!c->regs.counter_mode) {
        if (repeatTime)
            npu_issue(c, &in);
        return;
    }
    const uint32_t lanes = NPU_REPEAT_BYTES / sizeof(T);
    for (uint32_t left = uint32_t(c->regs.mask[0]); left; left -= left < lanes ? left : lanes) {
        nputwin::lanes_mask(in.mask, left < lanes ? left : lanes);
        if (repeatTime)
            npu_issue(c, &in);
        in.ref[0].at_bytes += NPU_REPEAT_BYTES * uint64_t(p.dstStride);
        in.ref[1].at_bytes += NPU_REPEAT_BYTES * uint64_t(p.srcStride);
    }
}

} // namespace AscendC
#endif
