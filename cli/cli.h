/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what the commands share.
 *
 * Only this room prints: stdout is data, stderr is talk. Exit codes: 0 fine, 1 findings or a failed
 * check, 2 usage, 70 a fault of ours.
 */
#ifndef NPU_CLI_H
#define NPU_CLI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_OURS = 70 };
enum { CLI_SCHEMA_VERSION = 1, CLI_PATH_BYTES = 4096 };

struct cli_cmd {
    const char *name, *synopsis, *brief;
    int (*run)(int argc, char **argv); /* argv[0] is the command's own name */
};

extern const struct cli_cmd cli_cmds[];
extern const size_t cli_n_cmds;

#define CMD(name, synopsis, brief) int cmd_##name(int argc, char **argv);
#include "cmd.def"

/* The command of that name, NULL when there is none. */
const struct cli_cmd *cli_find(const char *name);
/* Prints "usage: nputwin ..." and the brief. */
void cli_print_usage(FILE *out, const struct cli_cmd *cmd);
/* Says what is wrong with the command line of a command, and its usage; returns EXIT_USAGE. */
int cli_usage_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Of n names the one nearest to word, NULL when none is near. first: the name in the first of n
 * rows, each row_bytes long. */
const char *cli_nearest(const char *word, const char *const *first, size_t row_bytes, size_t n);

/* The CANN-shaped tree: NPUTWIN_HOME, else the one in the Python environment that this program
 * lies in, else the prefix that it lies in, else cann/ beside its bin/ (a build directory).
 * False, with path as far as it got, when there is none. */
bool cli_find_home(char path[CLI_PATH_BYTES]);
/* Puts the twin's tree into the environment, as `source set_env.sh` does, and forces the twin on.
 * Says what is missing and returns EXIT_FINDINGS, else EXIT_FINE. */
int cli_set_twin(void);
/* The same unless a CANN is sourced already. */
int cli_set_environment(void);

#endif
