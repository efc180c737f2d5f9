/* SPDX-License-Identifier: Apache-2.0 */
/* cmake.c - the commands of a CMake file with their arguments, quotes and brackets read as CMake
 * does. */
#include "check.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const struct src *src;
    size_t at;
};

static char look(const struct reader *r)
{
    return r->src->text[r->at];
}

/* The length of a [[...]] or [=[...]=] that begins here, 0 when none does. */
static size_t bracket(const char *text, size_t *head)
{
    size_t n_equals = strspn(text + 1, "=");
    char close[32] = "]";
    const char *end = NULL;

    if (text[0] != '[' || text[1 + n_equals] != '[' || n_equals > sizeof(close) - 4)
        return 0;
    memset(close + 1, '=', n_equals);
    close[1 + n_equals] = ']';
    close[2 + n_equals] = '\0';
    *head = n_equals + 2;
    end = strstr(text + *head, close);
    return end ? (size_t)(end - text) + *head : strlen(text);
}

static void skip_blank(struct reader *r)
{
    size_t head = 0, n = 0;

    for (;;) {
        while (isspace((unsigned char)look(r)) || look(r) == ';')
            r->at++;
        if (look(r) != '#')
            return;
        n = bracket(r->src->text + r->at + 1, &head);
        r->at += n ? n + 1 : strcspn(r->src->text + r->at, "\n");
    }
}

static void read_word(struct reader *r, struct cli_words *args)
{
    const char *text = r->src->text + r->at;
    size_t head = 0, n = bracket(text, &head);

    if (n) {
        cli_word_add(args, "%.*s", (int)(n >= 2 * head ? n - 2 * head : 0), text + head);
    } else if (*text == '"') {
        for (n = 1; text[n] && text[n] != '"'; n++)
            n += text[n] == '\\' && text[n + 1];
        cli_word_add(args, "%.*s", (int)n - 1, text + 1);
        n += text[n] == '"';
    } else {
        while (text[n] && !isspace((unsigned char)text[n]) && !strchr("()#\";", text[n]))
            n += text[n] == '\\' && text[n + 1] ? 2 : 1;
        cli_word_add(args, "%.*s", (int)n, text);
    }
    r->at += n;
}

/* False: the file ends before the ) does. */
static bool read_args(struct reader *r, struct cli_words *args)
{
    int depth = 1;

    while (depth) {
        skip_blank(r);
        if (!look(r))
            return false;
        if (look(r) == '(' || look(r) == ')') {
            depth += look(r) == '(' ? 1 : -1;
            r->at++;
        } else {
            read_word(r, args);
        }
    }
    return true;
}

void cmake_read(struct check *c, const struct src *s)
{
    struct reader r = {s, 0};

    for (skip_blank(&r); look(&r); skip_blank(&r)) {
        size_t begin = r.at;
        struct command *command = NULL;

        while (isalnum((unsigned char)look(&r)) || look(&r) == '_')
            r.at++;
        if (r.at == begin || look(&r) == '\0') {
            r.at += r.at == begin;
            continue;
        }
        c->command.at =
            cli_room(c->command.at, c->command.n, &c->command.room, sizeof(*c->command.at));
        command = &c->command.at[c->command.n++];
        *command = (struct command){.src = s, .at = (uint32_t)begin};
        command->name = cli_fmt("%.*s", (int)(r.at - begin), s->text + begin);
        for (char *at = command->name; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        skip_blank(&r);
        if (look(&r) == '(') {
            r.at++;
            command->is_open = !read_args(&r, &command->args);
        }
    }
}
