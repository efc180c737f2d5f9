/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiling.h - what the kernel of an operator project knows of its TilingFunc: data and key.
 *
 * Included by the text that npu_op_kernel_library wraps around each kernel. The key is a value of
 * the launch, asked at run time: a kernel is compiled once for all keys.
 */
#ifndef NPU_FRONT_TILING_H
#define NPU_FRONT_TILING_H
#include "core.h"
#include "register_tiling.h"

/* Of libnputwin_opp.so, which makes the launches of operator packages. */
extern "C" uint64_t nputwin_tiling_key(void);
extern "C" size_t nputwin_tiling_bytes(void);

namespace nputwin {

/* Copies the tiling data of this launch. A struct that is longer than what TilingFunc wrote is a
 * fault: host and kernel disagree. */
template <class T> inline void read_tiling(T *to, const void *tiling, npu_where where)
{
    static_assert(std::is_trivially_copyable<T>::value, "tiling data is copied byte by byte");
    const size_t bytes = nputwin_tiling_bytes();

    std::memset(static_cast<void *>(to), 0, sizeof(T));
    if (bytes < sizeof(T))
        npu_fault(core(), NPU_E_ARG, where,
                  "GET_TILING_DATA reads %u bytes, but TilingFunc wrote %u: host and kernel use "
                  "different structs",
                  unsigned(sizeof(T)), unsigned(bytes));
    else
        std::memcpy(static_cast<void *>(to), tiling, sizeof(T));
}

/* A kernel chosen by template arguments, and a key that is none of its combinations. */
inline void no_instance(const char *op_type, unsigned n, npu_where where = NPU_HERE)
{
    npu_fault(core(), NPU_E_ARG, where,
              "%s: tiling key 0x%llx is none of the %u combinations in its ASCENDC_TPL_SEL; "
              "TilingFunc gave a value that is not selected",
              op_type, static_cast<unsigned long long>(nputwin_tiling_key()), n);
}

/* The data where they lie; a fault and zeros when TilingFunc wrote fewer. */
template <class T> inline const T *tiling_at(const void *tiling, npu_where where)
{
    static const T zeros{};
    T check;

    read_tiling(&check, tiling, where);
    return core()->faulted ? &zeros : reinterpret_cast<const T *>(tiling);
}

} // namespace nputwin

#define TILING_KEY_IS(key) (nputwin_tiling_key() == uint64_t(key))
#define TILING_KEY_LIST(key1, key2)                                                                \
    (nputwin_tiling_key() == uint64_t(key1) || nputwin_tiling_key() == uint64_t(key2))
/* Not for #if: the key is no constant here, and the preprocessor says so. */
#define TILING_KEY_VAR nputwin_tiling_key()

#define GET_TILING_DATA(data, tiling)                                                              \
    nputwin_tiling_default data;                                                                   \
    nputwin::read_tiling(&data, tiling, nputwin::here())
#define GET_TILING_DATA_WITH_STRUCT(type, data, tiling)                                            \
    type data;                                                                                     \
    nputwin::read_tiling(&data, tiling, nputwin::here())
#define GET_TILING_DATA_MEMBER(type, member, data, tiling)                                         \
    type nputwin_all_##data;                                                                       \
    nputwin::read_tiling(&nputwin_all_##data, tiling, nputwin::here());                            \
    auto data = nputwin_all_##data.member
/* A pointer to the tiling data where they lie; copies of its parts on the stack. */
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, ptr, tiling)                                         \
    const type *ptr = nputwin::tiling_at<type>(tiling, nputwin::here())
#define COPY_TILING_WITH_STRUCT(type, src, dst)                                                    \
    type nputwin_copy_##dst;                                                                       \
    std::memcpy(static_cast<void *>(&nputwin_copy_##dst), src, sizeof(type));                      \
    const type *dst = &nputwin_copy_##dst
#define COPY_TILING_WITH_ARRAY(type, count, src, dst)                                              \
    type nputwin_copy_##dst[count];                                                                \
    std::memcpy(static_cast<void *>(nputwin_copy_##dst), src, sizeof(nputwin_copy_##dst));         \
    const type *dst = nputwin_copy_##dst
#endif
