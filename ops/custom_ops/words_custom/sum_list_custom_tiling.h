/* SPDX-License-Identifier: Apache-2.0 */
/* What the host tells the kernel; both include it. */
#ifndef SUM_LIST_CUSTOM_TILING_H
#define SUM_LIST_CUSTOM_TILING_H
#include <cstdint>

struct SumListTilingData {
    uint32_t length, n_tensors, n_shifts; /* elements of a tensor, tensors, numbers */
    int32_t plus;                         /* the table's numbers together */
    int64_t weight_sum;                   /* the host read the weights */
    int32_t negate, has_bias;
};

#endif
