/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax.h - SoftMax and its relatives on rows of [m, k].
 *
 * A sum or a maximum of a row fills 32 bytes, unless SOFTMAX_OUTPUT_WITHOUT_BRC asks for one
 * element. Columns from oriSrcK on are computed but take no part in sums and maxima.
 */
#ifndef NPU_FRONT_ADV_SOFTMAX_H
#define NPU_FRONT_ADV_SOFTMAX_H
#include "rows.h"
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    constexpr SoftmaxConfig(bool check, uint32_t m = 0, uint32_t k = 0,
                            SoftmaxMode how = SoftmaxMode::SOFTMAX_NORMAL)
        : isCheckTiling(check), oriSrcM(m), oriSrcK(k), mode(how)
    {
    }
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0, oriSrcK = 0; /* the shape as constants; 0: what the call says */
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

struct SoftMaxShapeInfo {
    uint32_t srcM{0}, srcK{0}, oriSrcM{0}, oriSrcK{0};
};
/* The plan of a shape that is known in the kernel alone; the calls read the shape from it. */
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo &shapeInfo, const uint32_t,
                                                 const uint32_t, const uint32_t, const bool = false,
                                                 const bool = false)
{
    SoftMaxTiling plan{};
    plan.srcM = plan.splitM = plan.outMaxM = plan.reduceM = shapeInfo.srcM;
    plan.srcK = plan.splitK = shapeInfo.srcK;
    plan.srcSize = plan.splitSize = shapeInfo.srcM * shapeInfo.srcK;
    plan.rangeM = shapeInfo.srcM != 0;
    return plan;
}
struct SoftMaxParams {
    uint32_t srcM{0}, srcK{0}, oriSrcM{0}, oriSrcK{0};
    uint32_t loopCnt{1}, splitMeanCnt{8};
    float alpha{0.9375f};
};

} // namespace AscendC

namespace nputwin {

template <class T, class U> constexpr bool beside = std::is_same_v<T, U>;
template <> inline constexpr bool beside<half, float> = true;
#define NPU_BESIDE(name, T, U)                                                                     \
    static_assert(nputwin::beside<T, U>,                                                           \
                  name ": sums and maxima have the type of src, or are floats beside halves")

/* What the call says, else what the template says, else the plan. */
template <class T>
inline AscendC::SoftMaxShapeInfo softmax_shape(const AscendC::SoftmaxConfig &config,
                                               const AscendC::SoftMaxShapeInfo &said, uint32_t m,
                                               uint32_t k)
{
    constexpr uint32_t per_blk = NPU_BLK_BYTES / sizeof(T);
    AscendC::SoftMaxShapeInfo s = said;
    if (config.oriSrcM && config.oriSrcK)
        s = {config.oriSrcM, (config.oriSrcK + per_blk - 1) / per_blk * per_blk, config.oriSrcM,
             config.oriSrcK};
    else if (!s.srcM || !s.srcK)
        s = {m, k, m, k};
    if (!s.oriSrcK)
        s.oriSrcK = s.srcK;
    return s;
}

template <class T, class U = T> struct softmax_call : rows_call {
    AscendC::SoftMaxShapeInfo s;
    uint64_t all, stats, factors; /* elements of the matrix, of a column of U, of one of T */
    softmax_call(npu_rows_fn fn, const AscendC::SoftMaxShapeInfo &shape, bool is_nz, bool is_narrow,
                 bool is_update, npu_where where)
        : rows_call(fn, type_of<T>, type_of<U>, where), s(shape), all(uint64_t(s.srcM) * s.srcK),
          stats(s.srcM * uint64_t(is_narrow ? 1 : NPU_BLK_BYTES / sizeof(U))),
          factors(s.srcM * uint64_t(is_narrow ? 1 : NPU_BLK_BYTES / sizeof(T)))
    {
        if (!all || s.srcK * sizeof(T) % NPU_BLK_BYTES)
            npu_fault(core(), NPU_E_ARG, where,
                      "%s: shape [%u, %u] of %u-byte elements; at least one row, and rows of whole "
                      "32 bytes (softmaxShapeInfo says it, or else the tiling)",
                      npu_rows_table[fn].name, s.srcM, s.srcK, uint32_t(sizeof(T)));
        number(s.srcM).number(s.srcK).number(s.oriSrcK);
        number(is_nz).number(is_narrow).number(is_update);
    }
};

} // namespace nputwin

namespace AscendC {

/* FORM(argument, parameters..): once with temporary space from the kernel, once without. */
#define NPU_TMP_FORMS(FORM)                                                                        \
    FORM(, )                                                                                       \
    FORM(sharedTmpBuffer, , const LocalTensor<uint8_t> &sharedTmpBuffer)
#define NPU_WIDTH(config) (config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC)
#define NPU_SHAPE(config, info)                                                                    \
    nputwin::softmax_shape<T>(config, info, uint32_t(tiling.srcM), uint32_t(tiling.srcK))
#define NPU_F16_F32 "half, float"

#define NPU_SOFTMAX(tmp_arg, ...)                                                                  \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG,      \
              typename D, typename U>                                                              \
    inline void SoftMax(const LocalTensor<D> &dstTensor, const LocalTensor<U> &sumTensor,          \
                        const LocalTensor<U> &maxTensor,                                           \
                        const LocalTensor<D> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling,  \
                        const SoftMaxShapeInfo &softmaxShapeInfo = {}, npu_where where = NPU_HERE) \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftMax, D, NPU_F16_F32);                                                   \
        NPU_BESIDE("SoftMax", D, U);                                                               \
        nputwin::softmax_call<D, U> c(                                                             \
            ROWS_SoftMax,                                                                          \
            nputwin::softmax_shape<D>(config, softmaxShapeInfo, tiling.srcM, tiling.srcK),         \
            isDataFormatNZ, false, false, where);                                                  \
        c.writes(dstTensor, c.all).writes(sumTensor, c.stats).writes(maxTensor, c.stats);          \
        c.writes_none().writes_none().tmp(tmp_arg).reads(srcTensor, c.all).issue();                \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                   \
    inline void SoftMax(const LocalTensor<T> &dstTensor,                                           \
                        const LocalTensor<T> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling,  \
                        const SoftMaxShapeInfo &softmaxShapeInfo = {}, npu_where where = NPU_HERE) \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftMax, T, NPU_F16_F32);                                                   \
        nputwin::softmax_call<T> c(ROWS_SoftMax, NPU_SHAPE(config, softmaxShapeInfo), false,       \
                                   false, false, where);                                           \
        c.writes(dstTensor, c.all).writes_none().writes_none().writes_none().writes_none();        \
        c.tmp(tmp_arg).reads(srcTensor, c.all).issue();                                            \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                   \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG,      \
              typename D, typename U>                                                              \
    inline void SimpleSoftMax(                                                                     \
        const LocalTensor<D> &dstTensor, const LocalTensor<U> &inSumTensor,                        \
        const LocalTensor<U> &inMaxTensor, const LocalTensor<D> &srcTensor __VA_ARGS__,            \
        const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {},                \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        NPU_ROWS_TAKES(SimpleSoftMax, D, NPU_F16_F32);                                             \
        NPU_BESIDE("SimpleSoftMax", D, U);                                                         \
        nputwin::softmax_call<D, U> c(                                                             \
            ROWS_SimpleSoftMax,                                                                    \
            nputwin::softmax_shape<D>(config, softmaxShapeInfo, tiling.srcM, tiling.srcK),         \
            isDataFormatNZ, false, false, where);                                                  \
        c.writes(dstTensor, c.all).tmp(tmp_arg).reads(srcTensor, c.all);                           \
        c.reads(inSumTensor, c.stats).reads(inMaxTensor, c.stats).issue();                         \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename D,       \
              typename U>                                                                          \
    inline void SoftmaxFlash(                                                                      \
        const LocalTensor<D> &dstTensor, const LocalTensor<U> &sumTensor,                          \
        const LocalTensor<U> &maxTensor, const LocalTensor<D> &srcTensor,                          \
        const LocalTensor<D> &expMaxTensor, const LocalTensor<U> &inSumTensor,                     \
        const LocalTensor<U> &inMaxTensor __VA_ARGS__, const SoftMaxTiling &tiling,                \
        bool isUpdate = false, const SoftMaxShapeInfo &softmaxShapeInfo = {},                      \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxFlash, D, NPU_F16_F32);                                              \
        NPU_BESIDE("SoftmaxFlash", D, U);                                                          \
        nputwin::softmax_call<D, U> c(ROWS_SoftmaxFlash,                                           \
                                      nputwin::softmax_shape<D>(SOFTMAX_DEFAULT_CFG,               \
                                                                softmaxShapeInfo, tiling.srcM,     \
                                                                tiling.srcK),                      \
                                      false, false, isUpdate, where);                              \
        const uint64_t in = isUpdate ? c.stats : 0;                                                \
        c.writes(dstTensor, c.all).writes(sumTensor, c.stats).writes(maxTensor, c.stats);          \
        c.writes(expMaxTensor, isUpdate ? c.factors : 0).writes_none().tmp(tmp_arg);               \
        c.reads(srcTensor, c.all).reads(inSumTensor, in).reads(inMaxTensor, in).issue();           \
    }                                                                                              \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                       \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename U>           \
    inline void SoftmaxFlashV2(                                                                    \
        const LocalTensor<D> &dstTensor, const LocalTensor<U> &expSumTensor,                       \
        const LocalTensor<U> &maxTensor, const LocalTensor<D> &srcTensor,                          \
        const LocalTensor<D> &expMaxTensor, const LocalTensor<U> &inExpSumTensor,                  \
        const LocalTensor<U> &inMaxTensor __VA_ARGS__, const SoftMaxTiling &tiling,                \
        const SoftMaxShapeInfo &softmaxShapeInfo = {}, npu_where where = NPU_HERE)                 \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxFlashV2, D, NPU_F16_F32);                                            \
        NPU_BESIDE("SoftmaxFlashV2", D, U);                                                        \
        static_assert(!(isDataFormatNZ && NPU_WIDTH(config)),                                      \
                      "SoftmaxFlashV2: SOFTMAX_OUTPUT_WITHOUT_BRC is not supported in NZ format"); \
        nputwin::softmax_call<D, U> c(                                                             \
            ROWS_SoftmaxFlashV2,                                                                   \
            nputwin::softmax_shape<D>(config, softmaxShapeInfo, tiling.srcM, tiling.srcK),         \
            isDataFormatNZ, NPU_WIDTH(config), isUpdate, where);                                   \
        const uint64_t in = isUpdate ? c.stats : 0;                                                \
        c.writes(dstTensor, c.all).writes(expSumTensor, c.stats).writes(maxTensor, c.stats);       \
        c.writes(expMaxTensor, isUpdate ? c.factors : 0).writes_none().tmp(tmp_arg);               \
        c.reads(srcTensor, c.all).reads(inExpSumTensor, in).reads(inMaxTensor, in).issue();        \
    }                                                                                              \
    /* With the maximum of this part alone; in SOFTMAX_NORMAL mode the call does nothing. */       \
    template <typename T, bool isUpdate = false, bool isReuseSource = false,                       \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                   \
    inline void SoftmaxFlashV2(                                                                    \
        const LocalTensor<T> &dstTensor, const LocalTensor<T> &outReduceMax,                       \
        const LocalTensor<T> &outExpSum, const LocalTensor<T> &outMax,                             \
        const LocalTensor<T> &srcTensor, const LocalTensor<T> &outExpMax,                          \
        const LocalTensor<T> &inExpSum, const LocalTensor<T> &inMax __VA_ARGS__,                   \
        const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {},                \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxFlashV2, T, NPU_F16_F32);                                            \
        if constexpr (NPU_WIDTH(config)) {                                                         \
            nputwin::softmax_call<T> c(ROWS_SoftmaxFlashV2, NPU_SHAPE(config, softmaxShapeInfo),   \
                                       false, true, isUpdate, where);                              \
            const uint64_t in = isUpdate ? c.stats : 0;                                            \
            c.writes(dstTensor, c.all).writes(outExpSum, c.stats).writes(outMax, c.stats);         \
            c.writes(outExpMax, in).writes(outReduceMax, in).tmp(tmp_arg);                         \
            c.reads(srcTensor, c.all).reads(inExpSum, in).reads(inMax, in).issue();                \
        }                                                                                          \
    }                                                                                              \
    template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,           \
              bool isBasicBlock = false, bool isDataFormatNZ = false,                              \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                   \
    inline void SoftmaxFlashV3(                                                                    \
        const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor,                         \
        const LocalTensor<U> &expSumTensor, const LocalTensor<U> &maxTensor,                       \
        const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,                       \
        const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor,                  \
        const LocalTensor<U> &inMaxTensor __VA_ARGS__, const SoftMaxTiling &,                      \
        const SoftMaxParams &params, npu_where where = NPU_HERE)                                   \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxFlashV3, T, "half");                                                 \
        static_assert(std::is_same_v<U, float>, "SoftmaxFlashV3: U is float");                     \
        nputwin::softmax_call<T, U> c(ROWS_SoftmaxFlashV3,                                         \
                                      {params.srcM, params.srcK, params.srcM, params.srcK}, false, \
                                      false, isUpdate, where);                                     \
        const uint64_t in = isUpdate ? c.stats : 0;                                                \
        c.number(params.loopCnt).number(params.splitMeanCnt).real(params.alpha);                   \
        c.writes(dstTensor, c.all).writes(meanTensor, c.stats).writes(expSumTensor, c.stats);      \
        c.writes(maxTensor, c.stats).writes(expMaxTensor, isUpdate ? c.factors : 0).tmp(tmp_arg);  \
        c.reads(srcTensor, c.all).reads(inMeanTensor, in).reads(inExpSumTensor, in);               \
        c.reads(inMaxTensor, in).issue();                                                          \
    }                                                                                              \
    template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                  \
    inline void SoftmaxGradFront(                                                                  \
        const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                         \
        const LocalTensor<T> &srcTensor __VA_ARGS__, const SoftMaxTiling &tiling,                  \
        const SoftMaxShapeInfo &softmaxShapeInfo = {}, npu_where where = NPU_HERE)                 \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxGradFront, T, NPU_F16_F32);                                          \
        nputwin::softmax_call<T> c(ROWS_SoftmaxGradFront,                                          \
                                   NPU_SHAPE(SOFTMAX_DEFAULT_CFG, softmaxShapeInfo),               \
                                   isDataFormatNZ, false, false, where);                           \
        c.writes(dstTensor, c.stats).tmp(tmp_arg).reads(gradTensor, c.all);                        \
        c.reads(srcTensor, c.all).issue();                                                         \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                 \
    inline void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,     \
                            const LocalTensor<T> &srcTensor __VA_ARGS__,                           \
                            const SoftMaxTiling &tiling, bool isFront = false,                     \
                            const SoftMaxShapeInfo &softmaxShapeInfo = {},                         \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        NPU_ROWS_TAKES(SoftmaxGrad, T, NPU_F16_F32);                                               \
        nputwin::softmax_call<T> c(isFront ? ROWS_SoftmaxGradFront : ROWS_SoftmaxGrad,             \
                                   NPU_SHAPE(SOFTMAX_DEFAULT_CFG, softmaxShapeInfo),               \
                                   isDataFormatNZ, false, false, where);                           \
        c.writes(dstTensor, isFront ? c.stats : c.all).tmp(tmp_arg).reads(gradTensor, c.all);      \
        c.reads(srcTensor, c.all).issue();                                                         \
    }
NPU_TMP_FORMS(NPU_SOFTMAX)
#undef NPU_SOFTMAX

/* dst = log10 of the softmax. */
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum,
                       const LocalTensor<T> &max, const LocalTensor<T> &src,
                       const LocalTensor<uint8_t> &sharedTmpBuffer, const LogSoftMaxTiling &tiling,
                       const SoftMaxShapeInfo &softmaxShapeInfo = {}, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(LogSoftMax, T, NPU_F16_F32);
    nputwin::softmax_call<T> c(ROWS_LogSoftMax, NPU_SHAPE(SOFTMAX_DEFAULT_CFG, softmaxShapeInfo),
                               isDataFormatNZ, false, false, where);
    c.writes(dst, c.all).writes(sum, c.stats).writes(max, c.stats).writes_none().writes_none();
    c.tmp(sharedTmpBuffer).reads(src, c.all).issue();
}

/* Rows whose maximum has the bits `from` become `to`; true when there is one. */
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor,
                             const uint32_t from, const T1 to,
                             const SoftMaxShapeInfo &softmaxShapeInfo, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(AdjustSoftMaxRes, T1, NPU_F16_F32);
    NPU_ROWS_TAKES(AdjustSoftMaxRes, T2, NPU_F16_F32);
    static_assert(stepSizeMode == 0 || !isDataFormatNZ,
                  "AdjustSoftMaxRes: stepSizeMode other than 0 takes ND format only");
    nputwin::softmax_call<T1, T2> c(
        ROWS_AdjustSoftMaxRes,
        nputwin::softmax_shape<T1>(SOFTMAX_DEFAULT_CFG, softmaxShapeInfo, 0, 0), isDataFormatNZ,
        stepSizeMode != 0, false, where);
    c.bits(from).real(float(to));
    c.writes(softMaxRes, c.all).reads(softMaxRes, c.all).reads(maxTensor, c.stats).issue();
    return nputwin::core()->regs.has_adjusted;
}

#undef NPU_SHAPE
#undef NPU_WIDTH
} // namespace AscendC
#endif
