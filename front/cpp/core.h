/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - what every header of this door needs: the running core, where the caller stands, and
 * which element types an instruction takes.
 *
 * The type sets are expanded from isa/vec.def: a type that a row gains is a type that the calls
 * take, with no edit here.
 */
#ifndef NPU_FRONT_CORE_H
#define NPU_FRONT_CORE_H
/* C lets a struct and a function share a name; a kernel built with -Wshadow need not hear of it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "../../engine/engine.h"
#include "../../engine/layout.h"
#pragma GCC diagnostic pop
#include "../../isa/typeset.h"
#include "../launch/qualifiers.h"
#include "scalar.h"
#include <cstring>

/* Architecture of the chip that the file is compiled for, as the driver passes it. */
#ifdef __NPU_ARCH__
#define NPU_ARCH __NPU_ARCH__
#else
#define NPU_ARCH 2201
#endif

/* What this file's kernels agree on with the engine; the registration in front/launch hands it on.
 */
extern "C" {
__attribute__((weak, visibility("hidden"))) extern const std::uint32_t nputwin_layout =
    npu_layout_number();
}

namespace nputwin {

/* The caller's line, as a default argument: `npu_where where = nputwin::here()`. A function,
 * because gcc expands the builtins inside braces where they are written, not where the call stands.
 */
constexpr npu_where here(const char *file = __builtin_FILE(), uint32_t line = __builtin_LINE())
{
    return {file, line};
}
#define NPU_HERE nputwin::here()

inline npu_core *core() { return npu_self(); }

/* Blocks the deduction of T, so that vector_dup(uint32_t *, 0x7f800000, ...) compiles. */
template <class T> struct plain {
    using type = T;
};
template <class T> using same = typename plain<T>::type;

/* ---- element types ------------------------------------------------------------------- */

template <class T> struct type_row;
#define NPU_TYPE(ctype, row)                                                                       \
    template <> struct type_row<ctype> {                                                           \
        static constexpr npu_type id = TYPE_##row;                                                 \
    };
NPU_TYPE(half, f16)
NPU_TYPE(bfloat16_t, bf16)
NPU_TYPE(float, f32)
NPU_TYPE(int8_t, s8)
NPU_TYPE(uint8_t, u8)
NPU_TYPE(int16_t, s16)
NPU_TYPE(uint16_t, u16)
NPU_TYPE(int32_t, s32)
NPU_TYPE(uint32_t, u32)
NPU_TYPE(int64_t, s64)
NPU_TYPE(uint64_t, u64)
#undef NPU_TYPE
template <class T> constexpr npu_type type_of = type_row<T>::id;

/* The row that moves elements of that size and does not look at them. */
template <class T>
constexpr npu_type mover_of = sizeof(T) == 1   ? TYPE_u8
                              : sizeof(T) == 2 ? TYPE_u16
                              : sizeof(T) == 4 ? TYPE_u32
                                               : TYPE_u64;

/* Bit an enum npu_type that the instruction takes, and the pairs that vconv takes. */
constexpr uint32_t types_of[] = {
#define VEC(op, shape, set, cost, lane, brief) TYPES_##set,
#include "../../isa/vec.def"
};
constexpr bool converts(npu_type from, npu_type to)
{
#define CONV(src, dst, rounds, brief)                                                              \
    if (from == TYPE_##src && to == TYPE_##dst)                                                    \
        return true;
#include "../../isa/conv.def"
    return false;
}

template <class T, class = void> struct is_element : std::false_type {};
template <class T> struct is_element<T, std::void_t<decltype(type_row<T>::id)>> : std::true_type {};
template <npu_op op, class T> constexpr bool takes()
{
    if constexpr (is_element<T>::value)
        return types_of[op] >> type_of<T> & 1;
    else
        return false;
}
/* The rows of types that an instruction takes, as a list that the compiler prints in its message.
 */
namespace rows {
#define TYPE(name, bytes, ctype, brief) struct name;
#include "../../isa/type.def"
template <class... Row> struct list;
} // namespace rows
template <npu_op op, class Taken, int type = 0> struct taken_rows {
    using list = Taken;
};
#define TYPE(name, bytes, ctype, brief)                                                            \
    template <npu_op op, class... Row> struct taken_rows<op, rows::list<Row...>, TYPE_##name> {    \
        using more = std::conditional_t<(types_of[op] >> TYPE_##name & 1) != 0,                    \
                                        rows::list<Row..., rows::name>, rows::list<Row...>>;       \
        using list = typename taken_rows<op, more, TYPE_##name + 1>::list;                         \
    };
#include "../../isa/type.def"
template <class Given, class Taken> struct element_type_is_none_of {
    static_assert(
        sizeof(Taken *) == 0,
        "the type that was given, and the rows that are taken, stand in the brackets above "
        "(f16 is half, bf16 bfloat16_t, f32 float, s and u are integers)");
    static constexpr bool value = false;
};
template <npu_op op, class T, bool = takes<op, T>()> struct check_element {
    static constexpr bool value =
        element_type_is_none_of<T, typename taken_rows<op, rows::list<>>::list>::value;
};
template <npu_op op, class T> struct check_element<op, T, true> {
    static constexpr bool value = true;
};
#define NPU_TAKES(name, op, T)                                                                     \
    static_assert(nputwin::check_element<op, T>::value,                                            \
                  name ": this element type is not one the instruction takes on this chip; "       \
                       "`nputwin list insn` shows the types of each")

/* The bits of one element, zero-extended: how an instruction carries its scalar. */
template <class T> inline uint64_t bits_of(T v)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof(T));
    return bits;
}

/* ---- instructions with repeat, mask and strides -------------------------------------- */

/* Strides of dst, src0, src1 in 32-byte blks. */
struct strides {
    uint16_t blk[3], rep[3];
};

inline npu_ref ub_ref(const npu_core *c, const void *p, uint16_t blk_stride, uint16_t rep_stride)
{
    npu_ref r = {};
    r.at_bytes = uint64_t(static_cast<const uint8_t *>(p) - c->mem[MEM_UB].base);
    r.blk_stride = blk_stride;
    r.rep_stride = rep_stride;
    r.mem = MEM_UB;
    return r;
}
inline npu_ref gm_ref(const void *p)
{
    npu_ref r = {};
    r.at_bytes = uint64_t(uintptr_t(p));
    r.mem = MEM_GM;
    return r;
}

/* An instruction of the vector pipe with the operands filled and the mask register as it is. */
inline npu_insn vec_insn(const npu_core *c, npu_op op, npu_type type, const void *dst,
                         const void *src0, const void *src1, uint32_t repeat, const strides &s,
                         npu_where where)
{
    npu_insn in = {};
    in.kind = KIND_OP;
    in.op = op;
    in.type = in.dst_type = type;
    in.pipe = PIPE_V;
    in.repeat = repeat;
    in.mask[0] = c->regs.mask[0];
    in.mask[1] = c->regs.mask[1];
    in.ref[0] = ub_ref(c, dst, s.blk[0], s.rep[0]);
    if (src0)
        in.ref[1] = ub_ref(c, src0, s.blk[1], s.rep[1]);
    if (src1)
        in.ref[2] = ub_ref(c, src1, s.blk[2], s.rep[2]);
    in.where = where;
    return in;
}

inline void reset_mask(uint64_t mask[2]) { mask[0] = mask[1] = ~uint64_t(0); }
/* Mask of the first n lanes; more lanes than there are means all. */
inline void lanes_mask(uint64_t mask[2], uint32_t n)
{
    mask[0] = n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
    mask[1] = n >= 128 ? ~uint64_t(0) : n > 64 ? (uint64_t(1) << (n - 64)) - 1 : 0;
}

/* Issues in under the mask register: repeats and bits of lanes, or a number of elements. */
inline void issue_masked(npu_core *c, npu_insn &in)
{
    in.counter = c->regs.counter_mode;
    if (in.counter ? in.mask[0] != 0 : in.repeat != 0)
        npu_issue(c, &in);
}
/* Issues in with every lane on: for calls in which the mask register has no say. */
inline void issue_unmasked(npu_core *c, npu_insn &in)
{
    reset_mask(in.mask);
    if (in.repeat)
        npu_issue(c, &in);
}

/* ---- mask register ------------------------------------------------------------------- */

inline void reset_mask(npu_core *c) { reset_mask(c->regs.mask); }
/* A mask argument is a number of lanes or two words of bits; what converts is a number. */
inline const uint64_t *mask_argument(const uint64_t *bits) { return bits; }
template <class N>
inline std::enable_if_t<std::is_convertible_v<N, uint64_t>, uint64_t> mask_argument(N n)
{
    return uint64_t(n);
}
/* What a call with a mask argument does to the register before it issues. */
inline void load_mask(npu_core *c, const uint64_t mask[2], npu_where = {nullptr, 0})
{
    c->regs.mask[0] = mask[0];
    c->regs.mask[1] = mask[1];
}
inline void load_mask(npu_core *c, uint64_t n, npu_where where)
{
    if (c->regs.counter_mode) {
        c->regs.mask[0] = n;
        c->regs.mask[1] = 0;
    } else if (NPU_LIKELY(n <= 128)) {
        lanes_mask(c->regs.mask, uint32_t(n));
    } else {
        npu_fault(
            c, NPU_E_ARG, where,
            "the mask counts %llu lanes; a repeat has 128 of 2 bytes, 64 of 4: repeatTime says "
            "how often (in counter mode, SetMaskCount(), it counts all elements)",
            (unsigned long long)n);
    }
}
/* The count forms leave the register full and in normal mode. */
inline void after_count(npu_core *c)
{
    reset_mask(c);
    c->regs.counter_mode = false;
}

} // namespace nputwin
#endif
