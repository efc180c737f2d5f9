/* SPDX-License-Identifier: Apache-2.0 */
/*
 * into.c - `new op NAME --into DIR`: an operator more for a package that exists.
 *
 * Its own files are written as in a fresh tree. Files that the package has get lines; none is
 * replaced, and a package in which a place for such a line is not found is refused whole.
 */
#include "new.h"
#include "../file.h"

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANGES = 8 };

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

bool open_change(struct change *change, const char *dir, const char *name)
{
    change->path = cli_fmt("%s%s%s", dir, *dir ? "/" : "", name);
    change->old = cli_read(change->path, NULL);
    change->text = change->old ? cli_fmt("%s", change->old) : NULL;
    return change->text != NULL;
}

static void put(struct change *change, size_t at, const char *text)
{
    char *longer = cli_fmt("%.*s%s%s", (int)at, change->text, text, change->text + at);

    free(change->text);
    change->text = longer;
}

bool insert_line(struct change *change, const char *begins, const char *text, bool is_before)
{
    const char *at = NULL;

    for (const char *line = change->text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, begins, strlen(begins)) == 0 && !(is_before && at))
            at = line;
    if (!at)
        return false;
    if (!is_before)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    put(change, (size_t)(at - change->text), text);
    return true;
}

/* Inserts before the end of the first call of that name that holds the word needs. */
static bool insert_in_call(struct change *change, const char *call, const char *needs, char end,
                           const char *text)
{
    const char stop[] = {end, '\0'};

    for (const char *at = change->text; (at = strstr(at, call)) != NULL; at += strlen(call)) {
        size_t n = strcspn(at, stop);

        if (at[n] && memmem(at, n, needs, strlen(needs))) {
            if (n && at[n - 1] == ',') /* ("a",) */
                text += *text == ',';
            put(change, (size_t)(at + n - change->text), text);
            return true;
        }
    }
    return false;
}

struct lines {
    const char **at;
    size_t n, room;
};

static struct lines lines_of(const char *text)
{
    struct lines lines = {0};

    while (*text) {
        lines.at = cli_room(lines.at, lines.n, &lines.room, sizeof(*lines.at));
        lines.at[lines.n++] = text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return lines;
}

static bool is_same_line(const char *a, const char *b)
{
    size_t n = strcspn(a, "\n");

    return n == strcspn(b, "\n") && strncmp(a, b, n) == 0;
}

static void print_line(char sign, const char *line)
{
    printf("%c %.*s\n", sign, (int)strcspn(line, "\n"), line);
}

/* Where both texts differ in the middle, by their longest common part. */
static void print_middle(const char **old, size_t n, const char **now, size_t m)
{
    uint32_t *common = calloc((n + 1) * (m + 1), sizeof(*common)); /* of what follows line i, j */
    size_t row = m + 1;

    for (size_t i = n; common && i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = common[(i + 1) * row + j], right = common[i * row + j + 1];

            common[i * row + j] = is_same_line(old[i], now[j]) ? common[(i + 1) * row + j + 1] + 1
                                  : down > right               ? down
                                                               : right;
        }
    for (size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && is_same_line(old[i], now[j])) {
            i++;
            j++;
        } else if (i < n &&
                   (j == m || !common || common[(i + 1) * row + j] >= common[i * row + j + 1])) {
            print_line('-', old[i++]);
        } else {
            print_line('+', now[j++]);
        }
    }
    free(common);
}

static void print_diff(const struct change *change)
{
    struct lines old = lines_of(change->old), now = lines_of(change->text);
    size_t head = 0, tail = 0;

    printf("%s\n", change->path);
    while (head < old.n && head < now.n && is_same_line(old.at[head], now.at[head]))
        head++;
    while (tail < old.n - head && tail < now.n - head &&
           is_same_line(old.at[old.n - 1 - tail], now.at[now.n - 1 - tail]))
        tail++;
    print_middle(old.at + head, old.n - head - tail, now.at + head, now.n - head - tail);
    free(old.at);
    free(now.at);
}

int apply_changes(const struct change *change, size_t n, bool is_dry)
{
    int code = EXIT_FINE;

    for (size_t i = 0; i < n; i++) {
        bool is_new = change[i].path && !change[i].old;

        if (is_new && code == EXIT_FINE && change[i].text)
            printf("%s\n", change[i].path);
        else if (code == EXIT_FINE && change[i].text)
            print_diff(&change[i]);
        if (code == EXIT_FINE && change[i].text && !is_dry &&
            !(is_new ? cli_write_new : cli_write)(change[i].path, change[i].text,
                                                  strlen(change[i].text))) {
            fprintf(stderr, "nputwin new: %s: %s\n", change[i].path, strerror(errno));
            code = EXIT_FINDINGS;
        }
    }
    return code;
}

void free_changes(struct change *change, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(change[i].path);
        free(change[i].old);
        free(change[i].text);
    }
}

/* ---- texts of the template that become parts of others ---- */

/* The template's file that ends so, under its new names; NULL. */
static char *text_of(const struct copy *copy, const char *end)
{
    for (size_t i = 0; i < copy->to.n; i++)
        if (ends_in(copy->to.at[i], end))
            return new_text(copy, i);
    return NULL;
}

static char *replaced(char *text, const char *from, const char *to)
{
    char *at = text ? strstr(text, from) : NULL;

    while (at) {
        size_t done = (size_t)(at - text) + strlen(to);
        char *next = cli_fmt("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));

        free(text);
        text = next;
        at = strstr(text + done, from);
    }
    return text;
}

/* The Python package that the tree builds: the one folder with an __init__.py; NULL. */
static char *python_package(const char *dir)
{
    char *pattern = cli_fmt("%s/*/__init__.py", dir), *name = NULL;
    glob_t found = {0};

    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1) {
        char *end = strrchr(found.gl_pathv[0], '/'), *begin = NULL;

        *end = '\0';
        begin = strrchr(found.gl_pathv[0], '/');
        name = cli_fmt("%s", begin ? begin + 1 : found.gl_pathv[0]);
    }
    globfree(&found);
    free(pattern);
    return name;
}

/* Lines of the template's CMakeLists.txt that compile kernels, for a library of the operator's own.
 */
static char *kernel_lines(const struct copy *copy, const char *cmake)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (const char *line = cmake; out && *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        size_t head = strcspn(line, "(") + 1, word = strcspn(line + head, " )");

        if (strncmp(line, "ascendc_", 8) == 0)
            fprintf(out, "%.*s%s_kernel%.*s\n", (int)head, line, copy->name,
                    (int)(strcspn(line, "\n") - head - word), line + head + word);
    }
    if (out)
        fclose(out);
    return text ? text : cli_fmt("%s", "");
}

/* " csrc/host/a.cpp ..." of the template's add_library(... SHARED ...); a package binds once. */
static char *host_sources(const char *cmake)
{
    const char *at = strstr(cmake, "SHARED");

    return replaced(at ? cli_fmt("%.*s", (int)strcspn(at + 6, ")"), at + 6) : cli_fmt("%s", ""),
                    " csrc/host/pybind.cpp", "");
}

/* ---- the layouts ---- */

struct into {
    struct change change[MAX_CHANGES];
    size_t n;
    struct cli_words more, text; /* files beside those of the template, and what they hold */
};

static struct change *open_next(struct into *into, const char *dir, const char *name)
{
    struct change *change = &into->change[into->n];

    if (!open_change(change, dir, name))
        return NULL;
    into->n++;
    return change;
}

/* The first test class of text, under a name of the operator's: classes of two operators that call
 * the same one of CANN have one name. NULL: there is none. */
static char *import_test(const char *name, const char *text)
{
    const char *class = text ? strstr(text, "\nclass ") : NULL;
    char *word = camel(name), *as = cli_fmt(" as Test%s", word),
         *own = class ? cli_fmt("%.*s", (int)strcspn(class + 7, "(:"), class + 7) : NULL,
         *line = own ? cli_fmt("from test_%s import %s%s  # noqa: E402, F401\n\n", name, own,
                               strcmp(own, as + strlen(" as ")) == 0 ? "" : as)
                     : NULL;

    free(word);
    free(as);
    free(own);
    return line;
}

/* test/test_NAME.py, which test/test.py runs too. */
static bool add_test(struct into *into, const struct copy *copy, const char *dir,
                     const char *package, const char *own)
{
    struct change *test = open_next(into, dir, "test/test.py");
    char *text = replaced(text_of(copy, "/test/test.py"), own, package);
    char *line = import_test(copy->name, text);
    bool is_done = test && line && insert_line(test, "if __name__", line, true);

    if (is_done) {
        cli_word_add(&into->more, "%s/test/test_%s.py", dir, copy->name);
        cli_word_add(&into->text, "%s", text);
    }
    free(text);
    free(line);
    return is_done;
}

/* Where the functions begin that tell torch something, behind its import; NULL. */
static const char *functions(const char *text)
{
    const char *import = strstr(text, "\nimport torch"),
               *at = import ? strstr(import, "\ndef ") : NULL;

    return at ? at + 1 : NULL;
}

/* What the template's __init__.py tells torch of the operator, as a module of the package. False:
 * it is no more than a line. */
static bool gradient_module(struct into *into, const struct copy *copy, const char *dir,
                            const char *package, const char *module)
{
    char *text = text_of(copy, "/__init__.py");
    const char *begin = text && strstr(text, "torch.library.register_") ? functions(text) : NULL;

    if (begin) {
        cli_word_add(&into->more, "%s/%s/%s.py", dir, package, module);
        cli_word_add(&into->text,
                     "# SPDX-License-Identifier: Apache-2.0\n\"\"\"%s of "
                     "torch.ops.npu.%s.\"\"\"\n%simport torch\n\n\n%s",
                     strstr(text, "register_autograd") ? "The gradient" : "The results in a trace",
                     copy->name, strstr(text, "import math") ? "import math\n\n" : "", begin);
    }
    free(text);
    return begin != NULL;
}

/* What the template's __init__.py does beside loading, as a module of its own. */
static bool add_gradient(struct into *into, const struct copy *copy, const char *dir,
                         const char *package)
{
    char *init = cli_fmt("%s/__init__.py", package),
         *line = cli_fmt("from . import %s  # noqa: E402, F401\n", copy->name);
    bool has_one = gradient_module(into, copy, dir, package, copy->name);
    struct change *change = has_one ? open_next(into, dir, init) : NULL;

    if (change)
        put(change, strlen(change->text), line);
    free(init);
    free(line);
    return !has_one || change;
}

static bool add_readme(struct into *into, const char *dir, const char *line)
{
    struct change *change = open_next(into, dir, "README.md");

    if (change)
        put(change, strlen(change->text), line);
    return change != NULL;
}

/* An extension that CMake builds. */
static bool change_cmake(struct into *into, const struct copy *copy, const char *dir)
{
    struct change *change = open_next(into, dir, "CMakeLists.txt");
    char *cmake = text_of(copy, "/CMakeLists.txt"), *lines = kernel_lines(copy, cmake ? cmake : ""),
         *sources = host_sources(cmake ? cmake : ""), *kernel = cli_fmt(" %s_kernel", copy->name);
    bool is_done = change && insert_in_call(change, "add_library(", "SHARED", ')', sources);

    if (*lines)
        is_done = is_done && insert_line(change, "ascendc_", lines, false) &&
                  insert_in_call(change, "target_link_libraries(", "torch_npu", ')', kernel);
    free(cmake);
    free(lines);
    free(sources);
    free(kernel);
    return is_done;
}

/* From begins to the first end behind it, both included; the caller frees it. NULL: not there. */
static char *between(const char *text, const char *begins, const char *ends)
{
    const char *from = text ? strstr(text, begins) : NULL, *to = from ? strstr(from, ends) : NULL;

    return to ? cli_fmt("%.*s", (int)(to - from) + (int)strlen(ends), from) : NULL;
}

/* Includes that the binding has not, behind the last one that it has. */
static void add_includes(struct change *bind, const char *text)
{
    for (const char *at = text; (at = strstr(at, "#include ")) != NULL; at += 9) {
        char *line = cli_fmt("%.*s\n", (int)strcspn(at, "\n"), at);

        if (!strstr(bind->text, line))
            insert_line(bind, at[9] == '"' ? "#include \"" : "#include <", line, false);
        free(line);
    }
}

/* What stands between the includes of a binding and its module; "" in .asc, where a header has it.
 */
static char *declaration(const char *text)
{
    const char *module = strstr(text, "PYBIND11_MODULE("), *from = text;

    for (const char *at = text; (at = strstr(at, "#include ")) != NULL && at < module; at++)
        from = at + strcspn(at, "\n");
    from += strspn(from, "\n");
    return cli_fmt("%.*s", module ? (int)(module - from) : 0, from);
}

/* The host function as the package's own, past the dispatcher: the template's declaration and m.def
 * go into the package's binding, its import and gradient into the package. */
static bool change_pybind(struct into *into, const struct copy *copy, const char *dir,
                          const char *package, bool is_bisheng)
{
    char *text = text_of(copy, is_bisheng ? "/pybind.asc" : "/pybind.cpp"),
         *own = text_of(copy, "/__init__.py"), *module = cli_fmt("_%s", copy->name);
    char *declares = text ? declaration(text) : NULL, *binds = between(text, "    m.def(", ";\n"),
         *line = between(own, "torch.library.register_autograd(", "\n");
    bool has_module = gradient_module(into, copy, dir, package, module);
    char *init = cli_fmt("%s/__init__.py", package),
         *lines = cli_fmt("\n%s%s%sfrom ._C import %s  # noqa: E402\n\n__all__ += [\"%s\"]\n%s",
                          has_module ? "from . import " : "", has_module ? module : "",
                          has_module ? "  # noqa: E402, F401\n" : "", copy->name, copy->name,
                          has_module || !line ? "" : line);
    struct change *bind = declares && binds
                              ? open_next(into, dir,
                                          is_bisheng ? "csrc/pybind.asc" : "csrc/host/pybind.cpp")
                              : NULL,
                  *change = bind && insert_line(bind, "PYBIND11_MODULE(", declares, true) &&
                                    insert_line(bind, "}", binds, true)
                                ? open_next(into, dir, init)
                                : NULL;
    bool is_done = change && strstr(change->text, "__all__");

    if (is_done) {
        add_includes(bind, text);
        put(change, strlen(change->text), lines);
    }
    free(text);
    free(own);
    free(module);
    free(declares);
    free(binds);
    free(line);
    free(init);
    free(lines);
    return is_done;
}

/* An extension that setup.py builds with bisheng. */
static bool change_bisheng(struct into *into, const struct copy *copy, const char *dir,
                           const char *package)
{
    struct change *setup = open_next(into, dir, "setup.py");
    char *source = cli_fmt(", \"%s.asc\"", copy->name), *bind = text_of(copy, "/csrc/pybind.asc");
    bool is_done = setup && insert_in_call(setup, "SOURCES = (", ".asc", ')', source) &&
                   (bind ? change_pybind(into, copy, dir, package, true)
                         : add_gradient(into, copy, dir, package));

    free(source);
    free(bind);
    return is_done;
}

static bool change_extension(struct into *into, const struct copy *copy, const char *dir)
{
    bool is_bisheng = strcmp(copy->t->gen, "26") == 0 && !copy->type,
         is_pybind = !is_bisheng && strcmp(copy->t->route, "pybind") == 0;
    char *package = python_package(dir), *own = cli_fmt("%s_%s", copy->name,
                                                        is_bisheng  ? "asc"
                                                        : is_pybind ? "pybind"
                                                                    : "ext");
    char *line =
        cli_fmt("\n`torch.ops.npu.%s`: `csrc/%s%s.%s`, tested by `test/test_%s.py`.\n", copy->name,
                is_bisheng ? "" : "host/", copy->name, is_bisheng ? "asc" : "cpp", copy->name);
    bool is_done =
        package && add_test(into, copy, dir, package, own) && add_readme(into, dir, line);

    if (is_bisheng)
        is_done = is_done && change_bisheng(into, copy, dir, package);
    else
        is_done = is_done && change_cmake(into, copy, dir) &&
                  (is_pybind ? change_pybind(into, copy, dir, package, false)
                             : add_gradient(into, copy, dir, package));
    free(package);
    free(own);
    free(line);
    return is_done;
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

/* A package of amct_ops gets a row in its README; ops_build.sh and setup.py know no operator by
 * name. */
static bool change_amct(struct into *into, const struct copy *copy, const char *dir)
{
    char *rows = readme_rows(copy), *package = cli_fmt("%s%samct_ops", dir, *dir ? "/" : "");
    struct change *change = open_next(into, package, "README.md");
    bool is_done = change && *rows && insert_line(change, "|", rows, false);

    free(rows);
    free(package);
    return is_done;
}

static bool change_direct(struct into *into, const struct copy *copy, const char *dir)
{
    char *line = cli_fmt("\n`%s.asc`: the same way, with the kernel in `%s_custom.cpp`.\n",
                         copy->name, copy->name);
    bool is_done = add_readme(into, dir, line);

    free(line);
    return is_done;
}

static bool is_layout(const struct copy *copy, const char *layout)
{
    return strcmp(copy->t->layout, layout) == 0;
}

/* Files that a package of this layout has once, whatever operators it holds. */
static bool is_shared(const struct copy *copy, const char *to)
{
    const char *base = strrchr(to, '/') ? strrchr(to, '/') + 1 : to;

    if (is_layout(copy, "amct"))
        return !strstr(to, copy->name);
    if (strcmp(copy->t->route, "direct") == 0)
        return !strstr(base, copy->name);
    return !(strstr(to, "/csrc/") && strstr(base, copy->name));
}

static int write_more(const struct into *into, bool is_dry)
{
    int code = EXIT_FINE;

    for (size_t i = 0; i < into->more.n && code == EXIT_FINE; i++) {
        printf("%s\n", into->more.at[i]);
        if (!is_dry &&
            !cli_write_new(into->more.at[i], into->text.at[i], strlen(into->text.at[i]))) {
            fprintf(stderr, "nputwin new: %s: %s\n", into->more.at[i], strerror(errno));
            code = EXIT_FINDINGS;
        }
    }
    return code;
}

int add_to_package(struct copy *copy, const char *dir, bool is_dry)
{
    struct into into = {0};
    struct copy own = *copy;
    bool is_known = is_layout(copy, "amct")                 ? change_amct(&into, copy, dir)
                    : strcmp(copy->t->route, "direct") == 0 ? change_direct(&into, copy, dir)
                                                            : change_extension(&into, copy, dir);
    int code = is_known ? EXIT_FINE : EXIT_FINDINGS;

    own.from = own.to = (struct cli_words){0};
    if (!is_known)
        fprintf(stderr,
                "nputwin new: %s is no package that this operator can be added to: it needs one "
                "Python package, a test/test.py, a README.md, and what its kind of build has: a "
                "CMakeLists.txt with add_library(... SHARED ...), target_link_libraries and (for a "
                "kernel) ascendc_library, for pybind csrc/host/pybind.cpp; or a setup.py with "
                "SOURCES and csrc/pybind.asc; or "
                "amct_ops/README.md with a table\n",
                *dir ? dir : ".");
    for (size_t i = 0; i < copy->to.n; i++) {
        if (!is_shared(copy, copy->to.at[i])) {
            cli_word_add(&own.from, "%s", copy->from.at[i]);
            cli_word_add(&own.to, "%s", copy->to.at[i]);
        }
    }
    if (code == EXIT_FINE)
        code = write_all(&own, is_dry);
    if (code == EXIT_FINE)
        code = write_more(&into, is_dry);
    if (code == EXIT_FINE)
        code = apply_changes(into.change, into.n, is_dry);
    free_changes(into.change, MAX_CHANGES);
    cli_words_finish(&own.from);
    cli_words_finish(&own.to);
    cli_words_finish(&into.more);
    cli_words_finish(&into.text);
    return code;
}
