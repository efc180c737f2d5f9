/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - Select by a mask of bytes, and DropOut. */
#ifndef NPU_FRONT_ADV_FILTER_H
#define NPU_FRONT_ADV_FILTER_H
#include "softmax.h"
#include "../select.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() {}
    uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};
struct DropOutShapeInfo {
    DropOutShapeInfo() {}
    uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};

} // namespace AscendC

namespace nputwin {

/* Where the mask is 0 the first one is taken, else the second. */
template <class T, class U>
inline void select_bytes(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                         T scalar, bool is_scalar_first, const AscendC::LocalTensor<U> &mask,
                         const AscendC::LocalTensor<uint8_t> &tmp,
                         const AscendC::SelectWithBytesMaskShapeInfo &i, npu_where where)
{
    using M = std::conditional_t<std::is_same_v<U, bool>, uint8_t, U>;
    NPU_ROWS_TAKES(Select, T, "half, float");
    static_assert(std::is_integral_v<U> && sizeof(U) <= 4,
                  "Select: this type of mask is not supported, allowed are bool and integers of 8 "
                  "to 32 bits");
    const uint64_t n = uint64_t(i.firstAxis) * i.srcLastAxis;
    const uint64_t masks = uint64_t(i.firstAxis) * i.maskLastAxis;
    if (i.maskLastAxis < i.srcLastAxis || i.maskLastAxis % 16 ||
        i.maskLastAxis * sizeof(U) % NPU_BLK_BYTES || i.srcLastAxis * sizeof(T) % NPU_BLK_BYTES)
        npu_fault(core(), NPU_E_ARG, where,
                  "Select: srcLastAxis %u, maskLastAxis %u; both of whole 32 bytes, the mask a "
                  "multiple of 16 elements and at least as long as src",
                  i.srcLastAxis, i.maskLastAxis);
    rows_call c(ROWS_Select, type_of<T>, type_of<M>, where);
    c.writes(dst, n).tmp(tmp).reads(src, n).reads(mask, masks);
    c.number(i.firstAxis).number(i.srcLastAxis).number(i.maskLastAxis).number(is_scalar_first);
    c.real(float(scalar)).issue();
}

template <class T, uint32_t mode>
inline void drop_out(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                     const AscendC::LocalTensor<uint8_t> &mask,
                     const AscendC::LocalTensor<uint8_t> &tmp, float keep,
                     const AscendC::DropOutShapeInfo &i, npu_where where)
{
    NPU_ROWS_TAKES(DropOut, T, "half, float");
    static_assert(mode <= 4, "DropOut: dropOutMode is 0 to 4");
    enum { INFER, BYTES_PADDED, BYTES, BITS, BITS_PADDED };
    uint64_t rows = i.firstAxis, n = i.srcLastAxis, masks = i.maskLastAxis;
    uint32_t how = mode;
    if (how == INFER)
        how = masks >= n ? (masks == n ? BYTES : BYTES_PADDED)
                         : (masks * 8 == n ? BITS : BITS_PADDED);
    const bool is_bits = how == BITS || how == BITS_PADDED;
    if (how == BYTES || how == BITS) { /* the mask has no gaps: one long row */
        n *= rows;
        masks = is_bits ? (n + 7) / 8 : n;
        rows = 1;
    }
    if (!(keep > 0 && keep < 1))
        npu_fault(core(), NPU_E_ARG, where,
                  "DropOut: keepProb is %g, allowed are numbers between 0 and 1", double(keep));
    rows_call c(ROWS_DropOut, type_of<T>, TYPE_u8, where);
    c.writes(dst, rows * n).tmp(tmp).reads(src, rows * n).reads(mask, rows * masks);
    c.number(rows).number(n).number(masks).number(is_bits).real(keep).issue();
}

} // namespace nputwin

namespace AscendC {

template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1,
                   const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo &info, npu_where where = NPU_HERE)
{
    nputwin::select_bytes(dst, src0, src1, false, mask, sharedTmpBuffer, info, where);
}
template <typename T, typename U, bool isReuseMask = true>
inline void Select(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1,
                   const LocalTensor<U> &mask, const LocalTensor<uint8_t> &sharedTmpBuffer,
                   const SelectWithBytesMaskShapeInfo &info, npu_where where = NPU_HERE)
{
    nputwin::select_bytes(dst, src1, src0, true, mask, sharedTmpBuffer, info, where);
}

template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                    const LocalTensor<uint8_t> &maskLocal,
                    const LocalTensor<uint8_t> &sharedTmpBuffer, const float keepProb,
                    const DropOutShapeInfo &info, npu_where where = NPU_HERE)
{
    nputwin::drop_out<T, dropOutMode>(dstLocal, srcLocal, maskLocal, sharedTmpBuffer, keepProb,
                                      info, where);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                    const LocalTensor<uint8_t> &maskLocal, const float keepProb,
                    const DropOutShapeInfo &info, npu_where where = NPU_HERE)
{
    nputwin::drop_out<T, dropOutMode>(dstLocal, srcLocal, maskLocal, LocalTensor<uint8_t>(),
                                      keepProb, info, where);
}

} // namespace AscendC
#endif
