/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - growing text and word lists, and one way to stop when memory is gone.
 *
 * The driver is a process that lives for a second: lists only grow, and out of memory ends it.
 */
#ifndef CC_TEXT_H
#define CC_TEXT_H
#include <stdbool.h>
#include <stddef.h>

struct cc_text {
    char *s; /* always ends in a 0 that size does not count; NULL while empty */
    size_t size, room;
};
struct cc_words {
    char **at; /* at[n] is NULL, so that at can serve as an argv; NULL while empty */
    size_t n, room;
};

void *cc_grow(void *p, size_t bytes);
char *cc_dup(const char *s, size_t n);
char *cc_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void cc_add(struct cc_text *t, const char *s, size_t n);
void cc_adds(struct cc_text *t, const char *s);
void cc_addf(struct cc_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cc_text_finish(struct cc_text *t);

void cc_word(struct cc_words *w, const char *s);
void cc_wordf(struct cc_words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cc_words_join(struct cc_words *w, const struct cc_words *more);

/* Whole files. Return false with errno set. */
bool cc_read(const char *path, struct cc_text *t);
bool cc_write(const char *path, const char *s, size_t n);
#endif
