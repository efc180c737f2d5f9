/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - `nputwin explain CODE`: what a rule, a status or an aclError number means.
 *
 * Every word comes from the table that the finding or the error itself comes from.
 */
#include "../base/base.h"
#include "opt.h"
#include "rule.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Parts of an explanation, in order; a part that is NULL or empty is not there. */
struct part {
    const char *key, *text;
};
enum { N_PARTS = 8 };

struct topic {
    struct part part[N_PARTS];
};

static bool explain_rule(const char *word, struct topic *topic)
{
    const struct cli_rule *rule = cli_rule_find(word);

    if (rule)
        *topic = (struct topic){{{"code", rule->code},
                                 {"name", rule->name},
                                 {"severity", cli_severity_name(rule->severity)},
                                 {"title", rule->title},
                                 {"why", rule->why},
                                 {"wrong", rule->wrong},
                                 {"right", rule->right}}};
    return rule != NULL;
}

static const struct acl_row {
    const char *name, *number, *brief;
} acl_rows[] = {
#define ACLERR(name, number, brief) {#name, #number, brief},
#define ACLCODE                     ACLERR
#include "../rt/aclerr.def"
};
enum { N_ACL_ROWS = sizeof(acl_rows) / sizeof(acl_rows[0]) };

static bool explain_acl(const char *word, struct topic *topic)
{
    for (size_t i = 0; i < N_ACL_ROWS; i++) {
        if (strcmp(acl_rows[i].number, word) != 0 && strcasecmp(acl_rows[i].name, word) != 0)
            continue;
        *topic = (struct topic){{{"code", acl_rows[i].number},
                                 {"name", acl_rows[i].name},
                                 {"title", acl_rows[i].brief}}};
        return true;
    }
    return false;
}

static bool explain_status(const char *word, struct topic *topic)
{
    for (int st = 0; st < NPU_N_STATUS; st++) {
        if (strcasecmp(npu_status_name((enum npu_status)st), word) != 0)
            continue;
        *topic = (struct topic){{{"code", npu_status_name((enum npu_status)st)},
                                 {"title", npu_status_text((enum npu_status)st)},
                                 {"fix", npu_status_hint((enum npu_status)st)}}};
        return true;
    }
    return false;
}

static void print_block(const char *key, const char *text)
{
    printf("\n%s:\n", key);
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");

        printf("    %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void print_text(const struct topic *topic)
{
    const char *code = topic->part[0].text, *separator = " ";

    printf("%s", code);
    for (size_t i = 1; i < N_PARTS && topic->part[i].key; i++) {
        const struct part *part = &topic->part[i];

        if (!part->text || !*part->text)
            continue;
        if (strcmp(part->key, "name") == 0 || strcmp(part->key, "severity") == 0) {
            printf("%s%s", separator, part->text);
            separator = ", ";
        } else if (strcmp(part->key, "title") == 0) {
            printf(": %s\n", part->text);
        } else {
            print_block(part->key, part->text);
        }
    }
}

static void print_json(const struct topic *topic)
{
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", "explain");
    for (size_t i = 0; i < N_PARTS && topic->part[i].key; i++)
        if (topic->part[i].text && *topic->part[i].text)
            cJSON_AddStringToObject(root, topic->part[i].key, topic->part[i].text);
    text = cJSON_Print(root);
    printf("%s\n", text ? text : "");
    cJSON_free(text);
    cJSON_Delete(root);
}

static int unknown(const char *word)
{
    const char *near = cli_nearest(word, &cli_rules[0].code, sizeof(cli_rules[0]), cli_n_rules);

    if (!near)
        near = cli_nearest(word, &cli_rules[0].name, sizeof(cli_rules[0]), cli_n_rules);
    if (!near)
        near = cli_nearest(word, &acl_rows[0].name, sizeof(acl_rows[0]), N_ACL_ROWS);
    fprintf(stderr,
            "nputwin explain: no code '%s'%s%s%s; `nputwin list rules` and `nputwin list errors` "
            "name them all\n",
            word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_USAGE;
}

int cmd_explain(int argc, char **argv)
{
    struct cli_line line;
    struct topic topic = {0};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words != 1)
        return cli_usage_error("explain", "takes one code, got %zu", line.n_words);
    if (!explain_rule(line.words[0], &topic) && !explain_acl(line.words[0], &topic) &&
        !explain_status(line.words[0], &topic))
        return unknown(line.words[0]);
    if (cli_value(&line, "json"))
        print_json(&topic);
    else
        print_text(&topic);
    return EXIT_FINE;
}
