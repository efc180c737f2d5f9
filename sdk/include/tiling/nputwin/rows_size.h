/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows_size.h - temporary space and plans of softmax, normalisation, reduce, sort, transform and
 * filter.
 *
 *   AscendC::TensorShape shape({8, 1024});
 *   uint32_t bytes = AscendC::GetSoftMaxMinTmpSize(shape, sizeof(float), false);
 *   AscendC::SoftMaxTilingFunc(shape, sizeof(float), bytes, tiling.softmaxTilingData);
 *
 * The machine computes whole rows and needs no space of its own; the sizes are those that a chip
 * would be served with: the larger one holds the operand, the smaller one a row of it. A plan says
 * the shape; the fields about pieces of rows say that there is one piece.
 */
#ifndef NPUTWIN_ROWS_SIZE_H
#define NPUTWIN_ROWS_SIZE_H
#include "tmp_size.h"
#include "../../kernel_tiling/adv_types.h"
#include "../../kernel_tiling/kernel_tiling.h"
#include "../../kernel_tiling/tiling_classes.h"

namespace nputwin::rows_size {

/* Bytes of the last axis, in whole repeats. */
inline uint32_t row(const ge::Shape &shape, uint32_t type_bytes)
{
    const size_t n = shape.GetDimNum();

    return tmp_size::most(ge::Shape({n ? shape.GetDim(n - 1) : 1}), type_bytes, 1);
}
inline uint32_t all(const ge::Shape &shape, uint32_t type_bytes)
{
    return tmp_size::most(shape, type_bytes, 1);
}
inline uint32_t dim(const ge::Shape &shape, size_t i)
{
    return i < shape.GetDimNum() && shape.GetDim(i) > 0 ? uint32_t(shape.GetDim(i)) : 0;
}
/* Elements of all axes but the last. */
inline uint32_t rows(const ge::Shape &shape)
{
    uint64_t n = shape.GetDimNum() ? 1 : 0;

    for (size_t i = 0; i + 1 < shape.GetDimNum(); i++)
        n *= dim(shape, i);
    return n < UINT32_MAX ? uint32_t(n) : UINT32_MAX;
}
inline uint32_t columns(const ge::Shape &shape)
{
    return shape.GetDimNum() ? dim(shape, shape.GetDimNum() - 1) : 0;
}

/* A plan of either kind: a class of the host with set_ functions, or the plain struct. */
#define NPU_SET(field)                                                                             \
    template <class Plan> inline auto set_##field(Plan &p, uint32_t v) -> decltype((void)p.field)  \
    {                                                                                              \
        p.field = decltype(p.field)(v);                                                            \
    }                                                                                              \
    template <class Plan>                                                                          \
    inline auto set_##field(Plan &p, uint32_t v) -> decltype((void)p.set_##field(v))               \
    {                                                                                              \
        p.set_##field(v);                                                                          \
    }
NPU_SET(srcM)
NPU_SET(srcK)
NPU_SET(srcSize)
NPU_SET(outMaxM)
NPU_SET(outMaxK)
NPU_SET(outMaxSize)
NPU_SET(splitM)
NPU_SET(splitK)
NPU_SET(splitSize)
NPU_SET(reduceM)
NPU_SET(reduceK)
NPU_SET(reduceSize)
NPU_SET(rangeM)
NPU_SET(bLength)
NPU_SET(sLength)
NPU_SET(hLength)
NPU_SET(originalHLength)
NPU_SET(aLength)
NPU_SET(rLength)
NPU_SET(originalBLength)
NPU_SET(meanVarSize)
NPU_SET(n)
NPU_SET(c)
NPU_SET(hw)
NPU_SET(g)
NPU_SET(d)
NPU_SET(inputXSize)
NPU_SET(tmpBufSize)
NPU_SET(stackBufferSize)
NPU_SET(loopRound)
NPU_SET(allDataSize)
NPU_SET(innerDataSize)
NPU_SET(tmpLocalSize)
NPU_SET(srcHeight)
NPU_SET(srcWidth)
NPU_SET(srcOriWidth)
NPU_SET(param0)
NPU_SET(param1)
NPU_SET(param2)
NPU_SET(param3)
NPU_SET(param4)
#undef NPU_SET

template <class Plan> inline void plan_softmax(const ge::Shape &shape, uint32_t type_bytes, Plan &p)
{
    const uint32_t m = rows(shape), k = columns(shape), copies = 32 / (type_bytes ? type_bytes : 1);

    set_srcM(p, m);
    set_srcK(p, k);
    set_srcSize(p, m * k);
    set_outMaxM(p, m);
    set_outMaxK(p, copies);
    set_outMaxSize(p, m * copies);
    set_splitM(p, m);
    set_splitK(p, k);
    set_splitSize(p, m * k);
    set_reduceM(p, m);
    set_reduceK(p, copies);
    set_reduceSize(p, m * copies);
    set_rangeM(p, m != 0);
}

/* shape: [b, s, columns, columns in use]. */
template <class Plan> inline void plan_bsh(const ge::Shape &shape, Plan &p)
{
    set_bLength(p, dim(shape, 0));
    set_sLength(p, dim(shape, 1));
    set_hLength(p, dim(shape, 2));
    set_originalHLength(p, shape.GetDimNum() > 3 ? dim(shape, 3) : dim(shape, 2));
}

} // namespace nputwin::rows_size

namespace AscendC {

/* FOR_PLANS(F, Plan, ..): for the class and for the struct. */
#define NPU_FOR_PLANS(F, Plan, ...)                                                                \
    F(::optiling::Plan, __VA_ARGS__) F(::AscendC::tiling::Plan, __VA_ARGS__)

/* ---- softmax --------------------------------------------------------------------------------- */

#define NPU_SOFTMAX_SIZES(name, ...)                                                               \
    inline uint32_t Get##name##MaxTmpSize(const TensorShape &srcShape,                             \
                                          const uint32_t dataTypeSize __VA_ARGS__, const bool)     \
    {                                                                                              \
        return nputwin::rows_size::all(srcShape, dataTypeSize);                                    \
    }                                                                                              \
    inline uint32_t Get##name##MinTmpSize(const TensorShape &srcShape,                             \
                                          const uint32_t dataTypeSize __VA_ARGS__, const bool)     \
    {                                                                                              \
        return nputwin::rows_size::row(srcShape, dataTypeSize);                                    \
    }
NPU_SOFTMAX_SIZES(SoftMax)
NPU_SOFTMAX_SIZES(SoftMaxFlash, , const bool)
NPU_SOFTMAX_SIZES(SoftMaxGrad, , const bool)
NPU_SOFTMAX_SIZES(LogSoftMax)
#undef NPU_SOFTMAX_SIZES
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape &srcShape, const uint32_t,
                                            const uint32_t dataTypeSize2, const bool,
                                            const bool = false, const bool = false)
{
    return nputwin::rows_size::row(srcShape, dataTypeSize2);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape &srcShape, const uint32_t,
                                            const uint32_t dataTypeSize2, const bool,
                                            const bool = false, const bool = false)
{
    return nputwin::rows_size::all(srcShape, dataTypeSize2);
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape &srcShape, const uint32_t,
                                           const uint32_t dataTypeSize2, uint32_t &maxValue,
                                           uint32_t &minValue, const bool, const bool = false)
{
    maxValue = nputwin::rows_size::all(srcShape, dataTypeSize2);
    minValue = nputwin::rows_size::row(srcShape, dataTypeSize2);
}

#define NPU_SOFTMAX_PLAN(Plan, name, ...)                                                          \
    inline void name(const TensorShape &srcShape, const uint32_t dataTypeSize, const uint32_t,     \
                     Plan &tiling __VA_ARGS__)                                                     \
    {                                                                                              \
        nputwin::rows_size::plan_softmax(srcShape, dataTypeSize, tiling);                          \
    }
#define NPU_SOFTMAX_PLAN2(Plan, name, ...)                                                         \
    inline void name(const TensorShape &srcShape, const uint32_t, const uint32_t dataTypeSize2,    \
                     const uint32_t, Plan &tiling, const bool __VA_ARGS__)                         \
    {                                                                                              \
        nputwin::rows_size::plan_softmax(srcShape, dataTypeSize2, tiling);                         \
    }
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN, SoftMaxTiling, SoftMaxTilingFunc)
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN, SoftMaxTiling, SoftMaxFlashTilingFunc, , const bool = false)
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN, SoftMaxTiling, SoftMaxGradTilingFunc, , const bool = false)
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN, LogSoftMaxTiling, LogSoftMaxTilingFunc)
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN2, SoftMaxTiling, SoftMaxFlashV2TilingFunc, , const bool = false,
              const bool = false)
NPU_FOR_PLANS(NPU_SOFTMAX_PLAN2, SoftMaxTiling, SoftMaxFlashV3TilingFunc, , const bool = false)
#undef NPU_SOFTMAX_PLAN
#undef NPU_SOFTMAX_PLAN2

/* Rows of 64 and more, in steps of 64, below 2048 elements, and eight rows at a time. */
inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling &t, const uint32_t dataTypeSize = 2)
{
    return t.srcK < 2048 && t.srcK * dataTypeSize >= 256 && t.srcK % 64 == 0 && t.splitM != 0 &&
           t.splitM % 8 == 0 && t.srcM % 8 == 0;
}
inline bool IsBasicBlockInSoftMax(::optiling::SoftMaxTiling &t, const uint32_t dataTypeSize = 2)
{
    tiling::SoftMaxTiling plain;
    plain.srcM = t.get_srcM();
    plain.srcK = t.get_srcK();
    plain.splitM = t.get_splitM();
    return IsBasicBlockInSoftMax(plain, dataTypeSize);
}

/* ---- normalisation --------------------------------------------------------------------------- */

#define NPU_SIZES                                                                                  \
    {                                                                                              \
        maxValue = nputwin::rows_size::all(srcShape, typeSize);                                    \
        minValue = nputwin::rows_size::row(srcShape, typeSize);                                    \
    }
#define NPU_SIZES_OF(name, ...)                                                                    \
    inline void name(const TensorShape &srcShape, const uint32_t typeSize,                         \
                     __VA_ARGS__ uint32_t &maxValue, uint32_t &minValue) NPU_SIZES
#define NPU_COMMA ,
NPU_SIZES_OF(GetLayerNormMaxMinTmpSize, const bool NPU_COMMA)
NPU_SIZES_OF(GetLayerNormMaxMinTmpSize,
             const bool NPU_COMMA const bool NPU_COMMA const bool NPU_COMMA)
NPU_SIZES_OF(GetLayerNormGradMaxMinTmpSize, const bool NPU_COMMA)
NPU_SIZES_OF(GetLayerNormGradBetaMaxMinTmpSize, const bool NPU_COMMA)
NPU_SIZES_OF(GetGroupNormMaxMinTmpSize, const bool NPU_COMMA const uint32_t NPU_COMMA)
NPU_SIZES_OF(GetWelfordFinalizeMaxMinTmpSize, const bool NPU_COMMA)
NPU_SIZES_OF(GetWelfordUpdateMaxMinTmpSize,
             const uint32_t NPU_COMMA const bool NPU_COMMA const bool NPU_COMMA)
NPU_SIZES_OF(
    GetNormalizeMaxMinTmpSize,
    const uint32_t NPU_COMMA const bool NPU_COMMA const bool NPU_COMMA const bool NPU_COMMA)
inline bool GetDeepNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                     const bool, const bool isBasicBlock, uint32_t &maxValue,
                                     uint32_t &minValue)
{
    const uint32_t h = nputwin::rows_size::columns(srcShape);

    NPU_SIZES
    return srcShape.GetDimNum() == 3 && h != 0 && h <= 2040 &&
           (!isBasicBlock || (h % 64 == 0 && nputwin::rows_size::rows(srcShape) % 8 == 0));
}
inline bool GetRmsNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                    uint32_t &maxValue, uint32_t &minValue,
                                    const bool isBasicBlock = false)
{
    const uint32_t h = nputwin::rows_size::columns(srcShape);

    NPU_SIZES
    return srcShape.GetDimNum() == 3 && h != 0 &&
           (!isBasicBlock ||
            (h % 64 == 0 && h < 2048 && nputwin::rows_size::rows(srcShape) % 8 == 0));
}
inline bool GetBatchNormMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &,
                                      const uint32_t typeSize, const bool, uint32_t &maxValue,
                                      uint32_t &minValue, const bool = false)
{
    NPU_SIZES
    return srcShape.GetDimNum() == 3 && srcShape.GetShapeSize() > 0;
}

#define NPU_NORM_PLANS(Layer, Separate, Grad, Beta, Deep, Rms, Batch, Group)                       \
    inline void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t,              \
                                         const uint32_t, const bool, Layer &tiling)                \
    {                                                                                              \
        nputwin::rows_size::plan_bsh(srcShape, tiling);                                            \
    }                                                                                              \
    inline void GetLayerNormNDTillingInfo(const TensorShape &srcShape, const uint32_t,             \
                                          const uint32_t, const bool, Layer &tilling)              \
    {                                                                                              \
        nputwin::rows_size::plan_bsh(srcShape, tilling);                                           \
    }                                                                                              \
    inline void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t,              \
                                         const uint32_t, const bool, const bool, Separate &tiling) \
    {                                                                                              \
        nputwin::rows_size::set_aLength(tiling, nputwin::rows_size::dim(srcShape, 0));             \
        nputwin::rows_size::set_rLength(tiling, nputwin::rows_size::dim(srcShape, 1));             \
    }                                                                                              \
    inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape,                           \
                                             const uint32_t stackBufferSize, const uint32_t,       \
                                             const bool, Grad &tiling)                             \
    {                                                                                              \
        nputwin::rows_size::plan_bsh(srcShape, tiling);                                            \
        nputwin::rows_size::set_stackBufferSize(tiling, stackBufferSize);                          \
    }                                                                                              \
    inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape,                       \
                                                 const uint32_t stackBufferSize, const uint32_t,   \
                                                 const bool, Beta &tiling)                         \
    {                                                                                              \
        nputwin::rows_size::plan_bsh(srcShape, tiling);                                            \
        nputwin::rows_size::set_stackBufferSize(tiling, stackBufferSize);                          \
    }                                                                                              \
    inline bool GetDeepNormTilingInfo(                                                             \
        const TensorShape &srcShape, const TensorShape &originSrcShape, const uint32_t size,       \
        const uint32_t typeSize, const bool isReuseSource, const bool isBasicBlock, Deep &tiling)  \
    {                                                                                              \
        uint32_t most = 0, least = 0;                                                              \
        const uint32_t h = nputwin::rows_size::dim(originSrcShape, 2);                             \
                                                                                                   \
        if (!GetDeepNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, isBasicBlock, most,       \
                                      least) ||                                                    \
            size < least || h == 0 || h > nputwin::rows_size::dim(srcShape, 2) ||                  \
            (isBasicBlock && h != nputwin::rows_size::dim(srcShape, 2)))                           \
            return false;                                                                          \
        nputwin::rows_size::plan_bsh(srcShape, tiling);                                            \
        nputwin::rows_size::set_originalHLength(tiling, h);                                        \
        return true;                                                                               \
    }                                                                                              \
    inline bool GetRmsNormTilingInfo(                                                              \
        const TensorShape &srcShape, const TensorShape &originSrcShape, const uint32_t size,       \
        const uint32_t typeSize, Rms &tiling, const bool isBasicBlock = false)                     \
    {                                                                                              \
        uint32_t most = 0, least = 0;                                                              \
        const uint32_t h = nputwin::rows_size::dim(originSrcShape, 2);                             \
                                                                                                   \
        if (!GetRmsNormMaxMinTmpSize(srcShape, typeSize, most, least, isBasicBlock) ||             \
            size < least || h == 0 || h > nputwin::rows_size::dim(srcShape, 2))                    \
            return false;                                                                          \
        nputwin::rows_size::plan_bsh(srcShape, tiling);                                            \
        nputwin::rows_size::set_originalHLength(tiling, h);                                        \
        return true;                                                                               \
    }                                                                                              \
    inline bool GetBatchNormNDTilingInfo(const TensorShape &srcShape,                              \
                                         const TensorShape &originSrcShape, const uint32_t size,   \
                                         const uint32_t typeSize, const bool isReuseSource,        \
                                         Batch &tilling, const bool isBasicBlock = false)          \
    {                                                                                              \
        const uint32_t sh =                                                                        \
            nputwin::rows_size::dim(srcShape, 1) * nputwin::rows_size::dim(srcShape, 2);           \
        const uint32_t b = nputwin::rows_size::dim(originSrcShape, 0);                             \
        uint32_t most = 0, least = 0;                                                              \
                                                                                                   \
        if (!GetBatchNormMaxMinTmpSize(srcShape, originSrcShape, typeSize, isReuseSource, most,    \
                                       least, isBasicBlock) ||                                     \
            size < least || sh * typeSize % 32 || b == 0 ||                                        \
            (isBasicBlock && (b % 8 || sh % 64 || sh >= 2048)))                                    \
            return false;                                                                          \
        nputwin::rows_size::set_originalBLength(tilling, b);                                       \
        nputwin::rows_size::set_meanVarSize(tilling, sh);                                          \
        return true;                                                                               \
    }                                                                                              \
    inline void GetGroupNormNDTilingInfo(const TensorShape &srcShape, const uint32_t,              \
                                         const uint32_t, const bool, const uint32_t groupNum,      \
                                         Group &tiling)                                            \
    {                                                                                              \
        const uint32_t c = nputwin::rows_size::dim(srcShape, 1);                                   \
                                                                                                   \
        nputwin::rows_size::set_n(tiling, nputwin::rows_size::dim(srcShape, 0));                   \
        nputwin::rows_size::set_c(tiling, c);                                                      \
        nputwin::rows_size::set_hw(tiling, nputwin::rows_size::dim(srcShape, 2) *                  \
                                               nputwin::rows_size::dim(srcShape, 3));              \
        nputwin::rows_size::set_g(tiling, groupNum);                                               \
        nputwin::rows_size::set_d(tiling, groupNum ? c / groupNum : 0);                            \
    }
NPU_NORM_PLANS(::optiling::LayerNormTiling, ::optiling::LayerNormSeparateTiling,
               ::optiling::LayerNormGradTiling, ::optiling::LayerNormGradBetaTiling,
               ::optiling::DeepNormTiling, ::optiling::RmsNormTiling, ::optiling::BatchNormTiling,
               ::optiling::GroupNormTiling)
NPU_NORM_PLANS(::AscendC::tiling::LayerNormTiling, ::AscendC::tiling::LayerNormSeparateTiling,
               ::AscendC::tiling::LayerNormGradTiling, ::AscendC::tiling::LayerNormGradBetaTiling,
               ::AscendC::tiling::DeepNormTiling, ::AscendC::tiling::RmsNormTiling,
               ::AscendC::tiling::BatchNormTiling, ::AscendC::tiling::GroupNormTiling)
#undef NPU_NORM_PLANS

/* ---- reduce ---------------------------------------------------------------------------------- */

/* Both sizes are the same here, as the pages say. */
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool,
                                uint32_t &maxSize, uint32_t &minSize)
{
    maxSize = minSize = nputwin::rows_size::row(TensorShape({n}), typeSize);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize,
                                 const uint32_t accTypeSize, const bool, uint32_t &maxSize,
                                 uint32_t &minSize)
{
    maxSize = minSize = nputwin::rows_size::row(
        TensorShape({n}), accTypeSize > srcTypeSize ? accTypeSize : srcTypeSize);
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount,
                                       uint32_t &extraBuffer)
{
    maxLiveNodeCount = 1;
    extraBuffer = nputwin::tmp_size::repeat_bytes;
}
inline void GetReduceXorSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                         const bool, uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = nputwin::rows_size::all(srcShape, typeSize);
}
#define NPU_REDUCE_SIZE(name)                                                                      \
    inline void Get##name##MaxMinTmpSize(const TensorShape &srcShape,                              \
                                         const TensorDataType dataType, ReducePattern, bool, bool, \
                                         uint32_t &maxValue, uint32_t &minValue)                   \
    {                                                                                              \
        maxValue = minValue = nputwin::rows_size::all(srcShape, dataType == ge::DT_FLOAT ? 4 : 2); \
    }
NPU_REDUCE_SIZE(ReduceSum)
NPU_REDUCE_SIZE(ReduceMean)
NPU_REDUCE_SIZE(ReduceProd)
NPU_REDUCE_SIZE(ReduceMax)
NPU_REDUCE_SIZE(ReduceMin)
NPU_REDUCE_SIZE(ReduceAny)
NPU_REDUCE_SIZE(ReduceAll)
#undef NPU_REDUCE_SIZE

/* ---- sort ------------------------------------------------------------------------------------ */

/* Pairs of 8 bytes. */
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elemCount,
                               const uint32_t)
{
    return nputwin::rows_size::all(TensorShape({elemCount}), 8);
}
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t,
                                 const uint32_t)
{
    return 0; /* scores need no preparation on this chip */
}
inline void GetSortMaxMinTmpSize(const TensorShape &srcShape, TensorDataType, TensorDataType, bool,
                                 const SortConfig &, uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = nputwin::rows_size::all(srcShape, 8) * 2;
}
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner,
                                 const int32_t outter, const bool, const bool, enum TopKMode mode,
                                 const bool, const uint32_t dataTypeSize, uint32_t &maxValue,
                                 uint32_t &minValue)
{
    const bool is_small = mode == TopKMode::TOPK_NSMALL;

    maxValue = minValue = 0;
    if (inner < 1 || outter < 1 || inner % 32 || inner > (is_small ? 32 : 4096) ||
        (dataTypeSize != 2 && dataTypeSize != 4))
        return false;
    maxValue = nputwin::rows_size::all(TensorShape({outter, inner}), 8);
    minValue = nputwin::rows_size::row(TensorShape({inner}), 8) * 2;
    return true;
}
inline bool GetTopKMaxMinTmpSize(const int32_t inner, const int32_t outter, const int32_t k,
                                 const bool isReuseSource, const bool isInitIndex,
                                 enum TopKMode mode, const bool isLargest, TensorDataType dataType,
                                 const TopKConfig &, uint32_t &maxValue, uint32_t &minValue)
{
    return k >= 1 && k <= inner &&
           GetTopKMaxMinTmpSize(platform_ascendc::PlatformAscendC(nullptr), inner, outter,
                                isReuseSource, isInitIndex, mode, isLargest,
                                dataType == ge::DT_FLOAT ? 4 : 2, maxValue, minValue);
}
#define NPU_TOPK_PLAN(Plan, ...)                                                                   \
    inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &platform,                  \
                               const int32_t inner, const int32_t outter, const int32_t k,         \
                               const uint32_t dataTypeSize, const bool isInitIndex,                \
                               enum TopKMode mode, const bool isLargest, Plan &topKTiling)         \
    {                                                                                              \
        uint32_t most = 0, least = 0;                                                              \
                                                                                                   \
        if (k < 1 || k > inner ||                                                                  \
            !GetTopKMaxMinTmpSize(platform, inner, outter, false, isInitIndex, mode, isLargest,    \
                                  dataTypeSize, most, least))                                      \
            return false;                                                                          \
        nputwin::rows_size::set_tmpLocalSize(topKTiling, least / dataTypeSize);                    \
        nputwin::rows_size::set_allDataSize(topKTiling, uint32_t(inner) * uint32_t(outter));       \
        nputwin::rows_size::set_innerDataSize(topKTiling, uint32_t(inner));                        \
        return true;                                                                               \
    }
NPU_FOR_PLANS(NPU_TOPK_PLAN, TopkTiling)
#undef NPU_TOPK_PLAN

/* ---- transform ------------------------------------------------------------------------------- */

inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &,
                                      const TensorShape &srcShape, const TensorShape &dstShape,
                                      uint32_t typeSize, const bool, uint32_t &maxValue,
                                      uint32_t &minValue)
{
    maxValue = nputwin::rows_size::all(dstShape, typeSize);
    minValue = nputwin::rows_size::all(srcShape, typeSize);
}
#define NPU_TRANSPOSE_SIZE(name)                                                                   \
    inline void name(const TensorShape &srcShape, const uint32_t typeSize, const uint32_t,         \
                     uint32_t &maxValue, uint32_t &minValue) NPU_SIZES
NPU_TRANSPOSE_SIZE(GetTransposeMaxMinTmpSize)
NPU_TRANSPOSE_SIZE(GetConfusionTransposeMaxMinTmpSize)
#undef NPU_TRANSPOSE_SIZE
#define NPU_TRANSPOSE_PLAN(Plan, name, ...)                                                        \
    inline void name(const TensorShape &srcShape, const uint32_t, const uint32_t __VA_ARGS__,      \
                     Plan &tiling)                                                                 \
    {                                                                                              \
        nputwin::rows_size::set_param0(tiling, nputwin::rows_size::dim(srcShape, 0));              \
        nputwin::rows_size::set_param1(tiling, nputwin::rows_size::dim(srcShape, 1));              \
        nputwin::rows_size::set_param2(tiling, nputwin::rows_size::dim(srcShape, 2));              \
        nputwin::rows_size::set_param3(tiling, nputwin::rows_size::dim(srcShape, 3));              \
    }
NPU_FOR_PLANS(NPU_TRANSPOSE_PLAN, ConfusionTransposeTiling, GetTransposeTilingInfo, ,
              const uint32_t)
NPU_FOR_PLANS(NPU_TRANSPOSE_PLAN, ConfusionTransposeTiling, GetConfusionTransposeTilingInfo, ,
              const uint32_t)
NPU_FOR_PLANS(NPU_TRANSPOSE_PLAN, ConfusionTransposeTiling, GetConfusionTransposeOnlyTilingInfo)
#undef NPU_TRANSPOSE_PLAN

inline void GetPadMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                uint32_t &maxValue, uint32_t &minValue) NPU_SIZES
    inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &,
                                      const TensorShape &srcShape, const uint32_t typeSize,
                                      uint32_t &maxValue, uint32_t &minValue) NPU_SIZES
#define NPU_PAD_PLAN(Plan, ...)                                                                    \
    inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape,           \
                              const uint32_t, const uint32_t, Plan &tiling)                        \
    {                                                                                              \
        nputwin::rows_size::set_srcHeight(tiling, nputwin::rows_size::dim(srcShape, 0));           \
        nputwin::rows_size::set_srcWidth(tiling, nputwin::rows_size::dim(srcShape, 1));            \
        nputwin::rows_size::set_srcOriWidth(tiling, nputwin::rows_size::dim(oriSrcShape, 1));      \
    }
#define NPU_UNPAD_PLAN(Plan, ...)                                                                  \
    inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t, const uint32_t,        \
                                Plan &tiling)                                                      \
    {                                                                                              \
        nputwin::rows_size::set_srcHeight(tiling, nputwin::rows_size::dim(srcShape, 0));           \
        nputwin::rows_size::set_srcWidth(tiling, nputwin::rows_size::dim(srcShape, 1));            \
    }
    NPU_FOR_PLANS(NPU_PAD_PLAN, PadTiling) NPU_FOR_PLANS(NPU_UNPAD_PLAN, UnPadTiling)
#undef NPU_PAD_PLAN
#undef NPU_UNPAD_PLAN
        inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &,
                                              const TensorShape &srcShape, const TensorShape &,
                                              const TensorDataType dataType,
                                              const TransDataConfig &config, uint32_t &maxValue,
                                              uint32_t &minValue)
{
    const bool is_from = config.srcFormat == DataFormat::NCDHW;
    const DataFormat other = is_from ? config.dstFormat : config.srcFormat;

    maxValue = minValue = nputwin::rows_size::all(srcShape, 2);
    return (is_from || config.dstFormat == DataFormat::NCDHW) &&
           (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D) &&
           dataType != ge::DT_INT8;
}

/* ---- filter and index ------------------------------------------------------------------------ */

inline uint32_t GetDropOutMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                     const bool)
{
    return nputwin::rows_size::all(srcShape, typeSize);
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                     const bool)
{
    return nputwin::rows_size::row(srcShape, typeSize);
}
NPU_SIZES_OF(GetDropOutMaxMinTmpSize, const bool NPU_COMMA)

/* The shape of a scalar is {1}. */
#define NPU_SELECT_SIZES(name)                                                                     \
    inline uint32_t name##MinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,   \
                                     const uint32_t srcTypeSize, const TensorShape &,              \
                                     const uint32_t, const bool)                                   \
    {                                                                                              \
        const uint32_t a = nputwin::rows_size::row(src0Shape, srcTypeSize);                        \
        const uint32_t b = nputwin::rows_size::row(src1Shape, srcTypeSize);                        \
        return a < b ? b : a;                                                                      \
    }                                                                                              \
    inline uint32_t name##MaxTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,   \
                                     const uint32_t srcTypeSize, const TensorShape &,              \
                                     const uint32_t, const bool)                                   \
    {                                                                                              \
        const uint32_t a = nputwin::rows_size::all(src0Shape, srcTypeSize);                        \
        const uint32_t b = nputwin::rows_size::all(src1Shape, srcTypeSize);                        \
        return a < b ? b : a;                                                                      \
    }                                                                                              \
    inline void name##MaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,    \
                                    const uint32_t srcTypeSize, const TensorShape &maskShape,      \
                                    const uint32_t maskTypeSize, const bool isReuseMask,           \
                                    uint32_t &maxValue, uint32_t &minValue)                        \
    {                                                                                              \
        maxValue = name##MaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize,    \
                                    isReuseMask);                                                  \
        minValue = name##MinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize,    \
                                    isReuseMask);                                                  \
    }
NPU_SELECT_SIZES(GetSelect)
NPU_SELECT_SIZES(GetSelectWithBytesMask)
#undef NPU_SELECT_SIZES

inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = 0;
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = 0;
}

#undef NPU_SIZES
#undef NPU_SIZES_OF
#undef NPU_COMMA
#undef NPU_FOR_PLANS
} // namespace AscendC
#endif
