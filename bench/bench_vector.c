/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_vector.c - elements per second of each vector instruction, as the table of
 * docs/vector_speed.md: one core, operands in UB, count form (or 255 repeats where there is none).
 *
 * The limit beside it is what this machine streams through all of its threads at the same moment,
 * two arrays in and one out; a share above 100 % means that the instruction alone never holds a
 * kernel up. `make vector_speed` writes the page.
 */
#include "../engine/engine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_limit(void *dst, const void *a, const void *b, size_t bytes, unsigned n_runs);

enum { ELEMENTS = 8192, TRIES = 25, AT_DST = 131072, AT_SRC1 = 65536, LIMIT_BYTES = 32 << 20 };
#define HERE ((struct npu_where){__FILE__, __LINE__})

struct speed {
    enum npu_op op;
    enum npu_type type;
    uint32_t n_calls;
    double took;
};

static double seconds_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_no_count_form(enum npu_op op)
{
    const enum npu_shape s = npu_isa[op].shape;

    return s == SHAPE_SORT || s == SHAPE_BRC || s == SHAPE_GMASK || s == SHAPE_GATHERB;
}

/* Elements that one call takes. */
static uint32_t n_elements(const struct speed *s)
{
    const uint32_t per_repeat = npu_isa[s->op].shape == SHAPE_SORT ? 32
                                : npu_isa[s->op].shape == SHAPE_BRC
                                    ? 8
                                    : 256 / npu_types[s->type].bytes;

    return has_no_count_form(s->op) ? 32 * per_repeat : ELEMENTS;
}

static struct npu_insn insn_of(const struct speed *s)
{
    struct npu_insn in = {
        .kind = KIND_OP,
        .op = (uint8_t)s->op,
        .type = (uint8_t)s->type,
        .dst_type = (uint8_t)s->type,
        .repeat = 32,
        .count = has_no_count_form(s->op) ? 0 : ELEMENTS,
        .mask = {~UINT64_C(0), ~UINT64_C(0)},
        .scalar = s->type == TYPE_f32 ? 0x3f800000 : 0x3c00,
        .ref = {{AT_DST, 1, 8, MEM_UB}, {0, 1, 8, MEM_UB}, {AT_SRC1, 1, 8, MEM_UB}},
        .sel = {AT_SRC1, 1, 8, MEM_UB},
        .where = HERE};

    if (s->op == OP_vgather)
        in.scalar = 0;
    if (s->op == OP_vsel)
        in.mode = 2;
    if (s->op == OP_vgathermask)
        in.mode = 1;
    if (s->op == OP_vconv)
        in.dst_type = s->type == TYPE_f32 ? TYPE_f16 : TYPE_f32;
    if (npu_isa[s->op].shape == SHAPE_FUSE)
        in.dst_type = s->type == TYPE_f32 ? TYPE_f16 : TYPE_s8;
    if (s->op == OP_vquant)
        in.dst_type = TYPE_s8;
    return in;
}

/* Positive numbers of moderate size; for gathers offsets, which as floats are tiny. */
static void fill(const struct speed *s, uint8_t *ub)
{
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        const float f = (float)(i % 1000) * 0.01f + 0.01f;
        const uint16_t h = (uint16_t)(0x3000 + i % 0x1000);
        if (s->type == TYPE_f16)
            memcpy(ub + (size_t)i * 2, &h, sizeof h);
        else
            memcpy(ub + (size_t)i * 4, &f, sizeof f);
    }
    memcpy(ub + AT_SRC1, ub, 32768);
    for (uint32_t i = 0; npu_isa[s->op].pipe == PIPE_V && s->op == OP_vgather && i < ELEMENTS;
         i++) {
        const uint32_t at = i * 7919u % ELEMENTS * npu_types[s->type].bytes;
        memcpy(ub + AT_SRC1 + (size_t)i * 4, &at, sizeof at);
    }
}

static void issue_block(void *arg, struct npu_core *c)
{
    struct speed *s = arg;
    const struct npu_insn in = insn_of(s);
    uint8_t *ub = c->mem[MEM_UB].base;

    fill(s, ub);
    const double begin = seconds_now();
    for (uint32_t k = 0; k < s->n_calls; k++)
        if (s->op == OP_vconv)
            npu_conv(c, (enum npu_type)in.dst_type, ub + AT_DST, s->type, ub, ROUND_RINT, ELEMENTS,
                     HERE);
        else if (in.count && npu_isa[s->op].lane[0] != 'F')
            npu_vec(c, s->op, s->type, ub + AT_DST, ub, ub + AT_SRC1, in.scalar, ELEMENTS, HERE);
        else
            npu_issue(c, &in);
    s->took = seconds_now() - begin;
}

/* Elements per second; 0 when the instruction does not take the type. */
static double measure(enum npu_op op, enum npu_type type)
{
    struct speed s = {.op = op, .type = type, .n_calls = 20};
    const struct npu_launch l = {.soc = npu_soc_current(NULL),
                                 .name = npu_isa[op].name,
                                 .block_dim = 1,
                                 .run = issue_block,
                                 .arg = &s};
    double least = 1e9;

    if (!(npu_isa[op].types >> type & 1))
        return 0;
    for (int r = 0; r < TRIES; r++) {
        struct npu_diag d = {0};
        if (npu_launch(&l, &d) != NPU_OK) {
            (void)fprintf(stderr, "bench_vector: %s\n", d.text);
            exit(1);
        }
        least = s.took < least ? s.took : least;
    }
    return (double)n_elements(&s) * s.n_calls / least;
}

/* Bytes that an element of each operand comes to. */
static double bytes_per_element(enum npu_op op, enum npu_type type)
{
    const struct npu_shape_row *shape = &npu_shapes[npu_isa[op].shape];
    double n = 0;

    for (int o = 0; o < 3; o++)
        n += shape->use[o] == USE_U ? 2 : shape->use[o] != USE_N;
    return n * npu_types[type].bytes;
}

static void print_cell(double per_second, double limit, enum npu_op op, enum npu_type type)
{
    if (per_second > 0)
        (void)printf(" %.2f | %.0f %% |", per_second / 1e9,
                     100 * per_second * bytes_per_element(op, type) / limit);
    else
        (void)printf(" - | - |");
}

/* A bar would end the cell. */
static void print_brief(const char *text)
{
    for (; *text; text++)
        (void)printf(*text == '|' ? "\\|" : "%c", *text);
    (void)printf(" |");
}

/* Left out: what moves addresses from lists, and what takes neither half nor float. */
static bool is_shown(enum npu_op op)
{
    const enum npu_shape s = npu_isa[op].shape;

    return npu_isa[op].pipe == PIPE_V && s != SHAPE_MERGE && s != SHAPE_NCHW && s != SHAPE_PERM &&
           s != SHAPE_TRANS && s != SHAPE_CMPR && s != SHAPE_ROWS &&
           npu_isa[op].types & (1u << TYPE_f16 | 1u << TYPE_f32);
}

int main(void)
{
    static double per_second[N_OPS][2];
    double least_limit = 1e9;
    void *a = aligned_alloc(4096, LIMIT_BYTES), *b = aligned_alloc(4096, LIMIT_BYTES),
         *z = aligned_alloc(4096, LIMIT_BYTES);

    if (!a || !b || !z)
        return 1;
    memset(a, 1, LIMIT_BYTES);
    memset(b, 2, LIMIT_BYTES);
    memset(z, 0, LIMIT_BYTES);
    for (uint32_t op = 0; op < N_OPS; op++) /* the limit again and again: the least counts */
        for (int half = 0; is_shown((enum npu_op)op) && half < 2; half++) {
            const double l = bench_limit(z, a, b, LIMIT_BYTES, 1);
            least_limit = l < least_limit ? l : least_limit;
            per_second[op][half] = measure((enum npu_op)op, half ? TYPE_f16 : TYPE_f32);
        }
    const double limit = 3.0 * LIMIT_BYTES / least_limit;
    (void)printf("Streaming limit: %.1f GB/s, two arrays in and one out, all threads.\n\n"
                 "| instruction | what | half, G/s | of limit | float, G/s | of limit |\n"
                 "|---|---|---|---|---|---|\n",
                 limit / 1e9);
    for (int cost = 0; cost < N_COSTS; cost++)
        for (uint32_t op = 0; op < N_OPS; op++) {
            if ((int)npu_isa[op].cost != cost || !is_shown((enum npu_op)op))
                continue;
            (void)printf("| %s | ", npu_isa[op].name);
            print_brief(npu_isa[op].brief);
            print_cell(per_second[op][1], limit, (enum npu_op)op, TYPE_f16);
            print_cell(per_second[op][0], limit, (enum npu_op)op, TYPE_f32);
            (void)printf("\n");
        }
    free(a);
    free(b);
    free(z);
    return 0;
}
