/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - binaries of kernels, their functions, and launches by handle. */
#include "cl.h"

#include <inttypes.h>
#include <string.h>

/* ---- load ---- */

static int check_load_option(const aclrtBinaryLoadOption *o, size_t i)
{
    switch ((uint32_t)o->type) {
    case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
        if (o->value.isLazyLoad <= 1)
            return ACL_SUCCESS;
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "options[%zu].isLazyLoad is %" PRIu32 "; allowed: 0, 1", i,
                           o->value.isLazyLoad);
    case ACL_RT_BINARY_LOAD_OPT_MAGIC:
        if (o->value.magic == ACL_RT_BINARY_MAGIC_ELF_AICORE ||
            o->value.magic == ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE ||
            o->value.magic == ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE)
            return ACL_SUCCESS;
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "options[%zu].magic is 0x%" PRIx32
                           "; allowed: ACL_RT_BINARY_MAGIC_ELF_AICORE, _VECTOR_CORE, _CUBE_CORE",
                           i, o->value.magic);
    case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
        return npu_rt_refuse("ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE", "it has no AI CPU");
    default:
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "options[%zu].type is %d; allowed: 1 (lazy load), 2 (magic)", i,
                           (int)o->type);
    }
}

static int check_load_options(const aclrtBinaryLoadOptions *options)
{
    int rc = ACL_SUCCESS;

    if (options && options->numOpt && !options->options)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "options->options is NULL, numOpt is %zu",
                           options->numOpt);
    for (size_t i = 0; options && !rc && i < options->numOpt; i++)
        rc = check_load_option(&options->options[i], i);
    return rc;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    int rc;

    NEED(binPath);
    NEED(binHandle);
    rc = check_load_options(options);
    return rc ? rc : npu_rt_binary_load_file((struct npu_binary **)binHandle, binPath, __func__);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                 const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    int rc;

    NEED(data);
    NEED(binHandle);
    rc = check_load_options(options);
    return rc ? rc : npu_rt_binary_load((struct npu_binary **)binHandle, data, length, __func__);
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    return npu_rt_image_new(data, dataLen, __func__);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    return npu_rt_image_free(binary, __func__);
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    const void *data;
    size_t bytes;
    int rc;

    NEED(binHandle);
    rc = npu_rt_image(binary, &data, &bytes, __func__);
    return rc ? rc : npu_rt_binary_load((struct npu_binary **)binHandle, data, bytes, __func__);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    return npu_rt_binary_unload(binHandle, __func__);
}

/* ---- functions ---- */

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                aclrtFuncHandle *funcHandle)
{
    NEED(kernelName);
    NEED(funcHandle);
    return npu_rt_binary_function(binHandle, kernelName, (struct npu_function **)funcHandle,
                                  __func__);
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
                                       aclrtFuncHandle *funcHandle)
{
    NEED(funcHandle);
    return npu_rt_binary_function_by_entry(binHandle, funcEntry, (struct npu_function **)funcHandle,
                                           __func__);
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    NEED(symbol);
    NEED(funcHandle);
    return npu_rt_function_of_symbol(symbol, (struct npu_function **)funcHandle, __func__);
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    struct npu_function_info info;
    int rc;

    NEED(aicAddr);
    NEED(aivAddr);
    rc = npu_rt_function_info(funcHandle, &info, __func__);
    if (rc)
        return rc;
    *aicAddr = info.aic;
    *aivAddr = info.aiv;
    return ACL_SUCCESS;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    struct npu_function_info info;
    size_t n;
    int rc;

    NEED(name);
    rc = npu_rt_function_info(funcHandle, &info, __func__);
    if (rc)
        return rc;
    n = strlen(info.symbol) + 1;
    if (n > maxLen)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: maxLen is %" PRIu32 ", %s needs %zu",
                           __func__, maxLen, info.symbol, n);
    memcpy(name, info.symbol, n);
    return ACL_SUCCESS;
}

/* In the order of enum nputwin_kernel_kind: AIV, AIC, mix 1:1, mix 1:2. */
static const struct {
    aclrtKernelType type;
    uint16_t aic, aiv;
} KINDS[] = {
    {ACL_KERNEL_TYPE_VECTOR, 0, 1},
    {ACL_KERNEL_TYPE_CUBE, 1, 0},
    {ACL_KERNEL_TYPE_MIX, 1, 1},
    {ACL_KERNEL_TYPE_MIX, 1, 2},
};

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                   int64_t *attrValue)
{
    struct npu_function_info info;
    int rc;

    NEED(attrValue);
    rc = npu_rt_function_info(funcHandle, &info, __func__);
    if (rc)
        return rc;
    if (attrType == ACL_FUNC_ATTR_KERNEL_TYPE) {
        *attrValue = KINDS[info.kind].type;
        return ACL_SUCCESS;
    }
    if (attrType == ACL_FUNC_ATTR_KERNEL_RATIO) {
        const struct npu_soc *soc = npu_rt_soc();

        if (!soc || soc->arch != 2201)
            return npu_rt_refuse("ACL_FUNC_ATTR_KERNEL_RATIO", "only A2 and A3 chips have it");
        *attrValue = (int64_t)KINDS[info.kind].aic << 16 | KINDS[info.kind].aiv;
        return ACL_SUCCESS;
    }
    if (attrType == ACL_FUNC_ATTR_KERNEL_SCHED_MODE)
        return npu_rt_refuse("ACL_FUNC_ATTR_KERNEL_SCHED_MODE",
                             "binaries do not say which __schedmode__ a kernel has");
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: attrType is %d; allowed: 1 (type), 2 (ratio)", __func__, (int)attrType);
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    NEED(binHandle);
    return npu_rt_function_binary(funcHandle, (struct npu_binary **)binHandle, __func__);
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    struct npu_function_info info;
    int rc;

    NEED(paramCount);
    rc = npu_rt_function_info(func, &info, __func__);
    if (!rc)
        *paramCount = info.n_params;
    return rc;
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize)
{
    NEED(paramOffset);
    NEED(paramSize);
    return npu_rt_function_param(func, paramIndex, paramOffset, paramSize, __func__);
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    struct npu_function_info info;
    int rc;

    NEED(dynamicUbufSize);
    rc = npu_rt_function_info(func, &info, __func__);
    if (rc)
        return rc;
    if (flags)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags is %" PRIu32 "; allowed: 0",
                           __func__, flags);
    *dynamicUbufSize = 0; /* as documented for kernels that are not SIMT */
    return ACL_SUCCESS;
}

/* ---- what a launch is told ---- */

/* Attributes of a launch: how far a value may go, and why not further. What only moves tasks about
 * on the chip has no effect here. */
static const struct {
    uint32_t id, max;
    const char *name, *why_not;
} ATTRS[] = {
    {ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1, "schemMode", NULL},
    {ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 0, "dynUBufSize",
     "only SIMT kernels have a dynamic part"},
    {ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 1, "engineType", NULL},
    {ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 0, "blockDimOffset",
     "only Atlas inference products split a launch over two streams"},
    {ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 1, "isBlockTaskPrefetch", NULL},
    {ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 0, "isDataDump",
     "kernels leave no dumps; copy the tensors back instead"},
    {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, UINT16_MAX, "timeout", NULL},
    {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, UINT32_MAX, "timeoutUs", NULL},
    {ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 0, "enableProfiling",
     "nothing collects profiles of single tasks"},
};
enum { N_ATTRS = sizeof(ATTRS) / sizeof(ATTRS[0]) };

static uint32_t value_of(const aclrtLaunchKernelAttr *a)
{
    switch ((uint32_t)a->id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
        return a->value.schemMode; /* one byte */
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        return a->value.timeout;
    default:
        return a->value.rsv[0];
    }
}

static int check_attr(const aclrtLaunchKernelAttr *a, const char *who)
{
    uint32_t value = value_of(a);

    for (size_t i = 0; i < N_ATTRS; i++) {
        if (ATTRS[i].id != (uint32_t)a->id)
            continue;
        if (value <= ATTRS[i].max)
            return ACL_SUCCESS;
        return npu_rt_fail(ATTRS[i].why_not ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
                                            : ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %s is %" PRIu32 "; allowed: 0%s%s%s", who, ATTRS[i].name, value,
                           ATTRS[i].max ? ", 1" : "", ATTRS[i].why_not ? ": " : "",
                           ATTRS[i].why_not ? ATTRS[i].why_not : "");
    }
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: attribute id %d of cfg is unknown; allowed: 1 to 9", who, (int)a->id);
}

/* The time limit that an attribute sets; 0, for ever, stays 0. */
static int64_t limit_of(const aclrtLaunchKernelAttr *a)
{
    const aclrtTimeoutUs *us = &a->value.timeoutUs;
    const uint64_t both = (uint64_t)us->timeoutHigh << 32 | us->timeoutLow;

    if (a->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT)
        return (int64_t)a->value.timeout * 1000000;
    return both > INT64_MAX ? INT64_MAX : (int64_t)both;
}

/* Also fills what the launch may take. */
static int check_cfg(const aclrtLaunchKernelCfg *cfg, int64_t *limit_us, const char *who)
{
    bool seconds = false, us = false;
    int rc = ACL_SUCCESS;

    *limit_us = LIMIT_OF_PROCESS;
    if (cfg && cfg->numAttrs && !cfg->attrs)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: cfg->attrs is NULL, numAttrs is %zu",
                           who, cfg->numAttrs);
    for (size_t i = 0; cfg && !rc && i < cfg->numAttrs; i++) {
        rc = check_attr(&cfg->attrs[i], who);
        seconds |= cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
        us |= cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
        if (cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT ||
            cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US)
            *limit_us = limit_of(&cfg->attrs[i]);
    }
    if (!rc && seconds && us)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                         "%s: cfg has both a timeout in seconds and one in microseconds", who);
    return rc;
}

/* ---- launches ---- */

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                             size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    int64_t limit_us;
    int rc = check_cfg(cfg, &limit_us, __func__);

    return rc ? rc
              : npu_rt_launch_device(funcHandle, numBlocks, stream, argsData, argsSize, limit_us,
                                     __func__);
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                           size_t argsSize, aclrtStream stream)
{
    return npu_rt_launch_device(funcHandle, numBlocks, stream, argsData, argsSize, LIMIT_OF_PROCESS,
                                __func__);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                       aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                       void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray,
                                       size_t placeHolderNum)
{
    int64_t limit_us;
    int rc = check_cfg(cfg, &limit_us, __func__);

    _Static_assert(sizeof(aclrtPlaceHolderInfo) == sizeof(struct npu_placeholder), "one layout");
    return rc ? rc
              : npu_rt_launch_host(funcHandle, numBlocks, stream, hostArgs, argsSize,
                                   (const struct npu_placeholder *)placeHolderArray, placeHolderNum,
                                   limit_us, __func__);
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg, void **args)
{
    int64_t limit_us;
    int rc;

    NEED(func);
    rc = check_cfg(cfg, &limit_us, __func__);
    return rc ? rc : npu_rt_launch_array(func, numBlocks, stream, args, limit_us, __func__);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                     aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                     aclrtArgsHandle argsHandle, void *reserve)
{
    int64_t limit_us;
    int rc = check_cfg(cfg, &limit_us, __func__);

    if (!rc && reserve)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: reserve must be NULL", __func__);
    return rc ? rc
              : npu_rt_launch_args(funcHandle, numBlocks, stream, argsHandle, limit_us, __func__);
}

/* ---- lists of arguments ---- */

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    NEED(argsHandle);
    return npu_rt_args_new(funcHandle, (struct npu_args **)argsHandle, __func__);
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
                                      void *userHostMem, size_t actualArgsSize)
{
    NEED(argsHandle);
    NEED(userHostMem);
    return npu_rt_args_init(funcHandle, argsHandle, userHostMem, actualArgsSize, __func__);
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
                                   size_t *actualArgsSize)
{
    struct npu_function_info info;
    int rc;

    NEED(actualArgsSize);
    rc = npu_rt_function_info(funcHandle, &info, __func__);
    if (!rc)
        *actualArgsSize = (userArgsSize + 7) / 8 * 8;
    return rc;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
    struct npu_function_info info;
    int rc;

    NEED(memSize);
    rc = npu_rt_function_info(funcHandle, &info, __func__);
    if (!rc)
        *memSize = npu_rt_args_bytes();
    return rc;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                               aclrtParamHandle *paramHandle)
{
    NEED(param);
    NEED(paramHandle);
    return npu_rt_args_append(argsHandle, param, paramSize, (uintptr_t *)paramHandle, __func__);
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    NEED(paramHandle);
    return npu_rt_args_append_placeholder(argsHandle, (uintptr_t *)paramHandle, __func__);
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    NEED(bufferAddr);
    return npu_rt_args_placeholder(argsHandle, (uintptr_t)paramHandle, dataSize, bufferAddr,
                                   __func__);
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                   void *param, size_t paramSize)
{
    NEED(param);
    return npu_rt_args_update(argsHandle, (uintptr_t)paramHandle, param, paramSize, __func__);
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    return npu_rt_args_finalize(argsHandle, __func__);
}
