/* SPDX-License-Identifier: Apache-2.0 */
/* opt.c - parses by the rows of opt.def; getopt_long does the reading. */
#include "opt.h"

#include <getopt.h>
#include <string.h>

const struct cli_opt cli_opts[] = {
#define OPT(command, name, arg, brief) {#command, #name, arg, brief},
#include "opt.def"
};
const size_t cli_n_opts = sizeof(cli_opts) / sizeof(cli_opts[0]);

enum { ROW = 256 }; /* above every character that getopt_long returns by itself */

/* The options of one command as getopt_long and as cli_nearest want them. */
struct options {
    char spelling[CLI_GIVEN_MAX][CLI_OPT_BYTES];
    struct option at[CLI_GIVEN_MAX + 1];
    size_t n;
};

void cli_opt_spelling(const struct cli_opt *opt, char spelling[CLI_OPT_BYTES])
{
    snprintf(spelling, CLI_OPT_BYTES, "%s", opt->name);
    for (char *at = spelling; *at; at++)
        if (*at == '_')
            *at = '-';
}

static void fill(struct options *options, const char *command)
{
    options->n = 0;
    for (size_t i = 0; i < cli_n_opts && options->n < CLI_GIVEN_MAX; i++) {
        char *spelling = options->spelling[options->n];

        if (strcmp(cli_opts[i].command, command) != 0)
            continue;
        cli_opt_spelling(&cli_opts[i], spelling);
        options->at[options->n++] = (struct option){
            spelling, cli_opts[i].arg ? required_argument : no_argument, NULL, ROW + (int)i};
    }
    options->at[options->n] = (struct option){0};
}

static int unknown(const struct options *options, const char *command, const char *word)
{
    const char *begin = word + strspn(word, "-"), *near = NULL;
    char name[CLI_OPT_BYTES];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(begin, "="), begin);
    near = cli_nearest(name, &options->at[0].name, sizeof(options->at[0]), options->n);
    if (near)
        return cli_usage_error(command, "unknown option %s; did you mean --%s?", word, near);
    return cli_usage_error(command, "unknown option %s", word);
}

static int keep(struct cli_line *line, const struct cli_opt *opt, const char *value)
{
    if (line->n_given == CLI_GIVEN_MAX)
        return cli_usage_error(line->command, "more than %d options", CLI_GIVEN_MAX);
    line->given[line->n_given].opt = opt;
    line->given[line->n_given++].value = value ? value : "";
    return EXIT_FINE;
}

int cli_parse(struct cli_line *line, enum cli_order order, int argc, char **argv)
{
    struct options options;
    int code = EXIT_FINE, option = 0;

    *line = (struct cli_line){.command = argv[0]};
    fill(&options, argv[0]);
    opterr = 0;
    optind = 0; /* 0, not 1: getopt starts anew whatever it read before */
    while (code == EXIT_FINE && (option = getopt_long(argc, argv, order == CLI_FIRST ? "+:" : ":",
                                                      options.at, NULL)) != -1) {
        if (option == ':')
            code = cli_usage_error(argv[0], "%s takes a value", argv[optind - 1]);
        else if (option < ROW)
            code = unknown(&options, argv[0], argv[optind - 1]);
        else
            code = keep(line, &cli_opts[option - ROW], optarg);
    }
    line->words = argv + optind;
    line->n_words = (size_t)(argc - optind);
    return code;
}

const char *cli_value_at(const struct cli_line *line, const char *name, size_t i)
{
    for (size_t g = 0; g < line->n_given; g++) {
        char spelling[CLI_OPT_BYTES];

        cli_opt_spelling(line->given[g].opt, spelling);
        if (strcmp(spelling, name) == 0 && i-- == 0)
            return line->given[g].value;
    }
    return NULL;
}

const char *cli_value(const struct cli_line *line, const char *name)
{
    const char *value = NULL, *next = NULL;

    for (size_t i = 0; (next = cli_value_at(line, name, i)) != NULL; i++)
        value = next;
    return value;
}
