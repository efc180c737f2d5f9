/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - what this device is: SoC figures, versions, process log.
 *
 * The CANN version is 8.5.0: torch_npu 2.13 asks from 9.0 on for operators and allocator behaviour
 * (no padding of blocks, newer operator versions) that need not be there, and takes every version
 * since 8.5 without a warning.
 */
#include "cl.h"
#include "acl/acl_op.h"
#include "../../base/num.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const cann_version = "8.5.0";

/* ---- versions ------------------------------------------------------------------------ */

const char *aclrtGetSocName(void)
{
    const struct npu_soc *soc = npu_rt_soc();

    return soc ? soc->name : NULL;
}

aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    NEED(major && minor && patch);
    *major = 1; /* of this interface */
    *minor = 17;
    *patch = 0;
    return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    NEED(version);
    if ((uint32_t)name > ACL_PKG_NAME_DRIVER)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclsysGetCANNVersion: package %d",
                           (int)name);
    memset(version, 0, sizeof(*version));
    snprintf(version->version, sizeof(version->version), "%s", cann_version);
    snprintf(version->majorVersion, sizeof(version->majorVersion), "8");
    snprintf(version->minorVersion, sizeof(version->minorVersion), "5");
    snprintf(version->releaseVersion, sizeof(version->releaseVersion), "0");
    return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    NEED(pkgName);
    NEED(versionStr);
    snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%s", cann_version);
    return ACL_SUCCESS;
}

/* ---- figures of the SoC row ---------------------------------------------------------- */

static int device_total(uint32_t device, int64_t *value)
{
    size_t free_bytes, total_bytes;
    int rc = npu_rt_mem_info((int)device, &free_bytes, &total_bytes);

    *value = (int64_t)total_bytes;
    return rc;
}

aclError aclGetDeviceCapability(uint32_t device, aclDeviceInfo info, int64_t *value)
{
    const struct npu_soc *soc = npu_rt_soc();
    int rc = npu_rt_check_device((int)device, "aclGetDeviceCapability");

    NEED(value);
    if (rc || !soc)
        return rc ? rc : ACL_ERROR_RT_PARAM_INVALID;
    switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
        *value = soc->n_aic;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = soc->n_aiv;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = (int64_t)soc->l2_mb << 20;
        return ACL_SUCCESS;
    default:
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability: %d, 0 to 2 exist",
                           (int)info);
    }
}

aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attr, int64_t *value)
{
    const struct npu_soc *soc = npu_rt_soc();
    int rc = npu_rt_check_device((int)device, "aclrtGetDeviceInfo");

    NEED(value);
    if (rc || !soc)
        return rc ? rc : ACL_ERROR_RT_PARAM_INVALID;
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
        *value = 0;
        break;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = soc->n_aic;
        break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = soc->n_aiv;
        break;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
        *value = soc->mem_bytes[MEM_UB];
        break;
    case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
        *value = 65535;
        break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        return device_total(device, value);
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = (int64_t)soc->l2_mb << 20;
        break;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = npu_rt_physical_device((int)device);
        break;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        break;
    case ACL_DEV_ATTR_NPU_ARCH:
        *value = soc->arch;
        break;
    default:
        return npu_rt_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           "aclrtGetDeviceInfo: attribute %d has no "
                           "figure for %s",
                           (int)attr, soc->name);
    }
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t device, aclrtDevFeatureType feature, int32_t *value)
{
    int rc = npu_rt_check_device(device, "aclrtGetDeviceCapability");

    NEED(value);
    if (rc)
        return rc;
    if (feature != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        feature != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtGetDeviceCapability: feature %d, 1 and 21 exist", (int)feature);
    *value = 0; /* the twin has neither */
    return ACL_SUCCESS;
}

static const aclCannAttr cann_attrs[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};

aclError aclGetCannAttributeList(const aclCannAttr **attrs, size_t *n)
{
    NEED(attrs);
    NEED(n);
    *attrs = cann_attrs;
    *n = sizeof(cann_attrs) / sizeof(cann_attrs[0]);
    return ACL_SUCCESS;
}

/* Just-in-time compilation of operators is what this device does not have. */
aclError aclGetCannAttribute(aclCannAttr attr, int32_t *value)
{
    NEED(value);
    if (attr < ACL_CANN_ATTR_INF_NAN || attr > ACL_CANN_ATTR_JIT_COMPILE)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "aclGetCannAttribute: %d, 0 to 2 exist",
                           (int)attr);
    *value = attr != ACL_CANN_ATTR_JIT_COMPILE;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *mode)
{
    NEED(mode);
    *mode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t device, aclrtDeviceStatus *status)
{
    int rc = npu_rt_check_device(device, "aclrtQueryDeviceStatus");

    NEED(status);
    if (!rc)
        *status = npu_rt_device_error(device) ? ACL_RT_DEVICE_STATUS_ABNORMAL
                                              : ACL_RT_DEVICE_STATUS_NORMAL;
    return rc;
}

/* The machine's id and the device's number: the same in every run, different for every device. */
aclError aclrtDeviceGetUuid(int32_t device, aclrtUuid *uuid)
{
    uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    char id[64] = "nputwin";
    int rc = npu_rt_check_device(device, "aclrtDeviceGetUuid");
    FILE *f;

    NEED(uuid);
    if (rc)
        return rc;
    f = fopen("/etc/machine-id", "re");
    if (f) {
        if (!fgets(id, sizeof(id), f))
            snprintf(id, sizeof(id), "nputwin");
        fclose(f);
    }
    for (size_t i = 0; id[i]; i++) {
        h[0] = (h[0] ^ (uint8_t)id[i]) * 0x100000001b3u;
        h[1] = (h[1] ^ h[0]) * 0x100000001b3u;
    }
    h[1] ^= (uint64_t)npu_rt_physical_device(device);
    memcpy(uuid->bytes, h, sizeof(h));
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    NEED(pid);
    *pid = (int32_t)getpid();
    return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t user, int32_t *const logic)
{
    int rc = npu_rt_check_device(user, "aclrtGetLogicDevIdByUserDevId");

    NEED(logic);
    if (!rc)
        *logic = npu_rt_physical_device(user);
    return rc;
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logic, int32_t *const user)
{
    int n = npu_rt_device_count();

    NEED(user);
    for (int i = 0; i < n; i++) {
        if (npu_rt_physical_device(i) != logic)
            continue;
        *user = i;
        return ACL_SUCCESS;
    }
    return npu_rt_fail(ACL_ERROR_RT_INVALID_DEVICEID,
                       "aclrtGetUserDevIdByLogicDevId: device %d is not "
                       "visible to this process",
                       logic);
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *can)
{
    const struct npu_soc *soc = npu_rt_soc(), *other;

    NEED(socVersion);
    NEED(can);
    if (!soc)
        return ACL_ERROR_RT_PARAM_INVALID;
    other = npu_soc_find(socVersion);
    if (!other)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtCheckArchCompatibility: %s is not a known "
                           "SoC: see `nputwin list soc`",
                           socVersion);
    *can = other->arch == soc->arch;
    return ACL_SUCCESS;
}

/* ---- numbers ------------------------------------------------------------------------- */

float aclFloat16ToFloat(aclFloat16 value)
{
    return npu_f16_to_f32(value);
}

aclFloat16 aclFloatToFloat16(float value)
{
    return npu_f32_to_f16(value);
}

size_t aclDataTypeSize(aclDataType type)
{
    static const uint8_t bytes[] = {
        [ACL_FLOAT] = 4,     [ACL_FLOAT16] = 2,     [ACL_INT8] = 1,          [ACL_INT32] = 4,
        [ACL_UINT8] = 1,     [ACL_INT16] = 2,       [ACL_UINT16] = 2,        [ACL_UINT32] = 4,
        [ACL_INT64] = 8,     [ACL_UINT64] = 8,      [ACL_DOUBLE] = 8,        [ACL_BOOL] = 1,
        [ACL_COMPLEX64] = 8, [ACL_COMPLEX128] = 16, [ACL_BF16] = 2,          [ACL_COMPLEX32] = 4,
        [ACL_HIFLOAT8] = 1,  [ACL_FLOAT8_E5M2] = 1, [ACL_FLOAT8_E4M3FN] = 1, [ACL_FLOAT8_E8M0] = 1,
    };

    return (uint32_t)type < sizeof(bytes) ? bytes[type] : 0;
}

/* ---- process log ----------------------------------------------------------------------- */

void aclAppLog(aclLogLevel level, const char *func, const char *file, uint32_t line,
               const char *fmt, ...)
{
    va_list ap;

    if ((uint32_t)level > ACL_ERROR || !fmt ||
        !npu_rt_log_is_on(LOG_OF_APP, (enum npu_log_level)level))
        return;
    va_start(ap, fmt);
    npu_rt_vlog(LOG_OF_APP, (enum npu_log_level)level, func, file, line, fmt, ap);
    va_end(ap);
}
