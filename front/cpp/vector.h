/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.h - lane-by-lane arithmetic: count form, and repeat form with a mask.
 *
 * A name is one line of a table below; three macros stamp its overloads. To add one: a row in
 * isa/vec.def, a line here, a golden value in tests/unit/t_facade_vec.cpp.
 */
#ifndef NPU_FRONT_VECTOR_H
#define NPU_FRONT_VECTOR_H
#include "tensor.h"

namespace nputwin {

/* And and Or take tensors of 32-bit integers in the count form, but count their 16-bit halves: so
 * says the page ("set count to twice the number"). */
template <npu_op op, class T>
using as_element =
    std::conditional_t<(op == OP_vand || op == OP_vor) &&
                           (std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>),
                       uint16_t, T>;

/* Count form. With isSetMask = false the mask register says how much, count does not. */
template <npu_op op, bool isSetMask, class T>
inline void vec_count(const T *dst, const T *src0, const T *src1, uint64_t scalar, int32_t count,
                      npu_where where)
{
    npu_core *c = core();
    if constexpr (isSetMask) {
        if (count > 0)
            npu_vec(c, op, type_of<T>, const_cast<T *>(dst), src0, src1, scalar, uint32_t(count),
                    where);
        after_count(c);
    } else {
        npu_insn in =
            vec_insn(c, op, type_of<T>, dst, src0, src1, 1, {{1, 1, 1}, {8, 8, 8}}, where);
        in.scalar = scalar;
        issue_masked(c, in);
    }
}
/* Repeat form. Mask: a number of lanes, or two words of bits. */
template <npu_op op, bool isSetMask, class T, class Mask>
inline void vec_repeat(const T *dst, const T *src0, const T *src1, uint64_t scalar, Mask mask,
                       uint8_t repeat, const strides &s, npu_where where)
{
    npu_core *c = core();
    if constexpr (isSetMask)
        load_mask(c, mask_argument(mask), where);
    npu_insn in = vec_insn(c, op, type_of<T>, dst, src0, src1, repeat, s, where);
    in.scalar = scalar;
    issue_masked(c, in);
}
inline strides binary_strides(const AscendC::BinaryRepeatParams &p)
{
    return {{p.dstBlkStride, p.src0BlkStride, p.src1BlkStride},
            {p.dstRepStride, p.src0RepStride, p.src1RepStride}};
}
inline strides unary_strides(const AscendC::UnaryRepeatParams &p)
{
    return {{p.dstBlkStride, p.srcBlkStride, 0}, {p.dstRepStride, p.srcRepStride, 0}};
}

} // namespace nputwin

namespace AscendC {

#define NPU_MASKED(FORM, name, row)                                                                \
    FORM(name, row, uint64_t)                                                                      \
    FORM(name, row, const uint64_t *)

/* dst = f(src0, src1) */
#define NPU_BINARY_REPEAT(name, row, Mask)                                                         \
    template <typename T, bool isSetMask = true>                                                   \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                        \
                     const LocalTensor<T> &src1, Mask mask, const uint8_t repeatTime,              \
                     const BinaryRepeatParams &p, npu_where where = NPU_HERE)                      \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_repeat<OP_##row, isSetMask>(dst.raw(), src0.raw(), src1.raw(), 0, mask,       \
                                                 repeatTime, nputwin::binary_strides(p), where);   \
    }
#define NPU_BINARY(name, row)                                                                      \
    template <typename T>                                                                          \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0,                        \
                     const LocalTensor<T> &src1, const int32_t &count, npu_where where = NPU_HERE) \
    {                                                                                              \
        using E = nputwin::as_element<OP_##row, T>;                                                \
        NPU_TAKES(#name, OP_##row, E);                                                             \
        nputwin::vec_count<OP_##row, true>((const E *)dst.raw(), (const E *)src0.raw(),            \
                                           (const E *)src1.raw(), 0, count, where);                \
    }                                                                                              \
    NPU_MASKED(NPU_BINARY_REPEAT, name, row)
NPU_BINARY(Add, vadd)
NPU_BINARY(Sub, vsub)
NPU_BINARY(Mul, vmul)
NPU_BINARY(Div, vdiv)
NPU_BINARY(Max, vmax)
NPU_BINARY(Min, vmin)
NPU_BINARY(And, vand)
NPU_BINARY(Or, vor)
#if NPU_ARCH == 2201
NPU_BINARY(AddRelu, vaddrelu)
NPU_BINARY(SubRelu, vsubrelu)
NPU_BINARY(FusedMulAdd, vmadd)
NPU_BINARY(MulAddRelu, vmaddrelu)
NPU_BINARY(FusedMulAddRelu, vmaddrelu) /* older name */

/* dst += src0 * src1; halves may be added to floats, then a repeat has 64 lanes. */
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                      const LocalTensor<U> &src1, const int32_t &count, npu_where where = NPU_HERE)
{
    if constexpr (std::is_same_v<T, U>) {
        NPU_TAKES("MulAddDst", OP_vmla, T);
        nputwin::vec_count<OP_vmla, true>(dst.raw(), src0.raw(), src1.raw(), 0, count, where);
    } else {
        static_assert(std::is_same_v<T, float>, "MulAddDst: dst of another type than src is float");
        NPU_TAKES("MulAddDst", OP_vmlaw, U);
        npu_core *c = nputwin::core();
        npu_insn in = nputwin::vec_insn(c, OP_vmlaw, nputwin::type_of<U>, dst.raw(), src0.raw(),
                                        src1.raw(), 0, {{1, 1, 1}, {8, 4, 4}}, where);
        in.count = count > 0 ? uint32_t(count) : 0;
        if (in.count)
            npu_issue(c, &in);
        nputwin::after_count(c);
    }
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                      const LocalTensor<U> &src1, const Mask mask, const uint8_t repeatTime,
                      const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    constexpr npu_op op = std::is_same_v<T, U> ? OP_vmla : OP_vmlaw;
    static_assert(std::is_same_v<T, U> || std::is_same_v<T, float>,
                  "MulAddDst: dst of another type than src is float");
    NPU_TAKES("MulAddDst", op, U);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(c, op, nputwin::type_of<U>, dst.raw(), src0.raw(), src1.raw(),
                                    repeatTime, nputwin::binary_strides(p), where);
    nputwin::issue_masked(c, in);
}
#endif

/* dst = f(src) */
#define NPU_UNARY_REPEAT(name, row, Mask)                                                          \
    template <typename T, bool isSetMask = true>                                                   \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,              \
                     const uint8_t repeatTime, const UnaryRepeatParams &p,                         \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_repeat<OP_##row, isSetMask>(dst.raw(), src.raw(), (const T *)nullptr, 0,      \
                                                 mask, repeatTime, nputwin::unary_strides(p),      \
                                                 where);                                           \
    }
#define NPU_UNARY_COUNT(name, row)                                                                 \
    template <typename T>                                                                          \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,   \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_count<OP_##row, true>(dst.raw(), src.raw(), (const T *)nullptr, 0, count,     \
                                           where);                                                 \
    }
#define NPU_UNARY(name, row)                                                                       \
    NPU_UNARY_COUNT(name, row)                                                                     \
    NPU_MASKED(NPU_UNARY_REPEAT, name, row)
NPU_UNARY(Abs, vabs)
NPU_UNARY(Relu, vrelu)
NPU_UNARY(Exp, vexp)
NPU_UNARY(Ln, vln)
NPU_UNARY(Sqrt, vsqrt)
NPU_UNARY(Rsqrt, vrsqrt)
NPU_UNARY(Reciprocal, vrec)
NPU_UNARY(Not, vnot)

/* dst = f(src, scalar); the scalar has the element type, so that what compiles here compiles on
 * the chip's compiler too. */
#define NPU_SCALAR_REPEAT(name, row, Mask)                                                         \
    template <typename T, bool isSetMask = true>                                                   \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,   \
                     Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,              \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_repeat<OP_##row, isSetMask>(dst.raw(), src.raw(), (const T *)nullptr,         \
                                                 nputwin::bits_of(scalarValue), mask, repeatTime,  \
                                                 nputwin::unary_strides(p), where);                \
    }
/* The type of the scalar said as well: Adds<half, half>(dst, src, scalar, count). */
#define NPU_SCALAR_TYPED(name)                                                                     \
    template <typename T, typename U, bool isSetMask = true,                                       \
              std::enable_if_t<std::is_same_v<typename LocalTensor<T>::PrimType, U>, bool> = true> \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue,   \
                     const int32_t &count, npu_where where = NPU_HERE)                             \
    {                                                                                              \
        name<T, isSetMask>(dst, src, scalarValue, count, where);                                   \
    }                                                                                              \
    template <typename T, typename U, bool isSetMask = true, typename Mask,                        \
              std::enable_if_t<std::is_same_v<typename LocalTensor<T>::PrimType, U>, bool> = true> \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue,   \
                     Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,              \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        name<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, p, where);                     \
    }
#define NPU_SCALAR(name, row)                                                                      \
    template <typename T, bool isSetMask = true>                                                   \
    inline void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,   \
                     const int32_t &count, npu_where where = NPU_HERE)                             \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_count<OP_##row, isSetMask>(dst.raw(), src.raw(), (const T *)nullptr,          \
                                                nputwin::bits_of(scalarValue), count, where);      \
    }                                                                                              \
    NPU_MASKED(NPU_SCALAR_REPEAT, name, row)                                                       \
    NPU_SCALAR_TYPED(name)
NPU_SCALAR(Adds, vadds)
NPU_SCALAR(Muls, vmuls)
NPU_SCALAR(Maxs, vmaxs)
NPU_SCALAR(Mins, vmins)
NPU_SCALAR(LeakyRelu, vlrelu)
NPU_SCALAR(ShiftLeft, vshl)
NPU_SCALAR(ShiftRight, vshr)

/* dst += src * scalar; halves may be added to floats, then a repeat has 64 lanes. */
template <typename T, typename U>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                 const int32_t &count, npu_where where = NPU_HERE)
{
    if constexpr (std::is_same_v<T, U>) {
        NPU_TAKES("Axpy", OP_vaxpy, T);
        nputwin::vec_count<OP_vaxpy, true>(dst.raw(), src.raw(), (const T *)nullptr,
                                           nputwin::bits_of(scalarValue), count, where);
    } else {
        static_assert(std::is_same_v<T, float>, "Axpy: dst of another type than src is float");
        NPU_TAKES("Axpy", OP_vaxpyw, U);
        npu_core *c = nputwin::core();
        npu_insn in = nputwin::vec_insn(c, OP_vaxpyw, nputwin::type_of<U>, dst.raw(), src.raw(),
                                        nullptr, 0, {{1, 1, 0}, {8, 4, 0}}, where);
        in.count = count > 0 ? uint32_t(count) : 0;
        in.scalar = nputwin::bits_of(scalarValue);
        if (in.count)
            npu_issue(c, &in);
        nputwin::after_count(c);
    }
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                 const Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,
                 npu_where where = NPU_HERE)
{
    constexpr npu_op op = std::is_same_v<T, U> ? OP_vaxpy : OP_vaxpyw;
    static_assert(std::is_same_v<T, U> || std::is_same_v<T, float>,
                  "Axpy: dst of another type than src is float");
    NPU_TAKES("Axpy", op, U);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(c, op, nputwin::type_of<U>, dst.raw(), src.raw(), nullptr,
                                    repeatTime, nputwin::unary_strides(p), where);
    in.scalar = nputwin::bits_of(scalarValue);
    nputwin::issue_masked(c, in);
}

/* roundEn adds the last bit that falls out; of unsigned elements it changes nothing. */
template <typename T, bool isSetMask = true, typename Mask>
inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,
                       Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,
                       bool roundEn, npu_where where = NPU_HERE)
{
    NPU_TAKES("ShiftRight", OP_vshr, T);
    if constexpr (std::is_signed_v<T>)
        if (roundEn) {
            nputwin::vec_repeat<OP_vshrr, isSetMask>(dst.raw(), src.raw(), (const T *)nullptr,
                                                     nputwin::bits_of(scalarValue), mask,
                                                     repeatTime, nputwin::unary_strides(p), where);
            return;
        }
    ShiftRight<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, p, where);
}

/* dst = scalar */
#define NPU_FILL_REPEAT(name, row, Mask)                                                           \
    template <typename T, bool isSetMask = true>                                                   \
    inline void name(const LocalTensor<T> &dst, const T &scalarValue, Mask mask,                   \
                     const uint8_t repeatTime, const uint16_t dstBlockStride,                      \
                     const uint8_t dstRepeatStride, npu_where where = NPU_HERE)                    \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::vec_repeat<OP_##row, isSetMask>(                                                  \
            dst.raw(), (const T *)nullptr, (const T *)nullptr, nputwin::bits_of(scalarValue),      \
            mask, repeatTime, {{dstBlockStride, 0, 0}, {dstRepeatStride, 0, 0}}, where);           \
    }
template <typename T>
inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, const int32_t &count,
                      npu_where where = NPU_HERE)
{
    NPU_TAKES("Duplicate", OP_vdup, T);
    nputwin::vec_count<OP_vdup, true>(dst.raw(), (const T *)nullptr, (const T *)nullptr,
                                      nputwin::bits_of(scalarValue), count, where);
}
NPU_MASKED(NPU_FILL_REPEAT, Duplicate, vdup)

} // namespace AscendC

#undef NPU_MASKED
#undef NPU_BINARY_REPEAT
#undef NPU_BINARY
#undef NPU_UNARY_REPEAT
#undef NPU_UNARY_COUNT
#undef NPU_UNARY
#undef NPU_SCALAR_REPEAT
#undef NPU_SCALAR
#undef NPU_SCALAR_TYPED
#undef NPU_FILL_REPEAT
#endif
