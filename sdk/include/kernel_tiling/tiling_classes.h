/* SPDX-License-Identifier: Apache-2.0 */
/* tiling_classes.h - the plans of the high-level API as a host fills them: classes with set_ and
 * get_. */
#ifndef NPUTWIN_TILING_CLASSES_H
#define NPUTWIN_TILING_CLASSES_H
#include "register/tilingdata_base.h"
#include <cstdint>

namespace optiling {

#define NPU_U32(field)       TILING_DATA_FIELD_DEF(uint32_t, field)
#define NPU_I32(field)       TILING_DATA_FIELD_DEF(int32_t, field)
#define NPU_U64(field)       TILING_DATA_FIELD_DEF(uint64_t, field)
#define NPU_I64(field)       TILING_DATA_FIELD_DEF(int64_t, field)
#define NPU_F32(field)       TILING_DATA_FIELD_DEF(float, field)
#define NPU_U16(field)       TILING_DATA_FIELD_DEF(uint16_t, field)
#define NPU_BOOL(field)      TILING_DATA_FIELD_DEF(bool, field)
#define NPU_U32S(field, n)   TILING_DATA_FIELD_DEF_ARR(uint32_t, n, field)
#define NPU_I32S(field, n)   TILING_DATA_FIELD_DEF_ARR(int32_t, n, field)
#define NPU_SUB(type, field) TILING_DATA_FIELD_DEF_STRUCT(type, field)
#define TILING(name, ...)                                                                          \
    BEGIN_TILING_DATA_DEF(name)                                                                    \
    __VA_ARGS__                                                                                    \
    END_TILING_DATA_DEF;
#include "tilings.def"

} // namespace optiling
#endif
