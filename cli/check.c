/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - `nputwin check [PATH...]`: reads a project, runs every rule, prints what they found.
 *
 * Nothing of the project is run, imported or changed but by --fix and --update-baseline.
 */
#include "check/check.h"
#include "opt.h"

#include <string.h>

static const struct check_rule *const groups[] = {
    layout_rules, torch_rules,  launch_rules, opcommand_rules, kernel_rules,
    cmake_rules,  python_rules, text_rules,   amct_rules,      plugin_rules};

static void print_budgets(struct check *c)
{
    for (size_t i = 0; i < c->fn.n; i++) {
        struct budget budget;

        if (budget_read(c, &c->fn.at[i], &budget))
            budget_print(c, &budget);
        budget_finish(&budget);
    }
}

static void print_summary(const struct check *c)
{
    size_t errors = cli_find_count(&c->found, CLI_ERROR);
    size_t warnings = cli_find_count(&c->found, CLI_WARNING) - errors;

    fprintf(stderr, "nputwin check: %zu files, %zu errors, %zu warnings, %zu notes\n", c->src.n,
            errors, warnings, c->found.n - errors - warnings);
}

int cmd_check(int argc, char **argv)
{
    struct cli_line line;
    struct check check = {0};
    enum cli_format format = CLI_TEXT;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (cli_value(&line, "format") && !cli_format_of(cli_value(&line, "format"), &format))
        return cli_usage_error("check", "--format %s: text, json, sarif or github",
                               cli_value(&line, "format"));
    check.device_soc = cli_value(&line, "device-soc");
    if (check.device_soc && cli_value(&line, "budget") && ub_bytes(check.device_soc) < 0)
        return cli_usage_error("check", "--budget: no chip '%s' in `nputwin list soc`",
                               check.device_soc);
    check.base = cli_value(&line, "base");
    check.is_fixing = cli_value(&line, "fix") != NULL;
    check.select = cli_value(&line, "select");
    check.ignore = cli_value(&line, "ignore");
    if (!check_read_all(&check, "check", line.words, line.n_words)) {
        check_finish(&check);
        return EXIT_USAGE;
    }
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        for (const struct check_rule *rule = groups[g]; rule->code; rule++)
            rule->look(&check);
    if (cli_value(&line, "update-baseline") && !check_write_baseline(&check)) {
        perror("nputwin check: .nputwin-schemas");
        code = EXIT_OURS;
    }
    if (check.is_fixing)
        fprintf(stderr, "nputwin check: %zu files mended\n", check_write_fixes(&check));
    if (cli_value(&line, "budget"))
        print_budgets(&check);
    cli_find_print(stdout, &check.found, format);
    print_summary(&check);
    /* Notes are for reading: they do not fail a check. */
    if (code == EXIT_FINE)
        code = cli_find_count(&check.found, CLI_WARNING) ? EXIT_FINDINGS : EXIT_FINE;
    check_finish(&check);
    return code;
}
