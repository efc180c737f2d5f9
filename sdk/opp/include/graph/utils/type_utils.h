/* SPDX-License-Identifier: Apache-2.0 */
/* type_utils.h - names of data types ("DT_FLOAT") and formats ("ND"), for messages. */
#ifndef NPUTWIN_GRAPH_TYPE_UTILS_H
#define NPUTWIN_GRAPH_TYPE_UTILS_H
#include "../types.h"
#include <string>

namespace ge {

class TypeUtils {
public:
    /* "UNDEFINED" for one that this version does not name. */
    static std::string DataTypeToSerialString(DataType type)
    {
        switch (type) {
#define NPU_NAME(name)                                                                             \
    case DT_##name:                                                                                \
        return "DT_" #name;
            NPU_NAME(FLOAT)
            NPU_NAME(FLOAT16)
            NPU_NAME(INT8)
            NPU_NAME(INT32)
            NPU_NAME(UINT8)
            NPU_NAME(INT16)
            NPU_NAME(UINT16)
            NPU_NAME(UINT32)
            NPU_NAME(INT64)
            NPU_NAME(UINT64)
            NPU_NAME(DOUBLE)
            NPU_NAME(BOOL)
            NPU_NAME(COMPLEX64)
            NPU_NAME(COMPLEX128)
            NPU_NAME(BF16)
            NPU_NAME(INT4)
            NPU_NAME(COMPLEX32)
            NPU_NAME(HIFLOAT8)
            NPU_NAME(FLOAT8_E5M2)
            NPU_NAME(FLOAT8_E4M3FN)
            NPU_NAME(FLOAT8_E8M0)
            NPU_NAME(FLOAT4_E2M1)
#undef NPU_NAME
        default:
            return "UNDEFINED";
        }
    }
    static std::string FormatToSerialString(Format format)
    {
        switch (format) {
#define NPU_NAME(name)                                                                             \
    case FORMAT_##name:                                                                            \
        return #name;
            NPU_NAME(NCHW)
            NPU_NAME(NHWC)
            NPU_NAME(ND)
            NPU_NAME(NC1HWC0)
            NPU_NAME(FRACTAL_Z)
            NPU_NAME(HWCN)
            NPU_NAME(NDHWC)
            NPU_NAME(FRACTAL_NZ)
            NPU_NAME(NCDHW)
            NPU_NAME(NCL)
            NPU_NAME(RESERVED)
            NPU_NAME(NULL)
#undef NPU_NAME
        default:
            return "RESERVED";
        }
    }
};

} // namespace ge
#endif
