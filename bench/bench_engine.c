/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_engine.c - what the engine itself costs, without compiler, facade or torch.
 *
 * Candidate and limit run in turn, the best of many counts. One JSON line a figure, as in
 * bench.json. bench_engine [regex]
 */
#include "../engine/engine.h"
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_limit(void *dst, const void *a, const void *b, size_t bytes, unsigned n_runs);

enum { M = 1 << 20, BLOCKS = 32, TILE_BYTES = 4096 };
#define HERE ((struct npu_where){__FILE__, __LINE__})

static const struct npu_soc *soc;
static regex_t wanted;
static bool has_wanted;

static double seconds_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_wanted(const char *name)
{
    return !has_wanted || !regexec(&wanted, name, 0, NULL, 0);
}

static void report(const char *name, double value, const char *unit, const char *better,
                   const char *against, const char *goal)
{
    (void)printf(
        "{\"name\":\"%s\",\"value\":%.4g,\"unit\":\"%s\",\"better\":\"%s\",\"against\":\"%s\","
        "\"goal\":%s}\n",
        name, value, unit, better, against, goal);
    (void)fflush(stdout);
}

static void run(const char *name, uint32_t blocks, npu_block_fn *fn, void *arg)
{
    const struct npu_launch l = {
        .soc = soc, .name = name, .block_dim = blocks, .run = fn, .arg = arg};
    struct npu_diag d = {0};

    if (npu_launch(&l, &d) != NPU_OK) {
        (void)fprintf(stderr, "bench_engine: %s\n", d.text);
        exit(1);
    }
}

/* ---- tiled add, double-buffered flags as a kernel would set them
 * ------------------------------------ */

struct add {
    enum npu_type type;
    uint8_t *x, *y, *z;
    size_t bytes; /* of each */
};

static void add_block(void *arg, struct npu_core *c)
{
    const struct add *k = arg;
    const size_t share = k->bytes / c->block_dim, from = share * c->block_idx;
    const uint32_t tile = share < TILE_BYTES ? (uint32_t)share : TILE_BYTES;
    const uint32_t count = tile / npu_types[k->type].bytes;
    uint8_t *ub = c->mem[MEM_UB].base;

    for (size_t at = from; at < from + share; at += tile) {
        npu_copy(c, OP_copy_gm_to_ub, ub, k->x + at, tile, HERE);
        npu_copy(c, OP_copy_gm_to_ub, ub + TILE_BYTES, k->y + at, tile, HERE);
        npu_set_flag(c, PIPE_MTE2, PIPE_V, 0, HERE);
        npu_wait_flag(c, PIPE_MTE2, PIPE_V, 0, HERE);
        npu_vec(c, OP_vadd, k->type, ub + 2 * TILE_BYTES, ub, ub + TILE_BYTES, 0, count, HERE);
        npu_set_flag(c, PIPE_V, PIPE_MTE3, 0, HERE);
        npu_wait_flag(c, PIPE_V, PIPE_MTE3, 0, HERE);
        npu_copy(c, OP_copy_ub_to_gm, k->z + at, ub + 2 * TILE_BYTES, tile, HERE);
    }
}

static uint8_t *memory(size_t bytes, int fill)
{
    uint8_t *p = aligned_alloc(4096, bytes);

    if (!p) {
        (void)fprintf(stderr, "bench_engine: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memset(p, fill, bytes);
}

static void bench_add(const char *name, enum npu_type type, size_t n, int rounds)
{
    const size_t bytes = n * npu_types[type].bytes;
    struct add k = {type, memory(bytes, 0x31), memory(bytes, 0x32), memory(bytes, 0), bytes};
    double least = 1e9, limit = 1e9;

    for (int r = 0; is_wanted(name) && r < rounds; r++) {
        for (int i = 0; i < 3; i++) {
            const double begin = seconds_now();
            run(name, BLOCKS, add_block, &k);
            const double took = seconds_now() - begin;
            least = took < least ? took : least;
        }
        const double l = bench_limit(k.z, k.x, k.y, bytes, 3);
        limit = l < limit ? l : limit;
    }
    if (is_wanted(name)) {
        report(name, limit / least, "ratio", "higher", "streaming limit", "0.60");
        (void)fprintf(stderr, "  %s: %.1f us, %.2f GB/s; limit %.1f us, %.2f GB/s\n", name,
                      least * 1e6, 3 * (double)bytes / least / 1e9, limit * 1e6,
                      3 * (double)bytes / limit / 1e9);
    }
    free(k.x);
    free(k.y);
    free(k.z);
}

/* ---- launch
 * ------------------------------------------------------------------------------------------ */

static void empty_block(void *arg, struct npu_core *c)
{
    (void)arg;
    (void)c;
}

static void sync_block(void *arg, struct npu_core *c)
{
    (void)arg;
    npu_sync_all(c, HERE);
}

static void bench_launch(const char *name, uint32_t blocks, npu_block_fn *fn)
{
    double least = 1e9;

    if (!is_wanted(name))
        return;
    for (int r = 0; r < 20000; r++) {
        const double begin = seconds_now();
        run(name, blocks, fn, NULL);
        const double took = seconds_now() - begin;
        least = took < least ? took : least;
    }
    report(name, least * 1e6, "us", "lower", "none", "null");
}

/* ---- one instruction over a tile that stays in UB
 * ----------------------------------------------------- */

enum { ELEMENTS = 8192, REPEATS = 200 };
struct op {
    enum npu_op op;
    enum npu_type type, dst_type; /* dst_type: vconv */
};

static void op_block(void *arg, struct npu_core *c)
{
    const struct op *k = arg;
    uint8_t *ub = c->mem[MEM_UB].base;

    for (int r = 0; r < REPEATS; r++)
        if (k->op == OP_vconv)
            npu_conv(c, k->dst_type, ub + 65536, k->type, ub, ROUND_RINT, ELEMENTS, HERE);
        else
            npu_vec(c, k->op, k->type, ub + 131072, ub, ub + 65536, 0x3c00, ELEMENTS, HERE);
}

static void fill_block(void *arg, struct npu_core *c)
{
    const struct op *k = arg;
    uint8_t *ub = c->mem[MEM_UB].base;

    for (uint32_t i = 0; i < ELEMENTS; i++) {
        const float f = (float)(i % 1000) * 0.01f + 0.01f;
        const uint16_t h = (uint16_t)(0x3000 + i % 0x1000);
        if (npu_types[k->type].bytes == 2)
            memcpy(ub + (size_t)i * 2, &h, 2);
        else
            memcpy(ub + (size_t)i * 4, &f, 4);
    }
    memcpy(ub + 65536, ub, 32768);
}

/* Floors as the prototypes measured them; a regression to scalar code is ten times below. */
static void bench_op(const char *name, enum npu_op op, enum npu_type type, enum npu_type dst_type)
{
    struct op k = {op, type, dst_type};
    double least = 1e9;

    if (!is_wanted(name))
        return;
    run(name, 1, fill_block, &k);
    for (int r = 0; r < 60; r++) {
        const double begin = seconds_now();
        run(name, 1, op_block, &k);
        const double took = seconds_now() - begin;
        least = took < least ? took : least;
    }
    report(name, (double)ELEMENTS * REPEATS / least / 1e9, "Gelem/s", "higher", "none", "null");
}

/* ---- the cube unit: issue of the smallest product, and a 128 x 256 x 64 one */

struct product {
    uint16_t m, n, k;
};

static void mmad_block(void *arg, struct npu_core *c)
{
    const struct product *p = arg;
    struct npu_insn in = {.kind = KIND_OP, .op = OP_mmad, .type = TYPE_f16, .where = HERE};

    in.ref[0].mem = MEM_L0C;
    in.ref[1].mem = MEM_L0A;
    in.ref[2].mem = MEM_L0B;
    in.cube.mmad = (struct npu_mmad){.m = p->m, .n = p->n, .k = p->k, .init = MMAD_ZERO};
    for (int r = 0; r < REPEATS; r++)
        npu_issue_cube(c, &in);
}

static double bench_mmad(const char *name, struct product p)
{
    const struct npu_launch l = {.soc = soc,
                                 .name = name,
                                 .block_dim = 1,
                                 .core_kind = CORE_AIC,
                                 .run = mmad_block,
                                 .arg = &p};
    struct npu_diag d = {0};
    double least = 1e9;

    for (int r = 0; r < 30; r++) {
        const double begin = seconds_now();
        if (npu_launch(&l, &d) != NPU_OK) {
            (void)fprintf(stderr, "bench_engine: %s\n", d.text);
            exit(1);
        }
        const double took = seconds_now() - begin;
        least = took < least ? took : least;
    }
    return least / REPEATS;
}

int main(int argc, char **argv)
{
    struct npu_diag d = {0};

    soc = npu_soc_current(&d);
    if (!soc) {
        (void)fprintf(stderr, "bench_engine: %s\n", d.text);
        return 2;
    }
    has_wanted = argc > 1;
    if (has_wanted && regcomp(&wanted, argv[1], REG_EXTENDED | REG_NOSUB)) {
        (void)fprintf(stderr, "bench_engine: %s is not a regular expression\n", argv[1]);
        return 2;
    }
    bench_add("engine_add_f16_16M_of_limit", TYPE_f16, 16 * M, 25);
    bench_add("engine_add_f16_1M_of_limit", TYPE_f16, M, 150);
    bench_add("engine_add_f32_16M_of_limit", TYPE_f32, 16 * M, 20);
    bench_launch("engine_launch_1_empty_us", 1, empty_block);
    bench_launch("engine_launch_8_empty_us", 8, empty_block);
    bench_launch("engine_launch_48_empty_us", 48, empty_block);
    bench_launch("engine_launch_48_sync_us", 48, sync_block);
    if (is_wanted("mmad_f16_issue_ns"))
        report("mmad_f16_issue_ns",
               bench_mmad("mmad_f16_issue_ns", (struct product){16, 16, 16}) * 1e9, "ns", "lower",
               "none", "null");
    if (is_wanted("engine_mmad_f16"))
        report("engine_mmad_f16",
               2e-9 * 128 * 256 * 64 /
                   bench_mmad("engine_mmad_f16", (struct product){128, 256, 64}),
               "GFLOP/s", "higher", "none", "null");
    bench_op("engine_vadd_f16", OP_vadd, TYPE_f16, TYPE_f16);
    bench_op("engine_vadd_f32", OP_vadd, TYPE_f32, TYPE_f32);
    bench_op("engine_vmax_f32", OP_vmax, TYPE_f32, TYPE_f32);
    bench_op("engine_vdiv_f16", OP_vdiv, TYPE_f16, TYPE_f16);
    bench_op("engine_vsqrt_f32", OP_vsqrt, TYPE_f32, TYPE_f32);
    bench_op("engine_vexp_f32", OP_vexp, TYPE_f32, TYPE_f32);
    bench_op("engine_vexp_f16", OP_vexp, TYPE_f16, TYPE_f16);
    bench_op("engine_vln_f32", OP_vln, TYPE_f32, TYPE_f32);
    bench_op("engine_vsin_f32", OP_vsin, TYPE_f32, TYPE_f32);
    bench_op("engine_vtanh_f32", OP_vtanh, TYPE_f32, TYPE_f32);
    bench_op("engine_vaxpy_f16", OP_vaxpy, TYPE_f16, TYPE_f16);
    bench_op("engine_vmuls_s16", OP_vmuls, TYPE_s16, TYPE_s16);
    bench_op("engine_cast_f16_f32", OP_vconv, TYPE_f16, TYPE_f32);
    bench_op("engine_cast_f32_f16", OP_vconv, TYPE_f32, TYPE_f16);
    bench_op("engine_cast_f32_bf16", OP_vconv, TYPE_f32, TYPE_bf16);
    bench_op("engine_cast_f32_s32", OP_vconv, TYPE_f32, TYPE_s32);
    return 0;
}
