/* SPDX-License-Identifier: Apache-2.0 */
/* aclop.h - operators of installed packages by their OP_ADD name, for aclopCompileAndExecute. */
#ifndef NPU_OPP_ACLOP_H
#define NPU_OPP_ACLOP_H
#include "../acl_objects.h"

/* Runs it; an aclError. A type that no package has is refused by name. */
NPU_API npu_aclop_execute_fn npu_opp_aclop;

#endif
