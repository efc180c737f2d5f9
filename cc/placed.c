/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placed.c - `__ubuf__ T a[N][M] = {...};` lives in the core's memory, not on the block's stack.
 *
 *   ::nputwin::lang::placed<SPACE, T[N][M]> nputwin_p_a("a", __FILE__, __LINE__);
 *   auto &a = nputwin_p_a.v();
 *   `extern __ubuf__ T a[];` is the dynamic part of UB.
 */
#include <stdlib.h>

#include "rewrite_int.h"

struct array {
    int32_t type, name;     /* tokens [type, name) are the element type */
    int32_t dims, dims_end; /* [ ... ] */
    int32_t init, init_end; /* { ... }, or CC_NONE */
    int32_t semicolon;
};

/* Reads `T name[N]... [= {...}];` behind the qualifier at i. */
static bool read_array(const struct cc_lex *l, int32_t i, struct array *a)
{
    int32_t j = i + 1;

    *a = (struct array){.type = j, .name = CC_NONE, .init = CC_NONE};
    for (; j != CC_NONE && j < l->n && !cc_is(l, j, "["); j++) {
        if (cc_is(l, j, "<")) {
            j = cc_angle_end(l, j);
            if (j == CC_NONE)
                return false;
            continue;
        }
        if (!cc_is_id(l, j) && !cc_is(l, j, "::"))
            return false;
        a->name = j;
    }
    if (a->name == CC_NONE || a->name == a->type || a->name != j - 1 || !cc_is_id(l, a->name))
        return false;
    a->dims = j;
    while (cc_is(l, j, "[") && cc_mate(l, j) != CC_NONE)
        j = cc_mate(l, j) + 1;
    a->dims_end = j;
    j += cc_is(l, j, "=");
    if (cc_is(l, j, "{") && cc_mate(l, j) != CC_NONE) {
        a->init = j;
        a->init_end = j = cc_mate(l, j) + 1;
    }
    a->semicolon = j;
    return cc_is(l, j, ";");
}

int32_t cc_placed(struct cc_rw *w, int32_t i)
{
    const struct cc_lex *l = &w->lex;
    bool dynamic = cc_is(l, i, "extern");
    int32_t at = dynamic ? i + 1 : i;
    int space = cc_space_of(l, at);
    struct array a;
    char *type, *name, *dims;

    if (space == CC_NONE || !read_array(l, at, &a))
        return i;
    type = cc_tokens(w, a.type, a.name);
    name = cc_tokens(w, a.name, a.name + 1);
    dims = cc_tokens(w, a.dims, a.dims_end);
    cc_flush(w, i);
    if (dynamic) {
        cc_put(w, "static const ::nputwin::lang::dynamic_ub<%s> %s{};", type, name);
    } else {
        struct cc_place p = cc_place_of(l, l->tok[i].at);

        cc_put(w, "::nputwin::lang::placed<%d, %s%s> nputwin_p_%s(\"%s\", %.*s, %u); ", space, type,
               dims, name, name, p.file_len, p.file, p.line);
        cc_put(w, "auto &%s = nputwin_p_%s.v();", name, name);
        if (a.init != CC_NONE) {
            char *init = cc_tokens(w, a.init, a.init_end);

            cc_put(w,
                   " { static const %s nputwin_i%s = %s; ::nputwin::lang::init(%s, nputwin_i); }",
                   type, dims, init, name);
            free(init);
        }
    }
    cc_skip_through(w, a.semicolon);
    cc_resync(w, a.semicolon + 1);
    free(type);
    free(name);
    free(dims);
    return a.semicolon + 1;
}
