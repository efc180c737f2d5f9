/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse.h - arithmetic that ends in another type: AddReluCast, SubReluCast, MulCast, AddDeqRelu,
 * CastDequant, the register that the last two read, and BilinearInterpolation.
 *
 * The mask counts lanes of the sources, which are the wider type.
 */
#ifndef NPU_FRONT_FUSE_H
#define NPU_FRONT_FUSE_H
#include "gather.h"

namespace AscendC {

#if NPU_ARCH == 2201
constexpr int32_t VDEQ_TENSOR_SIZE = 16;
/* 16 sets of a scale, an offset of 9 bits and a sign. */
struct VdeqInfo {
    VdeqInfo() {}
    VdeqInfo(const float scale[VDEQ_TENSOR_SIZE], const int16_t offset[VDEQ_TENSOR_SIZE],
             const bool signMode[VDEQ_TENSOR_SIZE])
    {
        for (int32_t k = 0; k < VDEQ_TENSOR_SIZE; k++) {
            vdeqScale[k] = scale[k];
            vdeqOffset[k] = offset[k];
            vdeqSignMode[k] = signMode[k];
        }
    }
    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};
#endif

} // namespace AscendC

#if NPU_ARCH == 2201
namespace nputwin {

/* DEQSCALE as the instructions read it: scale in bits 0 to 31, offset in 37 to 45, sign in 46. */
inline uint64_t deq_word(float scale, int16_t offset, bool is_signed)
{
    return bits_of(scale) | uint64_t(uint16_t(offset) & 0x1ff) << 37 | uint64_t(is_signed) << 46;
}

/* count elements, or under the mask register when count is 0. */
inline void issue_count_or_masked(npu_core *c, npu_insn &in, uint32_t count)
{
    in.count = count;
    if (count)
        npu_issue(c, &in);
    else
        issue_masked(c, in);
}

template <class D, class S>
inline npu_insn fused_insn(npu_core *c, npu_op op, const D *dst, const S *src0, const S *src1,
                           uint32_t repeat, const strides &s, npu_where where)
{
    npu_insn in = vec_insn(c, op, type_of<S>, dst, src0, src1, repeat, s, where);
    in.dst_type = type_of<D>;
    in.scalar = c->regs.deq_scale;
    return in;
}

/* int16_t to bytes. The 16 parameter sets of the vector mode lie where SetDeqScale has put them. */
template <class D>
inline npu_insn deq_bytes_insn(npu_core *c, const D *dst, const int16_t *src, bool is_vector,
                               bool is_high, uint32_t repeat, const strides &s, npu_where where)
{
    npu_insn in = fused_insn(c, OP_vdeqs16, dst, src, (const int16_t *)nullptr, repeat, s, where);
    in.mode = uint8_t((is_vector ? DEQ_VECTOR : 0) | (is_high ? DEQ_HIGH : 0));
    if (is_vector) {
        in.ref[2].mem = MEM_UB;
        in.ref[2].at_bytes = c->regs.deq_scale * NPU_BLK_BYTES;
    }
    return in;
}

template <class D, class S>
constexpr bool dequantizes =
    is_deq<D, S> ||
    (std::is_same_v<S, int16_t> && (std::is_same_v<D, int8_t> || std::is_same_v<D, uint8_t>));

/* CastDequant of both forms. */
template <bool isVecDeq, bool halfBlock, class D, class S>
inline void cast_dequant(npu_core *c, const D *dst, const S *src, uint32_t count, uint32_t repeat,
                         const strides &s, npu_where where)
{
    if constexpr (is_deq<D, S>) {
        npu_insn in = vec_insn(c, OP_vdeq, TYPE_s32, dst, src, nullptr, repeat, s, where);
        in.count = count;
        dequantize(c, in, where, "CastDequant");
    } else {
        npu_insn in = deq_bytes_insn(c, dst, src, isVecDeq, halfBlock, repeat, s, where);
        issue_count_or_masked(c, in, count);
    }
}

/* count elements, or under the mask (that of the register without isSetMask) when count is 0. */
template <bool isSetMask, class D, class S, class Mask>
inline void add_deq_relu(const D *dst, const S *src0, const S *src1, uint32_t count, Mask mask,
                         uint8_t repeat, const AscendC::BinaryRepeatParams &p, npu_where where)
{
    static_assert(std::is_same_v<D, half> && std::is_same_v<S, int32_t>,
                  "AddDeqRelu: the sources are int32_t and dst is half");
    npu_core *c = core();
    if constexpr (isSetMask)
        load_mask(c, mask, where);
    npu_insn in = fused_insn(c, OP_vadddeqrelu, dst, src0, src1, repeat, binary_strides(p), where);
    if (check_deq_scale(c, "AddDeqRelu", where))
        issue_count_or_masked(c, in, count);
}

/* The additions of BilinearInterpolation: row v of dst is the sum of h_repeat products. */
template <class T>
inline void sum_products(npu_core *c, const T *dst, const T *products, uint32_t h_repeat,
                         uint16_t dst_blk, npu_where where)
{
    constexpr uint32_t lanes = NPU_REPEAT_BYTES / sizeof(T);
    if (h_repeat == 1) {
        npu_insn in = vec_insn(c, OP_vcopy, type_of<T>, dst, products, nullptr, 1,
                               {{dst_blk, 1, 0}, {8, 8, 0}}, where);
        issue_masked(c, in);
        return;
    }
    for (uint32_t h = 1; h < h_repeat; h++) {
        const uint16_t blk = h == 1 ? uint16_t(1) : dst_blk;
        npu_insn in = vec_insn(c, OP_vadd, type_of<T>, dst, h == 1 ? products : dst,
                               products + h * lanes, 1, {{dst_blk, blk, 1}, {8, 8, 8}}, where);
        issue_masked(c, in);
    }
}

} // namespace nputwin
#endif

namespace AscendC {

#if NPU_ARCH == 2201
#define NPU_FUSED_TAKES(name, row, T, U)                                                           \
    NPU_TAKES(name, OP_##row, U);                                                                  \
    static_assert(std::is_same_v<U, float>                                                         \
                      ? std::is_same_v<T, half>                                                    \
                      : std::is_same_v<T, int8_t> ||                                               \
                            (OP_##row == OP_vmulconv && std::is_same_v<T, uint8_t>),               \
                  name ": the chip has float to half, half to int8_t and int16_t to int8_t "       \
                       "(MulCast: half to int8_t and uint8_t)")
/* dst = f(src0, src1) in a narrower type. */
#define NPU_FUSED(name, row)                                                                       \
    template <typename T, typename U>                                                              \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0,                        \
                     const LocalTensor<U> &src1, const uint32_t count, npu_where where = NPU_HERE) \
    {                                                                                              \
        NPU_FUSED_TAKES(#name, row, T, U);                                                         \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in = nputwin::fused_insn(c, OP_##row, dst.raw(), src0.raw(), src1.raw(), 0,       \
                                          {{1, 1, 1}, {4, 8, 8}}, where);                          \
        in.count = count;                                                                          \
        if (count)                                                                                 \
            npu_issue(c, &in);                                                                     \
        nputwin::after_count(c);                                                                   \
    }                                                                                              \
    template <typename T, typename U, bool isSetMask = true, typename Mask>                        \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0,                        \
                     const LocalTensor<U> &src1, const Mask mask, const uint8_t repeatTime,        \
                     const BinaryRepeatParams &p, npu_where where = NPU_HERE)                      \
    {                                                                                              \
        NPU_FUSED_TAKES(#name, row, T, U);                                                         \
        npu_core *c = nputwin::core();                                                             \
        if constexpr (isSetMask)                                                                   \
            nputwin::load_mask(c, nputwin::mask_argument(mask), where);                            \
        npu_insn in = nputwin::fused_insn(c, OP_##row, dst.raw(), src0.raw(), src1.raw(),          \
                                          repeatTime, nputwin::binary_strides(p), where);          \
        nputwin::issue_masked(c, in);                                                              \
    }
NPU_FUSED(AddReluCast, vaddreluconv)
NPU_FUSED(SubReluCast, vsubreluconv)
NPU_FUSED(MulCast, vmulconv)
#undef NPU_FUSED
#undef NPU_FUSED_TAKES

/* half dst = max((src0 + src1) * scale, 0), the scale that of SetDeqScale(half). */
template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                       const LocalTensor<U> &src1, const int32_t &count, npu_where where = NPU_HERE)
{
    if (count > 0)
        nputwin::add_deq_relu<false>(dst.raw(), src0.raw(), src1.raw(), uint32_t(count),
                                     uint64_t(0), 0, BinaryRepeatParams(1, 1, 1, 4, 8, 8), where);
    nputwin::after_count(nputwin::core());
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                       const LocalTensor<U> &src1, const Mask mask, const uint8_t repeatTime,
                       const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    nputwin::add_deq_relu<isSetMask>(dst.raw(), src0.raw(), src1.raw(), 0,
                                     nputwin::mask_argument(mask), repeatTime, p, where);
}
template <bool isSetMask, typename Mask>
inline void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0,
                       const LocalTensor<int32_t> &src1, const Mask mask, const uint8_t repeatTime,
                       const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, p, where);
}

/* ---- DEQSCALE ------------------------------------------------------------------------- */

/* For int16_t to bytes. */
inline void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    nputwin::core()->regs.deq_scale = nputwin::deq_word(scale, offset, signMode);
}
/* Writes the 16 sets into vdeq (128 bytes of UB) and keeps its address, in blks. */
template <typename T>
inline void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &info,
                        npu_where where = NPU_HERE)
{
    static_assert(sizeof(T) == 8, "SetDeqScale: the tensor of parameters is uint64_t");
    npu_core *c = nputwin::core();
    const uint64_t at = nputwin::ub_ref(c, vdeq.raw(), 0, 0).at_bytes;
    const uint64_t bytes = VDEQ_TENSOR_SIZE * sizeof(uint64_t);
    if (NPU_UNLIKELY(at % NPU_BLK_BYTES || at > c->mem[MEM_UB].bytes - bytes)) {
        npu_fault(
            c, at % NPU_BLK_BYTES ? NPU_E_ALIGN : NPU_E_RANGE, where,
            "SetDeqScale: vdeq begins at UB byte %llu; it takes 128 bytes, from a multiple of "
            "32",
            (unsigned long long)at);
        return;
    }
    for (int32_t k = 0; k < VDEQ_TENSOR_SIZE; k++)
        vdeq.raw()[k] =
            T(nputwin::deq_word(info.vdeqScale[k], info.vdeqOffset[k], info.vdeqSignMode[k]));
    c->regs.deq_scale = at / NPU_BLK_BYTES;
}

/* dst = src * scale + offset (int16_t to a byte), or src * scale (int32_t to half). 16 bytes of
 * results fill the upper half of a blk of dst with halfBlock, else the lower; the other stays. */
#define NPU_DEQ_TAKES(name, T, U)                                                                  \
    static_assert(nputwin::dequantizes<T, U>,                                                      \
                  name ": the chip has int32_t to half, int16_t to int8_t and int16_t to uint8_t")
#define NPU_CAST_DEQUANT(name)                                                                     \
    template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                 \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count,   \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_DEQ_TAKES(#name, T, U);                                                                \
        npu_core *c = nputwin::core();                                                             \
        if (count)                                                                                 \
            nputwin::cast_dequant<isVecDeq, halfBlock>(c, dst.raw(), src.raw(), count, 0,          \
                                                       {{1, 1, 1}, {8, 8, 8}}, where);             \
        nputwin::after_count(c);                                                                   \
    }                                                                                              \
    template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true,                 \
              bool halfBlock = true, typename Mask>                                                \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const Mask mask,        \
                     uint8_t repeatTime, const UnaryRepeatParams &p, npu_where where = NPU_HERE)   \
    {                                                                                              \
        NPU_DEQ_TAKES(#name, T, U);                                                                \
        npu_core *c = nputwin::core();                                                             \
        if constexpr (isSetMask)                                                                   \
            nputwin::load_mask(c, nputwin::mask_argument(mask), where);                            \
        nputwin::cast_dequant<isVecDeq, halfBlock>(c, dst.raw(), src.raw(), 0, repeatTime,         \
                                                   nputwin::unary_strides(p), where);              \
    }
NPU_CAST_DEQUANT(CastDequant)
NPU_CAST_DEQUANT(CastDeq) /* older name */
#undef NPU_CAST_DEQUANT
#undef NPU_DEQ_TAKES

/* Blks of src0 from the offsets, each times an element of src1 (repeatMode) or all 8 of a repeat
 * times one, then hRepeat of them added up: vRepeat rows of dst, vROffset elements apart. */
template <typename T, typename Mask>
inline void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                  const LocalTensor<uint32_t> &src0Offset,
                                  const LocalTensor<T> &src1, const Mask mask, uint8_t hRepeat,
                                  bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                  uint8_t vRepeat, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                  npu_where where = NPU_HERE)
{
    static_assert(std::is_same_v<T, half>, "BilinearInterpolation: the element type is half");
    constexpr uint32_t lanes = NPU_REPEAT_BYTES / sizeof(T), per_blk = NPU_BLK_BYTES / sizeof(T);
    npu_core *c = nputwin::core();
    const uint32_t repeats = uint32_t(hRepeat) * vRepeat;
    const uint16_t weights = repeatMode ? 8 : 1; /* of one repeat */
    T *products = sharedTmpBuffer.template ReinterpretCast<T>().raw(), *spread;
    if (NPU_UNLIKELY(!repeats || vROffset < lanes || vROffset % per_blk)) {
        npu_fault(c, NPU_E_ARG, where,
                  "BilinearInterpolation: hRepeat %u and vRepeat %u are 1 to 255, vROffset %u is a "
                  "multiple of 16 from 128 on",
                  hRepeat, vRepeat, vROffset);
        return;
    }
    spread = products + repeats * lanes;
    for (uint32_t r = 0; r < repeats; r++) {
        npu_insn in = nputwin::vec_insn(c, OP_vgatherb, TYPE_u16, products + r * lanes, src0.raw(),
                                        src0Offset.raw() + r * 8, 1, {{1, 1, 1}, {8, 8, 1}}, where);
        nputwin::issue_unmasked(c, in);
    }
    for (uint32_t k = 0; k < (repeats * weights + 7) / 8; k++) {
        npu_insn in =
            nputwin::vec_insn(c, OP_vbrcb, nputwin::type_of<T>, spread + k * lanes,
                              src1.raw() + k * 8, nullptr, 1, {{1, 1, 0}, {8, 1, 0}}, where);
        nputwin::issue_unmasked(c, in);
    }
    nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    for (uint32_t r = 0; r < repeats; r++) {
        npu_insn in = nputwin::vec_insn(c, OP_vmul, nputwin::type_of<T>, products + r * lanes,
                                        products + r * lanes, spread + r * weights * per_blk, 1,
                                        {{1, 1, uint16_t(repeatMode)}, {8, 8, 8}}, where);
        nputwin::issue_masked(c, in);
    }
    for (uint32_t v = 0; v < vRepeat; v++)
        nputwin::sum_products(c, dst.raw() + v * vROffset, products + v * hRepeat * lanes, hRepeat,
                              dstBlkStride, where);
}
#endif

} // namespace AscendC
#endif
