/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - k<<<...>>>(...) becomes k ->* ::nputwin::lang::cfg(...)(...). */
#include <stdlib.h>
#include <string.h>

#include "rewrite_int.h"

/* The >>> that closes the <<< at i: the last one before a (, up to the next <<<, `;` or closer of
 * what the launch stands in. The last, because vector<vector<vector<int>>>(1) may stand inside. */
static int32_t launch_end(const struct cc_lex *l, int32_t i)
{
    int32_t close = CC_NONE;

    for (int32_t j = i + 3; j < l->n; j++) {
        if (cc_is(l, j, "(") || cc_is(l, j, "[") || cc_is(l, j, "{")) {
            j = cc_mate(l, j);
            if (j == CC_NONE)
                break;
            continue;
        }
        if (cc_is(l, j, ";") || cc_is(l, j, "}") || cc_is(l, j, ")") || cc_is(l, j, "]") ||
            cc_is_triple(l, j, '<'))
            break;
        if (cc_is_triple(l, j, '>')) {
            while (cc_is_triple(l, j + 1, '>'))
                j++;
            if (cc_is(l, j + 3, "("))
                close = j;
        }
    }
    return close;
}

/* `{1, 2}` as an argument gets its type from the parameter only: it becomes a function of that
 * type. Returns the last token that was emitted, `open` when there are no braces. */
static int32_t braced_arguments(struct cc_rw *w, int32_t open)
{
    const struct cc_lex *l = &w->lex;
    const int32_t close = cc_mate(l, open);
    int32_t from = open;

    for (int32_t j = open + 1; close != CC_NONE && j < close; j++) {
        const int32_t mate =
            cc_is(l, j, "(") || cc_is(l, j, "[") || cc_is(l, j, "{") ? cc_mate(l, j) : CC_NONE;
        if (mate == CC_NONE)
            continue;
        if (cc_is(l, j, "{") && (j == open + 1 || cc_is(l, j - 1, ","))) {
            cc_emit_range(w, from, j);
            cc_flush(w, j);
            cc_put(w, "::nputwin::lang::braced([&](auto nputwin_p) { "
                      "return typename decltype(nputwin_p)::type");
            cc_emit_range(w, j, mate + 1);
            cc_flush_through(w, mate);
            cc_put(w, "; })");
            cc_resync(w, mate + 1);
            from = mate + 1;
        }
        j = mate;
    }
    if (from > open)
        cc_emit_range(w, from, close);
    return from > open ? close : open;
}

static bool has_defaults(const struct cc_rw *w, int32_t i)
{
    const struct cc_tok *t = &w->lex.tok[i];

    for (unsigned k = 0; k < w->r->n_kernels; k++)
        if (cc_wants_defaults(w, &w->r->kernel[k]) && strlen(w->r->kernel[k].name) == t->len &&
            !memcmp(w->r->kernel[k].name, w->lex.text + t->at, t->len))
            return true;
    return false;
}

/* The first token of a::b::k, whose last is i. */
static int32_t name_begin(const struct cc_lex *l, int32_t i)
{
    while (cc_is(l, i - 1, "::"))
        i -= cc_is_id(l, i - 2) ? 2 : 1;
    return i;
}

/* ns::k<<<1>>>() -> ns::k ->* cfg(1).defaults(ns::nputwin_def_k())() */
static void pass_defaults(struct cc_rw *w, int32_t name)
{
    const struct cc_lex *l = &w->lex;
    char *scope = cc_tokens(w, name_begin(l, name), name);

    cc_put(w, ".defaults(%snputwin_def_%.*s())", scope, (int)l->tok[name].len,
           l->text + l->tok[name].at);
    free(scope);
}

int32_t cc_launch(struct cc_rw *w, int32_t i)
{
    int32_t close = launch_end(&w->lex, i);

    if (close == CC_NONE) {
        cc_rw_fail(w, i,
                   "a launch <<< without its >>>( ; write kernel<<<blocks, l2ctrl, "
                   "stream>>>(arguments)");
        return i;
    }
    if (i == 0 || close == i + 3) {
        cc_rw_fail(w, i,
                   "a launch needs a kernel before <<< and at least the number of blocks "
                   "inside <<< >>>");
        return i;
    }
    cc_flush(w, i);
    cc_put(w, " ->* ::nputwin::lang::cfg(");
    cc_skip_through(w, i + 2);
    cc_emit_range(w, i + 3, close);
    cc_flush(w, close);
    cc_put(w, ")");
    if (has_defaults(w, i - 1))
        pass_defaults(w, i - 1);
    cc_skip_through(w, close + 2);
    cc_resync(w, close + 3);
    w->r->n_launches++;
    return braced_arguments(w, close + 3);
}

static bool is_template_kernel(const struct cc_rw *w, int32_t i)
{
    const struct cc_tok *t = &w->lex.tok[i];

    for (unsigned k = 0; k < w->r->n_kernels; k++)
        if (w->r->kernel[k].is_template && strlen(w->r->kernel[k].name) == t->len &&
            !memcmp(w->r->kernel[k].name, w->lex.text + t->at, t->len))
            return true;
    return false;
}

/* The compiler deduces the arguments from a selector function that kernel.c put behind the kernel:
 * ns::k<<<1>>>(x) -> decltype(ns::nputwin_sel_k(x))::value ->* ...(x); decltype evaluates nothing.
 */
int32_t cc_launch_deduced(struct cc_rw *w, int32_t i)
{
    const struct cc_lex *l = &w->lex;
    int32_t close, first, last_arg;
    char *scope, *args;

    if (!is_template_kernel(w, i))
        return i;
    close = launch_end(l, i + 1);
    last_arg = close == CC_NONE ? CC_NONE : cc_mate(l, close + 3);
    if (last_arg == CC_NONE)
        return i;
    first = name_begin(l, i);
    scope = cc_tokens(w, first, i);
    args = cc_tokens(w, close + 3, last_arg + 1);
    cc_flush(w, first);
    cc_put(w, "decltype(%snputwin_sel_%.*s%s)::value", scope, (int)l->tok[i].len,
           l->text + l->tok[i].at, args);
    cc_skip_through(w, i);
    free(scope);
    free(args);
    return cc_launch(w, i + 1);
}
