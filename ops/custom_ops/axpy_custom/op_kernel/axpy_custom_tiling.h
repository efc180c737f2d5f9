/* SPDX-License-Identifier: Apache-2.0 */
/* What the host tells the kernel; both include it. */
#ifndef AXPY_CUSTOM_TILING_H
#define AXPY_CUSTOM_TILING_H
#include <cstdint>

struct AxpyCustomTilingData {
    uint64_t length; /* elements */
    uint32_t tile;   /* elements that a block holds in UB at a time */
    float alpha;
};

/* Tiling keys: how z = alpha * x + y is computed. */
constexpr uint64_t AXPY_DIRECT = 1; /* in the type of x */
constexpr uint64_t AXPY_WIDE = 2;   /* in float, rounded once; the product waits in the workspace */

#endif
