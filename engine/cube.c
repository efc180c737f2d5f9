/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cube.c - where the instructions of the cube core read and write, and the movers among them.
 *
 * lay() is the one place that knows addressing; range checks, execution and watches use its boxes.
 * Layouts on dav-2201, all of fractals of 16 x 32 bytes (512 bytes), c0 = elements in 32 bytes:
 *
 *   L1   Nz  columns of fractals; one column holds 32 bytes of each row, row after row
 *   L0A  Zz  rows of fractals, each fractal row after row
 *   L0B  Zn  of a K x N matrix: fractals of c0 x 16 in rows, each column after column
 *   L0C  Nz  columns of 16 x 16 sums of 32 bits
 *   BI   Zn  as L0B: two bits for each byte there, the first of four lowest
 */
#include "core_int.h"
#include "panels.h"
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

enum { L0C_ALIGN = 64, BT_ALIGN = 64, FB_ALIGN = 128, ROWS = 16 };

float *npu_scratch(struct npu_core_int *c, uint64_t n, struct npu_where where)
{
    if (n <= c->scratch_floats)
        return c->scratch;
    float *more = n < UINT32_MAX / sizeof *more
                      ? aligned_alloc(64, (size_t)((n * sizeof *more + 63) / 64 * 64))
                      : NULL;
    if (!more) {
        npu_fault(&c->pub, NPU_E_NOMEM, where, "no memory for %llu numbers", (unsigned long long)n);
        return NULL;
    }
    free(c->scratch);
    c->scratch = more;
    c->scratch_floats = (uint32_t)n;
    return more;
}

/* ---- where ------------------------------------------------------------------------------- */

static uint32_t ceil_div(uint32_t n, uint32_t by)
{
    return (n + by - 1) / by;
}

static uint32_t align_of(uint8_t mem)
{
    static const uint16_t align[N_MEMS] = {
        [MEM_GM] = 1,
        [MEM_UB] = NPU_BLK_BYTES,
        [MEM_L1] = NPU_BLK_BYTES,
        [MEM_L0A] = NPU_FRACTAL_BYTES,
        [MEM_L0B] = NPU_FRACTAL_BYTES,
        [MEM_L0C] = L0C_ALIGN,
        [MEM_BT] = BT_ALIGN,
        [MEM_BI] = NPU_INDEX_BYTES,
        [MEM_FB] = FB_ALIGN,
    };

    return align[mem];
}

/* One run of bytes; the caller adds what repeats it. */
static struct npu_box box(const char *name, const struct npu_ref *ref, uint32_t bytes,
                          enum npu_use use)
{
    return (struct npu_box){.name = name,
                            .at = ref->at_bytes,
                            .n = {1, 1, 1},
                            .bytes = bytes,
                            .align = align_of(ref->mem),
                            .mem = ref->mem,
                            .use = (uint8_t)use};
}

static void repeats(struct npu_box *b, int level, uint32_t n, int64_t step)
{
    b->n[level] = n;
    b->step[level] = step;
}

static int lay_nd2nz(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_nd2nz *p = &in->cube.nd2nz;

    b[0] = box("dst", &in->ref[0], NPU_BLK_BYTES, USE_W);
    repeats(&b[0], 0, p->n_nd, p->dst_nd_step);
    repeats(&b[0], 1, ceil_div(p->row_bytes, NPU_BLK_BYTES), p->dst_column_step);
    repeats(&b[0], 2, p->n_rows, p->dst_row_step);
    b[1] = box("src", &in->ref[1], p->row_bytes, USE_R);
    repeats(&b[1], 0, p->n_nd, p->src_nd_step);
    repeats(&b[1], 1, p->n_rows, p->src_row_step);
    return 2;
}

/* Fractals that load2dt turns together, so that they make a square. */
static uint32_t group_of(const struct npu_insn *in)
{
    if (in->op != OP_load2dt)
        return 1;
    if (in->cube.fractals.is_nibbles)
        return 4;
    return npu_types[in->type].bytes == 2 ? 1 : 2;
}

static int lay_fractals(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_fractals *p = &in->cube.fractals;
    const uint32_t group = group_of(in);

    b[0] = box("dst", &in->ref[0], NPU_FRACTAL_BYTES, USE_W);
    repeats(&b[0], 0, p->n_repeat, p->dst_step);
    repeats(&b[0], 1, group, p->dst_fractal_step);
    b[1] = box("src", &in->ref[1], group * NPU_FRACTAL_BYTES, USE_R);
    repeats(&b[1], 0, p->n_repeat, p->src_step);
    return 2;
}

static int lay_sparse(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_ref index = npu_index_of(&in->ref[0]);
    const uint32_t n = in->cube.fractals.n_repeat;

    b[0] = box("dst", &in->ref[0], n * NPU_FRACTAL_BYTES, USE_W);
    b[1] = box("src", &in->ref[1], n * NPU_FRACTAL_BYTES, USE_R);
    b[2] = box("idx", &in->ref[2], n * NPU_INDEX_BYTES, USE_R);
    b[3] = box("index buffer", &index, n * NPU_INDEX_BYTES, USE_W);
    return 4;
}

static int lay_load3d(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_image *p = &in->cube.image;
    const uint32_t c0 = npu_c0(in->type, false);
    const uint32_t n_rows = ceil_div(p->rows, ROWS) * ROWS * (p->repeats_columns ? 1 : p->n_repeat);
    const uint32_t columns = ceil_div(p->columns, c0) * c0 * (p->repeats_columns ? p->n_repeat : 1);
    const bool is_turned = in->ref[0].mem == MEM_L0B || p->transposes;
    const uint32_t bytes = is_turned
                               ? ceil_div(columns, ROWS) * ceil_div(n_rows, c0) * NPU_FRACTAL_BYTES
                               : n_rows / ROWS * (columns / c0) * NPU_FRACTAL_BYTES;

    const uint64_t image = (uint64_t)p->h * p->w * p->channels * npu_types[in->type].bytes;

    b[0] = box("dst", &in->ref[0], bytes, USE_W);
    b[1] = box("src", &in->ref[1], image < UINT32_MAX ? (uint32_t)image : UINT32_MAX, USE_R);
    if (p->boundary_bytes) /* the source wraps: all of it up to the boundary */
        b[1] = box("src", &(struct npu_ref){.mem = MEM_L1}, p->boundary_bytes, USE_R);
    return 2;
}

/* What a burst becomes when its elements change or are regrouped; groups of no bytes are none. */
static uint32_t dst_burst(const struct npu_insn *in)
{
    const struct npu_groups *g = &in->cube.groups;

    if (in->op == OP_copy_gm_l1_pad)
        return g->from_bytes ? in->burst_bytes / g->from_bytes * g->to_bytes : 0;
    return in->burst_bytes / npu_types[in->type].bytes * npu_types[in->dst_type].bytes;
}

static int lay_bursts(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const uint32_t bytes = dst_burst(in);

    b[0] = box("dst", &in->ref[0], bytes, USE_W);
    repeats(&b[0], 0, in->n_burst, bytes + in->dst_gap_bytes);
    if (in->op == OP_fill_l0 || in->op == OP_fill_l1)
        return 1;
    b[1] = box("src", &in->ref[1], in->burst_bytes, USE_R);
    repeats(&b[1], 0, in->n_burst, in->burst_bytes + in->src_gap_bytes);
    return 2;
}

static int lay_mmad(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_mmad *p = &in->cube.mmad;
    const uint32_t c0 = npu_c0(in->type, p->is_nibbles);
    const uint32_t k1 = p->aligns_k16 ? ceil_div(p->k, 16) * 2 : ceil_div(p->k, c0);
    const uint32_t m1 = ceil_div(p->m, ROWS), n1 = ceil_div(p->n, ROWS);
    int n_boxes = 3;

    b[0] = box("dst", &in->ref[0], p->m * ROWS * (uint32_t)sizeof(float),
               p->init == MMAD_ADDS ? USE_U : USE_W);
    b[0].align = 1024;
    repeats(&b[0], 0, n1, (int64_t)m1 * ROWS * ROWS * (int64_t)sizeof(float));
    b[1] = box("left matrix", &in->ref[1], m1 * k1 * NPU_FRACTAL_BYTES, USE_R);
    if (p->is_row)
        b[1].bytes = ceil_div(p->k, c0) * NPU_BLK_BYTES;
    b[2] = box("right matrix", &in->ref[2], ceil_div(p->k, c0) * n1 * NPU_FRACTAL_BYTES, USE_R);
    if (p->is_sparse) {
        const struct npu_ref index = npu_index_of(&in->ref[2]);
        const uint32_t n = ceil_div(p->k, 2 * c0) * n1;
        b[2].bytes = n * NPU_FRACTAL_BYTES;
        b[n_boxes++] = box("index of the right matrix", &index, n * NPU_INDEX_BYTES, USE_R);
    }
    if (p->init == MMAD_BIAS)
        b[n_boxes++] = box("bias", &in->sel, p->n * (uint32_t)sizeof(float), USE_R);
    return n_boxes;
}

/* What lies somewhere of a matrix of m x n elements. */
static struct npu_box matrix_box(const char *name, const struct npu_ref *ref,
                                 const struct npu_matrix *x, uint32_t m, uint32_t n,
                                 const struct npu_insn *in)
{
    const uint32_t rows = x->is_turned ? n : m, columns = x->is_turned ? m : n;
    const uint32_t c0 = npu_c0(in->type, in->cube.tile.is_nibbles);
    const uint32_t elem = npu_types[in->type].bytes;
    struct npu_ref at = *ref;

    if (!x->is_nz) {
        const bool halves = in->cube.tile.is_nibbles; /* two elements a byte */
        at.at_bytes += x->row0 * x->step + (halves ? x->column0 / 2 : x->column0 * elem);
        struct npu_box b = box(name, &at, halves ? (columns + 1) / 2 : columns * elem, USE_R);
        repeats(&b, 0, rows, (int64_t)x->step);
        b.align = 1;
        return b;
    }
    at.at_bytes += x->column0 / c0 * x->step + (uint64_t)x->row0 * NPU_BLK_BYTES;
    struct npu_box b = box(name, &at, rows * NPU_BLK_BYTES, USE_R);
    repeats(&b, 0, ceil_div(x->column0 % c0 + columns, c0), (int64_t)x->step);
    return b;
}

static int lay_mmtile(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_tile *p = &in->cube.tile;
    int n = 1;

    b[0] = box("dst", &in->ref[0], p->m * ROWS * (uint32_t)sizeof(float),
               p->init == MMAD_ADDS ? USE_U : USE_W);
    b[0].align = 1024;
    repeats(&b[0], 0, ceil_div(p->n, ROWS),
            (int64_t)ceil_div(p->m, ROWS) * ROWS * ROWS * (int64_t)sizeof(float));
    if (!p->a.is_one)
        b[n++] = matrix_box("left matrix", &in->ref[1], &p->a, p->m, p->k, in);
    if (!p->b.is_one)
        b[n++] = matrix_box("right matrix", &in->ref[2], &p->b, p->k, p->n, in);
    if (p->init == MMAD_BIAS)
        b[n++] = box("bias", &in->sel, p->n * npu_types[p->bias_type].bytes, USE_R);
    return n;
}

static int lay_fixpipe(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    const struct npu_fix *p = &in->cube.fix;
    const uint32_t elem = npu_types[in->dst_type].bytes;
    const uint32_t width = p->layout == FIX_SPLIT ? 8 : elem == 1 ? 32 : ROWS;

    b[0] = box("dst", &in->ref[0], p->layout == FIX_ND ? p->n * elem : p->m * width * elem, USE_W);
    repeats(&b[0], 0, p->layout == FIX_ND ? p->n_nd : 1, (int64_t)p->dst_nd_step);
    repeats(&b[0], 1, p->layout == FIX_ND ? p->m : ceil_div(p->n, width), (int64_t)p->dst_step);
    b[1] = box("src", &in->ref[1], p->m * ROWS * (uint32_t)sizeof(float), USE_R);
    repeats(&b[1], 0, p->layout == FIX_ND ? p->n_nd : 1, p->src_nd_step);
    repeats(&b[1], 1, ceil_div(p->n, ROWS), p->src_column_step);
    if (!p->is_vector)
        return 2;
    b[2] = box("quantisation parameters", &in->ref[2], p->n * (uint32_t)sizeof(uint64_t), USE_R);
    return 3;
}

static int lay(struct npu_box b[NPU_BOXES], const struct npu_insn *in)
{
    switch (in->op) {
    case OP_copy_nd2nz:
        return lay_nd2nz(b, in);
    case OP_load3d:
        return lay_load3d(b, in);
    case OP_load2d_sparse:
        return lay_sparse(b, in);
    case OP_mmad:
        return lay_mmad(b, in);
    case OP_mmtile:
        return lay_mmtile(b, in);
    case OP_fixpipe:
        return lay_fixpipe(b, in);
    case OP_load2d:
    case OP_load2d_gm:
    case OP_load2dt:
        return lay_fractals(b, in);
    default:
        return lay_bursts(b, in);
    }
}

void npu_cube_accesses(const struct npu_insn *in, npu_access_fn *fn, void *arg)
{
    struct npu_box b[NPU_BOXES];
    const int n = lay(b, in);

    for (int o = 0; o < n; o++)
        for (uint32_t i = 0; i < b[o].n[0]; i++)
            for (uint32_t j = 0; j < b[o].n[1]; j++)
                for (uint32_t k = 0; k < b[o].n[2]; k++)
                    fn(arg, (enum npu_mem)b[o].mem,
                       b[o].at + (uint64_t)(i * b[o].step[0] + j * b[o].step[1] + k * b[o].step[2]),
                       b[o].bytes, (enum npu_use)b[o].use);
}

/* ---- may it be ----------------------------------------------------------------------------- */

static bool is_inside(struct npu_core_int *c, const struct npu_insn *in, const struct npu_box *b)
{
    const char *name = npu_isa[in->op].name;
    int64_t low = 0, high = b->bytes;

    if (b->at % b->align) {
        npu_fault(&c->pub, NPU_E_ALIGN, in->where,
                  "%s: %s begins at %s byte %llu, which is not a multiple of %u", name, b->name,
                  npu_mems[b->mem].name, (unsigned long long)b->at, b->align);
        return false;
    }
    if (b->mem == MEM_GM) {
        if (b->at >= 4096)
            return true;
        npu_fault(&c->pub, NPU_E_RANGE, in->where,
                  "%s: %s is the GM address 0x%llx: a null pointer, or one never set", name,
                  b->name, (unsigned long long)b->at);
        return false;
    }
    for (int l = 0; l < 3; l++) {
        const int64_t far = (int64_t)(b->n[l] - 1) * b->step[l];
        low += far < 0 ? far : 0;
        high += far > 0 ? far : 0;
    }
    const uint64_t room = c->pub.mem[b->mem].bytes, first = b->at + (uint64_t)low;
    const uint64_t bytes = (uint64_t)(high - low);
    if (bytes <= room && first <= room - bytes)
        return true;
    npu_fault_range(c, name, b->name, (enum npu_mem)b->mem, first, bytes, in->where);
    return false;
}

static bool is_empty(const struct npu_box b[], int n)
{
    for (int o = 0; o < n; o++)
        if (!b[o].bytes || !b[o].n[0] || !b[o].n[1] || !b[o].n[2])
            return true;
    return false;
}

/* ---- movers -------------------------------------------------------------------------------- */

/* Some rows of one matrix: each column of fractals is written in one run, as they lie there. */
static void pack_rows(uint8_t *to, const uint8_t *from, uint32_t n_rows, const struct npu_nd2nz *p)
{
    const uint32_t n_full = p->row_bytes / NPU_BLK_BYTES, tail = p->row_bytes % NPU_BLK_BYTES;

    for (uint32_t k = 0; k < n_full; k++, to += p->dst_column_step, from += NPU_BLK_BYTES)
        for (uint32_t r = 0; r < n_rows; r++)
            memcpy(to + (size_t)r * p->dst_row_step, from + (size_t)r * p->src_row_step,
                   NPU_BLK_BYTES);
    for (uint32_t r = 0; tail && r < n_rows; r++) {
        memset(to + (size_t)r * p->dst_row_step, 0, NPU_BLK_BYTES);
        memcpy(to + (size_t)r * p->dst_row_step, from + (size_t)r * p->src_row_step, tail);
    }
}

static void run_nd2nz(struct npu_core_int *c, const struct npu_insn *in)
{
    enum { AT_A_TIME = 8 };
    const struct npu_nd2nz *p = &in->cube.nd2nz;

    for (uint32_t i = 0; i < p->n_nd; i++)
        for (uint32_t r = 0; r < p->n_rows; r += AT_A_TIME)
            pack_rows(
                npu_at(c, &in->ref[0]) + (size_t)i * p->dst_nd_step + (size_t)r * p->dst_row_step,
                npu_at(c, &in->ref[1]) + (size_t)i * p->src_nd_step + (size_t)r * p->src_row_step,
                p->n_rows - r < AT_A_TIME ? p->n_rows - r : AT_A_TIME, p);
}

static uint8_t nibble(const uint8_t *p, uint32_t i)
{
    return p[i / 2] >> i % 2 * 4 & 15;
}

/* Element (row, column) of a square of `group` fractals. 32-bit fractals stand side by side, the
 * others one below the other. */
static uint32_t in_square(uint32_t row, uint32_t column, uint32_t elem_bits)
{
    if (elem_bits == 32)
        return column / 8 * 128 + row * 8 + column % 8;
    return row * (256 / elem_bits) + column;
}

/* One group of load2dt; the fractals of the result lie dst_fractal_step apart. */
static void turn_square(uint8_t *to, const uint8_t *from, const struct npu_insn *in)
{
    const struct npu_fractals *p = &in->cube.fractals;
    const uint32_t bits = p->is_nibbles ? 4 : 8 * npu_types[in->type].bytes;
    const uint32_t side = bits == 32 ? 16 : 256 / bits, in_fractal = NPU_FRACTAL_BYTES * 8 / bits;

    for (uint32_t r = 0; r < side; r++)
        for (uint32_t k = 0; k < side; k++) {
            const uint32_t d = in_square(r, k, bits), s = in_square(k, r, bits);
            uint8_t *fractal = to + (size_t)(d / in_fractal) * p->dst_fractal_step;
            const uint32_t at = d % in_fractal;
            if (bits != 4) {
                memcpy(fractal + at * bits / 8, from + s * bits / 8, bits / 8);
                continue;
            }
            const int shift = at % 2 * 4;
            fractal[at / 2] =
                (uint8_t)((fractal[at / 2] & ~(15 << shift)) | nibble(from, s) << shift);
        }
}

static void run_fractals(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_fractals *p = &in->cube.fractals;
    const struct npu_panels *loops = npu_panels_best();
    const uint8_t *from = npu_at(c, &in->ref[1]);
    uint8_t *to = npu_at(c, &in->ref[0]);

    for (uint32_t i = 0; i < p->n_repeat; i++, from += p->src_step, to += p->dst_step)
        if (in->op == OP_load2dt)
            turn_square(to, from, in);
        else if (p->transposes)
            loops->turn_16(to, from);
        else
            memcpy(to, from, NPU_FRACTAL_BYTES);
}

static void run_sparse(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_ref index = npu_index_of(&in->ref[0]);
    const size_t n = in->cube.fractals.n_repeat;

    memcpy(npu_at(c, &in->ref[0]), npu_at(c, &in->ref[1]), n * NPU_FRACTAL_BYTES);
    memcpy(npu_at(c, &index), npu_at(c, &in->ref[2]), n * NPU_INDEX_BYTES);
}

/* One burst in groups of bytes: the longer side is filled up with 0, or left behind. */
static void regroup(uint8_t *to, const uint8_t *from, const struct npu_insn *in)
{
    const uint32_t a = in->cube.groups.from_bytes, b = in->cube.groups.to_bytes;

    for (uint32_t i = 0; i < in->burst_bytes / a; i++, to += b, from += a) {
        if (a < b)
            memset(to + a, 0, b - a);
        memcpy(to, from, a < b ? a : b);
    }
}

static void run_bursts(struct npu_core_int *c, const struct npu_insn *in)
{
    const uint8_t *from = npu_at(c, &in->ref[1]);
    uint8_t *to = npu_at(c, &in->ref[0]);
    const uint32_t n = in->burst_bytes / npu_types[in->type].bytes;

    for (uint32_t i = 0; i < in->n_burst; i++) {
        if (in->op == OP_copy_gm_l1_pad)
            regroup(to, from, in);
        else if (in->type != in->dst_type)
            c->lanes->conv[in->type][in->dst_type][ROUND_RINT](to, from, n);
        else
            memcpy(to, from, in->burst_bytes);
        to += dst_burst(in) + in->dst_gap_bytes;
        from += in->burst_bytes + in->src_gap_bytes;
    }
}

static void run_fill(struct npu_core_int *c, const struct npu_insn *in)
{
    const uint32_t elem = npu_types[in->type].bytes;
    uint8_t *to = npu_at(c, &in->ref[0]);

    for (uint32_t i = 0; i < in->n_burst; i++, to += in->burst_bytes + in->dst_gap_bytes)
        for (uint32_t k = 0; k < in->burst_bytes; k += elem)
            memcpy(to + k, &in->scalar, elem);
}

void npu_cube_run(struct npu_core_int *c, const struct npu_insn *in)
{
    struct npu_box b[NPU_BOXES];

    if (in->type >= N_TYPES || !(npu_isa[in->op].types >> in->type & 1)) {
        npu_fault(&c->pub, NPU_E_TYPE, in->where, "%s does not take %s", npu_isa[in->op].name,
                  in->type < N_TYPES ? npu_types[in->type].name : "this type");
        return;
    }
    if (in->type != in->dst_type && (in->op == OP_copy_l1_bt || in->op == OP_copy_l1_l0c) &&
        !c->lanes->conv[in->type][in->dst_type][ROUND_RINT]) {
        npu_fault(&c->pub, NPU_E_TYPE, in->where, "%s: %s does not become %s on this way",
                  npu_isa[in->op].name, npu_types[in->type].name, npu_types[in->dst_type].name);
        return;
    }
    const int n = lay(b, in);
    if (is_empty(b, n))
        return;
    for (int o = 0; o < n; o++)
        if (!is_inside(c, in, &b[o]))
            return;
    switch (in->op) {
    case OP_copy_nd2nz:
        run_nd2nz(c, in);
        break;
    case OP_load3d:
        npu_load3d_run(c, in);
        break;
    case OP_load2d_sparse:
        run_sparse(c, in);
        break;
    case OP_mmad:
        npu_mmad_run(c, in);
        break;
    case OP_mmtile:
        npu_mmtile_run(c, in);
        break;
    case OP_fixpipe:
        npu_fixpipe_run(c, in);
        break;
    case OP_load2d:
    case OP_load2d_gm:
    case OP_load2dt:
        run_fractals(c, in);
        break;
    case OP_fill_l0:
    case OP_fill_l1:
        run_fill(c, in);
        break;
    default:
        run_bursts(c, in);
    }
}
