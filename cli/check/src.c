/* SPDX-License-Identifier: Apache-2.0 */
/* src.c - the files of a project, places in them, and findings that a comment may suppress. */
#include "check.h"
#include "../file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_BYTES = 4 << 20 }; /* what is larger is data, not source */

static const struct lang_row {
    const char *pattern;
    enum lang lang;
} lang_rows[] = {
    {"*.cpp", LANG_CPP},   {"*.cc", LANG_CPP},      {"*.h", LANG_CPP},
    {"*.hpp", LANG_CPP},   {"*.asc", LANG_CPP},     {"*.c", LANG_CPP},
    {"*.cxx", LANG_CPP},   {"*.cmake", LANG_CMAKE}, {"CMakeLists.txt", LANG_CMAKE},
    {"*.py", LANG_PYTHON}, {"*.md", LANG_MARKDOWN}, {"*.sh", LANG_SHELL},
    {"*.yaml", LANG_YAML}, {"*.yml", LANG_YAML},
};

static enum lang lang_of(const char *name)
{
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    for (size_t i = 0; i < sizeof(lang_rows) / sizeof(lang_rows[0]); i++)
        if (fnmatch(lang_rows[i].pattern, base, 0) == 0)
            return lang_rows[i].lang;
    return LANG_OTHER;
}

static void read_file(struct check *c, const char *path, const char *name)
{
    struct src *s = NULL;
    enum lang lang = lang_of(name);
    size_t size = 0;
    char *text = lang == LANG_OTHER ? NULL : cli_read(path, &size);

    if (!text || size > MAX_FILE_BYTES || memchr(text, '\0', size)) {
        free(text);
        return;
    }
    c->src.at = cli_room(c->src.at, c->src.n, &c->src.room, sizeof(*c->src.at));
    s = &c->src.at[c->src.n++];
    *s = (struct src){.lang = lang, .text = text, .size = size};
    s->path = cli_fmt("%s", path);
    s->name = cli_fmt("%s", name);
    if (lang == LANG_CPP)
        cpp_read(s);
}

static bool check_read(struct check *c, const char *path)
{
    struct cli_words below = {0};
    bool is_whole = strcmp(path, ".") == 0;

    if (cli_is_file(path)) {
        cli_word_add(&c->paths, "%s", path);
        read_file(c, path, path);
        return true;
    }
    if (!cli_walk(path, &below))
        return false;
    for (size_t i = 0; i < below.n; i++) {
        char *full = cli_fmt("%s/%s", path, below.at[i]);
        const char *name = is_whole ? below.at[i] : full;

        cli_word_add(&c->paths, "%s", name);
        read_file(c, full, name);
        free(full);
    }
    cli_words_finish(&below);
    return true;
}

bool check_read_all(struct check *c, const char *command, char **paths, size_t n)
{
    static char here[] = ".";
    char *nothing[] = {here};

    paths = n ? paths : nothing;
    n = n ? n : 1;
    c->root = paths[0];
    for (size_t i = 0; i < n; i++) {
        size_t end = strlen(paths[i]);

        while (end > 1 && paths[i][end - 1] == '/')
            paths[i][--end] = '\0';
        if (!check_read(c, paths[i])) {
            fprintf(stderr, "nputwin %s: %s: %s\n", command, paths[i], strerror(errno));
            return false;
        }
    }
    for (size_t i = 0; i < c->src.n; i++) {
        if (c->src.at[i].lang == LANG_CPP)
            cpp_collect(c, &c->src.at[i]);
        else if (c->src.at[i].lang == LANG_CMAKE)
            cmake_read(c, &c->src.at[i]);
    }
    package_read(c);
    cpp_link(c);
    python_read(c);
    return true;
}

static void finish_lists(struct check *c)
{
    for (size_t i = 0; i < c->lib.n; i++) {
        free(c->lib.at[i].ns);
        free(c->lib.at[i].key);
    }
    for (size_t i = 0; i < c->def.n; i++) {
        free(c->def.at[i].text);
        schema_finish(&c->def.at[i].schema);
    }
    for (size_t i = 0; i < c->impl.n; i++) {
        free(c->impl.at[i].op);
        free(c->impl.at[i].fn);
    }
    for (size_t i = 0; i < c->launch.n; i++)
        free(c->launch.at[i].kernel);
    for (size_t i = 0; i < c->include.n; i++)
        free(c->include.at[i].path);
    for (size_t i = 0; i < c->alias.n; i++) {
        free(c->alias.at[i].name);
        free(c->alias.at[i].type);
    }
    for (size_t i = 0; i < c->command.n; i++) {
        free(c->command.at[i].name);
        cli_words_finish(&c->command.at[i].args);
    }
    for (size_t i = 0; i < c->py.n; i++) {
        free(c->py.at[i].kind);
        free(c->py.at[i].name);
        free(c->py.at[i].text);
    }
    for (size_t i = 0; i < c->edit.n; i++)
        free(c->edit.at[i].text);
    for (size_t i = 0; i < c->package.n; i++) {
        free(c->package.at[i].dir);
        free(c->package.at[i].base);
    }
}

void check_finish(struct check *c)
{
    finish_lists(c);
    for (size_t i = 0; i < c->src.n; i++) {
        struct src *s = &c->src.at[i];

        if (s->lang == LANG_CPP)
            cc_lex_finish(&s->lex);
        free(s->path);
        free(s->name);
        free(s->text);
        free(s->code);
    }
    free(c->src.at);
    free(c->fn.at);
    free(c->lib.at);
    free(c->def.at);
    free(c->impl.at);
    free(c->launch.at);
    free(c->include.at);
    free(c->alias.at);
    free(c->constant.at);
    free(c->command.at);
    free(c->py.at);
    free(c->package.at);
    free(c->edit.at);
    cli_words_finish(&c->paths);
    cli_words_finish(&c->builds);
    cli_find_finish(&c->found);
    *c = (struct check){0};
}

void src_place(const struct src *s, size_t at, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < at && i < s->size; i++) {
        (*column)++;
        if (s->text[i] == '\n') {
            (*line)++;
            *column = 1;
        }
    }
}

bool is_below(const char *name, const char *dir)
{
    size_t n = strlen(dir);

    return n == 0 || (strncmp(name, dir, n) == 0 && name[n] == '/');
}

const struct src *src_find(const struct check *c, const char *dir, const char *name)
{
    char *full = cli_fmt("%s%s%s", dir, *dir ? "/" : "", name);
    const struct src *found = NULL;

    for (size_t i = 0; i < c->src.n && !found; i++)
        if (fnmatch(full, c->src.at[i].name, FNM_PATHNAME) == 0)
            found = &c->src.at[i];
    free(full);
    return found;
}

bool has_file(const struct check *c, const char *dir, const char *name)
{
    char *full = cli_fmt("%s%s%s", dir, *dir ? "/" : "", name);
    bool is_found = false;

    for (size_t i = 0; i < c->paths.n && !is_found; i++)
        is_found = fnmatch(full, c->paths.at[i], FNM_PATHNAME) == 0;
    free(full);
    return is_found;
}

/* Whether code, or a prefix of it, is among the comma-separated words; names of rules count too. */
static bool is_listed(const char *list, const char *code)
{
    const struct cli_rule *rule = cli_rule_find(code);

    while (list && *list) {
        size_t n = strcspn(list, ",");

        if (n && (strncmp(list, code, n) == 0 ||
                  (rule && strlen(rule->name) == n && strncmp(list, rule->name, n) == 0)))
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

bool is_selected(const struct check *c, const char *code)
{
    return (!c->select || is_listed(c->select, code)) && !(c->ignore && is_listed(c->ignore, code));
}

static const char *line_begin(const struct src *s, unsigned line)
{
    const char *at = s->text;

    for (; line > 1 && at; line--) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* What `nputwin: ignore CODE[,CODE]: reason` says on that line about the code. */
enum suppression { NOT_SUPPRESSED, SUPPRESSED, WITHOUT_REASON };

static enum suppression suppression_on(const struct src *s, unsigned line, const char *code)
{
    static const char mark[] = "nputwin: ignore ";
    const char *begin = line ? line_begin(s, line) : NULL;
    const char *end = begin ? begin + strcspn(begin, "\n") : NULL;
    const char *at = begin ? strstr(begin, mark) : NULL, *reason = NULL;
    enum suppression found = NOT_SUPPRESSED;
    char *codes = NULL;

    if (!at || at >= end)
        return NOT_SUPPRESSED;
    at += sizeof(mark) - 1;
    codes = cli_fmt("%.*s", (int)strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,"), at);
    reason = at + strlen(codes);
    if (is_listed(codes, code))
        found = *reason == ':' && reason + 1 + strspn(reason + 1, " \t") < end &&
                        !strchr("\n*", reason[1 + strspn(reason + 1, " \t")])
                    ? SUPPRESSED
                    : WITHOUT_REASON;
    free(codes);
    return found;
}

/* A comment on the line itself or alone on the line above. */
static bool is_suppressed(struct check *c, const char *code, const struct src *s, unsigned line)
{
    for (unsigned at = line; at && at + 1 >= line; at--) {
        enum suppression found = suppression_on(s, at, code);

        if (found == WITHOUT_REASON && is_selected(c, "NTL000")) {
            cli_find_add(&c->found, "NTL000", CLI_ERROR, s->name, at, 0,
                         "%s is suppressed without a reason", code);
            cli_find_hint(&c->found, "// nputwin: ignore %s: why it is right here", code);
        }
        if (found != NOT_SUPPRESSED)
            return true;
    }
    return false;
}

static bool add(struct check *c, const char *code, const char *file, unsigned line, unsigned column,
                const char *fmt, va_list ap)
{
    const struct cli_rule *rule = cli_rule_find(code);
    char *message = cli_vfmt(fmt, ap);

    cli_find_add(&c->found, code, rule ? rule->severity : CLI_ERROR, file, line, column, "%s",
                 message);
    free(message);
    return true;
}

bool report(struct check *c, const char *code, const struct src *s, size_t at, const char *fmt, ...)
{
    unsigned line = 0, column = 0;
    bool is_kept = false;
    va_list ap;

    src_place(s, at, &line, &column);
    va_start(ap, fmt);
    if (is_selected(c, code) && !is_suppressed(c, code, s, line))
        is_kept = add(c, code, s->name, line, column, fmt, ap);
    va_end(ap);
    return is_kept;
}

bool report_line(struct check *c, const char *code, const struct src *s, unsigned line,
                 const char *fmt, ...)
{
    bool is_kept = false;
    va_list ap;

    va_start(ap, fmt);
    if (is_selected(c, code) && !is_suppressed(c, code, s, line))
        is_kept = add(c, code, s->name, line, 0, fmt, ap);
    va_end(ap);
    return is_kept;
}

bool report_dir(struct check *c, const char *code, const char *dir, const char *fmt, ...)
{
    bool is_kept = false;
    va_list ap;

    va_start(ap, fmt);
    if (is_selected(c, code))
        is_kept = add(c, code, *dir ? dir : ".", 0, 0, fmt, ap);
    va_end(ap);
    return is_kept;
}

void hint(struct check *c, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = cli_vfmt(fmt, ap);
    va_end(ap);
    cli_find_hint(&c->found, "%s", text);
    free(text);
}

void fix(struct check *c, const struct src *s, size_t at, size_t n, const char *fmt, ...)
{
    va_list ap;

    if (!c->is_fixing)
        return;
    c->edit.at = cli_room(c->edit.at, c->edit.n, &c->edit.room, sizeof(*c->edit.at));
    va_start(ap, fmt);
    c->edit.at[c->edit.n++] = (struct edit){s, at, n, cli_vfmt(fmt, ap)};
    va_end(ap);
}

static int from_the_end(const void *left, const void *right)
{
    const struct edit *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return (a->at < b->at) - (a->at > b->at);
}

/* From the end, so that earlier places stay where they are. */
static bool write_file(const struct src *s, const struct edit *edit, size_t n)
{
    char *text = cli_fmt("%s", s->text);
    bool is_written = false;

    for (size_t i = 0; i < n; i++) {
        char *longer = NULL;

        if (i && edit[i].at + edit[i].n > edit[i - 1].at)
            continue; /* two rules at one place: the other one at the next run */
        longer =
            cli_fmt("%.*s%s%s", (int)edit[i].at, text, edit[i].text, text + edit[i].at + edit[i].n);
        free(text);
        text = longer;
    }
    is_written = cli_write(s->path, text, strlen(text));
    if (!is_written)
        fprintf(stderr, "nputwin check: %s: %s\n", s->path, strerror(errno));
    free(text);
    return is_written;
}

size_t check_write_fixes(struct check *c)
{
    size_t n_files = 0, n = 0;

    if (c->edit.n)
        qsort(c->edit.at, c->edit.n, sizeof(*c->edit.at), from_the_end);
    for (size_t i = 0; i < c->edit.n; i += n) {
        for (n = 1; i + n < c->edit.n && c->edit.at[i + n].src == c->edit.at[i].src;)
            n++;
        n_files += write_file(c->edit.at[i].src, &c->edit.at[i], n);
    }
    return n_files;
}
