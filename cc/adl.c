/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adl.c - `ReduceSum<float>(x)` without `AscendC::`, as clang takes it before C++20.
 *
 * By the rules until C++17 a name before < must be known as a template; only then its arguments'
 * namespaces are looked into. g++ keeps to that, and kernels rely on the newer rule. So each such
 * name gets a template that no call can mean, at the head of the text: the name is then known, and
 * argument-dependent lookup finds the function in AscendC.
 */
#include "rewrite_int.h"

#include <string.h>

enum { MAX_NAMES = 64 };

struct names {
    int32_t tok[MAX_NAMES];
    unsigned n;
};

static bool same(const struct cc_lex *l, int32_t a, int32_t b)
{
    return l->tok[a].len == l->tok[b].len &&
           !memcmp(l->text + l->tok[a].at, l->text + l->tok[b].at, l->tok[a].len);
}

static int find(const struct cc_lex *l, const struct names *names, int32_t i)
{
    for (unsigned k = 0; k < names->n; k++)
        if (same(l, names->tok[k], i))
            return (int)k;
    return CC_NONE;
}

/* The name at i is called with template arguments and nothing says where it is from. */
static bool bare_call(const struct cc_lex *l, int32_t i)
{
    int32_t end;

    if (l->tok[i].kind != TOK_ID || !cc_is(l, i + 1, "<") || cc_is_triple(l, i + 1, '<') ||
        cc_is(l, i, "operator"))
        return false;
    if (cc_is(l, i - 1, ".") || cc_is(l, i - 1, "template") ||
        (cc_is(l, i - 1, ":") && cc_is(l, i - 2, ":")) ||
        (cc_is(l, i - 1, ">") && cc_is(l, i - 2, "-")))
        return false;
    end = cc_angle_end(l, i + 1);
    return end != CC_NONE && cc_is(l, end + 1, "(");
}

static void candidates(const struct cc_lex *l, struct names *names)
{
    for (int32_t i = 0; i < l->n && names->n < MAX_NAMES; i++)
        if (bare_call(l, i) && find(l, names, i) == CC_NONE && !cc_place_of(l, l->tok[i].at).system)
            names->tok[names->n++] = i;
}

/* Drops the names that are types, aliases or concepts somewhere: a template of that name at the
 * head of the text would hide them. */
static void drop_types(const struct cc_lex *l, struct names *names)
{
    static const char *const TYPE[] = {"class", "struct", "union", "enum", "using", "concept"};

    for (int32_t i = 1; i < l->n && names->n; i++) {
        int k = l->tok[i].kind == TOK_ID ? find(l, names, i) : CC_NONE;

        for (unsigned t = 0; k != CC_NONE && t < sizeof TYPE / sizeof *TYPE; t++)
            if (cc_is(l, i - 1, TYPE[t])) {
                names->tok[k] = names->tok[--names->n];
                break;
            }
    }
}

/* Declares those that are functions of namespace AscendC. */
static void declare(struct cc_rw *w, const struct names *names)
{
    const struct cc_lex *l = &w->lex;
    bool seen[MAX_NAMES] = {false};

    for (int32_t i = 0; i < l->n; i++) {
        int32_t end = cc_mate(l, i + 2);

        if (!cc_is(l, i, "namespace") || !cc_is(l, i + 1, "AscendC") || end == CC_NONE)
            continue;
        for (i += 3; i < end; i++) {
            int k = cc_is(l, i + 1, "(") ? find(l, names, i) : CC_NONE;

            if (k == CC_NONE || seen[k])
                continue;
            seen[k] = true;
            cc_put(w, "template <class...> void %.*s(struct nputwin_by_arguments *) = delete;\n",
                   (int)l->tok[i].len, l->text + l->tok[i].at);
        }
    }
}

void cc_declare_by_arguments(struct cc_rw *w)
{
    const struct cc_lex *l = &w->lex;
    struct names names = {.n = 0};

    for (int32_t i = 0; i + 2 < l->n; i++)
        if (cc_is(l, i, "using") && cc_is(l, i + 1, "namespace") && cc_is(l, i + 2, "AscendC"))
            return;
    candidates(l, &names);
    drop_types(l, &names);
    if (names.n)
        declare(w, &names);
}
