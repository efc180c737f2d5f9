/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl.h - what every file of libascendcl.so starts with.
 *
 * The core's enum of aclError numbers comes first, the public macros of the same names after it.
 * Rule: a function here checks its pointers, then calls one core function; it keeps no state.
 */
#ifndef NPU_CL_H
#define NPU_CL_H
#include "../core/core.h"

#include "acl/acl.h"

/* Ends the function with 107000 when an out-pointer is NULL. */
#define NEED(pointer)                                                                              \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: " #pointer " is NULL", __func__);  \
    } while (0)

#endif
