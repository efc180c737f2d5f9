/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - `nputwin build [OP]`: the build of the package's own layout, and a look into the wheel.
 *
 *   setup.py          python setup.py bdist_wheel   SOC_VERSION and CXXFLAGS in the environment
 *   ops_build.sh      bash ops_build.sh [--soc S] [OP]
 *   op_host/          cmake -S . -B build; cmake --build build
 *   op_plugin/        the file of one operator, object only (build_plugin.c)
 *   *.asc             bisheng -x asc, one program a file
 */
#include "../isa/isa.h"
#include "build_plugin.h"
#include "proc.h"
#include "file.h"
#include "steps.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* torch 2.13 lacks a header that torch_npu's include unless it is told the version: V2R13. */
static void set_current_version(struct work *work)
{
    const char *const argv[] = {work->python, "-c",
                                "import importlib.metadata as m; v = "
                                "m.version('torch').split('.'); print(f'V{v[0]}R{v[1]}')",
                                NULL};
    const char *old = work->engine ? NULL : getenv("CXXFLAGS");
    char *version = NULL, *flags = NULL;

    if ((old && strstr(old, "CURRENT_VERSION")) || work_ask(work, argv, "/", &version) != 0) {
        free(version);
        return;
    }
    version[strcspn(version, "\n")] = '\0';
    flags = cli_fmt("%s%s-DCURRENT_VERSION=%s", old ? old : "", old ? " " : "", version);
    work_setenv(work, "CXXFLAGS", flags);
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
    char *wheel = newest_wheel(work->dir), *output = NULL,
         *seen = wheel ? work_path(work, wheel + strlen(work->dir) + 1) : NULL;
    const char *const argv[] = {work->python, "-m", "zipfile", "-l", seen, NULL};
    int code = EXIT_FINDINGS;

    if (!wheel)
        code = step_note(work, "wheel", false, "dist/ has no wheel");
    else if (work_ask(work, argv, "/", &output) != 0)
        code =
            step_note(work, "wheel", false, "%s cannot be read: %s", wheel, output ? output : "");
    else
        code = step_note(work, "wheel", strstr(output, ".so") && strstr(output, ".py"),
                         "%s has %s and %s", wheel,
                         strstr(output, ".so") ? "its library" : "NO library",
                         strstr(output, ".py") ? "Python files" : "NO Python file");
    free(output);
    free(wheel);
    free(seen);
    return code;
}

static int build_extension(struct work *work)
{
    const char *const argv[] = {work->python, "setup.py", "bdist_wheel", NULL};
    int code = EXIT_FINE;

    if (cli_value(work->given, "soc"))
        work_setenv(work, "SOC_VERSION", cli_value(work->given, "soc"));
    set_current_version(work);
    code = step_run(work, "build", argv, "", NULL);
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
    work_setenv(work, "PYTHON", work->python);
    code = step_run(work, "build", argv, "", NULL);
    return code == EXIT_FINE ? look_into_wheel(work) : code;
}

static int build_project(struct work *work)
{
    char *soc = cli_value(work->given, "soc")
                    ? cli_fmt("-DASCEND_COMPUTE_UNIT=%s", cli_value(work->given, "soc"))
                    : NULL;
    const char *const configure[] = {"cmake", "-S", ".", "-B", "build", soc, NULL};
    const char *const build[] = {"cmake", "--build", "build", NULL};
    int code = step_run(work, "configure", configure, "", NULL);

    if (code == EXIT_FINE)
        code = step_run(work, "build", build, "", NULL);
    free(soc);
    return code;
}

/* A program a file, build/<name>. */
static int build_direct(struct work *work)
{
    const char *name = cli_value(work->given, "soc");
    const struct npu_soc *soc = name ? npu_soc_find(name) : npu_soc_current(NULL);
    char *arch = NULL, *pattern = cli_fmt("%s/*.asc", work->dir);
    glob_t found = {0};
    int code = EXIT_FINE;

    if (!soc) {
        free(pattern);
        return cli_usage_error("build", "no chip '%s' in `nputwin list soc`", name ? name : "");
    }
    arch = cli_fmt("--npu-arch=dav-%u", soc->arch);
    if (glob(pattern, 0, NULL, &found) == 0) {
        char *folder = cli_fmt("%s/build", work->dir);

        cli_make_folders(folder);
        free(folder);
    }
    for (size_t i = 0; i < found.gl_pathc && code == EXIT_FINE; i++) {
        const char *file = strrchr(found.gl_pathv[i], '/') + 1;
        char *out = cli_fmt("build/%.*s", (int)strlen(file) - 4, file);
        const char *const argv[] = {"bisheng", "-x", "asc", arch,         "-O2",
                                    file,      "-o", out,   "-lplatform", NULL};

        code = step_run(work, "build", argv, "", NULL);
        free(out);
    }
    globfree(&found);
    free(pattern);
    free(arch);
    return code;
}

/* What a layout's build starts by itself; in a container the build says so. */
static int check_tools(const struct work *work)
{
    static const struct {
        enum work_layout layout;
        const char *file, *tool; /* file: only a package that has it */
    } needs[] = {{WORK_EXTENSION, "CMakeLists.txt", "cmake"},
                 {WORK_EXTENSION, "CMakeLists.txt", "g++"},
                 {WORK_AMCT, "ops_build.sh", "cmake"},
                 {WORK_AMCT, "ops_build.sh", "g++"},
                 {WORK_PROJECT, "CMakeLists.txt", "cmake"},
                 {WORK_PLUGIN, "op_plugin", "g++"},
                 {WORK_DIRECT, ".", "bisheng"}};
    int code = EXIT_FINE;

    for (size_t i = 0; !work->engine && i < sizeof(needs) / sizeof(needs[0]); i++) {
        char *file = cli_fmt("%s/%s", work->dir, needs[i].file), *path = NULL;

        if (needs[i].layout == work->layout && access(file, F_OK) == 0) {
            path = cli_which(needs[i].tool);
            if (!path) {
                fprintf(stderr, "nputwin build: %s is not on PATH: %s\n", needs[i].tool,
                        cli_tool_install(needs[i].tool));
                code = EXIT_FINDINGS;
            }
        }
        free(file);
        free(path);
    }
    return code;
}

int cmd_build(int argc, char **argv)
{
    static int (*const builders[])(struct work *) = {build_extension, build_amct, build_project,
                                                     build_plugin, build_direct};
    struct cli_line line;
    struct work work = {0};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words > 1)
        return cli_usage_error("build", "takes one operator, got %zu", line.n_words);
    code = work_open(&work, &line);
    if (code == EXIT_FINE && line.n_words && work.layout != WORK_AMCT && work.layout != WORK_PLUGIN)
        code = cli_usage_error(
            "build", "'%s': only a package with ops_build.sh, or op-plugin, builds one operator",
            line.words[0]);
    if (code == EXIT_FINE)
        code = check_tools(&work);
    if (code == EXIT_FINE)
        code = builders[work.layout](&work);
    if (work.given)
        work_close(&work);
    return code;
}
