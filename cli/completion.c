/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - `nputwin completion bash|zsh|fish`: a script made of cmd.def, opt.def and
 * kind.def.
 *
 *     bash   eval "$(nputwin completion bash)"
 *     zsh    eval "$(nputwin completion zsh)"
 *     fish   nputwin completion fish | source
 */
#include "opt.h"

#include <string.h>

static const char *const kinds[] = {
#define KIND(name, brief) #name,
#include "kind.def"
};

static void print_commands(void)
{
    for (size_t i = 0; i < cli_n_cmds; i++)
        printf("%s%s", i ? " " : "", cli_cmds[i].name);
}

/* The words that may follow a command: its options, and what it names. */
static void print_words(const struct cli_cmd *cmd)
{
    for (size_t i = 0; i < cli_n_opts; i++) {
        char spelling[CLI_OPT_BYTES];

        if (strcmp(cli_opts[i].command, cmd->name) != 0)
            continue;
        cli_opt_spelling(&cli_opts[i], spelling);
        printf("--%s ", spelling);
    }
    printf("--help");
    if (strcmp(cmd->name, "list") == 0)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
            printf(" %s", kinds[i]);
    if (strcmp(cmd->name, "help") == 0) {
        putchar(' ');
        print_commands();
    }
    if (strcmp(cmd->name, "completion") == 0)
        printf(" bash zsh fish");
}

/* zsh runs bash's through bashcompinit: one script to keep right. */
static void print_bash(void)
{
    printf("_nputwin() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} words\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < cli_n_cmds; i++) {
        printf("    %s) words='", cli_cmds[i].name);
        print_words(&cli_cmds[i]);
        printf("' ;;\n");
    }
    printf("    *) words='' ;;\n"
           "    esac\n"
           "    [ \"$COMP_CWORD\" -gt 1 ] || words='");
    print_commands();
    printf("'\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
           "}\n"
           "complete -F _nputwin nputwin\n");
}

static void print_zsh(void)
{
    printf("autoload -U +X compinit && compinit -u\n"
           "autoload -U +X bashcompinit && bashcompinit\n");
    print_bash();
}

/* In single quotes of fish. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    putchar('\'');
}

static void print_fish(void)
{
    for (size_t i = 0; i < cli_n_cmds; i++) {
        printf("complete -c nputwin -n __fish_use_subcommand -a %s -d ", cli_cmds[i].name);
        print_quoted(cli_cmds[i].brief);
        putchar('\n');
    }
    for (size_t i = 0; i < cli_n_opts; i++) {
        char spelling[CLI_OPT_BYTES];

        cli_opt_spelling(&cli_opts[i], spelling);
        printf("complete -c nputwin -n '__fish_seen_subcommand_from %s' -l %s %s-d ",
               cli_opts[i].command, spelling, cli_opts[i].arg ? "-r " : "");
        print_quoted(cli_opts[i].brief);
        putchar('\n');
    }
    printf("complete -c nputwin -n '__fish_seen_subcommand_from list' -f -a '");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        printf("%s%s", i ? " " : "", kinds[i]);
    printf("'\ncomplete -c nputwin -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh "
           "fish'\n");
}

static const struct shell {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

int cmd_completion(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words != 1)
        return cli_usage_error("completion", "takes one shell, got %zu", line.n_words);
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, line.words[0]) == 0) {
            shells[i].print();
            return EXIT_FINE;
        }
    }
    return cli_usage_error("completion", "no shell '%s'; there are bash, zsh and fish",
                           line.words[0]);
}
