/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - documented names that this version does not have: each stops the compile with its
 * reason.
 *
 * What a class of them has inside (SetInput, SetWeight, SetGradOutput, SetInputStartPosition,
 * SetStartPosition, SetSingleOutputShape of the convolution objects) is not reached.
 */
#ifndef NPU_FRONT_REFUSE_H
#define NPU_FRONT_REFUSE_H
#include <cstdint>
#include <type_traits>

namespace nputwin {
template <class...> constexpr bool never = false;
} // namespace nputwin

namespace AscendC {

/* The image processor on the way into L1. Its parameters are for these two only: any will do. */
enum class AippInputFormat : uint8_t {
    YUV420SP_U8 = 0,
    XRGB8888_U8 = 1,
    RGB888_U8 = 4,
    YUV400_U8 = 9
};
#define NPU_NO_IMAGES(name)                                                                        \
    template <class... T> inline void name(T &&...)                                                \
    {                                                                                              \
        static_assert(nputwin::never<T...>,                                                        \
                      #name ": this version does not model the image processor (AIPP); convert "   \
                            "the pixels in UB with DataCopyPad, Cast and Muls, or on the host, "   \
                            "and bring them into L1 with DataCopy");                               \
    }
NPU_NO_IMAGES(SetAippFunctions)
NPU_NO_IMAGES(LoadImageToLocal)
#undef NPU_NO_IMAGES

/* Collectives that a kernel starts itself. */
enum HcclServerType { HCCL_SERVER_TYPE_AICPU, HCCL_SERVER_TYPE_END };
constexpr uint32_t HCCL_GROUP_ID_0 = 0;
template <auto serverType = HCCL_SERVER_TYPE_AICPU, class... T> class Hccl {
    static_assert(nputwin::never<Hccl, T...>,
                  "Hccl: this version has no collectives within a kernel; end the kernel, let the "
                  "host call the collective on the same stream, and launch a second one");
};
template <uint32_t index, class... T> inline uint8_t *GetHcclContext(T...)
{
    static_assert(nputwin::never<T...>,
                  "GetHcclContext: this version has no collectives within a kernel; end the "
                  "kernel, let the host call the collective on the same stream, and launch a "
                  "second one");
    return nullptr;
}

/* The vendor's CPU debugging: a kernel is launched here as on the chip, without another build. */
template <class T> inline void *GmAlloc(T)
{
    static_assert(nputwin::never<T>, "GmAlloc is of the vendor's CPU debugging; here a kernel runs "
                                     "as on the chip: aclrtMalloc and kernel<<<...>>>");
    return nullptr;
}
template <class T> inline void GmFree(T)
{
    static_assert(nputwin::never<T>, "GmFree is of the vendor's CPU debugging; here a kernel runs "
                                     "as on the chip: aclrtFree");
}
template <class T> inline void SetKernelMode(T)
{
    static_assert(nputwin::never<T>,
                  "SetKernelMode is of the vendor's CPU debugging; here the kernel's own "
                  "qualifier says on which cores it runs");
}

} // namespace AscendC

/* Convolution objects. Their types carry layouts that only they read. */
#define NPU_NO_CONVOLUTION(name, instead)                                                          \
    template <class... T> class name {                                                             \
        static_assert(nputwin::never<T...>,                                                        \
                      #name ": this version has no convolution objects; in a kernel LoadData of "  \
                            "an image and Mmad convolve, on the host " instead " does");           \
    }
namespace Conv3dApi {
NPU_NO_CONVOLUTION(Conv3D, "aclnnConvolution");
} // namespace Conv3dApi
namespace ConvBackpropApi {
NPU_NO_CONVOLUTION(Conv3DBackpropInput, "aclnnConvolutionBackward");
NPU_NO_CONVOLUTION(Conv3DBackpropFilter, "aclnnConvolutionBackward");
} // namespace ConvBackpropApi
#undef NPU_NO_CONVOLUTION

#define ICPU_RUN_KF(...)                                                                           \
    static_assert(nputwin::never<>, "ICPU_RUN_KF is of the vendor's CPU debugging; here a kernel " \
                                    "runs as on the chip: kernel<<<blocks, nullptr, stream>>>()")
#define ICPU_SET_TILING_KEY(...)                                                                   \
    static_assert(nputwin::never<>, "ICPU_SET_TILING_KEY is of the vendor's CPU debugging; here "  \
                                    "the tiling function of the operator sets the key")
#endif
