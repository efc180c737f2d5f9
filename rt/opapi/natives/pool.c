/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - max pooling whose second output is an opaque mask.
 *
 * Our encoding, private to this file: of each output element the position of its maximum inside the
 * window (row * kernel width + column) as uint16, plane after plane. torch_npu makes the mask large
 * enough for the chip's own form: kernel area * (outputs / 16 + 1) * 32 bytes a plane.
 */
#include "native.h"
#include <stdlib.h>
#include <string.h>

struct window {
    int64_t kernel[2], stride[2], padding[2], dilation[2];
    int64_t in[2], out[2], n_planes;
    int64_t plane_bytes; /* of the mask */
};

static void pair(int64_t to[2], const struct aclIntArray *a, const int64_t otherwise[2])
{
    to[0] = a->n ? a->v[0] : otherwise[0];
    to[1] = a->n > 1 ? a->v[1] : a->n ? a->v[0] : otherwise[1];
}

/* kernel, stride, padding, dilation follow each other in both operators. */
static bool window_of(struct npu_aten_ctx *c, struct window *w, const union npu_arg *a,
                      const struct aclTensor *in, const struct aclTensor *out,
                      const struct aclTensor *mask)
{
    static const int64_t zero[2], one[2] = {1, 1};
    int64_t mask_bytes;

    pair(w->kernel, a[0].ia, one);
    pair(w->stride, a[1].ia, w->kernel);
    pair(w->padding, a[2].ia, zero);
    pair(w->dilation, a[3].ia, one);
    if (in->n_dims < 3 || in->n_dims > 4 || out->n_dims != in->n_dims) {
        npu_aten()->fail(c, "input and output must have 3 or 4 dimensions");
        return false;
    }
    for (int k = 0; k < 2; k++) {
        w->in[k] = in->dim[in->n_dims - 2 + (uint32_t)k];
        w->out[k] = out->dim[out->n_dims - 2 + (uint32_t)k];
    }
    w->n_planes = w->out[0] && w->out[1] ? npu_tensor_numel(out) / (w->out[0] * w->out[1]) : 0;
    mask_bytes = npu_tensor_numel(mask) * (int64_t)npu_dtype_bytes(mask->dtype);
    w->plane_bytes = w->n_planes ? mask_bytes / w->n_planes : 0;
    if (w->plane_bytes < w->out[0] * w->out[1] * 2 || w->kernel[0] * w->kernel[1] > UINT16_MAX) {
        npu_aten()->fail(c, "the mask is too small for this window");
        return false;
    }
    return true;
}

/* Index in the input plane of a position in the window of output (y, x), and back. */
static int64_t plane_index(const struct window *w, int64_t y, int64_t x, int64_t position)
{
    const int64_t row = y * w->stride[0] - w->padding[0] + position / w->kernel[1] * w->dilation[0];
    const int64_t col = x * w->stride[1] - w->padding[1] + position % w->kernel[1] * w->dilation[1];

    return row * w->in[1] + col;
}

static uint16_t window_position(const struct window *w, int64_t y, int64_t x, int64_t index)
{
    const int64_t row = index / w->in[1] - (y * w->stride[0] - w->padding[0]);
    const int64_t col = index % w->in[1] - (x * w->stride[1] - w->padding[1]);

    return (uint16_t)(row / w->dilation[0] * w->kernel[1] + col / w->dilation[1]);
}

static bool mask_is_plain(struct npu_aten_ctx *c, const struct aclTensor *mask)
{
    int64_t expected = 1;

    for (uint32_t i = mask->n_dims; i-- > 0;) {
        if (mask->dim[i] != 1 && mask->stride[i] != expected) {
            npu_aten()->fail(c, "the mask must be contiguous");
            return false;
        }
        expected *= mask->dim[i];
    }
    return true;
}

static uint8_t *mask_bytes(const struct aclTensor *mask)
{
    return (uint8_t *)mask->data + mask->offset * (int64_t)npu_dtype_bytes(mask->dtype);
}

void npu_nat_max_pool2d_mask(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *out = a[6].t, *mask = a[7].t;
    struct window w;
    const int64_t *index;
    int v;

    if (!window_of(c, &w, &a[1], a[0].t, out, mask) || !mask_is_plain(c, mask))
        return;
    v = at(c, "aten::max_pool2d_with_indices", TENSOR(c, a[0].t), INTARRAY(a[1].ia),
           INTARRAY(a[2].ia), INTARRAY(a[3].ia), INTARRAY(a[4].ia), BOOL(a[5].i));
    store(c, v, out);
    index = npu_aten()->data(c, v + 1, DT_INT64);
    if (!index)
        return;
    for (int64_t p = 0; p < w.n_planes; p++) {
        uint8_t *to = mask_bytes(mask) + p * w.plane_bytes;
        for (int64_t y = 0; y < w.out[0]; y++)
            for (int64_t x = 0; x < w.out[1]; x++, index++, to += 2) {
                const uint16_t position = window_position(&w, y, x, *index);
                memcpy(to, &position, sizeof position);
            }
    }
}

void npu_nat_max_pool2d_mask_backward(struct npu_aten_ctx *c, const union npu_arg *a)
{
    const struct aclTensor *grad = a[0].t, *mask = a[2].t;
    struct window w;
    int64_t *index, *next;
    int v;

    if (!window_of(c, &w, &a[3], a[1].t, grad, mask) || !mask_is_plain(c, mask))
        return;
    next = index = malloc((size_t)(npu_tensor_numel(grad) + 1) * sizeof *index);
    if (!index) {
        npu_aten()->fail(c, "no memory for the indices");
        return;
    }
    for (int64_t p = 0; p < w.n_planes; p++) {
        const uint8_t *from = mask_bytes(mask) + p * w.plane_bytes;
        for (int64_t y = 0; y < w.out[0]; y++)
            for (int64_t x = 0; x < w.out[1]; x++, from += 2) {
                uint16_t position;
                memcpy(&position, from, sizeof position);
                *next++ = plane_index(&w, y, x, position);
            }
    }
    v = at(c, "aten::max_pool2d_with_indices_backward", TENSOR(c, grad), TENSOR(c, a[1].t),
           INTARRAY(a[3].ia), INTARRAY(a[4].ia), INTARRAY(a[5].ia), INTARRAY(a[6].ia), BOOL(a[7].i),
           V(npu_aten()->blob(c, index, DT_INT64, grad->dim, grad->n_dims)));
    store(c, v, a[8].t);
    free(index);
}
