/* SPDX-License-Identifier: Apache-2.0 */
/* rules_opcommand.c - Pattern C: chains of at_npu::native::OpCommand. */
#include "check.h"
#include "../file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* From .Name("Type") to .Run(), whether in one expression or in statements on one variable. */
struct chain {
    const struct src *src;
    const struct fn *fn;
    char *type;
    int32_t from, to; /* tokens; to: behind the last one */
    bool has_run;
    bool is_label; /* SetCustomHandler runs a function of the project's own: the name is for logs */
};

static bool is_method(const struct src *s, int32_t tok)
{
    return tok_is(s, tok - 1, ".") && tok_is(s, tok + 1, "(");
}

static bool next_chain(const struct src *s, const struct check *c, int32_t *at, struct chain *chain)
{
    struct call call;

    while (next_call(s, "Name", at, s->lex.n, &call)) {
        char *type =
            call.n_args == 1 && is_method(s, call.name) ? span_string(s, call.arg[0]) : NULL;
        const struct fn *fn = fn_at(c, s, call.name);
        bool has_parts = false;

        if (!type || !fn) {
            free(type);
            continue;
        }
        *chain = (struct chain){s, fn, type, call.name, fn->end, false, false};
        for (int32_t i = call.name + 1; i < fn->end; i++) {
            chain->is_label |= tok_is(s, i, "SetCustomHandler") && is_method(s, i);
            has_parts |= is_method(s, i) &&
                         (tok_is(s, i, "Input") || tok_is(s, i, "Output") || tok_is(s, i, "Attr"));
            /* One of two names for what follows is no end: accumulate ? cmd.Name("A") : ... */
            if (has_parts && tok_is(s, i, "Name") && is_method(s, i)) {
                chain->to = i;
                break;
            }
            if (tok_is(s, i, "Run") && is_method(s, i)) {
                chain->has_run = true;
                chain->to = i + 2;
                break;
            }
        }
        return true;
    }
    return false;
}

typedef void look_fn(struct check *c, const struct chain *chain);

static void each_chain(struct check *c, look_fn *look)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct chain chain;

        for (int32_t at = 0; s->lang == LANG_CPP && next_chain(s, c, &at, &chain);) {
            look(c, &chain);
            free(chain.type);
        }
    }
}

/* What .Attr takes without doubt: a cast, a string object, or a variable of one of its types. */
static bool is_attr_type(const char *type)
{
    static const char *const types[] = {"int64_t",     "float",    "bool",   "string",
                                        "IntArrayRef", "ArrayRef", "Scalar", "ScalarType",
                                        "SmallVector", "vector",   "auto"};

    for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); i++)
        if (strstr(type, types[i]))
            return true;
    return false;
}

static void one_attr(struct check *c, const struct chain *chain, const struct call *call)
{
    const struct src *s = chain->src;
    struct span value = call->arg[1];
    const struct cc_tok *first = &s->lex.tok[value.from];
    char *text = span_text(s, value), *string = span_string(s, value),
         *name = span_text(s, call->arg[0]);
    char *type =
        value.to - value.from == 1 && first->kind == TOK_ID ? type_of(chain->fn, text) : NULL;

    if (string) {
        if (report(c, "NTL051", s, tok_at(s, value.from),
                   "attribute %s of %s gets a string literal, which becomes the bool true", name,
                   chain->type)) {
            hint(c, "std::string(%s)", text);
            fix(c, s, tok_at(s, value.from), strlen(text), "std::string(%s)", text);
        }
    } else if ((value.to - value.from == 1 && first->kind == TOK_NUM) ||
               (type && !is_attr_type(type))) {
        if (report(c, "NTL050", s, tok_at(s, value.from),
                   "attribute %s of %s gets `%s`%s%s: the overload of Attr is ambiguous", name,
                   chain->type, text, type ? ", a " : "", type ? type : ""))
            hint(c, "(int64_t)%s or (float)%s, as the operator's schema has it", text, text);
    }
    free(text);
    free(string);
    free(name);
    free(type);
}

static void attr_types(struct check *c, const struct chain *chain)
{
    struct call call;

    for (int32_t at = chain->from; next_call(chain->src, "Attr", &at, chain->to, &call);)
        if (call.n_args >= 2 && is_method(chain->src, call.name))
            one_attr(c, chain, &call);
}

bool is_built_in(const char *type)
{
    static const char *const types[] = {
#define ACLOP(type, ...) type,
#include "../../rt/opapi/aclop.def"
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

static bool is_in_cann(const char *type)
{
    static const char *const types[] = {
#define CANN_OP(type) #type,
#include "cann_op.def"
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

/* Whether a file of op_host/ below dir has OP_ADD(type). */
static bool is_registered_in(const char *dir, const char *type)
{
    char *host = cli_fmt("%s/op_host", dir), *word = cli_fmt("OP_ADD(%s)", type);
    struct cli_words files = {0};
    bool is_there = false;

    cli_walk(host, &files);
    for (size_t i = 0; i < files.n && !is_there; i++) {
        char *path = cli_fmt("%s/%s", host, files.at[i]), *text = cli_read(path, NULL);

        is_there = text && strstr(text, word);
        free(text);
        free(path);
    }
    cli_words_finish(&files);
    free(host);
    free(word);
    return is_there;
}

/* What is looked at may lie in an operator project, below framework/. */
static bool is_registered_above(const struct check *c, const char *type)
{
    char *dir = cli_fmt("%s", c->root ? c->root : "."), path[PATH_MAX];
    bool is_there = false;

    for (int up = 0; up < 3 && !is_there; up++) {
        char *next = cli_fmt("%s/..", realpath(dir, path) ? path : ".");

        free(dir);
        dir = next;
        is_there = is_registered_in(dir, type);
    }
    free(dir);
    return is_there;
}

/* Types that the twin computes, that CANN has beside them, and those that this project registers
 * with OP_ADD. */
static bool is_known(const struct check *c, const char *type)
{
    struct call call;

    if (is_built_in(type) || is_in_cann(type))
        return true;
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (int32_t at = 0; s->lang == LANG_CPP && next_call(s, "OP_ADD", &at, s->lex.n, &call);)
            if (call.n_args && tok_is(s, call.arg[0].from, type))
                return true;
    }
    return is_registered_above(c, type);
}

static void known_type(struct check *c, const struct chain *chain)
{
    if (!chain->is_label && !is_known(c, chain->type) &&
        report(
            c, "NTL052", chain->src, tok_at(chain->src, chain->from),
            "no operator type %s: none of CANN that is known here, and no OP_ADD of this project",
            chain->type))
        hint(c, "the name of an installed operator's OP_ADD, or a built-in type");
}

static void input_names(struct check *c, const struct chain *chain)
{
    size_t named = 0, unnamed = 0;
    struct call call;

    for (int32_t at = chain->from; next_call(chain->src, "Input", &at, chain->to, &call);) {
        char *name = call.n_args >= 2 ? span_string(chain->src, call.arg[call.n_args - 1]) : NULL;

        named += name != NULL;
        /* .Input() is an absent input, .Input(list, at::kInt) a value of the host: without a name
         */
        unnamed += name == NULL && call.n_args == 1;
        free(name);
    }
    if (named && unnamed &&
        report(c, "NTL053", chain->src, tok_at(chain->src, chain->from),
               "%zu inputs of %s have a name and %zu have none", named, chain->type, unnamed))
        hint(c, "name them all, as the operator's definition does, or none");
    named = unnamed = 0; /* now outputs: with one alone no order can be wrong */
    for (int32_t at = chain->from; next_call(chain->src, "Output", &at, chain->to, &call);) {
        named += call.n_args >= 2 && is_method(chain->src, call.name);
        unnamed += call.n_args == 1 && is_method(chain->src, call.name);
    }
    if (named && named + unnamed > 1)
        report(c, "NTL054", chain->src, tok_at(chain->src, chain->from),
               "names of outputs of %s have no effect: they are matched by position", chain->type);
}

static void without_run(struct check *c, const struct chain *chain)
{
    if (!chain->has_run && report(c, "NTL055", chain->src, tok_at(chain->src, chain->from),
                                  "%s is described and never run", chain->type))
        hint(c, ".Run() at the end of the chain");
}

/* The chip that the package is built for: --device-soc, else SOC_VERSION of a CMake file in it. */
static const char *chip(const struct check *c, const struct src *s)
{
    const struct package *package = package_of(c, s->name);

    if (c->device_soc)
        return c->device_soc;
    for (size_t i = 0; i < c->command.n; i++) {
        const struct command *command = &c->command.at[i];

        if (strcmp(command->name, "set") == 0 && command->args.n >= 2 &&
            strcmp(command->args.at[0], "SOC_VERSION") == 0 &&
            package_of(c, command->src->name) == package)
            return command->args.at[1];
    }
    return "";
}

static void disabled_on_950(struct check *c, const struct chain *chain)
{
    const char *soc = chip(c, chain->src);

    if (!chain->is_label && strncasecmp(soc, "ascend950", 9) == 0 &&
        report(c, "NTL056", chain->src, tok_at(chain->src, chain->from),
               "torch_npu disables aclop on %s: %s cannot run there", soc, chain->type))
        hint(c, "EXEC_NPU_CMD_EXT(aclnn%s, ...) when the operator has an aclnn entry", chain->type);
}

static void attr_rule(struct check *c)
{
    each_chain(c, attr_types);
}
static void type_rule(struct check *c)
{
    each_chain(c, known_type);
}
static void name_rule(struct check *c)
{
    each_chain(c, input_names);
}
static void run_rule(struct check *c)
{
    each_chain(c, without_run);
}
static void chip_rule(struct check *c)
{
    each_chain(c, disabled_on_950);
}

const struct check_rule opcommand_rules[] = {
    {"NTL050", attr_rule}, {"NTL052", type_rule}, {"NTL053", name_rule},
    {"NTL055", run_rule},  {"NTL056", chip_rule}, {0},
};
