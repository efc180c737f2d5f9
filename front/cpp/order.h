/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - Sort32, MrgSort, Transpose and TransDataTo5HD: elements in another order.
 *
 * Sorted data are pairs of 8 bytes: the score in the lowest 4 (or 2), its index in the highest 4.
 * The mask register has no say in any of them.
 */
#ifndef NPU_FRONT_ORDER_H
#define NPU_FRONT_ORDER_H
#include "vector.h"

#if NPU_ARCH == 2201
namespace nputwin {

/* Where an operand begins in UB, for lists of operands; far outside when it is not in UB. */
inline uint32_t ub_offset(const npu_core *c, uint64_t addr)
{
    const uint64_t at = addr - uint64_t(uintptr_t(c->mem[MEM_UB].base));
    return at < UINT32_MAX - NPU_BLK_BYTES ? uint32_t(at) : UINT32_MAX & ~uint32_t(31);
}

/* repeatTimes counts only for four queues of one length, one after the other, merged to the end. */
inline uint32_t merge_repeats(const npu_lists &l, const AscendC::MrgSort4Info &p)
{
    bool regular = p.validBit == 15 && !p.ifExhaustedSuspension;
    for (int k = 1; k < 4; k++)
        regular = regular && p.elementLengths[k] == p.elementLengths[0] &&
                  l.src[k] == l.src[k - 1] + l.src_bytes[k - 1];
    return regular ? p.repeatTimes : p.repeatTimes ? 1 : 0;
}

template <class T>
inline void nchw_conv(const uint64_t *dst, const uint64_t *src,
                      const AscendC::TransDataTo5HDParams &p, npu_where where)
{
    npu_core *c = core();
    for (int k = 0; k < NPU_LIST; k++) {
        c->lists.dst[k] = ub_offset(c, dst[k]);
        c->lists.src[k] = ub_offset(c, src[k]);
    }
    npu_insn in =
        vec_insn(c, OP_vnchwconv, type_of<T>, c->mem[MEM_UB].base, c->mem[MEM_UB].base, nullptr,
                 p.repeatTimes, {{1, 1, 0}, {p.dstRepStride, p.srcRepStride, 0}}, where);
    in.mode = uint8_t((p.dstHighHalf ? NCHW_DST_HIGH : 0) | (p.srcHighHalf ? NCHW_SRC_HIGH : 0));
    issue_unmasked(c, in);
}

} // namespace nputwin

namespace AscendC {

/* 32 scores a repeat in falling order; equal ones stay in theirs. */
template <typename T>
inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                   const LocalTensor<uint32_t> &src1, const int32_t repeatTime,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("Sort32", OP_vsort32, T);
    npu_core *c = nputwin::core();
    if (NPU_UNLIKELY(repeatTime < 0 || repeatTime > 255)) {
        npu_fault(c, NPU_E_ARG, where, "Sort32: repeatTime is %d, allowed are 0..255", repeatTime);
        return;
    }
    npu_insn in =
        nputwin::vec_insn(c, OP_vsort32, nputwin::type_of<T>, dst.raw(), src0.raw(), src1.raw(),
                          uint32_t(repeatTime), {{1, 1, 1}, {8, 4, 4}}, where);
    nputwin::issue_unmasked(c, in);
}

template <typename T> struct MrgSortSrcList {
    MrgSortSrcList() {}
    MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c,
                   const LocalTensor<T> &d)
        : src1(a), src2(b), src3(c), src4(d)
    {
    }
    LocalTensor<T> src1, src2, src3, src4;
};

/* Two to four sorted queues into one. */
template <typename T>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src,
                    const MrgSort4Info &params, npu_where where = NPU_HERE)
{
    NPU_TAKES("MrgSort", OP_vmrgsort, T);
    npu_core *c = nputwin::core();
    const LocalTensor<T> *const queues[] = {&src.src1, &src.src2, &src.src3, &src.src4};
    const uint32_t n = params.validBit == 15 ? 4 : params.validBit == 7 ? 3 : 2;
    if (NPU_UNLIKELY(params.validBit != 3 && params.validBit != 7 && params.validBit != 15)) {
        npu_fault(c, NPU_E_ARG, where, "MrgSort: validBit is %u, allowed are 3, 7 and 15",
                  params.validBit);
        return;
    }
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t length = k < n ? params.elementLengths[k] : 0u;
        if (NPU_UNLIKELY(length > 4095)) {
            npu_fault(c, NPU_E_ARG, where, "MrgSort: elementLengths[%u] is %u, allowed are 0..4095",
                      k, length);
            return;
        }
        c->lists.src[k] = k < n ? nputwin::ub_offset(c, queues[k]->GetPhyAddr()) : 0;
        c->lists.src_bytes[k] = length * 8;
    }
    npu_insn in =
        nputwin::vec_insn(c, OP_vmrgsort, nputwin::type_of<T>, dst.raw(), nullptr, nullptr,
                          nputwin::merge_repeats(c->lists, params), {{1, 1, 1}, {8, 8, 8}}, where);
    in.mode = uint8_t(n | (params.ifExhaustedSuspension ? MERGE_STOPS : 0));
    nputwin::issue_unmasked(c, in);
}
/* How many pairs of each queue the newest MrgSort has taken. */
inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                             uint16_t &mrgSortList4)
{
    const uint16_t *n = nputwin::core()->regs.n_merged;
    mrgSortList1 = n[0];
    mrgSortList2 = n[1];
    mrgSortList3 = n[2];
    mrgSortList4 = n[3];
}

/* 16 x 16 elements. */
template <typename T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("Transpose", OP_vtranspose, T);
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vtranspose, nputwin::type_of<T>, dst.raw(), src.raw(),
                                    nullptr, 1, {{1, 1, 0}, {16, 16, 0}}, where);
    nputwin::issue_unmasked(c, in);
}
/* 16 x 16 uint16_t, NCHW to NHWC, or back. The temporary buffer of the chip is not needed here. */
template <typename T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      const LocalTensor<uint8_t> &, const TransposeParamsExt &p,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("Transpose", OP_vpermute, T);
    npu_core *c = nputwin::core();
    const uint32_t hw = uint32_t(p.hSize) * p.wSize;
    if (p.transposeType == TransposeType::TRANSPOSE_TYPE_NONE)
        return;
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
        if constexpr (std::is_same_v<T, uint16_t>)
            Transpose(dst, src, where);
        else
            npu_fault(c, NPU_E_TYPE, where, "Transpose: TRANSPOSE_ND2ND_B16 takes uint16_t only");
        return;
    }
    if (p.transposeType != TransposeType::TRANSPOSE_NCHW2NHWC &&
        p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW) {
        npu_fault(c, NPU_E_ARG, where,
                  "Transpose: transposeType %d; the chip has TRANSPOSE_ND2ND_B16, "
                  "TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW",
                  int(p.transposeType));
        return;
    }
    if (NPU_UNLIKELY(p.cSize > 4095 || hw > 4095 || hw * sizeof(T) % NPU_BLK_BYTES)) {
        npu_fault(c, NPU_E_ARG, where,
                  "Transpose: cSize %u, hSize * wSize %u elements of %u bytes; at most 4095 each, "
                  "and hSize * wSize a multiple of 32 bytes",
                  p.cSize, hw, unsigned(sizeof(T)));
        return;
    }
    npu_insn in = nputwin::vec_insn(c, OP_vpermute, nputwin::type_of<T>, dst.raw(), src.raw(),
                                    nullptr, p.nSize, {{1, 1, 0}, {8, 8, 0}}, where);
    in.mode = p.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW;
    in.n_burst = p.cSize;
    in.burst_bytes = hw;
    nputwin::issue_unmasked(c, in);
}

/* 16 blks, transposed: lists of addresses, a tensor of addresses, or tensors. */
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                           uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams &nchwconvParams, npu_where where = NPU_HERE)
{
    NPU_TAKES("TransDataTo5HD", OP_vnchwconv, T);
    nputwin::nchw_conv<T>(dstList, srcList, nchwconvParams, where);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                           const TransDataTo5HDParams &nchwconvParams, npu_where where = NPU_HERE)
{
    NPU_TAKES("TransDataTo5HD", OP_vnchwconv, T);
    nputwin::nchw_conv<T>(dst.raw(), src.raw(), nchwconvParams, where);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams &nchwconvParams, npu_where where = NPU_HERE)
{
    NPU_TAKES("TransDataTo5HD", OP_vnchwconv, T);
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int k = 0; k < NCHW_CONV_ADDR_LIST_SIZE; k++) {
        dst[k] = dstList[k].GetPhyAddr();
        src[k] = srcList[k].GetPhyAddr();
    }
    nputwin::nchw_conv<T>(dst, src, nchwconvParams, where);
}

} // namespace AscendC
#endif
#endif
