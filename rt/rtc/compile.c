/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - one run of bisheng for a program.
 *
 * Sources lie in a folder that goes away afterwards; its name is cut out of the log. A name
 * expression becomes a variable behind the source, nputwin_expr_<i>, whose value is the kernel's
 * address: so the compiler makes the template, and the loaded binary tells its linker's name.
 * posix_spawn, not fork: the program may hold gigabytes.
 */
#define _GNU_SOURCE
#include "rtc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_USAGE = 2, PATH_BYTES = 4096 };

struct job {
    struct rtc_program *p;
    char dir[64];
    char source[PATH_BYTES], output[PATH_BYTES], log[PATH_BYTES], compiler[PATH_BYTES];
};

/* ---- files ---- */

/* Makes the folders above path, which lies below the job's. */
static bool make_folders(const struct job *j, char *path)
{
    for (char *s = path + strlen(j->dir) + 1; (s = strchr(s, '/')); *s++ = '/') {
        *s = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
    }
    return true;
}

static FILE *create(const struct job *j, const char *name, char path[PATH_BYTES])
{
    if (snprintf(path, PATH_BYTES, "%s/%s", j->dir, name) >= PATH_BYTES || !make_folders(j, path))
        return NULL;
    return fopen(path, "we");
}

static bool close_all(FILE *f)
{
    bool ok = !ferror(f);

    return !fclose(f) && ok;
}

static bool write_source(struct job *j)
{
    char name[256];
    size_t n = strlen(j->p->name);
    bool has_ending = n > 4 && !strcmp(j->p->name + n - 4, ".asc");
    FILE *f;

    snprintf(name, sizeof(name), "%s%s", j->p->name, has_ending ? "" : ".asc");
    f = create(j, name, j->source);
    if (!f)
        return false;
    fputs(j->p->source, f);
    for (size_t i = 0; i < j->p->n_names; i++)
        fprintf(f,
                "\n# 1 \"<name expression>\"\nstatic auto *const nputwin_kernel_%zu = &%s;\n"
                "extern \"C\" { extern __attribute__((used, visibility(\"default\"))) const void "
                "*const nputwin_expr_%zu; const void *const nputwin_expr_%zu = "
                "reinterpret_cast<const void *>(nputwin_kernel_%zu); }\n",
                i, j->p->expression[i].expression, i, i, i);
    return close_all(f);
}

static bool write_headers(const struct job *j)
{
    char path[PATH_BYTES];

    for (size_t i = 0; i < j->p->n_headers; i++) {
        FILE *f = create(j, j->p->include_name[i], path);

        if (!f)
            return false;
        fputs(j->p->header[i], f);
        if (!close_all(f))
            return false;
    }
    return true;
}

/* The whole file with a NUL behind it; NULL when it cannot be read. */
static char *read_all(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "re");
    struct stat st;
    char *text = NULL;

    *bytes = 0;
    if (f && !fstat(fileno(f), &st))
        text = malloc((size_t)st.st_size + 1);
    if (text) {
        *bytes = fread(text, 1, (size_t)st.st_size, f);
        text[*bytes] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

/* ---- the compiler ---- */

static bool try_compiler(struct job *j, const char *folder, const char *below)
{
    return snprintf(j->compiler, sizeof(j->compiler), "%s%s/bisheng", folder, below) <
               (int)sizeof(j->compiler) &&
           !access(j->compiler, X_OK);
}

/* The bisheng of the tree that holds this library, else of ASCEND_HOME_PATH. */
static bool find_compiler(struct job *j)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char here[PATH_MAX] = "";
    Dl_info info;

    if (dladdr((void *)(uintptr_t)rtc_compile, &info) && realpath(info.dli_fname, here)) {
        *strrchr(here, '/') = '\0';
        if (try_compiler(j, here, "/../bin") || try_compiler(j, here, "/../../bin"))
            return true;
    }
    return home && try_compiler(j, home, "/bin");
}

/* The exit code; -1 when it did not run. */
static int run_compiler(struct job *j, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, rc;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, j->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    rc = posix_spawn(&child, j->compiler, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int compile(struct job *j, int n_options, const char *const *option)
{
    /* bisheng --cce-aicore-only -x asc -std=c++17 options -Idir -o out source NULL */
    char **argv = calloc((size_t)n_options + 10, sizeof(*argv)), include[80];
    int n = 0, rc;

    if (!argv)
        return -1;
    argv[n++] = j->compiler;
    argv[n++] = (char *)(uintptr_t)"--cce-aicore-only";
    argv[n++] = (char *)(uintptr_t)"-std=c++17";
    for (int i = 0; i < n_options; i++)
        argv[n++] = (char *)(uintptr_t)option[i];
    snprintf(include, sizeof(include), "-I%s", j->dir);
    argv[n++] = include;
    argv[n++] = (char *)(uintptr_t)"-x";
    argv[n++] = (char *)(uintptr_t)"asc";
    argv[n++] = (char *)(uintptr_t)"-o";
    argv[n++] = j->output;
    argv[n++] = j->source;
    rc = run_compiler(j, argv);
    free(argv);
    return rc;
}

/* ---- what came of it ---- */

/* Cuts "folder/" out of the text. */
static void cut_folder(char *text, const char *folder)
{
    size_t n = strlen(folder) + 1;

    for (char *s = text; (s = strstr(s, folder));)
        if (s[n - 1] == '/')
            memmove(s, s + n, strlen(s + n) + 1);
        else
            s++;
}

static int failed(const struct rtc_program *p, int exit_code)
{
    if (exit_code == EXIT_USAGE)
        return npu_rt_fail(ACL_ERROR_RTC_INVALID_OPTION, "aclrtcCompileProg: %s: %s", p->name,
                           p->log);
    if (strstr(p->log, "<name expression>"))
        return npu_rt_fail(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
                           "aclrtcCompileProg: %s: a name expression is no kernel: %s", p->name,
                           p->log);
    if (strstr(p->log, "undefined reference") || strstr(p->log, "ld returned"))
        return npu_rt_fail(ACL_ERROR_RTC_LINKING, "aclrtcCompileProg: %s: %s", p->name, p->log);
    return npu_rt_fail(ACL_ERROR_RTC_COMPILATION, "aclrtcCompileProg: %s: %s", p->name, p->log);
}

static int lower_names(struct rtc_program *p)
{
    for (size_t i = 0; i < p->n_names; i++) {
        char variable[64];

        snprintf(variable, sizeof(variable), "nputwin_expr_%zu", i);
        p->expression[i].lowered =
            npu_rt_binary_symbol(p->binary, p->binary_bytes, variable, "aclrtcCompileProg");
        if (!p->expression[i].lowered)
            return npu_rt_fail(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
                               "aclrtcCompileProg: %s: %s is no __global__ function", p->name,
                               p->expression[i].expression);
    }
    return ACL_SUCCESS;
}

static int take_results(struct job *j, int exit_code)
{
    struct rtc_program *p = j->p;
    size_t bytes;
    int rc;

    p->log = read_all(j->log, &bytes);
    if (!p->log)
        return npu_rt_fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: %s did not run", j->compiler);
    cut_folder(p->log, j->dir);
    if (exit_code)
        return failed(p, exit_code);
    p->binary = read_all(j->output, &p->binary_bytes);
    if (!p->binary)
        return npu_rt_fail(
            ACL_ERROR_RTC_INVALID_OPTION,
            "aclrtcCompileProg: the compiler wrote no binary: leave out options that "
            "only preprocess or print");
    rc = lower_names(p);
    if (rc) {
        free(p->binary);
        p->binary = NULL;
    }
    return rc;
}

/* Forgets an earlier compile. */
static void reset(struct rtc_program *p)
{
    free(p->binary);
    free(p->log);
    p->binary = p->log = NULL;
    p->binary_bytes = 0;
    for (size_t i = 0; i < p->n_names; i++) {
        free(p->expression[i].lowered);
        p->expression[i].lowered = NULL;
    }
}

int rtc_compile(struct rtc_program *p, int n_options, const char *const *option)
{
    struct job j = {.p = p, .dir = "/tmp/nputwin-rtc-XXXXXX"};
    int rc;

    reset(p);
    if (!find_compiler(&j))
        return npu_rt_fail(ACL_ERROR_RTC_FAILURE,
                           "aclrtcCompileProg: no bisheng beside libacl_rtc.so or in "
                           "$ASCEND_HOME_PATH/bin: source set_env.sh");
    if (!mkdtemp(j.dir))
        return npu_rt_fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: no folder in /tmp: %s",
                           strerror(errno));
    snprintf(j.output, sizeof(j.output), "%s/out.bin", j.dir);
    snprintf(j.log, sizeof(j.log), "%s/out.log", j.dir);
    if (!write_headers(&j) || !write_source(&j))
        rc = npu_rt_fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: cannot write to %s: %s", j.dir,
                         strerror(errno));
    else
        rc = take_results(&j, compile(&j, n_options, option));
    p->is_compiled = true;
    nftw(j.dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return rc;
}
