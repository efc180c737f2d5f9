/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - `nputwin plan [PATH]`: which way an operator goes into torch, and why.
 *
 * It reads the project as `check` does; options answer what files cannot say. Every choice comes
 * with its reason, so that a person can disagree.
 */
#include "check/check.h"
#include "cli.h"
#include "file.h"
#include "new/new.h"
#include "opdef.h"
#include "opt.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct plan {
    const struct cli_line *given;
    struct check project;
    char plan, pattern;      /* 'A' 'B'; 'A' 'B' 'C' */
    const char *route, *gen; /* library, pybind, aclnn; "7", "26" */
    char *op, *type,
        *dir; /* the operator's name in torch, its OP_ADD or built-in type, where files go */
    const struct optype
        *own; /* the type's row, when this project registers it and it can be written */
    struct cli_words why, files, untouched, commands;
};

/* ---- what the project holds ---- */

static const struct package *package_of_layout(const struct check *c, enum layout layout)
{
    for (size_t i = 0; i < c->package.n; i++)
        if (c->package.at[i].layout == layout)
            return &c->package.at[i];
    return NULL;
}

/* The name in the first OP_ADD; the caller frees it. */
static char *registered_type(const struct check *c)
{
    struct call call;

    for (size_t i = 0; i < c->src.n; i++)
        for (int32_t at = 0; c->src.at[i].lang == LANG_CPP &&
                             next_call(&c->src.at[i], "OP_ADD", &at, c->src.at[i].lex.n, &call);)
            if (call.n_args)
                return span_text(&c->src.at[i],
                                 (struct span){call.arg[0].from, call.arg[0].from + 1});
    return NULL;
}

static const struct fn *first_kernel(const struct check *c)
{
    for (size_t i = 0; i < c->fn.n; i++)
        if (c->fn.at[i].is_kernel)
            return &c->fn.at[i];
    return NULL;
}

/* A parameter called workspace or tiling. */
static bool has_param(const struct fn *kernel, const char *word)
{
    for (size_t i = 0; kernel && i < kernel->n_params; i++) {
        char *name = kernel->param[i].name == CC_NONE
                         ? NULL
                         : span_text(kernel->src, (struct span){kernel->param[i].name,
                                                                kernel->param[i].name + 1});
        bool is_it = name && strcasestr(name, word);

        free(name);
        if (is_it)
            return true;
    }
    return false;
}

/* LayerNormV3 as layer_norm_v3; the caller frees it. */
static char *snake(const char *type)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    for (const char *at = type; out && *at; at++) {
        bool is_big = *at >= 'A' && *at <= 'Z';

        if (is_big && at > type && !(at[-1] >= 'A' && at[-1] <= 'Z'))
            fputc('_', out);
        fputc(is_big ? *at - 'A' + 'a' : *at, out);
    }
    if (out)
        fclose(out);
    return text ? text : cli_fmt("op");
}

static bool is_option(const struct plan *p, const char *name, const char *value)
{
    const char *given = cli_value(p->given, name);

    return given && strcmp(given, value) == 0;
}

/* ---- the choices, in the order in which they depend on each other ---- */

static void choose_plan(struct plan *p)
{
    const struct package *project = package_of_layout(&p->project, LAYOUT_OP_PROJECT);

    p->plan = 'A';
    if (is_option(p, "deliver", "op-plugin")) {
        p->plan = 'B';
        cli_word_add(&p->why, "Plan B: delivery in the op-plugin tree is asked for");
    } else if (project) {
        cli_word_add(&p->why,
                     "Plan A: %s holds op_host/ and op_kernel/, and is integrated where it is",
                     *project->dir ? project->dir : "this project");
    } else if (package_of_layout(&p->project, LAYOUT_OP_PLUGIN)) {
        p->plan = 'B';
        cli_word_add(&p->why,
                     "Plan B: this is an op-plugin tree, and there is no operator project");
    } else {
        cli_word_add(&p->why, "Plan A: the lightest way; nothing asks for the op-plugin tree");
    }
}

static bool is_950(const struct plan *p)
{
    const char *soc = cli_value(p->given, "soc");

    return soc && strncasecmp(soc, "ascend950", 9) == 0;
}

/* The class of an operator of this project, or why a tree cannot be written from it. */
static void find_own(struct plan *p)
{
    char *why = NULL;

    p->own = is_built_in(p->type) ? NULL : opdef_read(&p->project, p->type, &why);
    if (why)
        cli_word_add(&p->why, "`nputwin new` cannot write it from its class: %s", why);
    free(why);
}

static void choose_pattern(struct plan *p)
{
    const struct fn *kernel = first_kernel(&p->project);
    const char *given = cli_value(p->given, "optype");
    char *own = registered_type(&p->project);

    if (given || own) {
        p->type = given ? cli_fmt("%s", given) : cli_fmt("%s", own);
        p->pattern = 'C';
        find_own(p);
        cli_word_add(&p->why,
                     given && is_built_in(given)
                         ? "Pattern C: %s is built into CANN, and only a host wrapper is missing"
                     : given ? "Pattern C: %s is said to be installed; `nputwin list aclop` does "
                               "not have it, so its package must be"
                             : "Pattern C: OP_ADD(%s) makes it an installed operator; build and "
                               "install the project first",
                     p->type);
    } else if (has_param(kernel, "workspace") || has_param(kernel, "tiling")) {
        p->pattern = 'B';
        cli_word_add(&p->why, "Pattern B: the kernel takes %s",
                     has_param(kernel, "tiling") ? "tiling data" : "a workspace");
    } else {
        p->pattern = 'A';
        cli_word_add(&p->why, kernel
                                  ? "Pattern A: the kernel takes inputs, outputs and scalars alone"
                                  : "Pattern A: no kernel is here yet; take B when it will need a "
                                    "workspace or tiling data");
    }
    free(own);
}

static void choose_route(struct plan *p)
{
    p->route = "library";
    if (p->pattern == 'C' && is_950(p)) {
        p->route = "aclnn";
        cli_word_add(&p->why,
                     "EXEC_NPU_CMD_EXT(aclnn%s, ...) in place of OpCommand: torch_npu disables "
                     "aclop on Ascend950",
                     p->type);
    } else if (is_option(p, "goal", "quick") && p->plan == 'B') {
        cli_word_add(&p->why,
                     "torch.library: op-plugin has no bindings of its own, and its example "
                     "can be called at once");
    } else if (is_option(p, "goal", "quick")) {
        p->route = "pybind";
        cli_word_add(&p->why, "pybind: the aim is to call a function from Python once; it is no "
                              "operator of torch, so move to "
                              "torch.library before others use it");
    } else {
        cli_word_add(
            &p->why,
            "torch.library: schema, torch.ops, Meta and autograd; what stays is registered there");
    }
    if (is_option(p, "goal", "graph"))
        cli_word_add(&p->why, "graph mode needs a Meta kernel with symbolic sizes; for TorchAir a "
                              "converter has to be written "
                              "as well, which is outside eager integration");
}

static void choose_generation(struct plan *p)
{
    const char *given = cli_value(p->given, "gen");
    bool has_asc = false;

    for (size_t i = 0; i < p->project.paths.n; i++) {
        size_t n = strlen(p->project.paths.at[i]);

        has_asc |= n > 4 && strcmp(p->project.paths.at[i] + n - 4, ".asc") == 0;
    }
    p->gen = given ? given : has_asc || strcmp(p->route, "pybind") == 0 ? "26" : "7";
    if (p->pattern == 'C')
        return; /* no kernel is compiled */
    cli_word_add(&p->why,
                 strcmp(p->gen, "26") == 0
                     ? "generation 26: %s, compiled by bisheng and launched with <<<>>>"
                     : "generation 7: %s, ascendc_library and EXEC_KERNEL_CMD",
                 given                       ? "as asked for"
                 : has_asc                   ? "there are .asc files"
                 : strcmp(p->gen, "26") == 0 ? "one command builds kernel and binding"
                                             : "the seeds' way");
}

/* ---- what follows from them ---- */

static void name_operator(struct plan *p)
{
    const struct fn *kernel = first_kernel(&p->project);
    const char *given = cli_value(p->given, "name");

    if (given)
        p->op = cli_fmt("%s", given);
    else if (p->type)
        p->op = snake(p->type);
    else if (kernel)
        p->op = span_text(kernel->src, (struct span){kernel->name, kernel->name + 1});
    else
        p->op = cli_fmt("%s", "NAME");
}

/* What `nputwin new` writes. False: it has no template for that. */
static bool list_of_new(struct plan *p)
{
    const char pattern[] = {p->pattern, '\0'};
    struct wish wish = {pattern, p->route, p->gen, "extension", p->type, p->own};
    struct copy copy = {.name = p->op};
    bool is_done = false;

    copy.t = strcmp(p->route, "aclnn") == 0 ? NULL : new_template(&wish, &copy.type);
    is_done = copy.t && new_list(&copy, p->dir);
    for (size_t i = 0; is_done && i < copy.to.n; i++)
        cli_word_add(&p->files, "%s", copy.to.at[i]);
    copy_finish(&copy);
    return is_done;
}

/* An operator of the project's own package, or an aclnn function: a host file and what loads it. */
static void list_of_own(struct plan *p)
{
    cli_word_add(&p->files, "%s/%s_ext/__init__.py", p->dir, p->op);
    cli_word_add(&p->files, "%s/%s_ext/_load.py", p->dir, p->op);
    cli_word_add(&p->files, "%s/csrc/host/%s.cpp", p->dir, p->op);
    cli_word_add(&p->files, "%s/CMakeLists.txt", p->dir);
    cli_word_add(&p->files, "%s/setup.py", p->dir);
    cli_word_add(&p->files, "%s/test/test.py", p->dir);
    cli_word_add(&p->files, "%s/README.md", p->dir);
}

static void place_files(struct plan *p)
{
    const struct package *project = package_of_layout(&p->project, LAYOUT_OP_PROJECT);
    const char *root = project ? project->dir : "";
    bool has_framework =
        has_file(&p->project, root, "framework/*") || has_file(&p->project, root, "framework/*/*");
    char *below = cli_fmt("%s%s", root, *root ? "/" : "");

    if (p->plan == 'B') {
        p->dir = cli_fmt("examples/%s_extension", p->op);
        char *type = camel(p->op);

        cli_word_add(&p->files, "op_plugin/ops/%s/%sKernelNpu%s.cpp",
                     p->pattern == 'C' ? "aclops" : "opapi", type,
                     p->pattern == 'C' ? "" : "OpApi");
        free(type);
        cli_word_add(&p->files, "op_plugin/config/op_plugin_functions.yaml (an entry)");
    } else {
        p->dir = cli_fmt("%s%s%s_extension", below, has_framework ? "framework/" : "", p->op);
    }
    if (!list_of_new(p))
        list_of_own(p);
    for (size_t i = 0; project && i < 4; i++) {
        static const char *const parts[] = {"op_host/", "op_kernel/", "tiling headers", "*.json"};

        cli_word_add(&p->untouched, "%s%s", below, parts[i]);
    }
    free(below);
}

static const char install_project[] =
    "cmake -S . -B build && cmake --build build && build/*.run   # installs the operator package";

/* Where `new` has no template: the nearest example that is installed, and what to put into it. */
static void list_own_commands(struct plan *p)
{
    char home[CLI_PATH_BYTES];
    bool is_aclnn = strcmp(p->route, "aclnn") == 0, has_home = cli_find_home(home);

    if (is_aclnn)
        cli_word_add(&p->commands, "nputwin doctor --op aclnn%s   # is the function there",
                     p->type);
    else
        cli_word_add(&p->commands, "%s", install_project);
    cli_word_add(
        &p->commands,
        "cp -r '%s/tools/nputwin/ops/custom_ops/axpy_custom/framework/axpy_ext' %s   # then "
        "%s%s for AxpyCustom, with its own inputs and attributes",
        has_home ? home : "$ASCEND_HOME_PATH", p->dir, is_aclnn ? "EXEC_NPU_CMD_EXT of aclnn" : "",
        p->type);
}

static void list_commands(struct plan *p)
{
    cli_word_add(&p->commands, "nputwin doctor");
    if (p->own && strcmp(p->route, "aclnn") != 0)
        cli_word_add(&p->commands, "%s", install_project);
    if (strcmp(p->route, "aclnn") == 0 || (p->type && !is_built_in(p->type) && !p->own))
        list_own_commands(p);
    else
        cli_word_add(&p->commands,
                     "nputwin new op %s --pattern %c --route %s --gen %s%s%s%s --into %s", p->op,
                     p->pattern, strcmp(p->route, "pybind") == 0 ? "pybind" : "library",
                     p->pattern == 'C' ? "7" : p->gen, p->pattern == 'C' ? " --optype " : "",
                     p->pattern == 'C' ? p->type : "", p->plan == 'B' ? " --plan b" : "",
                     p->plan == 'B' ? "." : p->dir);
    if (p->plan == 'B')
        cli_word_add(&p->commands,
                     "nputwin build npu_%s   # the file of op_plugin/ops, object only", p->op);
    cli_word_add(&p->commands, "nputwin check %s", p->dir);
    cli_word_add(&p->commands, "cd %s", p->dir);
    cli_word_add(&p->commands,
                 "nputwin build && nputwin install && nputwin test && nputwin report");
}

/* ---- printing ---- */

static void print_words(const char *title, const struct cli_words *words)
{
    if (words->n)
        printf("%s:\n", title);
    for (size_t i = 0; i < words->n; i++)
        printf("  %s\n", words->at[i]);
}

static void print_text(const struct plan *p)
{
    printf("Plan %c, Pattern %c, route %s%s%s\n", p->plan, p->pattern,
           strcmp(p->route, "library") == 0 ? "torch.library" : p->route,
           p->pattern == 'C' ? "" : ", generation ", p->pattern == 'C' ? "" : p->gen);
    print_words("because", &p->why);
    print_words("files", &p->files);
    print_words("not touched", &p->untouched);
    print_words("commands", &p->commands);
}

static void add_words(cJSON *root, const char *key, const struct cli_words *words)
{
    cJSON *list = cJSON_AddArrayToObject(root, key);

    for (size_t i = 0; i < words->n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(words->at[i]));
}

static void print_json(const struct plan *p)
{
    cJSON *root = cJSON_CreateObject();
    const char plan[] = {p->plan, '\0'}, pattern[] = {p->pattern, '\0'};
    char *text = NULL;

    cJSON_AddNumberToObject(root, "schema_version", CLI_SCHEMA_VERSION);
    cJSON_AddStringToObject(root, "kind", "plan");
    cJSON_AddStringToObject(root, "plan", plan);
    cJSON_AddStringToObject(root, "pattern", pattern);
    cJSON_AddStringToObject(root, "route", p->route);
    cJSON_AddStringToObject(root, "generation", p->gen);
    cJSON_AddStringToObject(root, "operator", p->op);
    if (p->type)
        cJSON_AddStringToObject(root, "type", p->type);
    cJSON_AddStringToObject(root, "directory", p->dir);
    add_words(root, "why", &p->why);
    add_words(root, "files", &p->files);
    add_words(root, "untouched", &p->untouched);
    add_words(root, "commands", &p->commands);
    text = cJSON_Print(root);
    printf("%s\n", text ? text : "");
    cJSON_free(text);
    cJSON_Delete(root);
}

static void finish(struct plan *p)
{
    check_finish(&p->project);
    free(p->op);
    free(p->type);
    free(p->dir);
    cli_words_finish(&p->why);
    cli_words_finish(&p->files);
    cli_words_finish(&p->untouched);
    cli_words_finish(&p->commands);
}

static int check_choice(const struct cli_line *line, const char *option, const char *const *words,
                        size_t n)
{
    const char *value = cli_value(line, option), *near = NULL;
    char *all = cli_fmt("%s", "");

    for (size_t i = 0; value && i < n; i++) {
        char *longer = cli_fmt("%s%s%s", all, i ? ", " : "", words[i]);

        free(all);
        all = longer;
        value = strcmp(value, words[i]) == 0 ? NULL : value;
    }
    near = value ? cli_nearest(value, words, sizeof(*words), n) : NULL;
    if (value)
        cli_usage_error("plan", "--%s %s: one of %s%s%s%s", option, value, all,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(all);
    return value ? EXIT_USAGE : EXIT_FINE;
}

int cmd_plan(int argc, char **argv)
{
    static const char *const goals[] = {"formal", "quick", "graph"},
                             *const places[] = {"project", "op-plugin"},
                             *const gens[] = {"7", "26"};
    struct cli_line line;
    struct plan plan = {.given = &line};
    int code = cli_parse(&line, CLI_MIXED, argc, argv);

    code = code == EXIT_FINE ? check_choice(&line, "goal", goals, 3) : code;
    code = code == EXIT_FINE ? check_choice(&line, "deliver", places, 2) : code;
    code = code == EXIT_FINE ? check_choice(&line, "gen", gens, 2) : code;
    if (code != EXIT_FINE)
        return code;
    if (!check_read_all(&plan.project, "plan", line.words, line.n_words)) {
        finish(&plan);
        return EXIT_USAGE;
    }
    choose_plan(&plan);
    choose_pattern(&plan);
    choose_route(&plan);
    choose_generation(&plan);
    name_operator(&plan);
    place_files(&plan);
    list_commands(&plan);
    if (cli_value(&line, "json"))
        print_json(&plan);
    else
        print_text(&plan);
    finish(&plan);
    return EXIT_FINE;
}
