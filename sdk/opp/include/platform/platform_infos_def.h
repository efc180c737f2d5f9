/* SPDX-License-Identifier: Apache-2.0 */
/* platform_infos_def.h - fe::PlatFormInfos, which op_host hands on to
 * platform_ascendc::PlatformAscendC. */
#ifndef NPUTWIN_PLATFORM_INFOS_DEF_H
#define NPUTWIN_PLATFORM_INFOS_DEF_H
#include "tiling/platform/platform_ascendc.h"
#endif
