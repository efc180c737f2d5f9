/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop.c - see aclop.h.
 *
 * Packages are looked for in the order that torch_npu uses for aclnn functions, once in a process.
 * A call becomes an aclnn call: descriptions become tensors, attributes values by their name.
 */
#define _GNU_SOURCE
#include "aclop.h"
#include "opp_int.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- packages ---- */

enum { MAX_PACKAGES = 64, PATH_BYTES = 4096 };

static const struct npu_opp_package *packages[MAX_PACKAGES];
static uint32_t n_packages;

static void add_package(const char *dir, int n_dir, const char *name, int n_name)
{
    const struct npu_opp_package *(*get)(void);
    char path[PATH_BYTES];
    void *lib;

    snprintf(path, sizeof path, "%.*s%.*s/op_api/lib/libcust_opapi.so", n_dir, dir, n_name, name);
    /* ASCEND_OPP_PATH and config.ini name the libraries to load: that is what they are for. */
    lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL); // NOLINT(clang-analyzer-optin.taint.GenericTaint)
    if (!lib || n_packages == MAX_PACKAGES)
        return;
    *(void **)&get = dlsym(lib, "npu_opp_package");
    if (get && get()->abi == NPU_OPP_ABI)
        packages[n_packages++] = get();
}

/* prefix stands before each word of list. */
static void add_each(const char *list, const char *separators, const char *prefix)
{
    for (const char *at = list; at && *(at += strspn(at, separators));) {
        const size_t n = strcspn(at, separators);

        add_package(prefix, (int)strlen(prefix), at, (int)n);
        at += n;
    }
}

static void add_vendors(const char *opp)
{
    static const char KEY[] = "load_priority=";
    char path[PATH_BYTES], line[PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/vendors/config.ini", opp);
    file = fopen(path, "r");
    if (!file)
        return;
    snprintf(path, sizeof path, "%s/vendors/", opp);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, KEY, sizeof KEY - 1) != 0)
            continue;
        add_each(line + sizeof KEY - 1, ", \r\n", path);
        break;
    }
    fclose(file);
}

static void find_packages(void)
{
    const char *opp = getenv("ASCEND_OPP_PATH");

    add_each(getenv("ASCEND_CUSTOM_OPP_PATH"), ":", "");
    if (opp)
        add_vendors(opp);
}

static const struct npu_opp_op *find_type(const char *type, const struct npu_opp_package **package)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_packages);
    for (uint32_t i = 0; i < n_packages; i++) {
        const struct npu_opp_op *op = opp_find_op(packages[i], type);

        *package = packages[i];
        if (op)
            return op;
    }
    return NULL;
}

/* ---- one call ---- */

struct values {
    union npu_opp_value *v;
    struct npu_obj **made; /* handles to drop again */
    uint32_t n, n_made;
};

static const void *keep(struct values *to, void *handle)
{
    to->made[to->n_made++] = handle;
    return handle;
}

/* The handle of one tensor; NULL for one that is absent, or on a mistake. */
static int tensor_of(const struct aclTensorDesc *d, const struct aclDataBuffer *b,
                     struct aclTensor **out)
{
    *out = NULL;
    if (!d || d->type < 0 || d->shape.n_dims < 0)
        return ACL_OK;
    *out = aclCreateTensor(d->shape.dims, (uint64_t)d->shape.n_dims, d->type, NULL, 0,
                           d->storage_format >= 0 ? d->storage_format : d->format, d->shape.dims,
                           (uint64_t)d->shape.n_dims, b ? b->data : NULL);
    return *out ? ACL_OK : ACL_ERROR_INVALID_PARAM; /* aclCreateTensor said why */
}

static bool is_on_host(const struct aclTensorDesc *d)
{
    return d && (d->placement != 0 || d->const_data);
}

/* The numbers of a tensor in host memory as an aclIntArray and the like. */
static const void *array_of(struct values *to, const struct aclTensorDesc *d, const void *data)
{
    const size_t bytes = npu_dtype_bytes(d->type);
    int64_t *ints;
    uint64_t n = 1;
    const void *handle;

    for (int i = 0; i < d->shape.n_dims; i++)
        n *= (uint64_t)d->shape.dims[i];
    if (d->type == DT_FLOAT)
        return keep(to, aclCreateFloatArray(data, n));
    if (d->type == DT_BOOL)
        return keep(to, aclCreateBoolArray(data, n));
    ints = calloc(n ? n : 1, sizeof *ints);
    for (uint64_t i = 0; ints && i < n; i++) {
        memcpy(&ints[i], (const uint8_t *)data + i * bytes, bytes);
        if (bytes < 8 && d->type != DT_UINT8 && d->type != DT_UINT16 && d->type != DT_UINT32)
            ints[i] = (int64_t)((uint64_t)ints[i] << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    }
    handle = ints ? keep(to, aclCreateIntArray(ints, n)) : NULL;
    free(ints);
    return handle;
}

static int take_values(struct values *to, const struct npu_opp_op *op,
                       const struct npu_opp_param *p, const struct aclTensorDesc *d,
                       const struct aclDataBuffer *b)
{
    struct aclTensor *t;
    int rc;

    if (d && is_on_host(d)) {
        to->v[to->n++].p = array_of(to, d, d->const_data ? d->const_data : b ? b->data : NULL);
        return to->v[to->n - 1].p ? ACL_OK : ACL_ERROR_INVALID_PARAM;
    }
    if (p->needs_host && d && d->type >= 0)
        return npu_rt_fail(
            ACL_ERROR_INVALID_PARAM,
            "aclop %s: %s is a ValueDepend(REQUIRED) input, which the host reads "
            "before the stream runs; pass it as a host tensor (OpCommand::Input with "
            "an int list or a scalar)",
            op->type, p->name);
    rc = tensor_of(d, b, &t);
    to->v[to->n++].p = t ? keep(to, t) : NULL;
    return rc;
}

static int take_scalar(struct values *to, const struct npu_opp_op *op,
                       const struct npu_opp_param *p, const struct aclTensorDesc *d,
                       const struct aclDataBuffer *b)
{
    const void *data = d && d->const_data ? d->const_data : b ? b->data : NULL;

    if (!d || d->type < 0) {
        to->v[to->n++].p = NULL;
        return ACL_OK;
    }
    if (!is_on_host(d) || !data || p->form == NPU_OPP_SCALARS)
        return npu_rt_fail(
            ACL_ERROR_INVALID_PARAM,
            "aclop %s: %s is %s, and only a number in host memory reaches it through "
            "aclop; call aclnn%s",
            op->type, p->name, p->form == NPU_OPP_SCALARS ? "ScalarList()" : "Scalar()", op->type);
    to->v[to->n++].p = keep(to, aclCreateScalar((void *)(uintptr_t)data, d->type));
    return to->v[to->n - 1].p ? ACL_OK : ACL_ERROR_INVALID_PARAM;
}

/* Parameter p takes n descriptions that stand one behind the other. */
static int take_param(struct values *to, const struct npu_opp_op *op, const struct npu_opp_param *p,
                      int n, const struct aclTensorDesc *const *d,
                      const struct aclDataBuffer *const *b)
{
    struct aclTensor *list[256], *t = NULL;
    int rc = ACL_OK;

    if (p->form == NPU_OPP_VALUES)
        return take_values(to, op, p, n ? d[0] : NULL, n ? b[0] : NULL);
    if (p->form == NPU_OPP_SCALAR || p->form == NPU_OPP_SCALARS)
        return take_scalar(to, op, p, n ? d[0] : NULL, n ? b[0] : NULL);
    if (n && is_on_host(d[0]))
        return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                           "aclop %s: %s lies in host memory, and the kernel reads device memory; "
                           "ValueDepend() or Scalar() in the OpDef allow that",
                           op->type, p->name);
    if (p->form == NPU_OPP_TENSOR) {
        if (n)
            rc = tensor_of(d[0], b[0], &t);
        to->v[to->n++].p = t ? keep(to, t) : NULL;
        return rc;
    }
    if (n > (int)(sizeof list / sizeof *list))
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: %s has %d tensors, at most 256",
                           op->type, p->name, n);
    for (int k = 0; k < n && rc == ACL_OK; k++)
        rc = tensor_of(d[k], b[k], &list[k]);
    if (rc == ACL_OK)
        to->v[to->n++].p = keep(to, aclCreateTensorList(list, (uint64_t)n));
    return rc;
}

/* How many of the descriptions from `from` on belong to parameter p: one, or those that are left
 * when every parameter behind it takes one; with names x0, x1, ... exactly these. */
static int share(const struct npu_opp_param *p, uint32_t n_behind, int from, int n,
                 const struct aclTensorDesc *const *d)
{
    const size_t length = strlen(p->name);
    int k = from;

    if (p->form != NPU_OPP_TENSORS)
        return from < n;
    while (k < n && d[k] && !strncmp(d[k]->name, p->name, length) && d[k]->name[length] >= '0' &&
           d[k]->name[length] <= '9')
        k++;
    if (k > from)
        return k - from;
    return n - from > (int)n_behind ? n - from - (int)n_behind : 0;
}

static const void *bools_of(struct values *to, const struct npu_attr *a)
{
    bool *copy = calloc((size_t)a->n + 1, sizeof *copy);
    const void *handle;

    if (!copy)
        return NULL;
    for (int32_t i = 0; i < a->n; i++)
        copy[i] = a->ints[i] != 0;
    handle = keep(to, aclCreateBoolArray(copy, (uint64_t)a->n));
    free(copy);
    return handle;
}

static const enum npu_attr_kind KINDS[] = {
    [NPU_OPP_BOOL] = ATTR_BOOL,
    [NPU_OPP_INT] = ATTR_INT,
    [NPU_OPP_FLOAT] = ATTR_FLOAT,
    [NPU_OPP_STRING] = ATTR_STRING,
    [NPU_OPP_LIST_BOOL] = ATTR_LIST_BOOL,
    [NPU_OPP_LIST_INT] = ATTR_LIST_INT,
    [NPU_OPP_LIST_FLOAT] = ATTR_LIST_FLOAT,
    [NPU_OPP_LIST_LIST_INT] = ATTR_LIST_LIST_INT,
};

static union npu_opp_value default_of(const struct npu_opp_attr *a)
{
    switch (a->kind) {
    case NPU_OPP_BOOL:
        return (union npu_opp_value){.i = a->def.b};
    case NPU_OPP_INT:
        return (union npu_opp_value){.i = a->def.i};
    case NPU_OPP_FLOAT:
        return (union npu_opp_value){.d = (double)a->def.f};
    default:
        return (union npu_opp_value){.p = NULL}; /* args.c takes the default */
    }
}

static union npu_opp_value value_of(struct values *to, const struct npu_attr *a)
{
    switch (a->kind) {
    case ATTR_BOOL:
    case ATTR_INT:
        return (union npu_opp_value){.i = a->ints[0]};
    case ATTR_FLOAT:
        return (union npu_opp_value){.d = (double)a->floats[0]};
    case ATTR_STRING:
        return (union npu_opp_value){.p = a->strings[0]};
    case ATTR_LIST_INT:
        return (union npu_opp_value){.p = keep(to, aclCreateIntArray(a->ints, (uint64_t)a->n))};
    case ATTR_LIST_FLOAT:
        return (union npu_opp_value){.p = keep(to, aclCreateFloatArray(a->floats, (uint64_t)a->n))};
    default:
        return (union npu_opp_value){.p = bools_of(to, a)};
    }
}

static int take_attr(struct values *to, const struct npu_opp_op *op, uint32_t i,
                     const struct aclopAttr *attr)
{
    const struct npu_opp_attr *want = &op->attrs[i];
    const struct npu_attr *a = npu_attr_find(attr, want->name);

    if (!a && want->is_required)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: attribute %s is missing", op->type,
                           want->name);
    if (a && want->kind == NPU_OPP_LIST_LIST_INT)
        return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                           "aclop %s: attribute %s is a ListListInt, which has its default only",
                           op->type, want->name);
    if (a && a->kind != KINDS[want->kind])
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                           "aclop %s: attribute %s has another type than in "
                           "its OpDef",
                           op->type, want->name);
    to->v[to->n++] = a ? value_of(to, a) : default_of(want);
    return ACL_OK;
}

/* OpCommand sets some of its own, which begin with an underscore. */
static int check_attr_names(const struct npu_opp_op *op, const struct aclopAttr *attr)
{
    for (const struct npu_attr *a = attr ? attr->first : NULL; a; a = a->next) {
        bool known = a->name[0] == '_';

        for (uint32_t i = 0; i < op->n_attrs && !known; i++)
            known = !strcmp(op->attrs[i].name, a->name);
        if (!known)
            return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s: its OpDef has no attribute %s",
                               op->type, a->name);
    }
    return ACL_OK;
}

static int take_inputs(struct values *to, const struct npu_opp_op *op,
                       const struct npu_aclop_call *call)
{
    int at = 0, rc = ACL_OK;

    for (uint32_t i = 0; i < op->n_in && rc == ACL_OK; i++) {
        const int n = share(&op->in[i], op->n_in - i - 1u, at, call->n_inputs, call->input_desc);

        rc = take_param(to, op, &op->in[i], n, call->input_desc + at, call->inputs + at);
        at += n;
    }
    if (rc == ACL_OK && at < call->n_inputs)
        rc = npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s takes at most %u inputs, got %d",
                         op->type, op->n_in, call->n_inputs);
    return rc;
}

static int take_outputs(struct values *to, const struct npu_opp_op *op,
                        const struct npu_aclop_call *call)
{
    const struct aclTensorDesc *const *desc =
        (const struct aclTensorDesc *const *)call->output_desc;
    const struct aclDataBuffer *const *data = (const struct aclDataBuffer *const *)call->outputs;
    int at = 0, rc = ACL_OK;

    for (uint32_t i = 0; i < op->n_out && rc == ACL_OK; i++) {
        const int in = op->out[i].same_as;
        const int n = share(&op->out[i], op->n_out - i - 1u, at, call->n_outputs, desc);

        if (in < 0)
            rc = take_param(to, op, &op->out[i], n, desc + at, data + at);
        else if (in >= call->n_inputs || !n || !call->inputs[in] || !data[at] ||
                 call->inputs[in]->data != data[at]->data)
            rc = npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                             "aclop %s: output %s is its input of that name: pass the same memory",
                             op->type, op->out[i].name);
        at += n;
    }
    if (rc == ACL_OK && at < call->n_outputs)
        rc = npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclop %s has %u outputs, got %d", op->type,
                         op->n_out, call->n_outputs);
    return rc;
}

static int check_shapes_wanted(const struct npu_opp_op *op, const struct npu_aclop_call *call)
{
    if (!opp_n_shaped(op) || call->writes_shapes)
        return ACL_OK;
    return npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                       "aclop %s: the shape of its output is known only when it has run; call "
                       "aclopCompileAndExecuteV2, which returns it",
                       op->type);
}

static int take_call(struct values *to, const struct npu_opp_op *op,
                     const struct npu_aclop_call *call)
{
    int rc = check_shapes_wanted(op, call);

    if (rc == ACL_OK)
        rc = check_attr_names(op, call->attr);
    if (rc == ACL_OK)
        rc = take_inputs(to, op, call);
    for (uint32_t i = 0; i < op->n_attrs && rc == ACL_OK; i++)
        rc = take_attr(to, op, i, call->attr);
    return rc == ACL_OK ? take_outputs(to, op, call) : rc;
}

/* The tensor that was made for output i. */
static const struct aclTensor *output_of(const struct npu_opp_op *op, const union npu_opp_value *v,
                                         uint32_t i)
{
    uint32_t at = (uint32_t)op->n_in + op->n_attrs;

    for (uint32_t k = 0; k < i; k++)
        at += op->out[k].same_as < 0;
    return v[at].p;
}

/* What aclopCompileAndExecuteV2 hands back: the shapes that the kernel said. */
static int return_shapes(const struct npu_opp_op *op, const union npu_opp_value *v,
                         const struct npu_aclop_call *call)
{
    const int rc = npu_rt_synchronize(call->stream);

    for (uint32_t i = 0; i < op->n_out && rc == ACL_OK; i++) {
        const struct aclTensor *t = output_of(op, v, i);

        if (!op->out[i].sets_shape || !t)
            continue;
        call->output_desc[i]->shape.n_dims = (int32_t)t->n_dims;
        memcpy(call->output_desc[i]->shape.dims, t->dim, t->n_dims * sizeof *t->dim);
    }
    return rc;
}

/* aclop has no workspace of the caller's: it belongs to the executor. */
static int run(const struct npu_opp_package *pkg, const struct npu_opp_op *op,
               const union npu_opp_value *v, void *stream)
{
    struct aclOpExecutor *e;
    uint64_t bytes;
    int rc = opp_prepare(pkg, op->type, v, true, &bytes, &e);

    if (rc != ACL_OK)
        return rc;
    if (bytes)
        e->own_workspace = aligned_alloc(512, (bytes + 511) / 512 * 512);
    if (bytes && !e->own_workspace) {
        (void)npu_opp_destroy(e);
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           "aclop %s: no memory for a workspace of "
                           "%llu bytes",
                           op->type, (unsigned long long)bytes);
    }
    return npu_opp_launch(op->type, e->own_workspace, bytes, e, stream);
}

static int unknown(const char *type)
{
    const char *custom = getenv("ASCEND_CUSTOM_OPP_PATH"), *opp = getenv("ASCEND_OPP_PATH");

    return npu_rt_fail(
        ACL_ERROR_API_NOT_SUPPORT,
        "aclop operator type %s is not supported by the twin, and no operator "
        "package has it (ASCEND_CUSTOM_OPP_PATH=%s, ASCEND_OPP_PATH=%s); install one "
        "with custom_opp_<os>_<arch>.run of its project. `nputwin list aclop` shows "
        "the twin's own, and most operators go through aclnn",
        type, custom ? custom : "", opp ? opp : "");
}

int npu_opp_aclop(const struct npu_aclop_call *call)
{
    const struct npu_opp_package *pkg = NULL;
    const struct npu_opp_op *op = call->op_type ? find_type(call->op_type, &pkg) : NULL;
    struct values to = {0};
    size_t n;
    int rc;

    if (!op)
        return unknown(call->op_type ? call->op_type : "(null)");
    n = (size_t)op->n_in + op->n_attrs + op->n_out;
    to.v = calloc(n, sizeof *to.v);
    to.made = calloc(n, sizeof *to.made);
    rc = to.v && to.made
             ? take_call(&to, op, call)
             : npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclop %s: no memory", op->type);
    if (rc == ACL_OK)
        rc = run(pkg, op, to.v, call->stream);
    if (rc == ACL_OK && opp_n_shaped(op))
        rc = return_shapes(op, to.v, call);
    for (uint32_t i = 0; i < to.n_made; i++)
        npu_obj_drop(to.made[i]);
    free(to.made);
    free(to.v);
    return rc;
}
