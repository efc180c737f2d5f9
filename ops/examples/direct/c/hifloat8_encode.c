/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_encode.c - half or bfloat16 to HiFloat8 in C17, through the asc_* API.
 *
 * The same table as amct_ops/hifloat8_cast: entry i is the code, as a half, of every float whose
 * top 13 bits are i. Those of a NaN may be the bits of an infinity, so a NaN is told by all its
 * bits and takes an entry that is surely one.
 *
 * UB: table 16 KB + TILE * (2 * 2 in + 2 * 1 out + 3 * 4 + 2) = 96 KB.
 */
#include "c_api/asc_simd.h"

enum {
    HIF8_BUFFERS = 2,
    HIF8_TILE = 4096,
    HIF8_ENTRIES = 8192,
    HIF8_BITS_BELOW_INDEX = 32 - 13,
    HIF8_NAN_INDEX = 0xFF8, /* exponent of all ones, upper bit of the mantissa */
};

/* is_nan = 1 where value is a NaN, else 0: its bits without the sign lie above those of infinity */
__aicore__ static inline void hif8_find_nan(__ubuf__ int32_t *is_nan, __ubuf__ float *value,
                                            uint32_t count)
{
    __ubuf__ uint32_t *bits = (__ubuf__ uint32_t *)is_nan;

    asc_shiftleft(bits, (__ubuf__ uint32_t *)value, 1u, count);
    asc_shiftright(bits, bits, 1u, count);
    asc_add_scalar(is_nan, is_nan, -0x7F800000, count);
    asc_max_scalar(is_nan, is_nan, 0, count);
    asc_min_scalar(is_nan, is_nan, 1, count);
}

/* index = NAN_INDEX where is_nan is 1; is_nan is used up */
__aicore__ static inline void hif8_place_nan(__ubuf__ int32_t *index, __ubuf__ int32_t *is_nan,
                                             uint32_t count)
{
    asc_mul_scalar(is_nan, is_nan, -1, count);
    asc_add_scalar(is_nan, is_nan, 1, count);
    asc_add_scalar(index, index, -(int32_t)HIF8_NAN_INDEX, count);
    asc_mul(index, index, is_nan, count);
    asc_add_scalar(index, index, (int32_t)HIF8_NAN_INDEX, count);
}

/* input: is_bf16 ? bfloat16 : half. table: HIF8_ENTRIES halves. */
__vector__ __global__ void hifloat8_encode_c(__gm__ uint16_t *input, __gm__ half *table,
                                             __gm__ uint8_t *output, uint32_t is_bf16,
                                             uint32_t length)
{
    __ubuf__ half entry[HIF8_ENTRIES];
    __ubuf__ uint16_t in[HIF8_BUFFERS][HIF8_TILE];
    __ubuf__ uint8_t out[HIF8_BUFFERS][HIF8_TILE];
    __ubuf__ float value[HIF8_TILE];
    __ubuf__ int32_t index[HIF8_TILE];
    __ubuf__ int32_t is_nan[HIF8_TILE];
    __ubuf__ half code[HIF8_TILE];
    uint32_t step = (uint32_t)asc_get_block_num() * HIF8_TILE;
    int b = 0;

    asc_init();
    asc_copy_gm2ub_align(entry, table, (uint32_t)sizeof(entry));
    for (int i = 0; i < HIF8_BUFFERS; i++) {
        asc_sync_notify(PIPE_V, PIPE_MTE2, i);
        asc_sync_notify(PIPE_MTE3, PIPE_V, i);
    }
    for (uint32_t at = (uint32_t)asc_get_block_idx() * HIF8_TILE; at < length; at += step) {
        uint32_t left = length - at;
        uint32_t count = left < HIF8_TILE ? left : HIF8_TILE;

        asc_sync_wait(PIPE_V, PIPE_MTE2, b);
        asc_copy_gm2ub_align(in[b], input + at, count * (uint32_t)sizeof(uint16_t));
        asc_sync_notify(PIPE_MTE2, PIPE_V, b); /* the table is there too: copies keep their order */

        asc_sync_wait(PIPE_MTE2, PIPE_V, b);
        if (is_bf16)
            asc_bfloat162float(value, (__ubuf__ bfloat16_t *)in[b], count);
        else
            asc_half2float(value, (__ubuf__ half *)in[b], count);
        asc_sync_notify(PIPE_V, PIPE_MTE2, b);
        hif8_find_nan(is_nan, value, count);
        asc_shiftright((__ubuf__ uint32_t *)index, (__ubuf__ uint32_t *)value,
                       (uint32_t)HIF8_BITS_BELOW_INDEX, count);
        hif8_place_nan(index, is_nan, count);
        asc_mul_scalar(index, index, (int32_t)sizeof(half), count);
        asc_gather(code, entry, (__ubuf__ uint32_t *)index, count);
        asc_sync_wait(PIPE_MTE3, PIPE_V, b);
        asc_half2uint8_rn(out[b], code, count);
        asc_sync_notify(PIPE_V, PIPE_MTE3, b);

        asc_sync_wait(PIPE_V, PIPE_MTE3, b);
        asc_copy_ub2gm_align(output + at, out[b], count);
        asc_sync_notify(PIPE_MTE3, PIPE_V, b);
        b = (b + 1) % HIF8_BUFFERS;
    }
    for (int i = 0; i < HIF8_BUFFERS; i++) {
        asc_sync_wait(PIPE_V, PIPE_MTE2, i);
        asc_sync_wait(PIPE_MTE3, PIPE_V, i);
    }
}
