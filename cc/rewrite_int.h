/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite_int.h - what the files of the rewriter share.
 *
 * Output is the input copied in order, with pieces inserted or blanked. `done` is the first byte
 * that was not copied yet, so a piece of text that nobody touches costs one memcpy.
 */
#ifndef CC_REWRITE_INT_H
#define CC_REWRITE_INT_H
#include "lex.h"
#include "rewrite.h"

enum { CC_MAX_DEPTH = 200 };

struct cc_rw {
    struct cc_lex lex;
    struct cc_rewritten *r;
    enum cc_view view;
    bool aclrt, has_kernels;
    unsigned workspace; /* from the end of the parameters; 0: none */
    int in_extern_c, depth;
    uint32_t done;
    size_t kernel_room;
};

/* One declaration with __global__, as token indices. */
struct cc_decl {
    int32_t start, name, lp, rp;
    int32_t body, end; /* { and }; CC_NONE for a mere declaration */
    int32_t lt, gt;    /* template <...>; CC_NONE */
    bool is_special;   /* template <> or template without <: no selector, no stub */
};

/* ---- rewrite.c ---- */
void cc_emit_range(struct cc_rw *w, int32_t a, int32_t b);
/* Copies up to the first byte of token i (or to the end of the text). */
void cc_flush(struct cc_rw *w, int32_t i);
/* Copies through the last byte of token i. */
void cc_flush_through(struct cc_rw *w, int32_t i);
/* Drops the bytes of tokens a..b: nothing of them will be copied. */
void cc_skip_through(struct cc_rw *w, int32_t b);
/* Tokens a..b become spaces; gaps stay, so that lines and columns do. */
void cc_blank(struct cc_rw *w, int32_t a, int32_t b);
/* After an insertion: says again where token i stands in the user's file, line and column. */
void cc_resync(struct cc_rw *w, int32_t i);
void cc_put(struct cc_rw *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cc_rw_fail(struct cc_rw *w, int32_t i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool cc_failed(const struct cc_rw *w);
/* The token behind a qualifier (and its arguments) at i; i when there is none. */
int32_t cc_after_qualifier(const struct cc_lex *l, int32_t i);
/* Tokens [a, b) in one line, without qualifiers. */
char *cc_tokens(const struct cc_rw *w, int32_t a, int32_t b);
/* 0.. for __ubuf__, __cbuf__ ... (enum of the header's place<>), CC_NONE for anything else. */
int cc_space_of(const struct cc_lex *l, int32_t i);

/* ---- kernel.c ---- */
/* Emits the declaration that holds __global__ at g; returns the token behind it. */
int32_t cc_kernel(struct cc_rw *w, int32_t g);

/* ---- launch.c ---- */
int32_t cc_launch(struct cc_rw *w, int32_t i);
/* The name at i is a template kernel launched without <...>. Returns the token behind >>>, or i. */
int32_t cc_launch_deduced(struct cc_rw *w, int32_t i);

/* ---- stub.c ---- */
void cc_stubs(struct cc_rw *w, const struct cc_decl *d, struct cc_kernel *k);
/* nputwin_def_k: the default arguments of a plain kernel, which a pointer to it does not have. */
bool cc_wants_defaults(const struct cc_rw *w, const struct cc_kernel *k);
/* Behind a declaration; cc_stubs puts those of a definition. */
void cc_declared_defaults(struct cc_rw *w, const struct cc_decl *d, const struct cc_kernel *k);
/* The name of the parameter that stands `from_end` (1: last) from the end, or CC_NONE. */
int32_t cc_param_name(const struct cc_rw *w, const struct cc_decl *d, unsigned from_end);
/* Fills n_params and c_params. */
void cc_params(const struct cc_rw *w, const struct cc_decl *d, struct cc_kernel *k);
/* "decltype(x), decltype(y)" of the parameters; NULL when one has no name. */
char *cc_param_types(const struct cc_rw *w, const struct cc_decl *d);

/* ---- adl.c ---- */
/* At the head of the text: the functions of AscendC that are called as f<T>(x) without their
 * namespace. */
void cc_declare_by_arguments(struct cc_rw *w);

/* ---- placed.c ---- */
/* The declaration of an array in on-chip memory at i; returns the token behind it, or i. */
int32_t cc_placed(struct cc_rw *w, int32_t i);
#endif
