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
};

static int run_one(struct work *work, const struct tests_row *row, const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    char *module =
        cli_fmt("%s%.*s", row->package ? row->package : "", (int)(strlen(file) - 3), file);
    const char *const script[] = {work->python, file, NULL};
    const char *const unit[] = {work->python, "-m", "unittest", module, NULL};
    int code = step_run(work, "test", row->package ? unit : script, row->folder);

    free(module);
    return code;
}

/* What ops_build.sh staged is what is tested, installed or not. */
static void set_staging(const struct work *work)
{
    const char *old = getenv("PYTHONPATH");
    char *staging = cli_fmt("%s/staging%s%s", work->dir, old ? ":" : "", old ? old : "");

    setenv("PYTHONPATH", staging, 1);
    free(staging);
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
            for (size_t i = 0; i < found.gl_pathc; i++, n++) {
                int one = run_one(work, &rows[r], found.gl_pathv[i]);

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
