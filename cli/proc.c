/* SPDX-License-Identifier: Apache-2.0 */
/* proc.c - posix_spawn, wait, and what the program printed. */
#include "proc.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* in: its standard input, -1 for ours; out: where both its streams go. */
static int start(pid_t *pid, const char *const *argv, const char *folder, int in, int out)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc == 0 && in >= 0)
        rc = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    if (rc == 0 && folder)
        rc = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (rc == 0) /* it takes what execv takes, and changes none of it */
        rc = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = rc;
    return rc;
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_NOT_STARTED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cli_run(const char *const *argv, const char *folder)
{
    pid_t pid = 0;

    fflush(NULL);
    return start(&pid, argv, folder, -1, STDERR_FILENO) == 0 ? wait_for(pid) : CLI_NOT_STARTED;
}

static int capture(const char *const *argv, const char *folder, int in, char **output)
{
    int pipes[2], rc = CLI_NOT_STARTED;
    char part[4096];
    size_t n_text = 0;
    ssize_t n = 0;
    FILE *all = NULL;
    pid_t pid = 0;

    *output = NULL;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return CLI_NOT_STARTED;
    if (start(&pid, argv, folder, in, pipes[1]) == 0) {
        close(pipes[1]);
        all = open_memstream(output, &n_text);
        while ((n = read(pipes[0], part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
            if (all && n > 0)
                fwrite(part, 1, (size_t)n, all);
        if (all)
            fclose(all);
        rc = wait_for(pid);
    } else {
        close(pipes[1]);
    }
    close(pipes[0]);
    if (!*output)
        *output = cli_fmt("%s", "");
    return rc;
}

int cli_capture(const char *const *argv, const char *folder, char **output)
{
    return capture(argv, folder, -1, output);
}

/* A file, not a pipe: a program that prints before it has read all cannot block both sides. */
int cli_filter(const char *const *argv, const char *text, size_t size, char **output)
{
    FILE *in = tmpfile();
    int rc = CLI_NOT_STARTED;

    *output = NULL;
    if (in && fwrite(text, 1, size, in) == size && fseek(in, 0, SEEK_SET) == 0)
        rc = capture(argv, NULL, fileno(in), output);
    if (in)
        fclose(in);
    return rc;
}

char *cli_which(const char *program)
{
    const char *path = getenv("PATH");

    if (strchr(program, '/'))
        return access(program, X_OK) == 0 ? cli_fmt("%s", program) : NULL;
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *full = cli_fmt("%.*s/%s", (int)n, n ? path : ".", program);

        if (access(full, X_OK) == 0)
            return full;
        free(full);
        path += n + (path[n] == ':');
    }
    return NULL;
}

static const char *const tools[][2] = {
    {"g++", "apt install g++"},
    {"cmake", "pip install cmake"},
    {"bisheng", "source <CANN>/set_env.sh, or: nputwin run -- ..."},
    {"npu-smi", "source <CANN>/set_env.sh, or: nputwin run -- ..."}};

const char *cli_tool(size_t i)
{
    return i < sizeof(tools) / sizeof(tools[0]) ? tools[i][0] : NULL;
}

const char *cli_tool_install(const char *tool)
{
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
        if (strcmp(tools[i][0], tool) == 0)
            return tools[i][1];
    return NULL;
}
