/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - `nputwin list KIND`: the tables that the code itself uses.
 *
 * Each list_<kind>() fills a JSON array of flat objects with the same keys; the text form is that
 * array as a table, so both always say the same.
 */
#include "../isa/isa.h"
#include "opt.h"
#include "rule.h"
#include "table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void add_text(cJSON *item, const char *key, const char *text)
{
    cJSON_AddStringToObject(item, key, text);
}

static void add_number(cJSON *item, const char *key, double number)
{
    cJSON_AddNumberToObject(item, key, number);
}

static cJSON *add_item(cJSON *items, const char *name)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddItemToArray(items, item);
    add_text(item, "name", name);
    return item;
}

static void list_soc(cJSON *items)
{
    static const struct column {
        const char *key;
        enum npu_mem mem;
    } columns[] = {{"ub_bytes", MEM_UB},   {"l1_bytes", MEM_L1},   {"l0a_bytes", MEM_L0A},
                   {"l0b_bytes", MEM_L0B}, {"l0c_bytes", MEM_L0C}, {"bt_bytes", MEM_BT},
                   {"fb_bytes", MEM_FB}};

    for (size_t i = 0; i < npu_n_socs; i++) {
        const struct npu_soc *soc = &npu_socs[i];
        cJSON *item = add_item(items, soc->name);
        char arch[32];

        snprintf(arch, sizeof(arch), "dav-%u", soc->arch);
        add_text(item, "arch", arch);
        add_number(item, "n_aic", soc->n_aic);
        add_number(item, "n_aiv", soc->n_aiv);
        for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
            add_number(item, columns[j].key, soc->mem_bytes[columns[j].mem]);
        add_number(item, "l2_mb", soc->l2_mb);
        add_number(item, "hbm_gb", soc->hbm_gb);
        add_number(item, "cube_mhz", soc->cube_mhz);
    }
}

static void list_insn(cJSON *items)
{
    for (size_t i = 0; i < N_OPS; i++) {
        const struct npu_isa_row *row = &npu_isa[i];
        cJSON *item = add_item(items, row->name);
        cJSON *types = NULL;

        add_text(item, "pipe", npu_pipes[row->pipe].name);
        add_text(item, "shape", npu_shapes[row->shape].name);
        types = cJSON_AddArrayToObject(item, "types");
        for (size_t t = 0; t < N_TYPES; t++)
            if (row->types >> t & 1)
                cJSON_AddItemToArray(types, cJSON_CreateString(npu_types[t].name));
        add_text(item, "cost", npu_costs[row->cost].name);
        add_text(item, "brief", row->brief);
    }
}

/* name: a status of ours, or the aclError constant; number: what a caller of the C API sees. */
static void add_error(cJSON *items, const char *family, const char *name, int number,
                      const char *text, const char *hint)
{
    cJSON *item = add_item(items, name);

    add_text(item, "family", family);
    add_number(item, "number", number);
    add_text(item, "text", text);
    add_text(item, "hint", hint);
}

/* The code before the sentence of aclGetRecentErrMsg; number: where its range begins. */
static const struct ecode {
    int from, to;
    const char *code, *title, *cause, *solution;
} ecodes[] = {
#define ECODE(from, to, code, title, cause, solution) {from, to, code, title, cause, solution},
#include "../rt/ecode.def"
};

static const struct ecode *ecode_of(int number)
{
    const struct ecode *e = ecodes;

    while (number < e->from || number > e->to)
        e++;
    return e;
}

static void list_errors(cJSON *items)
{
    for (int st = 0; st < NPU_N_STATUS; st++)
        add_error(items, "nputwin", npu_status_name((enum npu_status)st), st,
                  npu_status_text((enum npu_status)st), npu_status_hint((enum npu_status)st));
#define ACLERR(name, number, brief)                                                                \
    add_error(items, "acl", #name, number, brief, ecode_of(number)->solution);
#define ACLCODE ACLERR
#include "../rt/aclerr.def"
    for (size_t i = 0; i < sizeof(ecodes) / sizeof(ecodes[0]); i++) {
        char text[256];

        snprintf(text, sizeof(text), "%s: %s", ecodes[i].title, ecodes[i].cause);
        add_error(items, "ecode", ecodes[i].code, ecodes[i].from == INT_MIN ? 0 : ecodes[i].from,
                  text, ecodes[i].solution);
    }
}

static void list_metrics(cJSON *items)
{
#define METRIC(metric, metric_unit, is_better, is_against, the_goal, brief_text)                   \
    do {                                                                                           \
        cJSON *item = add_item(items, #metric);                                                    \
        add_text(item, "unit", metric_unit);                                                       \
        add_text(item, "better", #is_better);                                                      \
        add_text(item, "against", is_against);                                                     \
        add_number(item, "goal", the_goal);                                                        \
        add_text(item, "brief", brief_text);                                                       \
    } while (0);
#include "../bench/metrics.def"
}

/* The tests that name an interface, sorted by name; from rows.py. */
static const struct tests_row {
    const char *name, *tests; /* paths with blanks between */
} tests_rows[] = {
#define ACLNN(name, schema, level)
#define TESTS(name, tests) {name, tests},
#include "rows.inc"
};

static int compare_names(const void *name, const void *row)
{
    return strcmp(name, ((const struct tests_row *)row)->name);
}

static void add_tests(cJSON *item)
{
    const char *name = cJSON_GetObjectItem(item, "name")->valuestring;
    cJSON *tests = cJSON_AddArrayToObject(item, "tests");
    const struct tests_row *row =
        bsearch(name, tests_rows, sizeof(tests_rows) / sizeof(*tests_rows), sizeof(*tests_rows),
                compare_names);
    const char *at = row ? row->tests : "";

    while (*at) {
        size_t n = strcspn(at, " ");
        char path[256];

        snprintf(path, sizeof(path), "%.*s", (int)n, at);
        cJSON_AddItemToArray(tests, cJSON_CreateString(path));
        at += n + strspn(at + n, " ");
    }
}

/* The row "-" only says that a library exists. */
static void add_symbol(cJSON *items, const char *symbol, const char *level, const char *library,
                       const char *brief)
{
    cJSON *item = NULL;

    if (strcmp(symbol, "-") == 0)
        return;
    item = add_item(items, symbol);
    add_text(item, "library", library);
    add_text(item, "level", level);
    add_text(item, "brief", brief);
    add_tests(item);
}

static void list_abi(cJSON *items)
{
#define ABI(library, symbol, level, brief)                                                         \
    add_symbol(items, #symbol, #level, "lib" #library ".so", brief);
#include "../rt/abi.def"
}

/* Numerics are those of torch on the CPU, and what a row cannot map it refuses. */
static cJSON *add_computed(cJSON *items, const char *name, const char *schema, const char *level)
{
    cJSON *item = add_item(items, name);

    add_text(item, "computed_by", schema);
    add_text(item, "level", level);
    add_tests(item);
    return item;
}

static void list_aclnn(cJSON *items)
{
#define ACLNN(name, schema, level) add_computed(items, name, schema, level);
#define TESTS(name, tests)
#include "rows.inc"
}

static void add_aclop(cJSON *items, const char *type, const char *schema, const char *missing)
{
    cJSON *item = add_computed(items, type, schema, missing ? "partial" : "full");

    add_text(item, "reason", missing ? missing : "");
}

static void list_aclop(cJSON *items)
{
#define ACLOP_full         NULL
#define ACLOP_partial(why) why
#define ACLOP(type, missing, inputs, outputs, attrs, types, shapes, schema, fn)                    \
    add_aclop(items, type, schema ? schema : "native: " #fn, ACLOP_##missing);
#include "../rt/opapi/aclop.def"
}

/* Why a row is not full; of a partial one that has no reason of its own, what the headers say. */
static const char *reason_of(const char *name, const char *level)
{
    static const struct {
        const char *name, *reason;
    } reasons[] = {
#define WHY(name, reason) {#name, reason},
#include "../front/api/why.def"
    };

    if (strcmp(level, "full") == 0)
        return "";
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strcmp(reasons[i].name, name) == 0)
            return reasons[i].reason;
    return "the forms that the headers declare; another one does not compile or is refused by name";
}

static void add_api(cJSON *items, const char *name, const char *door, const char *family,
                    const char *archs, const char *level)
{
    cJSON *item = add_item(items, name);
    cJSON *arch = NULL;

    add_text(item, "door", door);
    add_text(item, "family", family);
    arch = cJSON_AddArrayToObject(item, "arch");
    for (const char *at = archs; *at; at += strcspn(at, " ") + strspn(at + strcspn(at, " "), " ")) {
        char text[32];

        snprintf(text, sizeof(text), "dav-%.*s", (int)strcspn(at, " "), at);
        cJSON_AddItemToArray(arch, cJSON_CreateString(text));
    }
    add_text(item, "level", level);
    add_text(item, "reason", reason_of(name, level));
    add_tests(item);
}

static void list_api(cJSON *items)
{
#define API(name, door, family, arch, level) add_api(items, #name, #door, #family, arch, #level);
#include "../front/api.def"
}

static void list_rules(cJSON *items)
{
    for (size_t i = 0; i < cli_n_rules; i++) {
        cJSON *item = add_item(items, cli_rules[i].code);

        add_text(item, "rule", cli_rules[i].name);
        add_text(item, "severity", cli_severity_name(cli_rules[i].severity));
        add_text(item, "title", cli_rules[i].title);
    }
}

/* No run-time check exists in this version: the list is empty, not absent. */
static void list_checks(cJSON *items)
{
    (void)items;
}

static const struct kind {
    const char *name, *brief;
    void (*fill)(cJSON *items);
} kinds[] = {
#define KIND(name, brief) {#name, brief, list_##name},
#include "kind.def"
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static int kind_error(const char *name)
{
    const char *near = name ? cli_nearest(name, &kinds[0].name, sizeof(kinds[0]), N_KINDS) : NULL;

    if (near)
        cli_usage_error("list", "no kind '%s'; did you mean '%s'?", name, near);
    else if (name)
        cli_usage_error("list", "no kind '%s'", name);
    else
        cli_usage_error("list", "no kind given");
    fprintf(stderr, "kinds:\n");
    for (size_t i = 0; i < N_KINDS; i++)
        fprintf(stderr, "  %-8s %s\n", kinds[i].name, kinds[i].brief);
    return EXIT_USAGE;
}

int cmd_list(int argc, char **argv)
{
    struct cli_line line;
    const struct kind *kind = NULL;
    cJSON *items = NULL;
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    if (code != EXIT_FINE)
        return code;
    if (line.n_words > 1)
        return cli_usage_error("list", "takes one kind, got %zu", line.n_words);
    kind = line.n_words ? find_kind(line.words[0]) : NULL;
    if (!kind)
        return kind_error(line.words[0]);
    items = cJSON_CreateArray();
    kind->fill(items);
    if (cli_value(&line, "json"))
        cli_print_json(stdout, kind->name, items);
    else
        cli_print_table(stdout, items);
    cJSON_Delete(items);
    return EXIT_FINE;
}
