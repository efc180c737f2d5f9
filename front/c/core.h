/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - what the C API's headers share: an instruction from its operands, in three forms.
 *
 * Plain functions with the operation and the types as numbers, so that the overloads stamped above
 * them are one call each and cost next to nothing to parse.
 */
#ifndef NPU_FRONT_C_CORE_H
#define NPU_FRONT_C_CORE_H
#include "../cpp/copy.h"
#include "../cpp/fuse.h"
#include "../cpp/order.h"
#include "../cpp/sync.h"

/* What the language calls a type that the tables know by its row. */
#define NPU_C_f16  half
#define NPU_C_bf16 bfloat16_t
#define NPU_C_f32  float
#define NPU_C_s8   int8_t
#define NPU_C_u8   uint8_t
#define NPU_C_s16  int16_t
#define NPU_C_u16  uint16_t
#define NPU_C_s32  int32_t
#define NPU_C_u32  uint32_t
#define NPU_C_s64  int64_t

namespace nputwin {

/* One call of the C API before its form is known. */
struct c_call {
    npu_op op;
    npu_type dst_type, src_type;
    void *dst;
    const void *src0, *src1;
    uint64_t scalar;
    uint8_t mode; /* enum npu_round, npu_relation, Order_t */
};

inline npu_insn c_insn(const npu_core *c, const c_call &k, uint32_t repeat, const strides &s,
                       npu_where where)
{
    npu_insn in = vec_insn(c, k.op, k.src_type, k.dst, k.src0, k.src1, repeat, s, where);
    in.dst_type = k.dst_type;
    in.scalar = k.scalar;
    in.mode = k.mode;
    return in;
}
/* The count forms leave the mask register full and in normal mode. */
inline void c_count(const c_call &k, uint32_t count, npu_where where)
{
    npu_core *c = core();
    npu_insn in = c_insn(c, k, 0, {{1, 1, 1}, {8, 8, 8}}, where);
    in.count = count;
    if (count)
        npu_issue(c, &in);
    after_count(c);
}
inline void c_repeat(const c_call &k, uint8_t repeat, const strides &s, npu_where where)
{
    npu_core *c = core();
    npu_insn in = c_insn(c, k, repeat, s, where);
    issue_masked(c, in);
}
/* For instructions in which the mask register has no say. */
inline void c_repeat_all(const c_call &k, uint32_t repeat, const strides &s, npu_where where)
{
    npu_core *c = core();
    npu_insn in = c_insn(c, k, repeat, s, where);
    issue_unmasked(c, in);
}
/* The end of a sync form. */
inline void c_sync(npu_where where) { npu_barrier(core(), PIPE_ALL, where); }

/* Lane by lane, contiguous: the fast doors. */
inline void c_lanes(npu_op op, npu_type type, void *dst, const void *src0, const void *src1,
                    uint64_t scalar, uint32_t count, npu_where where)
{
    npu_core *c = core();
    if (count)
        npu_vec(c, op, type, dst, src0, src1, scalar, count, where);
    after_count(c);
}
inline void c_conv(npu_type dst_type, void *dst, npu_type src_type, const void *src,
                   npu_round round, uint32_t count, npu_where where)
{
    npu_core *c = core();
    npu_conv(c, dst_type, dst, src_type, src, round, count, where);
    after_count(c);
}

/* The number that adds up with v to zero; of the least integer that is itself. */
template <class T> inline T c_minus(T v)
{
    if constexpr (std::is_integral_v<T>)
        return T(0u - uint32_t(v));
    else
        return T(-v);
}

/* Bits to shift by; false and a fault when the elements have fewer. */
template <class N> inline bool c_shift(const char *name, N n, uint32_t bits, npu_where where)
{
    if (NPU_LIKELY(n >= 0 && uint64_t(n) <= bits))
        return true;
    npu_fault(core(), NPU_E_ARG, where, "%s: shifts by %lld bits, allowed are 0 to %u", name,
              (long long)n, bits);
    return false;
}

/* Where n bytes of UB begin, for the calls that move a register; NULL and a fault outside UB. */
inline uint8_t *c_ub_bytes(const char *name, const void *p, uint32_t n, npu_where where,
                           uint32_t align)
{
    npu_core *c = core();
    const uint64_t at = uint64_t(uintptr_t(p)) - uint64_t(uintptr_t(c->mem[MEM_UB].base));
    const bool fits = at <= c->mem[MEM_UB].bytes - n;
    if (NPU_LIKELY(fits && at % align == 0))
        return c->mem[MEM_UB].base + at;
    npu_fault(c, fits ? NPU_E_ALIGN : NPU_E_RANGE, where,
              "%s: the operand at %p is UB byte %lld; it takes %u bytes of UB, from a multiple of "
              "%u",
              name, p, (long long)at, n, align);
    return nullptr;
}

/* A call that no overload takes. Refused here rather than by the compiler's list of candidates. */
template <class T> constexpr bool c_refused = false;
#define NPU_C_REFUSE(name, text)                                                                   \
    template <class T> inline void name(const T *, ...)                                            \
    {                                                                                              \
        static_assert(nputwin::c_refused<T>, text);                                                \
    }

} // namespace nputwin
#endif
