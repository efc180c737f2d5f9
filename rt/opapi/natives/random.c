/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.c - random numbers, from Philox4x32-10.
 *
 * Counter-based: number i of a call depends on (seed, offset, i) alone, so a result does not depend
 * on threads or on the order of streams. The low half of the counter counts blocks of four words,
 * the high half is the caller's offset, so calls with different offsets never share a block.
 * Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011; tests/unit/t_opapi.c checks
 * its published vectors.
 */
#include "native.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void npu_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c[1] ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;

        c[1] = (uint32_t)p1;
        c[3] = (uint32_t)p0;
        c[0] = n0;
        c[2] = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

/* A stream of words; each block of four is computed when its first word is asked for. */
struct stream {
    uint64_t seed, offset, block;
    uint32_t word[4];
    unsigned at;
};

static struct stream stream_of(uint64_t seed, uint64_t offset)
{
    return (struct stream){.seed = seed, .offset = offset, .at = 4};
}

static uint32_t next32(struct stream *s)
{
    if (s->at == 4) {
        const uint32_t counter[4] = {(uint32_t)s->block, (uint32_t)(s->block >> 32),
                                     (uint32_t)s->offset, (uint32_t)(s->offset >> 32)};
        const uint32_t key[2] = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};

        npu_philox(counter, key, s->word);
        s->block++;
        s->at = 0;
    }
    return s->word[s->at++];
}

static uint64_t next64(struct stream *s)
{
    const uint64_t high = next32(s);

    return high << 32 | next32(s);
}

/* What a graph replays has its numbers in device memory, so that each run draws others: a[0] is the
 * seed and a[1] the offset, one int64 each, and the plain a[2] is added to the latter. */
static struct stream stream_of_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    uint64_t number[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        const uint64_t *at = npu_aten()->data(c, value(c, a[i].t), DT_INT64);

        if (at && npu_tensor_numel(a[i].t) == 1)
            number[i] = *at;
        else
            npu_aten()->fail(c, "seedTensor and offsetTensor hold one number each");
    }
    return stream_of(number[0], number[1] + (uint64_t)a[2].i);
}

/* Bits of the significand: a uniform number has as many, so that rounding never reaches the end. */
static int digits_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT16:
        return 11;
    case DT_BF16:
        return 8;
    case DT_DOUBLE:
        return 53;
    default:
        return 24;
    }
}

/* In [0, 1), a multiple of 2^-digits. */
static double uniform(struct stream *s, int digits)
{
    if (digits > 32)
        return (double)(next64(s) >> 11) * 0x1p-53;
    return (double)(next32(s) >> (32 - digits)) * ldexp(1, -digits);
}

/* ---- fill a tensor ---- */

typedef double draw_fn(struct stream *s, int digits, const double *p);

/* Draws go into a buffer of doubles: exact for every float type, rounded once by the store. */
static void fill(struct npu_aten_ctx *c, const struct aclTensor *out, struct stream s,
                 draw_fn *draw, const double *p)
{
    const int64_t n = npu_tensor_numel(out);
    const int digits = digits_of(out->dtype);
    double *v = malloc((size_t)(n ? n : 1) * sizeof *v);

    if (!v) {
        npu_aten()->fail(c, "no memory for random numbers");
        return;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = draw(&s, digits, p);
    store_data(c, v, DT_DOUBLE, out);
    free(v);
}

static double draw_uniform(struct stream *s, int digits, const double *p)
{
    return p[0] + (p[1] - p[0]) * uniform(s, digits);
}

/* Box-Muller; one of the pair is dropped, so that number i needs no other. */
static double draw_normal(struct stream *s, int digits, const double *p)
{
    const double u = ((double)next32(s) + 1) * 0x1p-32, w = (double)next32(s) * 0x1p-32;

    (void)digits;
    return p[0] + p[1] * sqrt(-2 * log(u)) * cos(6.283185307179586 * w);
}

static double draw_bernoulli(struct stream *s, int digits, const double *p)
{
    (void)digits;
    return uniform(s, 53) < p[0];
}

static double draw_exponential(struct stream *s, int digits, const double *p)
{
    (void)digits;
    return -log1p(-uniform(s, 53)) / p[0];
}

static void normal(struct npu_aten_ctx *c, const union npu_arg *a, struct stream s)
{
    const double p[2] = {a[1].d, a[2].d};

    if (!(p[1] >= 0))
        npu_aten()->fail(c, "std must not be negative");
    fill(c, a[0].t, s, draw_normal, p);
}

void npu_nat_normal(struct npu_aten_ctx *c, const union npu_arg *a)
{
    normal(c, a, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i));
}

void npu_nat_normal_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    normal(c, a, stream_of_device(c, a + 3));
}

void npu_nat_normal_out(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const double p[2] = {a[0].d, a[1].d};

    if (!(p[1] >= 0))
        npu_aten()->fail(c, "std must not be negative");
    fill(c, a[4].t, stream_of((uint64_t)a[2].i, (uint64_t)a[3].i), draw_normal, p);
}

/* mean and std as tensors: standard numbers, scaled and shifted. NULL: the plain number counts. */
static void normal_tensors(struct npu_aten_ctx *c, const union npu_arg *a, bool mean_is_tensor,
                           bool std_is_tensor)
{
    static const double standard[2] = {0, 1};
    const struct aclTensor *out = a[4].t;
    int v;

    fill(c, out, stream_of((uint64_t)a[2].i, (uint64_t)a[3].i), draw_normal, standard);
    v = at(c, "aten::mul.Tensor", TENSOR(c, out),
           std_is_tensor ? TENSOR(c, a[1].t) : DOUBLE(a[1].d));
    v = at(c, "aten::add.Tensor", V(v), mean_is_tensor ? TENSOR(c, a[0].t) : DOUBLE(a[0].d));
    store(c, v, out);
}

void npu_nat_normal_tensor_float(struct npu_aten_ctx *c, const union npu_arg *a)
{
    normal_tensors(c, a, true, false);
}

void npu_nat_normal_float_tensor(struct npu_aten_ctx *c, const union npu_arg *a)
{
    normal_tensors(c, a, false, true);
}

void npu_nat_normal_tensor_tensor(struct npu_aten_ctx *c, const union npu_arg *a)
{
    normal_tensors(c, a, true, true);
}

void npu_nat_uniform(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const double p[2] = {a[1].d, a[2].d};

    fill(c, a[0].t, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i), draw_uniform, p);
}

void npu_nat_uniform_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const double p[2] = {a[1].d, a[2].d};

    fill(c, a[0].t, stream_of_device(c, a + 3), draw_uniform, p);
}

void npu_nat_exponential(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const double p[1] = {a[2].d};
    const struct aclTensor *out = a[0].t;

    if (a[1].i != npu_tensor_numel(out))
        npu_aten()->fail(c, "count must be the number of elements");
    if (!(p[0] > 0))
        npu_aten()->fail(c, "lambda must be positive");
    fill(c, out, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i), draw_exponential, p);
}

void npu_nat_bernoulli(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclScalar *prob = a[1].s;
    const double p[1] = {npu_dtype_is_int(prob->dtype) ? (double)prob->i : prob->f};

    if (!(p[0] >= 0 && p[0] <= 1))
        npu_aten()->fail(c, "the probability must be in [0, 1]");
    fill(c, a[0].t, stream_of((uint64_t)a[2].i, (uint64_t)a[3].i), draw_bernoulli, p);
}

/* Each element has its own probability: draw uniform numbers and compare. */
void npu_nat_bernoulli_tensor(struct npu_aten_ctx *c, const union npu_arg *a)
{
    static const double unit[2] = {0, 1};
    const struct aclTensor *out = a[0].t;
    const int64_t n = npu_tensor_numel(out);
    struct stream s = stream_of((uint64_t)a[2].i, (uint64_t)a[3].i);
    double *v = malloc((size_t)(n ? n : 1) * sizeof *v);

    if (!v) {
        npu_aten()->fail(c, "no memory for random numbers");
        return;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = draw_uniform(&s, 53, unit);
    store(c,
          at(c, "aten::lt.Tensor", V(npu_aten()->blob(c, v, DT_DOUBLE, out->dim, out->n_dims)),
             TENSOR(c, a[1].t)),
          out);
    free(v);
}

static void fill_integers(struct npu_aten_ctx *c, const struct aclTensor *out, struct stream s,
                          int64_t from, uint64_t range)
{
    const int64_t n = npu_tensor_numel(out);
    int64_t *v = malloc((size_t)(n ? n : 1) * sizeof *v);

    if (!v) {
        npu_aten()->fail(c, "no memory for random numbers");
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const uint64_t word = range > UINT32_MAX ? next64(&s) : next32(&s);
        v[i] = (int64_t)((uint64_t)from + (range ? word % range : word));
    }
    store_data(c, v, DT_INT64, out);
    free(v);
}

static void random_between(struct npu_aten_ctx *c, const union npu_arg *a, struct stream s)
{
    if (a[1].i >= a[2].i) {
        npu_aten()->fail(c, "'from' must be less than 'to'");
        return;
    }
    fill_integers(c, a[0].t, s, a[1].i, (uint64_t)a[2].i - (uint64_t)a[1].i);
}

void npu_nat_random(struct npu_aten_ctx *c, const union npu_arg *a)
{
    random_between(c, a, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i));
}

void npu_nat_random_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    random_between(c, a, stream_of_device(c, a + 3));
}

/* random_() without bounds: all values that the type holds exactly, from 0 up. */
static void random_all(struct npu_aten_ctx *c, const struct aclTensor *out, struct stream s)
{
    const int dtype = out->dtype;
    uint64_t range;

    if (npu_dtype_is_float(dtype))
        range = ((uint64_t)1 << digits_of(dtype)) + 1;
    else if (dtype == DT_BOOL)
        range = 2;
    else if (dtype == DT_UINT8)
        range = 256;
    else
        range = (uint64_t)1 << (8 * npu_dtype_bytes(dtype) - 1);
    fill_integers(c, out, s, 0, range);
}

void npu_nat_random_all(struct npu_aten_ctx *c, const union npu_arg *a)
{
    random_all(c, a[0].t, stream_of((uint64_t)a[1].i, (uint64_t)a[2].i));
}

void npu_nat_random_all_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    random_all(c, a[0].t, stream_of_device(c, a + 1));
}

/* Fisher-Yates. */
void npu_nat_randperm(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int64_t n = a[0].i;
    struct stream s = stream_of((uint64_t)a[1].i, (uint64_t)a[2].i);
    int64_t *v = malloc((size_t)(n > 0 ? n : 1) * sizeof *v);

    if (!v || n < 0 || n != npu_tensor_numel(a[3].t)) {
        npu_aten()->fail(c, "n must be the number of elements of the output");
        free(v);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t k = (int64_t)(next64(&s) % (uint64_t)(i + 1)), t = v[i];
        v[i] = v[k];
        v[k] = t;
    }
    store_data(c, v, DT_INT64, a[3].t);
    free(v);
}

/* Draws without a multinomial kernel of our own: the largest of p / e, e exponential, wins, and the
 * k largest are k draws without replacement. */
static void multinomial(struct npu_aten_ctx *c, const union npu_arg *a, struct stream s,
                        const struct aclTensor *out)
{
    const struct aclTensor *self = a[0].t;
    const int64_t n_draws = a[1].i, n_classes = self->n_dims ? self->dim[self->n_dims - 1] : 1;
    const int64_t n_rows = npu_tensor_numel(self) / (n_classes ? n_classes : 1);
    const bool replace = a[2].i != 0;
    const int64_t dim[3] = {n_rows, replace ? n_draws : 1, n_classes};
    const double rate[1] = {1};
    const int64_t n = dim[0] * dim[1] * dim[2];
    double *e = malloc((size_t)(n ? n : 1) * sizeof *e);
    int v;

    if (!e || (!replace && n_draws > n_classes)) {
        npu_aten()->fail(c, "cannot draw more classes than there are without replacement");
        free(e);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        e[i] = draw_exponential(&s, 53, rate) + 0x1p-60;
    v = at(c, "aten::to.dtype", TENSOR(c, self), DTYPE(DT_DOUBLE));
    v = at(c, "aten::reshape", V(v), INTS(n_rows, 1, n_classes));
    v = at(c, "aten::div.Tensor", V(v), V(npu_aten()->blob(c, e, DT_DOUBLE, dim, 3)));
    if (replace)
        v = at(c, "aten::argmax", V(v), INT(2));
    else
        v = at(c, "aten::topk", V(v), INT(n_draws), INT(2)) + 1;
    store(c, v, out);
    free(e);
}

void npu_nat_multinomial(struct npu_aten_ctx *c, const union npu_arg *a)
{
    multinomial(c, a, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i), a[5].t);
}

void npu_nat_multinomial_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    multinomial(c, a, stream_of_device(c, a + 3), a[6].t);
}

/* ---- leaky ReLU with a random slope: noise is the slope below zero and 1 above ---- */

static void rrelu(struct npu_aten_ctx *c, const union npu_arg *a, const struct aclTensor *out)
{
    const struct aclTensor *x = a[0].t, *noise = a[1].t;
    const double lower = a[2].s->f, upper = a[3].s->f;
    const double p[2] = {lower, upper};
    int v, above;

    if (!a[4].i) {
        store(c, at(c, "aten::leaky_relu", TENSOR(c, x), DOUBLE((lower + upper) / 2)), out);
        return;
    }
    fill(c, noise, stream_of((uint64_t)a[5].i, (uint64_t)a[6].i), draw_uniform, p);
    above = at(c, "aten::gt.Scalar", TENSOR(c, x), INT(0));
    v = at(c, "aten::masked_fill.Scalar", TENSOR(c, noise), V(above), INT(1));
    store(c, v, noise);
    store(c, at(c, "aten::mul.Tensor", TENSOR(c, x), V(v)), out);
}

/* The bounds are plain numbers: a float scalar has its value in f. */
const char *npu_check_rrelu(const union npu_arg *a)
{
    if (!npu_dtype_is_float(a[2].s->dtype) || !npu_dtype_is_float(a[3].s->dtype))
        return "lower and upper must be real numbers";
    return a[2].s->f <= a[3].s->f ? NULL : "lower must not be above upper";
}

void npu_nat_rrelu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    rrelu(c, a, a[7].t);
}

void npu_nat_inplace_rrelu(struct npu_aten_ctx *c, const union npu_arg *a)
{
    rrelu(c, a, a[0].t);
}

/* ---- dropout: one bit an element, 1 keeps ---- */

/* Values live to the end of a native, so they get memory of their own. */
static int value_of_floats(struct npu_aten_ctx *c, float *v, int64_t n)
{
    const int made = npu_aten()->blob(c, v, DT_FLOAT, &n, 1);
    const int own = at(c, "aten::clone", V(made));

    free(v);
    return own;
}

int npu_dropout_bits(struct npu_aten_ctx *c, const struct aclTensor *mask, int64_t n)
{
    const uint8_t *bits = npu_aten()->data(c, value(c, mask), DT_UINT8);
    float *v = malloc((size_t)(n + 1) * sizeof *v);

    if (!bits || !v || npu_tensor_numel(mask) * 8 < n) {
        npu_aten()->fail(c, "the dropout mask must have a bit for each element");
        free(v);
        return -1;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(bits[i / 8] >> i % 8 & 1);
    return value_of_floats(c, v, n);
}

int npu_dropout_draw(struct npu_aten_ctx *c, uint64_t seed, uint64_t offset, double p_drop,
                     int64_t n)
{
    struct stream s = stream_of(seed, offset);
    float *v = malloc((size_t)(n + 1) * sizeof *v);

    if (!v) {
        npu_aten()->fail(c, "no memory for random numbers");
        return -1;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = uniform(&s, 32) >= p_drop;
    return value_of_floats(c, v, n);
}

/* The bits of n elements, padded with zeros to the size of out. */
static void gen_mask(struct npu_aten_ctx *c, int64_t n_elements, double p_drop, struct stream s,
                     const struct aclTensor *out)
{
    const int64_t n = npu_tensor_numel(out);
    uint8_t *mask = calloc((size_t)(n + 1), 1);

    if (!mask || n * 8 < n_elements) {
        npu_aten()->fail(c, "the dropout mask must have a bit for each element");
        free(mask);
        return;
    }
    for (int64_t i = 0; i < n_elements; i++)
        if (uniform(&s, 32) >= p_drop)
            mask[i / 8] = (uint8_t)(mask[i / 8] | 1 << i % 8);
    store_data(c, mask, DT_UINT8, out);
    free(mask);
}

static const char *check_probability(double p)
{
    return p >= 0 && p <= 1 ? NULL : "the probability must be in [0, 1]";
}

const char *npu_check_dropout_gen_mask(const union npu_arg *a)
{
    return check_probability(a[1].d);
}

const char *npu_check_dropout_do_mask(const union npu_arg *a)
{
    return check_probability(a[2].d);
}

static void gen_mask_of_shape(struct npu_aten_ctx *c, const union npu_arg *a, struct stream s,
                              const struct aclTensor *out)
{
    int64_t n = 1;

    for (uint64_t i = 0; i < a[0].ia->n; i++)
        n *= a[0].ia->v[i];
    gen_mask(c, n, a[1].d, s, out);
}

void npu_nat_dropout_gen_mask(struct npu_aten_ctx *c, const union npu_arg *a)
{
    gen_mask_of_shape(c, a, stream_of((uint64_t)a[2].i, (uint64_t)a[3].i), a[4].t);
}

void npu_nat_dropout_gen_mask_v2(struct npu_aten_ctx *c, const union npu_arg *a)
{
    gen_mask_of_shape(c, a, stream_of((uint64_t)a[2].i, (uint64_t)a[3].i), a[5].t);
}

void npu_nat_dropout_gen_mask_v2_device(struct npu_aten_ctx *c, const union npu_arg *a)
{
    gen_mask_of_shape(c, a, stream_of_device(c, a + 2), a[6].t);
}

/* out = keep ? x / (1 - p) : 0, the bits in the order of the elements. */
static void apply_mask(struct npu_aten_ctx *c, const struct aclTensor *x,
                       const struct aclTensor *mask, double p_drop, const struct aclTensor *out)
{
    int bits = npu_dropout_bits(c, mask, npu_tensor_numel(x)), v;
    const struct npu_value shape = {.kind = V_INTS, .i = x->n_dims, .p = x->dim};

    bits = at(c, "aten::to.dtype", V(at(c, "aten::reshape", V(bits), shape)), DTYPE(DT_BOOL));
    v = at(c, "aten::mul.Tensor", TENSOR(c, x), DOUBLE(p_drop < 1 ? 1 / (1 - p_drop) : 0));
    store(c, at(c, "aten::where.ScalarOther", V(bits), V(v), DOUBLE(0)), out);
}

void npu_nat_dropout_do_mask(struct npu_aten_ctx *c, const union npu_arg *a)
{
    apply_mask(c, a[0].t, a[1].t, a[2].d, a[3].t);
}

/* Mask and result in one go. */
void npu_nat_dropout_v3(struct npu_aten_ctx *c, const union npu_arg *a)
{
    gen_mask(c, npu_tensor_numel(a[0].t), a[2].d, stream_of((uint64_t)a[3].i, (uint64_t)a[4].i),
             a[6].t);
    apply_mask(c, a[0].t, a[6].t, a[2].d, a[5].t);
}
