/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt.h - the command line of one command, read by the rows of opt.def.
 *
 *     struct cli_line line;
 *     int code = cli_parse(&line, CLI_MIXED, argc, argv);
 *     if (code != EXIT_FINE)
 *         return code;
 *     ... cli_value(&line, "soc") ... line.words[0] ...
 */
#ifndef NPU_CLI_OPT_H
#define NPU_CLI_OPT_H
#include "cli.h"

struct cli_opt {
    const char *command, *name, *arg, *brief; /* arg NULL: a switch */
};
extern const struct cli_opt cli_opts[];
extern const size_t cli_n_opts;

enum cli_order {
    CLI_MIXED, /* options and words in any order; "--" ends the options */
    CLI_FIRST, /* options stand before the first word: what follows is another command's line */
};
enum { CLI_GIVEN_MAX = 64, CLI_OPT_BYTES = 48 };

struct cli_line {
    const char *command;
    struct {
        const struct cli_opt *opt;
        const char *value; /* "" of a switch */
    } given[CLI_GIVEN_MAX];
    size_t n_given;
    char **words; /* borrowed from argv */
    size_t n_words;
};

/* How the option is written, without the dashes in front: a row cannot hold '-', it holds '_'. */
void cli_opt_spelling(const struct cli_opt *opt, char spelling[CLI_OPT_BYTES]);
/* argv[0] is the command's name. Says what is wrong and returns EXIT_USAGE, or returns EXIT_FINE.
 */
int cli_parse(struct cli_line *line, enum cli_order order, int argc, char **argv);
/* The value of an option: the last one given, NULL when it was not given, "" for a switch. */
const char *cli_value(const struct cli_line *line, const char *name);
/* The i-th value of an option that may be repeated, NULL after the last. */
const char *cli_value_at(const struct cli_line *line, const char *name, size_t i);

#endif
