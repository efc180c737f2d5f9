/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slog.h - the log that op_host and its libraries write: DlogRecord(module, level, format, ...).
 *
 * A line goes where aclAppLog puts it (ASCEND_GLOBAL_LOG_LEVEL, ASCEND_PROCESS_LOG_PATH). A program
 * without libascendcl, as the generator of an operator project, says errors on stderr.
 */
#ifndef NPUTWIN_SLOG_H
#define NPUTWIN_SLOG_H
#include "acl/acl_base.h"
#include "base/log_types.h"
#include <cstdarg>
#include <cstdint>
#include <cstdio>

extern "C" __attribute__((weak)) void aclAppLog(aclLogLevel level, const char *func,
                                                const char *file, uint32_t line, const char *fmt,
                                                ...);

/* 1: a line of that level may be written. */
inline int32_t CheckLogLevel(int32_t, int32_t level)
{
    return aclAppLog ? level >= DLOG_DEBUG && level <= DLOG_ERROR : level == DLOG_ERROR;
}
__attribute__((format(printf, 3, 4))) inline void DlogRecord(int32_t module, int32_t level,
                                                             const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    if (!CheckLogLevel(module, level))
        return;
    va_start(ap, fmt);
    std::vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (aclAppLog)
        aclAppLog(aclLogLevel(level), "op_host", "", 0, "%s", text);
    else
        std::fprintf(stderr, "%s\n", text);
}
#define dlog_error(module, fmt, ...) DlogRecord(module, DLOG_ERROR, fmt, ##__VA_ARGS__)
#define dlog_warn(module, fmt, ...)  DlogRecord(module, DLOG_WARN, fmt, ##__VA_ARGS__)
#define dlog_info(module, fmt, ...)  DlogRecord(module, DLOG_INFO, fmt, ##__VA_ARGS__)
#define dlog_debug(module, fmt, ...) DlogRecord(module, DLOG_DEBUG, fmt, ##__VA_ARGS__)
#define dlog_event(module, fmt, ...) DlogRecord(module, DLOG_EVENT, fmt, ##__VA_ARGS__)
#define DlogSub(module, submodule, level, fmt, ...)                                                \
    DlogRecord(module, level, "%s: " fmt, submodule, ##__VA_ARGS__)
#endif
