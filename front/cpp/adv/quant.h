/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.h - quantisation of the high-level API, as dav-2201 has it: to and from 8 bits, and
 * from 32.
 *
 * A call is one instruction (AscendDequant: one a row).
 */
#ifndef NPU_FRONT_ADV_QUANT_H
#define NPU_FRONT_ADV_QUANT_H
#include "call.h"

namespace AscendC {

/* What is not 0 takes the place of the argument of that name. */
struct AscendQuantConfig {
    constexpr AscendQuantConfig(const uint32_t calc, const uint32_t offset, const uint32_t scale,
                                const uint32_t work)
        : calcCount(calc), offsetCount(offset), scaleCount(scale), workLocalSize(work)
    {
    }
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

} // namespace AscendC

namespace nputwin::adv {

/* Scale and offset of a call: tensors, or numbers. */
struct factors {
    const void *scales, *offsets; /* NULL: the number counts */
    float scale, offset;
    uint8_t mode;        /* further QUANT_* bits */
    uint32_t row, group; /* see QUANT_EACH in engine.h */
};

template <class D, class S>
inline void quantise(npu_op op, const D *dst, const S *src, uint32_t count, const factors &f,
                     npu_where where)
{
    npu_core *c = core();
    npu_insn in = vec_insn(c, op, type_of<S>, dst, src, f.scales, 1, {{1, 1, 1}, {8, 8, 8}}, where);

    in.dst_type = type_of<D>;
    in.count = count;
    in.mode = uint8_t(f.mode | (f.scales ? QUANT_SCALES : 0) | (f.offsets ? QUANT_OFFSETS : 0));
    in.scalar = bits_of(f.scale) | bits_of(f.offset) << 32;
    in.burst_bytes = f.row;
    in.n_burst = f.group;
    if (f.offsets)
        in.sel = ub_ref(c, f.offsets, 1, 8);
    if (count)
        npu_issue(c, &in);
}

template <class T>
inline void quant(const AscendC::LocalTensor<int8_t> &dst, const AscendC::LocalTensor<T> &src,
                  const factors &f, uint32_t count, npu_where where)
{
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>,
                  "AscendQuant: half or float to int8_t on dav-2201");
    if (f.scales && (f.row == 0 || f.row % 32 != 0)) {
        npu_fault(core(), NPU_E_ARG, where,
                  "AscendQuant: scaleCount is %u, it must be a multiple of 32", f.row);
        return;
    }
    quantise(OP_vquant, dst.raw(), src.raw(), count, f, where);
}

} // namespace nputwin::adv

namespace AscendC {

/* dst = int8(src * scale + offset), each step in half. The four forms of each kind of operands:
 * with or without a temporary tensor, with or without counts. */
#define NPU_ADV_QUANT_HEAD                                                                         \
    template <typename T, bool isReuseSource = false,                                              \
              const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>                          \
    inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
/* tmp: a parameter with its comma, or nothing; check: what becomes of it. */
#define NPU_ADV_QUANT_FORMS(tmp, check)                                                            \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const float scale, const float offset,                   \
        const uint32_t calCount, npu_where where = NPU_HERE)                                       \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::quant(dstTensor, srcTensor, {nullptr, nullptr, scale, offset, 0, 0, 0},      \
                            config.calcCount ? config.calcCount : calCount, where);                \
    }                                                                                              \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const float scale, const float offset,                   \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::quant(dstTensor, srcTensor, {nullptr, nullptr, scale, offset, 0, 0, 0},      \
                            config.calcCount ? config.calcCount : srcTensor.GetSize(), where);     \
    }                                                                                              \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const LocalTensor<T> &scaleTensor, const T offset,       \
        const uint32_t scaleCount, const uint32_t calCount, npu_where where = NPU_HERE)            \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::quant(dstTensor, srcTensor,                                                  \
                            {scaleTensor.raw(), nullptr, 0, float(offset), 0,                      \
                             config.scaleCount ? config.scaleCount : scaleCount, UINT32_MAX},      \
                            config.calcCount ? config.calcCount : calCount, where);                \
    }                                                                                              \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const LocalTensor<T> &scaleTensor, const T offset,       \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::quant(dstTensor, srcTensor,                                                  \
                            {scaleTensor.raw(), nullptr, 0, float(offset), 0,                      \
                             config.scaleCount ? config.scaleCount : scaleTensor.GetSize(),        \
                             UINT32_MAX},                                                          \
                            config.calcCount ? config.calcCount : srcTensor.GetSize(), where);     \
    }                                                                                              \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const LocalTensor<T> &scaleTensor,                       \
        const LocalTensor<T> &offsetTensor, const uint32_t scaleCount, const uint32_t offsetCount, \
        const uint32_t calCount, npu_where where = NPU_HERE)                                       \
    {                                                                                              \
        check;                                                                                     \
        if (scaleCount != offsetCount)                                                             \
            npu_fault(nputwin::core(), NPU_E_ARG, where,                                           \
                      "AscendQuant: scaleCount is %u and offsetCount %u; they must be equal",      \
                      scaleCount, offsetCount);                                                    \
        nputwin::adv::quant(dstTensor, srcTensor,                                                  \
                            {scaleTensor.raw(), offsetTensor.raw(), 0, 0, 0,                       \
                             config.scaleCount ? config.scaleCount : scaleCount, UINT32_MAX},      \
                            config.calcCount ? config.calcCount : calCount, where);                \
    }                                                                                              \
    NPU_ADV_QUANT_HEAD NPU_ADV_UNPACK tmp const LocalTensor<T> &scaleTensor,                       \
        const LocalTensor<T> &offsetTensor, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::quant(dstTensor, srcTensor,                                                  \
                            {scaleTensor.raw(), offsetTensor.raw(), 0, 0, 0,                       \
                             config.scaleCount ? config.scaleCount : scaleTensor.GetSize(),        \
                             UINT32_MAX},                                                          \
                            config.calcCount ? config.calcCount : srcTensor.GetSize(), where);     \
    }
NPU_ADV_QUANT_FORMS((), (void)0)
NPU_ADV_QUANT_FORMS((const LocalTensor<uint8_t> &sharedTmpBuffer, ),
                    NPU_ADV_TMP(AscendQuant, T, sharedTmpBuffer))
#undef NPU_ADV_QUANT_FORMS
#undef NPU_ADV_QUANT_HEAD

} // namespace AscendC

namespace nputwin::adv {

/* Rows of n, of which calCount are computed; rows of dst are padded to 32 bytes. */
template <class D, AscendC::DeQuantMode mode>
inline void dequant(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<int32_t> &src,
                    const void *scales, factors f, AscendC::DequantParams p, npu_where where)
{
    constexpr uint32_t per_blk = NPU_BLK_BYTES / sizeof(D);

    static_assert(std::is_same_v<D, half> || std::is_same_v<D, bfloat16_t> ||
                      std::is_same_v<D, float>,
                  "AscendDequant: int32_t to half, bfloat16_t or float");
    if (!p.calCount || p.calCount > p.n || p.n % 8) {
        npu_fault(core(), NPU_E_ARG, where,
                  "AscendDequant: {m = %u, n = %u, calCount = %u}; n is a multiple of 8 (32 bytes) "
                  "and calCount from 1 to n",
                  p.m, p.n, p.calCount);
        return;
    }
    if (mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 &&
        p.calCount % per_blk == 0 && p.n % p.calCount == 0)
        p = {p.n / p.calCount, p.calCount, p.calCount};
    const uint32_t to = (p.n + per_blk - 1) / per_blk * per_blk;
    f.scales = scales;
    f.row = p.calCount;
    f.group = UINT32_MAX;
    for (uint32_t i = 0; i < p.m; i++)
        quantise(OP_vdequant, dst.raw() + i * to, src.raw() + i * p.n, p.calCount, f, where);
}
template <class D, class S> constexpr uint8_t dequant_mode()
{
    static_assert(std::is_same_v<D, half> == std::is_same_v<S, uint64_t> &&
                      (std::is_same_v<S, uint64_t> || std::is_same_v<S, float> ||
                       std::is_same_v<S, bfloat16_t>),
                  "AscendDequant: to half with uint64_t scales; to float and bfloat16_t with float "
                  "or bfloat16_t ones");
    return std::is_same_v<S, uint64_t> ? QUANT_U64 : std::is_same_v<S, float> ? 0 : QUANT_BF16;
}

/* count elements of rows as long as scales, all rows with the same scales. */
template <class D, class S>
inline void dequant_rows(const AscendC::LocalTensor<D> &dst,
                         const AscendC::LocalTensor<int32_t> &src,
                         const AscendC::LocalTensor<S> &scales, uint32_t count, npu_where where)
{
    const uint32_t row = scales.GetSize();

    if (!row || src.GetSize() % row || !count || count > src.GetSize()) {
        npu_fault(core(), NPU_E_ARG, where,
                  "AscendDequant: %u elements, %u scales, calCount %u; whole rows of as many "
                  "elements as scales, and calCount from 1 to all of them",
                  src.GetSize(), row, count);
        return;
    }
    quantise(OP_vdequant, dst.raw(), src.raw(), count,
             {scales.raw(), nullptr, 0, 0, dequant_mode<D, S>(), row, UINT32_MAX}, where);
}

} // namespace nputwin::adv

namespace AscendC {

/* dst = src * scale in float, row by row. */
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                          const LocalTensor<scaleT> &deqScale, DequantParams params,
                          npu_where where = NPU_HERE)
{
    nputwin::adv::dequant<dstT, mode>(
        dstTensor, srcTensor, deqScale.raw(),
        {nullptr, nullptr, 0, 0, nputwin::adv::dequant_mode<dstT, scaleT>(), 0, 0}, params, where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                          const LocalTensor<scaleT> &deqScale,
                          const LocalTensor<uint8_t> &sharedTmpBuffer, DequantParams params,
                          npu_where where = NPU_HERE)
{
    NPU_ADV_TMP(AscendDequant, int32_t, sharedTmpBuffer);
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, params, where);
}
/* The forms that the page advises against: src is rows as long as deqScale, of which the first
 * calCount elements (all of them) are computed. */
#define NPU_ADV_DEQUANT_OLD(tmp, check)                                                            \
    template <typename dstT, typename scaleT,                                                      \
              DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                             \
    inline void AscendDequant(                                                                     \
        const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,                 \
        const LocalTensor<scaleT> &deqScale, NPU_ADV_UNPACK tmp const uint32_t calCount,           \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::dequant_rows(dstTensor, srcTensor, deqScale, calCount, where);               \
    }                                                                                              \
    template <typename dstT, typename scaleT,                                                      \
              DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                             \
    inline void AscendDequant(                                                                     \
        const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,                 \
        const LocalTensor<scaleT> &deqScale, NPU_ADV_UNPACK tmp npu_where where = NPU_HERE)        \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::dequant_rows(dstTensor, srcTensor, deqScale, srcTensor.GetSize(), where);    \
    }
NPU_ADV_DEQUANT_OLD((), (void)0)
NPU_ADV_DEQUANT_OLD((const LocalTensor<uint8_t> &sharedTmpBuffer, ),
                    NPU_ADV_TMP(AscendDequant, int32_t, sharedTmpBuffer))
#undef NPU_ADV_DEQUANT_OLD
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline std::enable_if_t<nputwin::is_element<scaleT>::value>
AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
              const scaleT deqScale, DequantParams params, npu_where where = NPU_HERE)
{
    static_assert((std::is_same_v<dstT, float> || std::is_same_v<dstT, bfloat16_t>) &&
                      (std::is_same_v<scaleT, float> || std::is_same_v<scaleT, bfloat16_t>),
                  "AscendDequant with one scale: float or bfloat16_t, to float or bfloat16_t");
    nputwin::adv::dequant<dstT, mode>(dstTensor, srcTensor, nullptr,
                                      {nullptr, nullptr, float(deqScale), 0, 0, 0, 0}, params,
                                      where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline std::enable_if_t<nputwin::is_element<scaleT>::value>
AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
              const scaleT deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
              DequantParams params, npu_where where = NPU_HERE)
{
    NPU_ADV_TMP(AscendDequant, int32_t, sharedTmpBuffer);
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, params, where);
}

} // namespace AscendC

namespace nputwin::adv {

/* Rows and columns of a tensor of scales: what the call says, else what the tensor carries; 0: none
 * of them does. */
struct grid {
    uint32_t height, width;
};
template <class O>
inline grid grid_of(const AscendC::LocalTensor<O> &t, uint32_t height, uint32_t width)
{
    const AscendC::ShapeInfo s = t.GetShapeInfo();

    if ((height && width) || s.shapeDim == 0)
        return {height, width};
    return {s.shapeDim > 1 ? s.shape[0] : 1, s.shape[s.shapeDim > 1 ? 1 : 0]};
}

/* Elements of src with k of them along the axis of the groups. Without a shape, one group. */
template <class I, class O>
inline void antiquant(const AscendC::LocalTensor<O> &dst, const AscendC::LocalTensor<I> &src,
                      factors f, uint32_t k, bool is_transposed, grid scale, npu_where where)
{
    constexpr bool is_s4 = std::is_same_v<I, AscendC::int4b_t>;
    const uint32_t n = src.GetLength() * (is_s4 ? 2 : 1), other = k ? n / k : 0;
    const uint32_t groups = !f.scales ? 1 : is_transposed ? scale.width : scale.height;

    static_assert((std::is_same_v<I, int8_t> || is_s4) &&
                      (std::is_same_v<O, half> || std::is_same_v<O, bfloat16_t>),
                  "AscendAntiQuant: int8_t or int4b_t to half or bfloat16_t");
    if (!k || n % k || k % (groups ? groups : 1)) {
        npu_fault(
            core(), NPU_E_ARG, where,
            "AscendAntiQuant: %u elements with k = %u and %u groups along k; each must divide "
            "the one before",
            n, k, groups);
        return;
    }
    f.group = k / (groups ? groups : 1);
    f.row = is_transposed ? 0 : other;
    f.mode = uint8_t((is_transposed ? QUANT_EACH : 0) |
                     (std::is_same_v<O, bfloat16_t> ? QUANT_BF16 : 0) | (is_s4 ? QUANT_S4 : 0));
    quantise(OP_vantiquant, dst.raw(), reinterpret_cast<const int8_t *>(src.raw()), n, f, where);
}
/* With offsets, which share the groups of the scales. */
template <class I, class O>
inline void antiquant(const AscendC::LocalTensor<O> &dst, const AscendC::LocalTensor<I> &src,
                      const AscendC::LocalTensor<O> &offset, const AscendC::LocalTensor<O> &scale,
                      uint32_t k, bool is_transposed, const AscendC::AntiQuantShapeInfo &shape,
                      npu_where where)
{
    grid s = grid_of(scale, shape.scaleHeight, shape.scaleWidth);
    grid o = grid_of(offset, shape.offsetHeight, shape.offsetWidth);

    if (s.height == 0) /* a published program gives the shape of one of the two */
        s = o;
    if (o.height == 0)
        o = s;
    if (s.height != o.height || s.width != o.width) {
        npu_fault(core(), NPU_E_ARG, where,
                  "AscendAntiQuant: scale of [%u, %u] and offset of [%u, %u]; they have one shape",
                  s.height, s.width, o.height, o.width);
        return;
    }
    antiquant(dst, src, {scale.raw(), offset.raw(), 0, 0, 0, 0, 0}, k, is_transposed, s, where);
}

} // namespace nputwin::adv

namespace AscendC {

/* dst = (src + offset) * scale; scale and offset a channel, or one for all. */
#define NPU_ADV_ANTIQUANT(tmp, check)                                                              \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                   \
    inline void AscendAntiQuant(                                                                   \
        const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,             \
        const LocalTensor<OutputDataType> &offset, const LocalTensor<OutputDataType> &scale,       \
        NPU_ADV_UNPACK tmp const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},             \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        check;                                                                                     \
        nputwin::adv::antiquant(dst, src, offset, scale, k, isTranspose, shapeInfo, where);        \
    }                                                                                              \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                   \
    inline void AscendAntiQuant(                                                                   \
        const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,             \
        const OutputDataType offset, const OutputDataType scale,                                   \
        NPU_ADV_UNPACK tmp const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},             \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        check;                                                                                     \
        (void)shapeInfo;                                                                           \
        nputwin::adv::antiquant(dst, src,                                                          \
                                {nullptr, nullptr, float(scale), float(offset), 0, 0, 0}, k,       \
                                isTranspose, nputwin::adv::grid{}, where);                         \
    }
NPU_ADV_ANTIQUANT((), (void)0)
NPU_ADV_ANTIQUANT((const LocalTensor<uint8_t> &sharedTmpBuffer, ),
                  NPU_ADV_TMP(AscendAntiQuant, OutputDataType, sharedTmpBuffer))
#undef NPU_ADV_ANTIQUANT
/* Without offsets. */
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst,
                            const LocalTensor<InputDataType> &src,
                            const LocalTensor<OutputDataType> &scale,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo &shapeInfo = {}, npu_where where = NPU_HERE)
{
    NPU_ADV_TMP(AscendAntiQuant, OutputDataType, sharedTmpBuffer);
    nputwin::adv::antiquant(
        dst, src, {scale.raw(), nullptr, 0, 0, 0, 0, 0}, k, isTranspose,
        nputwin::adv::grid_of(scale, shapeInfo.scaleHeight, shapeInfo.scaleWidth), where);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst,
                            const LocalTensor<InputDataType> &src, const OutputDataType scale,
                            const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo &shapeInfo = {}, npu_where where = NPU_HERE)
{
    (void)shapeInfo;
    NPU_ADV_TMP(AscendAntiQuant, OutputDataType, sharedTmpBuffer);
    nputwin::adv::antiquant(dst, src, {nullptr, nullptr, float(scale), 0, 0, 0, 0}, k, isTranspose,
                            nputwin::adv::grid{}, where);
}

} // namespace AscendC
#endif
