/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - libruntime.so: the layer below acl, of which torch_npu links four names.
 *
 * All four start or locate binaries of the chip, so they refuse by name. Kernels compiled by this
 * bisheng register and launch themselves (engine/kernel.h).
 */
#include "../core/core.h"

int rtDevBinaryRegister(const void *binary, void **handle);
int rtFunctionRegister(void *binary, const void *stub, const char *name, const void *device_name,
                       uint32_t mode);
int rtKernelLaunch(const void *stub, uint32_t block_dim, void *args, uint32_t args_bytes,
                   void *l2_ctrl, void *stream);
int rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *bytes);

static const char *const why =
    "binaries hold instructions of the chip; compile the kernel's source with this bisheng instead";

int rtDevBinaryRegister(const void *binary, void **handle)
{
    (void)binary;
    (void)handle;
    return npu_rt_refuse("rtDevBinaryRegister", why);
}

int rtFunctionRegister(void *binary, const void *stub, const char *name, const void *device_name,
                       uint32_t mode)
{
    (void)binary;
    (void)stub;
    (void)name;
    (void)device_name;
    (void)mode;
    return npu_rt_refuse("rtFunctionRegister", why);
}

int rtKernelLaunch(const void *stub, uint32_t block_dim, void *args, uint32_t args_bytes,
                   void *l2_ctrl, void *stream)
{
    (void)stub;
    (void)block_dim;
    (void)args;
    (void)args_bytes;
    (void)l2_ctrl;
    (void)stream;
    return npu_rt_refuse("rtKernelLaunch", why);
}

int rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *bytes)
{
    (void)addr;
    (void)bytes;
    return npu_rt_refuse("rtGetC2cCtrlAddr",
                         "cores synchronise inside the engine, not through memory");
}
