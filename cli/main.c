/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the `nputwin` command: finds the row of cmd.def and calls its function. */
#include "opt.h"

#include <stdarg.h>
#include <string.h>

const struct cli_cmd cli_cmds[] = {
#define CMD(name, synopsis, brief) {#name, synopsis, brief, cmd_##name},
#include "cmd.def"
};
const size_t cli_n_cmds = sizeof(cli_cmds) / sizeof(cli_cmds[0]);

const struct cli_cmd *cli_find(const char *name)
{
    for (size_t i = 0; i < cli_n_cmds; i++)
        if (strcmp(cli_cmds[i].name, name) == 0)
            return &cli_cmds[i];
    return NULL;
}

void cli_print_usage(FILE *out, const struct cli_cmd *cmd)
{
    fprintf(out, "usage: nputwin %s\n       %s\n", cmd->synopsis, cmd->brief);
    for (size_t i = 0; i < cli_n_opts; i++) {
        const struct cli_opt *opt = &cli_opts[i];
        char left[64], name[48];

        if (strcmp(opt->command, cmd->name) != 0)
            continue;
        cli_opt_spelling(opt, name);
        snprintf(left, sizeof(left), "--%s%s%s", name, opt->arg ? " " : "",
                 opt->arg ? opt->arg : "");
        fprintf(out, "  %-24s %s\n", left, opt->brief);
    }
}

int cli_usage_error(const char *command, const char *fmt, ...)
{
    const struct cli_cmd *cmd = cli_find(command);
    va_list ap;

    fprintf(stderr, "nputwin %s: ", command);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    if (cmd)
        cli_print_usage(stderr, cmd);
    return EXIT_USAGE;
}

static void print_help(FILE *out)
{
    fprintf(out, "usage: nputwin COMMAND [ARG...]\n\n"
                 "nputwin " NPUTWIN_VERSION ": a software Ascend NPU\n\n");
    for (size_t i = 0; i < cli_n_cmds; i++)
        fprintf(out, "  %-10s %s\n", cli_cmds[i].name, cli_cmds[i].brief);
    fprintf(out, "\nnputwin COMMAND --help says more; nputwin --version gives the version.\n");
}

static int unknown_command(const char *name)
{
    const char *near = cli_nearest(name, &cli_cmds[0].name, sizeof(cli_cmds[0]), cli_n_cmds);

    fprintf(stderr, "nputwin: no command '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nnputwin --help lists the commands\n");
    return EXIT_USAGE;
}

static bool is_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    perror("nputwin: stdout");
    return EXIT_OURS;
}

int main(int argc, char **argv)
{
    const struct cli_cmd *cmd = NULL;

    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (is_help(argv[1])) {
        print_help(stdout);
        return finish(EXIT_FINE);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("nputwin %s\n", NPUTWIN_VERSION);
        return finish(EXIT_FINE);
    }
    cmd = cli_find(argv[1]);
    if (!cmd)
        return unknown_command(argv[1]);
    if (argc > 2 && is_help(argv[2])) {
        cli_print_usage(stdout, cmd);
        return finish(EXIT_FINE);
    }
    return finish(cmd->run(argc - 1, argv + 1));
}
