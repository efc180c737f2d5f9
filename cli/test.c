/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.c - `nputwin test`: the package's own tests, from their folder, so that the installed
 * package is what they import.
 */
#include "file.h"
#include "steps.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Of an extension; of amct_ops, beside it or in it. */
static const struct tests_row {
    enum work_layout layout;
    const char *pattern, *folder,
        *package; /* where they run, and what stands before the module's name */
} rows[] = {
    {WORK_EXTENSION, "test/test*.py", "test", NULL},
    {WORK_AMCT, "../tests/amct_ops/test_*.py", "..", "tests.amct_ops."},
    {WORK_AMCT, "tests/test_*.py", "tests", ""},
    {WORK_DIRECT, "*.asc", "build", NULL},
};

static int run_one(struct work *work, const struct tests_row *row, const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    char *module =
        cli_fmt("%s%.*s", row->package ? row->package : "", (int)(strlen(file) - 3), file);
    const char *const script[] = {work->python, file, NULL};
    const char *const unit[] = {work->python, "-m", "unittest", module, NULL};
    char *program = cli_fmt("./%.*s", (int)strlen(file) - 4, file); /* of X.asc */
    const char *const alone[] = {program, NULL};
    int code = step_run(work, "test",
                        row->layout == WORK_DIRECT ? alone
                        : row->package             ? unit
                                                   : script,
                        row->folder, NULL);

    free(module);
    free(program);
    return code;
}

/* What ops_build.sh staged is what is tested, installed or not. */
static void set_staging(struct work *work)
{
    const char *old = work->engine ? NULL : getenv("PYTHONPATH");
    char *path = work_path(work, "staging"),
         *staging = cli_fmt("%s%s%s", path, old ? ":" : "", old ? old : "");

    work_setenv(work, "PYTHONPATH", staging);
    free(staging);
    free(path);
}

/* Whether test/test.py imports, and so runs, the tests of that file. */
static bool is_part(const struct work *work, const char *path)
{
    char *all = cli_fmt("%s/test/test.py", work->dir), *text = cli_read(all, NULL);
    const char *file = strrchr(path, '/') + 1;
    char *line = cli_fmt("\nfrom %.*s import ", (int)strlen(file) - 3, file);
    bool is_it = text && strstr(text, line);

    free(all);
    free(text);
    free(line);
    return is_it;
}

static int run(struct work *work)
{
    int code = EXIT_FINE;
    size_t n = 0;

    if (work->layout == WORK_AMCT)
        set_staging(work);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        char *pattern = cli_fmt("%s/%s", work->dir, rows[r].pattern);
        glob_t found = {0};

        if (rows[r].layout == work->layout && glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++) {
                int one = EXIT_FINE;

                if (is_part(work, found.gl_pathv[i]))
                    continue;
                one = run_one(work, &rows[r], found.gl_pathv[i]);
                n++;

                code = one == EXIT_FINE ? code : one;
            }
        }
        globfree(&found);
        free(pattern);
    }
    return n ? code
             : step_note(work, "test", false,
                         "no test: neither test/test*.py nor tests/amct_ops/test_*.py");
}

int cmd_test(int argc, char **argv)
{
    struct cli_line line;
    struct work work = {0};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words)
        return cli_usage_error("test", "takes no '%s'", line.words[0]);
    code = work_open(&work, &line);
    if (code == EXIT_FINE)
        code = run(&work);
    if (work.given)
        work_close(&work);
    return code;
}
