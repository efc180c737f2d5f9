/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.c - see rewrite.h. The walk over the tokens; each construct has a file of its own. */
#include "rewrite_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of Ascend C without meaning for C++; blanked wherever they stand. */
static const struct {
    const char *word;
    bool has_args;
} QUALIFIERS[] = {
    {"__aicore__", false},        {"__gm__", false},          {"__global__", false},
    {"__vector__", false},        {"__cube__", false},        {"__mix__", true},
    {"__simd_vf__", false},       {"__simd_callee__", false}, {"__simt_vf__", false},
    {"__simt_callee__", false},   {"__host_aicore__", false}, {"__host__", false},
    {"__launch_bounds__", true},  {"__schedmode__", true},    {"__no_simd_vf_fusion__", false},
    {"__kfc_workspace__", false}, {"__forceinline__", false},
};
enum { N_QUALIFIERS = sizeof QUALIFIERS / sizeof *QUALIFIERS };

/* Memories, in the order of nputwin::lang::space in nputwin_launch.h. */
static const char *const SPACES[] = {"__ubuf__", "__cbuf__", "__ca__",      "__cb__",
                                     "__cc__",   "__fbuf__", "__biasbuf__", "__ssbuf__"};

/* What stands for __bf16 (front/cpp/scalar.h): as long, for the columns. */
static const char BF16[] = "_bf16_";

int cc_space_of(const struct cc_lex *l, int32_t i)
{
    if (!cc_is_id(l, i) || l->text[l->tok[i].at] != '_')
        return CC_NONE;
    for (unsigned k = 0; k < sizeof SPACES / sizeof *SPACES; k++)
        if (cc_is(l, i, SPACES[k]))
            return (int)k;
    return CC_NONE;
}

/* `[aicore]` and `[host, aicore]`, what __aicore__ and __host_aicore__ are macros for elsewhere; a
 * lambda's captures are followed by ( or {. */
static int32_t after_attribute(const struct cc_lex *l, int32_t i)
{
    const int32_t end = cc_mate(l, i);

    for (int32_t k = i + 1; k < end; k++)
        if (!cc_is(l, k, "aicore") && !cc_is(l, k, "host") && !cc_is(l, k, ","))
            return i;
    return end > i + 1 && !cc_is(l, end + 1, "(") && !cc_is(l, end + 1, "{") ? end + 1 : i;
}

int32_t cc_after_qualifier(const struct cc_lex *l, int32_t i)
{
    if (cc_is(l, i, "["))
        return after_attribute(l, i);
    if (!cc_is_id(l, i) || l->text[l->tok[i].at] != '_')
        return i;
    if (cc_space_of(l, i) != CC_NONE)
        return i + 1;
    for (unsigned k = 0; k < N_QUALIFIERS; k++) {
        if (!cc_is(l, i, QUALIFIERS[k].word))
            continue;
        if (QUALIFIERS[k].has_args && cc_is(l, i + 1, "(") && cc_mate(l, i + 1) != CC_NONE)
            return cc_mate(l, i + 1) + 1;
        return i + 1;
    }
    return i;
}

/* ---- output ---- */

static uint32_t tok_end(const struct cc_lex *l, int32_t i)
{
    return l->tok[i].at + l->tok[i].len;
}

static void flush_to(struct cc_rw *w, uint32_t at)
{
    if (at <= w->done)
        return;
    cc_add(&w->r->out, w->lex.text + w->done, at - w->done);
    w->done = at;
}

void cc_flush(struct cc_rw *w, int32_t i)
{
    flush_to(w, i < w->lex.n ? w->lex.tok[i].at : w->lex.size);
}

void cc_flush_through(struct cc_rw *w, int32_t i)
{
    flush_to(w, tok_end(&w->lex, i));
}

void cc_skip_through(struct cc_rw *w, int32_t b)
{
    w->done = tok_end(&w->lex, b);
}

void cc_blank(struct cc_rw *w, int32_t a, int32_t b)
{
    for (int32_t i = a; i <= b && i < w->lex.n; i++) {
        cc_flush(w, i);
        for (uint32_t k = 0; k < w->lex.tok[i].len; k++)
            cc_add(&w->r->out, " ", 1);
        cc_skip_through(w, i);
    }
}

/* Where the lines of the preprocessor begin between token i and the one before it, or NULL. */
static const char *markers_before(const struct cc_lex *l, int32_t i)
{
    uint32_t from = i > 0 ? tok_end(l, i - 1) : 0;

    return memmem(l->text + from, l->tok[i].at - from, "\n#", 2);
}

void cc_resync(struct cc_rw *w, int32_t i)
{
    const char *markers;
    struct cc_place p;

    if (i >= w->lex.n)
        return;
    markers = markers_before(&w->lex, i);
    if (markers) { /* they say where token i is, and which files begin and end on the way there */
        w->done = (uint32_t)(markers - w->lex.text);
        cc_flush(w, i);
        return;
    }
    p = cc_place_of(&w->lex, w->lex.tok[i].at);
    cc_put(w, "\n# %u %.*s%s\n%*s", p.line, p.file_len, p.file, p.system ? " 3 4" : "",
           (int)(p.col < 4096 ? p.col - 1 : 0), "");
    w->done = w->lex.tok[i].at;
}

void cc_put(struct cc_rw *w, const char *fmt, ...)
{
    va_list ap;
    char *s = NULL;

    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        abort();
    va_end(ap);
    cc_adds(&w->r->out, s);
    free(s);
}

void cc_rw_fail(struct cc_rw *w, int32_t i, const char *fmt, ...)
{
    struct cc_place p;
    va_list ap;
    char *s = NULL;

    if (w->r->error)
        return;
    p = cc_place_of(&w->lex, i < w->lex.n ? w->lex.tok[i].at : w->lex.size);
    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        abort();
    va_end(ap);
    w->r->error = cc_fmt("%.*s:%u:%u: error: %s", p.file_len - 2, p.file + 1, p.line, p.col, s);
    free(s);
}

bool cc_failed(const struct cc_rw *w)
{
    return w->r->error != NULL;
}

char *cc_tokens(const struct cc_rw *w, int32_t a, int32_t b)
{
    const struct cc_lex *l = &w->lex;
    struct cc_text t = {0};

    cc_add(&t, "", 0);
    for (int32_t i = a; i < b && i < l->n; i++) {
        int32_t next = cc_after_qualifier(l, i);

        if (next > i) {
            i = next - 1;
            continue;
        }
        if (i > a && l->tok[i].at > tok_end(l, i - 1))
            cc_add(&t, " ", 1);
        if (cc_is(l, i, "__bf16"))
            cc_adds(&t, BF16);
        else
            cc_add(&t, l->text + l->tok[i].at, l->tok[i].len);
    }
    return t.s;
}

/* ---- the walk ---- */

/* Blanks a qualifier at i; returns the token behind it, or i when there is none. */
static int32_t qualifier(struct cc_rw *w, int32_t i)
{
    int32_t next = cc_after_qualifier(&w->lex, i);

    if (next > i)
        cc_blank(w, i, next - 1);
    return next;
}

/* `__forceinline__` is `inline`, which C++ takes once in a declaration. */
static int32_t force_inline(struct cc_rw *w, int32_t i)
{
    static const char word[] = "inline         "; /* as long as the other, for the columns */
    const struct cc_lex *l = &w->lex;
    const int32_t next = cc_after_qualifier(l, i + 1);

    if (cc_is(l, i - 1, "inline") || cc_is(l, next, "inline"))
        return i;
    cc_flush(w, i);
    cc_adds(&w->r->out, word);
    cc_skip_through(w, i);
    return i + 1;
}

/* `__bf16` is bfloat16_t; newer compilers have a type of that name, which their own headers mean.
 */
static int32_t bf16(struct cc_rw *w, int32_t i)
{
    if (cc_place_of(&w->lex, w->lex.tok[i].at).system)
        return i;
    cc_flush(w, i);
    cc_adds(&w->r->out, BF16);
    cc_skip_through(w, i);
    return i + 1;
}

/* `extern "C" {`: kernels inside have C linkage. */
static int32_t linkage_block(struct cc_rw *w, int32_t i)
{
    const struct cc_lex *l = &w->lex;
    int32_t end = cc_mate(l, i + 2);
    bool is_c = cc_is(l, i + 1, "\"C\"");

    if (!(is_c || cc_is(l, i + 1, "\"C++\"")) || !cc_is(l, i + 2, "{") || end == CC_NONE)
        return i;
    int saved = w->in_extern_c;

    w->in_extern_c = is_c;
    cc_emit_range(w, i + 3, end);
    w->in_extern_c = saved;
    return end;
}

/* The header's block that registers the kernels: kept only where there are some. */
static int32_t registration(struct cc_rw *w, int32_t i)
{
    int32_t end = cc_mate(&w->lex, i + 1);

    if (!cc_is(&w->lex, i + 1, "{") || end == CC_NONE)
        return i;
    cc_blank(w, i, i + 1);
    w->r->registers = w->has_kernels && w->view != CC_DEVICE;
    if (!w->r->registers)
        cc_blank(w, i + 2, end - 1);
    cc_blank(w, end, end);
    return end + 1;
}

/* What stands at i, when it is ours: emits it and returns the token behind; else returns i. */
static int32_t construct(struct cc_rw *w, int32_t i)
{
    const struct cc_lex *l = &w->lex;
    int32_t next = i;

    if (l->tok[i].kind == TOK_PUNCT) {
        if (cc_is_triple(l, i, '<') && !cc_is(l, i - 1, "operator"))
            next = cc_launch(w, i);
        return next == i ? qualifier(w, i) : next;
    }
    if (l->tok[i].kind != TOK_ID)
        return i;
    if (cc_is_triple(l, i + 1, '<') && (next = cc_launch_deduced(w, i)) != i)
        return next;
    if (cc_is(l, i, "extern"))
        next = linkage_block(w, i);
    if (next == i && (cc_is(l, i, "extern") || cc_space_of(l, i) != CC_NONE))
        next = cc_placed(w, i);
    if (next != i || l->text[l->tok[i].at] != '_')
        return next;
    if (cc_is(l, i, "__global__"))
        return cc_kernel(w, i);
    if (cc_is(l, i, "__forceinline__") && (next = force_inline(w, i)) != i)
        return next;
    if (cc_is(l, i, "__bf16"))
        return bf16(w, i);
    if (cc_is(l, i, "__nputwin_registration__"))
        return registration(w, i);
    return qualifier(w, i);
}

void cc_emit_range(struct cc_rw *w, int32_t a, int32_t b)
{
    if (++w->depth > CC_MAX_DEPTH)
        cc_rw_fail(w, a, "braces and launches are nested more than %d deep", CC_MAX_DEPTH);
    for (int32_t i = a; i < b && !cc_failed(w);) {
        int32_t next = construct(w, i);

        i = next > i ? next : i + 1;
    }
    w->depth--;
}

static bool defines_kernels(const struct cc_lex *l)
{
    for (int32_t i = 0; i < l->n; i++)
        if (cc_is(l, i, "__global__"))
            return true;
    return false;
}

bool cc_rewrite(const char *text, size_t size, enum cc_view view, bool aclrt, unsigned workspace,
                struct cc_rewritten *r)
{
    struct cc_rw w = {.r = r, .view = view, .aclrt = aclrt, .workspace = workspace};

    *r = (struct cc_rewritten){0};
    if (size > UINT32_MAX / 2) {
        r->error = cc_fmt("error: the preprocessed text has %zu bytes; 2 GiB are the limit", size);
        return false;
    }
    cc_add(&r->out, "", 0);
    cc_lex_init(&w.lex, text, (uint32_t)size);
    w.has_kernels = defines_kernels(&w.lex);
    cc_declare_by_arguments(&w);
    cc_emit_range(&w, 0, w.lex.n);
    cc_flush(&w, w.lex.n);
    cc_lex_finish(&w.lex);
    return !r->error;
}

void cc_rewritten_finish(struct cc_rewritten *r)
{
    cc_text_finish(&r->out);
    for (unsigned i = 0; i < r->n_kernels; i++) {
        free(r->kernel[i].name);
        free(r->kernel[i].c_params);
    }
    free(r->kernel);
    free(r->error);
    *r = (struct cc_rewritten){0};
}
