/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - `nputwin report`: what was run on a package, what came of it, and what nobody has
 * tried.
 *
 * It reports the record that build, install and test left, and nothing else: a step that was not
 * run says so. The twin is never called hardware.
 */
#include "../isa/isa.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

static const char *const commands[] = {"build", "install", "test"};

static const char *text_of(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);

    return cJSON_IsString(value) ? value->valuestring : "";
}

static double number_of(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);

    return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

/* Platforms of the seeds, by how the names of their chips begin. */
static const struct platform {
    const char *chip, *name;
} platforms[] = {{"Ascend910B", "A2 hardware (Ascend910B1 to B4)"},
                 {"Ascend910_93", "A3 hardware (Ascend910_93xx)"},
                 {"Ascend950", "A5 hardware (Ascend950)"}};

/* Where tests ran, and where nobody has tried. A twin is never hardware. */
static void add_platforms(cJSON *root, const cJSON *record)
{
    const cJSON *facts = cJSON_GetObjectItemCaseSensitive(record, "facts");
    const struct npu_soc *soc = npu_soc_current(NULL);
    bool has_test = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(record, "test")) > 0;
    bool is_twin = !facts || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(facts, "is_twin"));
    const char *device = facts ? text_of(facts, "device") : soc ? soc->name : "an unknown chip";
    char *name = is_twin ? cli_fmt("the twin as %s (software, not hardware)", device)
                         : cli_fmt("%s, a device of the machine", device);
    cJSON *covered = cJSON_AddArrayToObject(root, "covered"),
          *not_covered = cJSON_AddArrayToObject(root, "not_covered");

    cJSON_AddItemToArray(has_test ? covered : not_covered, cJSON_CreateString(name));
    for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++)
        if (is_twin || !has_test ||
            strncmp(device, platforms[i].chip, strlen(platforms[i].chip)) != 0)
            cJSON_AddItemToArray(not_covered, cJSON_CreateString(platforms[i].name));
    if (facts) {
        cJSON *platform = cJSON_Duplicate(facts, true),
              *skipped = cJSON_DetachItemFromObject(platform, "skipped");

        cJSON_AddItemToObject(root, "platform", platform);
        if (skipped)
            cJSON_AddItemToObject(root, "skipped", skipped);
    }
    free(name);
}

/* {"schema_version":1,"kind":"report","package":...,"steps":[...],"not_run":[...],"covered":[...],
 * "not_covered":[...],"skipped":[...],"platform":{...}} */
static cJSON *assemble(const struct work *work, const cJSON *record)
{
    cJSON *root = cJSON_CreateObject(), *steps = NULL, *not_run = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", "report");
    cJSON_AddStringToObject(root, "package", work->name);
    steps = cJSON_AddArrayToObject(root, "steps");
    not_run = cJSON_AddArrayToObject(root, "not_run");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(record, commands[i]), *item = NULL;

        if (!cJSON_GetArraySize(list))
            cJSON_AddItemToArray(not_run, cJSON_CreateString(commands[i]));
        cJSON_ArrayForEach(item, list) cJSON_AddItemToArray(steps, cJSON_Duplicate(item, true));
    }
    add_platforms(root, record);
    return root;
}

static bool is_passed(const cJSON *report)
{
    const cJSON *step = NULL;
    bool is_fine = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "not_run")) == 0;

    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(report, "steps")) is_fine =
        is_fine && number_of(step, "exit_code") == 0; /* NOLINT: exact zero */
    return is_fine;
}

static const char *verdict(const cJSON *report)
{
    bool has_skipped = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "skipped")) > 0;

    return !is_passed(report) ? "NOT every step passed"
           : has_skipped      ? "every step passed, and tests were skipped"
                              : "every step passed";
}

static void print_list(const cJSON *report, const char *key, const char *title, const char *bullet)
{
    const cJSON *item = NULL, *list = cJSON_GetObjectItemCaseSensitive(report, key);

    if (cJSON_GetArraySize(list))
        printf("%s\n", title);
    cJSON_ArrayForEach(item, list) printf("%s%s\n", bullet, item->valuestring);
}

/* " (in container NAME)" behind a command that ran in one; the caller frees it. */
static char *where_of(const cJSON *step)
{
    return *text_of(step, "container") ? cli_fmt(" (in container %s)", text_of(step, "container"))
                                       : cli_fmt("%s", "");
}

/* "torch 2.13.0+cpu, torch_npu 2.13.0, Python 3.11.7, CANN /..." */
static void print_versions(const cJSON *report, const char *begin)
{
    const cJSON *facts = cJSON_GetObjectItemCaseSensitive(report, "platform");

    if (facts)
        printf("%storch %s, torch_npu %s, Python %s, CANN %s\n", begin, text_of(facts, "torch"),
               text_of(facts, "torch_npu"), text_of(facts, "python"), text_of(facts, "cann"));
}

static void print_text(const cJSON *report)
{
    const cJSON *step = NULL;

    printf("%s: %s\n", text_of(report, "package"), verdict(report));
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(report, "steps"))
    {
        char *where = where_of(step);

        printf("  %-9s %-6s %6.1f s  %s%s\n", text_of(step, "step"),
               number_of(step, "exit_code") > 0 ? "FAILED" : "ok", number_of(step, "seconds"),
               text_of(step, "command"), where);
        free(where);
    }
    print_versions(report, "with: ");
    print_list(report, "not_run", "not run:", "  ");
    print_list(report, "skipped", "skipped tests:", "  ");
    print_list(report, "covered", "covered:", "  ");
    print_list(report, "not_covered", "not covered:", "  ");
}

static void print_markdown(const cJSON *report)
{
    const cJSON *step = NULL;

    printf("## %s: %s\n\n| step | result | seconds | command |\n|---|---|---|---|\n",
           text_of(report, "package"), verdict(report));
    cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(report, "steps"))
    {
        char *where = where_of(step);

        printf("| %s | %s | %.1f | `%s`%s |\n", text_of(step, "step"),
               number_of(step, "exit_code") > 0 ? "failed" : "ok", number_of(step, "seconds"),
               text_of(step, "command"), where);
        free(where);
    }
    print_versions(report, "\nWith ");
    print_list(report, "not_run", "\nNot run:", "- ");
    print_list(report, "skipped", "\nSkipped tests:", "- ");
    print_list(report, "covered", "\nCovered:", "- ");
    print_list(report, "not_covered", "\nNot covered:", "- ");
}

static void print_json(const cJSON *report)
{
    char *text = cJSON_Print(report);

    printf("%s\n", text ? text : "");
    cJSON_free(text);
}

int cmd_report(int argc, char **argv)
{
    struct cli_line line;
    struct work work = {0};
    const char *format = NULL;
    cJSON *record = NULL, *report = NULL;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    format = cli_value(&line, "format") ? cli_value(&line, "format") : "text";
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0 &&
        strcmp(format, "markdown") != 0)
        return cli_usage_error("report", "--format %s: text, json or markdown", format);
    code = work_open(&work, &line);
    if (code == EXIT_FINE) {
        record = work_record(work.dir);
        report = assemble(&work, record);
        (strcmp(format, "json") == 0       ? print_json
         : strcmp(format, "markdown") == 0 ? print_markdown
                                           : print_text)(report);
        code = is_passed(report) ? EXIT_FINE : EXIT_FINDINGS;
    }
    cJSON_Delete(report);
    cJSON_Delete(record);
    if (work.given)
        work_close(&work);
    return code;
}
