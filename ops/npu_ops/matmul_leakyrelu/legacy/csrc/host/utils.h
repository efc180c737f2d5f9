/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utils.h - EXEC_KERNEL_CMD: launches a kernel of ascendc_library, in order with torch_npu.
 *
 *     EXEC_KERNEL_CMD(matmul_leakyrelu, blockDim, a, b, bias, c, workspace, tiling);
 *
 * needs aclrtlaunch_matmul_leakyrelu.h, which ascendc_library generates. A tensor becomes the
 * address of its first element (storage offset included), a number passes as it is. Numbers must be
 * variables of the kernel's own type, because what is stored is a copy of them.
 *
 * The launch is a task of torch_npu's queue (RunOpApi), so it runs after every operator called
 * before it. The task returns aclrtlaunch's status: without a return it would be undefined.
 */
#ifndef MATMUL_LEAKYRELU_EXT_UTILS_H
#define MATMUL_LEAKYRELU_EXT_UTILS_H
#include <ATen/core/Tensor.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace matmul_leakyrelu_ext {

inline void *KernelArgument(const at::Tensor &t) { return t.mutable_data_ptr(); }

template <typename T> std::enable_if_t<std::is_arithmetic_v<T>, T> KernelArgument(const T &value)
{
    return value;
}

template <typename... Ts> auto KernelArguments(Ts &...args)
{
    return std::make_tuple(KernelArgument(args)...);
}

} // namespace matmul_leakyrelu_ext

#define EXEC_KERNEL_CMD(kernel, blockDim, ...)                                                     \
    do {                                                                                           \
        auto kernelArgs = matmul_leakyrelu_ext::KernelArguments(__VA_ARGS__);                      \
        auto kernelStream = c10_npu::getCurrentNPUStream().stream(false);                          \
        uint32_t kernelBlocks = (blockDim);                                                        \
        at_npu::native::OpCommand::RunOpApi(                                                       \
            #kernel, [kernelArgs, kernelStream, kernelBlocks]() -> int {                           \
                auto launch = [&](auto... args) {                                                  \
                    return ACLRT_LAUNCH_KERNEL(kernel)(kernelBlocks, kernelStream, args...);       \
                };                                                                                 \
                return static_cast<int>(std::apply(launch, kernelArgs));                           \
            });                                                                                    \
    } while (false)

#endif
