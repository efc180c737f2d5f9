/* SPDX-License-Identifier: Apache-2.0 */
/* rule.c - the rows of rule.def. */
#include "rule.h"

#include <strings.h>

const struct cli_rule cli_rules[] = {
#define RULE(code, name, severity, title, why, wrong, right)                                       \
    {#code, name, CLI_##severity, title, why, wrong, right},
#include "rule.def"
};
const size_t cli_n_rules = sizeof(cli_rules) / sizeof(cli_rules[0]);

const struct cli_rule *cli_rule_find(const char *word)
{
    for (size_t i = 0; i < cli_n_rules; i++)
        if (strcasecmp(cli_rules[i].code, word) == 0 || strcasecmp(cli_rules[i].name, word) == 0)
            return &cli_rules[i];
    return NULL;
}
