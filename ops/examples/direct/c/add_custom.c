/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add_custom.c - z = x + y on halves in C17, through the asc_* API.
 *
 * The same work as npu_ops/legacy, and what its queues do is written out here: a buffer b of two
 * is free, full, computed, copied out, and a flag between two pipes says each of it. Flags are set
 * in front of the loop for buffers that are free, and taken back behind it.
 *
 * UB: 3 * 2 * ADD_TILE halves = 48 KB.
 */
#include "c_api/asc_simd.h"

enum { ADD_BUFFERS = 2, ADD_TILE = 4096 };

__vector__ __global__ void add_custom_c(__gm__ half *x, __gm__ half *y, __gm__ half *z,
                                        uint32_t length)
{
    __ubuf__ half in_x[ADD_BUFFERS][ADD_TILE];
    __ubuf__ half in_y[ADD_BUFFERS][ADD_TILE];
    __ubuf__ half out_z[ADD_BUFFERS][ADD_TILE];
    uint32_t step = (uint32_t)asc_get_block_num() * ADD_TILE;
    int b = 0;

    asc_init();
    for (int i = 0; i < ADD_BUFFERS; i++) {
        asc_sync_notify(PIPE_V, PIPE_MTE2, i);
        asc_sync_notify(PIPE_MTE3, PIPE_V, i);
    }
    for (uint32_t at = (uint32_t)asc_get_block_idx() * ADD_TILE; at < length; at += step) {
        uint32_t left = length - at;
        uint32_t count = left < ADD_TILE ? left : ADD_TILE;
        uint32_t bytes = count * (uint32_t)sizeof(half);

        asc_sync_wait(PIPE_V, PIPE_MTE2, b);
        asc_copy_gm2ub_align(in_x[b], x + at, bytes);
        asc_copy_gm2ub_align(in_y[b], y + at, bytes);
        asc_sync_notify(PIPE_MTE2, PIPE_V, b);

        asc_sync_wait(PIPE_MTE2, PIPE_V, b);
        asc_sync_wait(PIPE_MTE3, PIPE_V, b);
        asc_add(out_z[b], in_x[b], in_y[b], count);
        asc_sync_notify(PIPE_V, PIPE_MTE2, b);
        asc_sync_notify(PIPE_V, PIPE_MTE3, b);

        asc_sync_wait(PIPE_V, PIPE_MTE3, b);
        asc_copy_ub2gm_align(z + at, out_z[b], bytes);
        asc_sync_notify(PIPE_MTE3, PIPE_V, b);
        b = (b + 1) % ADD_BUFFERS;
    }
    for (int i = 0; i < ADD_BUFFERS; i++) {
        asc_sync_wait(PIPE_V, PIPE_MTE2, i);
        asc_sync_wait(PIPE_MTE3, PIPE_V, i);
    }
}
