/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what phase one refuses: types, shapes, and chips that the package was not built for. */
#include "opp_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t opp_numel(const struct npu_opp_shape *s)
{
    int64_t n = 1;

    for (size_t i = 0; i < s->n_dims; i++)
        n *= s->dim[i];
    return n;
}

const char *opp_shape_text(const struct npu_opp_shape *s)
{
    static _Thread_local char text[4][256];
    static _Thread_local unsigned turn;
    char *t = text[turn++ & 3];
    size_t at = 1;

    t[0] = '[';
    for (size_t i = 0; i < s->n_dims && at < sizeof text[0] - 32; i++)
        at += (size_t)snprintf(t + at, sizeof text[0] - at, i ? ", %lld" : "%lld",
                               (long long)s->dim[i]);
    t[at] = ']';
    t[at + 1] = 0;
    return t;
}

/* ---- variants ---- */

/* A kernel for ND reads any plain layout. */
static bool format_fits(int32_t listed, int32_t given)
{
    enum { NCHW = 0, NHWC = 1, ND = 2, NDHWC = 27, NCDHW = 30, NCL = 47 };

    if (listed != ND)
        return listed == given;
    return given == ND || given == NCHW || given == NHWC || given == NDHWC || given == NCDHW ||
           given == NCL || given == -1;
}

static bool fits(const struct npu_opp_param *p, const struct npu_opp_tensor *t, uint32_t variant)
{
    return !t->is_given || (p->types[variant] == (p->to ? p->to[variant] : t->type) &&
                            format_fits(p->formats[variant], t->storage_format));
}

static bool all_fit(const struct npu_opp_param *p, uint32_t n, const struct npu_opp_tensor *t,
                    const uint32_t *at, uint32_t variant)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = at[i]; k < at[i + 1]; k++)
            if (!fits(&p[i], &t[k], variant))
                return false;
    return true;
}

static bool variant_fits(const struct npu_opp_call *c, uint32_t variant)
{
    return all_fit(c->op->in, c->op->n_in, c->in, c->in_at, variant) &&
           all_fit(c->op->out, c->op->n_out, c->out, c->out_at, variant);
}

/* "x float16, y float16 -> z float16", of a variant or of what was given. */
static void types_text(const struct npu_opp_call *c, int64_t variant, char *text, size_t n)
{
    size_t at = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < (uint32_t)c->op->n_in + c->op->n_out && at < n; i++) {
        const bool is_out = i >= c->op->n_in;
        const uint32_t k = is_out ? i - c->op->n_in : i;
        const struct npu_opp_param *p = is_out ? &c->op->out[k] : &c->op->in[k];
        const uint32_t *where = is_out ? &c->out_at[k] : &c->in_at[k];
        const struct npu_opp_tensor *t = (is_out ? c->out : c->in) + where[0];
        const char *type = variant >= 0                         ? npu_dtype_name(p->types[variant])
                           : where[0] < where[1] && t->is_given ? npu_dtype_name(t->type)
                                                                : "absent";

        at += (size_t)snprintf(text + at, n - at, "%s%s %s",
                               is_out && !k ? " -> "
                               : i          ? ", "
                                            : "",
                               p->name, type);
    }
}

/* The first one that the chip has and the arguments fit. */
int opp_choose_variant(const struct npu_opp_call *c, uint32_t *variant)
{
    const struct npu_soc *soc = npu_rt_soc();
    char given[256], one[256], all[1024];
    uint32_t n = 0;
    size_t at = 0;

    if (!soc)
        return ACLNN_ERR_PARAM_INVALID;
    for (*variant = 0; *variant < c->op->n_variants; ++*variant)
        if ((c->op->units[*variant] & opp_unit_bit(soc)) && variant_fits(c, *variant))
            return ACL_OK;
    types_text(c, -1, given, sizeof given);
    all[0] = 0;
    for (uint32_t v = 0; v < c->op->n_variants && at < sizeof all; v++) {
        if (!(c->op->units[v] & opp_unit_bit(soc)))
            continue;
        types_text(c, v, one, sizeof one);
        at += (size_t)snprintf(all + at, sizeof all - at, "%s(%s)", n++ ? " " : "", one);
    }
    return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                       "aclnn%s: no kernel for the data types and formats (%s) on %s; allowed: %s",
                       c->op->type, given, soc->name, all);
}

/* ---- shapes ---- */

static bool same_shape(const struct npu_opp_shape *a, const struct npu_opp_shape *b)
{
    return a->n_dims == b->n_dims && !memcmp(a->dim, b->dim, a->n_dims * sizeof *a->dim);
}

static int check_follow(const struct npu_opp_call *c)
{
    for (uint32_t i = 0; i < c->op->n_out; i++) {
        const struct npu_opp_param *p = &c->op->out[i];
        const uint32_t n = c->out_at[i + 1] - c->out_at[i];
        const struct npu_opp_tensor *out = &c->out[c->out_at[i]], *in;

        if (p->shape_of < 0 || p->sets_shape)
            continue;
        in = &c->in[c->in_at[p->shape_of]];
        if (p->form == NPU_OPP_TENSORS && n != c->in_at[p->shape_of + 1] - c->in_at[p->shape_of])
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "aclnn%s: %s has %u tensors; it follows %s, which has %u",
                               c->op->type, p->name, n, c->op->in[p->shape_of].name,
                               c->in_at[p->shape_of + 1] - c->in_at[p->shape_of]);
        for (uint32_t k = 0; k < n; k++) {
            if (!out[k].is_given || !in[k].is_given ||
                same_shape(&out[k].shape.origin, &in[k].shape.origin))
                continue;
            return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                               "aclnn%s: %s has shape %s; it follows %s, which has %s", c->op->type,
                               p->name, opp_shape_text(&out[k].shape.origin),
                               c->op->in[p->shape_of].name, opp_shape_text(&in[k].shape.origin));
        }
    }
    return ACL_OK;
}

/* An output whose shape the kernel says is as large as the caller made it. */
static bool is_fixed(const struct npu_opp_call *c, uint32_t i, uint32_t k)
{
    return c->out[k].is_given && !c->op->out[i].sets_shape;
}

static int compare_inferred(const struct npu_opp_call *c, const struct npu_opp_tensor *inferred)
{
    for (uint32_t i = 0, k = 0; i < c->op->n_out; i++) {
        for (; k < c->out_at[i + 1]; k++) {
            const struct npu_opp_shape *want = &inferred[k].shape.origin;
            const struct npu_opp_shape *is = &c->out[k].shape.origin;

            if (!is_fixed(c, i, k) || same_shape(want, is))
                continue;
            return npu_rt_fail(
                ACLNN_ERR_PARAM_INVALID,
                "aclnn%s: %s has shape %s; InferShape of the operator allows %s (if that is "
                "wrong, correct InferShape)",
                c->op->type, c->op->out[i].name, opp_shape_text(is), opp_shape_text(want));
        }
    }
    return ACL_OK;
}

int opp_check_shapes(const struct npu_opp_call *c)
{
    struct npu_opp_call copy = *c;
    const size_t n = c->out_at[c->op->n_out];
    uint32_t status;
    int rc;

    if (!c->op->infer_shape)
        return check_follow(c);
    copy.out = malloc((n ? n : 1) * sizeof *copy.out);
    if (!copy.out)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory", c->op->type);
    /* An output that InferShape leaves alone keeps the caller's shape. */
    memcpy(copy.out, c->out, n * sizeof *copy.out);
    status = c->op->infer_shape(&copy);
    rc = status
             ? npu_rt_fail(ACLNN_ERR_INNER_INFERSHAPE,
                           "aclnn%s: InferShape of the operator returned %u", c->op->type, status)
             : compare_inferred(c, copy.out);
    free(copy.out);
    return rc;
}

/* ---- types ---- */

static int compare_types(const struct npu_opp_call *c, const struct npu_opp_tensor *inferred)
{
    for (uint32_t i = 0, k = 0; i < c->op->n_out; i++)
        for (; k < c->out_at[i + 1]; k++)
            if (c->out[k].is_given && inferred[k].type != c->out[k].type)
                return npu_rt_fail(ACLNN_ERR_PARAM_INVALID,
                                   "aclnn%s: %s has type %s; InferDataType of the operator says %s "
                                   "(if that is wrong, "
                                   "correct InferDataType)",
                                   c->op->type, c->op->out[i].name, npu_dtype_name(c->out[k].type),
                                   npu_dtype_name(inferred[k].type));
    return ACL_OK;
}

/* A type that InferDataType does not set stays the caller's. */
int opp_check_types(const struct npu_opp_call *c)
{
    struct npu_opp_call copy = *c;
    const size_t n = c->out_at[c->op->n_out];
    uint32_t status;
    int rc;

    if (!c->op->infer_type)
        return ACL_OK;
    copy.out = malloc((n ? n : 1) * sizeof *copy.out);
    if (!copy.out)
        return npu_rt_fail(ACLNN_ERR_INNER, "aclnn%s: no memory", c->op->type);
    memcpy(copy.out, c->out, n * sizeof *copy.out);
    status = c->op->infer_type(&copy);
    rc = status ? npu_rt_fail(ACLNN_ERR_INNER_INFERSHAPE,
                              "aclnn%s: InferDataType of the operator returned %u", c->op->type,
                              status)
                : compare_types(c, copy.out);
    free(copy.out);
    return rc;
}

/* ---- chips ---- */

/* The name that ASCEND_COMPUTE_UNIT has for a chip. */
static const char *unit_of(const struct npu_soc *soc)
{
    if (soc->arch == 3510)
        return "ascend950";
    return strstr(soc->name, "910_") ? "ascend910_93" : "ascend910b";
}

uint8_t opp_unit_bit(const struct npu_soc *soc)
{
#define UNIT(name, arch) #name,
    static const char *const units[] = {NPU_OPP_UNIT_ROWS(UNIT)};
#undef UNIT

    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i], unit_of(soc)))
            return (uint8_t)(1u << i);
    return 0;
}

static bool lists_unit(const char *units, const char *unit)
{
    const size_t n = strlen(unit);

    for (const char *at = units; (at = strstr(at, unit)); at += n)
        if ((at == units || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

int opp_find_kernel(struct aclOpExecutor *e, uint32_t variant)
{
    const struct npu_opp_package *pkg = e->package;
    const struct npu_soc *soc = npu_rt_soc();
    const char *type = e->call.op->type;

    if (!soc)
        return ACLNN_ERR_PARAM_INVALID;
    for (uint32_t i = 0; i < pkg->n_kernels && lists_unit(pkg->units, unit_of(soc)); i++) {
        const struct npu_opp_kernel *k = &pkg->kernels[i];

        if (k->variant != variant || k->arch != soc->arch || strcmp(k->op_type, type) != 0)
            continue;
        e->kernel = k;
        return ACL_OK;
    }
    return npu_rt_fail(
        ACLNN_ERR_INNER_FIND_KERNEL,
        "aclnn%s: package %s has no kernel of it for %s (%s); it was built for: %s. Add the "
        "chip to ASCEND_COMPUTE_UNIT and the kernel to npu_op_kernel_sources, build, "
        "install",
        type, pkg->vendor, soc->name, unit_of(soc), pkg->units);
}
