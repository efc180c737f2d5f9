/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new.c - `nputwin new op NAME`: a package that builds and passes its test at once.
 *
 * The templates are the packages of ops/, which our own tests build and run; here their names are
 * replaced. Nothing that exists is ever written to.
 */
#include "file.h"
#include "mem.h"
#include "opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct template {
    const char *pattern, *route, *gen, *layout, *dir, *word, *more;
} templates[] = {
#define TEMPLATE(pattern, route, gen, layout, dir, word, more)                                     \
    {pattern, route, gen, layout, dir, word, more},
#include "template.def"
};
enum { N_TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

/* What a text of the template becomes: pairs of from and to. */
struct names {
    struct cli_words from, to;
};

static char *camel(const char *name)
{
    char *text = cli_fmt("%s", name), *to = text;
    bool is_start = true;

    for (const char *at = name; *at; at++) {
        if (*at == '_') {
            is_start = true;
        } else {
            *to++ = is_start ? (char)toupper((unsigned char)*at) : *at;
            is_start = false;
        }
    }
    *to = '\0';
    return text;
}

/* "from=to from=to" with $ for the name; longer words first, so that none hides in another. */
static void read_names(struct names *names, const struct template *t, const char *name)
{
    char *from = camel(t->word), *to = camel(name);

    for (const char *at = t->more; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, "="), m = strcspn(at + n + 1, " ");
        const char *value = at + n + 1, *mark = memchr(value, '$', m);

        cli_word_add(&names->from, "%.*s", (int)n, at);
        if (mark)
            cli_word_add(&names->to, "%.*s%s%.*s", (int)(mark - value), value, name,
                         (int)(m - (size_t)(mark - value) - 1), mark + 1);
        else
            cli_word_add(&names->to, "%.*s", (int)m, value);
        at += n + 1 + m;
    }
    cli_word_add(&names->from, "%s", t->word);
    cli_word_add(&names->to, "%s", name);
    cli_word_add(&names->from, "%s", from);
    cli_word_add(&names->to, "%s", to);
    free(from);
    free(to);
}

static char *renamed(const struct names *names, const char *text)
{
    char *out = NULL;
    size_t n = 0;
    FILE *all = open_memstream(&out, &n);

    while (all && *text) {
        size_t i = 0;

        while (i < names->from.n &&
               strncmp(text, names->from.at[i], strlen(names->from.at[i])) != 0)
            i++;
        if (i < names->from.n) {
            fputs(names->to.at[i], all);
            text += strlen(names->from.at[i]);
        } else {
            fputc(*text++, all);
        }
    }
    if (all)
        fclose(all);
    return out ? out : cli_fmt("%s", "");
}

static bool is_word(const char *words, const char *word)
{
    for (size_t n = 0; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (strlen(word) == n && strncmp(words, word, n) == 0)
            return true;
    }
    return false;
}

/* A name becomes a C++ function, a Python module and a file. */
static int check_name(const char *name)
{
    static const char keywords[] =
        "and as assert async await break class continue def del elif else except finally for "
        "from global if import in is lambda nonlocal not or pass raise return try while with "
        "yield auto bool case char const default delete do double enum explicit extern float "
        "friend goto inline int long mutable namespace new operator private protected public "
        "short signed sizeof static struct switch template this throw typedef union unsigned "
        "using virtual void volatile torch test setup";
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (name[n] || !islower((unsigned char)name[0]) || n > 48)
        return cli_usage_error("new",
                               "'%s': a name has small letters, digits and _, starts with a letter "
                               "and is at most 48 long",
                               name);
    if (is_word(keywords, name))
        return cli_usage_error("new", "'%s' is a word of Python or C++", name);
    if (strncmp(name, "my_", 3) == 0)
        return cli_usage_error("new", "'%s' is a name of an example: name what the operator does",
                               name);
    return EXIT_FINE;
}

static const char *value_or(const struct cli_line *line, const char *option, const char *otherwise)
{
    const char *value = cli_value(line, option);

    return value ? value : otherwise;
}

static const struct template *choose(const struct cli_line *line)
{
    const char *layout = value_or(line, "layout", "extension");
    const char *gen = value_or(line, "gen", strcmp(layout, "amct") == 0 ? "26" : "7");
    const char *route = value_or(line, "route", "library"),
               *pattern = value_or(line, "pattern", "A");

    for (size_t i = 0; i < N_TEMPLATES; i++) {
        const struct template *t = &templates[i];

        if (strcasecmp(t->pattern, pattern) == 0 && strcmp(t->route, route) == 0 &&
            strcmp(t->gen, gen) == 0 && strcmp(t->layout, layout) == 0)
            return t;
    }
    fprintf(stderr,
            "nputwin new: nothing for pattern %s, route %s, generation %s, layout %s; there are:\n",
            pattern, route, gen, layout);
    for (size_t i = 0; i < N_TEMPLATES; i++)
        fprintf(stderr, "  --pattern %s --route %-8s --gen %-3s --layout %s\n",
                templates[i].pattern, templates[i].route, templates[i].gen, templates[i].layout);
    return NULL;
}

/* Where the template lies: below the prefix that this command belongs to. */
static char *template_root(const struct template *t)
{
    char home[CLI_PATH_BYTES];

    if (!cli_find_home(home))
        return NULL;
    return cli_fmt("%s/tools/nputwin/ops/%s", home, t->dir);
}

static int write_one(const char *root, const char *name, const char *target,
                     const struct names *names)
{
    char *path = cli_fmt("%s/%s", root, name), *text = cli_read(path, NULL),
         *out = text ? renamed(names, text) : NULL;
    int code = EXIT_FINE;

    if (!out || !cli_write_new(target, out, strlen(out))) {
        fprintf(stderr, "nputwin new: %s: %s\n", out ? target : path, strerror(errno));
        code = EXIT_FINDINGS;
    }
    free(path);
    free(text);
    free(out);
    return code;
}

/* A script of the template stays a program. */
static bool is_script(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".sh") == 0;
}

static int copy(const char *root, const char *target, const struct names *names, bool is_dry)
{
    struct cli_words files = {0};
    int code = EXIT_FINE;

    if (!cli_walk(root, &files) || !files.n) {
        fprintf(stderr, "nputwin new: no template at %s: `make prefix` lays it down\n", root);
        code = EXIT_FINDINGS;
    }
    for (size_t i = 0; i < files.n && code == EXIT_FINE; i++) {
        char *name = renamed(names, files.at[i]), *path = cli_fmt("%s/%s", target, name);

        printf("%s\n", path);
        if (!is_dry)
            code = write_one(root, files.at[i], path, names);
        if (!is_dry && code == EXIT_FINE && is_script(name))
            cli_make_program(path);
        free(name);
        free(path);
    }
    cli_words_finish(&files);
    return code;
}

/* framework/NAME_extension of an operator project that has framework/, else ./NAME_extension. */
static char *place(const struct template *t, const char *name)
{
    if (strcmp(t->layout, "amct") == 0)
        return cli_fmt("amct_ops");
    return cli_fmt("%s%s_extension", cli_is_folder("framework") ? "framework/" : "", name);
}

static int new_op(const struct cli_line *line, const char *name)
{
    const struct template *t = choose(line);
    struct names names = {0};
    char *root = t ? template_root(t) : NULL, *target = NULL;
    int code = EXIT_USAGE;

    if (!t)
        return EXIT_USAGE;
    target = cli_value(line, "into") ? cli_fmt("%s", cli_value(line, "into")) : place(t, name);
    read_names(&names, t, name);
    if (!root) {
        fprintf(stderr, "nputwin new: no twin is installed: the templates are part of it\n");
        code = EXIT_FINDINGS;
    } else if (cli_is_folder(target) || cli_is_file(target)) {
        fprintf(stderr, "nputwin new: %s exists, and nothing that exists is written to\n", target);
        code = EXIT_FINDINGS;
    } else {
        code = copy(root, target, &names, cli_value(line, "dry-run") != NULL);
    }
    if (code == EXIT_FINE && !cli_value(line, "dry-run"))
        fprintf(stderr,
                "nputwin new: %s is ready; its README.md has the commands to build and test it\n",
                target);
    cli_words_finish(&names.from);
    cli_words_finish(&names.to);
    free(root);
    free(target);
    return code;
}

int cmd_new(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words != 2 || strcmp(line.words[0], "op") != 0)
        return cli_usage_error("new", "takes the word op and a name: nputwin new op scale_rows");
    code = check_name(line.words[1]);
    return code == EXIT_FINE ? new_op(&line, line.words[1]) : code;
}
