/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - a call that must work, and one that must fail with a code and a sentence. */
#ifndef CHECK_H
#define CHECK_H
#include "acl/acl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_failed;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #x), n_failed++;                             \
    } while (0)
#define OK(call)                                                                                   \
    do {                                                                                           \
        int rc_ = (call);                                                                          \
        const char *story_ = rc_ ? aclGetRecentErrMsg() : "";                                      \
        if (rc_)                                                                                   \
            printf("%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, rc_,                      \
                   story_ ? story_ : "(no text)"),                                                 \
                n_failed++;                                                                        \
    } while (0)
#define FAILS(code, words, call)                                                                   \
    do {                                                                                           \
        int rc_ = (call);                                                                          \
        const char *story_ = rc_ ? aclGetRecentErrMsg() : "";                                      \
        if (rc_ != (code) || !story_ || !strstr(story_, words))                                    \
            printf("%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, rc_,                      \
                   story_ ? story_ : "(no text)"),                                                 \
                n_failed++;                                                                        \
    } while (0)

/* The whole file; ends the program when it cannot be read. */
static inline void *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;

    if (!f || fseek(f, 0, SEEK_END) || !(data = (char *)malloc(*bytes = (size_t)ftell(f)))) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    rewind(f);
    if (fread(data, 1, *bytes, f) != *bytes)
        exit(1);
    fclose(f);
    return data;
}

static inline int ended(const char *what)
{
    printf("%s: %s\n", what, n_failed ? "FAILED" : "ok");
    return n_failed != 0;
}
#endif
