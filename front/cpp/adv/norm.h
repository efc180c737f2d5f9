/* SPDX-License-Identifier: Apache-2.0 */
/*
 * norm.h - LayerNorm, RmsNorm and their relatives. Shapes come from the plan (tiling) that the host
 * side has filled, or from the parameters of the call.
 */
#ifndef NPU_FRONT_ADV_NORM_H
#define NPU_FRONT_ADV_NORM_H
#include "softmax.h"
#include "kernel_tiling/adv_types.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false, isNoGamma = false;
    bool isOnlyOutput = false; /* false is what the chip's library takes */
    bool isOutputRstd = true;  /* else the variance */
};
inline constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
struct LayerNormPara {
    uint32_t aLength, rLength, rLengthWithPadding;
};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
struct NormalizePara {
    uint32_t aLength, rLength, rLengthWithPadding;
};
struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};
struct WelfordUpdateConfig {
    bool isInplace = false;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordUpdateParam {
    uint32_t rnLength, abLength, abComputeLength;
    float nRec;
};
struct WelfordFinalizeConfig {
    bool isCorrection = false;
};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
    uint32_t rnLength, abLength, headCount, headCountLength, tailCount, tailCountLength;
    float abRec, rRec, rRecWithCorrection;
};

} // namespace AscendC

namespace nputwin {

/* gamma and beta are of the type of x or of float. */
template <class T, class U>
constexpr bool weighs = std::is_same_v<T, U> || std::is_same_v<U, float>;

} // namespace nputwin

namespace AscendC {

/* DeepNorm: the page calls rstdLocal the reciprocal of the deviation, while its example and the
 * program published for the chip have the variance there (docs/semantics.md).
 */
#define NPU_LAYER_NORM(tmp_arg, ...)                                                               \
    template <typename T, bool isReuseSource = false>                                              \
    inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,          \
                          const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,      \
                          const LocalTensor<T> &gamma, const LocalTensor<T> &beta __VA_ARGS__,     \
                          const T epsilon, LayerNormTiling &tiling, npu_where where = NPU_HERE)    \
    {                                                                                              \
        NPU_ROWS_TAKES(LayerNorm, T, NPU_F16_F32);                                                 \
        const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, h = tiling.hLength;       \
        const uint64_t all = rows * h;                                                             \
        nputwin::rows_call c(ROWS_LayerNorm, nputwin::type_of<T>, nputwin::type_of<T>, where);     \
        c.writes(output, all).writes(outputMean, rows).writes(outputVariance, rows).tmp(tmp_arg);  \
        c.reads(inputX, all).reads_none().reads(gamma, h).reads(beta, h).reads_none();             \
        c.reads_none().number(rows).number(h).number(tiling.originalHLength);                      \
        c.number(nputwin::type_of<T>).number(false).real(float(epsilon)).issue();                  \
    }                                                                                              \
    template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                      \
    inline void DeepNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &meanLocal,          \
                         const LocalTensor<T> &rstdLocal, const LocalTensor<T> &srcLocal,          \
                         const LocalTensor<T> &gxLocal, const LocalTensor<T> &betaLocal,           \
                         const LocalTensor<T> &gammaLocal __VA_ARGS__, const T alpha,              \
                         const T epsilon, DeepNormTiling &tiling, npu_where where = NPU_HERE)      \
    {                                                                                              \
        NPU_ROWS_TAKES(DeepNorm, T, NPU_F16_F32);                                                  \
        const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, h = tiling.hLength;       \
        const uint64_t all = rows * h;                                                             \
        nputwin::rows_call c(ROWS_DeepNorm, nputwin::type_of<T>, nputwin::type_of<T>, where);      \
        c.writes(dstLocal, all).writes(meanLocal, rows).writes(rstdLocal, rows).tmp(tmp_arg);      \
        c.reads(srcLocal, all).reads(gxLocal, all).reads(gammaLocal, h).reads(betaLocal, h);       \
        c.reads_none().reads_none().number(rows).number(h).number(tiling.originalHLength);         \
        c.number(nputwin::type_of<T>).number(false); /* the variance: see above */                 \
        c.real(float(epsilon), float(alpha)).issue();                                              \
    }                                                                                              \
    template <typename T, bool isBasicBlock = false>                                               \
    inline void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,            \
                        const LocalTensor<T> &gammaLocal __VA_ARGS__, const T epsilon,             \
                        const RmsNormTiling &tiling, npu_where where = NPU_HERE)                   \
    {                                                                                              \
        NPU_ROWS_TAKES(RmsNorm, T, NPU_F16_F32);                                                   \
        const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, h = tiling.hLength;       \
        nputwin::rows_call c(ROWS_RmsNorm, nputwin::type_of<T>, nputwin::type_of<T>, where);       \
        c.writes(dstLocal, rows * h).writes_none().writes_none().tmp(tmp_arg);                     \
        c.reads(srcLocal, rows * h).reads_none().reads(gammaLocal, h).reads_none().reads_none();   \
        c.reads_none().number(rows).number(h).number(tiling.originalHLength);                      \
        c.number(nputwin::type_of<T>).number(false).real(float(epsilon)).issue();                  \
    }                                                                                              \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                   \
    inline void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,          \
                          const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,      \
                          const LocalTensor<T> &gamm, const LocalTensor<T> &beta __VA_ARGS__,      \
                          const T epsilon, BatchNormTiling &tiling, npu_where where = NPU_HERE)    \
    {                                                                                              \
        NPU_ROWS_TAKES(BatchNorm, T, NPU_F16_F32);                                                 \
        const uint64_t b = tiling.originalBLength, sh = tiling.meanVarSize;                        \
        nputwin::rows_call c(ROWS_BatchNorm, nputwin::type_of<T>, nputwin::type_of<T>, where);     \
        c.writes(output, b * sh).writes(outputMean, sh).writes(outputVariance, sh).tmp(tmp_arg);   \
        c.reads(inputX, b * sh).reads(gamm, b).reads(beta, b);                                     \
        c.number(b).number(sh).real(float(epsilon)).issue();                                       \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,          \
                          const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,      \
                          const LocalTensor<T> &gamma, const LocalTensor<T> &beta __VA_ARGS__,     \
                          const T epsilon, GroupNormTiling &tiling, npu_where where = NPU_HERE)    \
    {                                                                                              \
        NPU_ROWS_TAKES(GroupNorm, T, NPU_F16_F32);                                                 \
        const uint64_t n = tiling.n, ch = tiling.c, all = n * ch * tiling.hw, g = n * tiling.g;    \
        nputwin::rows_call c(ROWS_GroupNorm, nputwin::type_of<T>, nputwin::type_of<T>, where);     \
        c.writes(output, all).writes(outputMean, g).writes(outputVariance, g).tmp(tmp_arg);        \
        c.reads(inputX, all).reads(gamma, ch).reads(beta, ch);                                     \
        c.number(n).number(ch).number(tiling.hw).number(tiling.g).real(float(epsilon)).issue();    \
    }                                                                                              \
    template <typename U, typename T, bool isReuseSource = false,                                  \
              const NormalizeConfig &config = NLCFG_NORM>                                          \
    inline void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,      \
                          const LocalTensor<float> &inputMean,                                     \
                          const LocalTensor<float> &inputVariance, const LocalTensor<T> &inputX,   \
                          const LocalTensor<U> &gamma, const LocalTensor<U> &beta __VA_ARGS__,     \
                          const float epsilon, const NormalizePara &para,                          \
                          npu_where where = NPU_HERE)                                              \
    {                                                                                              \
        NPU_ROWS_TAKES(Normalize, T, NPU_F16_F32);                                                 \
        static_assert(nputwin::weighs<T, U>, "Normalize: gamma and beta are of T or of float");    \
        static_assert(config.reducePattern == ReducePattern::AR && !config.isOnlyOutput,           \
                      "Normalize: the chip has ReducePattern::AR and isOnlyOutput = false only");  \
        const uint64_t a = para.aLength, h = para.rLengthWithPadding, r = para.rLength;            \
        nputwin::rows_call c(ROWS_Normalize, nputwin::type_of<T>, TYPE_f32, where);                \
        c.writes(output, a * h).writes_none().writes(outputRstd, a).tmp(tmp_arg);                  \
        c.reads(inputX, a * h).reads_none().reads(gamma, config.isNoGamma ? 0 : r);                \
        c.reads(beta, config.isNoBeta ? 0 : r).reads(inputMean, a).reads(inputVariance, a);        \
        c.number(a).number(h).number(r).number(nputwin::type_of<U>).number(true);                  \
        c.real(epsilon).issue();                                                                   \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void LayerNormGradBeta(                                                                 \
        const LocalTensor<T> &outputPdGamma, const LocalTensor<T> &outputPdBeta,                   \
        const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy __VA_ARGS__,              \
        const LayerNormGradBetaTiling &tiling, npu_where where = NPU_HERE)                         \
    {                                                                                              \
        NPU_ROWS_TAKES(LayerNormGradBeta, T, NPU_F16_F32);                                         \
        const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, h = tiling.hLength;       \
        nputwin::rows_call c(ROWS_LayerNormGradBeta, nputwin::type_of<T>, nputwin::type_of<T>,     \
                             where);                                                               \
        c.writes(outputPdGamma, h).writes(outputPdBeta, h).tmp(tmp_arg);                           \
        c.reads(resForGamma, rows * h).reads(inputDy, rows * h).number(rows).number(h).issue();    \
    }                                                                                              \
    template <typename T, typename U, bool isReuseSource = false,                                  \
              const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>                            \
    inline void WelfordUpdate(                                                                     \
        const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,                    \
        const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,                      \
        const LocalTensor<T> &inputX __VA_ARGS__, const WelfordUpdateParam &para,                  \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        NPU_ROWS_TAKES(WelfordUpdate, T, NPU_F16_F32);                                             \
        static_assert(std::is_same_v<U, float>, "WelfordUpdate: U is float");                      \
        const uint64_t n = para.abComputeLength;                                                   \
        const uint64_t all = config.isInplace && para.abLength > n ? para.abLength : n;            \
        nputwin::rows_call c(ROWS_WelfordUpdate, nputwin::type_of<T>, TYPE_f32, where);            \
        if (para.rnLength != 1 || n == 0 || n > para.abLength ||                                   \
            para.abLength * sizeof(T) % NPU_BLK_BYTES)                                             \
            npu_fault(nputwin::core(), NPU_E_ARG, where,                                           \
                      "WelfordUpdate: rnLength %u, abComputeLength %u of abLength %u; allowed "    \
                      "are 1, 1 to abLength, and whole 32 bytes",                                  \
                      para.rnLength, para.abComputeLength, para.abLength);                         \
        c.writes(outputMean, all).writes(outputVariance, all).tmp(tmp_arg);                        \
        c.reads(inputMean, all).reads(inputVariance, all).reads(inputX, n);                        \
        c.number(n).number(all).number(config.isInplace).real(para.nRec).issue();                  \
    }
NPU_TMP_FORMS(NPU_LAYER_NORM)
#undef NPU_LAYER_NORM

/* Rows of [a, r], with the mean and the reciprocal of the deviation (or the variance) as floats. */
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig &config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
                      const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
                      const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
                      const LocalTensor<uint8_t> &sharedTmpBuffer, const LayerNormPara &para,
                      const LayerNormSeparateTiling &, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(LayerNorm, T, NPU_F16_F32);
    static_assert(nputwin::weighs<T, U>, "LayerNorm: gamma and beta are of T or of float");
    static_assert(!config.isOnlyOutput, "LayerNorm: the chip has isOnlyOutput = false only");
    const uint64_t a = para.aLength, h = para.rLengthWithPadding, r = para.rLength;
    nputwin::rows_call c(ROWS_LayerNorm, nputwin::type_of<T>, TYPE_f32, where);
    c.writes(output, a * h).writes(outputMean, a).writes(outputRstd, a).tmp(sharedTmpBuffer);
    c.reads(inputX, a * h).reads_none().reads(gamma, config.isNoGamma ? 0 : r);
    c.reads(beta, config.isNoBeta ? 0 : r).reads_none().reads_none();
    c.number(a).number(h).number(r).number(nputwin::type_of<U>).number(config.isOutputRstd);
    c.real(epsilon).issue();
}
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig &config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
                      const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
                      const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
                      const LayerNormPara &para, const LayerNormSeparateTiling &tiling,
                      npu_where where = NPU_HERE)
{
    LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta,
                                           epsilon, LocalTensor<uint8_t>(), para, tiling, where);
}

template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,
                          const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,
                          const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,
                          const LocalTensor<T> &inputGamma, LocalTensor<uint8_t> &sharedTmpBuffer,
                          T epsilon, LayerNormGradTiling &tiling,
                          const LayerNormGradShapeInfo &shapeInfo = {}, npu_where where = NPU_HERE)
{
    NPU_ROWS_TAKES(LayerNormGrad, T, NPU_F16_F32);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, h = tiling.hLength;
    nputwin::rows_call c(ROWS_LayerNormGrad, nputwin::type_of<T>, nputwin::type_of<T>, where);
    if (shapeInfo.dataFormat != DataFormat::ND)
        npu_fault(nputwin::core(), NPU_E_ARG, where,
                  "LayerNormGrad: shapeInfo.dataFormat is %d, allowed is DataFormat::ND",
                  int(shapeInfo.dataFormat));
    c.writes(outputPdX, rows * h).writes(resForGamma, rows * h).tmp(sharedTmpBuffer);
    c.reads(inputDy, rows * h).reads(inputX, rows * h).reads(inputVariance, rows);
    c.reads(inputMean, rows).reads(inputGamma, h);
    c.number(rows).number(h).number(tiling.originalHLength).real(float(epsilon)).issue();
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,
                          const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,
                          const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,
                          const LocalTensor<T> &inputGamma, T epsilon, LayerNormGradTiling &tiling,
                          const LayerNormGradShapeInfo &shapeInfo = {}, npu_where where = NPU_HERE)
{
    LocalTensor<uint8_t> none;
    LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance,
                                    inputMean, inputGamma, none, epsilon, tiling, shapeInfo, where);
}

/* One mean and variance from those of abLength lanes, with a count of each lane or without. */
#define NPU_WELFORD_FINALIZE(counts_param, counts_reads, tmp_arg, ...)                             \
    template <bool isReuseSource = false,                                                          \
              const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>                        \
    inline void WelfordFinalize(                                                                   \
        const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,            \
        const LocalTensor<float> &inputMean,                                                       \
        const LocalTensor<float> &inputVariance counts_param() __VA_ARGS__,                        \
        WelfordFinalizePara &para, npu_where where = NPU_HERE)                                     \
    {                                                                                              \
        const uint64_t n = para.abLength;                                                          \
        nputwin::rows_call c(ROWS_WelfordFinalize, TYPE_f32, TYPE_f32, where);                     \
        if (n == 0 || n % 8 || (para.tailCount == 0 && para.tailCountLength != 0))                 \
            npu_fault(nputwin::core(), NPU_E_ARG, where,                                           \
                      "WelfordFinalize: abLength %u, tailCount %u, tailCountLength %u; abLength "  \
                      "is a multiple of 8, and tailCountLength is 0 when tailCount is",            \
                      para.abLength, para.tailCount, para.tailCountLength);                        \
        c.writes(outputMean, 1).writes(outputVariance, 1).tmp(tmp_arg);                            \
        c.reads(inputMean, n).reads(inputVariance, n) counts_reads();                              \
        c.number(n).number(para.headCountLength).number(para.headCount).number(para.tailCount);    \
        c.number(para.rnLength);                                                                   \
        c.real(para.rRec, config.isCorrection ? para.rRecWithCorrection : para.rRec).issue();      \
    }
#define NPU_NOTHING()
#define NPU_NO_COUNTS()   .reads_none()
#define NPU_COUNTS()      , const LocalTensor<int32_t> &counts
#define NPU_READ_COUNTS() .reads(counts, n)
#define NPU_PLAIN(...)    NPU_WELFORD_FINALIZE(NPU_NOTHING, NPU_NO_COUNTS, __VA_ARGS__)
#define NPU_COUNTED(...)  NPU_WELFORD_FINALIZE(NPU_COUNTS, NPU_READ_COUNTS, __VA_ARGS__)
NPU_TMP_FORMS(NPU_PLAIN)
NPU_TMP_FORMS(NPU_COUNTED)
#undef NPU_NOTHING
#undef NPU_NO_COUNTS
#undef NPU_COUNTS
#undef NPU_READ_COUNTS
#undef NPU_PLAIN
#undef NPU_COUNTED
#undef NPU_WELFORD_FINALIZE

} // namespace AscendC
#endif
