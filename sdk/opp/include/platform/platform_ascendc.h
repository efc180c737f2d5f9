/* SPDX-License-Identifier: Apache-2.0 */
/* platform_ascendc.h - where sources beside this folder look for the chip's figures. */
#ifndef NPUTWIN_PLATFORM_PLATFORM_ASCENDC_H
#define NPUTWIN_PLATFORM_PLATFORM_ASCENDC_H
#include "tiling/platform/platform_ascendc.h"
#endif
