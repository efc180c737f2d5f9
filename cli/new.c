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
#include <unistd.h>

static const struct template {
    const char *pattern, *route, *gen, *layout, *type, *parts, *word, *more, *without;
} templates[] = {
#define TEMPLATE(pattern, route, gen, layout, type, parts, word, more, without)                    \
    {pattern, route, gen, layout, type, parts, word, more, without},
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
    const char *type = cli_value(line, "optype");

    for (size_t i = 0; i < N_TEMPLATES; i++) {
        const struct template *t = &templates[i];

        if (strcasecmp(t->pattern, pattern) == 0 && strcmp(t->route, route) == 0 &&
            strcmp(t->gen, gen) == 0 && strcmp(t->layout, layout) == 0 &&
            (!type || strcmp(t->type, type) == 0))
            return t;
    }
    fprintf(
        stderr,
        "nputwin new: nothing for pattern %s, route %s, generation %s, layout %s%s%s; there are:\n",
        pattern, route, gen, layout, type ? ", operator type " : "", type ? type : "");
    for (size_t i = 0; i < N_TEMPLATES; i++)
        fprintf(stderr, "  --pattern %s --route %-8s --gen %-3s --layout %s%s%s\n",
                templates[i].pattern, templates[i].route, templates[i].gen, templates[i].layout,
                *templates[i].type ? " --optype " : "", templates[i].type);
    return NULL;
}

/* ---- what is copied ---- */

/* Files of a template: where each lies, and where it goes. */
struct copy {
    const struct template *t;
    struct names names;
    struct cli_words from, to;
};

/* Where the templates lie: below the prefix that this command belongs to. */
static char *template_root(void)
{
    char home[CLI_PATH_BYTES];

    return cli_find_home(home) ? cli_fmt("%s/tools/nputwin/ops", home) : NULL;
}

static void list_part(struct copy *copy, const char *root, const char *part, size_t n_part,
                      const char *target)
{
    char *dir = cli_fmt("%s/%.*s", root, (int)n_part, part);
    bool is_alone = !strchr(copy->t->parts, ' ');
    struct cli_words files = {0};

    cli_walk(dir, &files);
    for (size_t i = 0; i < files.n; i++) {
        char *name = is_alone ? cli_fmt("%s", files.at[i])
                              : cli_fmt("%.*s/%s", (int)n_part, part, files.at[i]);
        char *to = renamed(&copy->names, name);

        if (!*copy->t->without || !strstr(name, copy->t->without)) {
            cli_word_add(&copy->from, "%s/%s", dir, files.at[i]);
            cli_word_add(&copy->to, "%s%s%s", target, *target ? "/" : "", to);
        }
        free(name);
        free(to);
    }
    cli_words_finish(&files);
    free(dir);
}

static int list_files(struct copy *copy, const char *target)
{
    char *root = template_root();
    const char *part = copy->t->parts;

    while (root && *part) {
        size_t n = strcspn(part, " ");

        list_part(copy, root, part, n, target);
        part += n + (part[n] == ' ');
    }
    if (!copy->from.n)
        fprintf(stderr, "nputwin new: no template at %s/%s: `make prefix` lays it down\n",
                root ? root : "(no twin)", copy->t->parts);
    free(root);
    return copy->from.n ? EXIT_FINE : EXIT_FINDINGS;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Without the lines that name another operator. */
static char *without_lines(const char *text, const char *word)
{
    char *out = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&out, &size);

    while (all && *text) {
        size_t n = strcspn(text, "\n");
        char *line = cli_fmt("%.*s", (int)n, text);

        n += text[n] == '\n';
        if (!strcasestr(line, word))
            fwrite(text, 1, n, all);
        free(line);
        text += n;
    }
    if (all)
        fclose(all);
    return out ? out : cli_fmt("%s", "");
}

/* The text of the i-th file under its new names; the caller frees it. NULL with errno set. */
static char *new_text(const struct copy *copy, size_t i)
{
    char *text = cli_read(copy->from.at[i], NULL), *kept = NULL, *out = NULL;

    if (!text)
        return NULL;
    kept = *copy->t->without && ends_in(copy->from.at[i], ".md")
               ? without_lines(text, copy->t->without)
               : cli_fmt("%s", text);
    out = renamed(&copy->names, kept);
    free(text);
    free(kept);
    return out;
}

static int write_one(const struct copy *copy, size_t i)
{
    const char *to = copy->to.at[i];
    char *text = new_text(copy, i);
    int code = EXIT_FINE;

    if (!text || !cli_write_new(to, text, strlen(text)) ||
        (ends_in(to, ".sh") && !cli_make_program(to))) {
        fprintf(stderr, "nputwin new: %s: %s\n", text ? to : copy->from.at[i], strerror(errno));
        code = EXIT_FINDINGS;
    }
    free(text);
    return code;
}

static int write_all(const struct copy *copy, bool is_dry)
{
    int code = EXIT_FINE;

    for (size_t i = 0; i < copy->to.n; i++) {
        if (access(copy->to.at[i], F_OK) == 0) {
            fprintf(stderr, "nputwin new: %s exists, and nothing that exists is written to\n",
                    copy->to.at[i]);
            return EXIT_FINDINGS;
        }
    }
    for (size_t i = 0; i < copy->to.n && code == EXIT_FINE; i++) {
        printf("%s\n", copy->to.at[i]);
        code = is_dry ? EXIT_FINE : write_one(copy, i);
    }
    return code;
}

/* ---- into a package that exists: its own files get lines, none is replaced ---- */

struct change {
    char *path, *old, *text; /* text: what it becomes */
};

/* Inserts before the ) that closes the first call of that name behind from; false when there is
 * none. */
static bool insert_in_call(struct change *change, const char *call, const char *needs,
                           const char *text)
{
    const char *at = change->text;
    char *longer = NULL;

    while ((at = strstr(at, call)) != NULL) {
        size_t n = strcspn(at, ")");
        char *one = cli_fmt("%.*s", (int)n, at);
        bool is_it = strstr(one, needs) != NULL;

        free(one);
        if (is_it && at[n]) {
            longer = cli_fmt("%.*s %s%s", (int)(at + n - change->text), change->text, text, at + n);
            free(change->text);
            change->text = longer;
            return true;
        }
        at += strlen(call);
    }
    return false;
}

/* Inserts a line behind the last line that begins so, or before the first; false when there is
 * none. */
static bool insert_line(struct change *change, const char *begins, const char *text, bool is_before)
{
    char *at = NULL, *longer = NULL;

    for (char *line = change->text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, begins, strlen(begins)) == 0 && !(is_before && at))
            at = line;
    if (!at)
        return false;
    if (!is_before)
        at += strcspn(at, "\n") + 1;
    longer = cli_fmt("%.*s%s%s", (int)(at - change->text), change->text, text, at);
    free(change->text);
    change->text = longer;
    return true;
}

static bool open_change(struct change *change, const char *dir, const char *name)
{
    change->path = cli_fmt("%s/%s", dir, name);
    change->old = cli_read(change->path, NULL);
    change->text = change->old ? cli_fmt("%s", change->old) : NULL;
    return change->text != NULL;
}

/* The class of the template's test, under its new name; the caller frees it. */
static char *test_class(const struct copy *copy)
{
    char *found = NULL;

    for (size_t i = 0; i < copy->to.n && !found; i++) {
        char *text = ends_in(copy->to.at[i], "/test/test.py") ? new_text(copy, i) : NULL;
        char *begin = text ? strstr(text, "class ") : NULL,
             *end = begin ? strstr(begin, "if __name__") : NULL;

        if (end)
            found = cli_fmt("%.*s", (int)(end - begin), begin);
        free(text);
    }
    return found;
}

/* The rows of the template's table of operators; the caller frees them. */
static char *readme_rows(const struct copy *copy)
{
    char *rows = cli_fmt("%s", "");

    for (size_t i = 0; i < copy->to.n; i++) {
        char *text =
            ends_in(copy->to.at[i], "amct_ops/README.md") && !strstr(copy->to.at[i], "tests/")
                ? new_text(copy, i)
                : NULL;
        char *rest = NULL;

        for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
             line = strtok_r(NULL, "\n", &rest)) {
            if (strncmp(line, "| `", 3) == 0 || strncmp(line, "| | `", 5) == 0) {
                char *longer = cli_fmt("%s%s\n", rows, line);

                free(rows);
                rows = longer;
            }
        }
        free(text);
    }
    return rows;
}

/* What an extension of generation 7 gets: a library of kernels, a source, a test class, a line in
 * the README. */
static bool change_extension(struct change change[3], const char *dir, const char *name,
                             const struct copy *copy)
{
    char *library =
        cli_fmt("ascendc_library(%s_kernel STATIC csrc/kernel/%s_custom.cpp)\n", name, name);
    char *source = cli_fmt("csrc/host/%s.cpp", name), *kernel = cli_fmt("%s_kernel", name),
         *test = test_class(copy);
    char *line = cli_fmt("\n`torch.ops.npu.%s`: `csrc/host/%s.cpp`, `csrc/kernel/%s_custom.cpp`.\n",
                         name, name, name),
         *readme = NULL;
    bool is_done = open_change(&change[0], dir, "CMakeLists.txt") &&
                   open_change(&change[1], dir, "test/test.py") &&
                   open_change(&change[2], dir, "README.md") && test;

    is_done = is_done && insert_line(&change[0], "ascendc_library(", library, false) &&
              insert_in_call(&change[0], "add_library(", "SHARED", source) &&
              insert_in_call(&change[0], "target_link_libraries(", "torch_npu", kernel) &&
              insert_line(&change[1], "if __name__", test, true);
    if (is_done) {
        readme = cli_fmt("%s%s", change[2].text, line);
        free(change[2].text);
        change[2].text = readme;
    }
    free(library);
    free(source);
    free(kernel);
    free(test);
    free(line);
    return is_done;
}

/* A package of amct_ops gets a row in its README; ops_build.sh and setup.py know no operator by
 * name. */
static bool change_amct(struct change change[3], const char *dir, const struct copy *copy)
{
    char *rows = readme_rows(copy), *package = cli_fmt("%s%samct_ops", dir, *dir ? "/" : "");
    bool is_done = open_change(&change[0], package, "README.md") && *rows &&
                   insert_line(&change[0], "|", rows, false);

    free(rows);
    free(package);
    return is_done;
}

/* Files that a package of this layout has once, whatever operators it holds. */
static bool is_shared(const struct copy *copy, const char *to, const char *name)
{
    const char *base = strrchr(to, '/') ? strrchr(to, '/') + 1 : to;

    if (strcmp(copy->t->layout, "amct") == 0)
        return !strstr(to, name);
    return !(strstr(to, "/csrc/") && strstr(base, name));
}

static void print_lines_added(const struct change *change)
{
    const char *old = change->old, *line = change->text;

    printf("%s\n", change->path);
    while (*line) {
        size_t n = strcspn(line, "\n"), m = strcspn(old, "\n");

        if (n == m && strncmp(line, old, n) == 0)
            old += m + (old[m] == '\n');
        else
            printf("+ %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static int add_to_package(struct copy *copy, const char *dir, const char *name, bool is_dry)
{
    struct change change[3] = {{0}};
    struct copy own = {.t = copy->t, .names = copy->names};
    bool is_known =
        strcmp(copy->t->layout, "amct") == 0
            ? change_amct(change, dir, copy)
            : strcmp(copy->t->gen, "7") == 0 && change_extension(change, dir, name, copy);
    int code = is_known ? EXIT_FINE : EXIT_FINDINGS;

    if (!is_known)
        fprintf(stderr,
                "nputwin new: %s is no package that an operator can be added to: it needs a "
                "CMakeLists.txt with ascendc_library, "
                "add_library(... SHARED ...) and target_link_libraries, a test/test.py and a "
                "README.md, or amct_ops/README.md "
                "with a table\n",
                *dir ? dir : ".");
    for (size_t i = 0; i < copy->to.n; i++) {
        if (!is_shared(copy, copy->to.at[i], name)) {
            cli_word_add(&own.from, "%s", copy->from.at[i]);
            cli_word_add(&own.to, "%s", copy->to.at[i]);
        }
    }
    if (code == EXIT_FINE)
        code = write_all(&own, is_dry);
    for (size_t i = 0; i < 3; i++) {
        if (code == EXIT_FINE && change[i].text)
            print_lines_added(&change[i]);
        if (code == EXIT_FINE && change[i].text && !is_dry &&
            !cli_write(change[i].path, change[i].text, strlen(change[i].text))) {
            fprintf(stderr, "nputwin new: %s: %s\n", change[i].path, strerror(errno));
            code = EXIT_FINDINGS;
        }
        free(change[i].path);
        free(change[i].old);
        free(change[i].text);
    }
    cli_words_finish(&own.from);
    cli_words_finish(&own.to);
    return code;
}

/* framework/NAME_extension of an operator project that has framework/, else ./NAME_extension; the
 * folders of amct_ops lie right here. */
static char *place(const struct template *t, const char *name)
{
    if (strcmp(t->layout, "amct") == 0)
        return cli_fmt("%s", "");
    return cli_fmt("%s%s_extension", cli_is_folder("framework") ? "framework/" : "", name);
}

/* Whether a package of that layout is there already. */
static bool has_package(const struct template *t, const char *dir)
{
    char *mark = cli_fmt("%s%s%s", dir, *dir ? "/" : "",
                         strcmp(t->layout, "amct") == 0 ? "amct_ops/ops_build.sh" : "setup.py");
    bool is_there = cli_is_file(mark);

    free(mark);
    return is_there;
}

static int new_op(const struct cli_line *line, const char *name)
{
    struct copy copy = {.t = choose(line)};
    const char *into = cli_value(line, "into");
    bool is_dry = cli_value(line, "dry-run") != NULL;
    char *target = NULL;
    int code = EXIT_USAGE;

    if (!copy.t)
        return EXIT_USAGE;
    target = into ? cli_fmt("%s", into) : place(copy.t, name);
    read_names(&copy.names, copy.t, name);
    code = list_files(&copy, target);
    if (code == EXIT_FINE)
        code = into && has_package(copy.t, target) ? add_to_package(&copy, target, name, is_dry)
                                                   : write_all(&copy, is_dry);
    if (code == EXIT_FINE && !is_dry)
        fprintf(stderr,
                "nputwin new: %s is ready; README.md has the commands to build and test it\n",
                name);
    cli_words_finish(&copy.names.from);
    cli_words_finish(&copy.names.to);
    cli_words_finish(&copy.from);
    cli_words_finish(&copy.to);
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
