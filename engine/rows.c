/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - what the functions of vrows share, and the way to them. */
#include "rows.h"
#include <stdlib.h>
#include <string.h>
#include "../base/banned.h"

static bool need(const struct rows *w, const char *kind, int k, uint64_t have, uint64_t bytes)
{
    if (have >= bytes)
        return true;
    npu_fault(&w->c->pub, NPU_E_ARG, w->in->where,
              "%s: %s %d has %llu bytes declared, its shape asks for %llu", npu_insn_name(w->in),
              kind, k, (unsigned long long)have, (unsigned long long)bytes);
    return false;
}

bool rows_need_dst(const struct rows *w, int k, uint64_t bytes)
{
    return need(w, "dst", k, k < w->r->n_dst ? w->r->dst_bytes[k] : 0, bytes);
}

bool rows_need_src(const struct rows *w, int k, uint64_t bytes)
{
    return need(w, "src", k, k < w->r->n_src ? w->r->src_bytes[k] : 0, bytes);
}

float *rows_scratch(const struct rows *w, uint64_t n)
{
    return npu_scratch(w->c, n, w->in->where);
}

void rows_load(const struct rows *w, float *to, enum npu_type type, const uint8_t *p, uint64_t at,
               uint32_t n)
{
    p += at * rows_bytes(type);
    if (type == TYPE_f32)
        memcpy(to, p, n * sizeof *to);
    else if (type == TYPE_f16)
        w->c->lanes->conv[TYPE_f16][TYPE_f32][ROUND_NONE](to, p, n);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = (float)p[i];
}

void rows_store(const struct rows *w, enum npu_type type, uint8_t *p, uint64_t at,
                const float *from, uint32_t n)
{
    p += at * rows_bytes(type);
    if (type == TYPE_f32)
        memcpy(p, from, n * sizeof *from);
    else if (type == TYPE_f16)
        w->c->lanes->conv[TYPE_f32][TYPE_f16][ROUND_RINT](p, from, n);
    else
        for (uint32_t i = 0; i < n; i++)
            p[i] = (uint8_t)from[i];
}

float rows_get(const struct rows *w, enum npu_type type, const uint8_t *p, uint64_t at)
{
    uint16_t h;
    float f;

    (void)w;
    p += at * rows_bytes(type);
    if (type == TYPE_f16) {
        memcpy(&h, p, sizeof h);
        return npu_f16_to_f32(h);
    }
    memcpy(&f, p, sizeof f);
    return f;
}

void rows_put(const struct rows *w, enum npu_type type, uint8_t *p, uint64_t at, float v,
              uint32_t n)
{
    const uint16_t h = npu_f32_to_f16(v);

    (void)w;
    p += at * rows_bytes(type);
    for (uint32_t i = 0; i < n; i++, p += rows_bytes(type))
        if (type == TYPE_f16)
            memcpy(p, &h, sizeof h);
        else
            memcpy(p, &v, sizeof v);
}

float rows_total(const struct rows *w, const float *x, uint32_t n, float *tmp)
{
    rows_ahead(w, n);
    return w->c->lanes->sum_row(x, n, tmp);
}

float rows_top(const struct rows *w, const float *x, uint32_t n, float *tmp)
{
    rows_ahead(w, n);
    return w->c->lanes->top_row(x, n, tmp);
}

void rows_exp(const struct rows *w, float *to, const float *x, float top, uint32_t n)
{
    const uint32_t step = w->c->ahead.n_left ? 256 : n;

    for (uint32_t i = 0, m; i < n; i += m) {
        m = n - i < step ? n - i : step;
        rows_ahead(w, 4 * m); /* takes as long as four other passes */
        w->c->lanes->exp_row(to + i, x + i, top, m);
    }
}

void rows_scale(const struct rows *w, enum npu_op op, float *x, float scalar, uint32_t n)
{
    rows_ahead(w, n);
    w->c->lanes->op[op][TYPE_f32](x, x, NULL, npu_f32_bits(scalar), n);
}

void rows_map(const struct rows *w, enum npu_op op, float *x, uint32_t n)
{
    w->c->lanes->op[op][TYPE_f32](x, x, NULL, 0, n);
}

void rows_combine(const struct rows *w, enum npu_op op, float *x, const float *y, uint32_t n)
{
    w->c->lanes->op[op][TYPE_f32](x, x, y, 0, n);
}

bool npu_rows_keep(struct npu_core_int *c, struct npu_insn *in)
{
    struct npu_rows *own;

    if (!in->rows)
        return true;
    own = malloc(sizeof *own);
    if (!own) {
        npu_fault(&c->pub, NPU_E_NOMEM, in->where, "no memory for a queued %s", npu_insn_name(in));
        return false;
    }
    *own = *in->rows;
    in->rows = own;
    return true;
}

void npu_rows_drop(struct npu_insn *in)
{
    free((void *)(uintptr_t)in->rows);
    in->rows = NULL;
}

static rows_fn *const functions[N_ROWS] = {
#define ROWS(name, function, types, brief) [ROWS_##name] = rows_##function,
#include "../isa/rows.def"
};

void npu_rows_run(struct npu_core_int *c, const struct npu_insn *in, const struct npu_walk *walk)
{
    const struct rows w = {c, in, in->rows, (enum npu_type)in->type, (enum npu_type)in->dst_type};

    (void)walk;
    for (int i = 0; i < NPU_ROWS_NUMBERS; i++)
        if (in->rows->num[i] > NPU_ROWS_MOST) { /* so that no product of sizes overflows */
            npu_fault(&c->pub, NPU_E_ARG, in->where, "%s: a size of %u; no memory has more than %u",
                      npu_insn_name(in), in->rows->num[i], (unsigned)NPU_ROWS_MOST);
            return;
        }
    functions[in->rows->fn](&w);
}
