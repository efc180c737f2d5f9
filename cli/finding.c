/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - a sorted list of findings as text, JSON, SARIF and GitHub annotations. */
#include "finding.h"
#include "mem.h"
#include "rule.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *cli_severity_name(enum cli_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};

    return names[severity];
}

void cli_find_add(struct cli_findings *found, const char *code, enum cli_severity severity,
                  const char *file, unsigned line, unsigned column, const char *fmt, ...)
{
    struct cli_finding *one = NULL;
    va_list ap;

    found->at = cli_room(found->at, found->n, &found->room, sizeof(*found->at));
    one = &found->at[found->n++];
    *one = (struct cli_finding){.code = code, .severity = severity, .line = line, .column = column};
    one->file = file ? cli_fmt("%s", file) : NULL;
    va_start(ap, fmt);
    one->message = cli_vfmt(fmt, ap);
    va_end(ap);
}

void cli_find_hint(struct cli_findings *found, const char *fmt, ...)
{
    struct cli_finding *one = &found->at[found->n - 1];
    va_list ap;

    free(one->hint);
    va_start(ap, fmt);
    one->hint = cli_vfmt(fmt, ap);
    va_end(ap);
}

void cli_find_finish(struct cli_findings *found)
{
    for (size_t i = 0; i < found->n; i++) {
        free(found->at[i].file);
        free(found->at[i].message);
        free(found->at[i].hint);
    }
    free(found->at);
    *found = (struct cli_findings){0};
}

size_t cli_find_count(const struct cli_findings *found, enum cli_severity at_least)
{
    size_t n = 0;

    for (size_t i = 0; i < found->n; i++)
        n += found->at[i].severity >= at_least;
    return n;
}

bool cli_format_of(const char *name, enum cli_format *format)
{
    static const char *const names[] = {"text", "json", "sarif", "github"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            *format = (enum cli_format)i;
            return true;
        }
    }
    return false;
}

static int by_place(const void *left, const void *right)
{
    const struct cli_finding *a = left, *b = right;
    int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = (a->column > b->column) - (a->column < b->column);
    return order ? order : strcmp(a->code, b->code);
}

static void print_text(FILE *out, const struct cli_finding *one)
{
    if (one->file)
        fprintf(out, "%s:", one->file);
    if (one->file && one->line)
        fprintf(out, "%u:", one->line);
    if (one->file && one->line && one->column)
        fprintf(out, "%u:", one->column);
    fprintf(out, "%s%s %s: %s\n", one->file ? " " : "", cli_severity_name(one->severity), one->code,
            one->message);
    if (one->hint)
        fprintf(out, "  fix: %s\n", one->hint);
}

/* GitHub reads %, CR and LF of a message as escapes, and of a property also ':' and ','. */
static void print_escaped(FILE *out, const char *text, const char *more)
{
    for (; *text; text++) {
        if (strchr("%\r\n", *text) || strchr(more, *text))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
    }
}

static void print_github(FILE *out, const struct cli_finding *one)
{
    static const char *const words[] = {"notice", "warning", "error"};

    fprintf(out, "::%s ", words[one->severity]);
    if (one->file) {
        fprintf(out, "file=");
        print_escaped(out, one->file, ":,");
        fprintf(out, ",line=%u,", one->line ? one->line : 1);
    }
    fprintf(out, "title=%s::", one->code);
    print_escaped(out, one->message, "");
    if (one->hint) {
        fprintf(out, "%%0Afix: ");
        print_escaped(out, one->hint, "");
    }
    fputc('\n', out);
}

static cJSON *as_json(const struct cli_finding *one)
{
    const struct cli_rule *rule = cli_rule_find(one->code);
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "code", one->code);
    cJSON_AddStringToObject(item, "rule", rule ? rule->name : "");
    cJSON_AddStringToObject(item, "severity", cli_severity_name(one->severity));
    if (one->file)
        cJSON_AddStringToObject(item, "file", one->file);
    if (one->line)
        cJSON_AddNumberToObject(item, "line", one->line);
    if (one->column)
        cJSON_AddNumberToObject(item, "column", one->column);
    cJSON_AddStringToObject(item, "message", one->message);
    if (one->hint)
        cJSON_AddStringToObject(item, "fix", one->hint);
    return item;
}

static cJSON *sarif_rule(const struct cli_rule *rule)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "id", rule->code);
    cJSON_AddStringToObject(item, "name", rule->name);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(item, "shortDescription"), "text", rule->title);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(item, "fullDescription"), "text", rule->why);
    return item;
}

static cJSON *sarif_result(const struct cli_finding *one)
{
    cJSON *item = cJSON_CreateObject(), *place = NULL, *region = NULL;
    char *text =
        one->hint ? cli_fmt("%s; fix: %s", one->message, one->hint) : cli_fmt("%s", one->message);

    cJSON_AddStringToObject(item, "ruleId", one->code);
    cJSON_AddStringToObject(item, "level", cli_severity_name(one->severity));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(item, "message"), "text", text);
    free(text);
    if (!one->file)
        return item;
    place = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(item, "locations"), place);
    place = cJSON_AddObjectToObject(place, "physicalLocation");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(place, "artifactLocation"), "uri", one->file);
    if (one->line) {
        region = cJSON_AddObjectToObject(place, "region");
        cJSON_AddNumberToObject(region, "startLine", one->line);
        if (one->column)
            cJSON_AddNumberToObject(region, "startColumn", one->column);
    }
    return item;
}

static cJSON *sarif(const struct cli_findings *found)
{
    cJSON *root = cJSON_CreateObject(), *run = cJSON_CreateObject(), *driver = NULL, *list = NULL;

    cJSON_AddStringToObject(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(root, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "runs"), run);
    driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "nputwin");
    cJSON_AddStringToObject(driver, "version", NPUTWIN_VERSION);
    list = cJSON_AddArrayToObject(driver, "rules");
    for (size_t i = 0; i < cli_n_rules; i++)
        cJSON_AddItemToArray(list, sarif_rule(&cli_rules[i]));
    list = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < found->n; i++)
        cJSON_AddItemToArray(list, sarif_result(&found->at[i]));
    return root;
}

static cJSON *json(const struct cli_findings *found)
{
    cJSON *root = cJSON_CreateObject(), *list = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", "findings");
    list = cJSON_AddArrayToObject(root, "items");
    for (size_t i = 0; i < found->n; i++)
        cJSON_AddItemToArray(list, as_json(&found->at[i]));
    return root;
}

void cli_find_print(FILE *out, struct cli_findings *found, enum cli_format format)
{
    cJSON *root = NULL;
    char *text = NULL;

    if (found->n)
        qsort(found->at, found->n, sizeof(*found->at), by_place);
    if (format == CLI_JSON || format == CLI_SARIF) {
        root = format == CLI_JSON ? json(found) : sarif(found);
        text = cJSON_Print(root);
        fprintf(out, "%s\n", text ? text : "");
        cJSON_free(text);
        cJSON_Delete(root);
        return;
    }
    for (size_t i = 0; i < found->n; i++)
        format == CLI_TEXT ? print_text(out, &found->at[i]) : print_github(out, &found->at[i]);
}
