/* SPDX-License-Identifier: Apache-2.0 */
/*
 * man.c - `nputwin man [COMMAND]`: the manual page in roff, made of cmd.def and opt.def.
 *
 *     nputwin man check | man -l -
 */
#include "opt.h"

#include <string.h>

/* Roff reads a leading '.' or '\'' as a request, '-' as a hyphen and '\' as an escape. */
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++) {
        if (*text == '-')
            printf("\\-");
        else if (*text == '\\')
            printf("\\e");
        else
            putchar(*text);
    }
}

static void print_title(const char *name, const char *brief)
{
    printf(".TH \"NPUTWIN%s%s\" 1 \"\" \"nputwin " NPUTWIN_VERSION "\"\n.SH NAME\nnputwin%s%s \\- ",
           *name ? "\\-" : "", name, *name ? "\\-" : "", name);
    print_roff(brief);
    putchar('\n');
}

static void print_exit_codes(void)
{
    printf(".SH EXIT STATUS\n"
           ".TP\n0\nfine\n.TP\n1\nfindings, or a failed check\n"
           ".TP\n2\na mistake in the command line\n.TP\n70\na fault of nputwin\n");
}

static void print_command_page(const struct cli_cmd *cmd)
{
    bool is_first = true;

    print_title(cmd->name, cmd->brief);
    printf(".SH SYNOPSIS\n.B nputwin\n");
    print_roff(cmd->synopsis);
    putchar('\n');
    for (size_t i = 0; i < cli_n_opts; i++) {
        const struct cli_opt *opt = &cli_opts[i];
        char spelling[CLI_OPT_BYTES];

        if (strcmp(opt->command, cmd->name) != 0)
            continue;
        if (is_first)
            printf(".SH OPTIONS\n");
        is_first = false;
        cli_opt_spelling(opt, spelling);
        printf(".TP\n.B \\-\\-");
        print_roff(spelling);
        if (opt->arg) {
            putchar(' ');
            print_roff(opt->arg);
        }
        putchar('\n');
        print_roff(opt->brief);
        putchar('\n');
    }
    print_exit_codes();
}

static void print_overview(void)
{
    print_title("", "a software Ascend NPU and the toolkit around it");
    printf(".SH SYNOPSIS\n.B nputwin\nCOMMAND [ARG...]\n.SH COMMANDS\n");
    for (size_t i = 0; i < cli_n_cmds; i++) {
        printf(".TP\n.B ");
        print_roff(cli_cmds[i].synopsis);
        putchar('\n');
        print_roff(cli_cmds[i].brief);
        putchar('\n');
    }
    print_exit_codes();
}

int cmd_man(int argc, char **argv)
{
    struct cli_line line;
    const struct cli_cmd *cmd = NULL;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words > 1)
        return cli_usage_error("man", "takes one command, got %zu", line.n_words);
    if (!line.n_words) {
        print_overview();
        return EXIT_FINE;
    }
    cmd = cli_find(line.words[0]);
    if (!cmd)
        return cli_usage_error("man", "no command '%s'", line.words[0]);
    print_command_page(cmd);
    return EXIT_FINE;
}
