/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register_tiling.h - which struct a kernel's tiling data have.
 *
 * For everybody: kernels that serve an operator project and are launched by <<<>>> too register
 * their struct in both. What reads it by that name (tiling.h) is of the project alone.
 */
#ifndef NPU_FRONT_REGISTER_TILING_H
#define NPU_FRONT_REGISTER_TILING_H
#include <type_traits>

#define REGISTER_TILING_DEFAULT(...) [[maybe_unused]] typedef __VA_ARGS__ nputwin_tiling_default
#define REGISTER_TILING_FOR_TILINGKEY(condition, ...)                                              \
    static_assert(std::is_trivially_copyable<__VA_ARGS__>::value,                                  \
                  "tiling data is copied byte by byte")

/* No struct is registered; the macros that name one read it. */
#define REGISTER_NONE_TILING static_assert(true, "")
#endif
