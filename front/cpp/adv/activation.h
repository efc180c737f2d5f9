/* SPDX-License-Identifier: Apache-2.0 */
/* activation.h - the activation functions of the high-level API that look at one element at a
 * time. */
#ifndef NPU_FRONT_ADV_ACTIVATION_H
#define NPU_FRONT_ADV_ACTIVATION_H
#include "call.h"

namespace AscendC {

NPU_ADV4_UNARY(Sigmoid, vsigmoid)
NPU_ADV4_BINARY(GeGLU, vgeglu)
NPU_ADV2_BINARY(ReGlu, vreglu)

/* The temporary tensor of all three is what GetGeluMaxMinTmpSize reports. Accuracy is always the
 * high one. */
#define NPU_ADV_GELU(name, row)                                                                    \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                \
    inline void name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,               \
                     const uint32_t dataSize, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::adv::apply<OP_##row>(dstLocal, srcLocal, (const T *)nullptr, 0, dataSize, where); \
    }                                                                                              \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                \
    inline void name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,               \
                     const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t dataSize,         \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_ADV_TMP(Gelu, T, sharedTmpBuffer);                                                     \
        name<T, highPrecision, highPerformance>(dstLocal, srcLocal, dataSize, where);              \
    }
NPU_ADV_GELU(Gelu, vgelu)
NPU_ADV_GELU(FasterGelu, vfastgelu)
NPU_ADV_GELU(FasterGeluV2, vfastgelu2)
#undef NPU_ADV_GELU

/* src / (1 + e^(-beta src)) */
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize,
                  const T scalarValue, npu_where where = NPU_HERE)
{
    NPU_TAKES("Swish", OP_vswish, T);
    nputwin::adv::apply<OP_vswish>(dstLocal, srcLocal, (const T *)nullptr,
                                   nputwin::bits_of(scalarValue), dataSize, where);
}
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize,
                 npu_where where = NPU_HERE)
{
    NPU_TAKES("Silu", OP_vswish, T);
    Swish<T, isReuseSource>(dstLocal, srcLocal, dataSize, T(1.0f), where);
}

/* src0 * src1 / (1 + e^(-beta src1)); beta is a float for every T. */
#define NPU_ADV_SWIGLU                                                                             \
    (LocalTensor<T> & dstTensor, const LocalTensor<T> &src0Tensor,                                 \
     const LocalTensor<T> &src1Tensor, const float &scalarValue),                                  \
        (dstTensor, src0Tensor, (const T *)src1Tensor.raw(), nputwin::bits_of(scalarValue))
NPU_ADV_EXPAND(NPU_ADV_COUNT, SwiGLU, vswiglu, (typename T, bool isReuseSource = false),
               NPU_ADV_SWIGLU)
NPU_ADV_EXPAND(NPU_ADV_WHOLE, SwiGLU, vswiglu, (typename T, bool isReuseSource = false),
               NPU_ADV_SWIGLU, src0Tensor)
#undef NPU_ADV_SWIGLU

} // namespace AscendC
#endif
