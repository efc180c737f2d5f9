/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - names that torch_npu links and that cannot be honoured.
 *
 * Each returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT with a text that names it and says what to do
 * instead.
 */
#include "cl.h"

static const char *const no_binaries =
    "binaries hold instructions of the chip; compile the kernel's source with this bisheng instead";
static const char *const no_dumps = "operators leave no dumps; compare tensors on the host instead";

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                 const aclrtBinaryLoadOptions *options, aclrtBinHandle *handle)
{
    (void)data;
    (void)length;
    (void)options;
    (void)handle;
    return npu_rt_refuse("aclrtBinaryLoadFromData", no_binaries);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle handle, const char *kernelName,
                                aclrtFuncHandle *func)
{
    (void)handle;
    (void)kernelName;
    (void)func;
    return npu_rt_refuse("aclrtBinaryGetFunction", no_binaries);
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle func, void **aic, void **aiv)
{
    (void)func;
    (void)aic;
    (void)aiv;
    return npu_rt_refuse("aclrtGetFunctionAddr", no_binaries);
}

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
