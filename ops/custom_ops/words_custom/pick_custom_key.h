/* SPDX-License-Identifier: Apache-2.0 */
/* The template arguments of pick_custom, and which of their combinations there are. */
#ifndef PICK_CUSTOM_KEY_H
#define PICK_CUSTOM_KEY_H
#include "ascendc/host_api/tiling/template_argument.h"

ASCENDC_TPL_ARGS_DECL(PickCustom, ASCENDC_TPL_DATATYPE_DECL(T_X, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(TIMES, ASCENDC_TPL_4_BW, ASCENDC_TPL_UI_MIX, 1, 1, 2, 5,
                                            90),
                      ASCENDC_TPL_BOOL_DECL(FLIP, 0, 1));

ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T_X, ASCENDC_TPL_INPUT(0)),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_LIST, 1, 90),
                                     ASCENDC_TPL_BOOL_SEL(FLIP, 0, 1),
                                     ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY), ),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T_X, ASCENDC_TPL_INPUT(0)),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_RANGE, 1, 2, 2),
                                     ASCENDC_TPL_BOOL_SEL(FLIP, 0),
                                     ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)), );
#endif
