/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hifloat8_encode.c - half or bfloat16 to HiFloat8 in C17, through the asc_* API.
 *
 * The same table as amct_ops/hifloat8_cast: entry i is the code, as a half, of every float whose
 * top 13 bits are i. Those of a signalling NaN may be the bits of an infinity; times one it is
 * quiet.
 *
 * UB: table 16 KB + TILE * (2 * 2 in + 2 * 1 out + 2 * 4 + 2) = 80 KB.
 */
#include "c_api/asc_simd.h"

enum {
    HIF8_BUFFERS = 2,
    HIF8_TILE = 4096,
    HIF8_ENTRIES = 8192,
    HIF8_BITS_BELOW_INDEX = 32 - 13,
};

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
        asc_mul_scalar(value, value, 1.0f, count); /* quiet NaNs */
        asc_shiftright((__ubuf__ uint32_t *)index, (__ubuf__ uint32_t *)value,
                       (uint32_t)HIF8_BITS_BELOW_INDEX, count);
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
