/* SPDX-License-Identifier: Apache-2.0 */
/* alog_pub.h - the log under its newer names. */
#ifndef NPUTWIN_ALOG_PUB_H
#define NPUTWIN_ALOG_PUB_H
#include "toolchain/slog.h"

enum { DLOG_TYPE_DEBUG, DLOG_TYPE_RUN };
#define AlogCheckDebugLevel(module, level)        CheckLogLevel(module, level)
#define AlogRecord(module, type, level, fmt, ...) DlogRecord(module, level, fmt, ##__VA_ARGS__)
#endif
