/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_expr.c - the expressions of aclop.def.
 *
 *     aten::mul.Tensor(^x, aten::sigmoid(aten::mul.Scalar(^x, scale)))
 *
 * A call of an ATen operator over, by position: another call, an input (^input: halves in float,
 * +input: unsigned types in int64), [input]: the integers of an input as a list, an attribute,
 * attribute{word|word}: the number of its text among these, none, true, false, a number, 'text'.
 * Results go to the outputs in order; with a ; between expressions each of them goes to one output.
 * Rule: the same reader walks the text before the call is queued, without computing.
 */
#include "aclop.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 16, LISTS = 4, TEXTS = 2, SCHEMA = 64 };

struct reader {
    struct npu_aten_ctx *c; /* NULL: only looks */
    struct aclop_task *t;
    const char *at;
    int64_t list[LISTS][ACLOP_INTS];
    int n_lists, n_texts;
    char text[TEXTS][ACLOP_TEXT];
    bool is_refused;
};

static int read_call(struct reader *r);

static bool take(struct reader *r, char c)
{
    r->at += strspn(r->at, " ");
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* Characters of a name: of the schema, an input, an attribute. */
static size_t name_bytes(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_.:", at[n])))
        n++;
    return n;
}

static struct npu_value input_value(struct reader *r, int i, char how)
{
    const struct aclTensor *x = i < r->t->n_in ? r->t->in[i] : NULL;

    if (!r->c || !x)
        return NONE;
    if (how == '^')
        return V(wide(r->c, x));
    return how == '+' ? V(widened(r->c, x)) : TENSOR(r->c, x);
}

static struct npu_value input_list(struct reader *r)
{
    struct aclop_word w;
    const size_t n = name_bytes(r->at);
    const int i = aclop_find_word(r->t->row->inputs, r->at, n, &w);
    int64_t *to = r->list[r->n_lists++ % LISTS], count = 0;

    r->at += n;
    take(r, ']');
    if (r->c)
        count = aclop_ints(r->c, r->t->in[i], to);
    return (struct npu_value){.kind = V_INTS, .i = count, .p = to};
}

/* {none|mean|sum} behind an attribute: which of these its text is. */
static struct npu_value word_number(struct reader *r, const struct aclop_value *v)
{
    const char *words = r->at, *end = strchr(r->at, '}');

    for (int64_t i = 0; r->at < end; i++, r->at++) {
        const size_t n = strcspn(r->at, "|}");

        if (!strncmp(r->at, v->text, n) && !v->text[n]) {
            r->at = end + 1;
            return INT(i);
        }
        r->at += n;
    }
    snprintf(r->t->why, sizeof r->t->why, "%s is not one of: %.*s", v->text, (int)(end - words),
             words);
    r->is_refused = true;
    r->at = end + 1;
    return INT(0);
}

static struct npu_value attribute_value(struct reader *r, int i, char kind)
{
    const struct aclop_value *v = &r->t->attr[i];

    if (take(r, '{'))
        return word_number(r, v);
    switch (kind) {
    case 'f':
        return DOUBLE(v->real);
    case 'b':
        return BOOL(v->ints[0]);
    case 's':
        return TEXT(v->text);
    case 't':
        return DTYPE(v->ints[0]);
    case 'L':
        return (struct npu_value){.kind = V_INTS, .i = v->n, .p = v->ints};
    default:
        return INT(v->ints[0]);
    }
}

static struct npu_value literal(const char *name, size_t n)
{
    char text[ACLOP_TEXT];

    if (n == 4 && !strncmp(name, "none", n))
        return NONE;
    if (n == 4 && !strncmp(name, "true", n))
        return BOOL(1);
    if (n == 5 && !strncmp(name, "false", n))
        return BOOL(0);
    snprintf(text, ACLOP_TEXT, "%.*s", (int)n, name);
    return strchr(text, '.') ? DOUBLE(strtod(text, NULL)) : INT(strtoll(text, NULL, 10));
}

static struct npu_value quoted(struct reader *r)
{
    char *text = r->text[r->n_texts++ % TEXTS];
    const size_t n = strcspn(r->at, "'");

    snprintf(text, ACLOP_TEXT, "%.*s", (int)n, r->at);
    r->at += n + 1;
    return TEXT(text);
}

static struct npu_value read_argument(struct reader *r)
{
    const char how = *r->at == '^' || *r->at == '+' ? *r->at++ : 0;
    const bool is_negative = take(r, '-');
    struct aclop_word w;
    const char *name = r->at;
    size_t n;
    int i;

    if (take(r, '['))
        return input_list(r);
    if (take(r, '\''))
        return quoted(r);
    if (!strncmp(name, "aten::", 6))
        return V(read_call(r));
    n = name_bytes(name);
    r->at += n;
    i = aclop_find_word(r->t->row->inputs, name, n, &w);
    if (i >= 0)
        return input_value(r, i, how);
    i = aclop_find_word(r->t->row->attrs, name, n, &w);
    return i >= 0 ? attribute_value(r, i, w.kind) : literal(name - is_negative, n + is_negative);
}

static int read_call(struct reader *r)
{
    struct npu_value v[ARGUMENTS];
    const size_t n_name = name_bytes(r->at);
    char schema[SCHEMA];
    size_t n = 0;

    snprintf(schema, sizeof schema, "%.*s", (int)n_name, r->at);
    r->at += n_name;
    take(r, '(');
    do {
        r->at += strspn(r->at, " ");
        v[n++] = read_argument(r);
    } while (take(r, ',') && n < ARGUMENTS);
    take(r, ')');
    return r->c ? npu_aten()->call(r->c, schema, v, n) : 0;
}

bool aclop_express(struct npu_aten_ctx *c, struct aclop_task *t)
{
    struct reader r = {.c = c, .t = t, .at = t->row->schema};
    const bool is_each = strchr(t->row->schema, ';') != NULL;

    for (int i = 0; i < t->n_out; i++) {
        r.at += strspn(r.at, " ");
        const int v = read_call(&r);

        for (int k = i; c && k < (is_each ? i + 1 : t->n_out); k++)
            store(c, v + k - i, t->out[k]);
        if (!take(&r, ';'))
            break;
    }
    return !r.is_refused;
}
