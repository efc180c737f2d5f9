/* SPDX-License-Identifier: Apache-2.0 */
/*
 * special.h - the C API from UB to UB that fits no shape of vector.def: fills, gathers, sorting,
 * transposition, and the registers that go with them.
 */
#ifndef NPU_FRONT_C_SPECIAL_H
#define NPU_FRONT_C_SPECIAL_H
#include "steps.h"
#include "vector.h"

#define NPU_C_FOR_B16_B32(M) M(f16) M(bf16) M(f32) M(s16) M(u16) M(s32) M(u32)
#define NPU_C_FOR_U16_U32(M) M(u16) M(u32)
#define NPU_C_FOR_S16_U16(M) M(s16) M(u16)
#define NPU_C_FOR_F16_F32(M) M(f16) M(f32)

/* ---- fills and copies to other places -------------------------------------------------- */

#define NPU_C_DUP(type)                                                                            \
    inline void asc_duplicate(NPU_C_##type *dst, NPU_C_##type src, uint32_t count,                 \
                              npu_where where = NPU_HERE)                                          \
    {                                                                                              \
        nputwin::c_lanes(OP_vdup, TYPE_##type, dst, nullptr, nullptr, nputwin::bits_of(src),       \
                         count, where);                                                            \
    }                                                                                              \
    inline void asc_duplicate_sync(NPU_C_##type *dst, NPU_C_##type src, uint32_t count,            \
                                   npu_where where = NPU_HERE)                                     \
    {                                                                                              \
        asc_duplicate(dst, src, count, where);                                                     \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void asc_duplicate(NPU_C_##type *dst, NPU_C_##type src, uint8_t repeat,                 \
                              uint16_t dst_block_stride, uint16_t dst_repeat_stride,               \
                              npu_where where = NPU_HERE)                                          \
    {                                                                                              \
        nputwin::c_repeat(                                                                         \
            {OP_vdup, TYPE_##type, TYPE_##type, dst, nullptr, nullptr, nputwin::bits_of(src), 0},  \
            repeat, {{dst_block_stride, 0, 0}, {dst_repeat_stride, 0, 0}}, where);                 \
    }
NPU_C_FOR_B16_B32(NPU_C_DUP)
NPU_C_REFUSE_BOTH(asc_duplicate, "half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t",
                  "; forms: (dst, value, count), (dst, value, repeat, two strides)")

/* Eight elements a repeat, each fills one blk; the mask register has no say. */
#define NPU_C_BRCB(type)                                                                           \
    inline void asc_brcb(NPU_C_##type *dst, const NPU_C_##type *src, uint16_t dst_block_stride,    \
                         uint16_t dst_repeat_stride, uint8_t repeat, npu_where where = NPU_HERE)   \
    {                                                                                              \
        nputwin::c_repeat_all({OP_vbrcb, TYPE_##type, TYPE_##type, dst, src, nullptr, 0, 0},       \
                              repeat, {{dst_block_stride, 1, 0}, {dst_repeat_stride, 1, 0}},       \
                              where);                                                              \
    }                                                                                              \
    inline void asc_brcb_sync(NPU_C_##type *dst, const NPU_C_##type *src,                          \
                              uint16_t dst_block_stride, uint16_t dst_repeat_stride,               \
                              uint8_t repeat, npu_where where = NPU_HERE)                          \
    {                                                                                              \
        asc_brcb(dst, src, dst_block_stride, dst_repeat_stride, repeat, where);                    \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_FOR_U16_U32(NPU_C_BRCB)
NPU_C_REFUSE_BOTH(asc_brcb, "uint16_t, uint32_t",
                  "; form: (dst, src, dst block stride, dst repeat stride, repeat)")

/* ---- dequantisation -------------------------------------------------------------------- */

constexpr int ASC_VDEQ_SIZE = 16;

/* What asc_deq_int322half multiplies with. */
inline void asc_set_deq_scale(half scale)
{
    nputwin::core()->regs.deq_scale = nputwin::bits_of(scale);
}
/* What asc_deq_int162b8 takes: 9 bits of offset, and whether the results are int8_t. */
inline void asc_set_deq_scale(float scale, int16_t offset, bool sign_mode)
{
    nputwin::core()->regs.deq_scale = nputwin::deq_word(scale, offset, sign_mode);
}
/* What asc_vdeq_int162b8 takes: 16 sets, written to tmp (128 bytes of UB), which stays theirs. */
inline void asc_set_deq_scale(uint64_t *tmp, const float scale_arr[ASC_VDEQ_SIZE],
                              const int16_t offset_arr[ASC_VDEQ_SIZE],
                              const bool sign_mode_arr[ASC_VDEQ_SIZE], npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    npu_settle(c);
    if (!nputwin::c_ub_bytes("asc_set_deq_scale", tmp, ASC_VDEQ_SIZE * sizeof *tmp, where, 32))
        return;
    for (int k = 0; k < ASC_VDEQ_SIZE; k++)
        tmp[k] = nputwin::deq_word(scale_arr[k], offset_arr[k], sign_mode_arr[k]);
    c->regs.deq_scale = nputwin::ub_ref(c, tmp, 0, 0).at_bytes / NPU_BLK_BYTES;
}

#define NPU_C_DEQ(type, name, mode)                                                                \
    inline void name(NPU_C_##type *dst, const int16_t *src, uint32_t count,                        \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_deq_bytes_count(TYPE_##type, dst, src, mode, count, where);                     \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const int16_t *src, uint32_t count,                 \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(dst, src, count, where);                                                              \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const int16_t *src, uint8_t repeat,                        \
                     uint16_t dst_block_stride, uint16_t src_block_stride,                         \
                     uint8_t dst_repeat_stride, uint8_t src_repeat_stride,                         \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_deq_bytes(TYPE_##type, dst, src, mode, 0, repeat, NPU_C_STRIDED);               \
    }
#define NPU_C_DEQ_BOTH(name, mode)                                                                 \
    NPU_C_DEQ(s8, name, mode)                                                                      \
    NPU_C_DEQ(u8, name, mode)                                                                      \
    NPU_C_REFUSE_BOTH(name, "dst int8_t or uint8_t, src int16_t", NPU_C_SAYS2)
NPU_C_DEQ_BOTH(asc_deq_int162b8_h, DEQ_HIGH)
NPU_C_DEQ_BOTH(asc_deq_int162b8_l, 0)
NPU_C_DEQ_BOTH(asc_vdeq_int162b8_h, DEQ_VECTOR | DEQ_HIGH)
NPU_C_DEQ_BOTH(asc_vdeq_int162b8_l, DEQ_VECTOR)

inline void asc_deq_int322half(half *dst, const int32_t *src, uint32_t count,
                               npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_deq_scale(c, "asc_deq_int322half", where))
        nputwin::c_count({OP_vdeq, TYPE_f16, TYPE_s32, dst, src, nullptr, c->regs.deq_scale, 0},
                         count, where);
}
inline void asc_deq_int322half_sync(half *dst, const int32_t *src, uint32_t count,
                                    npu_where where = NPU_HERE)
{
    asc_deq_int322half(dst, src, count, where);
    nputwin::c_sync(where);
}
inline void asc_deq_int322half(half *dst, const int32_t *src, uint8_t repeat,
                               uint16_t dst_block_stride, uint16_t src_block_stride,
                               uint8_t dst_repeat_stride, uint8_t src_repeat_stride,
                               npu_where where = NPU_HERE)
{
    npu_core *c = nputwin::core();
    if (nputwin::check_deq_scale(c, "asc_deq_int322half", where))
        nputwin::c_repeat({OP_vdeq, TYPE_f16, TYPE_s32, dst, src, nullptr, c->regs.deq_scale, 0},
                          repeat, NPU_C_STRIDED);
}
NPU_C_REFUSE_BOTH(asc_deq_int322half, "dst half, src int32_t", NPU_C_SAYS2)

/* ---- 4-bit integers -------------------------------------------------------------------- */

#define NPU_C_INT4(name, op, D, S, rounding, Rep)                                                  \
    inline void name(D *dst, const S *src, uint32_t count, npu_where where = NPU_HERE)             \
    {                                                                                              \
        if (nputwin::c_even(#name, count, where))                                                  \
            nputwin::c_count(                                                                      \
                {OP_##op, TYPE_f16, TYPE_f16, dst, src, nullptr, 0, ROUND_##rounding}, count,      \
                where);                                                                            \
    }                                                                                              \
    inline void name##_sync(D *dst, const S *src, uint32_t count, npu_where where = NPU_HERE)      \
    {                                                                                              \
        name(dst, src, count, where);                                                              \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(D *dst, const S *src, uint8_t repeat, uint16_t dst_block_stride,              \
                     uint16_t src_block_stride, Rep dst_repeat_stride, Rep src_repeat_stride,      \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_repeat({OP_##op, TYPE_f16, TYPE_f16, dst, src, nullptr, 0, ROUND_##rounding},   \
                          repeat, NPU_C_STRIDED);                                                  \
    }                                                                                              \
    NPU_C_REFUSE_BOTH(name, "dst " #D ", src " #S, NPU_C_SAYS2)
NPU_C_INT4(asc_half2int4, vf162s4, int4b_t, half, NONE, uint16_t)
NPU_C_INT4(asc_half2int4_rn, vf162s4, int4b_t, half, RINT, uint16_t)
NPU_C_INT4(asc_half2int4_rna, vf162s4, int4b_t, half, ROUND, uint16_t)
NPU_C_INT4(asc_half2int4_rd, vf162s4, int4b_t, half, FLOOR, uint16_t)
NPU_C_INT4(asc_half2int4_ru, vf162s4, int4b_t, half, CEIL, uint16_t)
NPU_C_INT4(asc_half2int4_rz, vf162s4, int4b_t, half, TRUNC, uint16_t)
NPU_C_INT4(asc_int42half, vs42f16, half, int4b_t, NONE, uint8_t)

/* ---- gathers --------------------------------------------------------------------------- */

/* src_offset: bytes from src, one 32-bit word a lane, one after the other. */
#define NPU_C_GATHER(type)                                                                         \
    inline void asc_gather(NPU_C_##type *dst, const NPU_C_##type *src, const uint32_t *src_offset, \
                           uint32_t count, npu_where where = NPU_HERE)                             \
    {                                                                                              \
        nputwin::c_count({OP_vgather, TYPE_##type, TYPE_##type, dst, src, src_offset, 0, 0},       \
                         count, where);                                                            \
    }                                                                                              \
    inline void asc_gather_sync(NPU_C_##type *dst, const NPU_C_##type *src,                        \
                                const uint32_t *src_offset, uint32_t count,                        \
                                npu_where where = NPU_HERE)                                        \
    {                                                                                              \
        asc_gather(dst, src, src_offset, count, where);                                            \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void asc_gather(NPU_C_##type *dst, const NPU_C_##type *src, const uint32_t *src_offset, \
                           uint16_t dst_repeat_stride, uint8_t repeat, npu_where where = NPU_HERE) \
    {                                                                                              \
        nputwin::c_repeat({OP_vgather, TYPE_##type, TYPE_##type, dst, src, src_offset, 0, 0},      \
                          repeat, {{1, 1, 1}, {dst_repeat_stride, 8, 8}}, where);                  \
    }
NPU_C_FOR_B16_B32(NPU_C_GATHER)
NPU_C_REFUSE_BOTH(asc_gather, "half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t",
                  "; forms: (dst, src, offsets, count), (dst, src, offsets, dst repeat stride, "
                  "repeat)")

/* Eight offsets a repeat, each takes a blk of 32 bytes. */
#define NPU_C_GATHER_BLKS(type)                                                                    \
    inline void asc_gather_datablock(NPU_C_##type *dst, const NPU_C_##type *src,                   \
                                     const uint32_t *src_offset, uint16_t dst_repeat_stride,       \
                                     uint8_t dst_block_stride, uint8_t repeat,                     \
                                     npu_where where = NPU_HERE)                                   \
    {                                                                                              \
        nputwin::c_repeat_all({OP_vgatherb, TYPE_##type, TYPE_##type, dst, src, src_offset, 0, 0}, \
                              repeat, {{dst_block_stride, 1, 1}, {dst_repeat_stride, 8, 1}},       \
                              where);                                                              \
    }                                                                                              \
    inline void asc_gather_datablock_sync(NPU_C_##type *dst, const NPU_C_##type *src,              \
                                          const uint32_t *src_offset, uint16_t dst_repeat_stride,  \
                                          uint8_t dst_block_stride, uint8_t repeat,                \
                                          npu_where where = NPU_HERE)                              \
    {                                                                                              \
        asc_gather_datablock(dst, src, src_offset, dst_repeat_stride, dst_block_stride, repeat,    \
                             where);                                                               \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_FOR_U16_U32(NPU_C_GATHER_BLKS)
NPU_C_REFUSE_BOTH(asc_gather_datablock, "uint16_t, uint32_t",
                  "; form: (dst, src, offsets, dst repeat stride, dst block stride, repeat)")

#define NPU_C_REDUCE(type)                                                                         \
    inline void asc_reduce(NPU_C_##type *dst, const NPU_C_##type *src0, const NPU_C_##type *src1,  \
                           uint32_t count, npu_where where = NPU_HERE)                             \
    {                                                                                              \
        nputwin::c_gather_mask({OP_vgathermask, TYPE_##type, TYPE_##type, dst, src0, src1, 0, 0},  \
                               count, count != 0, {{1, 1, 1}, {8, 8, 8}}, where);                  \
        nputwin::after_count(nputwin::core());                                                     \
    }                                                                                              \
    inline void asc_reduce_sync(NPU_C_##type *dst, const NPU_C_##type *src0,                       \
                                const NPU_C_##type *src1, uint32_t count,                          \
                                npu_where where = NPU_HERE)                                        \
    {                                                                                              \
        asc_reduce(dst, src0, src1, count, where);                                                 \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    /* pattern_mode 0: the bits at src1; 1 to 7: a pattern, src1 is not looked at. */              \
    inline void asc_reduce(NPU_C_##type *dst, const NPU_C_##type *src0, const NPU_C_##type *src1,  \
                           uint16_t repeat, uint8_t src0_block_stride, uint8_t pattern_mode,       \
                           uint16_t src0_repeat_stride, uint8_t src1_repeat_stride,                \
                           npu_where where = NPU_HERE)                                             \
    {                                                                                              \
        nputwin::c_gather_mask(                                                                    \
            {OP_vgathermask, TYPE_##type, TYPE_##type, dst, src0, pattern_mode ? nullptr : src1,   \
             0, pattern_mode},                                                                     \
            0, repeat, {{1, src0_block_stride, 1}, {8, src0_repeat_stride, src1_repeat_stride}},   \
            where);                                                                                \
    }                                                                                              \
    /* The bits of a comparison choose; what is taken stands without gaps, whatever the strides of \
     * dst. */                                                                                     \
    inline void asc_squeeze(NPU_C_##type *dst, const NPU_C_##type *src0, const NPU_C_##type *src1, \
                            uint8_t repeat, uint8_t, uint8_t src0_block_stride, uint8_t, uint8_t,  \
                            uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        nputwin::c_gather_mask(                                                                    \
            {OP_vgathermask, TYPE_##type, TYPE_##type, dst, src0, src1, 0, 0}, 0, repeat,          \
            {{1, src0_block_stride, 1}, {8, src0_repeat_stride, src1_repeat_stride}}, where);      \
    }
NPU_C_FOR_U16_U32(NPU_C_REDUCE)
NPU_C_REFUSE_BOTH(asc_reduce, "uint16_t, uint32_t",
                  "; forms: (dst, src0, src1, count), (dst, src0, src1, repeat, src0 block stride, "
                  "pattern, src0 repeat stride, src1 repeat stride)")
NPU_C_REFUSE(asc_squeeze, "asc_squeeze: on dav-2201 the elements are uint16_t, uint32_t; form: "
                          "(dst, src0, src1, repeat, six strides)")

/* How many elements the newest asc_reduce has written. */
inline int64_t asc_get_rsvd_count() { return int64_t(nputwin::core()->regs.n_gathered); }

/* ---- sorting --------------------------------------------------------------------------- */

constexpr int ASC_C_API_MRGSORT_ELEMENT_LEN = 4;

#define NPU_C_SORT(type)                                                                           \
    inline void asc_bitsort(NPU_C_##type *dst, const NPU_C_##type *src0, const uint32_t *src1,     \
                            int32_t repeat, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        nputwin::c_sort32(TYPE_##type, dst, src0, src1, repeat, where);                            \
    }                                                                                              \
    inline void asc_bitsort_sync(NPU_C_##type *dst, const NPU_C_##type *src0,                      \
                                 const uint32_t *src1, int32_t repeat, npu_where where = NPU_HERE) \
    {                                                                                              \
        asc_bitsort(dst, src0, src1, repeat, where);                                               \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void asc_mrgsort4(NPU_C_##type *dst, NPU_C_##type *src[ASC_C_API_MRGSORT_ELEMENT_LEN],  \
                             uint8_t repeat, uint16_t element_length_0, uint16_t element_length_1, \
                             uint16_t element_length_2, uint16_t element_length_3,                 \
                             bool if_exhausted_suspension, uint8_t valid_bit,                      \
                             npu_where where = NPU_HERE)                                           \
    {                                                                                              \
        const void *const queues[] = {src[0], src[1], src[2], src[3]};                             \
        const uint16_t lengths[] = {element_length_0, element_length_1, element_length_2,          \
                                    element_length_3};                                             \
        nputwin::c_merge("asc_mrgsort4", TYPE_##type, dst, queues, repeat, lengths,                \
                         if_exhausted_suspension, valid_bit, where);                               \
    }                                                                                              \
    inline void asc_mrgsort4_sync(                                                                 \
        NPU_C_##type *dst, NPU_C_##type *src[ASC_C_API_MRGSORT_ELEMENT_LEN], uint8_t repeat,       \
        uint16_t element_length_0, uint16_t element_length_1, uint16_t element_length_2,           \
        uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit,                \
        npu_where where = NPU_HERE)                                                                \
    {                                                                                              \
        asc_mrgsort4(dst, src, repeat, element_length_0, element_length_1, element_length_2,       \
                     element_length_3, if_exhausted_suspension, valid_bit, where);                 \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_FOR_F16_F32(NPU_C_SORT)
NPU_C_REFUSE_BOTH(asc_bitsort, "half, float", "; form: (dst, scores, uint32_t indices, repeat)")
NPU_C_REFUSE_BOTH(asc_mrgsort4, "half, float",
                  "; form: (dst, src[4], repeat, four lengths, stop when one is empty, valid bits)")

/* How many pairs of each queue the newest asc_mrgsort4 has taken. */
inline void asc_get_vms4_sr(uint16_t sorted_num[ASC_C_API_MRGSORT_ELEMENT_LEN])
{
    std::memcpy(sorted_num, nputwin::core()->regs.n_merged, 4 * sizeof *sorted_num);
}

/* ---- transposition --------------------------------------------------------------------- */

#define NPU_C_TRANSPOSE(type)                                                                      \
    inline void asc_transpose(NPU_C_##type *dst, const NPU_C_##type *src,                          \
                              npu_where where = NPU_HERE)                                          \
    {                                                                                              \
        nputwin::c_repeat_all({OP_vtranspose, TYPE_##type, TYPE_##type, dst, src, nullptr, 0, 0},  \
                              1, {{1, 1, 0}, {16, 16, 0}}, where);                                 \
    }                                                                                              \
    inline void asc_transpose_sync(NPU_C_##type *dst, const NPU_C_##type *src,                     \
                                   npu_where where = NPU_HERE)                                     \
    {                                                                                              \
        asc_transpose(dst, src, where);                                                            \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_FOR_S16_U16(NPU_C_TRANSPOSE)
NPU_C_REFUSE_BOTH(asc_transpose, "int16_t, uint16_t", "; form: (dst, src), 16 x 16 elements")

#define NPU_C_SET_VA(type)                                                                         \
    inline void asc_set_va_reg(ub_addr8_t addr, NPU_C_##type **src_array)                          \
    {                                                                                              \
        npu_core *c = nputwin::core();                                                             \
        for (int k = 0; k < 8; k++)                                                                \
            c->lists.va[addr & 7][k] = nputwin::ub_offset(c, uint64_t(uintptr_t(src_array[k])));   \
    }
NPU_C_SET_VA(s8)
NPU_C_SET_VA(u8)
NPU_C_SET_VA(s16)
NPU_C_SET_VA(u16)
NPU_C_SET_VA(f16)
NPU_C_SET_VA(s32)
NPU_C_SET_VA(u32)
NPU_C_SET_VA(f32)

#define NPU_C_5HD(bits)                                                                            \
    inline void asc_transto5hd_b##bits(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,             \
                                       uint16_t dst_stride, uint16_t src_stride,                   \
                                       npu_where where = NPU_HERE)                                 \
    {                                                                                              \
        nputwin::c_nchw("asc_transto5hd_b" #bits, TYPE_u##bits, dst, src, repeat, dst_stride,      \
                        src_stride, 0, where);                                                     \
    }                                                                                              \
    inline void asc_transto5hd_b##bits##_sync(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,      \
                                              uint16_t dst_stride, uint16_t src_stride,            \
                                              npu_where where = NPU_HERE)                          \
    {                                                                                              \
        asc_transto5hd_b##bits(dst, src, repeat, dst_stride, src_stride, where);                   \
        nputwin::c_sync(where);                                                                    \
    }
NPU_C_5HD(16)
NPU_C_5HD(32)
inline void asc_transto5hd_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride,
                              uint16_t src_stride, bool dst_high_half, bool src_high_half,
                              npu_where where = NPU_HERE)
{
    nputwin::c_nchw(
        "asc_transto5hd_b8", TYPE_u8, dst, src, repeat, dst_stride, src_stride,
        uint8_t((dst_high_half ? NCHW_DST_HIGH : 0) | (src_high_half ? NCHW_SRC_HIGH : 0)), where);
}
inline void asc_transto5hd_b8_sync(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat,
                                   uint16_t dst_stride, uint16_t src_stride, bool dst_high_half,
                                   bool src_high_half, npu_where where = NPU_HERE)
{
    asc_transto5hd_b8(dst, src, repeat, dst_stride, src_stride, dst_high_half, src_high_half,
                      where);
    nputwin::c_sync(where);
}

/* ---- extremes -------------------------------------------------------------------------- */

/* Of all repeats of the newest asc_repeat_reduce_max or _min: value, and first lane that holds it.
 */
#define NPU_C_EXTREME(name)                                                                        \
    inline void name(half &val, uint32_t &index)                                                   \
    {                                                                                              \
        npu_settle(nputwin::core());                                                               \
        const uint32_t *reg = nputwin::core()->regs.extreme;                                       \
        val = half::from_bits(uint16_t(reg[0]));                                                   \
        index = reg[1];                                                                            \
    }                                                                                              \
    inline void name(float &val, uint32_t &index)                                                  \
    {                                                                                              \
        npu_settle(nputwin::core());                                                               \
        const uint32_t *reg = nputwin::core()->regs.extreme;                                       \
        std::memcpy(&val, &reg[0], sizeof val);                                                    \
        index = reg[1];                                                                            \
    }
NPU_C_EXTREME(asc_get_reduce_max_cnt)
NPU_C_EXTREME(asc_get_reduce_min_cnt)

/* ---- registers of the vector unit ------------------------------------------------------ */

/* 16 bytes of UB to and from the compare register. */
inline void asc_set_cmp_mask(const void *sel_mask, npu_where where = NPU_HERE)
{
    npu_settle(nputwin::core()); /* what the vector unit wrote there, and reads from it */
    const uint8_t *p = nputwin::c_ub_bytes("asc_set_cmp_mask", sel_mask, 16, where, 16);
    if (p)
        std::memcpy(nputwin::core()->regs.cmpmask, p, 16);
}
inline void asc_get_cmp_mask(void *dst, npu_where where = NPU_HERE)
{
    npu_settle(nputwin::core());
    uint8_t *p = nputwin::c_ub_bytes("asc_get_cmp_mask", dst, 16, where, 16);
    if (p)
        std::memcpy(p, nputwin::core()->regs.cmpmask, 16);
}
inline void asc_set_mask_count() { nputwin::core()->regs.counter_mode = true; }
inline void asc_set_mask_norm() { nputwin::core()->regs.counter_mode = false; }
/* Lanes 64 to 127, lanes 0 to 63; in counter mode mask0 counts elements. */
inline void asc_set_vector_mask(uint64_t mask1, uint64_t mask0)
{
    const uint64_t mask[2] = {mask0, mask1};
    nputwin::load_mask(nputwin::core(), mask);
}
#endif
