/* SPDX-License-Identifier: Apache-2.0 */
/* Three combinations, each on cores of its own. */
#ifndef CORES_PICK_CUSTOM_KEY_H
#define CORES_PICK_CUSTOM_KEY_H
#include "ascendc/host_api/tiling/template_argument.h"

ASCENDC_TPL_ARGS_DECL(CoresPickCustom,
                      ASCENDC_TPL_UINT_DECL(HOW, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_LIST, 0, 1, 2));

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(HOW, ASCENDC_TPL_UI_LIST, 0),
                                     ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY), ),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(HOW, ASCENDC_TPL_UI_LIST, 1),
                                     ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2), ),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(HOW, ASCENDC_TPL_UI_LIST, 2),
                                     ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIC_ONLY)), );
#endif
