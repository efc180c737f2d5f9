/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opdef.c - reads the class of an operator definition: inputs, outputs, attributes, and whose shape
 * and type an output has.
 *
 * A definition is code, but is written as a table: one chain of calls for each input, output and
 * attribute. What is not written so is refused by name.
 */
#include "opdef.h"
#include "optype_row.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name; /* DT_FLOAT */
    int bit;
} data_types[] = {
#define DATA_TYPE(number, name, bytes, class, text) {"DT_" #name, number},
#include "../sdk/include/acl/data_types.def"
#undef DATA_TYPE
};

/* One input, output or attribute while it is read. */
struct part {
    char *name, *value; /* value: of an attribute, as the row spells it; NULL: it has no default */
    uint64_t types, list[64]; /* list: as written, for the comparison of columns */
    size_t n_types;
    char kind; /* of an attribute: i f b s L; 0 */
    bool is_optional, is_dynamic;
};

struct reading {
    const struct check *c;
    const struct src *src;
    char **why;
    struct optype *row;
    struct own *own;
    struct cli_words inputs, outputs, attrs; /* words of the row */
    uint64_t list[MAX_WORDS][64];            /* of the inputs */
    size_t n_list[MAX_WORDS];
};

static bool refuse(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct reading *r, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (!*r->why)
        *r->why = cli_vfmt(fmt, ap);
    va_end(ap);
    return false;
}

/* ---- one chain of calls ---- */

static bool read_types(struct reading *r, struct part *part, struct span span)
{
    for (int32_t i = span.from; i < span.to; i++) {
        char *word = span_text(r->src, (struct span){i, i + 1});
        int bit = -1;

        for (size_t k = 0; k < sizeof(data_types) / sizeof(data_types[0]); k++)
            bit = strcmp(data_types[k].name, word) == 0 ? data_types[k].bit : bit;
        if (bit >= 0 && part->n_types < 64) {
            part->types |= (uint64_t)1 << bit;
            part->list[part->n_types++] = (uint64_t)1 << bit;
        }
        free(word);
    }
    return part->n_types ? true
                         : refuse(r, "the types of %s are no list of ge::DT_...", part->name);
}

/* "1.0f" as 1.0, "{1, 2}" as 1,2; a value with a blank, or one that is no literal, is none. */
static char *literal(const struct src *s, const struct call *call)
{
    struct span span = call->arg[0];
    char *text = call->n_args ? span_string(s, span) : NULL, *to = NULL;
    size_t n = 0;

    if (!text)
        text = call->n_args ? cli_fmt("%.*s", (int)(tok_at(s, call->close) - tok_at(s, span.from)),
                                      s->code + tok_at(s, span.from))
                            : cli_fmt("%s", "");
    to = text;
    for (const char *at = text; *at; at++)
        if (!strchr(" {}\n", *at))
            *to++ = *at;
    *to = '\0';
    n = strlen(text);
    if (n > 1 && strchr("fF", text[n - 1]) && strchr("0123456789.", text[n - 2]))
        text[n - 1] = '\0';
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        bool is_true = *text == 't';

        free(text);
        text = cli_fmt("%d", is_true);
    }
    return text;
}

static bool read_attr(struct reading *r, struct part *part, const struct call *call)
{
    static const struct {
        const char *method;
        char kind;
    } rows[] = {{"Int", 'i'}, {"Float", 'f'}, {"Bool", 'b'}, {"String", 's'}, {"ListInt", 'L'}};
    static const char *const others[] = {"ListFloat", "ListBool", "ListString", "ListListInt"};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (tok_is(r->src, call->name, rows[i].method)) {
            part->kind = rows[i].kind;
            free(part->value);
            part->value = call->n_args ? literal(r->src, call) : NULL;
        }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (tok_is(r->src, call->name, others[i]))
            return refuse(r, "attribute %s is a %s, which has no type in a schema here", part->name,
                          others[i]);
    return true;
}

static bool read_method(struct reading *r, struct part *part, const struct call *call)
{
    struct span all = {call->open, call->close};

    if (tok_is(r->src, call->name, "DataType") || tok_is(r->src, call->name, "DataTypeList"))
        return read_types(r, part, all);
    if (tok_is(r->src, call->name, "ParamType") || tok_is(r->src, call->name, "AttrType")) {
        part->is_optional = span_has(r->src, all, "OPTIONAL");
        part->is_dynamic = span_has(r->src, all, "DYNAMIC");
        return true;
    }
    return read_attr(r, part, call);
}

/* this->Input("x").A(...).B(...): what the calls behind the first one say. */
static bool read_chain(struct reading *r, struct part *part, const struct call *first, int32_t to)
{
    int32_t dot = first->close + 1;
    struct call call;

    while (tok_is(r->src, dot, ".")) {
        char *name = span_text(r->src, (struct span){dot + 1, dot + 2});
        int32_t at = dot + 1;
        bool is_call = next_call(r->src, name, &at, to, &call) && call.name == dot + 1;

        free(name);
        if (!is_call)
            return true;
        if (!read_method(r, part, &call))
            return false;
        dot = call.close + 1;
    }
    return true;
}

/* ---- what becomes of it ---- */

static bool is_same_list(const struct reading *r, size_t input, const struct part *part)
{
    return r->n_list[input] == part->n_types &&
           memcmp(r->list[input], part->list, part->n_types * sizeof(part->list[0])) == 0;
}

static bool add_input_part(struct reading *r, const struct part *part)
{
    struct own *own = r->own;

    if (own->n_in == MAX_WORDS)
        return refuse(r, "more than %d inputs", MAX_WORDS);
    if (!part->n_types)
        return refuse(r, "input %s has no DataType", part->name);
    if (own->n_in == 0 && part->is_optional)
        return refuse(r, "its first input, %s, is optional: nothing says where the results go",
                      part->name);
    memcpy(r->list[own->n_in], part->list, sizeof(part->list));
    r->n_list[own->n_in] = part->n_types;
    own->in[own->n_in] = (struct own_tensor){.types = part->types,
                                             .is_lead = own->n_in == 0 || is_same_list(r, 0, part)};
    snprintf(own->in[own->n_in].name, NAME_BYTES, "%s", part->name);
    own->n_in++;
    cli_word_add(&r->inputs, "%s%s", part->name,
                 part->is_dynamic    ? "*"
                 : part->is_optional ? "?"
                                     : "");
    return true;
}

/* Its types are those of an input, row by row, or one. */
static bool add_output_part(struct reading *r, const struct part *part)
{
    struct own *own = r->own;
    struct own_tensor *out = &own->out[own->n_out];
    bool is_one = part->types && (part->types & (part->types - 1)) == 0;

    if (own->n_out == OWN_OUTPUTS)
        return refuse(r, "more than %d outputs", OWN_OUTPUTS);
    if (part->is_dynamic || part->is_optional)
        return refuse(r, "output %s is not REQUIRED: how many results there are is not known",
                      part->name);
    for (size_t i = 0; i < own->n_in; i++)
        if (strcmp(own->in[i].name, part->name) == 0)
            return refuse(r, "output %s is an input too, written in place", part->name);
    *out = (struct own_tensor){.types = part->types};
    snprintf(out->name, NAME_BYTES, "%s", part->name);
    for (size_t i = 0; i < own->n_in && !out->type_of; i++)
        if (is_same_list(r, i, part))
            out->type_of = own->in[i].name;
    if (!out->type_of && !is_one)
        return refuse(r, "the types of output %s follow those of no input", part->name);
    own->n_out++;
    cli_word_add(&r->outputs, "%s", part->name);
    return true;
}

static bool add_attr_part(struct reading *r, const struct part *part)
{
    bool has_default = part->is_optional && part->value && *part->value &&
                       !strchr(part->value, '(') && strcmp(part->value, "{}") != 0;

    if (!part->kind)
        return refuse(r, "attribute %s has no type", part->name);
    cli_word_add(&r->attrs, "%s:%c%s%s", part->name, part->kind, has_default ? "=" : "",
                 has_default ? part->value : "");
    return true;
}

static bool read_parts(struct reading *r, int32_t from, int32_t to)
{
    static const struct {
        const char *method;
        bool (*add)(struct reading *, const struct part *);
    } rows[] = {{"Input", add_input_part}, {"Output", add_output_part}, {"Attr", add_attr_part}};
    struct call call;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int32_t at = from; next_call(r->src, rows[i].method, &at, to, &call);) {
            struct part part = {.name = call.n_args ? span_string(r->src, call.arg[0]) : NULL};
            bool is_read = !part.name || (read_chain(r, &part, &call, to) && rows[i].add(r, &part));

            free(part.name);
            free(part.value);
            if (!is_read)
                return false;
        }
    return r->own->n_in && r->own->n_out
               ? true
               : refuse(r, "it has %s", r->own->n_in ? "no output" : "no input");
}

/* ---- whose shape an output has ---- */

struct shape {
    char name[NAME_BYTES]; /* of a variable */
    bool is_output;
    long index;
};

/* context->GetInputShape(0) somewhere in the tokens. */
static bool find_shape(const struct src *s, int32_t from, int32_t to, struct shape *shape)
{
    for (int32_t i = from; i < to; i++) {
        bool is_output = tok_is(s, i, "GetOutputShape");

        if ((is_output || tok_is(s, i, "GetInputShape")) && tok_is(s, i + 1, "(")) {
            char *text = span_text(s, (struct span){i + 2, i + 3}), *end = NULL;

            shape->is_output = is_output;
            shape->index = strtol(text, &end, 10);
            i = end == text ? to : i;
            free(text);
            if (i < to)
                return true;
        }
    }
    return false;
}

/* A side of *y = *x: the shape itself or a variable of it. */
static bool side(const struct src *s, int32_t from, int32_t to, const struct shape *known, size_t n,
                 struct shape *shape)
{
    if (find_shape(s, from, to, shape))
        return true;
    for (size_t i = 0; i < n; i++)
        if (from + 1 == to && tok_is(s, from, known[i].name)) {
            *shape = known[i];
            return true;
        }
    return false;
}

static int32_t statement_end(const struct src *s, int32_t at, int32_t to)
{
    while (at < to && !tok_is(s, at, ";") && !tok_is(s, at, "{") && !tok_is(s, at, "}"))
        at++;
    return at;
}

static void keep_shape(struct own *own, const struct shape *out, const struct shape *in)
{
    if (out->is_output && !in->is_output && out->index >= 0 && in->index >= 0 &&
        (size_t)out->index < own->n_out && (size_t)in->index < own->n_in)
        own->out[out->index].shape_of = own->in[in->index].name;
}

/* InferShape as statements: T *y = ...GetOutputShape(0); and *y = *x; */
static void read_shapes(struct reading *r, const struct fn *fn)
{
    struct shape known[16], out, in;
    size_t n = 0;
    struct span body = {fn->body, fn->end};
    static const char *const changes[] = {"SetDim", "SetDimNum", "AppendDim", "SetScalar"};

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        if (span_has(fn->src, body, changes[i]))
            return;
    for (int32_t at = fn->body + 1, end = 0; at < fn->end; at = end + 1) {
        int32_t equal = at;

        end = statement_end(fn->src, at, fn->end);
        while (equal < end && !tok_is(fn->src, equal, "="))
            equal++;
        if (equal == end)
            continue;
        if (tok_is(fn->src, at, "*") && tok_is(fn->src, equal + 1, "*")) {
            if (side(fn->src, at + 1, equal, known, n, &out) &&
                side(fn->src, equal + 2, end, known, n, &in))
                keep_shape(r->own, &out, &in);
        } else if (n < 16 && find_shape(fn->src, equal, end, &known[n])) {
            char *name = span_text(fn->src, (struct span){equal - 1, equal});

            snprintf(known[n++].name, NAME_BYTES, "%s", name);
            free(name);
        }
    }
}

static void infer_shapes(struct reading *r, int32_t from, int32_t to)
{
    struct call call;
    int32_t at = from;
    const struct fn *fn = NULL;

    if (next_call(r->src, "SetInferShape", &at, to, &call) && call.n_args) {
        char *name = span_text(r->src, (struct span){call.arg[0].to - 1, call.arg[0].to});

        fn = fn_near(r->c, r->src, name, 1, false);
        free(name);
    }
    if (fn)
        read_shapes(r, fn);
    for (size_t i = 0; i < r->own->n_out; i++) {
        struct own_tensor *out = &r->own->out[i];

        if (!out->shape_of) {
            out->is_guessed = true;
            out->shape_of = r->own->in[0].name;
        }
    }
}

/* ---- the class ---- */

/* The { of class TYPE; CC_NONE. */
static int32_t class_body(const struct src *s, const char *type)
{
    for (int32_t i = 0; i < s->lex.n; i++)
        if (tok_is(s, i, "class") && tok_is(s, i + 1, type)) {
            int32_t open = statement_end(s, i, s->lex.n);

            if (tok_is(s, open, "{") && cc_mate(&s->lex, open) != CC_NONE)
                return open;
        }
    return CC_NONE;
}

static char *taken(struct cli_words *words)
{
    char *text = cli_words_joined(words, " ");

    cli_words_finish(words);
    return text;
}

static const struct optype *read_class(struct reading *r, const char *type, int32_t open)
{
    int32_t close = cc_mate(&r->src->lex, open);
    size_t room[2] = {0};

    r->own = cli_room(NULL, 0, &room[0], sizeof(*r->own));
    r->row = cli_room(NULL, 0, &room[1], sizeof(*r->row));
    *r->own = (struct own){0};
    if (!read_parts(r, open, close))
        return NULL;
    infer_shapes(r, open, close);
    *r->row = (struct optype){.type = cli_fmt("%s", type),
                              .inputs = taken(&r->inputs),
                              .outputs = taken(&r->outputs),
                              .attrs = taken(&r->attrs),
                              .types = r->own->in[0].types,
                              .check = "own",
                              .schema = "",
                              .own = r->own};
    return r->row;
}

const struct optype *opdef_read(const struct check *c, const char *type, char **why)
{
    struct call call;

    *why = NULL;
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (int32_t at = 0; s->lang == LANG_CPP && next_call(s, "OP_ADD", &at, s->lex.n, &call);)
            if (call.n_args && tok_is(s, call.arg[0].from, type)) {
                int32_t open = class_body(s, type);
                struct reading r = {.c = c, .src = s, .why = why};

                if (open != CC_NONE)
                    return read_class(&r, type, open);
                *why = cli_fmt("%s has OP_ADD(%s) and no class %s", s->name, type, type);
                return NULL;
            }
    }
    return NULL;
}
