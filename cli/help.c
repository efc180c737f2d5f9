/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `nputwin help [COMMAND]`. */
#include "cli.h"

int cmd_help(int argc, char **argv)
{
    const struct cli_cmd *cmd = NULL;

    if (argc > 2)
        return cli_usage_error("help", "takes one command, got %d", argc - 1);
    if (argc == 2) {
        cmd = cli_find(argv[1]);
        if (!cmd)
            return cli_usage_error("help", "no command '%s'", argv[1]);
        cli_print_usage(stdout, cmd);
        return EXIT_FINE;
    }
    for (size_t i = 0; i < cli_n_cmds; i++)
        cli_print_usage(stdout, &cli_cmds[i]);
    return EXIT_FINE;
}
