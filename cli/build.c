/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - `nputwin build [OP]`: the build of the package's own layout, and a look into the wheel.
 *
 *   setup.py          python setup.py bdist_wheel   SOC_VERSION and CXXFLAGS in the environment
 *   ops_build.sh      bash ops_build.sh [--soc S] [OP]
 *   op_host/          cmake -S . -B build; cmake --build build
 */
#include "proc.h"
#include "steps.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* torch 2.13 lacks a header that torch_npu's include unless it is told the version: V2R13. */
static void set_current_version(const struct work *work)
{
    const char *const argv[] = {work->python, "-c",
                                "import importlib.metadata as m; v = "
                                "m.version('torch').split('.'); print(f'V{v[0]}R{v[1]}')",
                                NULL};
    const char *old = getenv("CXXFLAGS");
    char *version = NULL, *flags = NULL;

    if ((old && strstr(old, "CURRENT_VERSION")) || cli_capture(argv, "/", &version) != 0) {
        free(version);
        return;
    }
    version[strcspn(version, "\n")] = '\0';
    flags = cli_fmt("%s%s-DCURRENT_VERSION=%s", old ? old : "", old ? " " : "", version);
    setenv("CXXFLAGS", flags, 1);
    fprintf(stderr,
            "nputwin build: CXXFLAGS has -DCURRENT_VERSION=%s, which torch_npu's headers need\n",
            version);
    free(flags);
    free(version);
}

/* The wheel built last; the caller frees it. */
char *newest_wheel(const char *dir)
{
    char *pattern = cli_fmt("%s/dist/*.whl", dir), *best = NULL;
    struct timespec newest = {0};
    glob_t found = {0};

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat st;

            if (stat(found.gl_pathv[i], &st) != 0 || st.st_mtim.tv_sec < newest.tv_sec ||
                (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec <= newest.tv_nsec))
                continue;
            newest = st.st_mtim;
            free(best);
            best = cli_fmt("%s", found.gl_pathv[i]);
        }
    }
    globfree(&found);
    free(pattern);
    return best;
}

/* A wheel without its library installs, and fails at import. */
static int look_into_wheel(struct work *work)
{
    char *wheel = newest_wheel(work->dir), *output = NULL;
    const char *const argv[] = {
        work->engine ? "python3" : work->python, "-m", "zipfile", "-l", wheel, NULL};
    int code = EXIT_FINDINGS;

    if (!wheel)
        code = step_note(work, "wheel", false, "dist/ has no wheel");
    else if (cli_capture(argv, "/", &output) != 0)
        code =
            step_note(work, "wheel", false, "%s cannot be read: %s", wheel, output ? output : "");
    else
        code = step_note(work, "wheel", strstr(output, ".so") && strstr(output, ".py"),
                         "%s has %s and %s", wheel,
                         strstr(output, ".so") ? "its library" : "NO library",
                         strstr(output, ".py") ? "Python files" : "NO Python file");
    free(output);
    free(wheel);
    return code;
}

static int build_extension(struct work *work)
{
    const char *const argv[] = {work->python, "setup.py", "bdist_wheel", NULL};
    int code = EXIT_FINE;

    if (cli_value(work->given, "soc"))
        setenv("SOC_VERSION", cli_value(work->given, "soc"), 1);
    set_current_version(work);
    code = step_run(work, "build", argv, "");
    return code == EXIT_FINE ? look_into_wheel(work) : code;
}

static int build_amct(struct work *work)
{
    const char *argv[8] = {"bash", "ops_build.sh"};
    size_t n = 2;
    int code = EXIT_FINE;

    if (cli_value(work->given, "soc")) {
        argv[n++] = "--soc";
        argv[n++] = cli_value(work->given, "soc");
    }
    if (work->given->n_words)
        argv[n++] = work->given->words[0];
    setenv("PYTHON", work->python, 1);
    code = step_run(work, "build", argv, "");
    return code == EXIT_FINE ? look_into_wheel(work) : code;
}

static int build_project(struct work *work)
{
    char *soc = cli_value(work->given, "soc")
                    ? cli_fmt("-DASCEND_COMPUTE_UNIT=%s", cli_value(work->given, "soc"))
                    : NULL;
    const char *const configure[] = {"cmake", "-S", ".", "-B", "build", soc, NULL};
    const char *const build[] = {"cmake", "--build", "build", NULL};
    int code = step_run(work, "configure", configure, "");

    if (code == EXIT_FINE)
        code = step_run(work, "build", build, "");
    free(soc);
    return code;
}

int cmd_build(int argc, char **argv)
{
    static int (*const builders[])(struct work *) = {build_extension, build_amct, build_project};
    struct cli_line line;
    struct work work = {0};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words > 1)
        return cli_usage_error("build", "takes one operator, got %zu", line.n_words);
    code = work_open(&work, &line);
    if (code == EXIT_FINE && line.n_words && work.layout != WORK_AMCT)
        code = cli_usage_error(
            "build", "'%s': only a package with ops_build.sh builds one operator", line.words[0]);
    if (code == EXIT_FINE)
        code = builders[work.layout](&work);
    if (work.given)
        work_close(&work);
    return code;
}
