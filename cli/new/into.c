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

int apply_changes(const struct change *change, size_t n, bool is_dry)
{
    int code = EXIT_FINE;

    for (size_t i = 0; i < n; i++) {
        bool is_new = change[i].path && !change[i].old;

        if (is_new && code == EXIT_FINE && change[i].text)
            printf("%s\n", change[i].path);
        else if (code == EXIT_FINE && change[i].text)
            print_lines_added(&change[i]);
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

/* " csrc/host/a.cpp ..." of the template's add_library(... SHARED ...). */
static char *host_sources(const char *cmake)
{
    const char *at = strstr(cmake, "SHARED");

    return at ? cli_fmt("%.*s", (int)strcspn(at + 6, ")"), at + 6) : cli_fmt("%s", "");
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

/* test/test_NAME.py, which test/test.py runs too. */
static bool add_test(struct into *into, const struct copy *copy, const char *dir,
                     const char *package, const char *own)
{
    struct change *test = open_next(into, dir, "test/test.py");
    char *text = replaced(text_of(copy, "/test/test.py"), own, package);
    const char *name = text ? strstr(text, "\nclass ") : NULL;
    char *line = name ? cli_fmt("from test_%s import %.*s  # noqa: E402, F401\n\n", copy->name,
                                (int)strcspn(name + 7, "(:"), name + 7)
                      : NULL;
    bool is_done = test && line && insert_line(test, "if __name__", line, true);

    if (is_done) {
        cli_word_add(&into->more, "%s/test/test_%s.py", dir, copy->name);
        cli_word_add(&into->text, "%s", text);
    }
    free(text);
    free(line);
    return is_done;
}

/* What the template's __init__.py does beside loading, as a module of its own. */
static bool add_gradient(struct into *into, const struct copy *copy, const char *dir,
                         const char *package)
{
    char *text = text_of(copy, "/__init__.py"), *init = cli_fmt("%s/__init__.py", package),
         *line = cli_fmt("from . import %s  # noqa: E402, F401\n", copy->name);
    const char *begin =
        text && strstr(text, "register_autograd") ? strstr(text, "def _setup(") : NULL;
    struct change *change = begin ? open_next(into, dir, init) : NULL;
    bool is_done = !begin || change;

    if (change) {
        put(change, strlen(change->text), line);
        cli_word_add(&into->more, "%s/%s/%s.py", dir, package, copy->name);
        cli_word_add(&into->text,
                     "# SPDX-License-Identifier: Apache-2.0\n\"\"\"The gradient of "
                     "torch.ops.npu.%s.\"\"\"\nimport torch\n\n\n%s",
                     copy->name, begin);
    }
    free(text);
    free(init);
    free(line);
    return is_done;
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

/* The host function as the package's own, past the dispatcher. */
static bool change_pybind(struct into *into, const struct copy *copy, const char *dir,
                          const char *package)
{
    struct change *bind = open_next(into, dir, "csrc/pybind.asc"), *init = NULL;
    char *type = camel(copy->name), *include = cli_fmt("#include \"%s.h\"\n", copy->name),
         *def = cli_fmt("    m.def(\"%s\", &npu::%s, "
                        "pybind11::call_guard<pybind11::gil_scoped_release>());\n",
                        copy->name, type);
    char *path = cli_fmt("%s/__init__.py", package),
         *lines = cli_fmt("\nfrom ._C import %s  # noqa: E402\n\n__all__ += [\"%s\"]\n"
                          "torch.library.register_autograd(\"npu::%s\", lambda ctx, grad: (grad, "
                          "grad))\n",
                          copy->name, copy->name, copy->name);
    bool is_done = bind && insert_line(bind, "#include \"", include, false) &&
                   insert_line(bind, "}", def, true);

    init = is_done ? open_next(into, dir, path) : NULL;
    is_done = init && strstr(init->text, "__all__");
    if (is_done)
        put(init, strlen(init->text), lines);
    free(type);
    free(include);
    free(def);
    free(path);
    free(lines);
    return is_done;
}

/* An extension that setup.py builds with bisheng. */
static bool change_bisheng(struct into *into, const struct copy *copy, const char *dir,
                           const char *package)
{
    struct change *setup = open_next(into, dir, "setup.py");
    char *source = cli_fmt(", \"%s.asc\"", copy->name), *bind = text_of(copy, "/csrc/pybind.asc");
    bool is_done =
        setup && insert_in_call(setup, "SOURCES = (", ".asc", ')', source) &&
        (bind ? change_pybind(into, copy, dir, package) : add_gradient(into, copy, dir, package));

    free(source);
    free(bind);
    return is_done;
}

static bool change_extension(struct into *into, const struct copy *copy, const char *dir)
{
    bool is_bisheng = strcmp(copy->t->gen, "26") == 0 && !copy->type;
    char *package = python_package(dir),
         *own = cli_fmt("%s_%s", copy->name, is_bisheng ? "asc" : "ext");
    char *line =
        cli_fmt("\n`torch.ops.npu.%s`: `csrc/%s%s.%s`, tested by `test/test_%s.py`.\n", copy->name,
                is_bisheng ? "" : "host/", copy->name, is_bisheng ? "asc" : "cpp", copy->name);
    bool is_done =
        package && add_test(into, copy, dir, package, own) && add_readme(into, dir, line);

    if (is_bisheng)
        is_done = is_done && change_bisheng(into, copy, dir, package);
    else
        is_done =
            is_done && change_cmake(into, copy, dir) && add_gradient(into, copy, dir, package);
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
                "kernel) ascendc_library; or a setup.py with SOURCES and csrc/pybind.asc; or "
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
