/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c - allocation that cannot fail, and lists of words. */
#include "mem.h"
#include "cli.h"

#include <stdlib.h>

static void *need(void *p)
{
    if (p)
        return p;
    fputs("nputwin: out of memory\n", stderr);
    exit(EXIT_OURS);
}

char *cli_vfmt(const char *fmt, va_list ap)
{
    char *text = NULL;

    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    return need(text);
}

char *cli_fmt(const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;

    va_start(ap, fmt);
    text = cli_vfmt(fmt, ap);
    va_end(ap);
    return text;
}

void *cli_room(void *list, size_t n, size_t *room, size_t item_bytes)
{
    if (n < *room)
        return list;
    *room = *room ? 2 * *room : 16;
    return need(reallocarray(list, *room, item_bytes));
}

void cli_word_add(struct cli_words *words, const char *fmt, ...)
{
    va_list ap;

    words->at = cli_room(words->at, words->n + 1, &words->room, sizeof(*words->at));
    va_start(ap, fmt);
    words->at[words->n++] = cli_vfmt(fmt, ap);
    va_end(ap);
    words->at[words->n] = NULL;
}

char *cli_words_joined(const struct cli_words *words, const char *between)
{
    char *text = cli_fmt("%s", "");

    for (size_t i = 0; i < words->n; i++) {
        char *longer = cli_fmt("%s%s%s", text, i ? between : "", words->at[i]);

        free(text);
        text = longer;
    }
    return text;
}

void cli_words_finish(struct cli_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->at[i]);
    free(words->at);
    *words = (struct cli_words){0};
}
