/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_tiling.h - the plans of the high-level API as a kernel sees them: plain structs.
 *
 * The same rows give the host its classes (tiling_classes.h), so both have the same bytes.
 */
#ifndef NPUTWIN_KERNEL_TILING_H
#define NPUTWIN_KERNEL_TILING_H
#include <cstdint>

namespace AscendC::tiling {

#define NPU_U32(field)       uint32_t field = 0;
#define NPU_I32(field)       int32_t field = 0;
#define NPU_U64(field)       uint64_t field = 0;
#define NPU_I64(field)       int64_t field = 0;
#define NPU_F32(field)       float field = 0;
#define NPU_U16(field)       uint16_t field = 0;
#define NPU_BOOL(field)      bool field = false;
#define NPU_U32S(field, n)   uint32_t field[n] = {};
#define NPU_I32S(field, n)   int32_t field[n] = {};
#define NPU_SUB(type, field) type field = {};
#define TILING(name, ...)                                                                          \
    struct name {                                                                                  \
        __VA_ARGS__                                                                                \
    };
#include "tilings.def"

} // namespace AscendC::tiling

/* A plan out of its bytes, also for plans that are constants of a program. */
template <class T> constexpr T convert_from_bytes(const uint8_t *bytes)
{
    struct raw {
        uint8_t byte[sizeof(T)];
    };
    raw r = {};
    for (decltype(sizeof(T)) i = 0; i < sizeof(T); i++)
        r.byte[i] = bytes[i];
    return __builtin_bit_cast(T, r);
}

/* Kernels say these names alone. */
#define TILING(name, ...) using AscendC::tiling::name;
#include "tilings.def"
#endif
