/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - a declaration with __global__.
 *
 * Finds its start, name, parameter list and body by tokens, and emits it without the qualifiers. In
 * a device view the body begins with a local static, nputwin_mark_<attr>: its mangled name in the
 * object tells the kernel's own mangled name, template arguments included (object.c). Another,
 * nputwin_flat, describes the parameters.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite_int.h"

/* Walks back to the first token of the declaration. */
static int32_t decl_start(const struct cc_lex *l, int32_t g)
{
    int32_t start = g;

    for (int32_t i = g - 1; i >= 0; i--) {
        if (cc_is(l, i, ";") || cc_is(l, i, "{") || cc_is(l, i, "}"))
            break;
        if (cc_is(l, i, ")") || cc_is(l, i, "]"))
            i = cc_mate(l, i);
        else if (cc_is(l, i, ">"))
            i = cc_angle_begin(l, i);
        if (i == CC_NONE)
            break;
        start = i;
    }
    return start;
}

static bool takes_args(const struct cc_lex *l, int32_t i)
{
    static const char *const WORDS[] = {"__mix__",       "__launch_bounds__", "__schedmode__",
                                        "__attribute__", "alignas",           "decltype"};

    for (unsigned k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (cc_is(l, i, WORDS[k]))
            return cc_is(l, i + 1, "(");
    return false;
}

static void set_attr(struct cc_kernel *k, const struct cc_lex *l, int32_t i)
{
    if (cc_is(l, i, "__vector__"))
        memcpy(k->attr, "v", 2);
    else if (cc_is(l, i, "__cube__"))
        memcpy(k->attr, "c", 2);
    else if (cc_is(l, i, "__mix__") && cc_mate(l, i + 1) == i + 5 && l->tok[i + 2].len == 1 &&
             l->tok[i + 4].len == 1) {
        char c = l->text[l->tok[i + 2].at], v = l->text[l->tok[i + 4].at];

        memcpy(k->attr, (char[4]){'m', c, v, 0}, 4);
    }
}

/* Reads start..( : flags, name. False when this is no function. */
static bool read_head(struct cc_rw *w, struct cc_decl *d, struct cc_kernel *k)
{
    const struct cc_lex *l = &w->lex;
    int32_t j = d->start;

    d->lt = d->gt = d->name = d->lp = CC_NONE;
    if (cc_is(l, j, "template")) {
        k->is_template = true;
        if (cc_is(l, j + 1, "<")) {
            d->lt = j + 1;
            d->gt = cc_angle_end(l, d->lt);
            if (d->gt == CC_NONE)
                return false;
            j = d->gt;
        }
        d->is_special = d->gt == CC_NONE || d->gt == d->lt + 1;
        j++;
    }
    for (; j != CC_NONE && j < l->n; j++) {
        set_attr(k, l, j);
        k->is_c |= cc_is(l, j, "\"C\"");
        k->is_static |= cc_is(l, j, "static");
        k->is_inline |=
            cc_is(l, j, "inline") || cc_is(l, j, "__inline__") || cc_is(l, j, "constexpr");
        if (takes_args(l, j) || cc_is(l, j, "[")) {
            j = cc_mate(l, cc_is(l, j, "[") ? j : j + 1);
        } else if (cc_is(l, j, "<")) {
            j = cc_angle_end(l, j);
        } else if (cc_is(l, j, "(")) {
            d->lp = j;
            break;
        } else if (cc_is(l, j, ";") || cc_is(l, j, "{") || cc_is(l, j, "}") || cc_is(l, j, "=")) {
            break;
        } else if (cc_is_id(l, j)) {
            d->name = j;
        }
        if (j == CC_NONE)
            break;
    }
    d->rp = cc_mate(l, d->lp);
    return d->name != CC_NONE && d->rp != CC_NONE;
}

static void find_body(const struct cc_lex *l, struct cc_decl *d)
{
    d->body = d->end = CC_NONE;
    for (int32_t j = d->rp + 1; j < l->n; j++) {
        if (cc_is(l, j, "(") && cc_mate(l, j) != CC_NONE) {
            j = cc_mate(l, j);
        } else if (cc_is(l, j, "{")) {
            d->body = j;
            d->end = cc_mate(l, j);
            return;
        } else if (cc_is(l, j, ";") || cc_is(l, j, "}") || cc_is(l, j, ",") || cc_is(l, j, "=")) {
            return;
        }
    }
}

static struct cc_kernel *new_kernel(struct cc_rw *w)
{
    struct cc_rewritten *r = w->r;

    if (r->n_kernels == w->kernel_room) {
        w->kernel_room = w->kernel_room ? w->kernel_room * 2 : 16;
        r->kernel = cc_grow(r->kernel, w->kernel_room * sizeof *r->kernel);
    }
    r->kernel[r->n_kernels] = (struct cc_kernel){.attr = "x", .id = r->n_kernels};
    return &r->kernel[r->n_kernels++];
}

/* What a launch by handle needs to know, where the driver finds it (object.c). */
static void emit_params(struct cc_rw *w, const struct cc_decl *d)
{
    char *types = cc_param_types(w, d);

    if (types)
        cc_put(w,
               "static constexpr nputwin_params nputwin_flat __attribute__((used)) = "
               "::nputwin::lang::flat<%s>::params(); ",
               types);
    free(types);
}

/* HAVE_WORKSPACE: the body sees what lies behind the system's part of its workspace. */
static void take_workspace(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    int32_t name = cc_param_name(w, d, w->workspace);

    if (!w->workspace)
        return;
    if (name == CC_NONE) {
        cc_rw_fail(w, d->name,
                   "HAVE_WORKSPACE%s: %s needs a GM_ADDR with a name as its %s parameter, the "
                   "workspace; add it, or take the definition out of ascendc_compile_definitions",
                   w->workspace == 2 ? " and HAVE_TILING" : "", k->name,
                   w->workspace == 2 ? "last but one" : "last");
        return;
    }
    cc_put(w, "if (!::nputwin::lang::take_workspace(%.*s)) return; ", (int)w->lex.tok[name].len,
           w->lex.text + w->lex.tok[name].at);
}

static void emit_body(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    if (w->view == CC_HOST) {
        cc_flush(w, d->body);
        cc_put(w, "{ ::nputwin::lang::called_directly(__PRETTY_FUNCTION__); }");
        cc_skip_through(w, d->end);
        return;
    }
    cc_flush_through(w, d->body);
    cc_put(w, " %sstatic const char nputwin_mark_%s __attribute__((used)) = 1; ",
           w->view == CC_BOTH ? "::nputwin::lang::entered(__PRETTY_FUNCTION__); " : "", k->attr);
    emit_params(w, d);
    take_workspace(w, d, k);
    cc_resync(w, d->body + 1);
    cc_emit_range(w, d->body + 1, d->end);
    cc_flush_through(w, d->end);
}

int32_t cc_kernel(struct cc_rw *w, int32_t g)
{
    const struct cc_lex *l = &w->lex;
    struct cc_decl d = {.start = decl_start(l, g)};
    struct cc_kernel *k = new_kernel(w);

    if (!read_head(w, &d, k)) {
        w->r->n_kernels--;
        cc_rw_fail(w, g, "__global__ stands before something that is no function");
        return g;
    }
    find_body(l, &d);
    if (d.body != CC_NONE && d.end == CC_NONE) {
        w->r->n_kernels--;
        cc_rw_fail(w, d.body, "the body of this kernel is never closed: a } is missing");
        return g;
    }
    k->name = cc_dup(l->text + l->tok[d.name].at, l->tok[d.name].len);
    k->is_c |= w->in_extern_c > 0;
    k->is_def = d.body != CC_NONE;
    cc_params(w, &d, k);
    cc_blank(w, g, g);
    if (!k->is_def && !(cc_wants_defaults(w, k) && cc_is(l, d.rp + 1, ";")))
        return g + 1;
    if (!k->is_def) {
        cc_emit_range(w, g + 1, d.rp + 1);
        cc_flush_through(w, d.rp + 1);
        cc_declared_defaults(w, &d, k);
        cc_resync(w, d.rp + 2);
        return d.rp + 2;
    }
    unsigned id = k->id; /* k moves when a nested one grows the array */

    cc_emit_range(w, g + 1, d.body);
    emit_body(w, &d, &w->r->kernel[id]);
    if (!cc_failed(w)) {
        cc_stubs(w, &d, &w->r->kernel[id]);
        cc_resync(w, d.end + 1);
    }
    return d.end + 1;
}
