/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.h - the reductions of the high-level API: of each row, or along one axis of a matrix.
 *
 * Of the calls with a pattern, srcShape is the shape in use; a row begins at a multiple of 32 bytes
 * (srcInnerPad = true, the only choice of this chip).
 */
#ifndef NPU_FRONT_ADV_REDUCE_H
#define NPU_FRONT_ADV_REDUCE_H
#include "softmax.h"
#include "kernel_tiling/adv_types.h"

namespace AscendC {

struct SumParams {
    uint32_t outter = 1, inner, n;
};
struct MeanParams {
    uint32_t outter = 1, inner, n;
};

namespace Pattern::Reduce {
struct AR {
    static constexpr bool is_last = true;
};
struct RA {
    static constexpr bool is_last = false;
};
} // namespace Pattern::Reduce

#define NPU_REDUCE_AXIS(name, types)                                                               \
    template <class T, class pattern, bool isReuseSource = false>                                  \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t srcShape[],       \
                     bool srcInnerPad, npu_where where = NPU_HERE)                                 \
    {                                                                                              \
        NPU_ROWS_TAKES(name, T, types);                                                            \
        nputwin::rows_call c(ROWS_##name, nputwin::type_of<T>, nputwin::type_of<T>, where);        \
        const uint64_t first = srcShape[0], last = srcShape[1], per = NPU_BLK_BYTES / sizeof(T);   \
        const uint64_t stride = (last + per - 1) / per * per;                                      \
        if (!srcInnerPad)                                                                          \
            npu_fault(nputwin::core(), NPU_E_ARG, where,                                           \
                      #name ": srcInnerPad is false, this chip takes true");                       \
        c.writes(dstTensor, pattern::is_last ? first : last).tmp(sharedTmpBuffer);                 \
        c.reads(srcTensor, first * stride);                                                        \
        c.number(first).number(last).number(stride).number(pattern::is_last).issue();              \
    }                                                                                              \
    template <class T, class pattern, bool isReuseSource = false>                                  \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     const uint32_t srcShape[], bool srcInnerPad, npu_where where = NPU_HERE)      \
    {                                                                                              \
        name<T, pattern, isReuseSource>(dstTensor, srcTensor, LocalTensor<uint8_t>(), srcShape,    \
                                        srcInnerPad, where);                                       \
    }
NPU_REDUCE_AXIS(ReduceSum, "float")
NPU_REDUCE_AXIS(ReduceMean, "float")
NPU_REDUCE_AXIS(ReduceProd, "float")
NPU_REDUCE_AXIS(ReduceMax, "half, float")
NPU_REDUCE_AXIS(ReduceMin, "half, float")
NPU_REDUCE_AXIS(ReduceAny, "uint8_t, float")
NPU_REDUCE_AXIS(ReduceAll, "uint8_t, float")
#undef NPU_REDUCE_AXIS

#define NPU_SUM(tmp_arg, ...)                                                                      \
    template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,                      \
              bool isBasicBlock = false>                                                           \
    inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__,  \
                    const SumParams &sumParams, npu_where where = NPU_HERE)                        \
    {                                                                                              \
        NPU_ROWS_TAKES(Sum, T, NPU_F16_F32);                                                       \
        static_assert(reduceDim == -1, "Sum: reduceDim is -1, the last axis");                     \
        nputwin::rows_call c(ROWS_Sum, nputwin::type_of<T>, nputwin::type_of<T>, where);           \
        const SumParams &p = sumParams;                                                            \
        c.writes(dstTensor, p.outter).tmp(tmp_arg).reads(srcTensor, uint64_t(p.outter) * p.inner); \
        c.number(p.outter).number(p.inner).number(p.n).issue();                                    \
    }                                                                                              \
    template <typename T, typename accType = T, bool isReuseSource = false,                        \
              bool isBasicBlock = false, int32_t reduceDim = -1>                                   \
    inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor __VA_ARGS__, \
                     const MeanParams &meanParams, npu_where where = NPU_HERE)                     \
    {                                                                                              \
        NPU_ROWS_TAKES(Mean, T, NPU_F16_F32);                                                      \
        static_assert(reduceDim == -1, "Mean: reduceDim is -1, the last axis");                    \
        NPU_BESIDE("Mean: accType", T, accType);                                                   \
        nputwin::rows_call c(ROWS_Mean, nputwin::type_of<T>, nputwin::type_of<accType>, where);    \
        const MeanParams &p = meanParams;                                                          \
        c.writes(dstTensor, p.outter).tmp(tmp_arg).reads(srcTensor, uint64_t(p.outter) * p.inner); \
        c.number(p.outter).number(p.inner).number(p.n).issue();                                    \
    }
NPU_TMP_FORMS(NPU_SUM)
#undef NPU_SUM

/* dst[0] = the sum of src0 ^ src1, held between -32768 and 32767. */
template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                         const LocalTensor<T> &src1Tensor, LocalTensor<uint8_t> &sharedTmpBuffer,
                         const uint32_t calCount, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(ReduceXorSum, T, "int16_t");
    nputwin::rows_call c(ROWS_ReduceXorSum, nputwin::type_of<T>, nputwin::type_of<T>, where);
    c.writes(dstTensor, 1).tmp(sharedTmpBuffer);
    c.reads(src0Tensor, calCount).reads(src1Tensor, calCount).number(calCount).issue();
}
template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                         const LocalTensor<T> &src1Tensor, const uint32_t calCount,
                         npu_where where = NPU_HERE)
{
    LocalTensor<uint8_t> none;
    ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, none, calCount, where);
}

} // namespace AscendC
#endif
