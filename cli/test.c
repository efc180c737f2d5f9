/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.c - `nputwin test`: the package's own tests, from their folder, so that the installed
 * package is what they import; and what harness.py sees in the calls that they make.
 */
#include "file.h"
#include "steps.h"

#include <glob.h>
#include <stdio.h>
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

static const char harness[] =
#include "harness.inc"
    ;
static const char result_name[] = "build/nputwin-harness.json";

/* One kind of looking: how many calls, and the first thing that was wrong. */
static int note_kind(struct work *work, const cJSON *result, const char *kind, const char *what,
                     const char *verdict)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(result, kind);
    const cJSON *calls = cJSON_GetObjectItemCaseSensitive(item, "calls");
    const cJSON *wrong = cJSON_GetObjectItemCaseSensitive(item, "wrong");
    const cJSON *first = cJSON_GetArrayItem(wrong, 0);

    if (!cJSON_IsNumber(calls))
        return step_note(work, kind, false, "%s has no result for it", result_name);
    return step_note(work, kind, !first, "%d %s%s%s%s", calls->valueint, what,
                     first             ? "; wrong: "
                     : calls->valueint ? " "
                                       : ": nothing to look at",
                     calls->valueint && !first ? verdict : "", first ? first->valuestring : "");
}

/* Where the tests ran, and which were skipped and why, of all files. */
static void keep_facts(struct work *work, cJSON *result)
{
    cJSON *all = work->facts ? cJSON_DetachItemFromObject(work->facts, "skipped") : NULL,
          *one = NULL, *skipped = cJSON_GetObjectItemCaseSensitive(result, "skipped");

    all = all ? all : cJSON_CreateArray();
    cJSON_ArrayForEach(one, skipped) if (cJSON_IsString(one))
    {
        fprintf(stderr, "nputwin test: skipped: %s\n", one->valuestring);
        cJSON_AddItemToArray(all, cJSON_Duplicate(one, true));
    }
    cJSON_Delete(work->facts);
    work->facts = cJSON_DetachItemFromObject(result, "platform");
    if (!work->facts || !cJSON_AddItemToObject(work->facts, "skipped", all))
        cJSON_Delete(all);
}

/* What the harness saw while the tests ran. */
static int note_result(struct work *work)
{
    char *path = cli_fmt("%s/%s", work->dir, result_name), *text = cli_read(path, NULL);
    cJSON *result = text ? cJSON_Parse(text) : NULL;
    int code = EXIT_FINE;

    if (!result) {
        code = step_note(work, "fake", false, "%s was not written: the tests ended the process",
                         result_name);
    } else {
        static const struct {
            const char *kind, *what, *verdict;
        } kinds[] = {{"fake", "calls on fake tensors", "agree in shape, dtype, device and strides"},
                     {"views", "calls on views (transposed, columns, offset rows)",
                      "agree with those on dense tensors"},
                     {"strict", "uses of assertRtolEqual", "hold for every element"}};

        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            int one = note_kind(work, result, kinds[i].kind, kinds[i].what, kinds[i].verdict);

            code = one == EXIT_FINE ? code : one;
        }
    }
    keep_facts(work, result);
    cJSON_Delete(result);
    free(text);
    free(path);
    return code;
}

/* A program without torch is run as it is; anything else under the harness. */
static int run_one(struct work *work, const struct tests_row *row, const char *path)
{
    const char *file = strrchr(path, '/') + 1;
    char *module =
             cli_fmt("%s%.*s", row->package ? row->package : "", (int)(strlen(file) - 3), file),
         *program = cli_fmt("./%.*s", (int)strlen(file) - 4, file), /* of X.asc */
             *result = work_path(work, result_name),
         *old = cli_fmt("%s/%s", work->dir, result_name);
    char *from = work_path(work, row->folder);
    bool is_outside = cli_value(work->given, "outside") != NULL;
    const char *const script[] = {work->python, "-c", harness, result, file, NULL};
    const char *const unit[] = {work->python, "-c", harness, result, "-m", module, NULL};
    const char *const script_from[] = {work->python, "-c", harness, result,
                                       "--from",     from, file,    NULL};
    const char *const unit_from[] = {work->python, "-c", harness, result, "--from",
                                     from,         "-m", module,  NULL};
    const char *const alone[] = {program, NULL};
    bool is_alone = row->layout == WORK_DIRECT;
    char *folder = cli_fmt("%s/build", work->dir);
    int code = EXIT_FINE;

    remove(old);
    cli_make_folders(folder);
    code = step_run(work, "test",
                    is_alone       ? alone
                    : row->package ? (is_outside ? unit_from : unit)
                                   : (is_outside ? script_from : script),
                    is_outside && !is_alone ? "/" : row->folder, NULL);
    if (!is_alone) {
        int looked = note_result(work);

        code = code == EXIT_FINE ? looked : code;
    }
    free(from);
    free(module);
    free(program);
    free(result);
    free(old);
    free(folder);
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

/* Tests import what is installed: without that they fail for another reason than theirs. */
static void say_install(const struct work *work)
{
    cJSON *record = work_record(work->dir), *step = NULL;
    bool is_installed = false;

    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(record, "install"))
    {
        const cJSON *rc = cJSON_GetObjectItemCaseSensitive(step, "exit_code");

        is_installed = cJSON_IsNumber(rc) && rc->valueint == 0;
    }
    cJSON_Delete(record);
    if (!is_installed)
        fprintf(stderr,
                "nputwin test: the package was not installed from here, and tests import the "
                "installed one: nputwin install\n");
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
    if (code == EXIT_FINE) {
        code = run(&work);
        if (code != EXIT_FINE && work.layout == WORK_EXTENSION)
            say_install(&work);
    }
    if (work.given)
        work_close(&work);
    return code;
}
