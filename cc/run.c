/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - see run.h. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

extern char **environ;

static void print_command(const struct cc_words *argv)
{
    for (size_t i = 0; i < argv->n; i++)
        fprintf(stderr, "%s%s", i ? " " : "", argv->at[i]);
    fputc('\n', stderr);
}

static void redirect(posix_spawn_file_actions_t *fa, int fd, const char *path)
{
    if (path)
        posix_spawn_file_actions_addopen(fa, fd, path, O_WRONLY | O_CREAT | O_APPEND, 0644);
}

pid_t cc_start(const struct cc_run *r, const struct cc_words *argv, const char *out,
               const char *err)
{
    posix_spawn_file_actions_t fa;
    pid_t pid = -1;
    int rc;

    if (r->verbose)
        print_command(argv);
    if (r->show)
        return 0;
    posix_spawn_file_actions_init(&fa);
    redirect(&fa, STDOUT_FILENO, out);
    redirect(&fa, STDERR_FILENO, err);
    rc = posix_spawnp(&pid, argv->at[0], &fa, NULL, argv->at, environ);
    posix_spawn_file_actions_destroy(&fa);
    if (!rc)
        return pid;
    if (rc == ENOENT)
        cc_error("%s is missing; install it: apt install g++ (brings binutils)", argv->at[0]);
    else
        cc_error("cannot start %s: %s", argv->at[0], strerror(rc));
    return -1;
}

bool cc_wait(pid_t pid)
{
    int status = 0;

    if (pid <= 0)
        return pid == 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT)
        cc_error("a compiler process was ended by signal %d (%s)%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)),
                 WTERMSIG(status) == 9 ? "; was there enough memory?" : "");
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool cc_do(const struct cc_run *r, const struct cc_words *argv)
{
    return cc_wait(cc_start(r, argv, NULL, NULL));
}

static bool on_path(const char *name)
{
    const char *path = getenv("PATH");
    char *copy, *save = NULL;
    bool found = false;

    if (strchr(name, '/'))
        return !access(name, X_OK);
    copy = cc_fmt("%s", path ? path : "/usr/bin:/bin");
    for (char *dir = strtok_r(copy, ":", &save); dir && !found; dir = strtok_r(NULL, ":", &save)) {
        char *file = cc_fmt("%s/%s", dir, name);

        found = !access(file, X_OK);
        free(file);
    }
    free(copy);
    return found;
}

bool cc_find_cxx(const char *toolchain, char **path_out)
{
    const char *named = getenv("NPUTWIN_CXX");
    char *own = toolchain ? cc_fmt("%s/bin/g++", toolchain) : NULL;

    *path_out = own && on_path(own) ? own : cc_fmt("%s", named && *named ? named : "g++");
    if (on_path(*path_out))
        return true;
    return cc_error(
        "the host compiler %s is missing; install it: apt install g++ (or set NPUTWIN_CXX "
        "to a g++)",
        *path_out);
}
