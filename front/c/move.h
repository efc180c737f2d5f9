/* SPDX-License-Identifier: Apache-2.0 */
/*
 * move.h - the C API between GM and UB: copies of bytes, of bursts, and with padding.
 *
 * Units: size and the length of an _align burst in bytes; every other length and every gap in blks
 * of 32 bytes, from the end of a burst to the start of the next. Padding in elements.
 */
#ifndef NPU_FRONT_C_MOVE_H
#define NPU_FRONT_C_MOVE_H
#include "core.h"

namespace nputwin {

inline void c_move(npu_op op, void *dst, const void *src, const bursts &b, npu_where where)
{
    if (op == OP_vcopy)
        copy_ub_to_ub(core(), dst, src, b, where);
    else
        copy_bursts(core(), op, TYPE_u16, dst, src, b, {}, where);
}
inline bursts c_blks(uint16_t n_burst, uint16_t len, uint16_t src_gap, uint16_t dst_gap)
{
    return {n_burst, len * uint32_t(NPU_BLK_BYTES), src_gap * NPU_BLK_BYTES,
            dst_gap * NPU_BLK_BYTES};
}
/* Whole blks; what does not fill the last one stays behind, and is told. */
inline void c_move_bytes(npu_op op, void *dst, const void *src, uint32_t size, npu_where where)
{
    const uint32_t moved = size & ~uint32_t(NPU_BLK_BYTES - 1);
    if (NPU_UNLIKELY(moved != size))
        npu_note(core(), "ASC-COPY-LENGTH", where,
                 "%u B requested, %u B moved: asc_copy_gm2ub, _ub2gm and _ub2ub move whole blocks "
                 "of 32 bytes; the _align calls move any length",
                 size, moved);
    c_move(op, dst, src, {1, moved, 0, 0}, where);
}
inline void c_move_padded(const char *name, npu_op op, npu_type type, uint32_t elem_bytes,
                          void *dst, const void *src, const bursts &b, uint8_t left, uint8_t right,
                          npu_where where)
{
    npu_core *c = core();
    const padding pad = {left, right, false, 0};
    if (check_pad(c, name, b.n, b.bytes, 1, {}, where) &&
        check_pad(c, name, b.n, 0, elem_bytes, pad, where))
        copy_bursts(c, op, type, dst, src, b, pad, where);
}

} // namespace nputwin

#define NPU_C_COPY(name, op)                                                                       \
    inline void name(void *dst, const void *src, uint32_t size, npu_where where = NPU_HERE)        \
    {                                                                                              \
        nputwin::c_move_bytes(op, dst, src, size, where);                                          \
    }                                                                                              \
    inline void name##_sync(void *dst, const void *src, uint32_t size, npu_where where = NPU_HERE) \
    {                                                                                              \
        nputwin::c_move_bytes(op, dst, src, size, where);                                          \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(void *dst, const void *src, uint16_t n_burst, uint16_t len_burst,             \
                     uint16_t src_gap, uint16_t dst_gap, npu_where where = NPU_HERE)               \
    {                                                                                              \
        nputwin::c_move(op, dst, src, nputwin::c_blks(n_burst, len_burst, src_gap, dst_gap),       \
                        where);                                                                    \
    }
NPU_C_COPY(asc_copy_gm2ub, OP_copy_gm_to_ub)
NPU_C_COPY(asc_copy_ub2gm, OP_copy_ub_to_gm)
NPU_C_COPY(asc_copy_ub2ub, OP_vcopy)
#undef NPU_C_COPY

/* `row` moves elements of that size and does not look at them. */
#define NPU_C_COPY_ALIGN(name, op, T, row)                                                         \
    inline void name(T *dst, const T *src, uint32_t size, npu_where where = NPU_HERE)              \
    {                                                                                              \
        nputwin::c_move_padded(#name, op, TYPE_##row, sizeof(T), dst, src, {1, size, 0, 0}, 0, 0,  \
                               where);                                                             \
    }                                                                                              \
    inline void name##_sync(T *dst, const T *src, uint32_t size, npu_where where = NPU_HERE)       \
    {                                                                                              \
        name(dst, src, size, where);                                                               \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(T *dst, const T *src, uint16_t n_burst, uint32_t len_burst,                   \
                     uint8_t left_padding_num, uint8_t right_padding_num, uint32_t src_gap,        \
                     uint32_t dst_gap, npu_where where = NPU_HERE)                                 \
    {                                                                                              \
        nputwin::c_move_padded(#name, op, TYPE_##row, sizeof(T), dst, src,                         \
                               {n_burst, len_burst, int64_t(src_gap) * NPU_BLK_BYTES,              \
                                int64_t(dst_gap) * NPU_BLK_BYTES},                                 \
                               left_padding_num, right_padding_num, where);                        \
    }
#define NPU_C_ALIGN_ALL(M, name, op)                                                               \
    M(name, op, int8_t, u8)                                                                        \
    M(name, op, uint8_t, u8)                                                                       \
    M(name, op, half, u16)                                                                         \
    M(name, op, bfloat16_t, u16)                                                                   \
    M(name, op, int16_t, u16)                                                                      \
    M(name, op, uint16_t, u16)                                                                     \
    M(name, op, float, u32)                                                                        \
    M(name, op, int32_t, u32)                                                                      \
    M(name, op, uint32_t, u32)
NPU_C_ALIGN_ALL(NPU_C_COPY_ALIGN, asc_copy_gm2ub_align, OP_copy_gm_to_ub)
NPU_C_ALIGN_ALL(NPU_C_COPY_ALIGN, asc_copy_ub2gm_align, OP_copy_ub_to_gm)
NPU_C_COPY_ALIGN(asc_copy_ub2gm_align, OP_copy_ub_to_gm, double, u64)
NPU_C_COPY_ALIGN(asc_copy_ub2gm_align, OP_copy_ub_to_gm, int64_t, u64)
NPU_C_COPY_ALIGN(asc_copy_ub2gm_align, OP_copy_ub_to_gm, uint64_t, u64)
#define NPU_C_SAYS_ALIGN                                                                           \
    "_align: elements of 8, 16 or 32 bits, and from UB to GM of 64; forms: (dst, src, size in "    \
    "bytes), (dst, src, bursts, bytes of each, left padding, right padding, src gap, dst gap)"
NPU_C_REFUSE(asc_copy_gm2ub_align, "asc_copy_gm2ub" NPU_C_SAYS_ALIGN)
NPU_C_REFUSE(asc_copy_ub2gm_align, "asc_copy_ub2gm" NPU_C_SAYS_ALIGN)
NPU_C_REFUSE(asc_copy_gm2ub_align_sync, "asc_copy_gm2ub" NPU_C_SAYS_ALIGN)
NPU_C_REFUSE(asc_copy_ub2gm_align_sync, "asc_copy_ub2gm" NPU_C_SAYS_ALIGN)
#undef NPU_C_ALIGN_ALL
#undef NPU_C_COPY_ALIGN

/* What fills the paddings of later copies. */
#define NPU_C_PAD_VAL(T)                                                                           \
    inline void asc_set_copy_pad_val(T pad_value)                                                  \
    {                                                                                              \
        npu_core *c = nputwin::core();                                                             \
        c->regs.pad_value = nputwin::bits_of(pad_value);                                           \
        c->regs.has_pad_value = true;                                                              \
    }
NPU_C_PAD_VAL(int8_t)
NPU_C_PAD_VAL(uint8_t)
NPU_C_PAD_VAL(half)
NPU_C_PAD_VAL(bfloat16_t)
NPU_C_PAD_VAL(int16_t)
NPU_C_PAD_VAL(uint16_t)
NPU_C_PAD_VAL(float)
NPU_C_PAD_VAL(int32_t)
NPU_C_PAD_VAL(uint32_t)
#undef NPU_C_PAD_VAL
#endif
