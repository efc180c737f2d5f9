/* SPDX-License-Identifier: Apache-2.0 */
/* rules_launch.c - what is handed to a kernel, and on which stream. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* A call that returns a reference: x.copy_(y), x.value(), x.at(i). */
static bool returns_reference(const struct src *s, struct span span)
{
    static const char *const names[] = {"value", "at", "front", "back", "get"};
    int32_t open = cc_mate(&s->lex, span.to - 1), name = open - 1;

    if (!tok_is(s, span.to - 1, ")") || open <= span.from || !cc_is_id(&s->lex, name) ||
        !(tok_is(s, name - 1, ".") || tok_is(s, name - 1, ">")))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (tok_is(s, name, names[i]))
            return true;
    return s->code[s->lex.tok[name].at + s->lex.tok[name].len - 1] == '_'; /* in place */
}

/* A name, member access of names, an element, *name, a string, a cast to a reference, or a choice
 * between two things, which is const when one of them is: something that `T &` binds to, or may. */
static bool is_lvalue(const struct src *s, struct span span)
{
    int32_t angle =
        tok_is(s, span.from, "static_cast") ? cc_angle_end(&s->lex, span.from + 1) : CC_NONE;

    if (angle != CC_NONE)
        return tok_is(s, angle - 1, "&");
    if (span_has(s, span, "?") || returns_reference(s, span) ||
        (span.from < span.to && s->lex.tok[span.from].kind == TOK_STR && span.to == span.from + 1))
        return true;
    if (tok_is(s, span.to - 1, "]")) /* x[i] is what x is */
        span.to = cc_mate(&s->lex, span.to - 1);
    while (span.from < span.to && tok_is(s, span.from, "*"))
        span.from++;
    if (span.from >= span.to || !cc_is_id(&s->lex, span.from))
        return false;
    for (int32_t i = span.from; i < span.to; i++)
        if (!cc_is_id(&s->lex, i) && !tok_is(s, i, ".") && !tok_is(s, i, "::") &&
            !tok_is(s, i, ":") && !tok_is(s, i, "->") &&
            !(tok_is(s, i, "-") && tok_is(s, i + 1, ">")) &&
            !(tok_is(s, i, ">") && tok_is(s, i - 1, "-")))
            return false;
    return !tok_is(s, span.from, "true") && !tok_is(s, span.from, "false") &&
           !tok_is(s, span.from, "nullptr");
}

static void one_rvalue(struct check *c, const struct src *s, const char *macro, struct span arg)
{
    char *text = span_text(s, arg);

    if (report(c, "NTL030", s, tok_at(s, arg.from),
               "%s takes its arguments by reference; `%s` is a temporary", macro, text))
        hint(c, "auto value = %s; and pass value", text);
    free(text);
}

static void temporary_argument(struct check *c)
{
    static const char *const macros[] = {"EXEC_NPU_CMD", "EXEC_NPU_CMD_EXT"};
    struct call call;

    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];

        for (size_t a = 0; launch->kind == LAUNCH_EXEC && a < launch->n_args; a++)
            if (!is_lvalue(launch->src, launch->arg[a]))
                one_rvalue(c, launch->src, "EXEC_KERNEL_CMD", launch->arg[a]);
    }
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (size_t m = 0; s->lang == LANG_CPP && m < sizeof(macros) / sizeof(macros[0]); m++)
            for (int32_t at = 0; next_call(s, macros[m], &at, s->lex.n, &call);)
                for (size_t a = 1; a < call.n_args && fn_at(c, s, call.name); a++)
                    if (!is_lvalue(s, call.arg[a]))
                        one_rvalue(c, s, macros[m], call.arg[a]);
    }
}

/* The body of a lambda [..](..) -> int {..} whose [ is at tok; CC_NONE when it is none or returns
 * nothing. */
static int32_t int_lambda(const struct src *s, int32_t tok)
{
    int32_t at = cc_mate(&s->lex, tok) + 1;

    if (!tok_is(s, tok, "[") || at <= tok + 1)
        return CC_NONE;
    if (tok_is(s, at, "("))
        at = cc_mate(&s->lex, at) + 1;
    if (tok_is(s, at, "mutable"))
        at++;
    if (!(tok_is(s, at, "->") || (tok_is(s, at, "-") && tok_is(s, at + 1, ">"))))
        return CC_NONE;
    at += tok_is(s, at, "->") ? 1 : 2;
    if (!tok_is(s, at, "int") || !tok_is(s, at + 1, "{"))
        return CC_NONE;
    return at + 1;
}

/* A return of the lambda itself, not of one inside it. */
static bool has_return(const struct src *s, int32_t body)
{
    int32_t end = cc_mate(&s->lex, body);

    for (int32_t i = body + 1; i < end; i++) {
        if (tok_is(s, i, "return") || tok_is(s, i, "throw"))
            return true;
        if (tok_is(s, i, "[") &&
            cc_mate(&s->lex, i) > i) { /* a lambda inside: step over its body */
            int32_t at = cc_mate(&s->lex, i) + 1;

            if (tok_is(s, at, "("))
                at = cc_mate(&s->lex, at) + 1;
            while (at < end && !tok_is(s, at, "{") && !tok_is(s, at, ";") && !tok_is(s, at, ","))
                at++;
            if (tok_is(s, at, "{") && cc_mate(&s->lex, at) > at)
                i = cc_mate(&s->lex, at);
        }
    }
    return false;
}

static void lambda_without_return(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (int32_t t = 0; s->lang == LANG_CPP && t < s->lex.n; t++) {
            int32_t body = int_lambda(s, t);

            if (body != CC_NONE && cc_mate(&s->lex, body) > body && !has_return(s, body) &&
                report(c, "NTL031", s, tok_at(s, t),
                       "this lambda promises an int and returns nothing: undefined, a crash when "
                       "optimised"))
                hint(c, "return 0; at its end");
        }
    }
}

/* name = ...empty...(...) or ...workspace...(...): a tensor that begins where its storage does. */
static bool is_made_whole(const struct src *s, struct span span, const char *name)
{
    for (int32_t t = span.from; t + 2 < span.to; t++) {
        if (!tok_is(s, t, name) || !tok_is(s, t + 1, "="))
            continue;
        for (int32_t i = t + 2; i < span.to && !tok_is(s, i, ";"); i++) {
            char *word = span_text(s, (struct span){i, i + 1});
            bool is_maker =
                tok_is(s, i + 1, "(") &&
                (strstr(word, "empty") || strstr(word, "zeros") || strstr(word, "workspace"));

            free(word);
            if (is_maker)
                return true;
        }
    }
    return false;
}

/* The allocator is asked about blocks of memory, caches are keyed by them, and a list of arguments
 * with storage_offset, or a difference of pointers, accounts for the offset itself. */
static bool is_about_storage(const struct src *s, struct span around, int32_t at)
{
    static const char *const words[] = {"recordStream", "RecordStream", "eraseStream", "Cached"};
    int32_t from = at, to = at;

    while (from > around.from && !tok_is(s, from - 1, ";") && !tok_is(s, from - 1, "{"))
        from--;
    while (to < around.to && !tok_is(s, to, ";"))
        to++;
    for (int32_t t = from; t < at; t++) {
        char *word = span_text(s, (struct span){t, t + 1});
        bool is_one = false;

        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            is_one = is_one || (cc_is_id(&s->lex, t) && strstr(word, words[i]));
        is_one = is_one || (strstr(word, "data_ptr") && span_has(s, (struct span){t, at}, "-"));
        free(word);
        if (is_one)
            return true;
    }
    return span_has(s, (struct span){from, to}, "storage_offset");
}

/* Whether the tensor before .storage() may be a view, and its storage's begin is no kernel's. */
static bool knows_offset(const struct check *c, const struct src *s, int32_t at)
{
    const struct fn *fn = fn_at(c, s, at);
    enum { NEAR = 400 }; /* tokens, in a macro, which is no function */
    struct span around = {fn ? fn->begin : at > NEAR ? at - NEAR : 0, fn ? fn->end : at + NEAR};
    char *name = at > 2 ? span_text(s, (struct span){at - 2, at - 1}) : NULL, *maker = NULL;
    bool is_known = false;

    if (tok_is(s, at - 2, ")")) { /* workspace.value().storage() */
        int32_t begin = cc_mate(&s->lex, at - 2) - 3;

        free(name);
        name = begin > 0 ? span_text(s, (struct span){begin, begin + 1}) : NULL;
    }
    maker = name && (strstr(name, "workspace") || strstr(name, "ws_tensor")) ? name : NULL;
    is_known = maker || (name && is_made_whole(s, around, name)) || is_about_storage(s, around, at);
    free(name);
    return is_known;
}

static void storage_pointer(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (int32_t at = 0;
             s->lang == LANG_CPP && next_call(s, "storage", &at, s->lex.n, &call);) {
            int32_t next = call.close + 1, name = tok_is(s, next, "-") ? next + 2 : next + 1;

            if ((tok_is(s, name, "data") || tok_is(s, name, "data_ptr") ||
                 tok_is(s, name, "mutable_data")) &&
                !knows_offset(c, s, call.name) &&
                report(c, "NTL032", s, tok_at(s, call.name),
                       "storage().%s() is where the storage begins: a slice reads its neighbour's "
                       "elements",
                       tok_is(s, name, "data") ? "data" : "data_ptr"))
                hint(c, "tensor.data_ptr(), which adds storage_offset()");
        }
    }
}

static bool is_narrow(const char *type)
{
    return type &&
           (strstr(type, "uint32_t") || strstr(type, "int32_t") || strcmp(type, "int") == 0 ||
            strstr(type, "unsigned int") || strcmp(type, "unsigned") == 0) &&
           !strchr(type, '*');
}

static bool is_wide(const char *type)
{
    return type && (strstr(type, "uint64_t") || strstr(type, "int64_t") || strstr(type, "size_t"));
}

/* `a * b`, nothing but names and stars, all of them 32 bits wide and one known to a run alone. */
static bool is_narrow_product(const struct check *c, const struct fn *fn, struct span span)
{
    bool has_star = false, has_variable = false;

    for (int32_t i = span.from; i < span.to; i++) {
        char *name = NULL, *type = NULL;
        bool is_ok = tok_is(fn->src, i, "*");

        has_star |= is_ok;
        if (!is_ok && cc_is_id(&fn->src->lex, i)) {
            name = span_text(fn->src, (struct span){i, i + 1});
            type = type_of(fn, name);
            is_ok = is_narrow(type);
            has_variable |= is_ok && !is_constant(c, fn->src, name);
        }
        free(name);
        free(type);
        if (!is_ok)
            return false;
    }
    return has_star && has_variable;
}

/* Whether the name is a place in global memory: an index of a name with gm or global in it, or what
 * is added to one. In a kernel every other size is one of a memory on the chip, far below 4 GiB. */
static bool is_place_in_gm(const struct fn *fn, const char *name)
{
    const struct src *s = fn->src;

    for (int32_t t = fn->body; t < fn->end; t++) {
        int32_t from = t;

        if (!tok_is(s, t, name) || tok_is(s, t + 1, "="))
            continue;
        while (from > fn->body && !tok_is(s, from, ";") && !tok_is(s, from, "{"))
            from--;
        for (int32_t i = from; i < t; i++) {
            char *word = span_text(s, (struct span){i, i + 1});
            bool is_gm =
                cc_is_id(&s->lex, i) && (strcasestr(word, "gm") || strcasestr(word, "global"));

            free(word);
            if (is_gm)
                return true;
        }
    }
    return false;
}

static bool is_device_code(const struct fn *fn)
{
    static const char *const marks[] = {"__aicore__", "__simd_vf__", "__simt_vf__",
                                        "__simd_callee__", "__simt_callee__"};
    bool is_one = fn->is_kernel || strstr(fn->src->name, "op_kernel/");

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        is_one = is_one || span_has(fn->src, (struct span){fn->begin, fn->name}, marks[i]);
    return is_one;
}

static void report_product(struct check *c, const struct fn *fn, struct span span)
{
    char *text = span_text(fn->src, span),
         *first = span_text(fn->src, (struct span){span.from, span.from + 1});

    if (report(c, "NTL034", fn->src, tok_at(fn->src, span.from),
               "`%s` is computed in 32 bits and widened afterwards: it wraps at 4 GiB", text))
        hint(c, "widen an operand, not the product: (uint64_t)%s%s", first, text + strlen(first));
    free(text);
    free(first);
}

/* uint64_t n = a * b;   (uint64_t)(a * b)   static_cast<uint64_t>(a * b)   return a * b; */
static void product_in_32_bits(struct check *c)
{
    for (size_t f = 0; f < c->fn.n; f++) {
        const struct fn *fn = &c->fn.at[f];
        const struct src *s = fn->src;

        for (int32_t i = fn->body + 1; !fn->is_kernel && i < fn->end; i++) {
            struct span span = {i + 1, i + 1};
            char *type = NULL;

            if (tok_is(s, i, "=") && cc_is_id(&s->lex, i - 1)) {
                char *name = span_text(s, (struct span){i - 1, i});

                if (!is_device_code(fn) || is_place_in_gm(fn, name))
                    type = type_of(fn, name);
                free(name);
                while (span.to < fn->end && !tok_is(s, span.to, ";") && !tok_is(s, span.to, ","))
                    span.to++;
            } else if (!is_device_code(fn) && tok_is(s, i, "(") &&
                       (tok_is(s, i - 1, ")") || tok_is(s, i - 1, ">"))) {
                int32_t open = tok_is(s, i - 1, ")") ? cc_mate(&s->lex, i - 1)
                                                     : cc_angle_begin(&s->lex, i - 1);

                type = open > 0 ? span_text(s, (struct span){open + 1, i - 1}) : NULL;
                span.to = cc_mate(&s->lex, i);
            }
            if (is_wide(type) && span.to > span.from && is_narrow_product(c, fn, span))
                report_product(c, fn, span);
            free(type);
        }
    }
}

/* for (uint32_t size : x.sizes()) total *= size; */
static void product_of_sizes(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];

        for (int32_t t = 0; s->lang == LANG_CPP && t + 6 < s->lex.n; t++) {
            int32_t close =
                tok_is(s, t, "for") && tok_is(s, t + 1, "(") ? cc_mate(&s->lex, t + 1) : CC_NONE;
            struct span head = {t + 2, close};

            if (close != CC_NONE && span_has(s, head, "sizes") && span_has(s, head, ":") &&
                (span_has(s, head, "uint32_t") || span_has(s, head, "int")) &&
                report(
                    c, "NTL033", s, tok_at(s, t),
                    "the sizes of a tensor are multiplied in 32 bits: wrong from 2^32 elements on"))
                hint(c, "int64_t total = x.numel(), and TORCH_CHECK that it fits the kernel's "
                        "parameter");
        }
    }
}

/* ---- strided inputs (C17): what of a Tensor parameter reaches a launch must know its strides ----
 */

static bool mentions(const struct src *s, struct span span, const char *name, const char *method)
{
    for (int32_t i = span.from; i < span.to; i++)
        if (tok_is(s, i, name) && tok_is(s, i + 1, ".") && tok_is(s, i + 2, method))
            return true;
    return false;
}

static bool takes_memory(const struct src *s, struct span span, const char *name)
{
    return mentions(s, span, name, "data_ptr") || mentions(s, span, name, "mutable_data_ptr") ||
           mentions(s, span, name, "const_data_ptr") || mentions(s, span, name, "storage");
}

/* The variable is set to a pointer into the tensor: p = (uint8_t *)x.data_ptr(); */
static bool is_pointer_into(const struct fn *fn, int32_t variable, const char *name)
{
    char *pointer = span_text(fn->src, (struct span){variable, variable + 1});
    bool is_one = false;

    for (int32_t t = fn->body; t < fn->end && !is_one; t++) {
        struct span value = {t + 2, t + 2};

        if (!tok_is(fn->src, t, pointer) || !tok_is(fn->src, t + 1, "="))
            continue;
        while (value.to < fn->end && !tok_is(fn->src, value.to, ";") &&
               !tok_is(fn->src, value.to, ","))
            value.to++;
        is_one = takes_memory(fn->src, value, name);
    }
    free(pointer);
    return is_one;
}

/* x reaches the launch as itself, x.data_ptr() or in a pointer taken from it. */
static bool reaches(const struct launch *launch, const char *name)
{
    for (size_t a = 0; a < launch->n_args; a++) {
        struct span arg = launch->arg[a];

        if (arg.to - arg.from == 1 &&
            (tok_is(launch->src, arg.from, name) || is_pointer_into(launch->in, arg.from, name)))
            return true;
        if (takes_memory(launch->src, arg, name))
            return true;
    }
    return false;
}

static bool asks_strides(const struct fn *fn, const char *name)
{
    struct span body = {fn->body, fn->end};

    return mentions(fn->src, body, name, "contiguous") ||
           mentions(fn->src, body, name, "is_contiguous") ||
           mentions(fn->src, body, name, "strides") || mentions(fn->src, body, name, "stride") ||
           mentions(fn->src, body, name, "is_non_overlapping_and_dense");
}

/* The function asks itself, or hands the tensor to one of the same source that does. */
static bool knows_strides(const struct check *c, const struct fn *fn, const char *name)
{
    for (size_t f = 0; f < c->fn.n; f++) {
        const struct fn *other = &c->fn.at[f];
        char *called = other->src == fn->src && other != fn
                           ? span_text(fn->src, (struct span){other->name, other->name + 1})
                           : NULL;
        struct call call;
        bool is_asked = false;

        for (int32_t at = fn->body; called && next_call(fn->src, called, &at, fn->end, &call);)
            for (size_t a = 0; a < call.n_args && a < other->n_params && !is_asked; a++)
                if (call.arg[a].to - call.arg[a].from == 1 &&
                    tok_is(fn->src, call.arg[a].from, name) && other->param[a].name != CC_NONE) {
                    char *its = span_text(
                        fn->src, (struct span){other->param[a].name, other->param[a].name + 1});

                    is_asked = asks_strides(other, its);
                    free(its);
                }
        free(called);
        if (is_asked)
            return true;
    }
    return asks_strides(fn, name);
}

static void strided_input(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct fn *fn = launch->in;

        for (size_t p = 0; fn && !fn->is_kernel && p < fn->n_params; p++) {
            char *type = span_text(fn->src, fn->param[p].type), *name = NULL;

            if (fn->param[p].name != CC_NONE && strstr(type, "Tensor") &&
                !strstr(type, "TensorList"))
                name = span_text(fn->src, (struct span){fn->param[p].name, fn->param[p].name + 1});
            if (name && reaches(launch, name) && !knows_strides(c, fn, name) &&
                report(c, "NTL035", launch->src, tok_at(launch->src, launch->at),
                       "%s gets the memory of `%s` without its strides: a transposed or sliced "
                       "input gives "
                       "wrong results",
                       launch->kernel, name))
                hint(c,
                     "at::Tensor %s_c = %s.contiguous() of an input; "
                     "TORCH_CHECK(%s.is_contiguous(), "
                     "...) of what the kernel writes",
                     name, name, name);
            free(name);
            free(type);
        }
    }
}

/* ---- launch against kernel ---- */

static void count_of_arguments(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct fn *kernel = launch->to;

        if (kernel && kernel->n_params != launch->n_args &&
            report(c, "NTL036", launch->src, tok_at(launch->src, launch->at),
                   "%s takes %zu arguments, %zu are passed", launch->kernel, kernel->n_params,
                   launch->n_args))
            hint(c, "inputs, outputs, scalars, workspace, tiling: in the order of the kernel in %s",
                 kernel->src->name);
    }
}

static void width_of_scalars(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct fn *kernel = launch->to;

        if (launch->kind == LAUNCH_ANGLE || !launch->in || !kernel ||
            kernel->n_params != launch->n_args)
            continue;
        for (size_t a = 0; a < launch->n_args; a++) {
            char *name = span_text(launch->src, launch->arg[a]), *have = type_of(launch->in, name);
            char *want = span_text(kernel->src, kernel->param[a].type);

            if (is_wide(have) && is_narrow(want) &&
                report(c, "NTL037", launch->src, tok_at(launch->src, launch->arg[a].from),
                       "`%s` is %s, the kernel's parameter is %s: the upper half is lost", name,
                       have, want))
                hint(c, "%s value = ...; with a TORCH_CHECK that it fits", want);
            free(name);
            free(have);
            free(want);
        }
    }
}

/* Under that name, in whatever folder. */
static bool includes(const struct check *c, const struct src *s, const char *name)
{
    for (size_t i = 0; i < c->include.n; i++) {
        const char *path = c->include.at[i].path,
                   *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

        if (c->include.at[i].src == s && strcmp(base, name) == 0)
            return true;
    }
    return false;
}

static void launch_header(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        char *header = cli_fmt("aclrtlaunch_%s.h", launch->kernel);
        const struct package *package = package_of(c, launch->src->name);

        if (launch->kind == LAUNCH_EXEC && package && !includes(c, launch->src, header) &&
            report(c, "NTL038", launch->src, tok_at(launch->src, launch->at),
                   "%s is launched without #include \"%s\"", launch->kernel, header))
            hint(c, "#include \"%s\": the build generates it from the kernel", header);
        free(header);
    }
}

/* Whether tok lies in the lambda that RunOpApi or SetCustomHandler gets, or in EXEC_KERNEL_CMD
 * itself. */
static bool is_queued(const struct src *s, int32_t tok)
{
    static const char *const names[] = {"RunOpApi", "RunOpApiV2", "SetCustomHandler"};
    bool is_named = false;
    struct call call;

    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        for (int32_t at = 0; next_call(s, names[n], &at, s->lex.n, &call);) {
            is_named = true;
            if (call.open < tok && tok < call.close)
                return true;
        }
    }
    return is_named; /* the lambda may stand in a variable before the call */
}

/* The name that the call's statement gives its value, CC_NONE: T name = ...stream(false); */
static int32_t assigned(const struct src *s, int32_t call)
{
    for (int32_t t = call; t > 1 && !tok_is(s, t, ";") && !tok_is(s, t, "{"); t--)
        if (tok_is(s, t, "=") && cc_is_id(&s->lex, t - 1))
            return t - 1;
    return CC_NONE;
}

/* Whether a launch of the same function gets the stream: as it is asked for, or by its name. */
static bool reaches_launch(const struct check *c, const struct src *s, int32_t call)
{
    int32_t variable = assigned(s, call);
    char *name = variable == CC_NONE ? NULL : span_text(s, (struct span){variable, variable + 1});
    const struct fn *fn = fn_at(c, s, call);
    bool is_found = false;

    for (size_t i = 0; fn && i < c->launch.n && !is_found; i++) {
        const struct launch *launch = &c->launch.at[i];
        struct span whole = {launch->at, launch->at};

        if (launch->in != fn)
            continue;
        while (whole.to < fn->end && !tok_is(s, whole.to, ";"))
            whole.to++;
        is_found = (call > whole.from && call < whole.to) || (name && span_has(s, whole, name));
    }
    free(name);
    return is_found;
}

static void stream_beside_queue(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (int32_t at = 0; s->lang == LANG_CPP && next_call(s, "stream", &at, s->lex.n, &call);)
            if (call.n_args == 1 && tok_is(s, call.arg[0].from, "false") &&
                !is_queued(s, call.name) && reaches_launch(c, s, call.name) &&
                report(c, "NTL039", s, tok_at(s, call.name),
                       "stream(false) leaves the task queue as it is: the launch overtakes "
                       "operators called "
                       "earlier"))
                hint(c, "stream(true), or launch inside OpCommand::RunOpApiV2");
    }
}

static void lambda_by_reference(struct check *c)
{
    static const char *const names[] = {"RunOpApi", "RunOpApiV2", "SetCustomHandler"};

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (size_t n = 0; s->lang == LANG_CPP && n < sizeof(names) / sizeof(names[0]); n++)
            for (int32_t at = 0; next_call(s, names[n], &at, s->lex.n, &call);)
                for (size_t a = 0; a < call.n_args; a++)
                    if (tok_is(s, call.arg[a].from, "[") && tok_is(s, call.arg[a].from + 1, "&") &&
                        report(
                            c, "NTL040", s, tok_at(s, call.arg[a].from),
                            "%s runs this lambda later, when what it captured by reference is gone",
                            names[n]))
                        hint(c, "[=], and a copy of every tensor whose memory the kernel uses");
    }
}

static void own_stream(struct check *c)
{
    static const char *const names[] = {"aclrtCreateStream", "aclrtCreateStreamWithConfig"};

    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (size_t n = 0; s->lang == LANG_CPP && n < sizeof(names) / sizeof(names[0]); n++)
            for (int32_t at = 0; next_call(s, names[n], &at, s->lex.n, &call);)
                if (package_of(c, s->name) && !fn_near(c, s, "main", 0, false) &&
                    report(
                        c, "NTL041", s, tok_at(s, call.name),
                        "an operator that makes a stream of its own is not ordered with torch's"))
                    hint(c, "c10_npu::getCurrentNPUStream().stream(true)");
    }
}

/* blockDim = a * b of sizes, with no min() against the number of cores. */
static void blocks_by_size(struct check *c)
{
    for (size_t i = 0; i < c->launch.n; i++) {
        const struct launch *launch = &c->launch.at[i];
        const struct fn *fn = launch->in;
        struct span from = launch->blocks;
        char *name = NULL;

        if (!fn)
            continue;
        if (from.to - from.from == 1 && cc_is_id(&launch->src->lex, from.from)) {
            name = span_text(launch->src, from);
            for (int32_t t = fn->body; t < launch->at; t++) {
                if (tok_is(fn->src, t, name) && tok_is(fn->src, t + 1, "=")) {
                    from = (struct span){t + 2, t + 2};
                    while (from.to < fn->end && !tok_is(fn->src, from.to, ";") &&
                           !tok_is(fn->src, from.to, ","))
                        from.to = cc_mate(&fn->src->lex, from.to) > from.to
                                      ? cc_mate(&fn->src->lex, from.to) + 1
                                      : from.to + 1;
                }
            }
        }
        if ((span_has(fn->src, from, "size") || span_has(fn->src, from, "sizes") ||
             span_has(fn->src, from, "numel")) &&
            !span_has(fn->src, from, "min") && !span_has(fn->src, from, "GetCoreNumAiv") &&
            report(c, "NTL042", launch->src, tok_at(launch->src, launch->at),
                   "the number of blocks of %s grows with the tensor: the launch fails with 107000 "
                   "above 65535",
                   launch->kernel))
            hint(c, "std::min(items, GetCoreNumAiv()) blocks, and a loop with stride GetBlockNum() "
                    "in the kernel");
        free(name);
    }
}

static void workspace_of_nothing(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (int32_t at = 0; s->lang == LANG_CPP && next_call(s, "empty", &at, s->lex.n, &call);) {
            struct span size = call.n_args ? call.arg[0] : (struct span){0};

            if (size.to - size.from == 3 && tok_is(s, size.from, "{") &&
                tok_is(s, size.from + 1, "0") && call.name > 3 &&
                tok_is(s, call.name - 4, "workspace") &&
                report(c, "NTL044", s, tok_at(s, call.name), "a workspace of no bytes"))
                hint(c, "platform->GetLibApiWorkSpaceSize() plus what the kernel itself uses, "
                        "at::kByte");
        }
    }
}

const struct check_rule launch_rules[] = {
    {"NTL030", temporary_argument},  {"NTL031", lambda_without_return}, {"NTL032", storage_pointer},
    {"NTL033", product_of_sizes},    {"NTL034", product_in_32_bits},    {"NTL035", strided_input},
    {"NTL036", count_of_arguments},  {"NTL037", width_of_scalars},      {"NTL038", launch_header},
    {"NTL039", stream_beside_queue}, {"NTL040", lambda_by_reference},   {"NTL041", own_stream},
    {"NTL042", blocks_by_size},      {"NTL044", workspace_of_nothing},  {0},
};
