/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_conv.c - convolutions and their gradients by GE type name, each with the shapes it takes.
 *
 * data_format says the order of dimensions. A check puts the views of the tensors and the
 * attributes that count dimensions into torch's order, channels first; everything behind it knows
 * no other. Halves are computed in float and rounded once.
 */
#include "aclop_shape.h"
#include <stdio.h>
#include <string.h>

/* ---- the order of dimensions ---- */

/* The letters of a format; of a filter N is the channel that it makes. */
static const char *letters_of(int32_t format, const char *otherwise)
{
    static const struct {
        int32_t format;
        const char *letters;
    } known[] = {{NPU_NCHW, "NCHW"},
                 {NPU_NHWC, "NHWC"},
                 {NPU_HWCN, "HWCN"},
                 {NPU_NCDHW, "NCDHW"},
                 {NPU_NDHWC, "NDHWC"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].format == format)
            return known[i].letters;
    return otherwise; /* ND says nothing */
}

/* A value a dimension, from one order to the other. */
static void reorder(int64_t *v, const char *from, const char *to)
{
    int64_t old[ACLOP_INTS];
    const size_t n = strlen(to);

    memcpy(old, v, n * sizeof *v);
    for (size_t k = 0; k < n; k++)
        v[k] = old[strchr(from, to[k]) - from];
}

/* The view only: the memory stays as it is. */
static void turn(struct aclTensor *x, const char *from, const char *to)
{
    reorder(x->dim, from, to);
    reorder(x->stride, from, to);
    x->format = strlen(to) == 5 ? NPU_NCDHW : NPU_NCHW;
}

static bool turn_tensors(struct aclop_task *t, struct aclTensor **x, int n, const char *kind,
                         const struct aclTensor *filter, const char *from, const char *to)
{
    for (int i = 0; i < n; i++) {
        if (!x[i] || x[i] == filter || x[i]->n_dims != strlen(to))
            continue; /* sizes and biases have one dimension, and a wrong one is told of later */
        if (strcmp(letters_of(x[i]->format, from), from))
            return shape_no(t, "%s %d is described as %s, data_format is %s", kind, i,
                            letters_of(x[i]->format, from), from);
        turn(x[i], from, to);
    }
    return true;
}

/*
 * Everything as torch has it, then the check. A filter lies as its description says; where that is
 * ND, as the documentation pairs it: NCHW beside NCHW, HWCN beside NHWC, DHWCN beside NDHWC. n:
 * dimensions of the window.
 */
static bool in_torch_order(struct aclop_task *t, uint32_t n, struct aclTensor *filter,
                           bool (*check)(struct aclop_task *t, uint32_t n))
{
    static const char *const lists[] = {"strides", "dilations", "output_padding"};
    const char *first = n == 3 ? "NCDHW" : "NCHW", *last = n == 3 ? "NDHWC" : "NHWC";
    const char *format = aclop_attr(t, "data_format")->text, *of_filter;
    const char *from = strcmp(format, first) ? last : first;

    if (strcmp(format, from))
        return shape_no(t, "data_format is %s; allowed: %s %s", format, first, last);
    of_filter = letters_of(filter->format, from == first ? first : n == 3 ? "DHWCN" : "HWCN");
    if (filter->n_dims != n + 2 || strlen(of_filter) != n + 2)
        return shape_no(t, "filter has shape %s and format %s; it needs %u dimensions",
                        npu_shape_text(filter), of_filter, n + 2);
    if (!turn_tensors(t, t->in, t->n_in, "input", filter, from, first) ||
        !turn_tensors(t, t->out, t->n_out, "output", filter, from, first))
        return false;
    turn(filter, of_filter, first);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct aclop_value *v = (struct aclop_value *)(uintptr_t)aclop_attr(t, lists[i]);

        if (v->n == n + 2)
            reorder(v->ints, from, first);
    }
    if (check(t, n))
        return true;
    if (from != first) {
        const size_t n_why = strlen(t->why);

        snprintf(t->why + n_why, sizeof t->why - n_why, " (dimensions in the order %s)", first);
    }
    return false;
}

/* ---- the window ---- */

/* How a window walks, from the attributes; torch's order of dimensions. */
struct walk {
    uint32_t n; /* of dimensions behind the channels */
    int64_t stride[3], dilation[3], before[3], after[3], kernel[3];
};

/* filter has its window behind two dimensions. */
static bool take_walk(struct aclop_task *t, const struct aclTensor *filter, uint32_t n,
                      struct walk *w)
{
    const struct aclop_value *stride = aclop_attr(t, "strides"),
                             *dilation = aclop_attr(t, "dilations");
    const struct aclop_value *pad = aclop_attr(t, "pads");

    *w = (struct walk){.n = n};
    if (stride->n != n + 2)
        return no_list(t, "strides", n + 2);
    if (dilation->n != n + 2)
        return no_list(t, "dilations", n + 2);
    if (pad->n != 2 * n)
        return no_list(t, "pads", 2 * n);
    for (uint32_t k = 0; k < n; k++) {
        w->stride[k] = stride->ints[k + 2];
        w->dilation[k] = dilation->ints[k + 2];
        w->before[k] = pad->ints[2 * k];
        w->after[k] = pad->ints[2 * k + 1];
        w->kernel[k] = filter->dim[k + 2];
        if (w->stride[k] < 1 || w->dilation[k] < 1 || w->before[k] < 0 || w->after[k] < 0)
            return shape_no(t, "strides and dilations are at least 1, pads at least 0");
    }
    return true;
}

/* image, filter and feature map of a convolution fit each other. */
static bool fits_walk(struct aclop_task *t, const struct walk *w, const int64_t *image,
                      const int64_t *filter, const struct aclTensor *map)
{
    const int64_t groups = aclop_attr(t, "groups")->n ? aclop_attr(t, "groups")->ints[0] : 1;
    const int64_t channels = filter[1] * groups;

    if (map->n_dims != w->n + 2 || groups < 1 || image[1] != channels || map->dim[1] != filter[0] ||
        image[0] != map->dim[0] || filter[0] % groups)
        return shape_no(t,
                        "an image of %lld channels, a filter of [%lld, %lld, ...] in %lld groups "
                        "and a feature map of "
                        "shape %s do not fit",
                        (long long)image[1], (long long)filter[0], (long long)filter[1],
                        (long long)groups, npu_shape_text(map));
    for (uint32_t k = 0; k < w->n; k++) {
        const int64_t room =
            image[k + 2] + w->before[k] + w->after[k] - w->dilation[k] * (w->kernel[k] - 1) - 1;

        if (room < 0 || room / w->stride[k] + 1 != map->dim[k + 2])
            return shape_no(
                t,
                "dimension %u of the feature map has %lld elements; image %lld, pads %lld and "
                "%lld, kernel "
                "%lld, stride %lld and dilation %lld make %lld",
                k + 2, (long long)map->dim[k + 2], (long long)image[k + 2], (long long)w->before[k],
                (long long)w->after[k], (long long)w->kernel[k], (long long)w->stride[k],
                (long long)w->dilation[k], (long long)(room < 0 ? 0 : room / w->stride[k] + 1));
    }
    return true;
}

static bool bias_fits(struct aclop_task *t, int i, const struct aclTensor *x, int64_t channels)
{
    const struct aclTensor *bias = aclop_input(t, i);

    if (aclop_input(t, i + 1))
        return shape_no(t, "offset_w is reserved; leave it out");
    if (bias && npu_tensor_numel(bias) != channels)
        return shape_no(t, "bias has shape %s; the result has %lld channels", npu_shape_text(bias),
                        (long long)channels);
    if (bias && !((x->dtype == DT_INT8 ? BIT(DT_INT32) : FLOATS) >> bias->dtype & 1))
        return shape_no(t, "bias has type %s, x %s; a bias is int32 for int8, else a real number",
                        npu_dtype_name(bias->dtype), npu_dtype_name(x->dtype));
    return true;
}

static uint32_t window_of(const struct aclop_task *t)
{
    return strstr(t->row->type, "Conv3D") ? 3 : 2;
}

/* x filter bias offset_w -> y */
static bool conv_fits(struct aclop_task *t, uint32_t n)
{
    const struct aclTensor *x = t->in[0], *filter = t->in[1];
    struct walk w;

    if (x->n_dims != n + 2)
        return shape_no(t, "x has shape %s; it needs %u dimensions", npu_shape_text(x), n + 2);
    return take_walk(t, filter, n, &w) && bias_fits(t, 2, x, filter->dim[0]) &&
           fits_walk(t, &w, x->dim, filter->dim, t->out[0]);
}

bool shape_conv(struct aclop_task *t)
{
    return in_torch_order(t, window_of(t), t->in[1], conv_fits);
}

/* int8 products add up in double, which holds every int32. */
static int factor_of(struct npu_aten_ctx *c, const struct aclTensor *x)
{
    return x->dtype == DT_INT8 ? at(c, "aten::to.dtype", TENSOR(c, x), DTYPE(DT_DOUBLE))
                               : wide(c, x);
}

static int padded(struct npu_aten_ctx *c, const struct walk *w, int v, int sign, int64_t fill)
{
    int64_t pad[6];

    for (uint32_t k = 0; k < w->n; k++) { /* from the last dimension on */
        pad[2 * k] = sign * w->before[w->n - 1 - k];
        pad[2 * k + 1] = sign * w->after[w->n - 1 - k];
    }
    return at(c, "aten::constant_pad_nd", V(v), list(pad, 2 * w->n), INT(fill));
}

static int plus_bias(struct npu_aten_ctx *c, const struct aclop_task *t, int i, int v)
{
    const struct aclTensor *bias = aclop_input(t, i);

    return bias ? add(c, v, channel(c, t->out[0], value(c, bias))) : v;
}

static int64_t groups_of(const struct aclop_task *t)
{
    return aclop_attr(t, "groups")->n ? aclop_attr(t, "groups")->ints[0] : 1;
}

static const int64_t zeros[3];

/* offset_x stands in the padding. */
void fn_conv(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    struct walk w;
    int v;

    take_walk((struct aclop_task *)(uintptr_t)t, t->in[1], t->in[0]->n_dims - 2, &w);
    v = padded(c, &w, factor_of(c, t->in[0]), 1, aclop_attr(t, "offset_x")->ints[0]);
    v = at(c, "aten::convolution", V(v), V(factor_of(c, t->in[1])), NONE, list(w.stride, w.n),
           list(zeros, w.n), list(w.dilation, w.n), BOOL(false), list(zeros, w.n),
           INT(groups_of(t)));
    store(c, plus_bias(c, t, 2, v), t->out[0]);
}

/* The list of sizes that the caller gives: as long as the output, and equal to it. */
static bool sizes_match(struct aclop_task *t, int i)
{
    const struct aclTensor *out = t->out[0];
    int64_t room[ACLOP_INTS];
    const int64_t *v;
    struct dims d = {0};

    if (!host_list(t, i, "the size", out->n_dims, room, &v))
        return false;
    for (uint32_t k = 0; v && k < out->n_dims; k++)
        add_dim(&d, v[k]);
    return !v || has_shape(t, 0, &d);
}

/* x filter_size out_backprop -> y, the gradient of the filter */
static bool conv_filter_fits(struct aclop_task *t, uint32_t n)
{
    const struct aclTensor *x = t->in[0], *y = t->out[0], *grad = t->in[2];
    struct walk w;

    if (x->n_dims != n + 2)
        return shape_no(t, "x has shape %s; it needs %u dimensions", npu_shape_text(x), n + 2);
    return take_walk(t, y, n, &w) && fits_walk(t, &w, x->dim, y->dim, grad);
}

bool shape_conv_filter(struct aclop_task *t)
{
    return sizes_match(t, 1) && in_torch_order(t, window_of(t), t->out[0], conv_filter_fits);
}

void fn_conv_filter(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    struct walk w;
    int filter;

    take_walk((struct aclop_task *)(uintptr_t)t, t->out[0], x->n_dims - 2, &w);
    filter = at(c, "aten::zeros", dims_of(t->out[0]),
                DTYPE(x->dtype == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT));
    filter = at(c, "aten::convolution_backward", V(wide(c, t->in[2])),
                V(padded(c, &w, wide(c, x), 1, 0)), V(filter), NONE, list(w.stride, w.n),
                list(zeros, w.n), list(w.dilation, w.n), BOOL(false), list(zeros, w.n),
                INT(groups_of(t)), INTS(false, true, false));
    store(c, filter + 1, t->out[0]);
}

/* input_size filter out_backprop -> y, the gradient of the image. As a transposed convolution:
 * input_size x filter bias. */
static int map_at(const struct aclop_task *t)
{
    return strstr(t->row->type, "Transpose") ? 1 : 2;
}

/* The image without output_padding, which only a transposed convolution has. */
static bool take_image(struct aclop_task *t, const struct walk *w, int64_t image[5])
{
    const struct aclop_value *more = aclop_attr(t, "output_padding");

    memcpy(image, t->out[0]->dim, (w->n + 2) * sizeof *image);
    if (!more->n)
        return true;
    if (more->n != w->n + 2)
        return no_list(t, "output_padding", w->n + 2);
    for (uint32_t k = 0; k < w->n + 2; k++) {
        const int64_t end = k < 2                                   ? 1
                            : w->stride[k - 2] > w->dilation[k - 2] ? w->stride[k - 2]
                                                                    : w->dilation[k - 2];

        if (more->ints[k] < 0 || more->ints[k] >= end)
            return shape_no(t, "output_padding has %lld at %u; allowed: 0 to %lld",
                            (long long)more->ints[k], k, (long long)end - 1);
        image[k] -= more->ints[k];
    }
    return true;
}

static bool conv_input_fits(struct aclop_task *t, uint32_t n)
{
    const int at_map = map_at(t);
    const struct aclTensor *map = t->in[at_map], *filter = t->in[3 - at_map], *y = t->out[0];
    int64_t image[5];
    struct walk w;

    if (map->n_dims != n + 2)
        return shape_no(t, "input %d has shape %s; it needs %u dimensions", at_map,
                        npu_shape_text(map), n + 2);
    if (y->n_dims != n + 2)
        return shape_no(t, "output 0 has shape %s, input %d %s", npu_shape_text(y), at_map,
                        npu_shape_text(map));
    return take_walk(t, filter, n, &w) && take_image(t, &w, image) &&
           fits_walk(t, &w, image, filter->dim, map) &&
           (at_map == 2 || bias_fits(t, 3, map, y->dim[1]));
}

bool shape_conv_input(struct aclop_task *t)
{
    return sizes_match(t, 0) &&
           in_torch_order(t, window_of(t), t->in[3 - map_at(t)], conv_input_fits);
}

/* What the map spreads to reaches over the pads; behind it there are zeros. */
void fn_conv_input(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int at_map = map_at(t);
    const struct aclTensor *map = t->in[at_map], *filter = t->in[3 - at_map], *y = t->out[0];
    struct walk w;
    int v;

    take_walk((struct aclop_task *)(uintptr_t)t, filter, map->n_dims - 2, &w);
    v = at(c, "aten::convolution", V(factor_of(c, map)), V(factor_of(c, filter)), NONE,
           list(w.stride, w.n), list(zeros, w.n), list(w.dilation, w.n), BOOL(true),
           list(zeros, w.n), INT(groups_of(t)));
    for (uint32_t k = 0; k < w.n; k++)
        w.after[k] = (map->dim[k + 2] - 1) * w.stride[k] + w.dilation[k] * (w.kernel[k] - 1) + 1 -
                     w.before[k] - y->dim[k + 2];
    store(c, plus_bias(c, t, 3, padded(c, &w, v, -1, 0)), t->out[0]);
}
