/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opp_int.h - inside libnputwin_opp.so: one call of an operator of a package.
 *
 *   opp.c     executors, the two phases, the launch        check.c   types, shapes, strides, chips
 *   args.c    the caller's handles become a npu_opp_call    aclop.c   packages by operator type
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

/* In one allocation with the arrays that its pointers name. Held by the caller until it runs, and
 * by each task of a stream. */
struct aclOpExecutor {
    struct npu_obj obj;
    struct aclOpExecutor *next; /* of the executors that are alive */
    const struct npu_opp_package *package;
    const struct npu_opp_kernel *kernel; /* NULL: nothing to do, every output is empty */
    struct npu_opp_call call;
    struct opp_strided *strided; /* an input each */
    union npu_opp_attr_value *attrs;
    struct aclOpExecutor **self;
    void **gm;       /* inputs, outputs, workspace, tiling */
    void *lists[16]; /* of attributes; freed with it */
    uint64_t workspace_bytes;
    void *own_workspace; /* of a call through aclop; freed with it */
    bool is_repeatable;
};

/* Fills e->call from the arguments. 0, 161001 or 161002. */
int opp_take_values(struct aclOpExecutor *e, const union npu_opp_value *values);
/* Chooses the variant; 0 or 161002 with the list of what is allowed. */
int opp_choose_variant(const struct npu_opp_call *call, uint32_t *variant);
/* Output shapes against InferShape or Follow. */
int opp_check_shapes(const struct npu_opp_call *call);
/* The kernel for this chip; 0 or 561103. */
int opp_find_kernel(struct aclOpExecutor *e, uint32_t variant);

const struct npu_opp_op *opp_find_op(const struct npu_opp_package *package, const char *type);
int64_t opp_numel(const struct npu_opp_shape *shape);
/* "[2, 3]" in a buffer of this thread; four live at a time. */
const char *opp_shape_text(const struct npu_opp_shape *shape);

#endif
