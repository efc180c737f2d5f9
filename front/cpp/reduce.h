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
        load_mask(c, mask_argument(mask));
    npu_insn in =
        vec_insn(c, op, type_of<T>, dst, src, nullptr, uint32_t(repeat),
                 {{1, uint16_t(src_blk), 0}, {uint16_t(dst_rep), uint16_t(src_rep), 0}}, where);
    in.mode = order;
    issue_masked(c, in);
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
        nputwin::load_mask(c, nputwin::mask_argument(mask));
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
