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

/* Of an extension; of amct_ops, in it or beside it. */
static const char *const patterns[] = {"test/test*.py", "tests/test_*.py",
                                       "tests/amct_ops/test_*.py", "../tests/amct_ops/test_*.py"};

static int run_one(struct work *work, const char *path)
{
    char *folder = cli_fmt("%s", path), *file = strrchr(folder, '/');
    int code = EXIT_FINE;

    *file++ = '\0';
    {
        bool is_unit = strcmp(file, "test.py") != 0;
        char *module = cli_fmt("%.*s", (int)(strlen(file) - 3), file);
        const char *const script[] = {work->python, file, NULL};
        const char *const unit[] = {work->python, "-m", "unittest", module, NULL};

        code = step_run(work, "test", is_unit ? unit : script, folder);
        free(module);
    }
    free(folder);
    return code;
}

static int run(struct work *work)
{
    int code = EXIT_FINE;
    size_t n = 0;

    for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
        char *pattern = cli_fmt("%s/%s", work->dir, patterns[p]);
        glob_t found = {0};

        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++, n++) {
                int one = run_one(work, found.gl_pathv[i] + strlen(work->dir) + 1);

                code = one == EXIT_FINE ? code : one;
            }
        }
        globfree(&found);
        free(pattern);
    }
    return n ? code
             : step_note(work, "test", false, "no test: neither test/test*.py nor tests/test_*.py");
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
