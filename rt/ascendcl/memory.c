/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - allocation, copies, fills, virtual memory: thin doors to the core. */
#include "cl.h"

/* ---- allocation ---------------------------------------------------------------------- */

static int check_policy(aclrtMemMallocPolicy policy, const char *who)
{
    const uint32_t types = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                           ACL_MEM_ACCESS_USER_SPACE_READONLY;

    if (((uint32_t)policy & ~types) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: policy 0x%x does not exist", who,
                       (unsigned)policy);
}

static int check_config(const aclrtMallocConfig *cfg, const char *who)
{
    if (!cfg || !cfg->numAttrs)
        return ACL_SUCCESS;
    for (size_t i = 0; i < cfg->numAttrs; i++) {
        if (!cfg->attrs || (uint32_t)cfg->attrs[i].attr > ACL_RT_MEM_ATTR_VA_FLAG)
            return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %zu does not exist", who,
                               i);
        if (cfg->attrs[i].attr == ACL_RT_MEM_ATTR_VA_FLAG && cfg->attrs[i].value.vaFlag)
            return npu_rt_refuse(who, "ACL_RT_MEM_ATTR_VA_FLAG");
    }
    return ACL_SUCCESS; /* module and device ids are for statistics */
}

static int get(void **devPtr, size_t size, aclrtMemMallocPolicy policy, const char *who)
{
    int rc = check_policy(policy, who);

    return rc ? rc : npu_rt_malloc(devPtr, size, who);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return get(devPtr, size, policy, "aclrtMalloc");
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return get(devPtr, size, policy, "aclrtMallocAlign32");
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return get(devPtr, size, policy, "aclrtMallocCached");
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg)
{
    int rc = check_config(cfg, "aclrtMallocWithCfg");

    return rc ? rc : get(devPtr, size, policy, "aclrtMallocWithCfg");
}

static int synchronize_current(void)
{
    int device = npu_rt_device();

    return device < 0 ? ACL_SUCCESS : npu_rt_device_synchronize(device, -1);
}

aclError aclrtFree(void *devPtr)
{
    return npu_rt_free(devPtr, "aclrtFree");
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    int synced = synchronize_current();
    int rc = npu_rt_free(devPtr, "aclrtFreeWithDevSync");

    return rc ? rc : synced;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    return npu_rt_malloc_host(hostPtr, size, "aclrtMallocHost");
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    int rc = check_config(cfg, "aclrtMallocHostWithCfg");

    return rc ? rc : npu_rt_malloc_host(ptr, size, "aclrtMallocHostWithCfg");
}

aclError aclrtFreeHost(void *hostPtr)
{
    return npu_rt_free_host(hostPtr, "aclrtFreeHost");
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    int synced = synchronize_current();
    int rc = npu_rt_free_host(hostPtr, "aclrtFreeHostWithDevSync");

    return rc ? rc : synced;
}

/* The device sees host addresses as they are. */
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    int rc;

    NEED(devPtr);
    if (type != ACL_HOST_REGISTER_MAPPED)
        return npu_rt_refuse("aclrtHostRegister", "only ACL_HOST_REGISTER_MAPPED is there");
    rc = npu_rt_host_register(ptr, size, "aclrtHostRegister");
    if (!rc)
        *devPtr = ptr;
    return rc;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    const uint32_t known = 0x2u | 0x10000000u; /* mapped, pinned */

    if (flag & ~known)
        return npu_rt_refuse("aclrtHostRegisterV2", "only the flags MAPPED and PINNED are there");
    return npu_rt_host_register(ptr, size, "aclrtHostRegisterV2");
}

aclError aclrtHostGetDevicePointer(void *host, void **device, uint32_t flag)
{
    struct npu_allocation a;

    NEED(device);
    if (flag)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtHostGetDevicePointer: flag %u, must be 0", flag);
    if (!npu_rt_find(host, &a) || a.place != PLACE_HOST)
        return npu_rt_fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                           "aclrtHostGetDevicePointer: %p is not registered host memory", host);
    *device = host;
    return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void *ptr)
{
    return npu_rt_host_unregister(ptr, "aclrtHostUnregister");
}

/* ---- questions ----------------------------------------------------------------------- */

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    int device = npu_rt_need_device("aclrtGetMemInfo");

    NEED(free);
    NEED(total);
    if ((uint32_t)attr > ACL_MEM_P2P_HUGE1G)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetMemInfo: kind %d", (int)attr);
    return device < 0 ? ACL_ERROR_RT_CONTEXT_NULL : npu_rt_mem_info(device, free, total);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    struct npu_allocation a;

    NEED(ptr);
    NEED(attributes);
    *attributes = (aclrtPtrAttributes){.location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED}};
    if (!npu_rt_find(ptr, &a))
        return ACL_SUCCESS;
    attributes->pageSize = a.bytes >= npu_rt_vm_granularity() ? 2u << 20 : 4096;
    attributes->location.type =
        a.place == PLACE_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    attributes->location.id = a.device < 0 ? 0 : (uint32_t)a.device;
    return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void *ptr, void **base, size_t *size)
{
    struct npu_allocation a;

    if (!npu_rt_find(ptr, &a))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtMemGetAddressRange: %p was not allocated "
                           "here",
                           ptr);
    if (base)
        *base = (void *)(uintptr_t)a.at;
    if (size)
        *size = a.bytes;
    return ACL_SUCCESS;
}

static int check_range(const void *p, size_t size, const char *who)
{
    struct npu_allocation a;

    if (npu_rt_find(p, &a) && size <= a.at + a.bytes - (uint64_t)(uintptr_t)p)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes at %p are not in one allocation",
                       who, size, p);
}

/* Host and device see the same memory, so that a flush has nothing left to do. */
aclError aclrtMemFlush(void *devPtr, size_t size)
{
    return check_range(devPtr, size, "aclrtMemFlush");
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    return check_range(devPtr, size, "aclrtMemInvalidate");
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType type, aclrtStream stream)
{
    if ((uint32_t)type > ACL_RT_CMO_TYPE_FLUSH)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtCmoAsync: type %d", (int)type);
    if (!npu_rt_stream(stream, "aclrtCmoAsync"))
        return npu_rt_last_error(false);
    return check_range(src, size, "aclrtCmoAsync"); /* a hint to caches that are not modelled */
}

/* Uncorrectable memory errors do not occur: the list is empty. */
aclError aclrtGetMemUceInfo(int32_t device, aclrtMemUceInfo *infos, size_t n, size_t *found)
{
    (void)infos;
    (void)n;
    NEED(found);
    *found = 0;
    return npu_rt_check_device(device, "aclrtGetMemUceInfo");
}

/* ---- copies -------------------------------------------------------------------------- */

static int check_max(size_t max, size_t count, const char *who)
{
    if (count <= max)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%s: %zu bytes do not fit into a destination of %zu", who, count, max);
}

static struct npu_copy flat(void *dst, const void *src, size_t count, aclrtMemcpyKind kind)
{
    return (struct npu_copy){dst, src, count, count, count, 1, (enum npu_copy_kind)kind};
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    struct npu_copy c = flat(dst, src, count, kind);
    int rc = check_max(destMax, count, "aclrtMemcpy");

    return rc ? rc : npu_rt_copy(&c, "aclrtMemcpy");
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    struct npu_copy c = flat(dst, src, count, kind);
    int rc = check_max(destMax, count, "aclrtMemcpyAsync");

    return rc ? rc : npu_rt_copy_async(&c, stream, "aclrtMemcpyAsync");
}

/* The condition is whether host memory is pinned; pageable sources are copied at once anyway. */
aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream)
{
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind)
{
    struct npu_copy c = {dst, src, dpitch, spitch, width, height, (enum npu_copy_kind)kind};

    return npu_rt_copy(&c, "aclrtMemcpy2d");
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    struct npu_copy c = {dst, src, dpitch, spitch, width, height, (enum npu_copy_kind)kind};

    return npu_rt_copy_async(&c, stream, "aclrtMemcpy2dAsync");
}

/* The kind of copy i of a batch, from the attribute that covers it. */
static aclrtMemcpyKind batch_kind(const aclrtMemcpyBatchAttr *attrs, const size_t *indexes,
                                  size_t n_attrs, size_t i)
{
    const aclrtMemcpyBatchAttr *a = NULL;

    for (size_t k = 0; k < n_attrs && indexes[k] <= i; k++)
        a = &attrs[k];
    if (!a)
        return ACL_MEMCPY_DEFAULT;
    if (a->dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE)
        return a->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE ? ACL_MEMCPY_DEVICE_TO_DEVICE
                                                              : ACL_MEMCPY_HOST_TO_DEVICE;
    return a->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE ? ACL_MEMCPY_DEVICE_TO_HOST
                                                          : ACL_MEMCPY_HOST_TO_HOST;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t n,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                          size_t *failIndex)
{
    NEED(dsts && destMaxs && srcs && sizes);
    NEED(!numAttrs || (attrs && attrsIndexes));
    for (size_t i = 0; i < n; i++) {
        int rc = aclrtMemcpy(dsts[i], destMaxs[i], srcs[i], sizes[i],
                             batch_kind(attrs, attrsIndexes, numAttrs, i));

        if (rc && failIndex)
            *failIndex = i;
        if (rc)
            return rc;
    }
    return ACL_SUCCESS;
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t n,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                               size_t *failIndex, aclrtStream stream)
{
    NEED(dsts && destMaxs && srcs && sizes);
    NEED(!numAttrs || (attrs && attrsIndexes));
    for (size_t i = 0; i < n; i++) {
        int rc = aclrtMemcpyAsync(dsts[i], destMaxs[i], srcs[i], sizes[i],
                                  batch_kind(attrs, attrsIndexes, numAttrs, i), stream);

        if (rc && failIndex)
            *failIndex = i;
        if (rc)
            return rc;
    }
    return ACL_SUCCESS;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    return npu_rt_fill(devPtr, maxCount, (uint8_t)value, 1, count, "aclrtMemset");
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream)
{
    return npu_rt_fill_async(devPtr, maxCount, (uint8_t)value, 1, count, stream,
                             "aclrtMemsetAsync");
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t n)
{
    return npu_rt_fill(ptr, memSize, value, 4, n, "aclrtMemsetD32");
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t n,
                             aclrtStream stream)
{
    return npu_rt_fill_async(ptr, memSize, value, 4, n, stream, "aclrtMemsetD32Async");
}

/* ---- virtual memory ------------------------------------------------------------------ */

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags)
{
    (void)flags; /* page size: a hint */
    return npu_rt_vm_reserve(virPtr, size, alignment, expectPtr);
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    return npu_rt_vm_release(virPtr);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                             const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    bool host;
    int rc;

    NEED(handle);
    NEED(prop);
    if (flags)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocPhysical: flags %llu, must be 0",
                           (unsigned long long)flags);
    host = prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE;
    rc = host ? ACL_SUCCESS : npu_rt_check_device((int)prop->location.id, "aclrtMallocPhysical");
    return rc ? rc
              : npu_rt_physical_create((struct npu_physical **)handle, size, (int)prop->location.id,
                                       host);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    return npu_rt_physical_destroy(handle);
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags)
{
    if (flags)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtMapMem: flags %llu, must be 0",
                           (unsigned long long)flags);
    return npu_rt_vm_map(virPtr, size, offset, handle);
}

aclError aclrtUnmapMem(void *virPtr)
{
    return npu_rt_vm_unmap(virPtr);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                          aclrtMemGranularityOptions option, size_t *granularity)
{
    NEED(prop);
    NEED(granularity);
    if ((uint32_t)option > ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtMemGetAllocationGranularity: option %d", (int)option);
    *granularity = npu_rt_vm_granularity();
    return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType type,
                                         uint64_t flags, uint64_t *shareable)
{
    NEED(shareable);
    if (flags & ~ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtMemExportToShareableHandle: flags 0x%llx, 0 and 1 exist",
                           (unsigned long long)flags);
    if (type != ACL_MEM_HANDLE_TYPE_NONE)
        return npu_rt_refuse("aclrtMemExportToShareableHandle",
                             "only ACL_MEM_HANDLE_TYPE_NONE is there");
    return npu_rt_physical_export(handle, flags != 0, shareable);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareable, int32_t device,
                                           aclrtDrvMemHandle *handle)
{
    int rc = npu_rt_check_device(device, "aclrtMemImportFromShareableHandle");

    NEED(handle);
    return rc ? rc : npu_rt_physical_import(shareable, device, (struct npu_physical **)handle);
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareable, int32_t *pid, size_t pidNum)
{
    if (!shareable || !pid || !pidNum)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtMemSetPidToShareableHandle: no handle or no "
                           "process");
    return npu_rt_physical_invite(shareable, pid, pidNum);
}
