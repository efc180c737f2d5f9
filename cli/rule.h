/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.h - what `check` and `doctor` look for: one row of rule.def a rule.
 *
 * `list rules`, `explain`, SARIF and the duty to have a failing and a passing example in
 * tests/cli/rules/ come from the rows. Codes are never used again: NTLnnn is a rule of `check`,
 * NTDnnn one of `doctor`.
 */
#ifndef NPU_CLI_RULE_H
#define NPU_CLI_RULE_H
#include "finding.h"

struct cli_rule {
    const char *code, *name;
    enum cli_severity severity;
    const char *title, *why, *wrong, *right;
};
extern const struct cli_rule cli_rules[];
extern const size_t cli_n_rules;

/* By code or by name, in any case; NULL when there is none. */
const struct cli_rule *cli_rule_find(const char *word);

#endif
