/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>

static noreturn void no_memory(void)
{
    fputs("bisheng: out of memory\n", stderr);
    exit(70);
}

void *cc_grow(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);

    if (!q)
        no_memory();
    return q;
}

char *cc_dup(const char *s, size_t n)
{
    char *copy = cc_grow(NULL, n + 1);

    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

static char *vfmt(const char *fmt, va_list ap)
{
    char *s = NULL;

    if (vasprintf(&s, fmt, ap) < 0)
        no_memory();
    return s;
}

char *cc_fmt(const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = vfmt(fmt, ap);
    va_end(ap);
    return s;
}

void cc_add(struct cc_text *t, const char *s, size_t n)
{
    if (n >= SIZE_MAX / 4 - t->size)
        no_memory();
    if (t->size + n + 1 > t->room) {
        t->room = (t->size + n + 1) * 2;
        t->s = cc_grow(t->s, t->room);
    }
    if (n)
        memcpy(t->s + t->size, s, n);
    t->size += n;
    t->s[t->size] = 0; /* NOLINT(clang-analyzer-security.ArrayBound): room counts it */
}

void cc_adds(struct cc_text *t, const char *s)
{
    cc_add(t, s, strlen(s));
}

void cc_addf(struct cc_text *t, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = vfmt(fmt, ap);
    va_end(ap);
    cc_adds(t, s);
    free(s);
}

void cc_text_finish(struct cc_text *t)
{
    free(t->s);
    *t = (struct cc_text){0};
}

static void take(struct cc_words *w, char *s)
{
    if (w->n + 2 > w->room) {
        w->room = w->room ? w->room * 2 : 16;
        w->at = (char **)cc_grow((void *)w->at, w->room * sizeof *w->at);
    }
    w->at[w->n++] = s;
    w->at[w->n] = NULL;
}

void cc_word(struct cc_words *w, const char *s)
{
    take(w, cc_dup(s, strlen(s)));
}

void cc_wordf(struct cc_words *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    take(w, vfmt(fmt, ap));
    va_end(ap);
}

void cc_words_join(struct cc_words *w, const struct cc_words *more)
{
    for (size_t i = 0; i < more->n; i++)
        cc_word(w, more->at[i]);
}

bool cc_read(const char *path, struct cc_text *t)
{
    FILE *f = fopen(path, "rb");
    char part[65536];
    size_t n;
    bool ok;

    if (!f)
        return false;
    t->size = 0;
    cc_add(t, "", 0);
    do {
        n = fread(part, 1, sizeof part, f);
        cc_add(t, part, n);
    } while (n == sizeof part);
    ok = !ferror(f);
    fclose(f);
    return ok;
}

bool cc_write(const char *path, const char *s, size_t n)
{
    FILE *f = fopen(path, "wb");
    bool ok;

    if (!f)
        return false;
    ok = fwrite(s, 1, n, f) == n;
    return !fclose(f) && ok;
}
