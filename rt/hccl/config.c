/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - libhccl.so, so far: the switch that every torch_npu process sets before any
 * collective.
 *
 * Collectives are not exported yet; a caller that wants one is told so by its own loader.
 */
#include "../../base/base.h"

enum { HCCL_SUCCESS, HCCL_E_PARA, HCCL_E_NOT_SUPPORT = 5 };
enum { HCCL_DETERMINISTIC };

union hccl_value {
    int32_t value;
};

int HcclSetConfig(int option, union hccl_value value);

/* Whatever reduces here will reduce in one order: both answers are kept by doing that. */
int HcclSetConfig(int option, union hccl_value value)
{
    if (option != HCCL_DETERMINISTIC)
        return HCCL_E_NOT_SUPPORT;
    return value.value >= 0 && value.value <= 2 ? HCCL_SUCCESS : HCCL_E_PARA;
}
