/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_nn.c - operators of neural networks by GE type name: batch normalisation, max pooling,
 * dropout, attention, quantisation. The shapes that each takes stand before it.
 *
 * Tensors are NCHW and NCDHW. Halves are computed in float and rounded once.
 */
#include "aclop_shape.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Another order of the dimensions than the kernels here read. */
static bool is_channels_first(struct aclop_task *t)
{
    for (int i = 0; i < t->n_in; i++)
        if (t->in[i] && (t->in[i]->format == NPU_NHWC || t->in[i]->format == NPU_NDHWC ||
                         t->in[i]->format == NPU_HWCN))
            return shape_no(t, "input %d has its channels last (NHWC); pass NCHW", i);
    return true;
}

/* ---- batch normalisation ---- */

/* Inputs from first on, and all outputs but those like x, have a value for each channel of x. */
static bool has_channels(struct aclop_task *t, const struct aclTensor *x, int first)
{
    if (x->n_dims < 2)
        return shape_no(t, "x of shape %s has no dimension of channels", npu_shape_text(x));
    for (int i = first; i < t->n_in; i++)
        if (npu_tensor_numel(t->in[i]) != x->dim[1])
            return shape_no(t, "input %d has shape %s; x has %lld channels", i,
                            npu_shape_text(t->in[i]), (long long)x->dim[1]);
    for (int i = 0; i < t->n_out; i++)
        if (!same_dims(t->out[i], x) && npu_tensor_numel(t->out[i]) != x->dim[1])
            return shape_no(t, "output %d has shape %s; x of shape %s has %lld channels", i,
                            npu_shape_text(t->out[i]), npu_shape_text(x), (long long)x->dim[1]);
    return is_channels_first(t);
}

bool shape_bn(struct aclop_task *t)
{
    return has_channels(t, t->in[0], 1);
}

/* Gradients: of the output, then x. */
bool shape_bn_grad(struct aclop_task *t)
{
    return same_dims(t->in[0], t->in[1])
               ? has_channels(t, t->in[0], 2)
               : shape_no(t, "grads has shape %s, x %s", npu_shape_text(t->in[0]),
                          npu_shape_text(t->in[1]));
}

static int sum_channels(struct npu_aten_ctx *c, const struct aclTensor *x, int v)
{
    int64_t axes[ACLOP_INTS], n = 0;

    for (uint32_t k = 0; k < x->n_dims; k++)
        if (k != 1)
            axes[n++] = k;
    return at(c, "aten::sum.dim_IntList", V(v), list(axes, n), BOOL(false));
}

static double count(const struct aclTensor *x)
{
    return (double)npu_tensor_numel(x) / (double)x->dim[1];
}

static int subtract(struct npu_aten_ctx *c, int a, int b)
{
    return at(c, "aten::sub.Tensor", V(a), V(b));
}

static int times(struct npu_aten_ctx *c, int a, double factor)
{
    return at(c, "aten::mul.Tensor", V(a), DOUBLE(factor));
}

static int one_over_deviation(struct npu_aten_ctx *c, const struct aclop_task *t, int variance)
{
    return at(c, "aten::rsqrt",
              V(at(c, "aten::add.Tensor", V(variance), DOUBLE(aclop_attr(t, "epsilon")->real))));
}

void fn_bn_reduce(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int v = wide(c, x);

    store(c, sum_channels(c, x, v), t->out[0]);
    store(c, sum_channels(c, x, at(c, "aten::square", V(v))), t->out[1]);
}

/* (x - mean) / deviation * scale + offset; mean and the rest are a value for each channel. */
static int normalised(struct npu_aten_ctx *c, const struct aclop_task *t, int mean, int rstd,
                      int scale, int offset)
{
    const struct aclTensor *x = t->in[0];
    const int v = multiply(c, subtract(c, wide(c, x), channel(c, x, mean)),
                           channel(c, x, multiply(c, rstd, scale)));

    return add(c, v, channel(c, x, offset));
}

/* old + factor * (new - old) */
static int moved(struct npu_aten_ctx *c, const struct aclTensor *old, int new, double factor)
{
    const int v = at(c, "aten::reshape", V(new), dims_of(old));

    return add(c, times(c, value(c, old), 1 - factor), times(c, v, factor));
}

/* sum and square_sum are those of BNTrainingReduce. The running variance is that of a sample. */
void fn_bn_update(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const double n = count(t->in[0]), factor = aclop_attr(t, "factor")->real;
    const int mean = at(c, "aten::reshape", V(times(c, value(c, t->in[1]), 1 / n)), INTS(-1));
    const int mean_square =
        at(c, "aten::reshape", V(times(c, value(c, t->in[2]), 1 / n)), INTS(-1));
    const int variance = at(c, "aten::clamp_min",
                            V(subtract(c, mean_square, at(c, "aten::square", V(mean)))), INT(0));
    const int scale = at(c, "aten::reshape", TENSOR(c, t->in[3]), INTS(-1));
    const int y =
        normalised(c, t, mean, one_over_deviation(c, t, variance), scale, value(c, t->in[4]));
    const int running_mean = moved(c, t->in[5], mean, factor);
    const int running_variance =
        moved(c, t->in[6], times(c, variance, n > 1 ? n / (n - 1) : 1), factor);

    store(c, y, t->out[0]);
    store(c, running_mean, t->out[1]);
    store(c, running_variance, t->out[2]);
    store(c, mean, t->out[3]);
    store(c, variance, t->out[4]);
}

void fn_bn_infer(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int rstd = one_over_deviation(c, t, value(c, t->in[4]));

    store(c, normalised(c, t, value(c, t->in[3]), rstd, value(c, t->in[1]), value(c, t->in[2])),
          t->out[0]);
}

void fn_bn_infer_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int rstd = one_over_deviation(c, t, value(c, t->in[2]));

    store(
        c,
        multiply(c, wide(c, t->in[0]), channel(c, t->in[0], multiply(c, value(c, t->in[1]), rstd))),
        t->out[0]);
}

/* x without mean, over its deviation. */
static int centred(struct npu_aten_ctx *c, const struct aclop_task *t, int mean, int rstd)
{
    const struct aclTensor *x = t->in[1];

    return multiply(c, subtract(c, wide(c, x), channel(c, x, mean)), channel(c, x, rstd));
}

void fn_bn_update_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int rstd = one_over_deviation(c, t, value(c, t->in[3])), g = wide(c, t->in[0]);
    const int x = centred(c, t, value(c, t->in[2]), rstd);

    store(c, sum_channels(c, t->in[0], multiply(c, g, x)), t->out[0]);
    store(c, sum_channels(c, t->in[0], g), t->out[1]);
}

/* scale / deviation * (grads - mean of grads - x * mean of grads * x) */
void fn_bn_reduce_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *like = t->in[0];
    const double n = count(like);
    const int rstd = one_over_deviation(c, t, value(c, t->in[6])), g = wide(c, like);
    const int x = multiply(c, centred(c, t, value(c, t->in[5]), rstd),
                           channel(c, like, times(c, value(c, t->in[2]), 1 / n)));
    const int v =
        subtract(c, subtract(c, g, channel(c, like, times(c, value(c, t->in[3]), 1 / n))), x);

    store(c, multiply(c, v, channel(c, like, multiply(c, value(c, t->in[4]), rstd))), t->out[0]);
}

/* ---- max pooling with positions ---- */

/*
 * argmax as int32 is the index in the plane of the image. As uint16 it is a mask: behind each other
 * for each place in the window, a bit an output element, rounded up to words and one word more. The
 * mask holds [n, channels, kernel height * kernel width, words].
 */
struct pool {
    int64_t kernel[2], stride[2], pad[2], dilation[2], image[2], out[2], n_planes, n_words;
};

static void pair_of(const struct aclop_task *t, const char *name, int64_t to[2])
{
    to[0] = aclop_attr(t, name)->ints[1];
    to[1] = aclop_attr(t, name)->ints[2];
}

static struct pool pool_of(const struct aclop_task *t, const struct aclTensor *x,
                           const struct aclTensor *y)
{
    struct pool p = {.n_planes = x->dim[0] * x->dim[1]};

    pair_of(t, "ksize", p.kernel);
    pair_of(t, "strides", p.stride);
    pair_of(t, "pads", p.pad);
    pair_of(t, "dilation", p.dilation);
    for (int k = 0; k < 2; k++) {
        p.image[k] = x->dim[2 + k];
        p.out[k] = y->dim[2 + k];
    }
    p.n_words = (p.out[0] * p.out[1] + 15) / 16 + 1;
    return p;
}

/* How many windows there are; one that begins in the padding behind the image does not count. */
static int64_t n_windows(const struct pool *p, int k, bool ceil_mode)
{
    const int64_t room = p->image[k] + 2 * p->pad[k] - p->dilation[k] * (p->kernel[k] - 1) - 1;
    int64_t n = room < 0 ? 0 : (room + (ceil_mode ? p->stride[k] - 1 : 0)) / p->stride[k] + 1;

    if (ceil_mode && (n - 1) * p->stride[k] >= p->image[k] + p->pad[k])
        n--;
    return n;
}

static bool argmax_fits(struct aclop_task *t, const struct pool *p, const struct aclTensor *y,
                        const struct aclTensor *argmax)
{
    const int64_t n = p->n_planes * p->kernel[0] * p->kernel[1] * p->n_words;

    if (argmax->dtype == DT_INT32)
        return same_dims(argmax, y) ||
               shape_no(t, "argmax has shape %s; as int32 it has that of y, %s",
                        npu_shape_text(argmax), npu_shape_text(y));
    return npu_tensor_numel(argmax) >= n ||
           shape_no(t,
                    "argmax has shape %s; as uint16 it is a mask of %lld words for each place in "
                    "the window, %lld in all",
                    npu_shape_text(argmax), (long long)p->n_words, (long long)n);
}

static bool pool_fits(struct aclop_task *t, const struct aclTensor *x, const struct aclTensor *y,
                      const struct aclTensor *argmax)
{
    static const char *const names[] = {"ksize", "strides", "pads", "dilation"};
    struct pool p;

    if (x->n_dims != 4 || y->n_dims != 4 || y->dim[0] != x->dim[0] || y->dim[1] != x->dim[1])
        return shape_no(
            t,
            "x of shape %s and the pooled one of shape %s need 4 dimensions, the first two alike",
            npu_shape_text(x), npu_shape_text(y));
    for (int i = 0; i < 4; i++)
        if (aclop_attr(t, names[i])->n != 4)
            return no_list(t, names[i], 4);
    p = pool_of(t, x, y);
    for (int k = 0; k < 2; k++) {
        if (p.kernel[k] < 1 || p.stride[k] < 1 || p.dilation[k] < 1 || p.pad[k] < 0 ||
            2 * p.pad[k] > p.kernel[k])
            return shape_no(
                t, "ksize, strides and dilation are at least 1, pads from 0 to half of ksize");
        if (n_windows(&p, k, flag(t, "ceil_mode")) != p.out[k])
            return shape_no(t, "the pooled one has shape %s; in dimension %d the result has %lld",
                            npu_shape_text(y), k + 2,
                            (long long)n_windows(&p, k, flag(t, "ceil_mode")));
    }
    return argmax_fits(t, &p, y, argmax) && is_channels_first(t);
}

bool shape_max_pool(struct aclop_task *t)
{
    return pool_fits(t, t->in[0], t->out[0], t->out[1]);
}

bool shape_max_pool_grad(struct aclop_task *t)
{
    return shape_out(t) && pool_fits(t, t->in[0], t->in[1], t->in[2]);
}

/* Word and bit of output o of plane i, for a place in the window. */
static uint16_t *mask_word(const struct pool *p, uint16_t *mask, int64_t plane, int64_t place,
                           int64_t o)
{
    return mask + (plane * p->kernel[0] * p->kernel[1] + place) * p->n_words + o / 16;
}

/* Place in the window of output o of the element with that index in the plane, and back. */
static int64_t place_of(const struct pool *p, int64_t o, int64_t index)
{
    const int64_t row = index / p->image[1] - (o / p->out[1] * p->stride[0] - p->pad[0]);
    const int64_t col = index % p->image[1] - (o % p->out[1] * p->stride[1] - p->pad[1]);

    return row / p->dilation[0] * p->kernel[1] + col / p->dilation[1];
}

static int64_t index_of(const struct pool *p, int64_t o, int64_t place)
{
    const int64_t row =
        o / p->out[1] * p->stride[0] - p->pad[0] + place / p->kernel[1] * p->dilation[0];
    const int64_t col =
        o % p->out[1] * p->stride[1] - p->pad[1] + place % p->kernel[1] * p->dilation[1];

    return row * p->image[1] + col;
}

void fn_max_pool(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct pool p = pool_of(t, t->in[0], t->out[0]);
    const int64_t n_out = p.out[0] * p.out[1];
    const int v =
        at(c, "aten::max_pool2d_with_indices", TENSOR(c, t->in[0]), list(p.kernel, 2),
           list(p.stride, 2), list(p.pad, 2), list(p.dilation, 2), BOOL(flag(t, "ceil_mode")));
    const int64_t *index = npu_aten()->data(c, v + 1, DT_INT64);
    uint16_t *mask = t->out[1]->data;

    store(c, v, t->out[0]);
    if (!index || t->out[1]->dtype == DT_INT32) {
        store(c, v + 1, t->out[1]);
        return;
    }
    memset(mask, 0, (size_t)npu_tensor_numel(t->out[1]) * sizeof *mask);
    for (int64_t i = 0; i < p.n_planes * n_out; i++) {
        uint16_t *word =
            mask_word(&p, mask, i / n_out, place_of(&p, i % n_out, index[i]), i % n_out);

        *word = (uint16_t)(*word | 1 << i % n_out % 16);
    }
}

/* The indices that the mask says; 0 for an output without a bit, whose gradient stays out. */
static void unmask(const struct pool *p, uint16_t *mask, int64_t *index)
{
    const int64_t n_out = p->out[0] * p->out[1];

    for (int64_t i = 0; i < p->n_planes * n_out; i++) {
        index[i] = 0;
        for (int64_t place = 0; place < p->kernel[0] * p->kernel[1]; place++)
            if (*mask_word(p, mask, i / n_out, place, i % n_out) >> i % n_out % 16 & 1)
                index[i] = index_of(p, i % n_out, place);
        if (index[i] < 0 || index[i] >= p->image[0] * p->image[1])
            index[i] = 0;
    }
}

void fn_max_pool_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *grad = t->in[1], *argmax = t->in[2];
    const struct pool p = pool_of(t, t->in[0], grad);
    int64_t *index = malloc((size_t)(npu_tensor_numel(grad) + 1) * sizeof *index);
    int v;

    if (!index) {
        npu_aten()->fail(c, "no memory for the indices");
        return;
    }
    if (argmax->dtype == DT_INT32) {
        v = at(c, "aten::to.dtype", TENSOR(c, argmax), DTYPE(DT_INT64));
    } else {
        unmask(&p, argmax->data, index);
        v = npu_aten()->blob(c, index, DT_INT64, grad->dim, grad->n_dims);
    }
    v = at(c, "aten::max_pool2d_with_indices_backward", V(wide(c, grad)), V(wide(c, t->in[0])),
           list(p.kernel, 2), list(p.stride, 2), list(p.pad, 2), list(p.dilation, 2),
           BOOL(flag(t, "ceil_mode")), V(v));
    store(c, v, t->out[0]);
    free(index);
}

/* ---- dropout: a bit (V3: a byte) an element, 1 keeps ---- */

static int64_t up_to(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}

static bool is_byte_mask(const struct aclop_task *t)
{
    return strstr(t->row->type, "V3") != NULL;
}

/* x mask keep_prob -> y */
bool shape_do_mask(struct aclop_task *t)
{
    const int64_t n = npu_tensor_numel(t->in[0]);
    const int64_t bytes = is_byte_mask(t) ? n : up_to(n, 128) / 8;

    if (npu_tensor_numel(t->in[2]) != 1)
        return shape_no(t, "keep_prob has shape %s; it is one element", npu_shape_text(t->in[2]));
    if (npu_tensor_numel(t->in[1]) < bytes)
        return shape_no(t, "mask has shape %s; x of %lld elements needs %lld bytes",
                        npu_shape_text(t->in[1]), (long long)n, (long long)bytes);
    return shape_out(t);
}

static double number_of(struct npu_aten_ctx *c, const struct aclTensor *x)
{
    const double *v = npu_aten()->data(c, value(c, x), DT_DOUBLE);

    return v ? *v : 0;
}

void fn_do_mask(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *x = t->in[0];
    const int64_t n = npu_tensor_numel(x);
    const double keep = number_of(c, t->in[2]);
    int mask = is_byte_mask(t)
                   ? at(c, "aten::narrow", V(at(c, "aten::reshape", TENSOR(c, t->in[1]), INTS(-1))),
                        INT(0), INT(0), INT(n))
                   : npu_dropout_bits(c, t->in[1], n);

    if (keep < 0 || keep > 1)
        npu_aten()->fail(c, "keep_prob must be in [0, 1]");
    mask = at(c, "aten::ne.Scalar", V(at(c, "aten::reshape", V(mask), dims_of(x))), INT(0));
    store(c,
          at(c, "aten::where.ScalarOther", V(mask),
             V(times(c, wide(c, x), keep > 0 ? 1 / keep : 0)), DOUBLE(0)),
          t->out[0]);
}

/* shape prob ... -> y: as many bytes as DropOutDoMask reads, or 16 at a time */
bool shape_gen_mask(struct aclop_task *t)
{
    int64_t room[ACLOP_INTS], n;
    const int64_t *v = aclop_host_ints(t, 0, room);

    for (int i = 1; i < t->n_in; i++)
        if (i != 4 && t->in[i] && npu_tensor_numel(t->in[i]) != 1)
            return shape_no(t, "input %d has shape %s; it is one element", i,
                            npu_shape_text(t->in[i]));
    if (!v)
        return true;
    n = aclop_product(v, npu_tensor_numel(t->in[0]));
    n = is_byte_mask(t) ? n : up_to(n, 128) / 8;
    return npu_tensor_numel(t->out[0]) >= n ||
           shape_no(t, "y has shape %s; a mask of that shape has %lld bytes",
                    npu_shape_text(t->out[0]), (long long)n);
}

/* The seeds: inputs of the stateless form, else attributes, of which both 0 ask for any. */
static void seeds_of(struct npu_aten_ctx *c, const struct aclop_task *t, uint64_t *seed,
                     uint64_t *offset)
{
    int64_t v[ACLOP_INTS];

    *offset = 0;
    if (!strncmp(t->row->type, "Stateless", 9)) {
        *seed = aclop_ints(c, t->in[2], v) ? (uint64_t)v[0] : 0;
        *seed ^= aclop_ints(c, t->in[3], v) ? (uint64_t)v[0] << 32 : 0;
        if (aclop_input(t, 4)) {
            const int64_t n = aclop_ints(c, t->in[4], v);

            *offset = n ? (uint64_t)v[n - 1] : 0;
        }
        return;
    }
    *seed = (uint64_t)aclop_attr(t, "seed")->ints[0] ^ (uint64_t)aclop_attr(t, "seed2")->ints[0]
                                                           << 32;
    if (!aclop_attr(t, "seed")->ints[0] && !aclop_attr(t, "seed2")->ints[0] &&
        getrandom(seed, sizeof *seed, 0) != sizeof *seed)
        npu_aten()->fail(c, "the system gives no random seed");
}

void fn_gen_mask(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    int64_t shape[ACLOP_INTS];
    const int64_t n = aclop_product(shape, aclop_ints(c, t->in[0], shape)),
                  n_out = npu_tensor_numel(t->out[0]);
    const double keep = number_of(c, t->in[1]);
    uint64_t seed, offset;
    uint8_t *mask = calloc((size_t)n_out + 1, 1);
    const float *drawn;

    seeds_of(c, t, &seed, &offset);
    drawn = npu_aten()->data(c, npu_dropout_draw(c, seed, offset, 1 - keep, n), DT_FLOAT);
    if (keep < 0 || keep > 1 || !mask || (is_byte_mask(t) ? n_out < n : n_out * 8 < n))
        npu_aten()->fail(c, "prob must be in [0, 1] and the mask hold all elements");
    for (int64_t i = 0; drawn && !npu_aten()->failed(c) && i < n; i++)
        if (is_byte_mask(t))
            mask[i] = drawn[i] != 0;
        else
            mask[i / 8] = (uint8_t)(mask[i / 8] | (drawn[i] != 0) << i % 8);
    if (!npu_aten()->failed(c))
        store_data(c, mask, DT_UINT8, t->out[0]);
    free(mask);
}

/* ---- attention ---- */

static bool is_batch(struct aclop_task *t, int i, const struct aclTensor *like)
{
    return same_dims(t->in[i], like) || shape_no(t, "input %d has shape %s; it needs %s", i,
                                                 npu_shape_text(t->in[i]), npu_shape_text(like));
}

/* [batch, heads, sequence, depth] in [batch * sequence, heads * depth]. */
static bool is_merged(struct aclop_task *t, int output, const struct aclTensor *q)
{
    struct dims d = {2, {q->dim[0] * q->dim[2], q->dim[1] * q->dim[3]}};

    return has_shape(t, output, &d);
}

static bool has_square(struct aclop_task *t, const char *name, const struct aclTensor *p,
                       const struct aclTensor *q)
{
    return (p->n_dims == 4 && p->dim[0] == q->dim[0] && p->dim[1] == q->dim[1] &&
            p->dim[2] == q->dim[2] && p->dim[3] == q->dim[2]) ||
           shape_no(t, "%s has shape %s, query %s", name, npu_shape_text(p), npu_shape_text(q));
}

static bool mask_covers(struct aclop_task *t, int i, const struct aclTensor *p)
{
    const struct aclTensor *mask = aclop_input(t, i);

    return !mask || npu_tensor_numel(mask) >= npu_tensor_numel(p) ||
           shape_no(t, "drop_mask has shape %s; it is a byte for each element of %s",
                    npu_shape_text(mask), npu_shape_text(p));
}

bool shape_attention(struct aclop_task *t)
{
    const struct aclTensor *q = t->in[0];

    if (q->n_dims != 4)
        return shape_no(t, "query has shape %s; it needs 4 dimensions", npu_shape_text(q));
    return is_batch(t, 1, q) && is_batch(t, 2, q) && is_merged(t, 0, q) &&
           has_square(t, "softmax_output", t->out[1], q) && mask_covers(t, 5, t->out[1]);
}

/* p with dropped elements 0 and the others over keep_prob. */
static int dropped(struct npu_aten_ctx *c, const struct aclop_task *t, int mask_at,
                   const struct aclTensor *like, int p)
{
    const struct aclTensor *mask = aclop_input(t, mask_at);
    int m;

    if (!mask)
        return p;
    m = at(c, "aten::narrow", V(at(c, "aten::reshape", TENSOR(c, mask), INTS(-1))), INT(0), INT(0),
           INT(npu_tensor_numel(like)));
    m = at(c, "aten::ne.Scalar", V(at(c, "aten::reshape", V(m), dims_of(like))), INT(0));
    return times(c, multiply(c, p, m), 1 / aclop_attr(t, "keep_prob")->real);
}

static int transposed(struct npu_aten_ctx *c, int v)
{
    return at(c, "aten::transpose.int", V(v), INT(-2), INT(-1));
}

static int product_of(struct npu_aten_ctx *c, int a, int b)
{
    return at(c, "aten::matmul", V(a), V(b));
}

static void store_merged(struct npu_aten_ctx *c, int v, const struct aclTensor *out)
{
    store(c,
          at(c, "aten::reshape", V(at(c, "aten::permute", V(v), INTS(0, 2, 1, 3))), dims_of(out)),
          out);
}

/* softmax(query * key * scale + mask), dropout, times value */
void fn_attention(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int scores = times(c, product_of(c, wide(c, t->in[0]), transposed(c, wide(c, t->in[1]))),
                             number_of(c, t->in[4]));
    const int p = at(c, "aten::softmax.int", V(add(c, scores, wide(c, t->in[3]))), INT(-1));

    store(c, p, t->out[1]);
    store_merged(c, product_of(c, dropped(c, t, 5, t->out[1], p), wide(c, t->in[2])), t->out[0]);
}

/* softmax_output grad value key query scale drop_mask, as torch_npu passes them */
bool shape_attention_grad(struct aclop_task *t)
{
    const struct aclTensor *q = t->in[4];

    if (q->n_dims != 4)
        return shape_no(t, "query has shape %s; it needs 4 dimensions", npu_shape_text(q));
    for (int i = 1; i < 4; i++)
        if (!is_batch(t, i, q) || !is_merged(t, i - 1, q))
            return false;
    return has_square(t, "attention_score", t->in[0], q) && mask_covers(t, 6, t->in[0]);
}

void fn_attention_grad(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const struct aclTensor *like = t->in[0];
    const int p = wide(c, like), g = wide(c, t->in[1]);
    const int dp = dropped(c, t, 6, like, product_of(c, g, transposed(c, wide(c, t->in[2]))));
    const int along = at(c, "aten::sum.dim_IntList", V(multiply(c, p, dp)), INTS(-1), BOOL(true));
    const int ds = times(c, multiply(c, p, subtract(c, dp, along)), number_of(c, t->in[5]));

    store_merged(c, product_of(c, transposed(c, dropped(c, t, 6, like, p)), g), t->out[0]);
    store_merged(c, product_of(c, ds, wide(c, t->in[3])), t->out[1]);
    store_merged(c, product_of(c, transposed(c, ds), wide(c, t->in[4])), t->out[2]);
}

/* ---- quantisation ---- */

static const struct {
    const char *name;
    int type;
    double low, high;
} quantised[] = {
    {"torch.qint8", DT_INT8, -128, 127},
    {"torch.quint8", DT_UINT8, 0, 255},
    {"torch.qint32", DT_INT32, -2147483648.0, 2147483647.0},
};

static int quantised_row(const struct aclop_task *t)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(aclop_attr(t, "dtype")->text, quantised[i].name))
            return i;
    return -1;
}

/* One value, one for each place along axis, or the same with ones around it. */
static bool scale_fits(struct aclop_task *t, const char *name, const struct aclTensor *s,
                       int64_t axis)
{
    const struct aclTensor *x = t->in[0];
    const int64_t n = npu_tensor_numel(s);

    if (n == 1 ||
        (n == x->dim[axis] && (s->n_dims == 1 || (s->n_dims == x->n_dims && s->dim[axis] == n))))
        return true;
    return shape_no(t, "%s has shape %s; x of shape %s has %lld along axis %lld", name,
                    npu_shape_text(s), npu_shape_text(x), (long long)x->dim[axis], (long long)axis);
}

bool shape_quantize(struct aclop_task *t)
{
    const int64_t axis = aclop_axis(t->in[0], aclop_attr(t, "axis")->ints[0]);
    const int row = quantised_row(t);
    const bool is_one = npu_tensor_numel(t->in[1]) == 1;

    if (row < 0)
        return shape_no(t, "dtype is %s; allowed: torch.qint8, torch.quint8, torch.qint32",
                        aclop_attr(t, "dtype")->text);
    if (quantised[row].type != t->out[0]->dtype)
        return shape_no(t, "dtype is %s, but y has type %s", quantised[row].name,
                        npu_dtype_name(t->out[0]->dtype));
    if (axis < 0 && !is_one)
        return no_axis(t, "axis", aclop_attr(t, "axis")->ints[0]);
    if (aclop_input(t, 2) && npu_tensor_numel(t->in[2]) != npu_tensor_numel(t->in[1]))
        return shape_no(t, "zero_points has shape %s, scales %s", npu_shape_text(t->in[2]),
                        npu_shape_text(t->in[1]));
    return (is_one || scale_fits(t, "scales", t->in[1], axis)) && shape_out(t);
}

/* Along axis, so that it spreads over x. */
static int along_axis(struct npu_aten_ctx *c, const struct aclop_task *t, const struct aclTensor *s,
                      int dtype)
{
    const int64_t axis = aclop_axis(t->in[0], aclop_attr(t, "axis")->ints[0]),
                  n = npu_tensor_numel(s);
    const int v = at(c, "aten::to.dtype", TENSOR(c, s), DTYPE(dtype));
    int64_t dim[ACLOP_INTS];

    for (uint32_t k = 0; k < t->in[0]->n_dims; k++)
        dim[k] = k == axis ? n : 1;
    return n == 1 ? at(c, "aten::reshape", V(v), list(NULL, 0))
                  : at(c, "aten::reshape", V(v), list(dim, t->in[0]->n_dims));
}

/* round(x / scale) + zero point, held in the range of the type */
void fn_quantize(struct npu_aten_ctx *c, const struct aclop_task *t)
{
    const int row = quantised_row(t);
    int v = at(c, "aten::round",
               V(at(c, "aten::div.Tensor", V(wide(c, t->in[0])),
                    V(along_axis(c, t, t->in[1], DT_FLOAT)))));

    v = at(c, "aten::to.dtype", V(v), DTYPE(DT_DOUBLE)); /* float does not hold the ends of int32 */
    if (aclop_input(t, 2))
        v = add(c, v, along_axis(c, t, t->in[2], DT_DOUBLE));
    store(c, at(c, "aten::clamp", V(v), DOUBLE(quantised[row].low), DOUBLE(quantised[row].high)),
          t->out[0]);
}
