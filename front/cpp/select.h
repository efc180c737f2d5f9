/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - Compare, Select and Cast: the calls whose result has another shape or type.
 *
 * Compare writes one bit an element, least significant first; whole repeats of 256 bytes only, and
 * the mask register has no say in it. Select takes its choice from such bits.
 */
#ifndef NPU_FRONT_SELECT_H
#define NPU_FRONT_SELECT_H
#include "pipe.h"
#include "vector.h"

namespace nputwin {

/* The count form as an instruction, for what npu_vec() has no argument for. */
inline npu_insn count_insn(const npu_core *c, npu_op op, npu_type type, const void *dst,
                           const void *src0, const void *src1, uint32_t count, npu_where where)
{
    npu_insn in = vec_insn(c, op, type, dst, src0, src1, 0, {{1, 1, 1}, {8, 8, 8}}, where);
    in.count = count;
    reset_mask(in.mask);
    return in;
}

/* The bits that Select chooses by. Mode 0 takes them from the compare register. */
inline void choose_by(npu_core *c, npu_insn &in, const void *bits, AscendC::SELMODE mode)
{
    in.mode = uint8_t(mode);
    in.sel = ub_ref(c, bits, 1, 8);
    if (mode == AscendC::SELMODE::VSEL_CMPMASK_SPR) {
        npu_settle(c); /* the vector unit reads the bits, after what it was given before */
        std::memcpy(c->regs.cmpmask, bits, sizeof(c->regs.cmpmask));
    }
}

/* Some calls keep temporaries in the reserved top of UB: a kernel whose own buffers reach in there
 * loses data on the chip without a word. */
inline void use_reserved_ub(npu_core *c, const char *name, npu_where where)
{
    const AscendC::TPipe *pipe = static_cast<const AscendC::TPipe *>(c->door);
    const uint32_t usable = c->mem[MEM_UB].bytes - reserved_ub_bytes(c);
    if (NPU_UNLIKELY(pipe && pipe->UsedBytes() > usable))
        npu_fault(c, NPU_E_UB_FULL, where,
                  "%s uses the top %u bytes of UB for itself, and the kernel's buffers (%u bytes) "
                  "reach into them: keep their sum below %u",
                  name, reserved_ub_bytes(c), pipe->UsedBytes(), usable);
}

/* int32_t to half multiplies by a register and is an instruction of its own. */
template <class T, class U>
constexpr bool is_deq = NPU_ARCH == 2201 && std::is_same_v<T, half> && std::is_same_v<U, int32_t>;

/* False and a fault as long as nobody has said with what to multiply. */
inline bool check_deq_scale(npu_core *c, const char *name, npu_where where)
{
    if (NPU_LIKELY(c->regs.deq_scale & 0xffff))
        return true;
    npu_fault(c, NPU_E_ARG, where,
              "%s from int32_t to half multiplies by the scale of SetDeqScale, which is 0: "
              "call SetDeqScale(half) before",
              name);
    return false;
}

/* Issues it: count elements, or under the mask register when count is 0. */
inline void dequantize(npu_core *c, npu_insn &in, npu_where where, const char *name = "Cast")
{
    in.op = OP_vdeq;
    in.scalar = c->regs.deq_scale;
    if (!check_deq_scale(c, name, where))
        return;
    if (in.count)
        npu_issue(c, &in);
    else
        issue_masked(c, in);
}

/* False and a fault for a number that is no rounding of the vector unit. */
inline bool check_round(npu_core *c, AscendC::RoundMode round, npu_where where)
{
    if (NPU_LIKELY(unsigned(round) < N_ROUNDS))
        return true;
    npu_fault(c, NPU_E_ARG, where, "Cast: round mode %d, allowed are CAST_NONE (0) to CAST_ODD (6)",
              int(round));
    return false;
}

/* Halves and 4-bit integers, two of which share a byte. */
template <class T, class U>
constexpr bool is_int4 =
    NPU_ARCH == 2201 && ((std::is_same_v<T, int4b_t> && std::is_same_v<U, half>) ||
                         (std::is_same_v<T, half> && std::is_same_v<U, int4b_t>));
template <class T, class U> constexpr bool casts()
{
    if constexpr (is_int4<T, U>)
        return true;
    else if constexpr (is_element<T>::value && is_element<U>::value)
        return converts(type_of<U>, type_of<T>) || is_deq<T, U>;
    else
        return false;
}
/* count elements, or under the mask register when count is 0. */
template <class T, class U>
inline void cast_int4(npu_core *c, const T *dst, const U *src, AscendC::RoundMode round,
                      uint32_t count, uint32_t repeat, const AscendC::UnaryRepeatParams &p,
                      npu_where where)
{
    constexpr bool narrows = std::is_same_v<T, int4b_t>;
    npu_insn in = vec_insn(c, narrows ? OP_vf162s4 : OP_vs42f16, TYPE_f16, dst, src, nullptr,
                           repeat, unary_strides(p), where);
    in.mode = narrows ? uint8_t(round) : uint8_t(0);
    in.count = count;
    if (NPU_UNLIKELY(count % 2))
        npu_fault(c, NPU_E_ARG, where,
                  "Cast: count is %u; two 4-bit integers share a byte, so it is even", count);
    else if (!check_round(c, round, where))
        return;
    else if (count)
        npu_issue(c, &in);
    else if (repeat)
        issue_masked(c, in);
}

} // namespace nputwin

namespace AscendC {

/* ---- Compare ------------------------------------------------------------------------- */

template <typename T, typename U>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                    const LocalTensor<T> &src1, CMPMODE cmpMode, uint32_t count,
                    npu_where where = NPU_HERE)
{
    NPU_TAKES("Compare", OP_vcmp, T);
    static_assert(sizeof(U) == 1, "Compare: dst is int8_t or uint8_t");
    npu_core *c = nputwin::core();
    count -= count % (NPU_REPEAT_BYTES / uint32_t(sizeof(T)));
    npu_insn in = nputwin::count_insn(c, OP_vcmp, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                      src1.raw(), count, where);
    in.mode = uint8_t(cmpMode);
    if (count)
        npu_issue(c, &in);
    nputwin::after_count(c);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                    const LocalTensor<T> &src1, CMPMODE cmpMode, const Mask, uint8_t repeatTime,
                    const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Compare", OP_vcmp, T);
    static_assert(sizeof(U) == 1, "Compare: dst is int8_t or uint8_t");
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vcmp, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                    src1.raw(), repeatTime, nputwin::binary_strides(p), where);
    in.mode = uint8_t(cmpMode);
    nputwin::issue_unmasked(c, in);
}

#if NPU_ARCH == 2201
/* One repeat into the compare register; lanes that are off keep their bit. */
template <typename T, bool isSetMask = true, typename Mask>
inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                    const Mask mask, const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Compare", OP_vcmpr, T);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(
        c, OP_vcmpr, nputwin::type_of<T>, nullptr, src0.raw(), src1.raw(), 1,
        {{0, p.src0BlkStride, p.src1BlkStride}, {0, p.src0RepStride, p.src1RepStride}}, where);
    in.mode = uint8_t(cmpMode);
    nputwin::issue_masked(c, in);
}
/* 16 bytes of the compare register into UB. */
template <typename T> inline void GetCmpMask(const LocalTensor<T> &dst, npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    const uint64_t at = uint64_t(reinterpret_cast<uint8_t *>(dst.raw()) - c->mem[MEM_UB].base);
    if (NPU_UNLIKELY(at > c->mem[MEM_UB].bytes - sizeof(c->regs.cmpmask) || at % 16)) {
        npu_fault(
            c, at % 16 ? NPU_E_ALIGN : NPU_E_RANGE, where,
            "GetCmpMask: dst begins at UB byte %llu; it takes 16 bytes, from a multiple of 16",
            (unsigned long long)at);
        return;
    }
    npu_settle(c);
    std::memcpy(static_cast<void *>(dst.raw()), c->regs.cmpmask, sizeof(c->regs.cmpmask));
}
#endif

#define NPU_COMPARE_SCALAR(name)                                                                   \
    template <typename T, typename U>                                                              \
    inline void name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,    \
                     CMPMODE cmpMode, uint32_t count, npu_where where = NPU_HERE)                  \
    {                                                                                              \
        NPU_TAKES(#name, OP_vcmps, T);                                                             \
        static_assert(sizeof(U) == 1, #name ": dst is uint8_t");                                   \
        npu_core *c = nputwin::core();                                                             \
        count -= count % (NPU_REPEAT_BYTES / uint32_t(sizeof(T)));                                 \
        npu_insn in = nputwin::count_insn(c, OP_vcmps, nputwin::type_of<T>, dst.raw(), src0.raw(), \
                                          nullptr, count, where);                                  \
        in.mode = uint8_t(cmpMode);                                                                \
        in.scalar = nputwin::bits_of(src1Scalar);                                                  \
        if (count)                                                                                 \
            npu_issue(c, &in);                                                                     \
        nputwin::after_count(c);                                                                   \
    }                                                                                              \
    template <typename T, typename U, bool isSetMask = true, typename Mask>                        \
    inline void name(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,    \
                     CMPMODE cmpMode, const Mask, uint8_t repeatTime, const UnaryRepeatParams &p,  \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_vcmps, T);                                                             \
        static_assert(sizeof(U) == 1, #name ": dst is uint8_t");                                   \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in = nputwin::vec_insn(c, OP_vcmps, nputwin::type_of<T>, dst.raw(), src0.raw(),   \
                                        nullptr, repeatTime, nputwin::unary_strides(p), where);    \
        in.mode = uint8_t(cmpMode);                                                                \
        in.scalar = nputwin::bits_of(src1Scalar);                                                  \
        nputwin::issue_unmasked(c, in);                                                            \
    }
NPU_COMPARE_SCALAR(Compares)
NPU_COMPARE_SCALAR(CompareScalar) /* older name */
#undef NPU_COMPARE_SCALAR

/* dst = a < b and its five sisters. */
template <typename T>
template <typename U>
inline LocalTensor<T> &LocalTensor<T>::operator=(const nputwin::compare_expr<U> &e)
{
    const LocalTensor<U> a(const_cast<U *>(e.a), 0, TPosition::VECCALC);
    const LocalTensor<U> b(const_cast<U *>(e.b), 0, TPosition::VECCALC);
    Compare(*this, a, b, CMPMODE(e.relation), e.count, {nullptr, 0});
    return *this;
}

/* ---- Select -------------------------------------------------------------------------- */

#ifndef __NPU_NO_RESERVED_UB__
/* bit ? src0 : src1, a scalar. */
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, nputwin::same<T> src1, SELMODE selMode,
                   uint32_t count, npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    npu_core *c = nputwin::core();
    nputwin::use_reserved_ub(c, "Select", where);
    npu_insn in = nputwin::count_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                      nullptr, count, where);
    in.scalar = nputwin::bits_of(src1);
    nputwin::choose_by(c, in, selMask.raw(), selMode);
    if (count)
        npu_issue(c, &in);
    nputwin::after_count(c);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, nputwin::same<T> src1, SELMODE selMode, Mask mask,
                   uint8_t repeatTime, const BinaryRepeatParams &p, npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    npu_core *c = nputwin::core();
    nputwin::use_reserved_ub(c, "Select", where);
    nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(), nullptr,
                                    repeatTime, nputwin::binary_strides(p), where);
    in.scalar = nputwin::bits_of(src1);
    nputwin::choose_by(c, in, selMask.raw(), selMode);
    nputwin::issue_masked(c, in);
}
#endif
/* bit ? src0 : src1, two tensors. Mode 0 uses the bits of one repeat again and again. */
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
                   uint32_t count, npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    npu_core *c = nputwin::core();
    if (selMode != SELMODE::VSEL_CMPMASK_SPR)
        nputwin::use_reserved_ub(c, "Select", where);
    npu_insn in = nputwin::count_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                      src1.raw(), count, where);
    nputwin::choose_by(c, in, selMask.raw(), selMode);
    if (count)
        npu_issue(c, &in);
    nputwin::after_count(c);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
                   Mask mask, uint8_t repeatTime, const BinaryRepeatParams &p,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    npu_core *c = nputwin::core();
    if (selMode != SELMODE::VSEL_CMPMASK_SPR)
        nputwin::use_reserved_ub(c, "Select", where);
    nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    npu_insn in = nputwin::vec_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                    src1.raw(), repeatTime, nputwin::binary_strides(p), where);
    nputwin::choose_by(c, in, selMask.raw(), selMode);
    nputwin::issue_masked(c, in);
}

#if NPU_ARCH == 2201
/* Without a mask argument: the mask register rules, and SetCmpMask has brought the choice (mode 0),
 * the scalar (mode 1), or the address of the choice (mode 2). */
#ifndef __NPU_NO_RESERVED_UB__
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, uint8_t repeatTime, const BinaryRepeatParams &p,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    npu_core *c = nputwin::core();
    nputwin::use_reserved_ub(c, "Select", where);
    npu_insn in = nputwin::vec_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(), nullptr,
                                    repeatTime, nputwin::binary_strides(p), where);
    std::memcpy(&in.scalar, c->regs.cmpmask, sizeof(T));
    in.mode = uint8_t(SELMODE::VSEL_TENSOR_SCALAR_MODE);
    in.sel = nputwin::ub_ref(c, selMask.raw(), 1, 8);
    nputwin::issue_masked(c, in);
}
#endif
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                   const LocalTensor<T> &src1, uint8_t repeatTime, const BinaryRepeatParams &p,
                   npu_where where = NPU_HERE)
{
    NPU_TAKES("Select", OP_vsel, T);
    static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  "Select: mode 1 takes a tensor of bits and no src1");
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vsel, nputwin::type_of<T>, dst.raw(), src0.raw(),
                                    src1.raw(), repeatTime, nputwin::binary_strides(p), where);
    in.mode = uint8_t(selMode);
    in.sel.mem = MEM_UB;
    /* A kernel keeps an address of UB in 32 bits. */
    in.sel.at_bytes = uint32_t(c->regs.cmpmask[0] - uint64_t(uintptr_t(c->mem[MEM_UB].base)));
    nputwin::issue_masked(c, in);
}
#endif

/* ---- Cast ---------------------------------------------------------------------------- */

#if NPU_ARCH == 2201
/* What Cast multiplies with on the way from int32_t to half. */
inline void SetDeqScale(half scale) { nputwin::core()->regs.deq_scale = nputwin::bits_of(scale); }
#endif
#define NPU_CONVERTS(T, U)                                                                         \
    static_assert(nputwin::casts<T, U>(),                                                          \
                  "Cast: the chip has no conversion between these two types; isa/conv.def lists "  \
                  "them")

template <typename T, typename U>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                 const uint32_t count, npu_where where = NPU_HERE)
{
    NPU_CONVERTS(T, U);
    npu_core *c = nputwin::core();
    if constexpr (nputwin::is_int4<T, U>) {
        nputwin::cast_int4(c, dst.raw(), src.raw(), roundMode, count, 0,
                           UnaryRepeatParams(1, 1, 8, 8), where);
    } else if constexpr (nputwin::is_deq<T, U>) {
        npu_insn in =
            nputwin::count_insn(c, OP_vdeq, TYPE_s32, dst.raw(), src.raw(), nullptr, count, where);
        if (count)
            nputwin::dequantize(c, in, where);
    } else if (count && nputwin::check_round(c, roundMode, where))
        npu_conv(c, nputwin::type_of<T>, dst.raw(), nputwin::type_of<U>, src.raw(),
                 npu_round(roundMode), count, where);
    nputwin::after_count(c);
}
/* One repeat is 256 bytes of the wider of the two types; the mask counts those lanes. */
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                 const Mask mask, const uint8_t repeatTime, const UnaryRepeatParams &p,
                 npu_where where = NPU_HERE)
{
    NPU_CONVERTS(T, U);
    npu_core *c = nputwin::core();
    if constexpr (isSetMask)
        nputwin::load_mask(c, nputwin::mask_argument(mask), where);
    if constexpr (nputwin::is_int4<T, U>) {
        nputwin::cast_int4(c, dst.raw(), src.raw(), roundMode, 0, repeatTime, p, where);
        return;
    } else {
        npu_insn in = nputwin::vec_insn(c, OP_vconv, nputwin::type_of<U>, dst.raw(), src.raw(),
                                        nullptr, repeatTime, nputwin::unary_strides(p), where);
        in.dst_type = nputwin::type_of<T>;
        in.mode = uint8_t(roundMode);
        if constexpr (nputwin::is_deq<T, U>)
            nputwin::dequantize(c, in, where);
        else if (nputwin::check_round(c, roundMode, where))
            nputwin::issue_masked(c, in);
    }
}
#undef NPU_CONVERTS

} // namespace AscendC
#endif
