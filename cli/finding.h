/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.h - one thing that is wrong, as `check`, `doctor` and `test` report it, and its four
 * forms.
 *
 * A finding copies every text it is given. Lists are printed in order of file, line and code, so
 * that two runs over the same tree print the same.
 */
#ifndef NPU_CLI_FINDING_H
#define NPU_CLI_FINDING_H
#include "cli.h"

enum cli_severity { CLI_NOTE, CLI_WARNING, CLI_ERROR };
/* "note", "warning", "error"; borrowed. */
const char *cli_severity_name(enum cli_severity severity);

struct cli_finding {
    const char *code; /* "NTL007", of rule.def; borrowed */
    enum cli_severity severity;
    char *file;            /* relative to the project; NULL: not about a file */
    unsigned line, column; /* from 1; 0: the whole file */
    char *message, *hint;  /* hint: how to fix it, NULL for none */
};

struct cli_findings {
    struct cli_finding *at;
    size_t n, room;
};

enum cli_format { CLI_TEXT, CLI_JSON, CLI_SARIF, CLI_GITHUB };

/* Appends; the message is formatted. */
void cli_find_add(struct cli_findings *found, const char *code, enum cli_severity severity,
                  const char *file, unsigned line, unsigned column, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* Sets the hint of the finding added last. */
void cli_find_hint(struct cli_findings *found, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints them all: text and github line by line, JSON and SARIF 2.1.0 as one document. */
void cli_find_print(FILE *out, struct cli_findings *found, enum cli_format format);
size_t cli_find_count(const struct cli_findings *found, enum cli_severity at_least);
void cli_find_finish(struct cli_findings *found);
/* "text", "json", "sarif", "github"; false for another word. */
bool cli_format_of(const char *name, enum cli_format *format);

#endif
