/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop.c - single operators by GE type name (aclopCompileAndExecute), the older door.
 *
 * torch_npu takes it for what has no aclnn operator. A call is held against its row of aclop.def
 * first: names and number of the tensors, their types, each attribute. What the row does not
 * compute is refused on the caller's thread, by name; a stub that succeeds would leave the outputs
 * as they were. A type that is not in the table goes to the installed operator packages. Rule: the
 * descriptions belong to the caller, so a call is copied before it is queued.
 */
#include "../opp/aclop.h"
#include "aclop.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct aclop_row rows[] = {
#define ACLOP(type, level, inputs, outputs, attrs, types, check, schema, fn)                       \
    {type, ACLOP_##level, inputs, outputs, attrs, types, check, schema, fn},
#define ACLOP_full         NULL
#define ACLOP_partial(why) why
#include "aclop.def"
};

static const struct aclop_row *find(const char *type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].type, type))
            return &rows[i];
    return NULL;
}

const struct aclop_row *npu_aclop_row(uint32_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

static int refuse(const struct aclop_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct aclop_row *row, const char *format, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: %s", row->type, text);
}

/* ---- the words of a row ---- */

bool aclop_next_word(const char **at, struct aclop_word *w)
{
    const char *p = *at + strspn(*at, " ");

    *w = (struct aclop_word){.name = p, .n_name = (int)strcspn(p, ":?*~= ")};
    if (!*p)
        return false;
    p += w->n_name;
    if (*p == ':') {
        w->kind = p[1];
        p += 2;
    }
    if (*p && *p != ' ') {
        w->mark = p[0] == '=' && p[1] == '=' ? '!' : *p;
        w->value = p + (w->mark == '!' ? 2 : 1);
    }
    *at = p + strcspn(p, " ");
    return true;
}

int aclop_find_word(const char *words, const char *name, size_t n, struct aclop_word *w)
{
    for (int i = 0; aclop_next_word(&words, w); i++)
        if ((size_t)w->n_name == n && !strncmp(w->name, name, n))
            return i;
    return -1;
}

static bool is_named(const struct aclop_word *w, const char *name)
{
    return !strncmp(w->name, name, (size_t)w->n_name) && !name[w->n_name];
}

static int n_words(const char *at)
{
    struct aclop_word w;
    int n = 0;

    while (aclop_next_word(&at, &w))
        n++;
    return n;
}

/* ---- tensors ---- */

/* The letters behind the names of tensors. */
static const struct {
    char kind;
    bool or_t; /* and T of the call */
    uint64_t types;
} kinds[] = {
#define KIND(letter, or_t, types) {letter, or_t, types},
#include "aclop_kind.def"
#undef KIND
};

/* The types that a word of the row allows; t_type is T of the call once it is known, or -1. */
static uint64_t types_of(const struct aclop_row *row, char kind, int t_type)
{
    const uint64_t t = t_type < 0 ? row->types : BIT(t_type);

    if (kind == 'P')
        return row->types;
    if (kind == 'E') /* a quotient of bools is a number */
        return t_type == DT_BOOL ? BIT(DT_FLOAT) : t;
    if (kind == 'D') /* a product of int8 is int32, one of halves may stay float */
        return t_type == DT_INT8 ? BIT(DT_INT32) : t | BIT(DT_FLOAT);
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].types | (kinds[i].or_t && t_type >= 0 ? t : 0);
    return t;
}

static int check_type(const struct aclop_row *row, const struct aclop_word *w, int type,
                      int *t_type)
{
    const uint64_t allowed = types_of(row, w->kind, *t_type);
    char text[256];

    if (type < 0 || type > 63 || !(allowed >> type & 1))
        return refuse(row, "%.*s has type %s; allowed: %s", w->n_name, w->name,
                      npu_dtype_name(type), npu_types_text(allowed, text, sizeof text));
    if (!w->kind && *t_type < 0)
        *t_type = type;
    return ACL_OK;
}

static int check_format(const struct aclop_row *row, const struct aclTensorDesc *d)
{
    const int32_t format = d->storage_format >= 0 ? d->storage_format : d->format;

    if (npu_format_is_plain(format) || format == NPU_HWCN)
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                       "aclop %s: storage format %d is not supported; the twin "
                       "has plain formats only (ND, NCHW, NHWC, HWCN, NCDHW, NDHWC)",
                       row->type, format);
}

/* A contiguous tensor of a description. What lies in host memory is copied into *host. */
static int take_tensor(const struct aclop_row *row, const struct aclop_word *w,
                       const struct aclTensorDesc *d, const struct aclDataBuffer *b, void **host,
                       struct aclTensor **out)
{
    const struct npu_acl_shape *s = &d->shape;
    void *data = b && b->data ? b->data : d->const_data;
    size_t n_bytes = npu_dtype_bytes(d->type);

    if (check_format(row, d) != ACL_OK)
        return ACL_ERROR_API_NOT_SUPPORT;
    for (int i = 0; i < s->n_dims; i++)
        n_bytes *= s->dims[i] > 0 ? (size_t)s->dims[i] : 0;
    if (s->n_dims < 0 || s->n_dims > NPU_MAX_DIMS || (n_bytes && !data))
        return refuse(row, "%.*s has %s", w->n_name, w->name,
                      n_bytes ? "no memory" : "no known shape, or more than 25 dimensions");
    if (b && b->data && b->bytes < n_bytes)
        return refuse(row, "%.*s needs %zu bytes, its buffer has %zu", w->n_name, w->name, n_bytes,
                      b->bytes);
    if (host && (d->placement || data == d->const_data)) {
        *host = malloc(n_bytes + 1);
        if (!*host)
            return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclop %s: no memory", row->type);
        if (n_bytes)
            memcpy(*host, data, n_bytes);
        data = *host;
    }
    *out = aclCreateTensor(s->dims, (uint64_t)s->n_dims, d->type, NULL, 0, d->format, s->dims,
                           (uint64_t)s->n_dims, data);
    return *out ? ACL_OK : ACL_ERROR_INVALID_PARAM;
}

static bool is_absent(const struct aclTensorDesc *d)
{
    return !d || d->type < 0;
}

/* If every present input carries a name, names decide; otherwise the position does. Returns the
 * caller's number of the input that word i asks for, -1 when it is not there. */
static int input_of(const struct npu_aclop_call *call, const struct aclop_word *w, int i,
                    bool by_name)
{
    if (!by_name)
        return i < call->n_inputs && !is_absent(call->input_desc[i]) ? i : -1;
    for (int k = 0; k < call->n_inputs; k++)
        if (!is_absent(call->input_desc[k]) && is_named(w, call->input_desc[k]->name))
            return k;
    return -1;
}

static bool are_named(const struct npu_aclop_call *call)
{
    int n = 0;

    for (int k = 0; k < call->n_inputs; k++) {
        if (is_absent(call->input_desc[k]))
            continue;
        if (!call->input_desc[k]->name[0])
            return false;
        n++;
    }
    return n > 0;
}

/* A name that the row does not have would otherwise be an input that nobody reads. */
static int check_names(const struct aclop_row *row, const struct npu_aclop_call *call)
{
    for (int k = 0; k < call->n_inputs; k++) {
        const char *at = row->inputs;
        bool found = is_absent(call->input_desc[k]);
        struct aclop_word w;

        while (!found && aclop_next_word(&at, &w))
            found = is_named(&w, call->input_desc[k]->name);
        if (!found)
            return refuse(row, "no input is named %s; the inputs are: %s",
                          call->input_desc[k]->name, row->inputs);
        for (int other = 0; other < k; other++)
            if (!is_absent(call->input_desc[k]) && !is_absent(call->input_desc[other]) &&
                !strcmp(call->input_desc[other]->name, call->input_desc[k]->name))
                return refuse(row, "two inputs are named %s", call->input_desc[k]->name);
    }
    return ACL_OK;
}

/* A list takes all inputs that are left; torch_npu names them x0, x1, ... */
static int take_list(struct aclop_task *t, const struct npu_aclop_call *call,
                     const struct aclop_word *w, int first, int *t_type)
{
    for (int k = first; k < call->n_inputs; k++) {
        int rc;

        if (is_absent(call->input_desc[k]))
            return refuse(t->row, "input %d of the list is absent", k);
        rc = check_type(t->row, w, call->input_desc[k]->type, t_type);
        if (rc == ACL_OK)
            rc = take_tensor(t->row, w, call->input_desc[k], call->inputs[k], &t->host[k],
                             &t->in[k]);
        if (rc != ACL_OK)
            return rc;
    }
    t->n_in = call->n_inputs;
    return call->n_inputs > first ? ACL_OK
                                  : refuse(t->row, "the list %.*s is empty", w->n_name, w->name);
}

static int take_inputs(struct aclop_task *t, const struct npu_aclop_call *call, int *t_type)
{
    const bool by_name = are_named(call) && !strchr(t->row->inputs, '*');
    const char *at = t->row->inputs;
    struct aclop_word w;

    if (by_name && check_names(t->row, call) != ACL_OK)
        return ACL_ERROR_INVALID_PARAM;
    for (int i = 0; aclop_next_word(&at, &w); i++) {
        int k, rc;

        if (w.mark == '*')
            return take_list(t, call, &w, i, t_type);
        t->n_in = i + 1;
        k = input_of(call, &w, i, by_name);
        if (k < 0 && w.mark != '?')
            return refuse(t->row, "input %.*s is missing; the inputs are: %s", w.n_name, w.name,
                          t->row->inputs);
        if (k < 0)
            continue;
        rc = check_type(t->row, &w, call->input_desc[k]->type, t_type);
        if (rc == ACL_OK)
            rc = take_tensor(t->row, &w, call->input_desc[k], call->inputs[k], &t->host[i],
                             &t->in[i]);
        if (rc != ACL_OK)
            return rc;
    }
    return ACL_OK;
}

/* Of an output whose shape the result decides: where the caller wants to read it. */
static int take_shape(struct aclop_task *t, const struct npu_aclop_call *call, int i)
{
    if (!call->writes_shapes)
        return refuse(t->row, "the shape of its output is known only when it has run; call "
                              "aclopCompileAndExecuteV2, which returns it");
    t->shape[i] = &call->output_desc[i]->shape;
    return ACL_OK;
}

static int take_outputs(struct aclop_task *t, const struct npu_aclop_call *call, int *t_type)
{
    const char *at = t->row->outputs;
    struct aclop_word w;

    for (int i = 0; aclop_next_word(&at, &w); i++) {
        int rc = ACL_OK;

        t->n_out = i + 1;
        if (is_absent(call->output_desc[i]) && w.mark == '?')
            continue;
        if (is_absent(call->output_desc[i]))
            return refuse(t->row, "output %.*s is missing", w.n_name, w.name);
        rc = check_type(t->row, &w, call->output_desc[i]->type, t_type);
        if (rc == ACL_OK)
            rc = take_tensor(t->row, &w, call->output_desc[i], call->outputs[i], NULL, &t->out[i]);
        if (rc == ACL_OK && w.mark == '*')
            rc = take_shape(t, call, i);
        if (rc != ACL_OK)
            return rc;
    }
    return ACL_OK;
}

/* Absent inputs at the end may be those that the documentation reserves. */
static int check_counts(const struct aclop_row *row, const struct npu_aclop_call *call)
{
    const int n_in = strchr(row->inputs, '*') ? ACLOP_TENSORS : n_words(row->inputs);
    int n = call->n_inputs;

    while (n > n_in && is_absent(call->input_desc[n - 1]))
        n--;
    if (n <= n_in && call->n_outputs == n_words(row->outputs))
        return ACL_OK;
    return refuse(row, "takes %d inputs (%s) and %d outputs (%s), got %d and %d", n_in, row->inputs,
                  n_words(row->outputs), row->outputs, call->n_inputs, call->n_outputs);
}

/* ---- attributes ---- */

/* "-1" or "1,2" or "constant", as the row writes it. */
static void parse_default(const struct aclop_word *w, struct aclop_value *v)
{
    const char *at = w->value;

    if (w->mark != '=' && w->mark != '!')
        return;
    if (w->kind == 's') {
        snprintf(v->text, sizeof v->text, "%.*s", (int)strcspn(at, " "), at);
        return;
    }
    v->real = strtod(at, NULL);
    while (*at && *at != ' ' && v->n < ACLOP_INTS) {
        v->ints[v->n++] = strtoll(at, NULL, 10);
        at += strcspn(at, ", ");
        at += *at == ',';
    }
}

static enum npu_attr_kind attr_kind(char kind)
{
    switch (kind) {
    case 'i':
        return ATTR_INT;
    case 'f':
        return ATTR_FLOAT;
    case 'b':
        return ATTR_BOOL;
    case 's':
        return ATTR_STRING;
    case 't':
        return ATTR_TYPE;
    default:
        return ATTR_LIST_INT;
    }
}

static int take_value(const struct aclop_row *row, const struct aclop_word *w,
                      const struct npu_attr *a, struct aclop_value *v)
{
    static const char *const NAMES[] = {"Bool", "Int", "Float", "String", "DataType"};
    const enum npu_attr_kind kind = attr_kind(w->kind);

    if (a->kind != kind)
        return refuse(row, "attribute %s has another type; it is set with aclopSetAttr%s", a->name,
                      kind < 5 ? NAMES[kind] : "ListInt");
    v->given = true;
    if (kind == ATTR_STRING) {
        snprintf(v->text, sizeof v->text, "%s", a->strings[0]);
    } else if (kind == ATTR_FLOAT) {
        v->real = (double)a->floats[0];
    } else {
        if (a->n > ACLOP_INTS)
            return refuse(row, "attribute %s has %d values, at most %d are meaningful", a->name,
                          a->n, ACLOP_INTS);
        v->n = a->n;
        if (a->n)
            memcpy(v->ints, a->ints, (size_t)a->n * sizeof *v->ints);
    }
    return ACL_OK;
}

static bool same_value(char kind, const struct aclop_value *a, const struct aclop_value *b)
{
    if (kind == 's')
        return !strcmp(a->text, b->text);
    if (kind == 'f')
        return a->real == b->real;
    return a->n == b->n && !memcmp(a->ints, b->ints, (size_t)a->n * sizeof *a->ints);
}

static int take_attribute(struct aclop_task *t, const struct aclop_word *w, int i,
                          const struct aclopAttr *attr)
{
    char name[64];
    struct aclop_value only = {0};
    const struct npu_attr *a;
    int rc = ACL_OK;

    snprintf(name, sizeof name, "%.*s", w->n_name, w->name);
    a = npu_attr_find(attr, name);
    parse_default(w, &only);
    t->attr[i] = only;
    if (!a)
        return w->mark ? ACL_OK : refuse(t->row, "attribute %s is missing", name);
    t->attr[i] = (struct aclop_value){0};
    rc = take_value(t->row, w, a, &t->attr[i]);
    if (rc == ACL_OK && w->mark == '!' && !same_value(w->kind, &t->attr[i], &only))
        return refuse(t->row, "attribute %s is computed for %.*s only", name,
                      (int)strcspn(w->value, " "), w->value);
    return rc;
}

/* Each attribute that was set must be one of the row; a leading _ is a hint to the compiler. */
static int take_attributes(struct aclop_task *t, const struct aclopAttr *attr)
{
    const char *at = t->row->attrs;
    struct aclop_word w;

    for (int i = 0; aclop_next_word(&at, &w); i++)
        if (take_attribute(t, &w, i, attr) != ACL_OK)
            return ACL_ERROR_INVALID_PARAM;
    for (const struct npu_attr *a = attr ? attr->first : NULL; a; a = a->next) {
        bool known = a->name[0] == '_';

        for (at = t->row->attrs; !known && aclop_next_word(&at, &w);)
            known = is_named(&w, a->name);
        if (!known)
            return refuse(t->row, "there is no attribute %s; the attributes are: %s", a->name,
                          t->row->attrs[0] ? t->row->attrs : "none");
    }
    return ACL_OK;
}

/* ---- one call ---- */

static void task_free(void *p)
{
    struct aclop_task *t = p;

    for (int i = 0; i < ACLOP_TENSORS; i++) {
        npu_obj_drop(t->in[i]);
        free(t->host[i]);
    }
    for (int i = 0; i < ACLOP_OUTPUTS; i++)
        npu_obj_drop(t->out[i]);
    free(t);
}

static bool is_expression(const struct aclop_row *row)
{
    return row->schema && strchr(row->schema, '(');
}

static int run_task(void *arg, struct npu_diag *story)
{
    struct aclop_task *t = arg;
    struct npu_aten_ctx *c = npu_aten()->begin();
    struct npu_value v[ACLOP_TENSORS];
    char text[768];

    if (t->row->fn) {
        t->row->fn(c, t);
    } else if (is_expression(t->row)) {
        aclop_express(c, t);
    } else {
        for (int i = 0; i < t->n_in; i++)
            v[i] = TENSOR(c, t->in[i]);
        store(c, npu_aten()->call(c, t->row->schema, v, (size_t)t->n_in), t->out[0]);
    }
    if (!npu_aten()->end(c, text, sizeof text))
        return ACL_OK;
    npu_fail(story, NPU_E_ARG, "aclop %s: %s", t->row->type, text);
    return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

static int take_call(struct aclop_task *t, const struct npu_aclop_call *call)
{
    int t_type = -1;
    int rc = check_counts(t->row, call);

    if (rc == ACL_OK)
        rc = take_attributes(t, call->attr);
    if (rc == ACL_OK)
        rc = take_inputs(t, call, &t_type);
    if (rc == ACL_OK)
        rc = take_outputs(t, call, &t_type);
    if (rc == ACL_OK && (!t->row->check(t) || (is_expression(t->row) && !aclop_express(NULL, t))))
        rc = refuse(t->row, "%s", t->why);
    return rc;
}

/* Chips of the A5 generation have aclnn only; torch_npu says so by itself, other callers do not. */
static int check_chip(const char *type)
{
    const struct npu_soc *soc = npu_rt_soc();

    if (!soc || soc->arch < 3510)
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                       "aclop %s: %s has no aclop operators; use the aclnn operator, or a chip of "
                       "the Ascend910B or Ascend910_93 series",
                       type, soc->name);
}

int npu_aclop_execute(const struct npu_aclop_call *call)
{
    const struct aclop_row *row = call->op_type ? find(call->op_type) : NULL;
    struct aclop_task *t;
    int rc = check_chip(call->op_type ? call->op_type : "(null)");

    if (rc != ACL_OK)
        return rc;
    if (!row)
        return npu_opp_aclop(call);
    if (!npu_aten())
        return ACLNN_ERR_INNER;
    t = calloc(1, sizeof *t);
    if (!t)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclop %s: no memory", call->op_type);
    t->row = row;
    rc = take_call(t, call);
    if (rc != ACL_OK) {
        task_free(t);
        return rc;
    }
    rc = npu_rt_enqueue(call->stream, row->type, run_task, t, NULL, task_free);
    /* The caller reads the shapes next. */
    return rc == ACL_OK && strchr(row->outputs, '*') ? npu_rt_synchronize(call->stream) : rc;
}
