/* SPDX-License-Identifier: Apache-2.0 */
/* soc_spec.h - names of architectures, as PlatformAscendC::GetCurNpuArch answers. */
#ifndef NPUTWIN_SOC_SPEC_H
#define NPUTWIN_SOC_SPEC_H
#include "tiling/platform/platform_ascendc.h"
#endif
