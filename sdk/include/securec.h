/* SPDX-License-Identifier: Apache-2.0 */
/*
 * securec.h - copies that know how long the destination is.
 *
 * Each returns EOK, or an error number and leaves the destination empty: zeroed for memory, "" for
 * strings, when there is a destination to speak of.
 */
#ifndef NPUTWIN_SECUREC_H
#define NPUTWIN_SECUREC_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef EOK
#define EOK 0
#endif
typedef int errno_t;
#ifndef EINVAL_AND_RESET
#define EINVAL_AND_RESET   150 /* a NULL source */
#define ERANGE_AND_RESET   162 /* the destination is too short */
#define EOVERLAP_AND_RESET 182 /* source and destination overlap */
#endif
#define SECUREC_MEM_MAX_LEN    0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL

errno_t memcpy_s(void *dst, size_t max, const void *src, size_t n);
errno_t memmove_s(void *dst, size_t max, const void *src, size_t n);
errno_t memset_s(void *dst, size_t max, int value, size_t n);
errno_t strcpy_s(char *dst, size_t max, const char *src);
errno_t strncpy_s(char *dst, size_t max, const char *src, size_t n);
errno_t strcat_s(char *dst, size_t max, const char *src);
/* Number of characters written without the NUL, or -1. */
int sprintf_s(char *dst, size_t max, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int snprintf_s(char *dst, size_t max, size_t n, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int vsprintf_s(char *dst, size_t max, const char *fmt, va_list ap);
int vsnprintf_s(char *dst, size_t max, size_t n, const char *fmt, va_list ap);

#ifdef __cplusplus
}
#endif
#endif
