/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - programs on a package, one after the other, and what came of them. */
#include "steps.h"
#include "file.h"
#include "proc.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- which package ---- */

static bool has(const char *dir, const char *name)
{
    char *path = cli_fmt("%s/%s", dir, name);
    bool is_there = access(path, F_OK) == 0;

    free(path);
    return is_there;
}

/* Whether .asc files lie here, as of a program without torch. */
static bool has_programs(const char *dir)
{
    char *pattern = cli_fmt("%s/*.asc", dir);
    glob_t found = {0};
    bool is_there = glob(pattern, 0, NULL, &found) == 0;

    globfree(&found);
    free(pattern);
    return is_there;
}

static bool find_layout(struct work *work)
{
    if (has(work->dir, "ops_build.sh"))
        work->layout = WORK_AMCT;
    else if (has(work->dir, "setup.py"))
        work->layout = WORK_EXTENSION;
    else if (has(work->dir, "CMakeLists.txt") && has(work->dir, "op_host"))
        work->layout = WORK_PROJECT;
    else if (has(work->dir, "op_plugin/config/op_plugin_functions.yaml"))
        work->layout = WORK_PLUGIN;
    else if (has_programs(work->dir))
        work->layout = WORK_DIRECT;
    else
        return false;
    return true;
}

/* ---- a container ---- */

/* --mount HOST:INSIDE: where the package is inside. */
static int find_inside(struct work *work, const char *mount)
{
    const char *colon = mount ? strchr(mount, ':') : NULL;
    char host[PATH_MAX], *part = NULL;
    int code = EXIT_FINE;

    if (!colon)
        return cli_usage_error(work->given->command,
                               "--container needs --mount HOST:INSIDE: which folder both sides "
                               "see, and where it is inside");
    part = cli_fmt("%.*s", (int)(colon - mount), mount);
    if (!realpath(part, host))
        code = cli_usage_error(work->given->command, "--mount: %s: %s", part, strerror(errno));
    else if (strncmp(work->dir, host, strlen(host)) != 0 ||
             (work->dir[strlen(host)] != '/' && work->dir[strlen(host)] != '\0'))
        code = cli_usage_error(work->given->command,
                               "%s is outside the shared folder %s: the container cannot see it",
                               work->dir, host);
    else
        work->inside = cli_fmt("%s%s", colon + 1, work->dir + strlen(host));
    free(part);
    return code;
}

static int open_container(struct work *work)
{
    const char *const engines[] = {"docker", "podman"},
                      *container = cli_value(work->given, "container");
    int code = EXIT_FINE;

    if (!container)
        return EXIT_FINE;
    for (size_t i = 0; i < 2 && !work->engine; i++)
        work->engine = cli_which(engines[i]);
    if (!work->engine) {
        fprintf(
            stderr,
            "nputwin %s: neither docker nor podman is on PATH; install one: apt install podman\n",
            work->given->command);
        return EXIT_FINDINGS;
    }
    code = find_inside(work, cli_value(work->given, "mount"));
    if (code == EXIT_FINE && !cli_value(work->given, "set-env"))
        code = cli_usage_error(
            work->given->command,
            "--container needs --set-env FILE: the set_env.sh of CANN inside the container");
    if (code == EXIT_FINE && !cli_value(work->given, "python"))
        code = cli_usage_error(
            work->given->command,
            "--container needs --python PATH: the Python inside that has torch and torch_npu");
    return code;
}

int work_open_container(struct work *work, char **why)
{
    const char *mount = cli_value(work->given, "mount");
    char *host = mount ? cli_fmt("%.*s", (int)strcspn(mount, ":"), mount) : NULL, path[PATH_MAX];
    int code = EXIT_FINE;

    if (host && realpath(host, path))
        work->dir = cli_fmt("%s", path);
    work->dir = work->dir ? work->dir : cli_fmt("%s", "/");
    work->python =
        cli_fmt("%s", cli_value(work->given, "python") ? cli_value(work->given, "python") : "");
    code = open_container(work);
    if (code != EXIT_FINE)
        *why = cli_fmt("%s", work->engine
                                 ? "--container needs --mount HOST:INSIDE, --set-env FILE and "
                                   "--python PATH, of folders and files that are there"
                                 : "neither docker nor podman is on PATH: apt install podman");
    free(host);
    return code;
}

/* In single quotes of a shell. */
static void quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

/* A new shell inside has nothing of the last one: environment, folder and command go in one. */
static char *inside_script(const struct work *work, const char *const *argv, const char *folder)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return cli_fmt("exit 1");
    fputs("source ", out);
    quote(out, cli_value(work->given, "set-env"));
    for (size_t i = 0; i < work->env.n; i++) {
        fputs(" && export ", out);
        quote(out, work->env.at[i]);
    }
    fputs(" && cd ", out);
    quote(out, *folder == '/' ? folder : work->inside);
    if (*folder && *folder != '/') {
        fputc('/', out);
        quote(out, folder);
    }
    fputs(" &&", out);
    for (size_t i = 0; argv[i]; i++) {
        fputc(' ', out);
        quote(out, argv[i]);
    }
    fclose(out);
    return text;
}

/* ---- steps ---- */

/* A program text given as an argument would bury the command. */
static const char *shown(const char *arg)
{
    return strchr(arg, '\n') ? "'...'" : arg;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *joined(const char *const *argv)
{
    char *text = cli_fmt("%s", argv[0]);

    for (size_t i = 1; argv[i]; i++) {
        char *longer = cli_fmt("%s %s", text, shown(argv[i]));

        free(text);
        text = longer;
    }
    return text;
}

static void remember(struct work *work, const char *step, const char *what, int rc, double seconds)
{
    cJSON *item = cJSON_CreateObject();

    if (work->engine)
        cJSON_AddStringToObject(item, "container", cli_value(work->given, "container"));

    cJSON_AddStringToObject(item, "step", step);
    cJSON_AddStringToObject(item, "command", what);
    cJSON_AddNumberToObject(item, "exit_code", rc);
    cJSON_AddNumberToObject(item, "seconds", (double)(long)(seconds * 10 + 0.5) / 10);
    cJSON_AddItemToArray(work->steps, item);
}

void work_setenv(struct work *work, const char *name, const char *value)
{
    if (work->engine)
        cli_word_add(&work->env, "%s=%s", name, value);
    else
        setenv(name, value, 1);
}

char *work_path(const struct work *work, const char *name)
{
    return cli_fmt("%s/%s", work->engine ? work->inside : work->dir, name);
}

/* folder: of the package, or an absolute one. */
static char *folder_of(const struct work *work, const char *folder)
{
    if (*folder == '/')
        return cli_fmt("%s", folder);
    return *folder ? cli_fmt("%s/%s", work->dir, folder) : cli_fmt("%s", work->dir);
}

int work_ask(struct work *work, const char *const *argv, const char *folder, char **output)
{
    char *script = work->engine ? inside_script(work, argv, folder) : NULL,
         *at = folder_of(work, folder);
    const char *const wrapped[] = {
        work->engine, "exec", cli_value(work->given, "container"), "bash", "-lc", script, NULL};
    int rc = cli_capture(work->engine ? wrapped : argv, work->engine ? NULL : at, output);

    free(script);
    free(at);
    return rc;
}

int step_run(struct work *work, const char *step, const char *const *argv, const char *folder,
             char **output)
{
    char *script = work->engine ? inside_script(work, argv, folder) : NULL;
    char *at = folder_of(work, folder), *text = joined(argv);
    const char *const wrapped[] = {
        work->engine, "exec", cli_value(work->given, "container"), "bash", "-lc", script, NULL};
    const char *const *line = work->engine ? wrapped : argv;
    double begin = now(), seconds = 0;
    int rc = 0;

    fprintf(stderr, "nputwin %s: %s: %s\n", work->given->command, step, text);
    rc = output ? cli_capture(line, work->engine ? NULL : at, output)
                : cli_run(line, work->engine ? NULL : at);
    seconds = now() - begin;
    if (output && *output)
        fputs(*output, stderr);
    if (rc == CLI_NOT_STARTED)
        fprintf(stderr, "nputwin %s: %s: %s%s\n", work->given->command, argv[0], strerror(errno),
                argv[0] == work->python
                    ? "; --python PATH names another, apt install python3 has one"
                    : "");
    fprintf(stderr, "nputwin %s: %s: %s, %.1f s\n", work->given->command, step,
            rc ? "failed" : "ok", seconds);
    remember(work, step, text, rc, seconds);
    free(script);
    free(at);
    free(text);
    return rc ? EXIT_FINDINGS : EXIT_FINE;
}

int step_note(struct work *work, const char *step, bool is_right, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;

    va_start(ap, fmt);
    text = cli_vfmt(fmt, ap);
    va_end(ap);
    fprintf(stderr, "nputwin %s: %s: %s: %s\n", work->given->command, step,
            is_right ? "ok" : "failed", text);
    remember(work, step, text, !is_right, 0);
    free(text);
    return is_right ? EXIT_FINE : EXIT_FINDINGS;
}

/* ---- opening and closing ---- */

static char *record_path(const char *dir)
{
    return cli_fmt("%s/build/nputwin-steps.json", dir);
}

cJSON *work_record(const char *dir)
{
    char *path = record_path(dir), *text = cli_read(path, NULL);
    const char *end = NULL;
    cJSON *record = text ? cJSON_ParseWithOpts(text, &end, true) : NULL;

    if (text && !record) {
        unsigned line = 1;

        for (const char *c = text; c < end; c++)
            line += *c == '\n';
        fprintf(stderr,
                "nputwin: %s:%u: no JSON: it is left out; the next build, install or test "
                "writes it anew\n",
                path, line);
    }

    free(path);
    free(text);
    return record;
}

int work_open(struct work *work, const struct cli_line *line)
{
    const char *given = cli_value(line, "path");
    char dir[PATH_MAX];
    int code = EXIT_FINE;

    *work = (struct work){.given = line, .steps = cJSON_CreateArray()};
    if (!realpath(given ? given : ".", dir)) {
        fprintf(stderr, "nputwin %s: %s: %s\n", line->command, given, strerror(errno));
        return EXIT_USAGE;
    }
    work->dir = cli_fmt("%s", dir);
    work->name = cli_fmt("%s", strrchr(dir, '/') + 1);
    work->python = cli_fmt("%s", cli_value(line, "python") ? cli_value(line, "python") : "python3");
    if (!find_layout(work)) {
        fprintf(stderr,
                "nputwin %s: no package in %s: neither setup.py, nor ops_build.sh, nor "
                "CMakeLists.txt with op_host/, nor op_plugin/config/, nor a program in .asc; "
                "`nputwin new op NAME` makes one\n",
                line->command, work->dir);
        return EXIT_FINDINGS;
    }
    code = open_container(work);
    return code == EXIT_FINE && !work->engine ? cli_set_environment() : code;
}

/* The steps of this command replace those of its last run; those of other commands stay. */
void work_close(struct work *work)
{
    cJSON *record = work->name ? work_record(work->dir) : NULL; /* a container has no name */
    cJSON *commands = record ? record : cJSON_CreateObject();
    char *path = work->name ? record_path(work->dir) : NULL, *text = NULL, *folder = NULL;

    if (path && work->facts) {
        cJSON_DeleteItemFromObject(commands, "facts");
        cJSON_AddItemToObject(commands, "facts", work->facts);
        work->facts = NULL;
    }
    if (path && cJSON_GetArraySize(work->steps)) {
        cJSON_DeleteItemFromObject(commands, work->given->command);
        cJSON_AddItemToObject(commands, work->given->command, work->steps);
        work->steps = NULL;
        text = cJSON_Print(commands);
        folder = cli_fmt("%s/build", work->dir);
        if (!text || !cli_make_folders(folder) || !cli_write(path, text, strlen(text)))
            fprintf(stderr, "nputwin %s: %s: %s\n", work->given->command, path, strerror(errno));
    }
    cJSON_Delete(commands);
    cJSON_Delete(work->steps);
    cJSON_Delete(work->facts);
    cJSON_free(text);
    free(folder);
    free(path);
    free(work->dir);
    free(work->name);
    free(work->python);
    free(work->engine);
    free(work->inside);
    cli_words_finish(&work->env);
    *work = (struct work){0};
}
