/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - what every room needs: status, diagnosis, export mark.
 *
 * Library functions return enum npu_status and write the story into the
 * caller's struct npu_diag. They never print and never exit.
 */
#ifndef NPU_BASE_H
#define NPU_BASE_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Visible outside the shared object that holds it; all else is hidden. */
#define NPU_API          __attribute__((visibility("default")))
#define NPU_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define NPU_LIKELY(x)    __builtin_expect(!!(x), 1)
#define NPU_UNLIKELY(x)  __builtin_expect(!!(x), 0)

enum npu_status {
#define ERR(id, text, hint) id,
#include "err.def"
    NPU_N_STATUS
};

/* A place in the user's source. file is a string literal, never freed; NULL when unknown. */
struct npu_where {
    const char *file;
    uint32_t line;
};

/* The story of one failure. The first one stays; later ones are dropped. */
struct npu_diag {
    enum npu_status status;
    char text[1024];
};

/* One sentence about a status, and what to do about it. Borrowed, never NULL. */
NPU_API const char *npu_status_text(enum npu_status st);
NPU_API const char *npu_status_hint(enum npu_status st);
/* Symbolic name, "NPU_E_RANGE". */
NPU_API const char *npu_status_name(enum npu_status st);

/* Writes the story into d (when d is not NULL and still NPU_OK) and returns st. */
NPU_API enum npu_status npu_fail(struct npu_diag *d, enum npu_status st, const char *fmt, ...)
    NPU_PRINTF(3, 4);
NPU_API enum npu_status npu_vfail(struct npu_diag *d, enum npu_status st, const char *fmt,
                                  va_list ap);

#ifdef __cplusplus
}
#endif
#endif
