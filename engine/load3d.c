/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load3d.c - image to columns.
 *
 * The image in L1 is C1 x H x W x C0; channels beyond whole C0 are a last plane of H x W times what
 * is left. Its matrix has a row for each place of the filter (left to right, then down) and a
 * column for each (c1, filter row, filter column, c0). A part of it becomes
 *
 *   L0A             rows of fractals                    16 rows x C0 columns each
 *   L0A, transposed the same of the transposed part
 *   L0B             the part as the K x N matrix: K are its rows
 *
 * What lies beyond the matrix is 0.
 */
#include "core_int.h"
#include "panels.h"
#include <string.h>
#include "../base/banned.h"

enum { ROWS = 16 };

struct loading {
    const struct npu_image *p;
    const uint8_t *l1;
    uint64_t at;
    uint32_t elem, c0, out_w, out_h;
    uint64_t pad_value;
};

/* A column: which tap of the filter, and where its element lies in a pixel. False beyond the last.
 */
struct column {
    uint32_t tap, pixel_bytes;
    uint64_t plane, in_pixel;
};
static bool find_column(const struct loading *l, uint32_t column, struct column *c)
{
    const struct npu_image *p = l->p;
    const uint32_t taps = (uint32_t)p->filter_w * p->filter_h, n_c1 = p->channels / l->c0;
    const uint64_t plane = (uint64_t)p->h * p->w * NPU_BLK_BYTES;
    uint32_t width = l->c0, c1 = column / l->c0 / taps;

    if (c1 >= n_c1) {
        column -= n_c1 * taps * l->c0;
        width = p->channels % l->c0;
        if (!width || column >= width * taps)
            return false;
        c1 = n_c1;
    }
    *c = (struct column){column / width % taps, width * l->elem, c1 * plane,
                         (uint64_t)(column % width) * l->elem};
    return true;
}

/* Element (row, column) of the whole matrix. */
static void fetch(const struct loading *l, uint32_t row, uint32_t column, uint8_t *to)
{
    const struct npu_image *p = l->p;
    struct column c;

    memset(to, 0, l->elem);
    if (row >= l->out_w * l->out_h || !find_column(l, column, &c))
        return;
    const int32_t y =
        (int32_t)(row / l->out_w * p->stride_h + c.tap / p->filter_w * p->dilation_h) - p->pad_top;
    const int32_t x =
        (int32_t)(row % l->out_w * p->stride_w + c.tap % p->filter_w * p->dilation_w) - p->pad_left;
    if (y < 0 || x < 0 || y >= p->h || x >= p->w) {
        memcpy(to, &l->pad_value, l->elem);
        return;
    }
    uint64_t at =
        l->at + c.plane + ((uint64_t)(uint32_t)y * p->w + (uint32_t)x) * c.pixel_bytes + c.in_pixel;
    if (p->boundary_bytes)
        at %= p->boundary_bytes;
    memcpy(to, l->l1 + at, l->elem);
}

static uint32_t round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

static void fill_row(const struct loading *l, uint8_t *to)
{
    for (uint32_t k = 0; k < l->c0; k++)
        memcpy(to + k * l->elem, &l->pad_value, l->elem);
}

/* n rows of C0 columns that are one tap of whole pixels: 32 bytes each. */
static void fetch_pixels(const struct loading *l, uint32_t row, uint32_t n, const struct column *c,
                         uint8_t *to, size_t step)
{
    const struct npu_image *p = l->p;
    const int32_t y0 = (int32_t)(c->tap / p->filter_w * p->dilation_h) - p->pad_top;
    const int32_t x0 = (int32_t)(c->tap % p->filter_w * p->dilation_w) - p->pad_left;
    uint32_t line = row / l->out_w, at = row % l->out_w;

    for (uint32_t i = 0; i < n;) {
        const int32_t y = (int32_t)(line * p->stride_h) + y0, x = (int32_t)(at * p->stride_w) + x0;
        const uint32_t left = l->out_w - at < n - i ? l->out_w - at : n - i;
        uint32_t made = 1;
        if (line >= l->out_h) {
            memset(to, 0, NPU_BLK_BYTES);
        } else if (y < 0 || x < 0 || y >= p->h || x >= p->w) {
            fill_row(l, to);
        } else {
            const uint8_t *from =
                l->l1 + l->at + c->plane + ((size_t)y * p->w + (size_t)x) * NPU_BLK_BYTES;
            if (p->stride_w == 1 && step == NPU_BLK_BYTES)
                made = (uint32_t)(p->w - x) < left ? (uint32_t)(p->w - x) : left;
            memcpy(to, from, (size_t)made * NPU_BLK_BYTES);
        }
        to += made * step;
        i += made;
        at += made;
        if (at == l->out_w) {
            at = 0;
            line++;
        }
    }
}

/* n rows of C0 columns, of what is loaded over all repeats. n rows lie in one repeat. */
static void fetch_rows(const struct loading *l, uint32_t row, uint32_t column, uint32_t n,
                       uint8_t *to, size_t step)
{
    const struct npu_image *p = l->p;
    const uint32_t rows = round_up(p->rows, ROWS), columns = round_up(p->columns, l->c0);
    const uint32_t i = p->repeats_columns ? column / columns : row / rows;
    struct column c;

    row = p->row0 + (p->repeats_columns ? row : row % rows + i * p->repeat_stride * ROWS);
    column = p->column0 +
             (p->repeats_columns ? column % columns + i * p->repeat_stride * l->c0 : column);
    if (column % l->c0 == 0 && !p->boundary_bytes && find_column(l, column, &c) &&
        c.pixel_bytes == NPU_BLK_BYTES) {
        fetch_pixels(l, row, n, &c, to, step);
        return;
    }
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = 0; k < l->c0; k++)
            fetch(l, row + r, column + k, to + r * step + (size_t)k * l->elem);
}

/* Columns m .. m + 16 of rows k .. k + C0 as a fractal of 16 x C0. */
static void fetch_turned(const struct loading *l, uint32_t k, uint32_t m, uint32_t n_columns,
                         uint8_t *to)
{
    enum { MOST_C0 = 32, WIDE = 2 * NPU_BLK_BYTES };
    uint8_t square[MOST_C0 * WIDE] = {0};
    const uint32_t first = m / l->c0 * l->c0; /* C0 may be 32, and 8 */
    const size_t step = l->elem == 4 ? WIDE : NPU_BLK_BYTES;

    for (uint32_t c = first; c < m + ROWS && c < n_columns; c += l->c0)
        for (uint32_t r = 0; r < l->c0; r += ROWS)
            fetch_rows(l, k + r, c, l->c0 < ROWS ? l->c0 : ROWS,
                       square + r * step + (size_t)(c - first) * l->elem, step);
    if (l->elem == 2) {
        npu_panels_best()->turn_16(to, square);
        return;
    }
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t e = 0; e < l->c0; e++, to += l->elem)
            memcpy(to, square + e * step + (size_t)(m - first + r) * l->elem, l->elem);
}

/* Places of the filter along one side; 0 when it does not fit once. */
static uint32_t places(uint32_t size, uint32_t pads, uint32_t filter, uint32_t dilation,
                       uint32_t stride)
{
    const uint32_t window = (filter - 1) * dilation + 1;

    return stride && size + pads >= window ? (size + pads - window) / stride + 1 : 0;
}

void npu_load3d_run(struct npu_core_int *c, const struct npu_insn *in)
{
    const struct npu_image *p = &in->cube.image;
    struct loading l = {.p = p,
                        .l1 = c->pub.mem[MEM_L1].base,
                        .at = in->ref[1].at_bytes,
                        .elem = npu_types[in->type].bytes,
                        .c0 = npu_c0(in->type, false),
                        .pad_value = in->scalar};
    const bool to_b = in->ref[0].mem == MEM_L0B, turns = to_b || p->transposes;
    const uint32_t n_rows = round_up(p->rows, ROWS) * (p->repeats_columns ? 1 : p->n_repeat);
    const uint32_t n_columns = round_up(p->columns, l.c0) * (p->repeats_columns ? p->n_repeat : 1);
    uint8_t *to = npu_at(c, &in->ref[0]);

    l.out_w = places(p->w, p->pad_left + p->pad_right, p->filter_w, p->dilation_w, p->stride_w);
    l.out_h = places(p->h, p->pad_top + p->pad_bottom, p->filter_h, p->dilation_h, p->stride_h);
    if (!l.out_w || !l.out_h) {
        npu_fault(
            &c->pub, NPU_E_ARG, in->where,
            "load3d: the filter of %u x %u (height x width, dilation %u x %u, stride %u x %u) "
            "does not fit into the image of %u x %u with its padding",
            p->filter_h, p->filter_w, p->dilation_h, p->dilation_w, p->stride_h, p->stride_w, p->h,
            p->w);
        return;
    }
    if (!turns) {
        for (uint32_t r1 = 0; r1 < n_rows; r1 += ROWS)
            for (uint32_t k1 = 0; k1 < n_columns; k1 += l.c0, to += NPU_FRACTAL_BYTES)
                fetch_rows(&l, r1, k1, ROWS, to, NPU_BLK_BYTES);
        return;
    }
    /* Fractals of 16 columns x C0 rows: in rows of M (L0A), or in rows of K (L0B). */
    const uint32_t m1 = (n_columns + ROWS - 1) / ROWS, k1 = n_rows / l.c0;
    for (uint32_t i = 0; i < m1 * k1; i++, to += NPU_FRACTAL_BYTES) {
        const uint32_t m = (to_b ? i % m1 : i / k1) * ROWS, k = (to_b ? i / m1 : i % k1) * l.c0;
        fetch_turned(&l, k, m, n_columns, to);
    }
}
