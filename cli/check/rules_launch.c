/* SPDX-License-Identifier: Apache-2.0 */
/* rules_launch.c - what is handed to a kernel, and on which stream. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* A name, or member access of names: something that `T &` binds to. */
static bool is_lvalue(const struct src *s, struct span span)
{
    if (span.from >= span.to || !cc_is_id(&s->lex, span.from))
        return false;
    for (int32_t i = span.from; i < span.to; i++)
        if (!cc_is_id(&s->lex, i) && !tok_is(s, i, ".") && !tok_is(s, i, "::") &&
            !tok_is(s, i, ":"))
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

/* aclCreateTensor takes storage_offset() beside the base, and a tensor of at::empty in the same
 * function has none. */
static bool knows_offset(const struct check *c, const struct src *s, int32_t at)
{
    static const char *const makers[] = {"empty", "empty_like", "zeros", "zeros_like"};
    const struct fn *fn = fn_at(c, s, at);
    enum { NEAR = 400 }; /* tokens, in a macro, which is no function */
    int32_t from = fn ? fn->body : at > NEAR ? at - NEAR : 0;
    struct call call;

    for (int32_t t = from; next_call(s, "aclCreateTensor", &t, at, &call);)
        if (call.open < at && at < call.close &&
            span_has(s, (struct span){call.open, call.close}, "storage_offset"))
            return true;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        for (int32_t t = from; next_call(s, makers[i], &t, at, &call);)
            if (call.name > 4 && s->lex.tok[at - 2].kind == TOK_ID && /* name = at::empty( */
                tok_is(s, call.name - 3, "=")) {
                char *made = span_text(s, (struct span){call.name - 4, call.name - 3}),
                     *used = span_text(s, (struct span){at - 2, at - 1});
                bool is_same = strcmp(made, used) == 0;

                free(made);
                free(used);
                if (is_same)
                    return true;
            }
    return false;
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

/* `a * b`, nothing but names and stars, all of them 32 bits wide. */
static bool is_narrow_product(const struct fn *fn, struct span span)
{
    bool has_star = false;

    for (int32_t i = span.from; i < span.to; i++) {
        char *name = NULL, *type = NULL;
        bool is_ok = tok_is(fn->src, i, "*");

        has_star |= is_ok;
        if (!is_ok && cc_is_id(&fn->src->lex, i)) {
            name = span_text(fn->src, (struct span){i, i + 1});
            type = type_of(fn, name);
            is_ok = is_narrow(type);
        }
        free(name);
        free(type);
        if (!is_ok)
            return false;
    }
    return has_star;
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

                type = type_of(fn, name);
                free(name);
                while (span.to < fn->end && !tok_is(s, span.to, ";") && !tok_is(s, span.to, ","))
                    span.to++;
            } else if (tok_is(s, i, "(") && (tok_is(s, i - 1, ")") || tok_is(s, i - 1, ">"))) {
                int32_t open = tok_is(s, i - 1, ")") ? cc_mate(&s->lex, i - 1)
                                                     : cc_angle_begin(&s->lex, i - 1);

                type = open > 0 ? span_text(s, (struct span){open + 1, i - 1}) : NULL;
                span.to = cc_mate(&s->lex, i);
            }
            if (is_wide(type) && span.to > span.from && is_narrow_product(fn, span))
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

/* x reaches the launch as itself, x.data_ptr() or in a pointer taken from it. */
static bool reaches(const struct launch *launch, const char *name)
{
    for (size_t a = 0; a < launch->n_args; a++) {
        struct span arg = launch->arg[a];

        if (arg.to - arg.from == 1 && tok_is(launch->src, arg.from, name))
            return true;
        if (mentions(launch->src, arg, name, "data_ptr") ||
            mentions(launch->src, arg, name, "mutable_data_ptr") ||
            mentions(launch->src, arg, name, "const_data_ptr") ||
            mentions(launch->src, arg, name, "storage"))
            return true;
    }
    return false;
}

static bool knows_strides(const struct fn *fn, const char *name)
{
    struct span body = {fn->body, fn->end};

    return mentions(fn->src, body, name, "contiguous") ||
           mentions(fn->src, body, name, "is_contiguous") ||
           mentions(fn->src, body, name, "strides") || mentions(fn->src, body, name, "stride") ||
           mentions(fn->src, body, name, "is_non_overlapping_and_dense");
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
            if (name && reaches(launch, name) && !knows_strides(fn, name) &&
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
        const struct fn *kernel = fn_find(c, launch->kernel);

        if (kernel && kernel->is_kernel && kernel->n_params != launch->n_args &&
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
        const struct fn *kernel = fn_find(c, launch->kernel);

        if (launch->kind == LAUNCH_ANGLE || !launch->in || !kernel || !kernel->is_kernel ||
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

static bool includes(const struct check *c, const struct src *s, const char *path)
{
    for (size_t i = 0; i < c->include.n; i++)
        if (c->include.at[i].src == s && strcmp(c->include.at[i].path, path) == 0)
            return true;
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

static void stream_beside_queue(struct check *c)
{
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        struct call call;

        for (int32_t at = 0; s->lang == LANG_CPP && next_call(s, "stream", &at, s->lex.n, &call);)
            if (call.n_args == 1 && tok_is(s, call.arg[0].from, "false") &&
                !is_queued(s, call.name) &&
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
                if (package_of(c, s->name) && !fn_find(c, "main") &&
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
