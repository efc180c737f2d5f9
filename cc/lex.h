/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex.h - the tokens of preprocessed C++, as places in the text.
 *
 * Blanks, comments and `#` lines are no tokens: they are the gaps, and travel with the text that is
 * copied. Nothing here owns or changes the text. Any bytes are fine: what cannot be closed (a
 * string, a bracket) just has no end or no mate.
 */
#ifndef CC_LEX_H
#define CC_LEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cc_tok_kind { TOK_ID, TOK_NUM, TOK_STR, TOK_PUNCT };
enum { CC_NONE = -1 };

struct cc_tok {
    uint32_t at, len; /* bytes in the text */
    int32_t mate;     /* the other bracket of ( ) [ ] { }; CC_NONE */
    enum cc_tok_kind kind;
};

/* A line marker `# 12 "file" flags`: what follows at `at` is line `line` of `file`. */
struct cc_mark {
    uint32_t at, line;
    uint32_t file_at, file_len; /* with its quotes; len 0 before the first marker */
    bool system;
};

struct cc_lex {
    const char *text;
    uint32_t size;
    struct cc_tok *tok;
    int32_t n;
    struct cc_mark *mark;
    uint32_t n_marks;
};

/* Where a byte of the text stood in the user's file. file keeps its quotes. */
struct cc_place {
    const char *file;
    int file_len;
    uint32_t line, col; /* from 1 */
    bool system;
};

void cc_lex_init(struct cc_lex *l, const char *text, uint32_t size);
void cc_lex_finish(struct cc_lex *l);

/* All of these take any index and answer false or CC_NONE outside. */
bool cc_is(const struct cc_lex *l, int32_t i, const char *s);
bool cc_is_id(const struct cc_lex *l, int32_t i);
/* Three times the same character without a gap: <<< or >>>. */
bool cc_is_triple(const struct cc_lex *l, int32_t i, char c);
int32_t cc_mate(const struct cc_lex *l, int32_t i);
/* The > of the < at i, or CC_NONE. */
int32_t cc_angle_end(const struct cc_lex *l, int32_t i);
/* The < of the > at i, or CC_NONE. */
int32_t cc_angle_begin(const struct cc_lex *l, int32_t i);

struct cc_place cc_place_of(const struct cc_lex *l, uint32_t at);
#endif
