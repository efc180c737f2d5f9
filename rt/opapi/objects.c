/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - create, destroy and read the handles of aclnn.
 *
 * Rule: a getter writes every out-parameter or returns an error; nothing is guessed.
 */
#include "objects.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct npu_dtype_row {
    const char *name;
    uint8_t n_bytes;
    char class;
} dtype_rows[] = {
#define DATA_TYPE(number, name, bytes, class, text)                                                \
    [number] = {text, (bytes) > 0 ? (bytes) : 0, class},
#include "../../sdk/include/acl/data_types.def"
};

static const struct npu_dtype_row *dtype_row(int dtype)
{
    const int n = (int)(sizeof dtype_rows / sizeof *dtype_rows);

    if (dtype < 0 || dtype >= n || !dtype_rows[dtype].name || !*dtype_rows[dtype].name)
        return NULL;
    return &dtype_rows[dtype];
}

size_t npu_dtype_bytes(int dtype)
{
    const struct npu_dtype_row *row = dtype_row(dtype);

    return row ? row->n_bytes : 0;
}

const char *npu_dtype_name(int dtype)
{
    const struct npu_dtype_row *row = dtype_row(dtype);

    return row ? row->name : "?";
}

const char *npu_types_text(uint64_t types, char *text, size_t n_bytes)
{
    size_t n = 0;

    text[0] = 0;
    for (int t = 0; t < 64 && n < n_bytes; t++)
        if (types >> t & 1)
            n += (size_t)snprintf(text + n, n_bytes - n, "%s%s", n ? ", " : "", npu_dtype_name(t));
    return text;
}

bool npu_dtype_in_torch(int dtype)
{
    const struct npu_dtype_row *row = dtype_row(dtype);

    return row && row->class != 'x';
}

bool npu_dtype_is_float(int dtype)
{
    const struct npu_dtype_row *row = dtype_row(dtype);

    return row && row->class == 'f';
}

bool npu_dtype_is_int(int dtype)
{
    const struct npu_dtype_row *row = dtype_row(dtype);

    return row && row->class == 'i';
}

int64_t npu_tensor_numel(const struct aclTensor *t)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < t->n_dims; i++)
        n *= t->dim[i];
    return n;
}

const char *npu_shape_text(const struct aclTensor *t)
{
    static _Thread_local char text[4][256];
    static _Thread_local unsigned turn;
    char *s = text[turn++ % 4];
    int at = snprintf(s, sizeof *text, "[");

    for (uint32_t i = 0; i < t->n_dims && at < 230; i++)
        at += snprintf(s + at, sizeof *text - (size_t)at, i ? ", %lld" : "%lld",
                       (long long)t->dim[i]);
    snprintf(s + at, sizeof *text - (size_t)at, "]");
    return s;
}

/* ---- life ---- */

static void *obj_new(size_t bytes, enum npu_mark mark)
{
    struct npu_obj *obj = malloc(bytes);

    if (!obj) {
        npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for an aclnn object of %zu bytes",
                    bytes);
        return NULL;
    }
    obj->mark = mark;
    obj->n_holders = 1;
    return obj;
}

void npu_obj_hold(const void *p)
{
    struct npu_obj *obj = (struct npu_obj *)(uintptr_t)p;

    if (obj)
        __atomic_fetch_add(&obj->n_holders, 1, __ATOMIC_RELAXED);
}

static void drop_members(struct npu_obj *obj)
{
    if (obj->mark == MARK_TENSORS) {
        struct aclTensorList *list = (struct aclTensorList *)obj;
        for (uint64_t i = 0; i < list->n; i++)
            npu_obj_drop(list->v[i]);
    } else if (obj->mark == MARK_SCALARS) {
        struct aclScalarList *list = (struct aclScalarList *)obj;
        for (uint64_t i = 0; i < list->n; i++)
            npu_obj_drop(list->v[i]);
    }
}

void npu_obj_drop(const void *p)
{
    struct npu_obj *obj = (struct npu_obj *)(uintptr_t)p;

    if (!obj || __atomic_sub_fetch(&obj->n_holders, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    drop_members(obj);
    obj->mark = MARK_DEAD;
    free(obj);
}

static int destroy(const void *p, uint32_t mark, const char *what)
{
    const struct npu_obj *obj = p;

    if (!obj)
        return ACL_OK;
    if (obj->mark != mark)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: %p is not such a handle%s", what, p,
                           obj->mark == MARK_DEAD ? "; it was destroyed before" : "");
    npu_obj_drop(obj);
    return ACL_OK;
}

/* ---- tensors ---- */

static bool dims_are_legal(const int64_t *dim, uint64_t n, const char *what)
{
    if (n > NPU_MAX_DIMS) {
        npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclCreateTensor: %s has %llu dimensions, at most %d",
                    what, (unsigned long long)n, NPU_MAX_DIMS);
        return false;
    }
    if (n && !dim) {
        npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclCreateTensor: %s is null with %llu dimensions",
                    what, (unsigned long long)n);
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (dim[i] < 0) {
            npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclCreateTensor: %s[%llu] is %lld", what,
                        (unsigned long long)i, (long long)dim[i]);
            return false;
        }
    }
    return true;
}

NPU_API struct aclTensor *aclCreateTensor(const int64_t *view_dims, uint64_t n_view_dims, int dtype,
                                          const int64_t *stride, int64_t offset, int format,
                                          const int64_t *storage_dims, uint64_t n_storage_dims,
                                          void *data)
{
    struct aclTensor *t;
    int64_t contiguous = 1;

    if (!dims_are_legal(view_dims, n_view_dims, "viewDims") ||
        !dims_are_legal(storage_dims, n_storage_dims, "storageDims"))
        return NULL;
    t = obj_new(sizeof *t, MARK_TENSOR);
    if (!t)
        return NULL;
    t->dtype = dtype;
    t->format = format;
    t->n_dims = (uint32_t)n_view_dims;
    t->n_storage_dims = (uint32_t)n_storage_dims;
    t->offset = offset;
    t->data = data;
    for (uint64_t i = n_view_dims; i-- > 0;) {
        t->dim[i] = view_dims[i];
        t->stride[i] = stride ? stride[i] : contiguous;
        contiguous *= view_dims[i];
    }
    if (n_storage_dims)
        memcpy(t->storage_dim, storage_dims, n_storage_dims * sizeof *storage_dims);
    return t;
}

NPU_API int aclDestroyTensor(const struct aclTensor *t)
{
    return destroy(t, MARK_TENSOR, "aclDestroyTensor");
}

/* The caller frees the array with delete[], which is free() here as in every libstdc++. */
static int copy_out(const char *what, const struct aclTensor *t, const int64_t *v, uint32_t n,
                    int64_t **out, uint64_t *n_out)
{
    if (!t || t->obj.mark != MARK_TENSOR || !out || !n_out)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: tensor %p, out %p, count %p", what,
                           (const void *)t, (void *)out, (void *)n_out);
    *out = malloc((n + 1) * sizeof **out);
    if (!*out)
        return npu_rt_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory", what);
    memcpy(*out, v, n * sizeof *v);
    *n_out = n;
    return ACL_OK;
}

NPU_API int aclGetViewShape(const struct aclTensor *t, int64_t **dims, uint64_t *n)
{
    return copy_out("aclGetViewShape", t, t ? t->dim : NULL, t ? t->n_dims : 0, dims, n);
}

NPU_API int aclGetStorageShape(const struct aclTensor *t, int64_t **dims, uint64_t *n)
{
    return copy_out("aclGetStorageShape", t, t ? t->storage_dim : NULL, t ? t->n_storage_dims : 0,
                    dims, n);
}

NPU_API int aclGetViewStrides(const struct aclTensor *t, int64_t **strides, uint64_t *n)
{
    return copy_out("aclGetViewStrides", t, t ? t->stride : NULL, t ? t->n_dims : 0, strides, n);
}

static int tensor_is_fine(const char *what, const struct aclTensor *t, const void *out)
{
    if (!t || t->obj.mark != MARK_TENSOR || !out)
        return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: tensor %p, out %p", what, (const void *)t,
                           out);
    return ACL_OK;
}

NPU_API int aclGetViewOffset(const struct aclTensor *t, int64_t *offset)
{
    const int rc = tensor_is_fine("aclGetViewOffset", t, offset);

    if (rc == ACL_OK)
        *offset = t->offset;
    return rc;
}

NPU_API int aclGetFormat(const struct aclTensor *t, int *format)
{
    const int rc = tensor_is_fine("aclGetFormat", t, format);

    if (rc == ACL_OK)
        *format = t->format;
    return rc;
}

NPU_API int aclGetDataType(const struct aclTensor *t, int *dtype)
{
    const int rc = tensor_is_fine("aclGetDataType", t, dtype);

    if (rc == ACL_OK)
        *dtype = t->dtype;
    return rc;
}

NPU_API int aclGetRawTensorAddr(const struct aclTensor *t, void **data)
{
    const int rc = tensor_is_fine("aclGetRawTensorAddr", t, data);

    if (rc == ACL_OK)
        *data = t->data;
    return rc;
}

NPU_API int aclSetRawTensorAddr(struct aclTensor *t, void *data)
{
    const int rc = tensor_is_fine("aclSetRawTensorAddr", t, t);

    if (rc == ACL_OK)
        t->data = data;
    return rc;
}

/* ---- scalars ---- */

static double half_value(uint16_t bits)
{
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double v;

    if (exponent == 31)
        v = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        v = ldexp(1024 + fraction, exponent - 25);
    else
        v = ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

static double bf16_value(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float f;

    memcpy(&f, &wide, sizeof f);
    return (double)f;
}

#define READ(type) (*(const type *)value)

static bool scalar_set(struct aclScalar *s, const void *value)
{
    s->imag = 0;
    switch (s->dtype) {
    case DT_FLOAT:
        s->f = (double)READ(float);
        return true;
    case DT_DOUBLE:
        s->f = READ(double);
        return true;
    case DT_FLOAT16:
        s->f = half_value(READ(uint16_t));
        return true;
    case DT_BF16:
        s->f = bf16_value(READ(uint16_t));
        return true;
    case DT_INT8:
        /* NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character */
        s->i = READ(int8_t);
        return true;
    case DT_UINT8:
        s->i = READ(uint8_t);
        return true;
    case DT_INT16:
        s->i = READ(int16_t);
        return true;
    case DT_UINT16:
        s->i = READ(uint16_t);
        return true;
    case DT_INT32:
        s->i = READ(int32_t);
        return true;
    case DT_UINT32:
        s->i = READ(uint32_t);
        return true;
    case DT_INT64:
    case DT_UINT64:
        s->i = READ(int64_t);
        return true;
    case DT_BOOL:
        s->i = READ(uint8_t) != 0;
        return true;
    case DT_COMPLEX64:
        s->f = (double)((const float *)value)[0];
        s->imag = (double)((const float *)value)[1];
        return true;
    case DT_COMPLEX128:
        s->f = ((const double *)value)[0];
        s->imag = ((const double *)value)[1];
        return true;
    default:
        return false;
    }
}

NPU_API struct aclScalar *aclCreateScalar(void *value, int dtype)
{
    struct aclScalar *s;

    if (!value) {
        npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreateScalar: value is null");
        return NULL;
    }
    s = obj_new(sizeof *s, MARK_SCALAR);
    if (!s)
        return NULL;
    s->dtype = dtype;
    if (scalar_set(s, value))
        return s;
    npu_rt_fail(ACLNN_ERR_PARAM_INVALID, "aclCreateScalar: data type %d (%s) has no scalar form",
                dtype, npu_dtype_name(dtype));
    npu_obj_drop(s);
    return NULL;
}

NPU_API int aclDestroyScalar(const struct aclScalar *s)
{
    return destroy(s, MARK_SCALAR, "aclDestroyScalar");
}

/* ---- arrays and lists: the same life for each element type ---- */

#define ARRAY(Name, tag, mark_, type)                                                              \
    NPU_API struct tag *aclCreate##Name(const type *value, uint64_t n)                             \
    {                                                                                              \
        struct tag *a;                                                                             \
                                                                                                   \
        if (n && !value) {                                                                         \
            npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclCreate" #Name ": value is null, size %llu",   \
                        (unsigned long long)n);                                                    \
            return NULL;                                                                           \
        }                                                                                          \
        a = obj_new(sizeof *a + n * sizeof *value, mark_);                                         \
        if (!a)                                                                                    \
            return NULL;                                                                           \
        a->n = n;                                                                                  \
        if (n)                                                                                     \
            memcpy(a->v, value, n * sizeof *value);                                                \
        return a;                                                                                  \
    }                                                                                              \
    NPU_API int aclDestroy##Name(const struct tag *a)                                              \
    {                                                                                              \
        return destroy(a, mark_, "aclDestroy" #Name);                                              \
    }                                                                                              \
    NPU_API int aclGet##Name##Size(const struct tag *a, uint64_t *n)                               \
    {                                                                                              \
        if (!a || a->obj.mark != (mark_) || !n)                                                    \
            return npu_rt_fail(ACLNN_ERR_PARAM_NULLPTR, "aclGet" #Name "Size: handle %p, out %p",  \
                               (const void *)a, (void *)n);                                        \
        *n = a->n;                                                                                 \
        return ACL_OK;                                                                             \
    }
FOR_ARRAYS(ARRAY)
