/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - what phase one refuses.
 *
 * Apart from the kernels, because a mistake found here is a plain error on the caller's thread,
 * while the same mistake found on the stream makes the device unusable.
 * Rule: a check reads shapes and types only, never device memory.
 */
#include "opapi.h"
#include <string.h>

static const uint32_t marks[N_KINDS] = {
    [KIND_t] = MARK_TENSOR,   [KIND_T] = MARK_TENSOR,   [KIND_s] = MARK_SCALAR,
    [KIND_ia] = MARK_INTS,    [KIND_ba] = MARK_BOOLS,   [KIND_fa] = MARK_FLOATS,
    [KIND_tl] = MARK_TENSORS, [KIND_TL] = MARK_TENSORS, [KIND_sl] = MARK_SCALARS,
};

/* Blocked storage (NZ, NC1HWC0, FRACTAL_Z and their kin) is another order of elements. */
bool npu_format_is_plain(int32_t format)
{
    return format == NPU_ND || format == NPU_NCHW || format == NPU_NCDHW || format == NPU_NCL ||
           format == NPU_NC || format == NPU_FORMAT_NONE || format == NPU_NHWC ||
           format == NPU_NDHWC;
}

/* What the chips of one generation on have beside the types of all. */
static const struct {
    uint32_t arch; /* from */
    const char *chips;
    uint64_t types;
} chip_types[] = {
    {3510, "Ascend950",
     1ull << DT_HIFLOAT8 | 1ull << DT_FLOAT8_E5M2 | 1ull << DT_FLOAT8_E4M3FN |
         1ull << DT_FLOAT8_E8M0 | 1ull << DT_FLOAT4_E2M1},
};

/* All types of torch but those that come with a later generation. */
static uint64_t types_of_chip(const struct npu_soc *soc)
{
    uint64_t types = 0;

    for (int t = 0; t < 64; t++)
        types |= (uint64_t)npu_dtype_in_torch(t) << t;
    for (size_t i = 0; i < sizeof chip_types / sizeof *chip_types; i++)
        types = soc->arch < chip_types[i].arch ? types & ~chip_types[i].types
                                               : types | chip_types[i].types;
    return types;
}

static int check_chip(const struct npu_op_row *row, const char *name, const struct aclTensor *t)
{
    const struct npu_soc *soc = npu_rt_soc();
    char text[256];

    for (size_t i = 0; soc && i < sizeof chip_types / sizeof *chip_types; i++)
        if (soc->arch < chip_types[i].arch && chip_types[i].types >> t->dtype & 1)
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "%s: %s has type %s, which %s does not have; %s has. The types of "
                               "%s: %s",
                               row->name, name, npu_dtype_name(t->dtype), soc->name,
                               chip_types[i].chips, soc->name,
                               npu_types_text(types_of_chip(soc), text, sizeof text));
    return ACL_OK;
}

/* Types that torch does not have: only casts know them. */
static int check_odd_type(const struct npu_op_row *row, const char *name, const struct aclTensor *t)
{
    if (row->schema && row->native && t->dtype == DT_HIFLOAT8)
        return ACL_OK;
    return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                       "%s: %s has data type %d (%s), which this operator does not take", row->name,
                       name, t->dtype, npu_dtype_name(t->dtype));
}

static int check_tensor(const struct npu_op_row *row, const char *name, const struct aclTensor *t)
{
    int rc = ACL_OK;

    if (NPU_UNLIKELY(t->dtype >= DT_HIFLOAT8 && t->dtype < 64))
        rc = check_chip(row, name, t);
    if (rc == ACL_OK && NPU_UNLIKELY(!npu_dtype_in_torch(t->dtype)))
        rc = check_odd_type(row, name, t);
    if (rc != ACL_OK)
        return rc;
    if (NPU_UNLIKELY(!npu_format_is_plain(t->format)))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "%s: %s has storage format %d; the twin has plain "
                           "formats only (ND, NCHW, NCDHW)",
                           row->name, name, t->format);
    if (!t->data && npu_tensor_numel(t) != 0)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s of shape %s has no device memory",
                           row->name, name, npu_shape_text(t));
    return ACL_OK;
}

static int check_list(const struct npu_op_row *row, const char *name,
                      const struct aclTensorList *list)
{
    for (uint64_t i = 0; i < list->n; i++) {
        const struct aclTensor *t = list->v[i];
        int rc;

        if (!t)
            continue; /* "no index here"; who cannot do without says so when it runs */
        if (t->obj.mark != MARK_TENSOR)
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s[%llu] is not a tensor", row->name,
                               name, (unsigned long long)i);
        rc = check_tensor(row, name, t);
        if (rc != ACL_OK)
            return rc;
    }
    return ACL_OK;
}

/* The documented data types, for the rows that list them. */
static int check_listed(const struct npu_op_row *row, const struct npu_param *p,
                        const struct aclTensor *t)
{
    char text[256];

    if (t->dtype >= 0 && t->dtype < 64 && (p->types >> t->dtype & 1))
        return ACL_OK;
    return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has type %s; allowed: %s", row->name,
                       p->name, npu_dtype_name(t->dtype),
                       npu_types_text(p->types, text, sizeof text));
}

static int check_handle(const struct npu_op_row *row, const struct npu_param *p, union npu_arg a)
{
    const struct npu_obj *obj = a.p;

    if (!obj) {
        if (p->optional)
            return ACL_OK;
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: parameter %s must not be null", row->name,
                           p->name);
    }
    if (p->kind == KIND_str)
        return ACL_OK;
    if (obj->mark != marks[p->kind])
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "%s: parameter %s (%p) is not a live handle of its type", row->name,
                           p->name, a.p);
    if (p->types && (p->kind == KIND_t || p->kind == KIND_T)) {
        const int rc = check_listed(row, p, a.t);
        if (rc != ACL_OK)
            return rc;
    }
    if (p->kind == KIND_t || p->kind == KIND_T)
        return check_tensor(row, p->name, a.t);
    if (p->kind == KIND_tl || p->kind == KIND_TL)
        return check_list(row, p->name, a.tl);
    return ACL_OK;
}

/* Nothing is asked for: null, 0, an empty array, a tensor without elements. */
static bool is_nothing(uint8_t kind, union npu_arg a)
{
    switch (kind) {
    case KIND_double:
    case KIND_float:
        return a.d == 0;
    case KIND_t:
    case KIND_T:
        return !a.t || npu_tensor_numel(a.t) == 0;
    case KIND_s:
        return !a.s || a.s->i == 0; /* +0.0 has no bit set */
    case KIND_str:
        return !a.str || !*a.str;
    case KIND_ia:
    case KIND_ba:
    case KIND_fa:
    case KIND_tl:
    case KIND_TL:
    case KIND_sl:
        return !a.ia || a.ia->n == 0; /* all have their size in one place */
    default:
        return a.i == 0;
    }
}

/* !param: what the operator does not do must not be asked for. */
static int check_refused(const struct npu_op_row *row, const union npu_arg *args)
{
    for (uint32_t i = 0; i < row->n_maps; i++) {
        const struct npu_param *p = &row->params[row->maps[i].param];

        if (row->maps[i].how == HOW_ZERO && !is_nothing(p->kind, args[row->maps[i].param]))
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "%s: parameter %s is not supported by the twin; leave it %s",
                               row->name, p->name, p->kind <= KIND_sl ? "null" : "0");
    }
    return ACL_OK;
}

/* ---- shapes ---- */

/* The read and the written tensors of a call, in the order of the parameters. */
struct operands {
    const struct aclTensor *in[8], *out[8];
    uint32_t n_in, n_out;
};

static void collect(const struct npu_op_row *row, const union npu_arg *args, struct operands *o)
{
    o->n_in = o->n_out = 0;
    for (uint32_t i = 0; i < row->n_params; i++) {
        if (row->params[i].kind == KIND_t && args[i].t && o->n_in < 8)
            o->in[o->n_in++] = args[i].t;
        else if (row->params[i].kind == KIND_T && args[i].t && o->n_out < 8)
            o->out[o->n_out++] = args[i].t;
    }
}

static int64_t dim_from_end(const struct aclTensor *t, uint32_t k)
{
    return k < t->n_dims ? t->dim[t->n_dims - 1 - k] : 1;
}

static bool same_shape(const struct aclTensor *a, const struct aclTensor *b)
{
    return a->n_dims == b->n_dims && !memcmp(a->dim, b->dim, a->n_dims * sizeof *a->dim);
}

/* For x.op_(y) the written tensor is the first operand as well, and keeps its shape. */
static int check_broadcast(const struct npu_op_row *row, const struct operands *o)
{
    const bool in_place = !strncmp(row->name, "aclnnInplace", 12);
    const struct aclTensor *out = o->n_out ? o->out[0] : NULL;
    uint32_t n_dims = 0;

    for (uint32_t i = 0; i < o->n_in; i++)
        n_dims = o->in[i]->n_dims > n_dims ? o->in[i]->n_dims : n_dims;
    if (!out || !o->n_in)
        return ACL_OK;
    if (n_dims > out->n_dims || (n_dims < out->n_dims && !in_place))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: an input has %u dimensions, the output %u",
                           row->name, n_dims, out->n_dims);
    for (uint32_t k = 0; k < n_dims; k++) {
        int64_t size = 1;
        const struct aclTensor *from = NULL;

        for (uint32_t i = 0; i < o->n_in; i++) {
            const int64_t d = dim_from_end(o->in[i], k);
            if (d != 1 && size != 1 && d != size)
                return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: shapes %s and %s do not broadcast",
                                   row->name, npu_shape_text(from), npu_shape_text(o->in[i]));
            if (d != 1) {
                size = d;
                from = o->in[i];
            }
        }
        if (dim_from_end(out, k) != size && !(size == 1 && in_place))
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "%s: the output has shape %s, but the inputs broadcast to %lld in "
                               "dimension %u from the end",
                               row->name, npu_shape_text(out), (long long)size, k + 1);
    }
    return ACL_OK;
}

static int check_same(const struct npu_op_row *row, const struct operands *o)
{
    for (uint32_t i = 0; o->n_in && i < o->n_out; i++)
        if (!same_shape(o->in[0], o->out[i]))
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: the output has shape %s, the input %s",
                               row->name, npu_shape_text(o->out[i]), npu_shape_text(o->in[0]));
    return ACL_OK;
}

static int check_float(const struct npu_op_row *row, const struct operands *o)
{
    for (uint32_t i = 0; i < o->n_out; i++)
        if (npu_dtype_is_int(o->out[i]->dtype))
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "%s: the output has type %s; the result is not an integer",
                               row->name, npu_dtype_name(o->out[i]->dtype));
    return check_same(row, o);
}

static int check_product(const struct npu_op_row *row, const struct aclTensor *a,
                         const struct aclTensor *b, const struct aclTensor *out, uint32_t rank)
{
    const uint32_t k = rank - 2;

    if (a->n_dims != rank || b->n_dims != rank || out->n_dims != rank)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "%s: %s x %s -> %s: each must have %u dimensions", row->name,
                           npu_shape_text(a), npu_shape_text(b), npu_shape_text(out), rank);
    if (a->dim[k + 1] != b->dim[k] || a->dim[k] != out->dim[k] ||
        b->dim[k + 1] != out->dim[k + 1] ||
        (k && (a->dim[0] != b->dim[0] || a->dim[0] != out->dim[0])))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: shapes %s x %s -> %s do not multiply",
                           row->name, npu_shape_text(a), npu_shape_text(b), npu_shape_text(out));
    if (a->dtype != b->dtype)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s x %s: the types must be equal",
                           row->name, npu_dtype_name(a->dtype), npu_dtype_name(b->dtype));
    return ACL_OK;
}

/* Sizes of the batch dimensions, from the end, behind the two of the matrices. */
static bool batches_agree(const struct aclTensor *a, const struct aclTensor *b)
{
    for (uint32_t k = 2; k < a->n_dims && k < b->n_dims; k++) {
        const int64_t x = dim_from_end(a, k), y = dim_from_end(b, k);
        if (x != y && x != 1 && y != 1)
            return false;
    }
    return true;
}

static int check_matmul(const struct npu_op_row *row, const struct aclTensor *a,
                        const struct aclTensor *b)
{
    const int64_t inner = dim_from_end(b, b->n_dims > 1);

    if (!a->n_dims || !b->n_dims || dim_from_end(a, 0) != inner || !batches_agree(a, b))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: shapes %s x %s do not multiply", row->name,
                           npu_shape_text(a), npu_shape_text(b));
    if (a->dtype != b->dtype)
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s x %s: the types must be equal",
                           row->name, npu_dtype_name(a->dtype), npu_dtype_name(b->dtype));
    return ACL_OK;
}

static bool is_legacy_empty(const struct aclTensor *t)
{
    return t->n_dims == 1 && t->dim[0] == 0; /* torch skips it in cat, whatever the others are */
}

static int check_cat(const struct npu_op_row *row, const union npu_arg *args)
{
    const struct aclTensorList *list = args[0].tl;
    const struct aclTensor *out = args[2].t;
    const int64_t dim = args[1].i < 0 ? args[1].i + (int64_t)out->n_dims : args[1].i;

    for (uint64_t i = 0; i < list->n; i++) {
        const struct aclTensor *t = list->v[i];

        if (!t)
            return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: tensor %llu of the list is null",
                               row->name, (unsigned long long)i);
        if (is_legacy_empty(t))
            continue;
        for (uint32_t k = 0; k < out->n_dims || k < t->n_dims; k++)
            if (t->n_dims != out->n_dims || (k != dim && t->dim[k] != out->dim[k]))
                return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                                   "%s: tensor %llu of the list has shape %s, the output %s; they "
                                   "may differ in dimension %lld only",
                                   row->name, (unsigned long long)i, npu_shape_text(t),
                                   npu_shape_text(out), (long long)dim);
    }
    return ACL_OK;
}

static int check_gather(const struct npu_op_row *row, const union npu_arg *args,
                        const struct operands *o)
{
    const struct aclTensor *self = args[0].t, *index = args[2].t;
    const int64_t dim = args[1].i < 0 ? args[1].i + (int64_t)self->n_dims : args[1].i;

    if (!npu_dtype_is_int(index->dtype))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "%s: index has type %s, an integer type is needed", row->name,
                           npu_dtype_name(index->dtype));
    if (!self->n_dims || !npu_tensor_numel(index))
        return ACL_OK;
    for (uint32_t k = 0; k < self->n_dims; k++)
        if (index->n_dims != self->n_dims || (k != dim && index->dim[k] > self->dim[k]))
            return npu_rt_fail(
                ACLNN_ERR_PARAM_INVALID,
                "%s: index has shape %s, self %s: as many dimensions, and none longer "
                "but dimension %lld",
                row->name, npu_shape_text(index), npu_shape_text(self), (long long)dim);
    if (!same_shape(index, o->out[0]))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: the output has shape %s, index %s",
                           row->name, npu_shape_text(o->out[0]), npu_shape_text(index));
    return ACL_OK;
}

static int check_conv(const struct npu_op_row *row, const union npu_arg *args)
{
    const struct aclTensor *in = args[0].t, *weight = args[1].t;
    const bool transposed = args[6].i != 0;
    const int64_t groups = args[8].i;

    if (weight->n_dims < 3 || (in->n_dims != weight->n_dims && in->n_dims + 1 != weight->n_dims))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: input %s and weight %s do not fit",
                           row->name, npu_shape_text(in), npu_shape_text(weight));
    if (groups < 1 || dim_from_end(in, weight->n_dims - 2) !=
                          (transposed ? weight->dim[0] : weight->dim[1] * groups))
        return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                           "%s: input %s has other channels than weight %s with %lld groups",
                           row->name, npu_shape_text(in), npu_shape_text(weight),
                           (long long)groups);
    return ACL_OK;
}

static int check_alike(const struct npu_op_row *row, const struct operands *o)
{
    if (!o->n_in || !o->n_out || o->in[0]->dtype == o->out[0]->dtype)
        return ACL_OK;
    return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                       "%s: the output has type %s; it must have the type of the input, %s",
                       row->name, npu_dtype_name(o->out[0]->dtype),
                       npu_dtype_name(o->in[0]->dtype));
}

static int check_rule(const struct npu_op_row *row, const union npu_arg *args)
{
    struct operands o = {0};

    if (row->rule == RULE_NONE && !(row->flags & ROW_ALIKE))
        return ACL_OK;
    collect(row, args, &o);
    if (row->flags & ROW_ALIKE && check_alike(row, &o) != ACL_OK)
        return ACLNN_ERR_PARAM_INVALID;
    switch (row->rule) {
    case RULE_NONE:
        return ACL_OK;
    case RULE_BROADCAST:
        return check_broadcast(row, &o);
    case RULE_SAME:
        return check_same(row, &o);
    case RULE_FLOAT:
        return check_float(row, &o);
    case RULE_MM:
        return check_product(row, o.in[0], o.in[1], o.out[0], 2);
    case RULE_BMM:
        return check_product(row, o.in[0], o.in[1], o.out[0], 3);
    case RULE_MATMUL:
        return check_matmul(row, o.in[0], o.in[1]);
    case RULE_CAT:
        return check_cat(row, args);
    case RULE_GATHER:
        return check_gather(row, args, &o);
    case RULE_CONV:
        return check_conv(row, args);
    default:
        return check_product(row, o.in[1], o.in[2], o.out[0], 2);
    }
}

int npu_op_check(const struct npu_op_row *row, const union npu_arg *args)
{
    for (uint32_t i = 0; i < row->n_params; i++) {
        const struct npu_param *p = &row->params[i];
        int rc;

        if (p->kind > KIND_sl && p->kind != KIND_str)
            continue;
        rc = check_handle(row, p, args[i]);
        if (rc != ACL_OK)
            return rc;
    }
    if (row->n_maps) {
        const int rc = check_refused(row, args);
        if (rc != ACL_OK)
            return rc;
    }
    if (row->check) {
        const char *reason = row->check(args);
        if (reason)
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s", row->name, reason);
    }
    return check_rule(row, args);
}
