/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - names that torch_npu links and that cannot be honoured.
 *
 * Each returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT with a text that names it and says what to do
 * instead.
 */
#include "cl.h"

static const char *const no_dumps = "operators leave no dumps; compare tensors on the host instead";

aclError aclmdlInitDump(void)
{
    return npu_rt_refuse("aclmdlInitDump", no_dumps);
}

aclError aclmdlSetDump(const char *path)
{
    (void)path;
    return npu_rt_refuse("aclmdlSetDump", no_dumps);
}

aclError aclmdlFinalizeDump(void)
{
    return npu_rt_refuse("aclmdlFinalizeDump", no_dumps);
}
