/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl_objects.h - what hides behind the opaque objects of single-operator calls.
 *
 * libascendcl.so makes and destroys them (rt/ascendcl/objects.c); libopapi.so reads them when
 * libacl_op_compiler.so hands it an aclopCompileAndExecute call. Both see this one layout.
 * Life: owned by the caller of aclCreate..., freed by aclDestroy..., never shared by threads.
 */
#ifndef NPU_ACL_OBJECTS_H
#define NPU_ACL_OBJECTS_H
#include "../base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NPU_ACL_DIMS = 32, NPU_ACL_NAME_BYTES = 128 };

struct npu_acl_shape {
    int32_t n_dims;
    int64_t dims[NPU_ACL_DIMS]; /* -1: unknown */
};

struct aclTensorDesc {
    int32_t type, format;   /* aclDataType, aclFormat */
    int32_t storage_format; /* aclSetTensorFormat; ACL_FORMAT_UNDEFINED (-1) when not set */
    int32_t placement;      /* aclMemType: 0 device, 1 host */
    struct npu_acl_shape shape;
    struct npu_acl_shape storage_shape; /* aclSetTensorShape; n_dims -1 when not set */
    char name[NPU_ACL_NAME_BYTES];      /* "" when not set */
    char dynamic_input[NPU_ACL_NAME_BYTES];
    void *const_data; /* aclSetTensorConst: host copy owned by the desc, or NULL */
    size_t const_bytes;
};

struct aclDataBuffer {
    void *data; /* borrowed */
    size_t bytes;
};

enum npu_attr_kind {
    ATTR_BOOL,
    ATTR_INT,
    ATTR_FLOAT,
    ATTR_STRING,
    ATTR_TYPE,
    ATTR_LIST_BOOL,
    ATTR_LIST_INT,
    ATTR_LIST_FLOAT,
    ATTR_LIST_STRING,
    ATTR_LIST_TYPE,
    ATTR_LIST_LIST_INT
};

/* Single values are lists of one. All arrays are owned by the attr. */
struct npu_attr {
    struct npu_attr *next;
    char *name;
    enum npu_attr_kind kind;
    int32_t n;      /* values; for ATTR_LIST_LIST_INT: rows */
    int64_t *ints;  /* BOOL, INT, TYPE and their lists; rows of LIST_LIST_INT one after the other */
    float *floats;  /* FLOAT, LIST_FLOAT */
    char **strings; /* STRING, LIST_STRING */
    int32_t *row_counts; /* LIST_LIST_INT: how many ints each row has */
};

struct aclopAttr {
    struct npu_attr *first; /* in the order in which they were set; a name appears once */
};

/* The attribute of that name, or NULL. */
static inline const struct npu_attr *npu_attr_find(const struct aclopAttr *a, const char *name)
{
    for (const struct npu_attr *p = a ? a->first : NULL; p; p = p->next) {
        if (!__builtin_strcmp(p->name, name))
            return p;
    }
    return NULL;
}

/* One aclopCompileAndExecute[V2]. */
struct npu_aclop_call {
    const char *op_type;
    int n_inputs, n_outputs;
    const struct aclTensorDesc *const *input_desc;
    const struct aclDataBuffer *const *inputs;
    struct aclTensorDesc *const *output_desc; /* V2: shapes may be written back */
    struct aclDataBuffer *const *outputs;
    const struct aclopAttr *attr; /* NULL: none */
    void *stream;                 /* struct npu_stream *, NULL: default */
    bool writes_shapes;           /* V2 */
};

/* Exported by libopapi.so; libacl_op_compiler.so looks it up at the first call. Returns an aclError
 * with the message set; an unknown operator is refused by name. */
typedef int npu_aclop_execute_fn(const struct npu_aclop_call *call);
NPU_API npu_aclop_execute_fn npu_aclop_execute;

#ifdef __cplusplus
}
#endif
#endif
