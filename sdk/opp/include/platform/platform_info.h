/* SPDX-License-Identifier: Apache-2.0 */
/* platform_info.h - fe::PlatFormInfos, which op_host hands on to platform_ascendc::PlatformAscendC.
 */
#ifndef NPUTWIN_PLATFORM_INFO_H
#define NPUTWIN_PLATFORM_INFO_H
#include "tiling/platform/platform_ascendc.h"
#endif
