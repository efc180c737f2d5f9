/* SPDX-License-Identifier: Apache-2.0 */
/* rules_torch.c - what is registered with torch: namespaces, schemas, kernels, Meta. */
#include "check.h"
#include "../file.h"

#include <stdlib.h>
#include <string.h>

static unsigned line_of(const struct src *s, size_t at)
{
    unsigned line = 0, column = 0;

    src_place(s, at, &line, &column);
    return line;
}

static const struct impl *impl_of(const struct check *c, const char *ns, const char *op,
                                  const char *key)
{
    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];

        if (impl->lib->key && strcmp(impl->lib->key, key) == 0 && strcmp(impl->lib->ns, ns) == 0 &&
            strcmp(impl->op, op) == 0)
            return impl;
    }
    return NULL;
}

static const struct def *def_of(const struct check *c, const char *ns, const char *op)
{
    for (size_t i = 0; i < c->def.n; i++)
        if (strcmp(c->def.at[i].lib->ns, ns) == 0 && strcmp(c->def.at[i].schema.full, op) == 0)
            return &c->def.at[i];
    return NULL;
}

static bool is_call(const struct py_fact *fact, const char *name)
{
    const char *last = strrchr(fact->name, '.');

    return strcmp(fact->kind, "call") == 0 && strcmp(last ? last + 1 : fact->name, name) == 0;
}

/* Whether the file makes a Library("ns", ..., "Meta"). */
static bool has_meta_library(const struct check *c, const struct src *s, const char *ns)
{
    char *quoted = cli_fmt("'%s'", ns);
    bool is_found = false;

    for (size_t i = 0; i < c->py.n && !is_found; i++)
        is_found = c->py.at[i].src == s && is_call(&c->py.at[i], "Library") &&
                   strstr(c->py.at[i].text, quoted) && strstr(c->py.at[i].text, "'Meta'");
    free(quoted);
    return is_found;
}

/* A Python fake: torch.library.register_fake("ns::op") and its older names; impl(library, "op"). */
static bool has_python_fake(const struct check *c, const char *ns, const char *op)
{
    char *name = cli_fmt("%s::%s'", ns, op), *alone = cli_fmt("'%s'", op);
    bool is_found = false;

    for (size_t i = 0; i < c->py.n && !is_found; i++) {
        const struct py_fact *fact = &c->py.at[i];

        is_found = strcmp(fact->kind, "call") == 0 &&
                   (strstr(fact->name, "register_fake") || strstr(fact->name, "impl_abstract") ||
                    strstr(fact->name, "impl")) &&
                   strstr(fact->text, name);
        is_found =
            is_found || (is_call(fact, "impl") && strstr(fact->text, alone) &&
                         (strstr(fact->text, "'Meta'") || has_meta_library(c, fact->src, ns)));
    }
    free(name);
    free(alone);
    return is_found;
}

static void namespace_claimed_twice(struct check *c)
{
    for (size_t i = 0; i < c->lib.n; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct lib *lib = &c->lib.at[i], *first = &c->lib.at[j];

            if (lib->kind != LIB_LIBRARY || first->kind != LIB_LIBRARY ||
                strcmp(lib->ns, first->ns) != 0 || !is_loaded_together(c, lib->src, first->src))
                continue;
            if (report(c, "NTL013", lib->src, tok_at(lib->src, lib->name),
                       "namespace %s is claimed by a second TORCH_LIBRARY; the first is at %s:%u",
                       lib->ns, first->src->name,
                       line_of(first->src, tok_at(first->src, first->name))))
                hint(c,
                     "TORCH_LIBRARY_FRAGMENT(%s, m): loading both libraries aborts the interpreter",
                     lib->ns);
            break;
        }
    }
}

static void reserved_namespace(struct check *c)
{
    static const char *const reserved[] = {"npu", "aten", "_C", "prims"};

    for (size_t i = 0; i < c->lib.n; i++)
        for (size_t r = 0; r < sizeof(reserved) / sizeof(reserved[0]); r++)
            if (c->lib.at[i].kind == LIB_LIBRARY && strcmp(c->lib.at[i].ns, reserved[r]) == 0 &&
                report(c, "NTL014", c->lib.at[i].src, tok_at(c->lib.at[i].src, c->lib.at[i].name),
                       "namespace %s is reserved or owned by torch_npu or another package",
                       reserved[r])) {
                hint(c, "TORCH_LIBRARY_FRAGMENT(%s, m)", reserved[r]);
                fix(c, c->lib.at[i].src, tok_at(c->lib.at[i].src, c->lib.at[i].name),
                    strlen("TORCH_LIBRARY"), "TORCH_LIBRARY_FRAGMENT");
            }
}

static void schema_defined_twice(struct check *c)
{
    for (size_t i = 0; i < c->def.n; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct def *def = &c->def.at[i], *first = &c->def.at[j];

            if (strcmp(def->lib->ns, first->lib->ns) != 0 ||
                strcmp(def->schema.name, first->schema.name) != 0 ||
                strcmp(def->schema.overload, first->schema.overload) != 0 ||
                !is_loaded_together(c, def->lib->src, first->lib->src))
                continue;
            if (report(c, "NTL015", def->lib->src, tok_at(def->lib->src, def->at),
                       "%s::%s%s%s is defined a second time; the first is at %s:%u", def->lib->ns,
                       def->schema.name, *def->schema.overload ? "." : "", def->schema.overload,
                       first->lib->src->name,
                       line_of(first->lib->src, tok_at(first->lib->src, first->at))))
                hint(c, "give one of them another name, or an overload: %s.other(...)",
                     def->schema.name);
            break;
        }
    }
}

/* For the NPU, or for what is no NPU's by intent: an operator that takes tensors of the host. */
static bool has_impl(const struct check *c, const char *ns, const char *op)
{
    static const char *const keys[] = {"PrivateUse1", "CPU", "CompositeImplicitAutograd",
                                       "CompositeExplicitAutograd", "CatchAll"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (impl_of(c, ns, op, keys[i]))
            return true;
    return false;
}

/* One note a block: an operator without a kernel is allowed, but nobody can call it. */
static void def_without_kernel(struct check *c)
{
    for (size_t i = 0; i < c->lib.n; i++) {
        const struct lib *lib = &c->lib.at[i];
        const struct def *first = NULL;
        char *names = cli_fmt("%s", "");

        for (size_t d = 0; d < c->def.n; d++) {
            const struct def *def = &c->def.at[d];
            char *longer = NULL;

            if (def->lib != lib || def->has_fn || has_impl(c, lib->ns, def->schema.full))
                continue;
            first = first ? first : def;
            longer = cli_fmt("%s%s%s", names, *names ? ", " : "", def->schema.full);
            free(names);
            names = longer;
        }
        if (first &&
            report(c, "NTL011", lib->src, tok_at(lib->src, first->at),
                   "no TORCH_LIBRARY_IMPL(%s, PrivateUse1, m) registers %s", lib->ns, names))
            hint(c, "TORCH_LIBRARY_IMPL(%s, PrivateUse1, m) { m.impl(\"%s\", TORCH_FN(run_%s)); }",
                 lib->ns, first->schema.full, first->schema.name);
        free(names);
    }
}

static void kernel_without_def(struct check *c)
{
    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];
        bool is_ours = false;

        for (size_t d = 0; d < c->def.n; d++)
            is_ours |= strcmp(c->def.at[d].lib->ns, impl->lib->ns) == 0;
        if (is_ours && !def_of(c, impl->lib->ns, impl->op) &&
            report(c, "NTL012", impl->lib->src, tok_at(impl->lib->src, impl->at),
                   "%s::%s has a kernel for %s and no m.def", impl->lib->ns, impl->op,
                   impl->lib->key))
            hint(c, "m.def(\"%s(Tensor x) -> Tensor\") in a TORCH_LIBRARY_FRAGMENT(%s, m)",
                 impl->op, impl->lib->ns);
    }
}

/* A Meta function for a result shaped like the first tensor. */
static void hint_meta(struct check *c, const struct def *def)
{
    const struct schema *schema = &def->schema;
    const char *tensor = NULL;

    for (size_t i = 0; i < schema->n_args && !tensor; i++)
        if (strncmp(schema->arg[i].type, "Tensor", 6) == 0)
            tensor = schema->arg[i].name;
    if (!schema->n_rets && schema->is_parsed)
        hint(c, "a Meta kernel that returns nothing: void %s_meta(...) {}", schema->name);
    else if (tensor)
        hint(c,
             "at::Tensor %s_meta(...) { return at::empty_symint(%s.sym_sizes(), %s.options()); } "
             "when "
             "the result is shaped like %s",
             schema->name, tensor, tensor, tensor);
}

static void def_without_meta(struct check *c)
{
    for (size_t i = 0; i < c->def.n; i++) {
        const struct def *def = &c->def.at[i];
        const char *ns = def->lib->ns, *op = def->schema.full;

        if (!impl_of(c, ns, op, "PrivateUse1") || impl_of(c, ns, op, "Meta") ||
            has_python_fake(c, ns, op) || impl_of(c, ns, op, "CompositeImplicitAutograd") ||
            impl_of(c, ns, op, "CompositeExplicitAutograd"))
            continue;
        if (report(c, "NTL016", def->lib->src, tok_at(def->lib->src, def->at),
                   "%s::%s has no Meta kernel: torch.compile and fake tensors cannot trace it", ns,
                   op))
            hint_meta(c, def);
    }
}

/* An operator with a kernel for the NPU and one for another device falls back in silence. */
static void other_device(struct check *c)
{
    static const char *const keys[] = {"CPU", "CUDA", "XLA", "HIP"};

    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];

        for (size_t k = 0; impl->lib->key && k < sizeof(keys) / sizeof(keys[0]); k++)
            if (strcmp(impl->lib->key, keys[k]) == 0 &&
                impl_of(c, impl->lib->ns, impl->op, "PrivateUse1") &&
                report(c, "NTL017", impl->lib->src, tok_at(impl->lib->src, impl->at),
                       "%s::%s has a kernel for %s beside the one for the NPU", impl->lib->ns,
                       impl->op, impl->lib->key))
                hint(c, "leave it out: a call on another device must fail in the dispatcher");
    }
}

static void unwrapped_function(struct check *c)
{
    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];

        if (impl->fn && !impl->is_wrapped && fn_near(c, impl->lib->src, impl->fn, 0, false) &&
            report(c, "NTL018", impl->lib->src, tok_at(impl->lib->src, impl->at),
                   "m.impl(\"%s\", %s) passes a function pointer at run time", impl->op,
                   impl->fn)) {
            hint(c, "m.impl(\"%s\", TORCH_FN(%s))", impl->op, impl->fn);
            fix(c, impl->lib->src, tok_at(impl->lib->src, impl->fn_at), strlen(impl->fn),
                "TORCH_FN(%s)", impl->fn);
        }
    }
}

static void schema_form(struct check *c)
{
    for (size_t i = 0; i < c->def.n; i++) {
        const struct def *def = &c->def.at[i];

        if (strchr(def->text, '(') && !def->schema.is_parsed &&
            report(c, "NTL019", def->lib->src, tok_at(def->lib->src, def->at),
                   "\"%s\" is no operator schema", def->text))
            hint(c, "name(Tensor x, float s=1.0) -> Tensor");
    }
}

/* Whether one of the words of "a|b|c" is in text. */
static bool has_word(const char *words, const char *text)
{
    while (*words) {
        size_t n = strcspn(words, "|");
        char *word = cli_fmt("%.*s", (int)n, words);
        bool is_in = strstr(text, word) != NULL;

        free(word);
        if (is_in)
            return true;
        words += n + (words[n] == '|');
    }
    return false;
}

/* NULL for a name that is no alias of the project. */
static const char *alias_of(const struct check *c, const char *name)
{
    for (size_t i = 0; i < c->alias.n; i++)
        if (strcmp(c->alias.at[i].name, name) == 0)
            return c->alias.at[i].type;
    return NULL;
}

/* The type of a parameter with an alias in it replaced, through up to four of them. */
static char *type_of_param(const struct check *c, const struct fn *fn, const struct param *param)
{
    const char *text = NULL, *next = NULL;

    for (int32_t t = param->type.from; c->alias.n && t < param->type.to && !text; t++) {
        char *name =
            cc_is_id(&fn->src->lex, t) ? span_text(fn->src, (struct span){t, t + 1}) : NULL;

        text = name ? alias_of(c, name) : NULL;
        free(name);
    }
    for (int deep = 0; text && deep < 3 && (next = alias_of(c, text)) != NULL; deep++)
        text = next;
    return text ? cli_fmt("%s", text) : span_text(fn->src, param->type);
}

static void compare_types(struct check *c, const struct def *def, const struct impl *impl,
                          const struct fn *fn)
{
    for (size_t i = 0; i < def->schema.n_args; i++) {
        const char *want = schema_cpp_type(def->schema.arg[i].type);
        char *have = type_of_param(c, fn, &fn->param[i]);

        if (want && !has_word(want, have) &&
            report(c, "NTL021", fn->src, tok_at(fn->src, fn->param[i].type.from),
                   "%s::%s: schema type %s needs a C++ parameter of %s; %s has %s", impl->lib->ns,
                   impl->op, def->schema.arg[i].type, want, impl->fn, have))
            hint(c,
                 "torch refuses the library when it is loaded; int is int64_t and float is double");
        free(have);
    }
}

static void schema_against_function(struct check *c)
{
    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];
        const struct def *def = def_of(c, impl->lib->ns, impl->op);
        const struct fn *fn = impl->fn && def
                                  ? fn_near(c, impl->lib->src, impl->fn, def->schema.n_args, false)
                                  : NULL;

        if (!fn || !def->schema.is_parsed)
            continue;
        if (fn->n_params != def->schema.n_args)
            report(c, "NTL020", fn->src, tok_at(fn->src, fn->name),
                   "%s takes %zu parameters, the schema of %s::%s has %zu", impl->fn, fn->n_params,
                   impl->lib->ns, impl->op, def->schema.n_args);
        else
            compare_types(c, def, impl, fn);
    }
}

static void meta_with_fixed_sizes(struct check *c)
{
    for (size_t i = 0; i < c->impl.n; i++) {
        const struct impl *impl = &c->impl.at[i];
        const struct fn *fn = impl->fn && impl->lib->key && strcmp(impl->lib->key, "Meta") == 0
                                  ? fn_near(c, impl->lib->src, impl->fn, 0, false)
                                  : NULL;

        if (fn && span_has(fn->src, (struct span){fn->body, fn->end}, "sizes") &&
            !span_has(fn->src, (struct span){fn->body, fn->end}, "sym_sizes") &&
            report(c, "NTL022", fn->src, tok_at(fn->src, fn->name),
                   "the Meta kernel of %s::%s reads sizes(): torch.compile makes one graph per "
                   "batch size",
                   impl->lib->ns, impl->op))
            hint(c, "at::empty_symint(x.sym_sizes(), x.options())");
    }
}

/* Python's own torch.library: Library("ns", "DEF"), custom_op, define. */
static bool has_python_library(const struct check *c, const struct package *package)
{
    static const char *const calls[] = {"Library", "custom_op", "define"};

    for (size_t i = 0; i < c->py.n; i++) {
        const char *name = c->py.at[i].name, *last = strrchr(name, '.');

        for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
            if (strcmp(c->py.at[i].kind, "call") == 0 &&
                strcmp(last ? last + 1 : name, calls[k]) == 0 &&
                is_below(c->py.at[i].src->name, package->dir))
                return true;
    }
    return false;
}

/* Whether a function that the module binds hands anything to the NPU: others are the host's alone.
 */
static bool runs_on_npu(const struct check *c, const struct call *module)
{
    static const char *const marks[] = {"EXEC_NPU_CMD", "EXEC_NPU_CMD_EXT", "EXEC_KERNEL_CMD",
                                        "OpCommand"};
    const struct src *s = module->src;
    int32_t end = cc_mate(&s->lex, module->close + 1);
    struct call def;

    for (int32_t at = module->close; next_call(s, "def", &at, end, &def);) {
        int32_t last = def.n_args > 1 ? def.arg[1].to - 1 : CC_NONE;
        char *name = last == CC_NONE ? NULL : span_text(s, (struct span){last, last + 1});
        const struct fn *fn = name ? fn_near(c, s, name, 0, false) : NULL;

        free(name);
        for (size_t m = 0; fn && m < sizeof(marks) / sizeof(marks[0]); m++)
            if (span_has(fn->src, (struct span){fn->body, fn->end}, marks[m]))
                return true;
        for (size_t i = 0; fn && i < c->launch.n; i++)
            if (c->launch.at[i].in == fn)
                return true;
    }
    return false;
}

static void pybind_alone(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        const struct package *package = s->lang == LANG_CPP ? package_of(c, s->name) : NULL;
        struct call call;
        bool has_library = false;
        int32_t at = 0;

        if (!package || !strstr(s->text, "at::Tensor") ||
            !next_call(s, "PYBIND11_MODULE", &at, s->lex.n, &call) || !runs_on_npu(c, &call) ||
            has_python_library(c, package))
            continue;
        for (size_t l = 0; l < c->lib.n; l++)
            has_library |= package_of(c, c->lib.at[l].src->name) == package;
        if (!has_library &&
            report(
                c, "NTL023", s, tok_at(s, call.name),
                "functions are bound by pybind alone: no schema, no torch.ops, no torch.compile"))
            hint(
                c,
                "TORCH_LIBRARY_FRAGMENT with m.def for what is to stay; pybind is for a quick try");
    }
}

/* ---- schemas that were released ---- */

static char *baseline_path(const struct check *c)
{
    return cli_fmt("%s/.nputwin-schemas", c->root);
}

static char *schema_line(const struct def *def)
{
    return cli_fmt("%s::%s", def->lib->ns, def->text);
}

bool check_write_baseline(struct check *c)
{
    char *path = baseline_path(c), *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    bool is_written = false;

    for (size_t i = 0; out && i < c->def.n; i++) {
        char *line = schema_line(&c->def.at[i]);

        fprintf(out, "%s\n", line);
        free(line);
    }
    if (out)
        fclose(out);
    is_written = text && cli_write(path, text, n);
    free(path);
    free(text);
    return is_written;
}

static const struct def *def_of_line(const struct check *c, const char *line, bool is_exact)
{
    for (size_t i = 0; i < c->def.n; i++) {
        char *now = schema_line(&c->def.at[i]);
        size_t n = strcspn(line, "(");
        bool is_it =
            is_exact ? strcmp(now, line) == 0 : strncmp(now, line, n) == 0 && now[n] == '(';

        free(now);
        if (is_it)
            return &c->def.at[i];
    }
    return NULL;
}

/* A released schema is a promise: callers that were compiled against it must go on working. */
static void changed_schema(struct check *c)
{
    char *path = baseline_path(c), *text = cli_read(path, NULL), *rest = NULL;

    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const struct def *def = def_of_line(c, line, false);
        bool is_kept = false;

        if (def_of_line(c, line, true))
            continue;
        if (def)
            is_kept = report(c, "NTL024", def->lib->src, tok_at(def->lib->src, def->at),
                             "the schema was released as %s", line);
        else
            is_kept = report_dir(c, "NTL024", path, "%s was released and is gone", line);
        if (is_kept)
            hint(c, "keep it, and give the new behaviour a new name; or, before a release: check "
                    "--update-baseline");
    }
    free(path);
    free(text);
}

const struct check_rule torch_rules[] = {
    {"NTL011", def_without_kernel},
    {"NTL012", kernel_without_def},
    {"NTL013", namespace_claimed_twice},
    {"NTL014", reserved_namespace},
    {"NTL015", schema_defined_twice},
    {"NTL016", def_without_meta},
    {"NTL017", other_device},
    {"NTL018", unwrapped_function},
    {"NTL019", schema_form},
    {"NTL020", schema_against_function},
    {"NTL022", meta_with_fixed_sizes},
    {"NTL023", pybind_alone},
    {"NTL024", changed_schema},
    {0},
};
