/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.c - is this container ready? Everything is asked inside: what Python or which CANN the
 * host has says nothing about it.
 *
 * In the order in which one thing needs the other: the engine, the container, the files that are
 * named, the shared folder.
 */
#include "doctor.h"
#include "../proc.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* `engine exec NAME test FLAG PATH`: without an environment, because it comes from one of them. */
static int ask(const struct doctor *d, const char *flag, const char *path, char **output)
{
    const char *const argv[] = {
        d->work.engine, "exec", cli_value(d->given, "container"), "test", flag, path, NULL};

    return cli_capture(argv, NULL, output);
}

static bool is_running(struct doctor *d)
{
    char *output = NULL, *fix = NULL;
    const char *name = cli_value(d->given, "container");
    bool is_there = ask(d, "-d", "/", &output) == 0;

    if (!is_there) {
        fix = cli_fmt("%s ps names those that run; %s start %s", d->work.engine, d->work.engine,
                      name);
        problem(d, "NTD023", fix, "no shell in the container %s: %.*s", name,
                (int)(output ? strcspn(output, "\n") : 0), output ? output : "");
    } else {
        fine(d, "the container %s runs, by %s", name, d->work.engine);
    }
    free(output);
    free(fix);
    return is_there;
}

/* A file that the command line names. */
static bool is_inside(struct doctor *d, const char *option, const char *code, const char *flag)
{
    const char *path = cli_value(d->given, option);
    char *output = NULL;
    bool is_there = ask(d, flag, path, &output) == 0;

    if (!is_there)
        problem(d, code, "name the path as it is inside the container",
                "--%s %s is not in the container %s", option, path,
                cli_value(d->given, "container"));
    free(output);
    return is_there;
}

/* The first entry of a folder, "" of an empty one; the caller frees it. */
static char *first_entry(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry = NULL;
    char *name = NULL;

    while (dir && !name && (entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            name = cli_fmt("%s", entry->d_name);
    if (dir)
        closedir(dir);
    return name ? name : cli_fmt("%s", "");
}

static bool is_shared(struct doctor *d)
{
    char *name = first_entry(d->work.dir), *path = work_path(&d->work, name), *output = NULL;
    bool is_there = ask(d, "-e", path, &output) == 0;

    if (is_there)
        fine(d, "%s is %s in the container", d->work.dir, d->work.inside);
    else
        problem(
            d, "NTD024", "start the container with -v HOST:INSIDE, and give the same to --mount",
            "%s is not %s in the container: %s is not there", d->work.dir, d->work.inside, path);
    free(name);
    free(path);
    free(output);
    return is_there;
}

bool look_at_container(struct doctor *d)
{
    char *why = NULL;

    if (work_open_container(&d->work, &why) != EXIT_FINE) {
        problem(d, "NTD023", NULL, "%s", why ? why : "the container cannot be used");
        free(why);
        return false;
    }
    return is_running(d) && is_inside(d, "set-env", "NTD002", "-f") &&
           is_inside(d, "python", "NTD012", "-x") && is_shared(d);
}
