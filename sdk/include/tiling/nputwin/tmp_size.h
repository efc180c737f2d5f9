/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmp_size.h - Get<Name>MaxMinTmpSize and Get<Name>TmpBufferFactorSize of the high-level API.
 *
 *   AscendC::GetErfMaxMinTmpSize(shape, sizeof(half), false, most, least);
 *
 * `least` bytes are needed, more than `most` are never used. The figures are the rows of
 * tmp_size.def, which the kernel side checks its temporary tensor against.
 */
#ifndef NPUTWIN_TMP_SIZE_H
#define NPUTWIN_TMP_SIZE_H
#include "graph/tensor.h"
#include "adv_config.h"
#include "../platform/platform_ascendc.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;
} // namespace AscendC

namespace nputwin::tmp_size {

constexpr uint32_t repeat_bytes = 256;

/* Bytes of `times` operands of that shape, each rounded up to whole repeats. */
inline uint32_t most(const ge::Shape &shape, uint32_t type_bytes, uint32_t times)
{
    const int64_t n = shape.GetShapeSize();
    const uint64_t bytes = n > 0 ? uint64_t(n) * type_bytes : 1;
    const uint64_t all = (bytes + repeat_bytes - 1) / repeat_bytes * repeat_bytes * times;

    return all > UINT32_MAX ? UINT32_MAX / repeat_bytes * repeat_bytes : uint32_t(all);
}
constexpr uint32_t least(uint32_t times) { return times * repeat_bytes; }

#define TMP(name, host, half, single)                                                              \
    constexpr uint32_t times_##name(uint32_t type_bytes) { return type_bytes < 4 ? half : single; }
#include "tmp_size.def"

} // namespace nputwin::tmp_size

namespace AscendC {

#define NPU_TMP_RANGE(name)                                                                        \
    {                                                                                              \
        const uint32_t times = nputwin::tmp_size::times_##name(typeSize);                          \
                                                                                                   \
        maxValue = nputwin::tmp_size::most(srcShape, typeSize, times);                             \
        minValue = nputwin::tmp_size::least(times);                                                \
    }
#define NPU_TMP_FACTOR(name)                                                                       \
    {                                                                                              \
        maxLiveNodeCount = nputwin::tmp_size::times_##name(typeSize);                              \
        extraBuf = 0;                                                                              \
    }
#define NPU_TMP_SHAPE(name)                                                                        \
    inline void Get##name##MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,     \
                                         const bool, uint32_t &maxValue, uint32_t &minValue)       \
        NPU_TMP_RANGE(name) inline void Get##name##TmpBufferFactorSize(                            \
            const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)               \
            NPU_TMP_FACTOR(name)
#define NPU_TMP_CHIP(name)                                                                         \
    inline void Get##name##MaxMinTmpSize(const platform_ascendc::PlatformAscendC &,                \
                                         const TensorShape &srcShape, const uint32_t typeSize,     \
                                         const bool, uint32_t &maxValue, uint32_t &minValue)       \
        NPU_TMP_RANGE(name) inline void Get##name##TmpBufferFactorSize(                            \
            const platform_ascendc::PlatformAscendC &, const uint32_t typeSize,                    \
            uint32_t &maxLiveNodeCount, uint32_t &extraBuf) NPU_TMP_FACTOR(name)
/* The only one that says whether it could. */
#define NPU_TMP_EXP(name)                                                                          \
    inline bool Get##name##MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,     \
                                         const bool, uint32_t &maxValue, uint32_t &minValue)       \
    {                                                                                              \
        NPU_TMP_RANGE(name)                                                                        \
        return srcShape.GetShapeSize() >= 0;                                                       \
    }                                                                                              \
    inline void Get##name##TmpBufferFactorSize(const uint32_t typeSize,                            \
                                               uint32_t &maxLiveNodeCount, uint32_t &extraBuf)     \
        NPU_TMP_FACTOR(name)
#define NPU_TMP_NONE(name)
#define TMP(name, host, half, single) NPU_TMP_##host(name)
#include "tmp_size.def"

/* ---- calls whose sizes are asked for with other arguments ------------------------------------ */

#define NPU_TMP_CONFIG(name)                                                                       \
    inline void Get##name##MaxMinTmpSize(const name##Config &, const TensorShape &srcShape,        \
                                         const uint32_t typeSize, const bool isReuseSource,        \
                                         uint32_t &maxValue, uint32_t &minValue)                   \
    {                                                                                              \
        Get##name##MaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);           \
    }                                                                                              \
    inline void Get##name##TmpBufferFactorSize(const name##Config &, const uint32_t typeSize,      \
                                               uint32_t &maxLiveNodeCount, uint32_t &extraBuf)     \
    {                                                                                              \
        Get##name##TmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuf);                      \
    }
NPU_TMP_CONFIG(Sin)
NPU_TMP_CONFIG(Cos)

/* The shape of a scalar is {1}. */
inline void GetPowerMaxMinTmpSize(const TensorShape &srcShape1, const TensorShape &srcShape2,
                                  const bool, const uint32_t typeSize, const bool,
                                  uint32_t &maxValue, uint32_t &minValue)
{
    const TensorShape &srcShape =
        srcShape1.GetShapeSize() < srcShape2.GetShapeSize() ? srcShape2 : srcShape1;

    NPU_TMP_RANGE(Power)
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t typeSize,
                                        uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
    NPU_TMP_FACTOR(Power)

        inline void GetCumSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                           const bool, const bool, uint32_t &maxValue,
                                           uint32_t &minValue) NPU_TMP_RANGE(CumSum)

            inline void GetGeluMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                             uint32_t &maxValue, uint32_t &minValue)
                NPU_TMP_RANGE(Gelu) inline uint32_t
    GetGeluMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize)
{
    return nputwin::tmp_size::most(srcShape, typeSize, nputwin::tmp_size::times_Gelu(typeSize));
}
inline uint32_t GetGeluMinTmpSize(const TensorShape &, const uint32_t typeSize)
{
    return nputwin::tmp_size::least(nputwin::tmp_size::times_Gelu(typeSize));
}

inline void GetAscendQuantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                        uint32_t &maxValue, uint32_t &minValue)
    NPU_TMP_RANGE(AscendQuant) inline void GetAscendQuantTmpBufferFactorSize(
        uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    constexpr uint32_t typeSize = 2;

    NPU_TMP_FACTOR(AscendQuant)
}
inline void GetAscendDequantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                          uint32_t &maxValue, uint32_t &minValue)
    NPU_TMP_RANGE(AscendDequant) inline void GetAscendDequantTmpBufferFactorSize(
        const TensorShape &, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    constexpr uint32_t typeSize = 4;

    NPU_TMP_FACTOR(AscendDequant)
}
/* In multiples of the results, which are the wider ones. */
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &, bool,
                                            TensorDataType, TensorDataType outputDataType,
                                            uint32_t &maxValue, uint32_t &minValue)
{
    const uint32_t typeSize = uint32_t(ge::GetSizeByDataType(outputDataType));

    NPU_TMP_RANGE(AscendAntiQuant)
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape &srcShape,
                                             const TensorShape &scaleShape, bool isTranspose,
                                             TensorDataType inputDataType,
                                             TensorDataType outputDataType)
{
    uint32_t most = 0, least = 0;

    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType,
                                    outputDataType, most, least);
    return most;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape &srcShape,
                                             const TensorShape &scaleShape, bool isTranspose,
                                             TensorDataType inputDataType,
                                             TensorDataType outputDataType)
{
    uint32_t most = 0, least = 0;

    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType,
                                    outputDataType, most, least);
    return least;
}
inline void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape &, const TensorShape &, bool,
                                                  TensorDataType, TensorDataType outputDataType,
                                                  uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    const uint32_t typeSize = uint32_t(ge::GetSizeByDataType(outputDataType));

    NPU_TMP_FACTOR(AscendAntiQuant)
}

inline void GetSiluTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool,
                           uint32_t &maxValue, uint32_t &minValue)
    NPU_TMP_RANGE(Silu) inline void GetSwishTmpSize(const TensorShape &srcShape,
                                                    const uint32_t typeSize, const bool,
                                                    uint32_t &maxValue, uint32_t &minValue)
        NPU_TMP_RANGE(Swish) inline void GetSwiGLUMaxMinTmpSize(const TensorShape &srcShape,
                                                                const uint32_t typeSize,
                                                                uint32_t &maxValue,
                                                                uint32_t &minValue, const bool)
            NPU_TMP_RANGE(SwiGLU) inline void GetSwiGLUTmpBufferFactorSize(
                const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
                NPU_TMP_FACTOR(SwiGLU)

} // namespace AscendC

#undef NPU_TMP_RANGE
#undef NPU_TMP_FACTOR
#undef NPU_TMP_SHAPE
#undef NPU_TMP_CHIP
#undef NPU_TMP_EXP
#undef NPU_TMP_NONE
#undef NPU_TMP_CONFIG
#endif
