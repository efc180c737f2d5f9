/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - texts and lists of a command. A command lives for seconds: out of memory ends it with 70.
 */
#ifndef NPU_CLI_MEM_H
#define NPU_CLI_MEM_H
#include <stdarg.h>
#include <stddef.h>

/* A new text; the caller frees it. Longer ones: open_memstream. */
char *cli_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *cli_vfmt(const char *fmt, va_list ap);
/* Room for one more item behind the n items of list; returns the list, which may have moved. */
void *cli_room(void *list, size_t n, size_t *room, size_t item_bytes);

/* Words that grow; at[n] is NULL, so that at can serve as an argv. Owns its words. */
struct cli_words {
    char **at;
    size_t n, room;
};
void cli_word_add(struct cli_words *words, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A new text of all of them. */
char *cli_words_joined(const struct cli_words *words, const char *between);
void cli_words_finish(struct cli_words *words);

#endif
