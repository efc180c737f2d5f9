/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.h - the C API from UB to UB: overloads stamped from vector.def, a macro a shape.
 *
 * `where` is the caller's line and no argument of the API. A call whose types fit no overload
 * meets the last function of its name, which says what there is.
 */
#ifndef NPU_FRONT_C_VECTOR_H
#define NPU_FRONT_C_VECTOR_H
#include "core.h"

/* ---- dst, src0, src1 ------------------------------------------------------------------- */

#define NPU_C_3(name, row, D, S)                                                                   \
    inline void name(NPU_C_##D *dst, const NPU_C_##S *src0, const NPU_C_##S *src1, uint32_t count, \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_count({OP_##row, TYPE_##D, TYPE_##S, dst, src0, src1, 0, 0}, count, where);     \
    }                                                                                              \
    NPU_C_3_FORMS(name, row, D, S)
#define NPU_C_VVV(type, name, row)                                                                 \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src0, const NPU_C_##type *src1,        \
                     uint32_t count, npu_where where = NPU_HERE)                                   \
    {                                                                                              \
        nputwin::c_lanes(OP_##row, TYPE_##type, dst, src0, src1, 0, count, where);                 \
    }                                                                                              \
    NPU_C_3_FORMS(name, row, type, type)
#define NPU_C_3_FORMS(name, row, D, S)                                                             \
    inline void name##_sync(NPU_C_##D *dst, const NPU_C_##S *src0, const NPU_C_##S *src1,          \
                            uint32_t count, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        name(dst, src0, src1, count, where);                                                       \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##D *dst, const NPU_C_##S *src0, const NPU_C_##S *src1, uint8_t repeat, \
                     uint8_t dst_block_stride, uint8_t src0_block_stride,                          \
                     uint8_t src1_block_stride, uint8_t dst_repeat_stride,                         \
                     uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                       \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_repeat({OP_##row, TYPE_##D, TYPE_##S, dst, src0, src1, 0, 0}, repeat,           \
                          {{dst_block_stride, src0_block_stride, src1_block_stride},               \
                           {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}},           \
                          where);                                                                  \
    }

/* ---- dst, src, perhaps a value --------------------------------------------------------- */

/* The four strides of dst and src. */
#define NPU_C_STRIDES                                                                              \
    uint16_t dst_block_stride, uint16_t src_block_stride, uint16_t dst_repeat_stride,              \
        uint16_t src_repeat_stride, npu_where where = NPU_HERE
#define NPU_C_STRIDED                                                                              \
    {{dst_block_stride, src_block_stride, 0}, {dst_repeat_stride, src_repeat_stride, 0}}, where

#define NPU_C_VV(type, name, row)                                                                  \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, uint32_t count,                   \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_lanes(OP_##row, TYPE_##type, dst, src, nullptr, 0, count, where);               \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const NPU_C_##type *src, uint32_t count,            \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(dst, src, count, where);                                                              \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, uint8_t repeat, NPU_C_STRIDES)    \
    {                                                                                              \
        nputwin::c_repeat({OP_##row, TYPE_##type, TYPE_##type, dst, src, nullptr, 0, 0}, repeat,   \
                          NPU_C_STRIDED);                                                          \
    }

#define NPU_C_VVS(type, name, row)                                                                 \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,               \
                     uint32_t count, npu_where where = NPU_HERE)                                   \
    {                                                                                              \
        nputwin::c_lanes(OP_##row, TYPE_##type, dst, src, nullptr, nputwin::bits_of(value), count, \
                         where);                                                                   \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,        \
                            uint32_t count, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        name(dst, src, value, count, where);                                                       \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,               \
                     uint8_t repeat, NPU_C_STRIDES)                                                \
    {                                                                                              \
        nputwin::c_repeat(                                                                         \
            {OP_##row, TYPE_##type, TYPE_##type, dst, src, nullptr, nputwin::bits_of(value), 0},   \
            repeat, NPU_C_STRIDED);                                                                \
    }

#define NPU_C_SHIFT(type, name, row, Value)                                                        \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, Value value, uint32_t count,      \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        if (nputwin::c_shift(#name, value, 8 * sizeof *dst, where))                                \
            nputwin::c_lanes(OP_##row, TYPE_##type, dst, src, nullptr, uint64_t(value), count,     \
                             where);                                                               \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const NPU_C_##type *src, Value value,               \
                            uint32_t count, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        name(dst, src, value, count, where);                                                       \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, Value value, uint8_t repeat,      \
                     NPU_C_STRIDES)                                                                \
    {                                                                                              \
        if (nputwin::c_shift(#name, value, 8 * sizeof *dst, where))                                \
            nputwin::c_repeat(                                                                     \
                {OP_##row, TYPE_##type, TYPE_##type, dst, src, nullptr, uint64_t(value), 0},       \
                repeat, NPU_C_STRIDED);                                                            \
    }

#define NPU_C_CONV(name, D, S, rounding)                                                           \
    inline void name(NPU_C_##D *dst, const NPU_C_##S *src, uint32_t count,                         \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_conv(TYPE_##D, dst, TYPE_##S, src, ROUND_##rounding, count, where);             \
    }                                                                                              \
    inline void name##_sync(NPU_C_##D *dst, const NPU_C_##S *src, uint32_t count,                  \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(dst, src, count, where);                                                              \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##D *dst, const NPU_C_##S *src, uint8_t repeat, NPU_C_STRIDES)          \
    {                                                                                              \
        nputwin::c_repeat({OP_vconv, TYPE_##D, TYPE_##S, dst, src, nullptr, 0, ROUND_##rounding},  \
                          repeat, NPU_C_STRIDED);                                                  \
    }

/* ---- comparisons ----------------------------------------------------------------------- */

/* Into dst: bits packed one repeat after the other; mask and strides of dst have no say. */
#define NPU_C_CMP_TO(type, name, relation)                                                         \
    inline void name(uint8_t *dst, const NPU_C_##type *src0, const NPU_C_##type *src1,             \
                     uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride,          \
                     uint8_t src1_block_stride, uint8_t dst_repeat_stride,                         \
                     uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                       \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_repeat_all(                                                                     \
            {OP_vcmp, TYPE_##type, TYPE_##type, dst, src0, src1, 0, CMP_##relation}, repeat,       \
            {{dst_block_stride, src0_block_stride, src1_block_stride},                             \
             {dst_repeat_stride, src0_repeat_stride, src1_repeat_stride}},                         \
            where);                                                                                \
    }                                                                                              \
    inline void name##_sync(uint8_t *dst, const NPU_C_##type *src0, const NPU_C_##type *src1,      \
                            uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride,   \
                            uint8_t src1_block_stride, uint8_t dst_repeat_stride,                  \
                            uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(dst, src0, src1, repeat, dst_block_stride, src0_block_stride, src1_block_stride,      \
             dst_repeat_stride, src0_repeat_stride, src1_repeat_stride, where);                    \
        nputwin::c_sync(where);                                                                    \
    }
/* Into the compare register: always one repeat; lanes that are off keep their bit. The strides of
 * dst and the repeats are in the call and mean nothing. */
#define NPU_C_CMP(type, name, relation)                                                            \
    NPU_C_CMP_TO(type, name, relation)                                                             \
    inline void name(const NPU_C_##type *src0, const NPU_C_##type *src1, uint8_t, uint8_t,         \
                     uint8_t src0_block_stride, uint8_t src1_block_stride, uint8_t,                \
                     uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                       \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_repeat(                                                                         \
            {OP_vcmpr, TYPE_##type, TYPE_##type, nullptr, src0, src1, 0, CMP_##relation}, 1,       \
            {{0, src0_block_stride, src1_block_stride},                                            \
             {0, src0_repeat_stride, src1_repeat_stride}},                                         \
            where);                                                                                \
    }                                                                                              \
    inline void name##_sync(const NPU_C_##type *src0, const NPU_C_##type *src1, uint8_t repeat,    \
                            uint8_t dst_block_stride, uint8_t src0_block_stride,                   \
                            uint8_t src1_block_stride, uint8_t dst_repeat_stride,                  \
                            uint8_t src0_repeat_stride, uint8_t src1_repeat_stride,                \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(src0, src1, repeat, dst_block_stride, src0_block_stride, src1_block_stride,           \
             dst_repeat_stride, src0_repeat_stride, src1_repeat_stride, where);                    \
        nputwin::c_sync(where);                                                                    \
    }
#define NPU_C_CMPS(type, name, relation)                                                           \
    inline void name(uint8_t *dst, const NPU_C_##type *src, NPU_C_##type value, uint8_t repeat,    \
                     NPU_C_STRIDES)                                                                \
    {                                                                                              \
        nputwin::c_repeat_all({OP_vcmps, TYPE_##type, TYPE_##type, dst, src, nullptr,              \
                               nputwin::bits_of(value), CMP_##relation},                           \
                              repeat, NPU_C_STRIDED);                                              \
    }                                                                                              \
    inline void name##_sync(uint8_t *dst, const NPU_C_##type *src, NPU_C_##type value,             \
                            uint8_t repeat, NPU_C_STRIDES)                                         \
    {                                                                                              \
        name(dst, src, value, repeat, dst_block_stride, src_block_stride, dst_repeat_stride,       \
             src_repeat_stride, where);                                                            \
        nputwin::c_sync(where);                                                                    \
    }

/* ---- reductions ------------------------------------------------------------------------ */

/* dst_repeat_stride counts what one repeat leaves: a value, a pair, eight values, half a repeat. */
#define NPU_C_RED(type, name, row, order)                                                          \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, uint32_t count,                   \
                     npu_where where = NPU_HERE)                                                   \
    {                                                                                              \
        nputwin::c_count({OP_##row, TYPE_##type, TYPE_##type, dst, src, nullptr, 0, order}, count, \
                         where);                                                                   \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const NPU_C_##type *src, uint32_t count,            \
                            npu_where where = NPU_HERE)                                            \
    {                                                                                              \
        name(dst, src, count, where);                                                              \
        nputwin::c_sync(where);                                                                    \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, uint8_t repeat,                   \
                     uint16_t dst_repeat_stride, uint16_t src_block_stride,                        \
                     uint16_t src_repeat_stride, npu_where where = NPU_HERE)                       \
    {                                                                                              \
        nputwin::c_repeat(                                                                         \
            {OP_##row, TYPE_##type, TYPE_##type, dst, src, nullptr, 0, order}, repeat,             \
            {{1, src_block_stride, 0}, {dst_repeat_stride, src_repeat_stride, 0}}, where);         \
    }

/* ---- the rows -------------------------------------------------------------------------- */

#define NPU_C_SAYS3 "; forms: (dst, src0, src1, count), (dst, src0, src1, repeat, six strides)"
#define NPU_C_SAYS2 "; forms: (dst, src, count), (dst, src, repeat, four strides)"
#define NPU_C_SAYSS "; forms: (dst, src, value, count), (dst, src, value, repeat, four strides)"
#define NPU_C_SAYSR                                                                                \
    "; forms: (dst, src, count), (dst, src, repeat, dst repeat stride, src block stride, src "     \
    "repeat stride)"
#define NPU_C_SAYSC                                                                                \
    "; forms: (dst uint8_t, src0, src1 or value, repeat, strides), (src0, src1, repeat, strides)"
#define NPU_C_REFUSE_BOTH(name, says, forms)                                                       \
    NPU_C_REFUSE(name, #name ": on dav-2201 the elements are " says forms)                         \
    NPU_C_REFUSE(name##_sync, #name "_sync: on dav-2201 the elements are " says forms)

#define ASC_VVV(name, op, set)                                                                     \
    FOR_##set(NPU_C_VVV, name, op) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYS3)
#define ASC_VVV_TO(name, op, dst, src) NPU_C_3(name, op, dst, src)
#define ASC_VV(name, op, set)                                                                      \
    FOR_##set(NPU_C_VV, name, op) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYS2)
#define ASC_VVS(name, op, set)                                                                     \
    FOR_##set(NPU_C_VVS, name, op) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYSS)
#define ASC_SHIFT(name, op, Value, set)                                                            \
    FOR_##set(NPU_C_SHIFT, name, op, Value)                                                        \
        NPU_C_REFUSE_BOTH(name, "16- or 32-bit integers", NPU_C_SAYSS)
#define ASC_SHIFT_ALSO(name, op, Value, set) FOR_##set(NPU_C_SHIFT, name, op, Value)
#define ASC_CONV(name, dst, src, rounding)                                                         \
    NPU_C_CONV(name, dst, src, rounding)                                                           \
    NPU_C_REFUSE_BOTH(name, "dst " #dst ", src " #src, NPU_C_SAYS2)
#define ASC_CONV5(name, dst, src)                                                                  \
    ASC_CONV(name##_rn, dst, src, RINT)                                                            \
    ASC_CONV(name##_rna, dst, src, ROUND)                                                          \
    ASC_CONV(name##_rd, dst, src, FLOOR)                                                           \
    ASC_CONV(name##_ru, dst, src, CEIL)                                                            \
    ASC_CONV(name##_rz, dst, src, TRUNC)
#define ASC_CMP(name, relation, set)                                                               \
    FOR_##set(NPU_C_CMP, name, relation) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYSC)
#define ASC_CMPS(name, relation, set)                                                              \
    FOR_##set(NPU_C_CMPS, name, relation) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYSC)
#define ASC_CMP_TO(name, relation, type)    NPU_C_CMP_TO(type, name, relation)
#define ASC_CMPS_ALSO(name, relation, type) NPU_C_CMPS(type, name, relation)
#define ASC_RED(name, op, order, set)                                                              \
    FOR_##set(NPU_C_RED, name, op, order) NPU_C_REFUSE_BOTH(name, #set, NPU_C_SAYSR)
#include "vector.def"

/* A float takes up a half times a half: a repeat has 64 lanes. */
inline void asc_axpy(float *dst, const half *src, half value, uint32_t count,
                     npu_where where = NPU_HERE)
{
    nputwin::c_count({OP_vaxpyw, TYPE_f32, TYPE_f16, dst, src, nullptr, nputwin::bits_of(value), 0},
                     count, where);
}
inline void asc_axpy_sync(float *dst, const half *src, half value, uint32_t count,
                          npu_where where = NPU_HERE)
{
    asc_axpy(dst, src, value, count, where);
    nputwin::c_sync(where);
}
inline void asc_axpy(float *dst, const half *src, half value, uint8_t repeat, NPU_C_STRIDES)
{
    nputwin::c_repeat(
        {OP_vaxpyw, TYPE_f32, TYPE_f16, dst, src, nullptr, nputwin::bits_of(value), 0}, repeat,
        NPU_C_STRIDED);
}
NPU_C_REFUSE_BOTH(asc_mul_cast_half2int8, "dst int8_t, sources half", NPU_C_SAYS3)
NPU_C_REFUSE_BOTH(asc_mul_cast_half2uint8, "dst uint8_t, sources half", NPU_C_SAYS3)

/* src - value is src + -value, signed zeros and wrapping integers included. */
#define NPU_C_SUBS(type, name)                                                                     \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,               \
                     uint32_t count, npu_where where = NPU_HERE)                                   \
    {                                                                                              \
        asc_add_scalar(dst, src, nputwin::c_minus(value), count, where);                           \
    }                                                                                              \
    inline void name##_sync(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,        \
                            uint32_t count, npu_where where = NPU_HERE)                            \
    {                                                                                              \
        asc_add_scalar_sync(dst, src, nputwin::c_minus(value), count, where);                      \
    }                                                                                              \
    inline void name(NPU_C_##type *dst, const NPU_C_##type *src, NPU_C_##type value,               \
                     uint8_t repeat, NPU_C_STRIDES)                                                \
    {                                                                                              \
        asc_add_scalar(dst, src, nputwin::c_minus(value), repeat, dst_block_stride,                \
                       src_block_stride, dst_repeat_stride, src_repeat_stride, where);             \
    }
FOR_F16_F32_S16_S32(NPU_C_SUBS, asc_sub_scalar)
NPU_C_REFUSE_BOTH(asc_sub_scalar, "half, float, int16_t, int32_t", NPU_C_SAYSS)
#endif
