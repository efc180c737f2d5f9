/* SPDX-License-Identifier: Apache-2.0 */
/* log_types.h - levels of a log line, and the modules that say one. */
#ifndef LOG_TYPES_H_
#define LOG_TYPES_H_

#define DLOG_DEBUG 0x0
#define DLOG_INFO  0x1
#define DLOG_WARN  0x2
#define DLOG_ERROR 0x3
#define DLOG_NULL  0x4
#define DLOG_EVENT 0x10
/* Of operators; the twin's log calls all of them APP. */
#define OP 63
#endif
