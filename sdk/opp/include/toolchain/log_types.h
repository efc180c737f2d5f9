/* SPDX-License-Identifier: Apache-2.0 */
/* log_types.h - where an older CANN has it. */
#ifndef NPUTWIN_TOOLCHAIN_LOG_TYPES_H
#define NPUTWIN_TOOLCHAIN_LOG_TYPES_H
#include "base/log_types.h"
#endif
