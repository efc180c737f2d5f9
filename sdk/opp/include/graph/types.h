/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - data types, formats and the status of host functions. The numbers are the interface's.
 *
 * The guards are the interface's too: torch_npu's wheel has headers of the same names and types,
 * and a file that includes both keeps the ones that come first.
 */
#ifndef NPUTWIN_GRAPH_TYPES_H
#define NPUTWIN_GRAPH_TYPES_H
#include "ge_error_codes.h"
#include <cstdint>

/* FORMAT(number, name) */
#define NPUTWIN_FORMATS(FORMAT)                                                                    \
    FORMAT(0, NCHW)                                                                                \
    FORMAT(1, NHWC)                                                                                \
    FORMAT(2, ND)                                                                                  \
    FORMAT(3, NC1HWC0)                                                                             \
    FORMAT(4, FRACTAL_Z)                                                                           \
    FORMAT(5, NC1C0HWPAD)                                                                          \
    FORMAT(6, NHWC1C0)                                                                             \
    FORMAT(12, NC1HWC0_C04)                                                                        \
    FORMAT(13, FRACTAL_Z_C04)                                                                      \
    FORMAT(14, CHWN)                                                                               \
    FORMAT(16, HWCN)                                                                               \
    FORMAT(27, NDHWC)                                                                              \
    FORMAT(28, FRACTAL_ZZ)                                                                         \
    FORMAT(29, FRACTAL_NZ)                                                                         \
    FORMAT(30, NCDHW)                                                                              \
    FORMAT(31, DHWCN)                                                                              \
    FORMAT(32, NDC1HWC0)                                                                           \
    FORMAT(33, FRACTAL_Z_3D)                                                                       \
    FORMAT(34, CN)                                                                                 \
    FORMAT(35, NC)                                                                                 \
    FORMAT(36, DHWNC)                                                                              \
    FORMAT(40, RESERVED)                                                                           \
    FORMAT(41, ALL)                                                                                \
    FORMAT(42, NULL)                                                                               \
    FORMAT(47, NCL)                                                                                \
    FORMAT(50, FRACTAL_NZ_C0_16)                                                                   \
    FORMAT(51, FRACTAL_NZ_C0_32)

#ifndef INC_EXTERNAL_GRAPH_TYPES_H_
#define INC_EXTERNAL_GRAPH_TYPES_H_
namespace ge {

enum DataType : int32_t {
#define DATA_TYPE(number, name, bytes, class, text) DT_##name = number,
#include "acl/data_types.def"
    DT_UNDEFINED = 28,
    DT_MAX = 42
};

enum Format : int32_t {
#define NPUTWIN_FORMAT(number, name) FORMAT_##name = number,
    NPUTWIN_FORMATS(NPUTWIN_FORMAT)
#undef NPUTWIN_FORMAT
        FORMAT_MAX = 0xff
};
/* A format without what its upper bits say of groups and C0. */
inline int32_t GetPrimaryFormat(int32_t format) { return format & 0xff; }

/* Dimensions of a shape that is not known yet: one of them, or how many there are. */
constexpr int64_t UNKNOWN_DIM = -1, UNKNOWN_DIM_NUM = -2;

constexpr int kDataTypeSizeBitOffset = 1000;
/* Bytes of one element; 1000 and its bits for one of less than a byte, -1 where there is no size.
 */
inline int GetSizeByDataType(DataType type)
{
    switch (type) {
#define DATA_TYPE(number, name, bytes, class, text)                                                \
    case DT_##name:                                                                                \
        return (bytes) > 0 ? (bytes) : (bytes) < 0 ? kDataTypeSizeBitOffset - (bytes) : -1;
#include "acl/data_types.def"
    default:
        return -1;
    }
}

} // namespace ge
#endif

namespace ge {

/* Bytes of n elements, -1 where they have none. torch_npu's header only declares it. */
inline int64_t GetSizeInBytes(int64_t n, DataType type)
{
    const int64_t size = GetSizeByDataType(type), bits = size - kDataTypeSizeBitOffset;

    return n < 0 || size < 0 ? -1 : bits > 0 ? (n * bits + 7) / 8 : n * size;
}

} // namespace ge
#endif
