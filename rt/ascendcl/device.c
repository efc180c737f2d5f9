/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - devices, contexts and process-wide switches. */
#include "cl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

aclError aclrtGetDeviceCount(uint32_t *count)
{
    int n;

    NEED(count);
    n = npu_rt_device_count();
    if (n < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    *count = (uint32_t)n;
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t device)
{
    return npu_rt_set_device(device);
}

aclError aclrtGetDevice(int32_t *device)
{
    int now;

    NEED(device);
    now = npu_rt_device();
    if (now < 0)
        return npu_rt_fail_no_device("aclrtGetDevice");
    *device = now;
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t device)
{
    return npu_rt_reset_device(device);
}

aclError aclrtResetDeviceForce(int32_t device)
{
    return npu_rt_reset_device(device);
}

aclError aclrtSynchronizeDevice(void)
{
    return aclrtSynchronizeDeviceWithTimeout(-1);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms)
{
    int device = npu_rt_need_device("aclrtSynchronizeDevice");

    return device < 0 ? ACL_ERROR_RT_CONTEXT_NULL : npu_rt_device_synchronize(device, timeout_ms);
}

aclError aclrtSetTsDevice(aclrtTsId id)
{
    if (id == ACL_TS_ID_AICORE || id == ACL_TS_ID_AIVECTOR)
        return ACL_SUCCESS; /* one scheduler serves both kinds of cores here */
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetTsDevice: %d is neither 0 nor 1",
                       (int)id);
}

/* ---- peers: all devices of a process share the machine's memory ----------------------- */

static int check_pair(int32_t device, int32_t peer, const char *who)
{
    int rc = npu_rt_check_device(device, who);

    return rc ? rc : npu_rt_check_device(peer, who);
}

aclError aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer)
{
    int rc = check_pair(device, peer, "aclrtDeviceCanAccessPeer");

    NEED(can);
    if (!rc)
        *can = device != peer;
    return rc;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags)
{
    if (flags)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtDeviceEnablePeerAccess: flags %u, must be 0", flags);
    return npu_rt_check_device(peer, "aclrtDeviceEnablePeerAccess");
}

aclError aclrtDeviceDisablePeerAccess(int32_t peer)
{
    return npu_rt_check_device(peer, "aclrtDeviceDisablePeerAccess");
}

aclError aclrtDevicePeerAccessStatus(int32_t device, int32_t peer, int32_t *status)
{
    int rc = check_pair(device, peer, "aclrtDevicePeerAccessStatus");

    NEED(status);
    if (!rc)
        *status = 1;
    return rc;
}

/* ---- contexts ------------------------------------------------------------------------ */

aclError aclrtCreateContext(aclrtContext *context, int32_t device)
{
    NEED(context);
    return npu_rt_context_create((struct npu_context **)context, device);
}

aclError aclrtDestroyContext(aclrtContext context)
{
    return npu_rt_context_destroy(context);
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    return npu_rt_context_set(context);
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    NEED(context);
    *context = npu_rt_context();
    return *context ? ACL_SUCCESS : npu_rt_fail_no_device("aclrtGetCurrentContext");
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    NEED(stream);
    *stream = npu_rt_stream(NULL, "aclrtCtxGetCurrentDefaultStream");
    return *stream ? ACL_SUCCESS : npu_rt_last_error(false);
}

aclError aclrtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active)
{
    int rc = npu_rt_check_device(device, "aclrtGetPrimaryCtxState");

    NEED(active);
    if (rc)
        return rc;
    if (flags)
        *flags = 0;
    *active = npu_rt_device_active(device);
    return ACL_SUCCESS;
}

/* ---- switches that are kept and read back --------------------------------------------- */

/* What each does here: DETERMINISTIC and STRONG_CONSISTENCY are always the case (blocks run to the
 * same result in any order), DEBUG_KERNEL asks for checks that `nputwin` has elsewhere. */
enum { N_OPTS = 3 };

static int check_opt(aclSysParamOpt opt, const char *who)
{
    if ((uint32_t)opt < N_OPTS)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: option %d does not exist, 0 to %d do", who,
                       (int)opt, N_OPTS - 1);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    int rc = check_opt(opt, "aclrtSetSysParamOpt");

    if (rc)
        return rc;
    if (value != 0 && value != 1)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtSetSysParamOpt: value %lld, 0 or 1 is "
                           "allowed",
                           (long long)value);
    npu_rt_set_setting(SETTING_SYS_OPT + (uint32_t)opt, value);
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    int rc = check_opt(opt, "aclrtGetSysParamOpt");

    NEED(value);
    if (rc)
        return rc;
    *value = npu_rt_setting(SETTING_SYS_OPT + (uint32_t)opt); /* all off at the start */
    return ACL_SUCCESS;
}

/* One context a device is what programs use: the context's options are the process's. */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    if (npu_rt_need_device("aclrtCtxSetSysParamOpt") < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    return aclrtSetSysParamOpt(opt, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    if (npu_rt_need_device("aclrtCtxGetSysParamOpt") < 0)
        return ACL_ERROR_RT_CONTEXT_NULL;
    return aclrtGetSysParamOpt(opt, value);
}

/* Every SoC row computes in INF/NAN mode; saturation is a mode of older chips. */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    if (mode == ACL_RT_OVERFLOW_MODE_INFNAN)
        return ACL_SUCCESS;
    if (mode == ACL_RT_OVERFLOW_MODE_SATURATION)
        return npu_rt_refuse("aclrtSetDeviceSatMode(SATURATION)",
                             "float results overflow to inf; only INFNAN (1) is there");
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetDeviceSatMode: mode %d", (int)mode);
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    NEED(mode);
    *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    return ACL_SUCCESS;
}

/* ---- time limits of operators --------------------------------------------------------- */

/* The limit of kernels is kept here and honoured by their launches. */

aclError aclrtSetOpExecuteTimeOut(uint32_t seconds)
{
    npu_rt_set_setting(SETTING_EXECUTE_LIMIT_US, (int64_t)seconds * 1000000);
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t ms)
{
    npu_rt_set_setting(SETTING_EXECUTE_LIMIT_US, (int64_t)ms * 1000);
    return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t us, uint64_t *actual_us)
{
    NEED(actual_us);
    npu_rt_set_setting(SETTING_EXECUTE_LIMIT_US, (int64_t)us);
    *actual_us = us;
    return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const ms)
{
    NEED(ms);
    *ms = (uint32_t)((uint64_t)npu_rt_setting(SETTING_EXECUTE_LIMIT_US) / 1000u);
    return ACL_SUCCESS;
}
