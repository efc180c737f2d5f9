/* SPDX-License-Identifier: Apache-2.0 */
/* Tiling data defined with macros: for op_host alone; the kernel gets the plain structs by itself.
 */
#ifndef OLDER_CUSTOM_TILING_H
#define OLDER_CUSTOM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(OlderOffsets)
TILING_DATA_FIELD_DEF(uint8_t, count);
TILING_DATA_FIELD_DEF_ARR(int64_t, 4, value);
END_TILING_DATA_DEF
REGISTER_TILING_DATA_CLASS(OlderOffsetsOp, OlderOffsets)

BEGIN_TILING_DATA_DEF(OlderTilingData)
TILING_DATA_FIELD_DEF(uint8_t, flip);
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF(int64_t, times);
TILING_DATA_FIELD_DEF_STRUCT(OlderOffsets, offsets);
TILING_DATA_FIELD_DEF(int16_t, bias);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(OlderCustom, OlderTilingData)

} // namespace optiling
#endif
