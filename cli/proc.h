/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc.h - programs that a command starts. argv[0] is looked for on PATH; no shell is between.
 */
#ifndef NPU_CLI_PROC_H
#define NPU_CLI_PROC_H
#include <stddef.h>

enum { CLI_NOT_STARTED = -1 };

/* Runs the program in folder (NULL: here) until it ends. What it prints on either stream goes to
 * stderr: stdout is for our own data. Returns its exit code, 128 + the signal that ended it, or
 * CLI_NOT_STARTED with errno set. */
int cli_run(const char *const *argv, const char *folder);
/* The same, but returns what it printed on both streams in output, which the caller frees. */
int cli_capture(const char *const *argv, const char *folder, char **output);
/* The same with text on its standard input. */
int cli_filter(const char *const *argv, const char *text, size_t size, char **output);
/* The full path of a program on PATH, which the caller frees; NULL when it is not there. */
char *cli_which(const char *program);

/* How a tool that builds need is installed, "apt install g++"; NULL for one that is not in the
 * table. */
const char *cli_tool_install(const char *tool);
/* The i-th tool of that table, NULL behind the last. */
const char *cli_tool(size_t i);

#endif
