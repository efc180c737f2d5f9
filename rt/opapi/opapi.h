/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opapi.h - the aclnn operators as rows, and how one of them runs.
 *
 * aclnn.tbl has one line an operator; gen.c makes of it, at build time, a row of npu_op_rows and
 * the two typed C entry points. Each entry point only packs its arguments and calls npu_op_prepare
 * or npu_op_launch.
 */
#ifndef NPU_OPAPI_H
#define NPU_OPAPI_H
#include "../aten.h"

/* A native computes over an ATen context and stores into the tensors of its arguments. Once it
 * fails, its later calls do nothing: see aten.h. */
typedef void npu_native_fn(struct npu_aten_ctx *c, const union npu_arg *a);

/* Phase one of a native: NULL, or why these arguments are refused. Reads no device memory. */
typedef const char *npu_native_check_fn(const union npu_arg *a);

/* A check of shapes and data types beyond "is there a tensor": see check.c. */
enum npu_rule {
    RULE_NONE,
    RULE_BROADCAST, /* written tensors have the common shape of the read ones */
    RULE_SAME,      /* written tensors have the shape of the first read one */
    RULE_FLOAT,     /* the same, and they hold real or complex numbers */
    RULE_MM,        /* the first two read matrices multiply to the written one */
    RULE_BMM,
    RULE_ADDMM,  /* the second and third read matrices do, and the first spreads over it */
    RULE_MATMUL, /* torch.matmul: vectors, matrices, batches that broadcast */
    RULE_CAT,    /* list, dim, out: the sizes along dim add up, the others agree */
    RULE_GATHER, /* self, dim, index: as many dimensions, none longer but dim; out like index */
    RULE_CONV,   /* input, weight: the channels agree; groups is parameter 8 */
    N_RULES
};

struct npu_op_row {
    const char *name;      /* aclnnAdd */
    const char *schema;    /* aten::add.out, NULL for a native */
    npu_native_fn *native; /* beside a schema: for operands of a type that torch does not have */
    npu_native_check_fn *check; /* of a native, may be NULL */
    const struct npu_param *params;
    const struct npu_map *maps;
    uint16_t n_params, n_maps;
    uint8_t flags; /* enum npu_row_flag */
    uint8_t rule;  /* enum npu_rule */
};

/* What an operator keeps between its calls. */
struct npu_op_state {
    void *bound;      /* of aten.h; set once */
    uint64_t n_calls; /* how often phase two ran */
};

extern const struct npu_op_row npu_op_rows[];
extern struct npu_op_state npu_op_states[];
extern const uint32_t npu_n_op_rows;

/* For the CLI and the tests: all rows, in the order of the table. */
NPU_API const struct npu_op_row *npu_opapi_rows(uint32_t *n);
/* Binds a row to the installed torch. 0, or an aclnn error with text. */
NPU_API int npu_opapi_bind(uint32_t row);
/* How often a row was launched in this process; coverage of the tests. */
NPU_API uint64_t npu_opapi_calls(uint32_t row);

/* Loads libnputwin_aten.so once; NULL with text when it cannot. */
const struct npu_aten *npu_aten(void);

/* Checks the arguments against the row; 0 or 161001/161002 with text. */
int npu_op_check(const struct npu_op_row *row, const union npu_arg *args);

/* Values of aclFormat whose storage is in the order of the dimensions. */
enum npu_format {
    NPU_FORMAT_NONE = -1,
    NPU_NCHW = 0,
    NPU_NHWC = 1,
    NPU_ND = 2,
    NPU_HWCN = 16,
    NPU_NDHWC = 27,
    NPU_NCDHW = 30,
    NPU_NC = 35,
    NPU_NCL = 47
};

/* Is the storage in the order of the dimensions? HWCN, which filters of aclop alone have, is not
 * asked for. */
bool npu_format_is_plain(int32_t format);

struct aclOpExecutor;
int npu_op_prepare(uint32_t row, const union npu_arg *args, uint64_t *workspace_bytes,
                   struct aclOpExecutor **executor);
int npu_op_launch(uint32_t row, void *workspace, uint64_t workspace_bytes,
                  struct aclOpExecutor *executor, void *stream);

/* An executor runs once, unless this was called; then the caller destroys it. */
NPU_API int aclSetAclOpExecutorRepeatable(struct aclOpExecutor *executor);
NPU_API int aclDestroyAclOpExecutor(struct aclOpExecutor *executor);
NPU_API int aclnnInit(const char *config);
NPU_API int aclnnFinalize(void);

#endif
