/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - tensor descriptions, data buffers and attributes of single-operator calls.
 *
 * Plain structs (rt/acl_objects.h) that the operator dispatcher reads. Constructors return NULL and
 * leave the story when a parameter is not allowed, as the vendor's do.
 */
#include "cl.h"
#include "../acl_objects.h"
#include "acl/acl_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data buffers -------------------------------------------------------------------- */

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    struct aclDataBuffer *b = malloc(sizeof(*b));

    if (!b) {
        npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclCreateDataBuffer: out of memory");
        return NULL;
    }
    *b = (struct aclDataBuffer){data, size};
    return b;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *buffer)
{
    free((void *)(uintptr_t)buffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *buffer, void *data, size_t size)
{
    NEED(buffer);
    *buffer = (struct aclDataBuffer){data, size};
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *buffer)
{
    return buffer ? buffer->data : NULL;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *buffer)
{
    return buffer ? (uint32_t)buffer->bytes : 0;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

/* ---- tensor descriptions ------------------------------------------------------------- */

static int set_shape(struct npu_acl_shape *s, int n_dims, const int64_t *dims, const char *who)
{
    if (n_dims < 0 || n_dims > NPU_ACL_DIMS)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: %d dimensions, 0 to %d are allowed", who,
                           n_dims, NPU_ACL_DIMS);
    if (n_dims && !dims)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: dims is NULL", who);
    s->n_dims = n_dims;
    if (n_dims)
        memcpy(s->dims, dims, (size_t)n_dims * sizeof(*dims));
    return ACL_SUCCESS;
}

aclTensorDesc *aclCreateTensorDesc(aclDataType type, int n_dims, const int64_t *dims,
                                   aclFormat format)
{
    struct aclTensorDesc *d = calloc(1, sizeof(*d));

    if (!d) {
        npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclCreateTensorDesc: out of memory");
        return NULL;
    }
    d->type = type;
    d->format = format;
    d->storage_format = ACL_FORMAT_UNDEFINED;
    d->storage_shape.n_dims = -1;
    if (!set_shape(&d->shape, n_dims, dims, "aclCreateTensorDesc"))
        return d;
    free(d);
    return NULL;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    if (desc)
        free(desc->const_data);
    free((void *)(uintptr_t)desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    return desc ? (aclDataType)desc->type : ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    return desc ? (aclFormat)desc->format : ACL_FORMAT_UNDEFINED;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    return desc ? (size_t)desc->shape.n_dims : 0;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dim)
{
    NEED(desc);
    NEED(dim);
    if (index >= (size_t)desc->shape.n_dims)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclGetTensorDescDimV2: dimension %zu of %d",
                           index, desc->shape.n_dims);
    *dim = desc->shape.dims[index];
    return ACL_SUCCESS;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
    int64_t dim = -1;

    aclGetTensorDescDimV2(desc, index, &dim);
    return dim;
}

/* 0 when a dimension is unknown. */
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    size_t n = desc ? 1 : 0;

    for (int i = 0; desc && i < desc->shape.n_dims; i++)
        n = desc->shape.dims[i] < 0 ? 0 : n * (size_t)desc->shape.dims[i];
    return n;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    return desc ? aclGetTensorDescElementCount(desc) * aclDataTypeSize((aclDataType)desc->type) : 0;
}

static void set_name(char *to, const char *name)
{
    snprintf(to, NPU_ACL_NAME_BYTES, "%s", name ? name : "");
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    if (desc)
        set_name(desc->name, name);
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    return desc ? desc->name : "";
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    NEED(desc);
    desc->storage_format = format;
    return ACL_SUCCESS;
}

aclError aclSetTensorShape(aclTensorDesc *desc, int n_dims, const int64_t *dims)
{
    NEED(desc);
    return set_shape(&desc->storage_shape, n_dims, dims, "aclSetTensorShape");
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *data, size_t length)
{
    void *copy;

    NEED(desc);
    NEED(data);
    copy = malloc(length ? length : 1);
    if (!copy)
        return npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclSetTensorConst: no memory for %zu bytes",
                           length);
    memcpy(copy, data, length);
    free(desc->const_data);
    desc->const_data = copy;
    desc->const_bytes = length;
    return ACL_SUCCESS;
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType type)
{
    NEED(desc);
    if ((uint32_t)type > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclSetTensorPlaceMent: %d, 0 to 2 exist",
                           (int)type);
    desc->placement = (int32_t)type;
    return ACL_SUCCESS;
}

aclError aclSetTensorDynamicInput(aclTensorDesc *desc, const char *name)
{
    NEED(desc);
    NEED(name);
    set_name(desc->dynamic_input, name);
    return ACL_SUCCESS;
}

/* ---- attributes ---------------------------------------------------------------------- */

aclopAttr *aclopCreateAttr(void)
{
    struct aclopAttr *a = calloc(1, sizeof(*a));

    if (!a)
        npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclopCreateAttr: out of memory");
    return a;
}

static void free_attr(struct npu_attr *p)
{
    if (!p)
        return;
    for (int i = 0; p->strings && i < p->n; i++)
        free(p->strings[i]);
    free(p->strings);
    free(p->ints);
    free(p->floats);
    free(p->row_counts);
    free(p->name);
    free(p);
}

void aclopDestroyAttr(const aclopAttr *attr)
{
    struct npu_attr *next;

    for (struct npu_attr *p = attr ? attr->first : NULL; p; p = next) {
        next = p->next;
        free_attr(p);
    }
    free((void *)(uintptr_t)attr);
}

/* Takes p over; it replaces one of the same name. NULL: could not be made. */
static int put(aclopAttr *attr, struct npu_attr *p)
{
    struct npu_attr **at = &attr->first;

    if (!p)
        return npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclopSetAttr: out of memory");
    while (*at && strcmp((*at)->name, p->name))
        at = &(*at)->next;
    if (*at) {
        p->next = (*at)->next;
        free_attr(*at);
    }
    *at = p;
    return ACL_SUCCESS;
}

static int check_attr(const aclopAttr *attr, const char *name, int n, const void *values,
                      const char *who)
{
    if (!attr || !name)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: attr or its name is NULL", who);
    if (n < 0 || (n && !values))
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: attribute %s: %d values at %p", who, name,
                           n, values);
    return ACL_SUCCESS;
}

static struct npu_attr *new_attr(const char *name, enum npu_attr_kind kind, int n)
{
    struct npu_attr *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->kind = kind;
    p->n = n;
    p->name = strdup(name);
    if (p->name)
        return p;
    free(p);
    return NULL;
}

/* n integers of `bytes` each become int64_t. */
static struct npu_attr *ints_attr(const char *name, enum npu_attr_kind kind, int n,
                                  const void *values, size_t bytes)
{
    struct npu_attr *p = new_attr(name, kind, n);

    if (!p)
        return NULL;
    p->ints = calloc((size_t)n + 1, sizeof(*p->ints));
    for (int i = 0; p->ints && i < n; i++) {
        if (bytes == 1)
            p->ints[i] = ((const uint8_t *)values)[i];
        else if (bytes == 4)
            p->ints[i] = ((const int32_t *)values)[i];
        else
            p->ints[i] = ((const int64_t *)values)[i];
    }
    if (p->ints)
        return p;
    free_attr(p);
    return NULL;
}

static int set_ints(aclopAttr *attr, const char *name, enum npu_attr_kind kind, int n,
                    const void *values, size_t bytes, const char *who)
{
    int rc = check_attr(attr, name, n, values, who);

    return rc ? rc : put(attr, ints_attr(name, kind, n, values, bytes));
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *name, uint8_t value)
{
    return set_ints(attr, name, ATTR_BOOL, 1, &value, 1, "aclopSetAttrBool");
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *name, int64_t value)
{
    return set_ints(attr, name, ATTR_INT, 1, &value, 8, "aclopSetAttrInt");
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *name, aclDataType value)
{
    return set_ints(attr, name, ATTR_TYPE, 1, &value, 4, "aclopSetAttrDataType");
}

aclError aclopSetAttrListDataType(aclopAttr *attr, const char *name, int n,
                                  const aclDataType values[])
{
    return set_ints(attr, name, ATTR_LIST_TYPE, n, values, 4, "aclopSetAttrListDataType");
}

aclError aclopSetAttrListBool(aclopAttr *attr, const char *name, int n, const uint8_t *values)
{
    return set_ints(attr, name, ATTR_LIST_BOOL, n, values, 1, "aclopSetAttrListBool");
}

aclError aclopSetAttrListInt(aclopAttr *attr, const char *name, int n, const int64_t *values)
{
    return set_ints(attr, name, ATTR_LIST_INT, n, values, 8, "aclopSetAttrListInt");
}

static int set_floats(aclopAttr *attr, const char *name, enum npu_attr_kind kind, int n,
                      const float *values, const char *who)
{
    int rc = check_attr(attr, name, n, values, who);
    struct npu_attr *p;

    if (rc)
        return rc;
    p = new_attr(name, kind, n);
    if (p)
        p->floats = calloc((size_t)n + 1, sizeof(*p->floats));
    if (p && !p->floats) {
        free_attr(p);
        p = NULL;
    }
    if (p && n)
        memcpy(p->floats, values, (size_t)n * sizeof(*values));
    return put(attr, p);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *name, float value)
{
    return set_floats(attr, name, ATTR_FLOAT, 1, &value, "aclopSetAttrFloat");
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *name, int n, const float *values)
{
    return set_floats(attr, name, ATTR_LIST_FLOAT, n, values, "aclopSetAttrListFloat");
}

static struct npu_attr *strings_attr(const char *name, enum npu_attr_kind kind, int n,
                                     const char **values)
{
    struct npu_attr *p = new_attr(name, kind, n);
    bool ok;

    if (!p)
        return NULL;
    p->strings = calloc((size_t)n + 1, sizeof(*p->strings));
    ok = p->strings;
    for (int i = 0; ok && i < n; i++) {
        p->strings[i] = strdup(values[i] ? values[i] : "");
        ok = p->strings[i];
    }
    if (ok)
        return p;
    free_attr(p);
    return NULL;
}

aclError aclopSetAttrString(aclopAttr *attr, const char *name, const char *value)
{
    int rc = check_attr(attr, name, 1, value, "aclopSetAttrString");

    return rc ? rc : put(attr, strings_attr(name, ATTR_STRING, 1, &value));
}

aclError aclopSetAttrListString(aclopAttr *attr, const char *name, int n, const char **values)
{
    int rc = check_attr(attr, name, n, values, "aclopSetAttrListString");

    return rc ? rc : put(attr, strings_attr(name, ATTR_LIST_STRING, n, values));
}

aclError aclopSetAttrListListInt(aclopAttr *attr, const char *name, int n_lists,
                                 const int *n_values, const int64_t *const values[])
{
    int rc = check_attr(attr, name, n_lists, values, "aclopSetAttrListListInt");
    struct npu_attr *p;
    size_t total = 0, at = 0;

    if (!rc && n_lists)
        rc = check_attr(attr, name, n_lists, n_values, "aclopSetAttrListListInt");
    if (rc)
        return rc;
    for (int i = 0; i < n_lists; i++)
        total += (size_t)n_values[i];
    p = new_attr(name, ATTR_LIST_LIST_INT, n_lists);
    if (!p)
        return put(attr, NULL);
    p->ints = calloc(total + 1, sizeof(*p->ints));
    p->row_counts = calloc((size_t)n_lists + 1, sizeof(*p->row_counts));
    if (!p->ints || !p->row_counts) {
        free_attr(p);
        return put(attr, NULL);
    }
    for (int i = 0; i < n_lists; i++) {
        p->row_counts[i] = n_values[i];
        memcpy(p->ints + at, values[i], (size_t)n_values[i] * sizeof(*p->ints));
        at += (size_t)n_values[i];
    }
    return put(attr, p);
}
