/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opp_int.h - inside libnputwin_opp.so: one call of an operator of a package.
 *
 *   opp.c     executors, the two phases, the launch        check.c   types, shapes, strides, chips
 *   args.c    the caller's handles become a npu_opp_call    aclop.c   packages by operator type
 *   shape.c   outputs whose shape the kernel says
 */
#ifndef NPU_OPP_INT_H
#define NPU_OPP_INT_H
#include "../opapi/objects.h"
#include "../../sdk/opp/include/nputwin/opp.h"

enum {
    ACLNN_ERR_INNER_INFERSHAPE = 561001,
    ACLNN_ERR_INNER_TILING = 561002,
    ACLNN_ERR_INNER_FIND_KERNEL = 561103
};
enum { OPP_MARK = 0x4e542001, OPP_MARK_DEAD = 0x4e542dea };

/* A strided input, and where it stands contiguous. */
struct opp_strided {
    int64_t stride[NPU_OPP_DIMS]; /* elements */
    void *from;                   /* NULL: the tensor is contiguous */
};

/* Memory that lives as long as its executor. */
struct opp_kept {
    struct opp_kept *next;
    _Alignas(64) uint8_t data[];
};

/* Scalars as the caller gave them; they become a tensor when the variant is known. */
struct opp_scalars {
    uint64_t n;
    struct {
        double f;
        int64_t i;
    } v[];
};

/* In one allocation with the arrays that its pointers name. Held by the caller until it runs, and
 * by each task of a stream. */
struct aclOpExecutor {
    struct npu_obj obj;
    struct aclOpExecutor *next; /* of the executors that are alive */
    const struct npu_opp_package *package;
    const struct npu_opp_kernel *kernel; /* NULL: nothing to do, every output is empty */
    struct npu_opp_call call;
    uint32_t variant;
    struct opp_strided *strided; /* a tensor of the inputs each */
    union npu_opp_attr_value *attrs;
    void **gm;                    /* inputs, outputs, shapes if any, workspace, tiling */
    struct opp_scalars **scalars; /* an input each */
    uint32_t *at;                 /* in_at, then out_at */
    struct opp_kept *kept;
    uint64_t *shapes; /* what the kernel writes, NULL when no output sets_shape */
    struct aclTensor *
        *shaped; /* an output each: the caller's tensor that gets its shape, or NULL */
    uint64_t workspace_bytes;
    void *own_workspace; /* of a call through aclop; freed with it */
    bool is_repeatable;
    bool is_by_name; /* through aclop: a tensor may stand where an aclnn function takes an array */
};

/* The first phase. */
int opp_prepare(const struct npu_opp_package *package, const char *type,
                const union npu_opp_value *values, bool is_by_name, uint64_t *workspace_bytes,
                struct aclOpExecutor **executor);

void *opp_keep(struct aclOpExecutor *e, const void *from, size_t bytes); /* from NULL: zeros */
/* How many tensors this parameter is in this call. */
uint32_t opp_count(const struct npu_opp_param *p, const void *handle);
/* f for a type of floating point, i for the others. */
void opp_put(void *to, int32_t dtype, double f, int64_t i);
/* Scalars of the chosen variant become tensors, lists of tensors what a kernel reads. */
int opp_finish_values(struct aclOpExecutor *e);
/* The bit of the chip in use in npu_opp_op.units. */
uint8_t opp_unit_bit(const struct npu_soc *soc);
/* Fills e->call from the arguments. 0, 161001 or 161002. */
int opp_take_values(struct aclOpExecutor *e, const union npu_opp_value *values);
/* Chooses the variant; 0 or 161002 with the list of what is allowed. */
int opp_choose_variant(const struct npu_opp_call *call, uint32_t *variant);
/* Output shapes against InferShape or Follow; output types against InferDataType. */
int opp_check_shapes(const struct npu_opp_call *call);
int opp_check_types(const struct npu_opp_call *call);

/* How many outputs get their shape from the kernel. */
uint32_t opp_n_shaped(const struct npu_opp_op *op);
/* Room for these shapes; the tensors they belong to are taken with opp_shape_of. */
int opp_prepare_shapes(struct aclOpExecutor *e);
void opp_shape_of(struct aclOpExecutor *e, uint32_t output, const void *tensor);
void opp_drop_shapes(struct aclOpExecutor *e);
/* Behind the kernel, on the stream: the tensors of the caller take the shapes. */
int opp_take_shapes(void *executor, struct npu_diag *story);
/* The kernel for this chip; 0 or 561103. */
int opp_find_kernel(struct aclOpExecutor *e, uint32_t variant);

const struct npu_opp_op *opp_find_op(const struct npu_opp_package *package, const char *type);
int64_t opp_numel(const struct npu_opp_shape *shape);
/* "[2, 3]" in a buffer of this thread; four live at a time. */
const char *opp_shape_text(const struct npu_opp_shape *shape);

#endif
