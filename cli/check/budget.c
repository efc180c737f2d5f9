/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - how much UB a kernel asks for: each InitBuffer, rounded up to 32 bytes, against the
 * chip.
 *
 * A length of constants is computed; one that depends on tiling is shown as it is written, and the
 * sum then says that it is open.
 */
#include "check.h"
#include "../../isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 12, RESERVED_BYTES = 8192 };

/* ---- constant expressions: numbers, sizeof, constexpr names, + - * / % << >> and brackets ---- */

struct reader {
    const struct check *c;
    const struct src *s;
    struct span span;
    int depth;
    bool is_open; /* something that only a launch knows */
};

static int64_t sum(struct reader *r);

static int64_t size_of(const char *type)
{
    static const struct size_row {
        const char *type;
        int64_t bytes;
    } sizes[] = {{"half", 2},    {"bfloat16_t", 2}, {"int16_t", 2}, {"uint16_t", 2}, {"float", 4},
                 {"int32_t", 4}, {"uint32_t", 4},   {"int", 4},     {"int8_t", 1},   {"uint8_t", 1},
                 {"int64_t", 8}, {"uint64_t", 8},   {"double", 8},  {"bool", 1},     {"char", 1}};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (strcmp(sizes[i].type, type) == 0)
            return sizes[i].bytes;
    return -1;
}

static bool take(struct reader *r, const char *text)
{
    if (r->span.from >= r->span.to || !tok_is(r->s, r->span.from, text))
        return false;
    r->span.from++;
    return true;
}

static int64_t inner(struct reader *r, struct reader *value)
{
    int64_t n = sum(value);

    r->is_open |= value->is_open;
    return n;
}

/* constexpr T name = value; in this file or in another of the project. */
static int64_t named(struct reader *r, const char *name)
{
    for (size_t i = 0; r->depth < MAX_DEPTH && i <= r->c->src.n; i++) {
        const struct src *s = i == 0 ? r->s : &r->c->src.at[i - 1]; /* its own file first */

        if (s->lang != LANG_CPP)
            continue;
        for (int32_t t = 2; t + 1 < s->lex.n; t++) {
            struct reader value = {r->c, s, {t + 2, t + 2}, r->depth + 1, false};
            int32_t from = t;

            if (!tok_is(s, t, name) || !tok_is(s, t + 1, "="))
                continue;
            while (from > 0 && from > t - 6 && !tok_is(s, from, "constexpr") &&
                   !tok_is(s, from, "const"))
                from--;
            if (!tok_is(s, from, "constexpr") && !tok_is(s, from, "const"))
                continue;
            while (value.span.to < s->lex.n && !tok_is(s, value.span.to, ";"))
                value.span.to++;
            return inner(r, &value);
        }
    }
    r->is_open = true;
    return 0;
}

static int64_t atom(struct reader *r)
{
    int32_t at = r->span.from;
    const struct cc_tok *tok = at < r->span.to ? &r->s->lex.tok[at] : NULL;
    int64_t n = 0;
    char *text = NULL;

    if (!tok) {
        r->is_open = true;
        return 0;
    }
    if (take(r, "(")) {
        int32_t close = cc_mate(&r->s->lex, at);
        char *type = span_text(r->s, (struct span){at + 1, close});

        if (size_of(type) > 0) { /* a cast */
            r->span.from = close + 1;
            n = atom(r);
        } else {
            n = sum(r);
            take(r, ")");
        }
        free(type);
        return n;
    }
    text = span_text(r->s, (struct span){at, at + 1});
    r->span.from++;
    if (tok->kind == TOK_NUM) {
        n = strtoll(text, NULL, 0);
    } else if (strcmp(text, "sizeof") == 0 && take(r, "(")) {
        char *type = span_text(r->s, (struct span){r->span.from, r->span.from + 1});

        n = size_of(type);
        r->is_open |= n < 0;
        r->span.from = cc_mate(&r->s->lex, at + 1) + 1;
        free(type);
    } else if (tok->kind == TOK_ID && !tok_is(r->s, r->span.from, "(") &&
               !tok_is(r->s, r->span.from, ".")) {
        n = named(r, text);
    } else {
        r->is_open = true;
    }
    free(text);
    return n;
}

static int64_t product(struct reader *r)
{
    int64_t n = atom(r);

    for (;;) {
        int64_t m = 0;

        if (take(r, "*"))
            n *= atom(r);
        else if (take(r, "/") && (m = atom(r)) != 0)
            n /= m;
        else if (take(r, "%") && (m = atom(r)) != 0)
            n %= m;
        else
            return n;
    }
}

static int64_t sum(struct reader *r)
{
    int64_t n = product(r);

    for (;;) {
        if (take(r, "+"))
            n += product(r);
        else if (take(r, "-"))
            n -= product(r);
        else
            return n;
    }
}

/* -1: depends on the launch. */
static int64_t value_of(const struct check *c, const struct src *s, struct span span)
{
    struct reader r = {c, s, span, 0, false};
    int64_t n = sum(&r);

    return r.is_open || r.span.from != span.to || n < 0 ? -1 : n;
}

/* ---- buffers of one function ---- */

static char *position_of(const struct fn *fn, const char *queue)
{
    const struct src *s = fn->src;

    for (int32_t t = 0; t < s->lex.n;
         t++) { /* a member of the class or a local: TQue<TPosition::VECIN, 2> q */
        int32_t end = tok_is(s, t, "TQue") || tok_is(s, t, "TBuf") || tok_is(s, t, "TQueBind")
                          ? cc_angle_end(&s->lex, t + 1)
                          : CC_NONE;
        int32_t name = end + 1;

        if (end == CC_NONE)
            continue;
        for (; !tok_is(s, name, ";") && name < s->lex.n && name < end + 16; name++)
            if (tok_is(s, name, queue))
                for (int32_t p = t + 2; p < end; p++)
                    if (tok_is(s, p, "TPosition") || tok_is(s, p, "QuePosition"))
                        return span_text(s, (struct span){p + (tok_is(s, p + 1, "::") ? 2 : 3),
                                                          p + (tok_is(s, p + 1, "::") ? 3 : 4)});
    }
    return cli_fmt("%s", "?");
}

static void add_buffer(struct check *c, struct budget *budget, const struct call *call)
{
    bool is_queue = call->n_args == 3;
    struct buffer *buffer = NULL;
    struct span length = call->arg[is_queue ? 2 : 1];

    budget->at = cli_room(budget->at, budget->n, &budget->room, sizeof(*budget->at));
    buffer = &budget->at[budget->n++];
    *buffer = (struct buffer){.at = call->name};
    buffer->name = span_text(call->src, call->arg[0]);
    buffer->position = position_of(budget->fn, buffer->name);
    buffer->length = span_text(call->src, length);
    buffer->n = is_queue ? value_of(c, call->src, call->arg[1]) : 1;
    buffer->bytes = value_of(c, call->src, length);
    if (buffer->bytes >= 0)
        buffer->bytes = (buffer->bytes + 31) / 32 * 32;
    buffer->offset = budget->total;
    if (buffer->n < 0 || buffer->bytes < 0)
        budget->is_open = true;
    else
        budget->total += buffer->n * buffer->bytes;
}

bool budget_read(struct check *c, const struct fn *fn, struct budget *budget)
{
    struct call call;

    *budget = (struct budget){.fn = fn};
    for (int32_t at = fn->body; next_call(fn->src, "InitBuffer", &at, fn->end, &call);)
        if (call.n_args == 2 || call.n_args == 3)
            add_buffer(c, budget, &call);
    return budget->n > 0;
}

void budget_finish(struct budget *budget)
{
    for (size_t i = 0; i < budget->n; i++) {
        free(budget->at[i].name);
        free(budget->at[i].position);
        free(budget->at[i].length);
    }
    free(budget->at);
    *budget = (struct budget){0};
}

int64_t ub_bytes(const struct check *c)
{
    const struct npu_soc *soc = npu_soc_find(c->device_soc ? c->device_soc : "Ascend910B2");

    return soc ? (int64_t)soc->mem_bytes[MEM_UB] : -1;
}

void budget_print(const struct check *c, const struct budget *budget)
{
    int64_t limit = ub_bytes(c), left = limit - budget->total;
    char *name = span_text(budget->fn->src, (struct span){budget->fn->name, budget->fn->name + 1});

    printf("%s: %s\n  %-16s %-10s %4s %-28s %10s %10s\n", budget->fn->src->name, name, "buffer",
           "position", "num", "length", "bytes", "offset");
    for (size_t i = 0; i < budget->n; i++) {
        const struct buffer *b = &budget->at[i];
        char bytes[32] = "?", offset[32] = "?", n[32] = "?";

        if (b->bytes >= 0)
            snprintf(bytes, sizeof(bytes), "%lld", (long long)b->bytes);
        if (b->n >= 0)
            snprintf(n, sizeof(n), "%lld", (long long)b->n);
        snprintf(offset, sizeof(offset), "%lld", (long long)b->offset);
        printf("  %-16s %-10s %4s %-28s %10s %10s\n", b->name, b->position, n, b->length, bytes,
               offset);
    }
    printf("  total %lld%s of %lld bytes of UB (%s), ", (long long)budget->total,
           budget->is_open ? " and more" : "", (long long)limit,
           c->device_soc ? c->device_soc : "Ascend910B2");
    if (left < 0)
        printf("over by %lld\n", (long long)-left);
    else
        printf("%lld left; %lld left below the reserved top %d\n", (long long)left,
               (long long)(left - RESERVED_BYTES), RESERVED_BYTES);
    free(name);
}
