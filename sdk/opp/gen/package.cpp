/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package.cpp - in every libcust_opapi.so: its tables, and the two functions about executors.
 *
 * torch_npu and programs find these two here before those of libopapi.so, whose executors they are
 * handed as well; what is not ours goes on to the next library.
 */
#include "register/op_table.h"
#include "aclnn/acl_meta.h"
#include <dlfcn.h>

extern "C" {

#define KERNEL(type, name, variant, arch)                                                          \
    const void *npu_key_##name##_##variant##_##arch(void);                                         \
    void npu_call_##name##_##variant##_##arch(void (*fn)(void), void *const *gm);
#include NPU_OP_KERNEL_TABLE
#undef KERNEL

static const npu_opp_kernel kernels[] = {
#define KERNEL(type, name, variant, arch)                                                          \
    {#type, variant, arch, npu_key_##name##_##variant##_##arch,                                    \
     npu_call_##name##_##variant##_##arch},
#include NPU_OP_KERNEL_TABLE
#undef KERNEL
    {nullptr, 0, 0, nullptr, nullptr}};

__attribute__((visibility("default"))) const struct npu_opp_package *npu_opp_package(void)
{
    static const struct npu_opp_package package = {NPU_OPP_ABI,
                                                   uint32_t(nputwin::opp::rows().size()),
                                                   uint32_t(sizeof kernels / sizeof *kernels - 1),
                                                   NPU_OP_VENDOR,
                                                   NPU_OP_UNITS,
                                                   nputwin::opp::rows().data(),
                                                   kernels};

    return &package;
}

/* The same function of the libraries behind this one. */
static aclnnStatus pass_on(const char *name, aclOpExecutor *executor)
{
    using fn = aclnnStatus (*)(aclOpExecutor *);
    fn next = reinterpret_cast<fn>(dlsym(RTLD_NEXT, name));
    void *opapi = next ? nullptr : dlopen("libopapi.so", RTLD_LAZY | RTLD_LOCAL);

    if (opapi)
        next = reinterpret_cast<fn>(dlsym(opapi, name));
    return next ? next(executor) : aclnnStatus(161002);
}

__attribute__((visibility("default"))) aclnnStatus
aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    if (npu_opp_owns(executor))
        return npu_opp_set_repeatable(executor);
    return pass_on("aclSetAclOpExecutorRepeatable", executor);
}

__attribute__((visibility("default"))) aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    if (npu_opp_owns(executor))
        return npu_opp_destroy(executor);
    if (!executor || npu_opp_ran(executor))
        return 0;
    return pass_on("aclDestroyAclOpExecutor", executor);
}

} // extern "C"
