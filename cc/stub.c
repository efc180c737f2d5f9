/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stub.c - the host functions behind a kernel k, and its parameters as text.
 *
 * - void k(uint32_t, void *, void *, args...): what <<<>>> is for other compilers; also as C symbol
 * - aclrtlaunch_k(blocks, stream, args...): the legacy entry
 * - nputwin_sel_k(args...), of a template: names the instance that k(args) would be
 * - nputwin_def_k(): the default arguments
 *
 * The stubs are written as nputwin_s_k and nputwin_c_<id>_k and get their real names in the object
 * (object.c): an overload of k in sight of the compiler would make `k` in k<<<>>> ambiguous.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite_int.h"

struct piece { /* one parameter: tokens [a, b), of which [a, e) stand before its default */
    int32_t a, b, e;
};

/* The next parameter at *i, up to end; false when there is none. Commas inside <> and brackets do
 * not count. */
static bool next_piece(const struct cc_lex *l, int32_t *i, int32_t end, struct piece *p)
{
    int depth = 0;

    if (*i >= end)
        return false;
    *p = (struct piece){.a = *i, .e = CC_NONE};
    for (; *i < end; ++*i) {
        if ((cc_is(l, *i, "(") || cc_is(l, *i, "[") || cc_is(l, *i, "{")) &&
            cc_mate(l, *i) != CC_NONE && cc_mate(l, *i) < end)
            *i = cc_mate(l, *i);
        else if (cc_is(l, *i, "<"))
            depth++;
        else if (cc_is(l, *i, ">"))
            depth--;
        else if (cc_is(l, *i, "=") && depth <= 0 && p->e == CC_NONE)
            p->e = *i;
        else if (cc_is(l, *i, ",") && depth <= 0)
            break;
    }
    p->b = *i;
    if (p->e == CC_NONE)
        p->e = p->b;
    ++*i;
    return true;
}

/* ---- parameters of the function ---- */

static bool is_void_list(const struct cc_lex *l, const struct cc_decl *d)
{
    return d->rp == d->lp + 1 || (d->rp == d->lp + 2 && cc_is(l, d->lp + 1, "void"));
}

/* The header shows a pointer as void *: its callers need no type of the kernel's. */
static void c_param(const struct cc_rw *w, const struct piece *p, unsigned n, struct cc_text *t)
{
    const struct cc_lex *l = &w->lex;
    bool pointer = false;
    int32_t name = CC_NONE;
    char *s;

    for (int32_t i = p->a; i < p->e; i++) {
        pointer |= cc_is(l, i, "*") || cc_is(l, i, "GM_ADDR") || cc_is(l, i, "[");
        if (cc_is_id(l, i) && i > p->a)
            name = i;
    }
    if (!pointer) {
        s = cc_tokens(w, p->a, p->e);
        cc_addf(t, ", %s", s);
        free(s);
    } else if (name != CC_NONE && !cc_is(l, name, "const") && !cc_is(l, name, "restrict")) {
        cc_addf(t, ", void *%.*s", (int)l->tok[name].len, l->text + l->tok[name].at);
    } else {
        cc_addf(t, ", void *a%u", n);
    }
}

void cc_params(const struct cc_rw *w, const struct cc_decl *d, struct cc_kernel *k)
{
    struct cc_text t = {0};
    struct piece p;
    int32_t i = d->lp + 1;

    cc_add(&t, "", 0);
    if (!is_void_list(&w->lex, d))
        while (next_piece(&w->lex, &i, d->rp, &p)) {
            k->n_defaults += p.e < p.b;
            c_param(w, &p, k->n_params++, &t);
        }
    k->c_params = t.s;
}

int32_t cc_param_name(const struct cc_rw *w, const struct cc_decl *d, unsigned from_end)
{
    const struct cc_lex *l = &w->lex;
    struct piece p, at[2] = {0}; /* the newest and the one before it */
    int32_t i = d->lp + 1, last;
    unsigned n = 0;

    if (is_void_list(l, d))
        return CC_NONE;
    for (; next_piece(l, &i, d->rp, &p); n++) {
        at[1] = at[0];
        at[0] = p;
    }
    if (from_end < 1 || from_end > 2 || n < from_end)
        return CC_NONE;
    last = at[from_end - 1].e - 1;
    if (last <= at[from_end - 1].a || !cc_is_id(l, last) || cc_is(l, last, "GM_ADDR"))
        return CC_NONE;
    return last;
}

/* "GM_ADDR x, int n": without defaults, good for a function type. */
static char *plain_params(const struct cc_rw *w, const struct cc_decl *d)
{
    struct cc_text t = {0};
    struct piece p;
    int32_t i = d->lp + 1;

    cc_add(&t, "", 0);
    while (next_piece(&w->lex, &i, d->rp, &p)) {
        char *s = cc_tokens(w, p.a, p.e);

        cc_addf(&t, "%s%s", t.size ? ", " : "", s);
        free(s);
    }
    return t.s;
}

/* ---- stubs of a plain kernel ---- */

/* head(b_, [l_,] s_, args) { run k with them } */
static void stub(struct cc_rw *w, const struct cc_kernel *k, const char *head, bool code)
{
    cc_put(w, " %s", head);
    for (unsigned i = 0; i < k->n_params; i++)
        cc_put(w, ", ::nputwin::lang::arg<%u, nputwin_sig_%u> a%u", i, k->id, i);
    cc_put(w,
           ") { %s::nputwin::lang::run(static_cast<nputwin_sig_%u *>(&%s), "
           "::nputwin::lang::cfg(b_, %s, s_)(",
           code ? "return " : "", k->id, k->name, code ? "nullptr" : "l_");
    for (unsigned i = 0; i < k->n_params; i++)
        cc_put(w, "%sa%u", i ? ", " : "", i);
    cc_put(w, ")); }");
}

static void plain_stubs(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    static const char ARGS[] = "(uint32_t b_, void *l_, void *s_";
    char *params = plain_params(w, d), *head;

    cc_put(w, " using nputwin_sig_%u = void(%s);", k->id, params);
    head = cc_fmt("extern \"C++\" __attribute__((unused)) %s void nputwin_s_%s%s",
                  k->is_inline ? "__attribute__((used)) inline" : "", k->name, ARGS);
    stub(w, k, head, false);
    free(head);
    head =
        cc_fmt("extern \"C\" __attribute__((weak)) void nputwin_c_%u_%s%s", k->id, k->name, ARGS);
    stub(w, k, head, false);
    free(head);
    if (w->aclrt) {
        head = cc_fmt(
            "extern \"C\" __attribute__((weak)) uint32_t aclrtlaunch_%s(uint32_t b_, void *s_",
            k->name);
        stub(w, k, head, true);
        free(head);
    }
    free(params);
}

/* ---- selector of a template kernel ---- */

static bool type_word(const struct cc_lex *l, int32_t i)
{
    static const char *const WORDS[] = {"class", "typename", "int",      "bool",    "char",
                                        "short", "long",     "unsigned", "auto",    "signed",
                                        "float", "double",   "const",    "volatile"};

    for (unsigned k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (cc_is(l, i, WORDS[k]))
            return true;
    return false;
}

/* The name of a template parameter, or CC_NONE for an unnamed one. */
static int32_t param_name(const struct cc_lex *l, const struct piece *p)
{
    int32_t last = p->e - 1, words = 0;

    for (int32_t i = p->a; i < p->e; i++) /* type (*name)(...) */
        if (cc_is(l, i, "(") && (cc_is(l, i + 1, "*") || cc_is(l, i + 1, "&")) &&
            cc_is_id(l, i + 2) && cc_is(l, i + 3, ")"))
            return i + 2;
    for (int32_t i = p->a; i < last; i++)
        words += !cc_is(l, i, "const") && !cc_is(l, i, "volatile");
    if (!words || !cc_is_id(l, last) || type_word(l, last) || cc_is(l, last - 1, "::"))
        return CC_NONE;
    return last;
}

static bool is_pack(const struct cc_lex *l, const struct piece *p)
{
    for (int32_t i = p->a; i < p->e; i++)
        if (cc_is_triple(l, i, '.'))
            return true;
    return false;
}

/* Fills head with the template parameters, each with a name, and names with what to pass on. */
static void template_names(const struct cc_rw *w, const struct cc_decl *d, struct cc_text *head,
                           struct cc_text *names)
{
    const struct cc_lex *l = &w->lex;
    struct piece p;
    int32_t i = d->lt + 1;

    for (unsigned n = 0; next_piece(l, &i, d->gt, &p); n++) {
        int32_t name = param_name(l, &p);
        char *before = cc_tokens(w, p.a, p.e), *rest = cc_tokens(w, p.e, p.b);
        char *own = name == CC_NONE ? cc_fmt("nputwin_u%u", n)
                                    : cc_dup(l->text + l->tok[name].at, l->tok[name].len);

        cc_addf(head, "%s%s %s %s", n ? ", " : "", before, name == CC_NONE ? own : "", rest);
        cc_addf(names, "%s%s%s", n ? ", " : "", own, is_pack(l, &p) ? "..." : "");
        free(before);
        free(rest);
        free(own);
    }
}

/* The name of a function parameter, or CC_NONE: the last word before its default and its [n], when
 * a type stands before it. */
static int32_t declared_name(const struct cc_lex *l, const struct piece *p)
{
    struct piece bare = *p;

    while (bare.e > bare.a && cc_is(l, bare.e - 1, "]") && cc_mate(l, bare.e - 1) != CC_NONE)
        bare.e = cc_mate(l, bare.e - 1);
    if (bare.e - bare.a == 2 && (cc_is(l, bare.a, "struct") || cc_is(l, bare.a, "class") ||
                                 cc_is(l, bare.a, "enum") || cc_is(l, bare.a, "union")))
        return CC_NONE;
    return bare.e > bare.a && !cc_is(l, bare.e - 1, "__restrict__") &&
                   !cc_is(l, bare.e - 1, "__restrict")
               ? param_name(l, &bare)
               : CC_NONE;
}

char *cc_param_types(const struct cc_rw *w, const struct cc_decl *d)
{
    const struct cc_lex *l = &w->lex;
    struct cc_text t = {0};
    struct piece p;
    int32_t i = d->lp + 1;

    cc_add(&t, "", 0);
    if (is_void_list(l, d))
        return t.s;
    while (next_piece(l, &i, d->rp, &p)) {
        int32_t name = declared_name(l, &p);

        if (name == CC_NONE) {
            cc_text_finish(&t);
            return NULL;
        }
        cc_addf(&t, "%sdecltype(%.*s)%s", t.size ? ", " : "", (int)l->tok[name].len,
                l->text + l->tok[name].at, is_pack(l, &p) ? "..." : "");
    }
    return t.s;
}

/* Is the kernel launched by its bare name? Else nobody needs a selector, nor the defaults. */
static bool is_deduced(const struct cc_lex *l, const struct cc_kernel *k)
{
    for (int32_t i = 0; i < l->n; i++)
        if (l->tok[i].kind == TOK_ID && cc_is_triple(l, i + 1, '<') && cc_is(l, i, k->name))
            return true;
    return false;
}

static void selector(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    struct cc_text head = {0}, names = {0};
    char *params = cc_tokens(w, d->lp, d->rp + 1);

    template_names(w, d, &head, &names);
    cc_put(w, " template <%s> auto nputwin_sel_%s%s { return ::nputwin::lang::sel<&%s<%s>>{}; }",
           head.s, k->name, params, k->name, names.s);
    cc_text_finish(&head);
    cc_text_finish(&names);
    free(params);
}

bool cc_wants_defaults(const struct cc_rw *w, const struct cc_kernel *k)
{
    return k->n_defaults && !k->is_template && is_deduced(&w->lex, k);
}

static void defaults(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    const char *comma = "";
    struct piece p;
    int32_t i = d->lp + 1;

    cc_put(w,
           " __attribute__((unused)) static inline auto nputwin_def_%s() { return "
           "::std::make_tuple(",
           k->name);
    while (next_piece(&w->lex, &i, d->rp, &p)) {
        char *value = p.e < p.b ? cc_tokens(w, p.e + 1, p.b) : NULL;

        if (value && cc_is(&w->lex, p.e + 1, "{"))
            cc_put(w,
                   "%s::nputwin::lang::braced([](auto nputwin_p) { return typename "
                   "decltype(nputwin_p)::type%s; })",
                   comma, value);
        else if (value)
            cc_put(w, "%s%s", comma, value);
        comma = value ? ", " : comma;
        free(value);
    }
    cc_put(w, "); }");
}

/* g++ never warns about text of a system header, and nobody wrote this text. Its errors only repeat
 * those of the kernel's own declaration: diag.c knows them by this file name. */
static void quiet(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    const int32_t end = d->end == CC_NONE ? d->rp : d->end;
    struct cc_place p = cc_place_of(&w->lex, w->lex.tok[end].at);

    cc_put(w, "\n# %u \"<stub of %s, %.*s>\" 3\n", p.line, k->name, p.file_len - 2, p.file + 1);
}

void cc_declared_defaults(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k)
{
    quiet(w, d, k);
    defaults(w, d, k);
}

void cc_stubs(struct cc_rw *w, const struct cc_decl *d, struct cc_kernel *k)
{
    quiet(w, d, k);
    if (cc_wants_defaults(w, k))
        defaults(w, d, k);
    if (k->is_template) {
        if (!d->is_special && is_deduced(&w->lex, k))
            selector(w, d, k);
    } else if (w->view != CC_DEVICE && !k->is_static) {
        plain_stubs(w, d, k);
    }
}
