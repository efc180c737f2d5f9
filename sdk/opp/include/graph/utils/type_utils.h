/* SPDX-License-Identifier: Apache-2.0 */
/* type_utils.h - names of data types ("DT_FLOAT") and formats ("ND"), for messages. */
#ifndef NPUTWIN_GRAPH_TYPE_UTILS_H
#define NPUTWIN_GRAPH_TYPE_UTILS_H
#include "../ascend_string.h"
#include "../types.h"

namespace ge {

class TypeUtils {
public:
    /* "UNDEFINED" for one that this version does not name. */
    static std::string DataTypeToSerialString(DataType type)
    {
        switch (type) {
#define DATA_TYPE(number, name, bytes, class, text)                                                \
    case DT_##name:                                                                                \
        return "DT_" #name;
#include "acl/data_types.def"
        default:
            return "UNDEFINED";
        }
    }
    static std::string FormatToSerialString(Format format)
    {
        switch (format) {
#define NPUTWIN_FORMAT(number, name)                                                               \
    case FORMAT_##name:                                                                            \
        return #name;
            NPUTWIN_FORMATS(NPUTWIN_FORMAT)
#undef NPUTWIN_FORMAT
        default:
            return "RESERVED";
        }
    }
    static AscendString DataTypeToAscendString(DataType type)
    {
        return AscendString(DataTypeToSerialString(type).c_str());
    }
    static AscendString FormatToAscendString(Format format)
    {
        return AscendString(FormatToSerialString(format).c_str());
    }
};

} // namespace ge
#endif
