/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm_tiling.h - how the work is cut for this chip. */
#ifndef RMS_NORM_TILING_H
#define RMS_NORM_TILING_H
#include "../../kernel/rms_norm_tiling_data.h"

namespace rms_norm_ext {

struct Chip {
    uint32_t vectorCores;
    uint64_t ubBytes;
    uint64_t systemWorkspaceBytes; /* in front of a kernel's own part, with HAVE_WORKSPACE */
};

/* Of the platform library; vectorCores is 0 when it does not know the chip. */
Chip GetChip();

struct Plan {
    RmsNormTilingData tiling;
    uint32_t blocks;
    uint64_t workspaceBytes;
};

/* rows and rowLength are not 0; elementBytes are those of the type. tileLength is 0 when UB has no
 * room for a tile. */
Plan MakePlan(const Chip &chip, RmsNormType type, uint32_t elementBytes, uint64_t rows,
              uint64_t rowLength, float eps);

} // namespace rms_norm_ext
#endif
