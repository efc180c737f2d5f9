/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop.c - single operators by GE type name (aclopCompileAndExecute), the older door.
 *
 * libacl_op_compiler.so hands its calls to npu_aclop_execute. Types that are not in the table are
 * refused by name: a stub that succeeds would leave the outputs as they were.
 */
#include "opapi.h"

/* One input or output. */
NPU_API int npu_aclop_execute(const char *type);

int npu_aclop_execute(const char *type)
{
    return npu_rt_fail(ACL_ERROR_API_NOT_SUPPORT,
                       "aclop operator type %s is not supported by the twin; the aclnn operators are "
                       "(torch_npu takes them unless jit_compile is enabled)",
                       type ? type : "(null)");
}
