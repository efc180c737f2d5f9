/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cce.h - the raw intrinsics of the compiler, as kernels below Ascend C call them.
 *
 * Each fills one npu_insn and issues it. Units: strides in 32-byte blks, the mask is the register
 * that set_vector_mask loads (bit a lane; 64 lanes of 4 bytes, 128 of 2). Element types are those
 * of the pointers. The vector rows are stamped from the lists below by shape.
 *
 * To add one: a row in isa/vec.def, its line here, a case in tests/unit/t_cce.cpp.
 */
#ifndef NPU_FRONT_CCE_H
#define NPU_FRONT_CCE_H
#include "../c/core.h"
#include "../cpp/copy.h"
#include "../cpp/types.h"

#define NPU_CCE template <class T> inline void

/* ---- registers, pipes, flags --------------------------------------------------------- */

inline void set_vector_mask(uint64_t hi, uint64_t lo)
{
    const uint64_t mask[2] = {lo, hi};
    nputwin::load_mask(nputwin::core(), mask);
}
inline void set_mask_norm() { nputwin::core()->regs.counter_mode = false; }
inline void set_mask_count() { nputwin::core()->regs.counter_mode = true; }
/* 16 bytes of UB: bits of a choice, or (vsel mode 1) the scalar in its first element. */
inline void set_cmpmask(const void *ub, npu_where where = NPU_HERE)
{
    npu_settle(nputwin::core()); /* the vector unit reads it */
    const uint8_t *p = nputwin::c_ub_bytes("set_cmpmask", ub, 16, where, 16);
    if (p)
        std::memcpy(nputwin::core()->regs.cmpmask, p, 16);
}

inline void pipe_barrier(pipe_t pipe, npu_where where = NPU_HERE)
{
    npu_barrier(nputwin::core(), pipe, where);
}
inline void set_flag(pipe_t from, pipe_t to, int event, npu_where where = NPU_HERE)
{
    npu_set_flag(nputwin::core(), from, to, uint32_t(event), where);
}
inline void wait_flag(pipe_t from, pipe_t to, int event, npu_where where = NPU_HERE)
{
    npu_wait_flag(nputwin::core(), from, to, uint32_t(event), where);
}
inline int64_t get_block_idx() { return nputwin::core()->block_idx; }
inline int64_t get_block_num() { return nputwin::core()->block_dim; }
inline int64_t get_subblockid() { return nputwin::core()->sub_idx; }
inline int64_t get_subblockdim() { return nputwin::core()->n_sub; }

namespace nputwin {

/* Any lane-by-lane intrinsic: operands, scalar, repeat, strides. */
template <class T>
inline void cce(npu_op op, T *dst, const void *src0, const void *src1, uint64_t scalar,
                uint8_t repeat, const strides &s, npu_where where)
{
    npu_core *c = core();
    npu_insn in = vec_insn(c, op, type_of<T>, dst, src0, src1, repeat, s, where);
    in.scalar = scalar;
    issue_masked(c, in);
}

} // namespace nputwin

/* ---- lane by lane -------------------------------------------------------------------- */

#define NPU_CCE_VVV(name)                                                                          \
    NPU_CCE name(T *dst, const T *src0, const T *src1, uint8_t repeat, uint16_t dst_blk,           \
                 uint16_t src0_blk, uint16_t src1_blk, uint16_t dst_rep, uint16_t src0_rep,        \
                 uint16_t src1_rep, npu_where where = NPU_HERE)                                    \
    {                                                                                              \
        NPU_TAKES(#name, OP_##name, T);                                                            \
        nputwin::cce(OP_##name, dst, src0, src1, 0, repeat,                                        \
                     {{dst_blk, src0_blk, src1_blk}, {dst_rep, src0_rep, src1_rep}}, where);       \
    }
NPU_CCE_VVV(vadd)
NPU_CCE_VVV(vsub)
NPU_CCE_VVV(vmul)
NPU_CCE_VVV(vdiv)
NPU_CCE_VVV(vmax)
NPU_CCE_VVV(vmin)
NPU_CCE_VVV(vand)
NPU_CCE_VVV(vor)
#undef NPU_CCE_VVV

#define NPU_CCE_VV(name)                                                                           \
    NPU_CCE name(T *dst, const T *src, uint8_t repeat, uint16_t dst_blk, uint16_t src_blk,         \
                 uint16_t dst_rep, uint16_t src_rep, npu_where where = NPU_HERE)                   \
    {                                                                                              \
        NPU_TAKES(#name, OP_##name, T);                                                            \
        nputwin::cce(OP_##name, dst, src, nullptr, 0, repeat,                                      \
                     {{dst_blk, src_blk, 0}, {dst_rep, src_rep, 0}}, where);                       \
    }
NPU_CCE_VV(vabs)
NPU_CCE_VV(vrelu)
NPU_CCE_VV(vexp)
NPU_CCE_VV(vln)
NPU_CCE_VV(vsqrt)
NPU_CCE_VV(vrsqrt)
NPU_CCE_VV(vrec)
NPU_CCE_VV(vnot)
#undef NPU_CCE_VV

#define NPU_CCE_VVS(name, row)                                                                     \
    NPU_CCE name(T *dst, const T *src, nputwin::same<T> scalar, uint8_t repeat, uint16_t dst_blk,  \
                 uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep, npu_where where = NPU_HERE) \
    {                                                                                              \
        NPU_TAKES(#name, OP_##row, T);                                                             \
        nputwin::cce(OP_##row, dst, src, nullptr, nputwin::bits_of(scalar), repeat,                \
                     {{dst_blk, src_blk, 0}, {dst_rep, src_rep, 0}}, where);                       \
    }
NPU_CCE_VVS(vadds, vadds)
NPU_CCE_VVS(vmuls, vmuls)
NPU_CCE_VVS(vmaxs, vmaxs)
NPU_CCE_VVS(vmins, vmins)
NPU_CCE_VVS(vaxpy, vaxpy)
#undef NPU_CCE_VVS

/* The source strides are in the call and mean nothing: a scalar has none. */
NPU_CCE vector_dup(T *dst, nputwin::same<T> scalar, uint8_t repeat, uint16_t dst_blk, uint16_t,
                   uint16_t dst_rep, uint16_t, npu_where where = NPU_HERE)
{
    NPU_TAKES("vector_dup", OP_vdup, T);
    nputwin::cce(OP_vdup, dst, nullptr, nullptr, nputwin::bits_of(scalar), repeat,
                 {{dst_blk, 0, 0}, {dst_rep, 0, 0}}, where);
}

/* ---- compare and select -------------------------------------------------------------- */

/* Bits packed one repeat after the other; mask and dst strides have no say. */
#define NPU_CCE_CMPS(name, relation)                                                               \
    NPU_CCE vcmpvs_##name(uint8_t *dst, const T *src, nputwin::same<T> scalar, uint8_t repeat,     \
                          uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep,  \
                          npu_where where = NPU_HERE)                                              \
    {                                                                                              \
        NPU_TAKES("vcmpvs_" #name, OP_vcmps, T);                                                   \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in =                                                                              \
            nputwin::vec_insn(c, OP_vcmps, nputwin::type_of<T>, dst, src, nullptr, repeat,         \
                              {{dst_blk, src_blk, 0}, {dst_rep, src_rep, 0}}, where);              \
        in.mode = relation;                                                                        \
        in.scalar = nputwin::bits_of(scalar);                                                      \
        nputwin::issue_unmasked(c, in);                                                            \
    }
#define NPU_CCE_CMPV(name, relation)                                                               \
    NPU_CCE vcmpv_##name(uint8_t *dst, const T *src0, const T *src1, uint8_t repeat,               \
                         uint16_t dst_blk, uint16_t src0_blk, uint16_t src1_blk, uint16_t dst_rep, \
                         uint16_t src0_rep, uint16_t src1_rep, npu_where where = NPU_HERE)         \
    {                                                                                              \
        NPU_TAKES("vcmpv_" #name, OP_vcmp, T);                                                     \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in = nputwin::vec_insn(                                                           \
            c, OP_vcmp, nputwin::type_of<T>, dst, src0, src1, repeat,                              \
            {{dst_blk, src0_blk, src1_blk}, {dst_rep, src0_rep, src1_rep}}, where);                \
        in.mode = relation;                                                                        \
        nputwin::issue_unmasked(c, in);                                                            \
    }
#define NPU_CCE_CMP(name, relation) NPU_CCE_CMPS(name, relation) NPU_CCE_CMPV(name, relation)
NPU_CCE_CMP(lt, CMP_LT)
NPU_CCE_CMP(gt, CMP_GT)
NPU_CCE_CMP(eq, CMP_EQ)
NPU_CCE_CMP(le, CMP_LE)
NPU_CCE_CMP(ge, CMP_GE)
NPU_CCE_CMP(ne, CMP_NE)
#undef NPU_CCE_CMP
#undef NPU_CCE_CMPS
#undef NPU_CCE_CMPV

/* bit ? src0 : src1. Mode 0: the bits are the compare register's, the same in each repeat. Mode 1:
 * the bits are at src1, 64 or 128 a repeat one after the other, and what they do not choose is the
 * first element of the compare register. Mode 2: the bits are at the address of UB that the compare
 * register holds. */
NPU_CCE vsel(T *dst, const T *src0, const void *src1, uint8_t repeat, uint16_t dst_blk,
             uint16_t src0_blk, uint16_t src1_blk, uint16_t dst_rep, uint16_t src0_rep,
             uint16_t src1_rep, uint8_t mode = 0, npu_where where = NPU_HERE)
{
    NPU_TAKES("vsel", OP_vsel, T);
    npu_core *c = nputwin::core();
    if (NPU_UNLIKELY(mode > 2)) {
        npu_fault(c, NPU_E_ARG, where, "vsel: mode is %u, allowed are 0 to 2", mode);
        return;
    }
    npu_insn in = nputwin::vec_insn(
        c, OP_vsel, nputwin::type_of<T>, dst, src0, mode == 1 ? nullptr : src1, repeat,
        {{dst_blk, src0_blk, src1_blk}, {dst_rep, src0_rep, src1_rep}}, where);
    in.mode = mode;
    if (mode == 1) {
        in.sel = nputwin::ub_ref(c, src1, 1, 8);
        std::memcpy(&in.scalar, c->regs.cmpmask, sizeof(T));
    } else if (mode == 2) { /* a kernel keeps an address of UB in 32 bits */
        in.sel.mem = MEM_UB;
        in.sel.at_bytes = uint32_t(c->regs.cmpmask[0] - uint64_t(uintptr_t(c->mem[MEM_UB].base)));
    }
    nputwin::issue_masked(c, in);
}

/* ---- reductions and broadcast -------------------------------------------------------- */

/* dst_rep counts results: elements, or pairs of value and index. */
#define NPU_CCE_RED(name)                                                                          \
    NPU_CCE name(T *dst, const T *src, uint8_t repeat, uint16_t dst_rep, uint16_t src_blk,         \
                 uint16_t src_rep, Order_t order, npu_where where = NPU_HERE)                      \
    {                                                                                              \
        NPU_TAKES(#name, OP_##name, T);                                                            \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in = nputwin::vec_insn(c, OP_##name, nputwin::type_of<T>, dst, src, nullptr,      \
                                        repeat, {{1, src_blk, 0}, {dst_rep, src_rep, 0}}, where);  \
        in.mode = uint8_t(order);                                                                  \
        nputwin::issue_masked(c, in);                                                              \
    }
NPU_CCE_RED(vcmax)
NPU_CCE_RED(vcmin)
#undef NPU_CCE_RED
/* One sum a repeat; eight values a repeat (dst_rep counts those eight). */
#define NPU_CCE_GRP(name)                                                                          \
    NPU_CCE name(T *dst, const T *src, uint8_t repeat, uint16_t dst_rep, uint16_t src_blk,         \
                 uint16_t src_rep, npu_where where = NPU_HERE)                                     \
    {                                                                                              \
        NPU_TAKES(#name, OP_##name, T);                                                            \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in = nputwin::vec_insn(c, OP_##name, nputwin::type_of<T>, dst, src, nullptr,      \
                                        repeat, {{1, src_blk, 0}, {dst_rep, src_rep, 0}}, where);  \
        in.mode = ONLY_VALUE;                                                                      \
        nputwin::issue_masked(c, in);                                                              \
    }
NPU_CCE_GRP(vcadd)
/* The C API and the library below Ascend C say false: one sum a repeat. */
NPU_CCE vcadd(T *dst, const T *src, uint8_t repeat, uint16_t dst_rep, uint16_t src_blk,
              uint16_t src_rep, bool into_register, npu_where where = NPU_HERE)
{
    if (NPU_UNLIKELY(into_register))
        npu_fault(nputwin::core(), NPU_E_UNSUP, where,
                  "vcadd: the last argument is true (a sum into a register); this version has the "
                  "one of false (a sum of each repeat)");
    else
        vcadd(dst, src, repeat, dst_rep, src_blk, src_rep, where);
}
NPU_CCE_GRP(vcgadd)
NPU_CCE_GRP(vcgmax)
NPU_CCE_GRP(vcgmin)
#undef NPU_CCE_GRP

/* Eight elements a repeat, each fills one blk; the mask has no say. */
NPU_CCE vbrcb(T *dst, const T *src, uint16_t dst_blk, uint16_t dst_rep, uint8_t repeat,
              npu_where where = NPU_HERE)
{
    NPU_TAKES("vbrcb", OP_vbrcb, T);
    npu_core *c = nputwin::core();
    npu_insn in = nputwin::vec_insn(c, OP_vbrcb, nputwin::type_of<T>, dst, src, nullptr, repeat,
                                    {{dst_blk, 1, 0}, {dst_rep, 1, 0}}, where);
    nputwin::issue_unmasked(c, in);
}

/* ---- conversions --------------------------------------------------------------------- */

/* vconv_<from>2<to><letter>: r to nearest even, f floor, c ceil, a away from zero, z to zero, o
 * odd, none where nothing is lost. The lane is that of the wider type. */
#define NPU_CCE_CONV(name, Src, Dst, round)                                                        \
    inline void vconv_##name(Dst *dst, const Src *src, uint8_t repeat, uint16_t dst_blk,           \
                             uint16_t src_blk, uint16_t dst_rep, uint16_t src_rep,                 \
                             npu_where where = NPU_HERE)                                           \
    {                                                                                              \
        static_assert(nputwin::converts(nputwin::type_of<Src>, nputwin::type_of<Dst>),             \
                      "vconv_" #name " has no row in isa/conv.def");                               \
        npu_core *c = nputwin::core();                                                             \
        npu_insn in =                                                                              \
            nputwin::vec_insn(c, OP_vconv, nputwin::type_of<Src>, dst, src, nullptr, repeat,       \
                              {{dst_blk, src_blk, 0}, {dst_rep, src_rep, 0}}, where);              \
        in.dst_type = nputwin::type_of<Dst>;                                                       \
        in.mode = ROUND_##round;                                                                   \
        nputwin::issue_masked(c, in);                                                              \
    }
#define NPU_CCE_CONV5(name, Src, Dst)                                                              \
    NPU_CCE_CONV(name##r, Src, Dst, RINT)                                                          \
    NPU_CCE_CONV(name##f, Src, Dst, FLOOR)                                                         \
    NPU_CCE_CONV(name##c, Src, Dst, CEIL)                                                          \
    NPU_CCE_CONV(name##a, Src, Dst, ROUND)                                                         \
    NPU_CCE_CONV(name##z, Src, Dst, TRUNC)
NPU_CCE_CONV(f162f32, half, float, NONE)
NPU_CCE_CONV(bf162f32, bfloat16_t, float, NONE)
NPU_CCE_CONV(s82f16, int8_t, half, NONE)
NPU_CCE_CONV(u82f16, uint8_t, half, NONE)
NPU_CCE_CONV(s162f32, int16_t, float, NONE)
NPU_CCE_CONV(s322s64, int32_t, int64_t, NONE)
NPU_CCE_CONV(s322s16, int32_t, int16_t, NONE)
NPU_CCE_CONV(s642s32, int64_t, int32_t, NONE)
NPU_CCE_CONV(s162f16, int16_t, half, NONE)
NPU_CCE_CONV(s322f32, int32_t, float, NONE)
NPU_CCE_CONV(f322f16, float, half, NONE)
NPU_CCE_CONV(f322f16o, float, half, ODD)
NPU_CCE_CONV(f162s8, half, int8_t, NONE)
NPU_CCE_CONV(f162u8, half, uint8_t, NONE)
NPU_CCE_CONV5(s162f16, int16_t, half)
NPU_CCE_CONV5(s322f32, int32_t, float)
NPU_CCE_CONV5(s642f32, int64_t, float)
NPU_CCE_CONV5(f162s8, half, int8_t)
NPU_CCE_CONV5(f162u8, half, uint8_t)
NPU_CCE_CONV5(f162s16, half, int16_t)
NPU_CCE_CONV5(f162s32, half, int32_t)
NPU_CCE_CONV5(bf162s32, bfloat16_t, int32_t)
NPU_CCE_CONV5(f322s16, float, int16_t)
NPU_CCE_CONV5(f322s32, float, int32_t)
NPU_CCE_CONV5(f322s64, float, int64_t)
NPU_CCE_CONV5(f322f32, float, float)
NPU_CCE_CONV5(f322f16, float, half)
NPU_CCE_CONV5(f322bf16, float, bfloat16_t)
#undef NPU_CCE_CONV5
#undef NPU_CCE_CONV

/* ---- copies -------------------------------------------------------------------------- */

/* Lengths and gaps in blks. sid names a hardware queue that the twin does not have. */
inline void copy_gm_to_ubuf(void *dst, const void *src, uint8_t /*sid*/, uint16_t n_burst,
                            uint16_t len_blks, uint16_t src_gap, uint16_t dst_gap,
                            npu_where where = NPU_HERE)
{
    nputwin::copy_bursts(nputwin::core(), OP_copy_gm_to_ub, TYPE_u16, dst, src,
                         {n_burst, len_blks * uint32_t(NPU_BLK_BYTES), src_gap * NPU_BLK_BYTES,
                          dst_gap * NPU_BLK_BYTES},
                         {}, where);
}
inline void copy_ubuf_to_gm(void *dst, const void *src, uint8_t /*sid*/, uint16_t n_burst,
                            uint16_t len_blks, uint16_t src_gap, uint16_t dst_gap,
                            npu_where where = NPU_HERE)
{
    nputwin::copy_bursts(nputwin::core(), OP_copy_ub_to_gm, TYPE_u16, dst, src,
                         {n_burst, len_blks * uint32_t(NPU_BLK_BYTES), src_gap * NPU_BLK_BYTES,
                          dst_gap * NPU_BLK_BYTES},
                         {}, where);
}
inline void copy_ubuf_to_ubuf(void *dst, const void *src, uint8_t /*sid*/, uint16_t n_burst,
                              uint16_t len_blks, uint16_t src_gap, uint16_t dst_gap,
                              npu_where where = NPU_HERE)
{
    nputwin::copy_ub_to_ub(nputwin::core(), dst, src,
                           {n_burst, len_blks * uint32_t(NPU_BLK_BYTES), src_gap * NPU_BLK_BYTES,
                            dst_gap * NPU_BLK_BYTES},
                           where);
}
/* With BM_ENABLE the length is in bytes. */
inline void copy_gm_to_ubuf(void *dst, const void *src, uint8_t /*sid*/, uint16_t n_burst,
                            uint16_t len_bytes, uint16_t src_gap, uint16_t dst_gap, bm_t byte_mode,
                            npu_where where = NPU_HERE)
{
    const uint32_t unit = byte_mode == BM_ENABLE ? 1 : NPU_BLK_BYTES;
    nputwin::copy_bursts(
        nputwin::core(), OP_copy_gm_to_ub, TYPE_u8, dst, src,
        {n_burst, len_bytes * unit, src_gap * NPU_BLK_BYTES, dst_gap * NPU_BLK_BYTES}, {}, where);
}
inline void copy_ubuf_to_gm(void *dst, const void *src, uint8_t /*sid*/, uint16_t n_burst,
                            uint16_t len_bytes, uint16_t src_gap, uint16_t dst_gap, bm_t byte_mode,
                            npu_where where = NPU_HERE)
{
    const uint32_t unit = byte_mode == BM_ENABLE ? 1 : NPU_BLK_BYTES;
    nputwin::copy_bursts(
        nputwin::core(), OP_copy_ub_to_gm, TYPE_u8, dst, src,
        {n_burst, len_bytes * unit, src_gap * NPU_BLK_BYTES, dst_gap * NPU_BLK_BYTES}, {}, where);
}
/* Length in bytes, paddings in elements, the gap in bytes on the GM side and in blks on the UB
 * side. */
#define NPU_CCE_ALIGN(suffix, row)                                                                 \
    inline void copy_gm_to_ubuf_align_##suffix(void *dst, const void *src, uint8_t /*sid*/,        \
                                               uint16_t n_burst, uint32_t len_bytes, uint8_t left, \
                                               uint8_t right, uint32_t src_gap, uint32_t dst_gap,  \
                                               npu_where where = NPU_HERE)                         \
    {                                                                                              \
        nputwin::copy_bursts(nputwin::core(), OP_copy_gm_to_ub, TYPE_##row, dst, src,              \
                             {n_burst, len_bytes, src_gap, int64_t(dst_gap) * NPU_BLK_BYTES},      \
                             {left, right, false, 0}, where);                                      \
    }                                                                                              \
    inline void copy_ubuf_to_gm_align_##suffix(void *dst, const void *src, uint8_t /*sid*/,        \
                                               uint16_t n_burst, uint32_t len_bytes, uint8_t left, \
                                               uint8_t right, uint32_t src_gap, uint32_t dst_gap,  \
                                               npu_where where = NPU_HERE)                         \
    {                                                                                              \
        nputwin::copy_bursts(nputwin::core(), OP_copy_ub_to_gm, TYPE_##row, dst, src,              \
                             {n_burst, len_bytes, int64_t(src_gap) * NPU_BLK_BYTES, dst_gap},      \
                             {left, right, false, 0}, where);                                      \
    }
NPU_CCE_ALIGN(b8, u8)
NPU_CCE_ALIGN(b16, u16)
NPU_CCE_ALIGN(b32, u32)
#undef NPU_CCE_ALIGN
#undef NPU_CCE
#if NPU_ARCH == 2201
#include "cce_cube.h"
#include "cce_vector.h"
#endif
#endif
