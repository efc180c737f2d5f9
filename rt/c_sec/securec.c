/* SPDX-License-Identifier: Apache-2.0 */
/*
 * securec.c - copies that know how long the destination is.
 *
 * In libc_sec.so, and once more in libascendc_runtime.so, because operator projects link that one
 * only. No state, so two copies in a process do not matter.
 */
#include "securec.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

static bool bad_dst(const void *dst, size_t max, size_t limit)
{
    return !dst || !max || max > limit;
}

static errno_t dst_error(const void *dst)
{
    return dst ? ERANGE : EINVAL;
}

static bool overlap(const void *a, const void *b, size_t n)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return x != y && (x < y ? x + n > y : y + n > x);
}

errno_t memcpy_s(void *dst, size_t max, const void *src, size_t n)
{
    if (bad_dst(dst, max, SECUREC_MEM_MAX_LEN))
        return dst_error(dst);
    if (!src || n > max || overlap(dst, src, n)) {
        memset(dst, 0, max);
        return !src ? EINVAL_AND_RESET : n > max ? ERANGE_AND_RESET : EOVERLAP_AND_RESET;
    }
    memmove(dst, src, n); /* dst == src is allowed */
    return EOK;
}

errno_t memmove_s(void *dst, size_t max, const void *src, size_t n)
{
    if (bad_dst(dst, max, SECUREC_MEM_MAX_LEN))
        return dst_error(dst);
    if (!src || n > max) {
        memset(dst, 0, max);
        return src ? ERANGE_AND_RESET : EINVAL_AND_RESET;
    }
    memmove(dst, src, n);
    return EOK;
}

errno_t memset_s(void *dst, size_t max, int value, size_t n)
{
    if (bad_dst(dst, max, SECUREC_MEM_MAX_LEN))
        return dst_error(dst);
    memset(dst, value, n > max ? max : n);
    return n > max ? ERANGE_AND_RESET : EOK;
}

/* Puts n characters of src and a NUL at dst + used. */
static errno_t put(char *dst, size_t max, size_t used, const char *src, size_t n)
{
    if (!src || n >= max - used || overlap(dst, src, n + 1)) {
        dst[0] = '\0';
        return !src ? EINVAL_AND_RESET : n >= max - used ? ERANGE_AND_RESET : EOVERLAP_AND_RESET;
    }
    memmove(dst + used, src, n);
    dst[used + n] = '\0';
    return EOK;
}

errno_t strcpy_s(char *dst, size_t max, const char *src)
{
    if (bad_dst(dst, max, SECUREC_STRING_MAX_LEN))
        return dst_error(dst);
    return put(dst, max, 0, src, src ? strlen(src) : 0);
}

errno_t strncpy_s(char *dst, size_t max, const char *src, size_t n)
{
    if (bad_dst(dst, max, SECUREC_STRING_MAX_LEN))
        return dst_error(dst);
    return put(dst, max, 0, src, src ? strnlen(src, n) : 0);
}

errno_t strcat_s(char *dst, size_t max, const char *src)
{
    size_t used;

    if (bad_dst(dst, max, SECUREC_STRING_MAX_LEN))
        return dst_error(dst);
    used = strnlen(dst, max);
    if (used == max) {
        dst[0] = '\0';
        return EINVAL_AND_RESET; /* dst is not a string */
    }
    return put(dst, max, used, src, src ? strlen(src) : 0);
}

int vsprintf_s(char *dst, size_t max, const char *fmt, va_list ap)
{
    int n;

    if (bad_dst(dst, max, SECUREC_STRING_MAX_LEN) || !fmt) {
        if (dst && max)
            dst[0] = '\0';
        return -1;
    }
    n = vsnprintf(dst, max, fmt, ap);
    if (n >= 0 && (size_t)n < max)
        return n;
    dst[0] = '\0';
    return -1;
}

/* Cuts after n characters and then returns -1; a destination shorter than n is an error. */
int vsnprintf_s(char *dst, size_t max, size_t n, const char *fmt, va_list ap)
{
    int len;

    if (bad_dst(dst, max, SECUREC_STRING_MAX_LEN) || !fmt || n >= max) {
        if (dst && max)
            dst[0] = '\0';
        return -1;
    }
    len = vsnprintf(dst, n + 1, fmt, ap);
    return len >= 0 && (size_t)len <= n ? len : -1;
}

int sprintf_s(char *dst, size_t max, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsprintf_s(dst, max, fmt, ap);
    va_end(ap);
    return n;
}

int snprintf_s(char *dst, size_t max, size_t n, const char *fmt, ...)
{
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = vsnprintf_s(dst, max, n, fmt, ap);
    va_end(ap);
    return len;
}
