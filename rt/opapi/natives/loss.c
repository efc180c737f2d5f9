/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss.c - gradients of losses that torch composes and aclnn has as one operator.
 */
#include "native.h"

enum reduction { REDUCE_NONE = 0, REDUCE_MEAN = 1, REDUCE_SUM = 2 };

static const char *check_reduction(int64_t reduction)
{
    return reduction >= REDUCE_NONE && reduction <= REDUCE_SUM
               ? NULL
               : "reduction must be 0 (none), 1 (mean) or 2 (sum)";
}

const char *npu_check_loss_backward(const union npu_arg *a)
{
    return check_reduction(a[3].i);
}

const char *npu_check_bce_logits_backward(const union npu_arg *a)
{
    return check_reduction(a[5].i);
}

/* x times the incoming gradient, and spread over the elements for a mean. */
static void store_gradient(struct npu_aten_ctx *c, int x, const struct aclTensor *grad,
                           int64_t reduction, const struct aclTensor *out)
{
    const int64_t n = npu_tensor_numel(out);

    x = at(c, "aten::mul.Tensor", V(x), TENSOR(c, grad));
    if (reduction == REDUCE_MEAN && n)
        x = at(c, "aten::div.Tensor", V(x), DOUBLE((double)n));
    store(c, x, out);
}

void npu_nat_l1_loss_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int d = at(c, "aten::sub.Tensor", TENSOR(c, a[1].t), TENSOR(c, a[2].t));

    store_gradient(c, at(c, "aten::sign", V(d)), a[0].t, a[3].i, a[4].t);
}

/* d/dx of t * (log t - x), or of e^t * (t - x) when the target is a logarithm. */
void npu_nat_kl_div_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    int t = value(c, a[2].t);

    if (a[4].i)
        t = at(c, "aten::exp", V(t));
    else /* a target of 0 adds nothing, and a negative one has no logarithm */
        t = at(c, "aten::clamp_min", V(t), DOUBLE(0));
    store_gradient(c, at(c, "aten::neg", V(t)), a[0].t, a[3].i, a[5].t);
}

/* d/dt: log t + 1 - x, or e^t * (t + 1 - x). */
void npu_nat_kl_div_target_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int t = value(c, a[2].t);
    int g = at(c, "aten::sub.Tensor", V(a[4].i ? t : at(c, "aten::log", V(t))), TENSOR(c, a[1].t));

    g = at(c, "aten::add.Tensor", V(g), DOUBLE(1));
    if (a[4].i)
        g = at(c, "aten::mul.Tensor", V(g), V(at(c, "aten::exp", V(t))));
    else /* t log t is flat at 0 */
        g = at(c, "aten::masked_fill.Scalar", V(g), V(at(c, "aten::le.Scalar", V(t), INT(0))),
               INT(0));
    store_gradient(c, g, a[0].t, a[3].i, a[5].t);
}

/* ((pos * t + 1 - t) * sigmoid(x) - pos * t) * weight */
void npu_nat_bce_logits_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int t = value(c, a[2].t), s = at(c, "aten::sigmoid", TENSOR(c, a[1].t));
    int pos = t, g;

    if (a[4].t)
        pos = at(c, "aten::mul.Tensor", V(t), TENSOR(c, a[4].t));
    g = at(c, "aten::sub.Tensor", V(at(c, "aten::add.Tensor", V(pos), DOUBLE(1))), V(t));
    g = at(c, "aten::sub.Tensor", V(at(c, "aten::mul.Tensor", V(g), V(s))), V(pos));
    if (a[3].t)
        g = at(c, "aten::mul.Tensor", V(g), TENSOR(c, a[3].t));
    store_gradient(c, g, a[0].t, a[5].i, a[6].t);
}

/* The buffer is a help for the chip's gradient; ours computes from x alone and leaves it. */
void npu_nat_log_sigmoid_forward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    store(c, at(c, "aten::log_sigmoid", TENSOR(c, a[0].t)), a[1].t);
}

void npu_nat_log_sigmoid_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int s = at(c, "aten::sigmoid", V(at(c, "aten::neg", TENSOR(c, a[1].t))));

    store(c, at(c, "aten::mul.Tensor", TENSOR(c, a[0].t), V(s)), a[3].t);
}

/* The third dimension of log_alpha is padded by the caller; the padding is left alone. */
static struct aclTensor alpha_view(const struct aclTensor *alpha, const struct aclIntArray *lengths)
{
    struct aclTensor view = *alpha;
    int64_t longest = 0;

    for (uint64_t i = 0; i < lengths->n; i++)
        longest = lengths->v[i] > longest ? lengths->v[i] : longest;
    view.dim[2] = 2 * longest + 1;
    return view;
}

static const char *check_alpha(const struct aclTensor *alpha, const struct aclIntArray *lengths)
{
    if (alpha->n_dims != 3 || alpha_view(alpha, lengths).dim[2] > alpha->dim[2])
        return "logAlpha must be [batch, time, at least 2 * longest target + 1]";
    return NULL;
}

const char *npu_check_ctc_loss(const union npu_arg *a)
{
    return check_alpha(a[7].t, a[3].ia);
}

const char *npu_check_ctc_loss_backward(const union npu_arg *a)
{
    return check_alpha(a[6].t, a[4].ia);
}

void npu_nat_ctc_loss(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const int v = at(c, "aten::_ctc_loss", TENSOR(c, a[0].t), TENSOR(c, a[1].t), INTARRAY(a[2].ia),
                     INTARRAY(a[3].ia), INT(a[4].i), BOOL(a[5].i));
    const struct aclTensor alpha = alpha_view(a[7].t, a[3].ia);

    store(c, v, a[6].t);
    store(c, v + 1, &alpha);
}

void npu_nat_ctc_loss_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor alpha = alpha_view(a[6].t, a[4].ia);
    const int v = at(c, "aten::_ctc_loss_backward", TENSOR(c, a[0].t), TENSOR(c, a[1].t),
                     TENSOR(c, a[2].t), INTARRAY(a[3].ia), INTARRAY(a[4].ia), TENSOR(c, a[5].t),
                     TENSOR(c, &alpha), INT(a[7].i), BOOL(a[8].i));

    store(c, v, a[9].t);
}
