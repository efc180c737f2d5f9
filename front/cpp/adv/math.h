/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.h - the mathematical functions of the high-level API: one row of isa/vec.def each.
 *
 * Whatever algorithm a config names, results are rounded once from double: better than each of them
 * promises.
 */
#ifndef NPU_FRONT_ADV_MATH_H
#define NPU_FRONT_ADV_MATH_H
#include "../../../sdk/include/tiling/nputwin/adv_config.h"
#include "../copy.h"
#include "call.h"

namespace AscendC {

NPU_ADV4_UNARY(Acos, vacos)
NPU_ADV4_UNARY(Acosh, vacosh)
NPU_ADV4_UNARY(Asin, vasin)
NPU_ADV4_UNARY(Asinh, vasinh)
NPU_ADV4_UNARY(Atan, vatan, const AtanConfig &config = defaultAtanConfig)
NPU_ADV4_UNARY(Atanh, vatanh)
NPU_ADV4_UNARY(Cos, vcos, const CosConfig &config = defaultCosConfig)
NPU_ADV4_UNARY(Cosh, vcosh)
NPU_ADV4_UNARY(Erf, verf, const ErfConfig &config = defaultErfConfig)
NPU_ADV4_UNARY(Erfc, verfc)
NPU_ADV4_UNARY(Frac, vfrac)
NPU_ADV4_UNARY(Log2, vlog2)
NPU_ADV4_UNARY(Sign, vsign)
NPU_ADV4_UNARY(Sin, vsin, const SinConfig &config = defaultSinConfig)
NPU_ADV4_UNARY(Sinh, vsinh)
NPU_ADV4_UNARY(Tan, vtan)
NPU_ADV4_UNARY(Tanh, vtanh, const TanhConfig &config = DEFAULT_TANH_CONFIG)
NPU_ADV4_UNARY(Trunc, vtrunc)
NPU_ADV2_UNARY(Ceil, vceil)
NPU_ADV2_UNARY(Digamma, vdigamma)
NPU_ADV2_UNARY(Floor, vfloor)
NPU_ADV2_UNARY(Lgamma, vlgamma)
NPU_ADV2_UNARY(Round, vround)
NPU_ADV4_BINARY(Fmod, vfmod, const FmodConfig &config = DEFAULT_FMOD_CONFIG)
NPU_ADV4_BINARY(Xor, vxor)

/* Logarithms that take no temporary tensor. */
#define NPU_ADV_LOG(name, row)                                                                     \
    template <typename T, bool isReuseSource = false>                                              \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     uint32_t calCount, npu_where where = NPU_HERE)                                \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::adv::apply<OP_##row>(dstTensor, srcTensor, (const T *)nullptr, 0, calCount,       \
                                      where);                                                      \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        name<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize(), where);                  \
    }
NPU_ADV_LOG(Log, vln)
NPU_ADV_LOG(Log10, vlog10)
#undef NPU_ADV_LOG

/* Any number of terms of the series gives the same, correctly rounded result. */
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                const uint32_t calCount, npu_where where = NPU_HERE)
{
    NPU_TAKES("Exp", OP_vexp, T);
    nputwin::adv::apply<OP_vexp>(dstLocal, srcLocal, (const T *)nullptr, 0, calCount, where);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount,
                npu_where where = NPU_HERE)
{
    NPU_ADV_TMP(Exp, T, sharedTmpBuffer);
    Exp<T, taylorExpandLevel, isReuseSource>(dstLocal, srcLocal, calCount, where);
}

/* The scalar is the bound that wins. */
#define NPU_ADV_CLAMP(name, row)                                                                   \
    template <typename T, bool isReuseSource = false>                                              \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     const T scalar, const uint32_t calCount, npu_where where = NPU_HERE)          \
    {                                                                                              \
        static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>,                         \
                      #name ": takes half and float");                                             \
        nputwin::adv::apply<OP_##row>(dstTensor, srcTensor, (const T *)nullptr,                    \
                                      nputwin::bits_of(scalar), calCount, where);                  \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,             \
                     const LocalTensor<uint8_t> &sharedTmpBuffer, const T scalar,                  \
                     const uint32_t calCount, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        NPU_ADV_TMP(Clamp, T, sharedTmpBuffer);                                                    \
        name<T, isReuseSource>(dstTensor, srcTensor, scalar, calCount, where);                     \
    }
NPU_ADV_CLAMP(ClampMax, vmins)
NPU_ADV_CLAMP(ClampMin, vmaxs)
#undef NPU_ADV_CLAMP

/* dst = base ^ exponent; either of them may be one number. */
#define NPU_ADV_POWER                                                                              \
    (typename T, bool isReuseSource = false, const PowerConfig &config = defaultPowerConfig)
#define NPU_ADV_POWER_TT                                                                           \
    (const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                            \
     const LocalTensor<T> &src1Tensor),                                                            \
        (dstTensor, src0Tensor, (const T *)src1Tensor.raw(), 0)
#define NPU_ADV_POWER_TS                                                                           \
    (const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor, const T &src1Scalar),      \
        (dstTensor, src0Tensor, (const T *)nullptr, nputwin::bits_of(src1Scalar))
#define NPU_ADV_POWER_ST                                                                           \
    (const LocalTensor<T> &dstTensor, const T &src0Scalar, const LocalTensor<T> &src1Tensor),      \
        (dstTensor, src1Tensor, (const T *)nullptr, nputwin::bits_of(src0Scalar))
NPU_ADV_EXPAND(NPU_ADV_COUNT, Power, vpow, NPU_ADV_POWER, NPU_ADV_POWER_TT)
NPU_ADV_EXPAND(NPU_ADV_WHOLE, Power, vpow, NPU_ADV_POWER, NPU_ADV_POWER_TT, src0Tensor)
NPU_ADV_EXPAND(NPU_ADV_COUNT, Power, vpows, NPU_ADV_POWER, NPU_ADV_POWER_TS)
NPU_ADV_EXPAND(NPU_ADV_WHOLE, Power, vpows, NPU_ADV_POWER, NPU_ADV_POWER_TS, src0Tensor)
NPU_ADV_EXPAND(NPU_ADV_COUNT, Power, vspow, NPU_ADV_POWER, NPU_ADV_POWER_ST)
NPU_ADV_EXPAND(NPU_ADV_WHOLE, Power, vspow, NPU_ADV_POWER, NPU_ADV_POWER_ST, src1Tensor)
#undef NPU_ADV_POWER
#undef NPU_ADV_POWER_TT
#undef NPU_ADV_POWER_TS
#undef NPU_ADV_POWER_ST

/* dst += src * scalar as Muls and Add, in the type of dst, a rounding each. The products go through
 * the temporary tensor, as much at a time as it holds. */
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor,
                 const U scalarValue, const LocalTensor<uint8_t> &sharedTmpBuffer,
                 const uint32_t calCount, npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>),
                  "Axpy: half onto half, float onto float, half onto float");
    NPU_TAKES("Axpy", OP_vmuls, T);
    NPU_ADV_TMP(Axpy, T, sharedTmpBuffer);
    npu_core *c = nputwin::core();
    const uint32_t most = sharedTmpBuffer.GetLength() / 256 * (256 / uint32_t(sizeof(T)));
    T *tmp = reinterpret_cast<T *>(sharedTmpBuffer.raw());

    for (uint32_t i = 0; most && i < calCount; i += most) {
        const uint32_t n = calCount - i < most ? calCount - i : most;
        const T *from = tmp;
        if constexpr (std::is_same_v<T, U>)
            from = srcTensor.raw() + i;
        else
            npu_conv(c, TYPE_f32, tmp, TYPE_f16, srcTensor.raw() + i, ROUND_NONE, n, where);
        npu_vec(c, OP_vmuls, nputwin::type_of<T>, tmp, from, nullptr,
                nputwin::bits_of(T(scalarValue)), n, where);
        npu_vec(c, OP_vadd, nputwin::type_of<T>, dstTensor.raw() + i, dstTensor.raw() + i, tmp, 0,
                n, where);
    }
    nputwin::after_count(c);
}

/* Running sums: along each row, or down the rows. */
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
inline void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor,
                   const LocalTensor<T> &srcTensor, const CumSumInfo &cumSumInfo,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("CumSum", OP_vcumsum, T);
    npu_core *c = nputwin::core();
    const uint32_t outer = cumSumInfo.outter, inner = cumSumInfo.inner;

    if (!outer || !inner || inner * sizeof(T) % NPU_BLK_BYTES) {
        npu_fault(c, NPU_E_ARG, where,
                  "CumSum: %u rows of %u elements (%u bytes); rows are multiples of 32 bytes and "
                  "there is at least one",
                  outer, inner, unsigned(inner * sizeof(T)));
        return;
    }
    npu_insn in = nputwin::vec_insn(c, OP_vcumsum, nputwin::type_of<T>, dstTensor.raw(),
                                    srcTensor.raw(), nullptr, 1, {{1, 1, 0}, {8, 8, 0}}, where);
    in.n_burst = outer;
    in.burst_bytes = inner;
    in.mode = !config.isLastAxis;
    npu_issue(c, &in);
    if constexpr (config.outputLastRow)
        DataCopy(lastRowTensor, dstTensor[(outer - 1) * inner], inner, where);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
inline void CumSum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &lastRowTensor,
                   const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                   const CumSumInfo &cumSumInfo, npu_where where = NPU_HERE)
{
    NPU_ADV_TMP(CumSum, T, sharedTmpBuffer);
    CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, cumSumInfo, where);
}

} // namespace AscendC
#endif
