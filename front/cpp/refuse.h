/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - documented names that this version does not have: each stops the compile with its
 * reason.
 *
 * What a class of them has inside (AllocMessage, PostMessage, PostFakeMsg, FreeMessage,
 * AssignQueue, SetQuit, SetSkipMsg of CubeResGroupHandle; GetKfcWorkspace, UpdateKfcWorkspace of
 * KfcWorkspace) is not reached.
 */
#ifndef NPU_FRONT_REFUSE_H
#define NPU_FRONT_REFUSE_H
#include <type_traits>

namespace nputwin {
template <class...> constexpr bool never = false;
} // namespace nputwin

namespace AscendC {

template <typename CubeMsgType> class CubeResGroupHandle {
    static_assert(nputwin::never<CubeMsgType>,
                  "CubeResGroupHandle: groups of cube cores come with the cube unit, which this "
                  "version does not have");
};
template <class... T> inline void CreateCubeResGroup(T &&...)
{
    static_assert(nputwin::never<T...>,
                  "CreateCubeResGroup: groups of cube cores come with the cube unit, which this "
                  "version does not have");
}
class KfcWorkspace {
public:
    template <class T> explicit KfcWorkspace(T)
    {
        static_assert(nputwin::never<T>,
                      "KfcWorkspace: messages between vector and cube cores come with the cube "
                      "unit, which this version does not have");
    }
};

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

#define ICPU_RUN_KF(...)                                                                           \
    static_assert(nputwin::never<>, "ICPU_RUN_KF is of the vendor's CPU debugging; here a kernel " \
                                    "runs as on the chip: kernel<<<blocks, nullptr, stream>>>()")
#define ICPU_SET_TILING_KEY(...)                                                                   \
    static_assert(nputwin::never<>, "ICPU_SET_TILING_KEY is of the vendor's CPU debugging; here "  \
                                    "the tiling function of the operator sets the key")
#endif
