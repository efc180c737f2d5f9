/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c_api.hpp - what the tests of the C API share: numbers as elements of UB, images of UB compared
 * byte by byte, and the duty that every name of front/api/c.def has been called.
 */
#ifndef NPU_TEST_C_API_HPP
#define NPU_TEST_C_API_HPP
#include "kernel.hpp"
#include "../../front/c/asc_simd.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

/* An element of that type that holds v. */
inline void put(npu_type type, void *at, double v)
{
    switch (type) {
#define PUT(row, T)                                                                                \
    case TYPE_##row: {                                                                             \
        const T x = T(v);                                                                          \
        std::memcpy(at, &x, sizeof x);                                                             \
        break;                                                                                     \
    }
        PUT(f16, half)
        PUT(bf16, bfloat16_t)
        PUT(f32, float)
        PUT(s8, int8_t)
        PUT(u8, uint8_t)
        PUT(s16, int16_t)
        PUT(u16, uint16_t)
        PUT(s32, int32_t)
        PUT(u32, uint32_t)
        PUT(s64, int64_t)
#undef PUT
    default:
        break;
    }
}
inline bool is_nan(npu_type type, const void *at)
{
    uint32_t bits = 0;
    std::memcpy(&bits, at, npu_types[type].bytes < 4 ? npu_types[type].bytes : 4);
    switch (type) {
    case TYPE_f16:
        return (bits & 0x7fff) > 0x7c00;
    case TYPE_bf16:
        return (bits & 0x7fff) > 0x7f80;
    case TYPE_f32:
        return (bits & 0x7fffffff) > 0x7f800000;
    default:
        return false;
    }
}
/* Bit for bit; one NaN is as good as another. */
inline bool holds(npu_type type, const void *at, double want)
{
    uint8_t bits[8];
    put(type, bits, want);
    return std::isnan(want) ? is_nan(type, at) : !std::memcmp(at, bits, npu_types[type].bytes);
}

/* Where lane l of repeat r lies. */
inline uint32_t at_lane(uint32_t elem, uint32_t blk, uint32_t rep, uint32_t r, uint32_t l)
{
    const uint32_t per = 32 / elem;
    return r * rep * 32 + l / per * blk * 32 + l % per * elem;
}

/* Names that a test has called; each sync form counts with its base. */
inline std::set<std::string> &called()
{
    static std::set<std::string> names;
    return names;
}
inline void call_is_tested(const char *name)
{
    called().insert(name);
    called().insert(std::string(name) + "_sync");
}
/* Every row of these families of a door (front/api/c.def, cce.def) that dav-2201 has was called. */
inline void assert_all_called(std::initializer_list<const char *> families, const char *door = "c")
{
    static const struct {
        const char *name, *door, *family, *arch, *level;
    } rows[] = {
#define API(name, door, family, arch, level) {#name, #door, #family, arch, #level},
#include "../../front/api/c.def"
#include "../../front/api/cce.def"
#undef API
    };
    std::string missing;
    size_t n = 0;
    for (const auto &row : rows)
        for (const char *family : families)
            if (!std::strcmp(row.family, family) && !std::strcmp(row.door, door) &&
                std::strstr(row.arch, "2201") && std::strcmp(row.level, "refuse")) {
                n++;
                if (!called().count(row.name))
                    missing += std::string(" ") + row.name;
            }
    if (!missing.empty() || !n)
        fail_msg("of %zu names not called:%s", n, missing.c_str());
}

/* Runs body on a vector core; what it returns is the complaint, empty when all is well. */
inline void run_and_check(const std::function<std::string()> &body)
{
    std::string complaint;
    const outcome o = run_kernel([&] { complaint = body(); });
    if (o.status != NPU_OK)
        fail_msg("kernel failed: %s: %s", npu_status_name(o.status), o.story.c_str());
    if (!complaint.empty())
        fail_msg("%s", complaint.c_str());
}
inline uint8_t *ub() { return nputwin::core()->mem[MEM_UB].base; }

#endif
