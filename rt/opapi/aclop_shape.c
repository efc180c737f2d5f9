/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_shape.c - the shapes that the rows of aclop.def take.
 *
 * A wrong shape that is found here is an error on the caller's thread; found when the call runs, it
 * makes the device unusable. Rule: nothing is read from device memory, so an integer that lies
 * there is believed, and aclop_fn.c looks at it again.
 */
#include "aclop_shape.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The attribute of that name; every row that names fn declares it. */
const struct aclop_value *aclop_attr(const struct aclop_task *t, const char *name)
{
    static const struct aclop_value none;
    const char *word = t->row->attrs;
    const size_t n = strlen(name);

    for (int i = 0; *(word += strspn(word, " ")); i++, word += strcspn(word, " "))
        if (!strncmp(word, name, n) && word[n] == ':')
            return &t->attr[i];
    return &none;
}

const int64_t *aclop_host_ints(const struct aclop_task *t, int input, int64_t room[ACLOP_INTS])
{
    const int64_t n = npu_tensor_numel(t->in[input]);

    if (!t->host[input] || n > ACLOP_INTS)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        room[i] = t->in[input]->dtype == DT_INT32 ? ((const int32_t *)t->host[input])[i]
                                                  : ((const int64_t *)t->host[input])[i];
    return room;
}

/* ---- shapes ---- */

bool shape_no(struct aclop_task *t, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(t->why, sizeof t->why, format, ap);
    va_end(ap);
    return false;
}

bool same_dims(const struct aclTensor *a, const struct aclTensor *b)
{
    return a->n_dims == b->n_dims && !memcmp(a->dim, b->dim, a->n_dims * sizeof *a->dim);
}

bool shape_any(struct aclop_task *t)
{
    (void)t;
    return true;
}

/* All outputs have the shape of the first input. */
bool shape_out(struct aclop_task *t)
{
    for (int i = 0; i < t->n_out; i++)
        if (t->out[i] && !same_dims(t->out[i], t->in[0]))
            return shape_no(t, "output %d has shape %s, the input %s", i, npu_shape_text(t->out[i]),
                            npu_shape_text(t->in[0]));
    return true;
}

/* The logarithm of an integer is not an integer. */
bool shape_float(struct aclop_task *t)
{
    if (npu_dtype_is_int(t->out[0]->dtype) || t->out[0]->dtype == DT_BOOL)
        return shape_no(t, "y has type %s; the result is a real number",
                        npu_dtype_name(t->out[0]->dtype));
    return shape_out(t);
}

int64_t from_end(const struct aclTensor *t, uint32_t k)
{
    return k < t->n_dims ? t->dim[t->n_dims - 1 - k] : 1;
}

static bool spreads_over(const struct aclTensor *a, const struct aclTensor *b)
{
    bool ok = a->n_dims <= b->n_dims;

    for (uint32_t k = 0; ok && k < a->n_dims; k++)
        ok = from_end(a, k) == 1 || from_end(a, k) == from_end(b, k);
    return ok;
}

/* Every input broadcasts over the first. */
static bool shape_inputs(struct aclop_task *t)
{
    for (int i = 1; i < t->n_in; i++)
        if (t->in[i] && !spreads_over(t->in[i], t->in[0]))
            return shape_no(t, "input %d of shape %s does not broadcast over the first, %s", i,
                            npu_shape_text(t->in[i]), npu_shape_text(t->in[0]));
    return true;
}

/* Elementwise: the inputs of the same type and all outputs have the shape of the first input. */
bool shape_same(struct aclop_task *t)
{
    for (int i = 1; i < t->n_in; i++)
        if (t->in[i] && t->in[i]->dtype == t->in[0]->dtype && !same_dims(t->in[i], t->in[0]))
            return shape_no(t, "input %d has shape %s, the first %s", i, npu_shape_text(t->in[i]),
                            npu_shape_text(t->in[0]));
    return shape_out(t);
}

/* The inputs broadcast to the output. */
bool shape_spread(struct aclop_task *t)
{
    const struct aclTensor *out = t->out[0];

    for (int i = 0; i < t->n_in; i++)
        if (t->in[i]->n_dims > out->n_dims)
            return shape_no(t, "input %d has %u dimensions, the output %u", i, t->in[i]->n_dims,
                            out->n_dims);
    for (uint32_t k = 0; k < out->n_dims; k++) {
        int64_t size = 1;

        for (int i = 0; i < t->n_in; i++) {
            const int64_t d = from_end(t->in[i], k);

            if (d != 1 && size != 1 && d != size)
                return shape_no(t, "input %d of shape %s does not broadcast with the others", i,
                                npu_shape_text(t->in[i]));
            size = d != 1 ? d : size;
        }
        if (from_end(out, k) != size)
            return shape_no(
                t,
                "the output has shape %s, but the inputs broadcast to %lld in dimension "
                "%u from the end",
                npu_shape_text(out), (long long)size, k + 1);
    }
    return true;
}

/* value is one element, of a type of its own. */
bool shape_addcdiv(struct aclop_task *t)
{
    if (npu_tensor_numel(t->in[3]) != 1)
        return shape_no(t, "value has shape %s; it is one element", npu_shape_text(t->in[3]));
    if (t->in[0]->dtype == DT_BF16 && t->in[3]->dtype == DT_INT32)
        return shape_no(t, "value has type int32; not beside an input_data of bfloat16");
    return shape_spread(t);
}

bool shape_threshold(struct aclop_task *t)
{
    const double value = aclop_attr(t, "value")->real;

    return shape_same(t) && (!npu_dtype_is_int(t->in[0]->dtype) || fabs(value) < 0x1p63 ||
                             shape_no(t, "value is %g; an x of integers does not hold it", value));
}

bool shape_cast(struct aclop_task *t)
{
    const int64_t type = aclop_attr(t, "dst_type")->ints[0];

    if (type != t->out[0]->dtype)
        return shape_no(t, "dst_type is %lld, but the output has type %s (%d)", (long long)type,
                        npu_dtype_name(t->out[0]->dtype), t->out[0]->dtype);
    return shape_same(t);
}

/* gamma (beta) has the shape of x from dimension first on. */
static bool check_tail(struct aclop_task *t, int input, const char *name, int64_t first)
{
    const struct aclTensor *x = t->in[0], *g = t->in[input];

    if (!g)
        return true;
    if ((int64_t)g->n_dims == (int64_t)x->n_dims - first &&
        !memcmp(g->dim, x->dim + first, g->n_dims * sizeof *g->dim))
        return true;
    return shape_no(t, "%s has shape %s, but x of shape %s needs its dimensions from %lld on", name,
                    npu_shape_text(g), npu_shape_text(x), (long long)first);
}

/* mean and rstd: as x, with 1 from dimension first on. */
static bool check_statistics(struct aclop_task *t, int64_t first)
{
    const struct aclTensor *x = t->in[0];

    if (!same_dims(t->out[0], x))
        return shape_no(t, "y has shape %s, x %s", npu_shape_text(t->out[0]), npu_shape_text(x));
    for (int i = 1; i < t->n_out; i++)
        for (int64_t k = 0; k < (int64_t)x->n_dims || k < (int64_t)t->out[i]->n_dims; k++)
            if (t->out[i]->n_dims != x->n_dims || t->out[i]->dim[k] != (k < first ? x->dim[k] : 1))
                return shape_no(t,
                                "output %d has shape %s; it needs as many dimensions as x of shape "
                                "%s, with 1 from dimension %lld on",
                                i, npu_shape_text(t->out[i]), npu_shape_text(x), (long long)first);
    for (int i = 1; i < t->n_out; i++)
        if (t->out[i]->dtype != DT_FLOAT && t->out[i]->dtype != x->dtype)
            return shape_no(t, "output %d has type %s; allowed: float32 and the type of x, %s", i,
                            npu_dtype_name(t->out[i]->dtype), npu_dtype_name(x->dtype));
    return true;
}

int64_t aclop_axis(const struct aclTensor *x, int64_t axis)
{
    const int64_t n = x->n_dims, a = axis < 0 ? axis + n : axis;

    return a >= 0 && a < n ? a : -1;
}

bool shape_layer_norm(struct aclop_task *t)
{
    const int64_t norm = aclop_axis(t->in[0], aclop_attr(t, "begin_norm_axis")->ints[0]);
    const int64_t params = aclop_axis(t->in[0], aclop_attr(t, "begin_params_axis")->ints[0]);

    if (norm < 0 || params < 0)
        return shape_no(t,
                        "begin_norm_axis %lld and begin_params_axis %lld: x of shape %s has %u "
                        "dimensions",
                        (long long)aclop_attr(t, "begin_norm_axis")->ints[0],
                        (long long)aclop_attr(t, "begin_params_axis")->ints[0],
                        npu_shape_text(t->in[0]), t->in[0]->n_dims);
    return check_tail(t, 1, "gamma", params) && check_tail(t, 2, "beta", params) &&
           check_statistics(t, norm);
}

bool shape_layer_norm_v4(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *shape = t->in[1];
    const int64_t n = npu_tensor_numel(shape), first = (int64_t)x->n_dims - n;
    int64_t room[ACLOP_INTS];
    const int64_t *v = aclop_host_ints(t, 1, room);

    if (shape->n_dims > 1 || n < 1 || first < 0)
        return shape_no(t, "normalized_shape has shape %s; it is a list of 1 to %u dimensions",
                        npu_shape_text(shape), x->n_dims);
    for (int64_t i = 0; v && i < n; i++)
        if (v[i] != x->dim[first + i])
            return shape_no(
                t, "normalized_shape has %lld at %lld, but x of shape %s has %lld there",
                (long long)v[i], (long long)i, npu_shape_text(x), (long long)x->dim[first + i]);
    return check_tail(t, 2, "gamma", first) && check_tail(t, 3, "beta", first) &&
           check_statistics(t, first);
}

bool shape_rms_norm(struct aclop_task *t)
{
    const int64_t first = (int64_t)t->in[0]->n_dims - (int64_t)t->in[1]->n_dims;

    if (first < 0)
        return shape_no(t, "gamma has more dimensions than x");
    return check_tail(t, 1, "gamma", first) && check_statistics(t, first);
}

/* dy x rstd gamma -> dx dgamma */
bool shape_rms_norm_grad(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[1], *gamma = t->in[3];
    const int64_t first = (int64_t)x->n_dims - (int64_t)gamma->n_dims;
    bool ok = first >= 0 && t->in[2]->n_dims == x->n_dims;

    for (int64_t k = 0; ok && k < (int64_t)x->n_dims; k++)
        ok = t->in[2]->dim[k] == (k < first ? x->dim[k] : 1) &&
             (k < first || gamma->dim[k - first] == x->dim[k]);
    if (!ok || !same_dims(t->in[0], x))
        return shape_no(
            t, "dy of shape %s, x of shape %s, rstd of shape %s and gamma of shape %s do not fit",
            npu_shape_text(t->in[0]), npu_shape_text(x), npu_shape_text(t->in[2]),
            npu_shape_text(gamma));
    return (same_dims(t->out[0], x) && same_dims(t->out[1], gamma)) ||
           shape_no(t, "dx has shape %s, x %s; dgamma %s, gamma %s", npu_shape_text(t->out[0]),
                    npu_shape_text(x), npu_shape_text(t->out[1]), npu_shape_text(gamma));
}

/* x1 x2 gamma -> y rstd x */
bool shape_add_rms_norm(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *rstd = t->out[1];
    const int64_t first = (int64_t)x->n_dims - (int64_t)t->in[2]->n_dims;
    bool ok = first >= 0 && rstd->n_dims == x->n_dims;

    for (int64_t k = 0; ok && k < (int64_t)x->n_dims; k++)
        ok = rstd->dim[k] == (k < first ? x->dim[k] : 1);
    if (!same_dims(t->in[1], x) || !same_dims(t->out[0], x) || !same_dims(t->out[2], x) || !ok)
        return shape_no(t, "x1 has shape %s, x2 %s, gamma %s, y %s, rstd %s, x %s",
                        npu_shape_text(x), npu_shape_text(t->in[1]), npu_shape_text(t->in[2]),
                        npu_shape_text(t->out[0]), npu_shape_text(rstd), npu_shape_text(t->out[2]));
    return check_tail(t, 2, "gamma", first);
}

/* features labels -> loss, a value for each row, and backprop */
bool shape_cross_entropy(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    struct dims d = {1, {x->dim[0]}};

    if (x->n_dims != 2 || !same_dims(x, t->in[1]) || !same_dims(x, t->out[1]))
        return shape_no(
            t, "features has shape %s, labels %s, backprop %s; they need the same 2 dimensions",
            npu_shape_text(x), npu_shape_text(t->in[1]), npu_shape_text(t->out[1]));
    return has_shape(t, 0, &d);
}

/* ---- shapes that follow from integers: known here only while the caller keeps them on the host
 * ---- */

void add_dim(struct dims *d, int64_t size)
{
    if (d->n < ACLOP_INTS)
        d->dim[d->n] = size;
    d->n++;
}

bool has_shape(struct aclop_task *t, int output, const struct dims *d)
{
    const struct aclTensor *out = t->out[output];
    char text[128] = "";
    size_t at = 0;

    if ((int64_t)out->n_dims == d->n &&
        !memcmp(out->dim, d->dim, (size_t)out->n_dims * sizeof *out->dim))
        return true;
    for (int64_t i = 0; i < d->n && i < ACLOP_INTS && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i ? ", " : "",
                               (long long)d->dim[i]);
    return shape_no(t, "output %d has shape %s; the result has [%s]", output, npu_shape_text(out),
                    text);
}

bool host_list(struct aclop_task *t, int input, const char *name, int64_t n,
               int64_t room[ACLOP_INTS], const int64_t **v)
{
    const int64_t has = npu_tensor_numel(t->in[input]);

    *v = aclop_host_ints(t, input, room);
    return has == n ||
           shape_no(t, "%s has %lld values; %lld are needed", name, (long long)has, (long long)n);
}

bool no_axis(struct aclop_task *t, const char *name, int64_t axis)
{
    return shape_no(t, "%s %lld: x of shape %s has no such dimension", name, (long long)axis,
                    npu_shape_text(t->in[0]));
}

bool no_list(struct aclop_task *t, const char *name, int64_t n)
{
    return shape_no(t, "attribute %s has %lld values; %lld are needed", name,
                    (long long)aclop_attr(t, name)->n, (long long)n);
}

bool reduced_to(struct aclop_task *t, const int64_t *axes, int64_t n, bool keep, struct dims *d)
{
    const struct aclTensor *x = t->in[0];
    uint64_t gone = 0;

    for (int64_t i = 0; i < n; i++) {
        const int64_t a = aclop_axis(x, axes[i]);

        if (!x->n_dims && (axes[i] == 0 || axes[i] == -1))
            continue;
        if (a < 0)
            return no_axis(t, "axis", axes[i]);
        if (gone >> a & 1)
            return shape_no(t, "axis %lld is named twice", (long long)a);
        gone |= 1ull << a;
    }
    for (uint32_t k = 0; k < x->n_dims; k++)
        if (!(gone >> k & 1))
            add_dim(d, x->dim[k]);
        else if (keep)
            add_dim(d, 1);
    return true;
}

int64_t all_axes(const struct aclTensor *x, int64_t room[ACLOP_INTS])
{
    for (uint32_t k = 0; k < x->n_dims; k++)
        room[k] = k;
    return x->n_dims;
}

/* No axes: none, or all of them with noop_with_empty_axes false. */
bool shape_reduce(struct aclop_task *t)
{
    const struct aclop_value *noop = aclop_attr(t, "noop_with_empty_axes");
    struct dims d = {0};
    int64_t room[ACLOP_INTS], n = npu_tensor_numel(t->in[1]);
    const int64_t *axes = aclop_host_ints(t, 1, room);

    if (n && !axes)
        return true;
    if (!n && noop->n && !noop->ints[0])
        n = all_axes(t->in[0], room);
    return reduced_to(t, room, n, flag(t, "keep_dims"), &d) && has_shape(t, 0, &d);
}

bool shape_norm_reduce(struct aclop_task *t)
{
    const struct aclop_value *axes = aclop_attr(t, "axes");
    struct dims d = {0};
    int64_t room[ACLOP_INTS], n = axes->n;

    memcpy(room, axes->ints, sizeof room);
    if (!n)
        n = all_axes(t->in[0], room);
    if (!reduced_to(t, room, n, flag(t, "keepdim"), &d))
        return false;
    for (int64_t k = 0; k < n && t->in[0]->n_dims && fabs(aclop_attr(t, "p")->real) >= 0x1p31; k++)
        if (!t->in[0]->dim[aclop_axis(t->in[0], room[k])])
            return shape_no(t,
                            "x has shape %s; an infinite p asks for the largest or smallest of no "
                            "elements",
                            npu_shape_text(t->in[0]));
    return has_shape(t, 0, &d);
}

bool shape_extreme(struct aclop_task *t)
{
    struct dims d = {0};

    return reduced_to(t, aclop_attr(t, "dimension")->ints, 1, flag(t, "keep_dims"), &d) &&
           has_shape(t, 0, &d) && has_shape(t, 1, &d);
}

bool shape_slice(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    int64_t room[2][ACLOP_INTS];
    const int64_t *begin, *size;
    struct dims d = {0};

    if (!host_list(t, 1, "offsets", x->n_dims, room[0], &begin) ||
        !host_list(t, 2, "size", x->n_dims, room[1], &size))
        return false;
    for (uint32_t k = 0; begin && size && k < x->n_dims; k++) {
        const int64_t n = size[k] == -1 ? x->dim[k] - begin[k] : size[k];

        if (begin[k] < 0 || n < 0 || begin[k] > x->dim[k] - n)
            return shape_no(t, "offset %lld and size %lld leave dimension %u of x, which has %lld",
                            (long long)begin[k], (long long)size[k], k, (long long)x->dim[k]);
        add_dim(&d, n);
    }
    return !begin || !size || has_shape(t, 0, &d);
}

bool shape_transpose(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    int64_t room[ACLOP_INTS];
    const int64_t *perm;
    struct dims d = {0};
    uint64_t seen = 0;

    if (!host_list(t, 1, "perm", x->n_dims, room, &perm))
        return false;
    for (uint32_t k = 0; perm && k < x->n_dims; k++) {
        const int64_t a = aclop_axis(x, perm[k]);

        if (a < 0)
            return no_axis(t, "perm", perm[k]);
        if (seen >> a & 1)
            return shape_no(t, "perm names dimension %lld twice", (long long)a);
        seen |= 1ull << a;
        add_dim(&d, x->dim[a]);
    }
    return !perm || has_shape(t, 0, &d);
}

bool shape_tile(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    int64_t room[ACLOP_INTS];
    const int64_t *times;
    struct dims d = {0};

    if (!host_list(t, 1, "multiples", x->n_dims, room, &times))
        return false;
    for (uint32_t k = 0; times && k < x->n_dims; k++) {
        if (times[k] < 0)
            return shape_no(t, "multiples has %lld at %u", (long long)times[k], k);
        add_dim(&d, x->dim[k] * times[k]);
    }
    return !times || has_shape(t, 0, &d);
}

/* begin, end and strides go together; the result is looked at when it runs. */
bool shape_strided_slice(struct aclop_task *t)
{
    const int64_t n = npu_tensor_numel(t->in[1]),
                  ellipsis = aclop_attr(t, "ellipsis_mask")->ints[0];

    for (int i = 2; i < 4; i++)
        if (npu_tensor_numel(t->in[i]) != n)
            return shape_no(t, "begin has %lld values, input %d %lld", (long long)n, i,
                            (long long)npu_tensor_numel(t->in[i]));
    return !(ellipsis & (ellipsis - 1)) ||
           shape_no(t, "ellipsis_mask is %lld; at most one place is an ellipsis",
                    (long long)ellipsis);
}

/* condition has the shape of the others, or names their rows, or is one. */
bool shape_select(struct aclop_task *t)
{
    const struct aclTensor *condition = t->in[0], *x = t->in[1];

    if (!same_dims(x, t->in[2]) || !same_dims(x, t->out[0]))
        return shape_no(t, "x1 has shape %s, x2 %s, y %s", npu_shape_text(x),
                        npu_shape_text(t->in[2]), npu_shape_text(t->out[0]));
    if (same_dims(condition, x) || !condition->n_dims ||
        (condition->n_dims == 1 && x->n_dims && condition->dim[0] == x->dim[0]))
        return true;
    return shape_no(t, "condition has shape %s; it needs that of x1, %s, or its first dimension",
                    npu_shape_text(condition), npu_shape_text(x));
}

/* What a padding may be filled with, by the row. */
static bool is_pad_mode(struct aclop_task *t, int64_t n_dims, const int64_t *before,
                        const int64_t *after)
{
    static const char *const modes[][2] = {{"PadV3", "constant reflect edge"},
                                           {"MirrorPad", "REFLECT SYMMETRIC"}};
    const char *mode = aclop_attr(t, "mode")->text,
               *allowed = strcmp(t->row->type, "PadV3") ? modes[1][1] : modes[0][1];
    const char *at = *mode ? strstr(allowed, mode) : allowed;
    const int64_t least = !strcmp(mode, "reflect") || !strcmp(mode, "REFLECT") ? 1 : 0;

    if (!at || (*mode && at[strlen(mode)] && at[strlen(mode)] != ' '))
        return shape_no(t, "mode is %s; allowed: %s", mode, allowed);
    if (!*mode || !strcmp(mode, "constant"))
        return true;
    if (aclop_input(t, 2))
        return shape_no(t, "mode %s takes no constant_values", mode);
    for (int64_t k = 0; k < n_dims; k++) {
        const int64_t most = !strcmp(mode, "edge") ? INT64_MAX : t->in[0]->dim[k] - least;

        if (before[k] < 0 || after[k] < 0 || before[k] > most || after[k] > most ||
            (!t->in[0]->dim[k] && before[k] + after[k]))
            return shape_no(t,
                            "paddings %lld and %lld of dimension %lld of x of shape %s; mode %s "
                            "allows 0 to %lld",
                            (long long)before[k], (long long)after[k], (long long)k,
                            npu_shape_text(t->in[0]), mode, (long long)most);
    }
    return true;
}

/* Pairs of a dimension side by side, or all begins before all ends. */
bool shape_pad(struct aclop_task *t)
{
    const struct aclop_value *contiguous = aclop_attr(t, "paddings_contiguous");
    const bool by_pairs = !contiguous->n || contiguous->ints[0];
    const struct aclTensor *x = t->in[0];
    const int64_t n = x->n_dims;
    int64_t room[ACLOP_INTS], before[ACLOP_INTS], after[ACLOP_INTS];
    const int64_t *pad;
    struct dims d = {0};

    if (!host_list(t, 1, "paddings", 2 * n, room, &pad))
        return false;
    for (int64_t k = 0; pad && k < n; k++) {
        before[k] = by_pairs ? pad[2 * k] : pad[k];
        after[k] = by_pairs ? pad[2 * k + 1] : pad[n + k];
    }
    if (!is_pad_mode(t, pad ? n : 0, before, after))
        return false;
    for (int64_t k = 0; pad && k < n; k++) {
        const int64_t size = x->dim[k] + before[k] + after[k];

        if (size < 0)
            return shape_no(t, "paddings leave dimension %lld of x of shape %s with %lld elements",
                            (long long)k, npu_shape_text(x), (long long)size);
        add_dim(&d, size);
    }
    return !pad || has_shape(t, 0, &d);
}

static bool is_n_right(struct aclop_task *t)
{
    const struct aclop_value *n = aclop_attr(t, "N");

    return !n->given || n->ints[0] == t->n_in ||
           shape_no(t, "N is %lld, but there are %d inputs", (long long)n->ints[0], t->n_in);
}

bool shape_concat(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int64_t dim = aclop_attr(t, "concat_dim")->ints[0], axis = aclop_axis(x, dim);
    struct dims d = {0};

    if (axis < 0)
        return no_axis(t, "concat_dim", dim);
    for (uint32_t k = 0; k < x->n_dims; k++)
        add_dim(&d, x->dim[k]);
    for (int i = 1; i < t->n_in; i++) {
        if (t->in[i]->n_dims != x->n_dims)
            return shape_no(t, "input %d has shape %s, the first %s", i, npu_shape_text(t->in[i]),
                            npu_shape_text(x));
        for (uint32_t k = 0; k < x->n_dims; k++)
            if (k != axis && t->in[i]->dim[k] != x->dim[k])
                return shape_no(
                    t,
                    "input %d has shape %s; it may differ from the first, %s, in dimension "
                    "%lld only",
                    i, npu_shape_text(t->in[i]), npu_shape_text(x), (long long)axis);
        d.dim[axis] += t->in[i]->dim[axis];
    }
    return is_n_right(t) && has_shape(t, 0, &d);
}

bool shape_pack(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int64_t n = (int64_t)x->n_dims + 1, given = aclop_attr(t, "axis")->ints[0];
    const int64_t axis = given < 0 ? given + n : given;
    struct dims d = {0};

    if (axis < 0 || axis >= n)
        return shape_no(t, "axis %lld is not in [%lld, %lld)", (long long)given, (long long)-n,
                        (long long)n);
    for (int64_t k = 0; k < n; k++)
        add_dim(&d, k == axis ? t->n_in : x->dim[k - (k > axis)]);
    for (int i = 1; i < t->n_in; i++)
        if (!same_dims(t->in[i], x))
            return shape_no(t, "input %d has shape %s, the first %s", i, npu_shape_text(t->in[i]),
                            npu_shape_text(x));
    return is_n_right(t) && has_shape(t, 0, &d);
}

int64_t aclop_batch_dims(const struct aclop_task *t)
{
    const int64_t n = aclop_attr(t, "batch_dims")->ints[0];

    return n < 0 ? n + (int64_t)t->in[0]->n_dims : n;
}

static bool has_batch(struct aclop_task *t, int64_t batch)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1];
    const int64_t most = x->n_dims < index->n_dims ? x->n_dims : index->n_dims;

    if (batch < 0 || (batch && batch >= most))
        return shape_no(
            t, "batch_dims is %lld; x of shape %s and indices of shape %s allow %lld to %lld",
            (long long)aclop_attr(t, "batch_dims")->ints[0], npu_shape_text(x),
            npu_shape_text(index), (long long)-most, (long long)(most ? most - 1 : 0));
    return !memcmp(x->dim, index->dim, (size_t)batch * sizeof *x->dim) ||
           shape_no(t,
                    "x of shape %s and indices of shape %s differ in their first %lld dimensions",
                    npu_shape_text(x), npu_shape_text(index), (long long)batch);
}

bool shape_gather(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *index = t->in[1];
    const int64_t batch = aclop_batch_dims(t);
    int64_t room[ACLOP_INTS], axis;
    const int64_t *v;
    struct dims d = {0};

    if (!has_batch(t, batch) || !host_list(t, 2, "axis", 1, room, &v))
        return false;
    if (!v)
        return true;
    axis = aclop_axis(x, *v);
    if (axis < 0)
        return no_axis(t, "axis", *v);
    if (axis < batch)
        return shape_no(t, "axis is %lld, in front of the %lld dimensions of batch_dims",
                        (long long)*v, (long long)batch);
    for (int64_t k = 0; k < (int64_t)x->n_dims; k++) {
        if (k != axis)
            add_dim(&d, x->dim[k]);
        for (int64_t i = batch; k == axis && i < (int64_t)index->n_dims; i++)
            add_dim(&d, index->dim[i]);
    }
    return has_shape(t, 0, &d);
}

static bool takes_host_shape(struct aclop_task *t, int input)
{
    int64_t room[ACLOP_INTS];
    const int64_t *v = aclop_host_ints(t, input, room);
    struct dims d = {0};

    for (int64_t i = 0; v && i < npu_tensor_numel(t->in[input]); i++)
        add_dim(&d, v[i]);
    return !v || has_shape(t, 0, &d);
}

bool shape_fill(struct aclop_task *t)
{
    if (npu_tensor_numel(t->in[1]) != 1)
        return shape_no(t, "value has shape %s; it is one element", npu_shape_text(t->in[1]));
    return takes_host_shape(t, 0);
}

bool shape_broadcast_to(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *out = t->out[0];

    if (!takes_host_shape(t, 1))
        return false;
    for (uint32_t k = 0; k < x->n_dims; k++)
        if (x->n_dims > out->n_dims || (from_end(x, k) != 1 && from_end(x, k) != from_end(out, k)))
            return shape_no(t, "x of shape %s does not broadcast to %s", npu_shape_text(x),
                            npu_shape_text(out));
    return true;
}

/* ---- losses ---- */

/* The inputs of the type of x spread over the first; reduction none keeps its shape, the others
 * leave one element. */
bool shape_loss(struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0], *y = t->out[0];

    if (!shape_inputs(t))
        return false;
    if (!strcmp(aclop_attr(t, "reduction")->text, "none"))
        return same_dims(y, x) ||
               shape_no(
                   t,
                   "output 0 has shape %s; without a reduction it has that of the first input, %s",
                   npu_shape_text(y), npu_shape_text(x));
    return npu_tensor_numel(y) == 1 ||
           shape_no(t, "output 0 has shape %s; the reduction %s leaves one element",
                    npu_shape_text(y), aclop_attr(t, "reduction")->text);
}

bool shape_lp_loss(struct aclop_task *t)
{
    const int64_t p = aclop_attr(t, "p")->ints[0];

    return p == 1 ? shape_loss(t)
                  : shape_no(t, "p is %lld; the documentation has p 1 only", (long long)p);
}

/* The gradient has the shape of the first input, whatever the reduction. */
bool shape_loss_grad(struct aclop_task *t)
{
    return shape_inputs(t) && shape_out(t);
}

/* ---- products ---- */

/* m, k of the first and k, n of the second factor, transposed as asked. */
static bool multiply_to(struct aclop_task *t, bool first, bool second, struct dims *d)
{
    const struct aclTensor *a = t->in[0], *b = t->in[1];

    if (from_end(a, first ? 1 : 0) != from_end(b, second ? 0 : 1))
        return shape_no(t, "x1 of shape %s%s and x2 of shape %s%s do not multiply",
                        npu_shape_text(a), first ? ", transposed," : "", npu_shape_text(b),
                        second ? ", transposed," : "");
    add_dim(d, from_end(a, first ? 0 : 1));
    add_dim(d, from_end(b, second ? 1 : 0));
    return true;
}

bool shape_matmul(struct aclop_task *t)
{
    const struct aclTensor *bias = t->n_in > 2 ? t->in[2] : NULL;
    const bool is_int = npu_dtype_is_int(t->in[0]->dtype);
    struct dims d = {0};

    if (bias && (is_int ? bias->dtype != DT_INT32 : npu_dtype_is_int(bias->dtype)))
        return shape_no(t,
                        "bias has type %s beside %s; it is int32 for integers, else a real number",
                        npu_dtype_name(bias->dtype), npu_dtype_name(t->in[0]->dtype));

    if (t->in[0]->n_dims != 2 || t->in[1]->n_dims != 2)
        return shape_no(t, "x1 of shape %s and x2 of shape %s must have 2 dimensions",
                        npu_shape_text(t->in[0]), npu_shape_text(t->in[1]));
    if (!multiply_to(t, flag(t, "transpose_x1"), flag(t, "transpose_x2"), &d))
        return false;
    for (uint32_t k = 0; bias && k < bias->n_dims; k++)
        if (bias->n_dims > 2 || (from_end(bias, k) != 1 && from_end(bias, k) != d.dim[1 - k]))
            return shape_no(t, "bias of shape %s does not broadcast to [%lld, %lld]",
                            npu_shape_text(bias), (long long)d.dim[0], (long long)d.dim[1]);
    return has_shape(t, 0, &d);
}

bool shape_batch_matmul(struct aclop_task *t)
{
    const struct aclTensor *a = t->in[0], *b = t->in[1];
    const uint32_t n = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    struct dims d = {0};

    if (a->n_dims < 2 || b->n_dims < 2)
        return shape_no(t, "x1 of shape %s and x2 of shape %s must have at least 2 dimensions",
                        npu_shape_text(a), npu_shape_text(b));
    for (uint32_t k = n; k > 2; k--) {
        const int64_t p = from_end(a, k - 1), q = from_end(b, k - 1);

        if (p != q && p != 1 && q != 1)
            return shape_no(t, "the batches of x1 of shape %s and x2 of shape %s do not broadcast",
                            npu_shape_text(a), npu_shape_text(b));
        add_dim(&d, p == 1 ? q : p);
    }
    return multiply_to(t, flag(t, "adj_x1"), flag(t, "adj_x2"), &d) && has_shape(t, 0, &d);
}
