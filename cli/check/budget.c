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
    const struct fn *fn; /* whose own names hide others; NULL at file scope */
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

static int64_t value_of_constant(struct reader *r, const struct constant *constant)
{
    struct reader value = {
        r->c, constant->src, NULL, {constant->name + 2, constant->name + 2}, r->depth + 1, false};

    while (value.span.to < constant->src->lex.n && !tok_is(constant->src, value.span.to, ";"))
        value.span.to++;
    return inner(r, &value);
}

static bool hides_constants(const struct fn *fn, const char *name)
{
    char *type = fn ? type_of(fn, name) : NULL;
    bool is_variable = type && !strstr(type, "const");

    free(type);
    return is_variable;
}

/* constexpr T name = value; in this file, or in the nearest that it includes. */
static int64_t named(struct reader *r, const char *name)
{
    size_t n = 0;
    const struct constant *all = constants_of(r->c, name, &n), *best = NULL;

    for (size_t i = 0; r->depth < MAX_DEPTH && !hides_constants(r->fn, name) && i < n; i++)
        if ((all[i].src == r->s || does_include(r->c, r->s, all[i].src)) &&
            (!best || nearness(r->s, all[i].src) > nearness(r->s, best->src)))
            best = &all[i];
    if (best)
        return value_of_constant(r, best);
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
static int64_t value_of(const struct check *c, const struct fn *fn, struct span span)
{
    struct reader r = {c, fn->src, fn, span, 0, false};
    int64_t n = sum(&r);

    return r.is_open || r.span.from != span.to || n < 0 ? -1 : n;
}

/* ---- buffers of one function ---- */

/* TQue<TPosition::VECIN, 2> q; as a member of a class or a local; TBuf<> is of UB. */
static char *position_in(const struct src *s, const char *queue)
{
    for (int32_t t = 0; t < s->lex.n; t++) {
        int32_t end = tok_is(s, t, "TQue") || tok_is(s, t, "TBuf") || tok_is(s, t, "TQueBind")
                          ? cc_angle_end(&s->lex, t + 1)
                          : CC_NONE;
        struct span names = {end + 1, end + 1};

        while (end != CC_NONE && names.to < s->lex.n && !tok_is(s, names.to, ";") &&
               names.to < end + 16)
            names.to++;
        if (end == CC_NONE || !span_has(s, names, queue))
            continue;
        for (int32_t p = t + 2; p < end; p++)
            if (tok_is(s, p, "TPosition") || tok_is(s, p, "QuePosition"))
                return span_text(s, (struct span){p + (tok_is(s, p + 1, "::") ? 2 : 3),
                                                  p + (tok_is(s, p + 1, "::") ? 3 : 4)});
        return cli_fmt("%s", end == t + 2 ? "LCM" : "?");
    }
    return NULL;
}

/* Where a queue lies: its declaration in this source or in one that it includes. */
static char *position_of(const struct check *c, const struct fn *fn, const char *queue)
{
    char *position = position_in(fn->src, queue);

    for (size_t i = 0; !position && i < c->src.n; i++)
        if (c->src.at[i].lang == LANG_CPP && strstr(c->src.at[i].code, queue) &&
            does_include(c, fn->src, &c->src.at[i]))
            position = position_in(&c->src.at[i], queue);
    return position ? position : cli_fmt("%s", "?");
}

/* The last line before the token that begins with #if, #else, #elif or #endif decides; only those
 * inside the function count. */
static bool is_in_other_branch(const struct fn *fn, int32_t tok)
{
    const struct src *s = fn->src;
    const char *to = s->code + tok_at(s, tok);
    bool is_other[16] = {false}; /* one a level of #if */
    int depth = 0;

    for (const char *at = s->code + tok_at(s, fn->body); at && at < to; at = strchr(at, '\n')) {
        at += *at == '\n';
        at += strspn(at, " \t");
        if (*at != '#')
            continue;
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "if", 2) == 0)
            is_other[++depth & 15] = false;
        else if (strncmp(at, "el", 2) == 0)
            is_other[depth & 15] = true;
        else if (strncmp(at, "endif", 5) == 0 && depth)
            depth--;
    }
    for (int i = 1; i <= depth; i++)
        if (is_other[i & 15])
            return true;
    return false;
}

/* In the block of an else, or in one of an if that returns: what follows is its other branch. */
static bool is_alternative(const struct fn *fn, int32_t tok)
{
    const struct src *s = fn->src;

    for (int32_t t = fn->body + 1; t < tok; t++) {
        int32_t end = tok_is(s, t, "{") ? cc_mate(&s->lex, t) : CC_NONE;
        bool has_else = tok_is(s, t - 1, "else");

        if (end == CC_NONE || end < tok)
            continue;
        if (tok_is(s, t - 1, ")")) { /* else if (...) { */
            int32_t open = cc_mate(&s->lex, t - 1);

            has_else = open > 2 && (tok_is(s, open - 2, "else") || tok_is(s, open - 3, "else"));
        }
        if (has_else || (tok_is(s, t - 1, ")") && tok_is(s, end - 2, "return")))
            return true;
    }
    return is_in_other_branch(fn, tok);
}

/* L1, L0 and the tables have sizes of their own; a position that nobody can read may be one of
 * them. */
static bool is_in_ub(const struct buffer *buffer)
{
    return strncmp(buffer->position, "VEC", 3) == 0 || strcmp(buffer->position, "LCM") == 0;
}

static bool is_repeated(const struct budget *budget, const struct buffer *buffer)
{
    for (const struct buffer *b = budget->at; b < buffer; b++)
        if (strcmp(b->name, buffer->name) == 0)
            return true;
    return false;
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
    buffer->position = position_of(c, budget->fn, buffer->name);
    buffer->length = span_text(call->src, length);
    buffer->n = is_queue ? value_of(c, budget->fn, call->arg[1]) : 1;
    buffer->bytes = value_of(c, budget->fn, length);
    if (buffer->bytes >= 0)
        buffer->bytes = (buffer->bytes + 31) / 32 * 32;
    buffer->offset = budget->total;
    buffer->is_counted =
        is_in_ub(buffer) && !is_repeated(budget, buffer) && !is_alternative(budget->fn, call->name);
    if (!buffer->is_counted)
        return;
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

/* Whether code of s is for A5 alone: by its folder, or by what its build names. */
static bool is_for_950(const struct check *c, const struct src *s)
{
    static const char *const folders[] = {"arch35", "dav_3510", "dav-3510", "ascend950"};
    const char *build = build_of(c, s->name);
    bool has_950 = false, has_others = false;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (strstr(s->name, folders[i]))
            return true;
    for (size_t i = 0; build && i < c->src.n; i++) {
        const struct src *other = &c->src.at[i];
        const char *its = other->lang == LANG_CMAKE || other->lang == LANG_PYTHON
                              ? build_of(c, other->name)
                              : NULL;

        if (!its || strcmp(its, build) != 0)
            continue;
        has_950 =
            has_950 || strstr(other->text, "dav-3510") || strcasestr(other->text, "ascend950");
        has_others =
            has_others || strstr(other->text, "dav-2201") || strcasestr(other->text, "ascend910");
    }
    return has_950 && !has_others;
}

const char *ub_soc(const struct check *c, const struct src *s)
{
    if (c->device_soc)
        return c->device_soc;
    return is_for_950(c, s) ? "Ascend950PR_9599" : "Ascend910B2";
}

int64_t ub_bytes(const char *name)
{
    const struct npu_soc *soc = npu_soc_find(name);

    return soc ? (int64_t)soc->mem_bytes[MEM_UB] : -1;
}

void budget_print(const struct check *c, const struct budget *budget)
{
    const char *soc = ub_soc(c, budget->fn->src);
    int64_t limit = ub_bytes(soc), left = limit - budget->total;
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
        if (b->is_counted)
            snprintf(offset, sizeof(offset), "%lld", (long long)b->offset);
        else
            snprintf(offset, sizeof(offset), "-");
        printf("  %-16s %-10s %4s %-28s %10s %10s\n", b->name, b->position, n, b->length, bytes,
               offset);
    }
    printf("  total %lld%s of %lld bytes of UB (%s), ", (long long)budget->total,
           budget->is_open ? " and more" : "", (long long)limit, soc);
    if (left < 0)
        printf("over by %lld\n", (long long)-left);
    else
        printf("%lld left; %lld left below the reserved top %d\n", (long long)left,
               (long long)(left - RESERVED_BYTES), RESERVED_BYTES);
    free(name);
}
