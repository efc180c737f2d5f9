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
    cc_skip_through(w, close + 2);
    cc_resync(w, close + 3);
    w->r->n_launches++;
    return close + 3;
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
    int32_t close, first = i, last_arg;
    char *scope, *args;

    if (!is_template_kernel(w, i))
        return i;
    close = launch_end(l, i + 1);
    last_arg = close == CC_NONE ? CC_NONE : cc_mate(l, close + 3);
    if (last_arg == CC_NONE)
        return i;
    while (cc_is(l, first - 1, "::"))
        first -= cc_is_id(l, first - 2) ? 2 : 1;
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
