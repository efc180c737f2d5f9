/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - what stands behind aclTensor, aclScalar and the array handles of aclnn.
 *
 * Each object starts with a mark and a count of holders: the creator holds it once, and every
 * executor that was prepared with it holds it until it has run. So a caller may destroy an object
 * as soon as the first phase has returned, whatever the stream does. The mark tells a wrong handle
 * (shifted arguments, a freed pointer) from a right one.
 */
#ifndef NPU_OPAPI_OBJECTS_H
#define NPU_OPAPI_OBJECTS_H
#include "../rt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NPU_MAX_DIMS = 25 }; /* the limit of ATen's TensorIterator */

enum npu_mark {
    MARK_TENSOR = 0x4e541001,
    MARK_SCALAR,
    MARK_INTS,
    MARK_BOOLS,
    MARK_FLOATS,
    MARK_TENSORS,
    MARK_SCALARS,
    MARK_EXECUTOR,
    MARK_DEAD = 0x4e54dead
};

struct npu_obj {
    uint32_t mark;
    uint32_t n_holders;
};

enum npu_dtype {
#define DATA_TYPE(number, name, bytes, class, text) DT_##name = number,
#include "../../sdk/include/acl/data_types.def"
};

struct aclTensor {
    struct npu_obj obj;
    int32_t dtype;  /* enum npu_dtype */
    int32_t format; /* aclFormat */
    uint32_t n_dims, n_storage_dims;
    int64_t offset; /* elements */
    void *data;
    int64_t dim[NPU_MAX_DIMS], stride[NPU_MAX_DIMS], storage_dim[NPU_MAX_DIMS]; /* elements */
};

struct aclScalar {
    struct npu_obj obj;
    int32_t dtype;
    union {
        double f;
        int64_t i;
    };
    double imag; /* of the complex types; the real part is f */
};

struct aclIntArray {
    struct npu_obj obj;
    uint64_t n;
    int64_t v[];
};
struct aclBoolArray {
    struct npu_obj obj;
    uint64_t n;
    bool v[];
};
struct aclFloatArray {
    struct npu_obj obj;
    uint64_t n;
    float v[];
};
/* A list owns what it lists. An element may be NULL: "no tensor here". */
struct aclTensorList {
    struct npu_obj obj;
    uint64_t n;
    struct aclTensor *v[];
};
struct aclScalarList {
    struct npu_obj obj;
    uint64_t n;
    struct aclScalar *v[];
};

/* Elements of the view. */
int64_t npu_tensor_numel(const struct aclTensor *t);
/* Bytes of one element, 0 for a type of less than a byte or an unknown one. */
size_t npu_dtype_bytes(int dtype);
/* "float16"; "dtype 99" is text "?". Borrowed. */
const char *npu_dtype_name(int dtype);
/* "float32, float16": the names of a set of types, a bit each, in text, which is returned. */
const char *npu_types_text(uint64_t types, char *text, size_t n_bytes);
/* Is there such a type in torch? hifloat8 and the types of less than a byte have none. */
bool npu_dtype_in_torch(int dtype);
/* The view shape as "[2, 3]" in a buffer of this thread; up to four live at a time. */
const char *npu_shape_text(const struct aclTensor *t);
/* Is it a real number of floating point, is it one of the integers (bool included)? */
bool npu_dtype_is_float(int dtype);
bool npu_dtype_is_int(int dtype);

/* One holder more; one less, and the last one frees. NULL is fine. */
void npu_obj_hold(const void *obj);
void npu_obj_drop(const void *obj);

/* ---- the public functions over them; a pointer result is NULL with text on a mistake ---- */

/* stride NULL: contiguous. The memory stays the caller's. */
NPU_API struct aclTensor *aclCreateTensor(const int64_t *view_dims, uint64_t n_view_dims, int dtype,
                                          const int64_t *stride, int64_t offset, int format,
                                          const int64_t *storage_dims, uint64_t n_storage_dims,
                                          void *data);
NPU_API int aclDestroyTensor(const struct aclTensor *t);
/* These three allocate *dims, which the caller frees with delete[]. */
NPU_API int aclGetViewShape(const struct aclTensor *t, int64_t **dims, uint64_t *n);
NPU_API int aclGetStorageShape(const struct aclTensor *t, int64_t **dims, uint64_t *n);
NPU_API int aclGetViewStrides(const struct aclTensor *t, int64_t **strides, uint64_t *n);
NPU_API int aclGetViewOffset(const struct aclTensor *t, int64_t *offset);
NPU_API int aclGetFormat(const struct aclTensor *t, int *format);
NPU_API int aclGetDataType(const struct aclTensor *t, int *dtype);
NPU_API int aclGetRawTensorAddr(const struct aclTensor *t, void **data);
NPU_API int aclSetRawTensorAddr(struct aclTensor *t, void *data);
NPU_API struct aclScalar *aclCreateScalar(void *value, int dtype);
NPU_API int aclDestroyScalar(const struct aclScalar *s);

typedef struct aclTensor *npu_tensor_ptr; /* so that "const T *" reads as aclTensor *const * */
typedef struct aclScalar *npu_scalar_ptr;
#define FOR_ARRAYS(_)                                                                              \
    _(IntArray, aclIntArray, MARK_INTS, int64_t)                                                   \
    _(BoolArray, aclBoolArray, MARK_BOOLS, bool)                                                   \
    _(FloatArray, aclFloatArray, MARK_FLOATS, float)                                               \
    _(TensorList, aclTensorList, MARK_TENSORS, npu_tensor_ptr)                                     \
    _(ScalarList, aclScalarList, MARK_SCALARS, npu_scalar_ptr)
#define ARRAY(Name, tag, mark, type)                                                               \
    NPU_API struct tag *aclCreate##Name(const type *value, uint64_t n);                            \
    NPU_API int aclDestroy##Name(const struct tag *a);                                             \
    NPU_API int aclGet##Name##Size(const struct tag *a, uint64_t *n);
FOR_ARRAYS(ARRAY)
#undef ARRAY

#ifdef __cplusplus
}
#endif
#endif
