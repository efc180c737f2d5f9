/* SPDX-License-Identifier: Apache-2.0 */
/* t_stream.c - a launch that moves more than caches keep: from its second time on, copies go past
 * the caches and lines are fetched ahead of them. What it computes does not change. */
#include "on_core.h"
#include "../../base/num.h"
#include "../../engine/core_int.h"
#include <stdlib.h>
#include <string.h>

/* Per block 64 tiles of 8256 halves, the last blk of each instruction shorter than a step; the
 * results begin one half beyond a blk in the second of three runs, where no stream may go. */
enum {
    BLOCKS = 16,
    TILES = 64,
    TILE = 8256,
    N = BLOCKS * TILES * TILE,
    AT_Y = 32768,
    AT_Z = 65536
};

struct task {
    const uint16_t *x, *y;
    uint16_t *z;
    float *wide;
    uint32_t n_streaming;
};

static void sum_of_tiles(void *arg, struct npu_core *c)
{
    struct task *t = arg;
    uint8_t *ub = ub_of(c);

    if (npu_core_int(c)->streams)
        __atomic_fetch_add(&t->n_streaming, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < TILES; i++) {
        const size_t at = ((size_t)c->block_idx * TILES + i) * TILE;
        npu_copy(c, OP_copy_gm_to_ub, ub, t->x + at, TILE * 2, HERE);
        npu_copy(c, OP_copy_gm_to_ub, ub + AT_Y, t->y + at, TILE * 2, HERE);
        npu_vec(c, OP_vadd, TYPE_f16, ub + AT_Z, ub, ub + AT_Y, 0, TILE, HERE);
        npu_vec(c, OP_vaxpy, TYPE_f16, ub + AT_Z, ub, NULL, 0x4000, TILE, HERE);
        npu_copy(c, OP_copy_ub_to_gm, t->z + at, ub + AT_Z, TILE * 2, HERE);
        npu_conv(c, TYPE_f32, ub + AT_Z, TYPE_f16, ub + AT_Y, ROUND_RINT, TILE, HERE);
        npu_copy(c, OP_copy_ub_to_gm, t->wide + at, ub + AT_Z, TILE * 4, HERE);
    }
}

/* Small integers, exact in halves: z = x + y + 2 x. */
static uint16_t half_of(uint32_t v)
{
    return npu_f32_to_f16((float)v);
}

static void check(const struct task *t)
{
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t x = i % 11, y = i % 7;
        if (t->z[i] != half_of(3 * x + y) || t->wide[i] != (float)y)
            fail_msg("element %u: 0x%04x and %g; x is %u, y %u", i, t->z[i], (double)t->wide[i], x,
                     y);
    }
}

static void *aligned(size_t bytes)
{
    void *p = NULL;

    assert_int_equal(posix_memalign(&p, 4096, bytes), 0);
    return p;
}

static void test_streams(void **state)
{
    uint16_t *x = aligned(2 * N), *y = aligned(2 * N), *z = aligned(2 * N + 64);
    float *wide = aligned((size_t)4 * N);

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        x[i] = half_of(i % 11);
        y[i] = half_of(i % 7);
    }
    for (uint32_t run = 0; run < 3; run++) {
        struct task t = {x, y, z + (run == 1), wide, 0};
        struct npu_diag d;
        memset(z, 0xee, 2 * N + 64);
        memset(wide, 0xee, (size_t)4 * N);
        if (launch_on("Ascend910B2", BLOCKS, sum_of_tiles, &t, &d) != NPU_OK)
            fail_msg("%s", d.text);
        check(&t);
        assert_true(run == 0 ? t.n_streaming < BLOCKS : t.n_streaming == BLOCKS);
    }
    free(x);
    free(y);
    free(z);
    free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
