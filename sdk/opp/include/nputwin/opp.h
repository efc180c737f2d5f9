/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opp.h - between an operator package (libcust_opapi.so) and libnputwin_opp.so.
 *
 * A package is tables: operators made from its OpDefs, and kernels compiled by bisheng, a row for
 * each operator, combination of types ("variant") and architecture. Plain C, so that a package
 * built with other C++ flags still fits. The gert:: contexts are these structs with methods.
 */
#ifndef NPUTWIN_OPP_H
#define NPUTWIN_OPP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NPU_OPP_ABI = 4,
    NPU_OPP_DIMS = 25,
    NPU_OPP_WORKSPACES = 16,
    NPU_OPP_TILING_BYTES = 1 << 16, /* room that a TilingFunc gets */
    NPU_OPP_SHAPE_WORDS = 9         /* a shape that a kernel writes: how many dimensions, then 8 */
};

struct npu_opp_shape {
    size_t n_dims;
    int64_t dim[NPU_OPP_DIMS];
};

struct npu_opp_storage_shape {
    struct npu_opp_shape origin, storage;
};

struct npu_opp_tensor {
    struct npu_opp_storage_shape shape;
    int32_t type, origin_format, storage_format; /* ge::DataType, ge::Format */
    int32_t is_given;                            /* 0: an optional one that is absent */
    void *data;                                  /* device memory */
    const void *host; /* the same values where a TilingFunc may read them, or NULL */
};

struct npu_opp_list {
    size_t n;
    const void *data; /* int64_t, float or bool, by the kind of the attribute */
};

enum npu_opp_attr_kind {
    NPU_OPP_BOOL,
    NPU_OPP_INT,
    NPU_OPP_FLOAT,
    NPU_OPP_STRING,
    NPU_OPP_LIST_BOOL,
    NPU_OPP_LIST_INT,
    NPU_OPP_LIST_FLOAT,
    NPU_OPP_LIST_LIST_INT /* elements are npu_opp_list of int64_t; has its default only */
};

union npu_opp_attr_value {
    bool b;
    int64_t i;
    float f;
    const char *s;
    struct npu_opp_list list;
};

enum npu_opp_option { NPU_OPP_OPTIONAL, NPU_OPP_REQUIRED };
enum npu_opp_strides { NPU_OPP_REFUSE_STRIDES, NPU_OPP_MAKE_CONTIGUOUS, NPU_OPP_PASS_STRIDES };

/* What the caller hands over: aclTensor, aclTensorList, an array of numbers that the host reads as
 * well (ValueDepend), aclScalar, aclScalarList. */
enum npu_opp_form {
    NPU_OPP_TENSOR,
    NPU_OPP_TENSORS,
    NPU_OPP_VALUES,
    NPU_OPP_SCALAR,
    NPU_OPP_SCALARS
};

struct npu_opp_param {
    const char *name;
    uint8_t option;     /* enum npu_opp_option */
    uint8_t strides;    /* enum npu_opp_strides */
    uint8_t form;       /* enum npu_opp_form */
    uint8_t needs_host; /* ValueDepend(REQUIRED): through aclop it must lie on the host */
    uint8_t sets_shape; /* OutputShapeDependOnCompute: the kernel says what shape this output has */
    int16_t same_as;    /* an output that is this input, or -1 */
    int16_t shape_of;   /* an output that follows the shape of this input, or -1 */
    const int32_t *types, *formats; /* n_variants each */
    const int32_t *to;  /* the type that a scalar becomes, a variant each; NULL: its own */
    const double *init; /* what an output holds before the kernel, or NULL */
};

struct npu_opp_attr {
    const char *name;
    uint8_t kind;        /* enum npu_opp_attr_kind */
    uint8_t is_required; /* a string or list must be given */
    union npu_opp_attr_value def;
};

/* The names of ASCEND_COMPUTE_UNIT, and their architectures. */
#define NPU_OPP_UNIT_ROWS(ROW) ROW(ascend910b, 2201) ROW(ascend910_93, 2201) ROW(ascend950, 3510)

struct npu_opp_call;
typedef uint32_t npu_opp_host_fn(struct npu_opp_call *call); /* a ge::graphStatus */

struct npu_opp_op {
    const char *type; /* AddCustom */
    uint16_t n_in, n_out, n_attrs, n_variants;
    const struct npu_opp_param *in, *out;
    const struct npu_opp_attr *attrs;
    const uint8_t *units;      /* chips that have a variant: bit i for row i of NPU_OPP_UNIT_ROWS */
    const uint16_t *kernel_of; /* the variant whose kernel runs (DataTypeForBinQuery) */
    bool runs_empty;           /* also when all outputs are empty */
    npu_opp_host_fn *tiling, *infer_shape, *infer_type; /* the last two may be NULL */
    const void *compile_info; /* what its TilingParse filled in, or NULL */
};

/* One call as a TilingFunc, InferShape or InferDataType sees it. */
struct npu_opp_call {
    const struct npu_opp_op *op;
    struct npu_opp_tensor *in, *out; /* parameter i has the tensors in_at[i] to in_at[i + 1] - 1 */
    const uint32_t *in_at, *out_at;
    const union npu_opp_attr_value *attrs;
    /* what a TilingFunc answers */
    uint64_t tiling_key;
    uint32_t block_dim, schedule_mode;
    bool needs_atomic; /* SetNeedAtomic: outputs get their InitValue */
    size_t n_workspaces, workspace_bytes[NPU_OPP_WORKSPACES];
    uint8_t *tiling;
    size_t tiling_capacity, tiling_bytes;
};

struct npu_opp_kernel {
    const char *op_type;
    uint32_t variant, arch; /* 2201 or 3510 */
    const void *(*key)(void);
    /* Calls the device copy fn with the pointers of gm: inputs, outputs, the shapes if an output
     * sets_shape, workspace, tiling. Runs on a block's fiber. */
    void (*call)(void (*fn)(void), void *const *gm);
};

struct npu_opp_package {
    uint32_t abi;
    uint32_t n_ops, n_kernels;
    const char *vendor;
    const char *units; /* "ascend910b ascend950": what it was built for */
    const struct npu_opp_op *const *ops;
    const struct npu_opp_kernel *kernels;
};

/* An argument of an aclnn function: inputs, attributes, then outputs that are no input as well. */
union npu_opp_value {
    const void *p; /* a handle, or const char * */
    int64_t i;     /* Bool and Int */
    double d;      /* Float */
};

struct aclOpExecutor;
/* The two phases; an aclnnStatus, with the story in aclGetRecentErrMsg(). */
int npu_opp_prepare(const struct npu_opp_package *package, const char *op_type,
                    const union npu_opp_value *values, uint64_t *workspace_bytes,
                    struct aclOpExecutor **executor);
int npu_opp_launch(const char *op_type, void *workspace, uint64_t workspace_bytes,
                   struct aclOpExecutor *executor, void *stream);

/* Executors of packages and of libopapi.so share a type: 1 when this one was made by
 * npu_opp_prepare and has not run. */
int npu_opp_owns(const struct aclOpExecutor *executor);
/* 1, once, for one of npu_opp_prepare that has run and freed itself: nothing is left to destroy. */
int npu_opp_ran(const struct aclOpExecutor *executor);
int npu_opp_set_repeatable(struct aclOpExecutor *executor);
int npu_opp_destroy(struct aclOpExecutor *executor);

/* Every libcust_opapi.so has it. */
const struct npu_opp_package *npu_opp_package(void);

#ifdef __cplusplus
}
#endif
#endif
