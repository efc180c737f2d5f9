/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - Gather, Gatherb, GatherMask and CreateVecIndex: elements from where other operands
 * say.
 *
 * Gather: dst[i] = the element of src at byte srcBaseAddr + srcOffset[i]. Offsets count bytes and
 * must be multiples of the element. Which bytes are read, and by GatherMask written, depends on
 * operands, so the engine looks at them when it checks the range.
 */
#ifndef NPU_FRONT_GATHER_H
#define NPU_FRONT_GATHER_H
#include "select.h"

namespace AscendC {

template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseAddr,
                   const uint32_t count, npu_where where = NPU_HERE)
{
    NPU_TAKES("Gather", OP_vgather, T);
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vgather, nputwin::type_of<T>, dst.raw(), src.raw(),
                                    srcOffset.raw(), 0, {{1, 1, 1}, {8, 8, 8}}, where);
    in.scalar = srcBaseAddr;
    in.count = count;
    if (count)
        npu_issue(c, &in);
    nputwin::after_count(c);
}
/* Offsets lie one after the other; dstRepStride is in 32-byte blks. */
template <typename T, bool isSetMask = true, typename Mask>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseAddr,
                   const Mask mask, const uint8_t repeatTime, const uint16_t dstRepStride,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("Gather", OP_vgather, T);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in =
        nputwin::vec_insn(c, OP_vgather, nputwin::type_of<T>, dst.raw(), src.raw(), srcOffset.raw(),
                          repeatTime, {{1, 1, 1}, {dstRepStride, 8, 8}}, where);
    in.scalar = srcBaseAddr;
    nputwin::issue_masked(c, in);
}

#if NPU_ARCH == 2201
/* Whole blks of 32 bytes at byte offsets; the mask register has no say. */
template <typename T>
inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                    const LocalTensor<uint32_t> &offset, const uint8_t repeatTime,
                    const GatherRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Gatherb", OP_vgatherb, T);
    npu_core *c = nputwin::core();
    const uint16_t blk = p.dstBlkStride ? p.dstBlkStride : uint16_t(1);
    npu_insn in =
        nputwin::vec_insn(c, OP_vgatherb, nputwin::type_of<T>, dst.raw(), src.raw(), offset.raw(),
                          repeatTime, {{blk, 1, 1}, {p.dstRepStride, 8, 1}}, where);
    nputwin::issue_unmasked(c, in);
}

} // namespace AscendC

namespace nputwin {

/* mode: a pattern, or 0 for the bits at src1. reduceMode counts `mask` elements a repeat. */
template <class T>
inline void gather_mask(const T *dst, const T *src0, const void *src1, uint8_t mode,
                        bool reduceMode, uint32_t mask, const AscendC::GatherMaskParams &p,
                        uint64_t &rsvdCnt, npu_where where)
{
    npu_core *c = core();
    npu_insn in =
        vec_insn(c, OP_vgathermask, type_of<T>, dst, src0, src1, p.repeatTimes,
                 {{1, p.src0BlockStride, 1}, {8, p.src0RepeatStride, p.src1RepeatStride}}, where);
    in.mode = mode;
    in.counter = reduceMode;
    in.mask[0] = mask;
    in.mask[1] = 0;
    rsvdCnt = 0;
    if (p.repeatTimes && (!reduceMode || mask)) {
        npu_issue(c, &in);
        rsvdCnt = c->faulted ? 0 : c->regs.n_gathered;
    }
    after_count(c);
}

} // namespace nputwin

namespace AscendC {

/* The elements whose bit is set, one after the other; rsvdCnt says how many. */
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       const LocalTensor<U> &src1Pattern, const bool reduceMode,
                       const uint32_t mask, const GatherMaskParams &gatherMaskParams,
                       uint64_t &rsvdCnt, npu_where where = NPU_HERE)
{
    NPU_TAKES("GatherMask", OP_vgathermask, T);
    static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T),
                  "GatherMask: src1Pattern is uint16_t for 16-bit elements, uint32_t for 32-bit");
    nputwin::gather_mask(dst.raw(), src0.raw(), src1Pattern.raw(), 0, reduceMode, mask,
                         gatherMaskParams, rsvdCnt, where);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                       const GatherMaskParams &gatherMaskParams, uint64_t &rsvdCnt,
                       npu_where where = NPU_HERE)
{
    NPU_TAKES("GatherMask", OP_vgathermask, T);
    if (NPU_UNLIKELY(src1Pattern < 1 || src1Pattern > 7)) {
        npu_fault(nputwin::core(), NPU_E_ARG, where, "GatherMask: src1Pattern %u, allowed are 1..7",
                  src1Pattern);
        return;
    }
    nputwin::gather_mask(dst.raw(), src0.raw(), nullptr, src1Pattern, reduceMode, mask,
                         gatherMaskParams, rsvdCnt, where);
}

/* firstValue, firstValue + 1, and so on; each sum is rounded once. */
template <typename T>
inline void CreateVecIndex(const LocalTensor<T> &dst, const T &firstValue, uint32_t count,
                           npu_where where = NPU_HERE)
{
    NPU_TAKES("CreateVecIndex", OP_vindex, T);
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::count_insn(c, OP_vindex, nputwin::type_of<T>, dst.raw(), nullptr,
                                      nullptr, count, where);
    in.scalar = nputwin::bits_of(firstValue);
    if (count)
        npu_issue(c, &in);
    nputwin::after_count(c);
}
template <typename T, typename Mask>
inline void CreateVecIndex(const LocalTensor<T> &dst, const T &firstValue, const Mask mask,
                           uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride,
                           npu_where where = NPU_HERE)
{
    NPU_TAKES("CreateVecIndex", OP_vindex, T);
    npu_core *c = nputwin::core();
    nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in =
        nputwin::vec_insn(c, OP_vindex, nputwin::type_of<T>, dst.raw(), nullptr, nullptr,
                          repeatTime, {{dstBlkStride, 0, 0}, {dstRepStride, 0, 0}}, where);
    in.scalar = nputwin::bits_of(firstValue);
    nputwin::issue_masked(c, in);
}
#endif

} // namespace AscendC
#endif
