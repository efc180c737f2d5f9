/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - Gather: dst[i] = the element of src at byte srcBaseAddr + srcOffset[i].
 *
 * Offsets count bytes and must be multiples of the element. Which bytes of src are read depends on
 * the offsets, so the engine looks at them when it checks the range.
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
        nputwin::load_mask(c, nputwin::mask_argument(mask));
    npu_insn in =
        nputwin::vec_insn(c, OP_vgather, nputwin::type_of<T>, dst.raw(), src.raw(), srcOffset.raw(),
                          repeatTime, {{1, 1, 1}, {dstRepStride, 8, 8}}, where);
    in.scalar = srcBaseAddr;
    nputwin::issue_masked(c, in);
}

} // namespace AscendC
#endif
