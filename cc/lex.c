/* SPDX-License-Identifier: Apache-2.0 */
/* lex.c - see lex.h. One pass, then one pass that pairs the brackets. */
#include "lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct cursor {
    struct cc_lex *l;
    uint32_t p;
    bool line_start; /* only blanks since the last newline */
    size_t tok_room, mark_room;
};

static int at(const struct cc_lex *l, uint32_t p)
{
    return p < l->size ? (unsigned char)l->text[p] : 0;
}

static bool id_char(int c)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80;
}

static void push(struct cursor *c, enum cc_tok_kind kind, uint32_t from, uint32_t to)
{
    struct cc_lex *l = c->l;

    if (to > l->size)
        to = l->size;
    if ((size_t)l->n == c->tok_room) {
        c->tok_room = c->tok_room ? c->tok_room * 2 : 4096;
        l->tok = cc_grow(l->tok, c->tok_room * sizeof *l->tok);
    }
    l->tok[l->n++] = (struct cc_tok){from, to - from, CC_NONE, kind};
    c->p = to;
    c->line_start = false;
}

static void push_mark(struct cursor *c, struct cc_mark m)
{
    struct cc_lex *l = c->l;

    if (l->n_marks == c->mark_room) {
        c->mark_room = c->mark_room ? c->mark_room * 2 : 256;
        l->mark = cc_grow(l->mark, c->mark_room * sizeof *l->mark);
    }
    l->mark[l->n_marks++] = m;
}

static uint32_t line_end(const struct cc_lex *l, uint32_t p)
{
    const char *nl = p < l->size ? memchr(l->text + p, '\n', l->size - p) : NULL;

    return nl ? (uint32_t)(nl - l->text) + 1 : l->size;
}

/* A line that begins with #: a marker of the preprocessor, or a pragma. */
static void hash_line(struct cursor *c)
{
    const struct cc_lex *l = c->l;
    uint32_t end = line_end(l, c->p), p = c->p + 1;
    struct cc_mark m = {.at = end};

    while (at(l, p) == ' ')
        p++;
    if (isdigit(at(l, p))) {
        while (p < end && isdigit(at(l, p)))
            m.line = m.line * 10 + (uint32_t)(at(l, p++) - '0');
        while (p < end && at(l, p) != '"')
            p++;
        m.file_at = p;
        for (p++; p < end && at(l, p) != '"'; p++)
            p += at(l, p) == '\\';
        if (p < end) {
            m.file_len = p + 1 - m.file_at;
            m.system = memchr(l->text + p, '3', end - p) != NULL;
            push_mark(c, m);
        }
    }
    c->p = end;
    c->line_start = true;
}

/* Skips blanks, comments and # lines; true when there was one. */
static bool gap(struct cursor *c)
{
    const struct cc_lex *l = c->l;
    int ch = at(l, c->p);

    if (ch == '#' && c->line_start) {
        hash_line(c);
    } else if (isspace(ch) || !ch) {
        if (ch == '\n')
            c->line_start = true;
        c->p++;
    } else if (ch == '/' && at(l, c->p + 1) == '/') {
        c->p = line_end(l, c->p);
        c->line_start = true;
    } else if (ch == '/' && at(l, c->p + 1) == '*') {
        for (c->p += 2; c->p < l->size; c->p++)
            if (at(l, c->p) == '*' && at(l, c->p + 1) == '/')
                break;
        c->p = c->p < l->size ? c->p + 2 : l->size;
    } else {
        return false;
    }
    return true;
}

/* quote is at q; the text is R"delim( ... )delim" */
static uint32_t raw_string_end(const struct cc_lex *l, uint32_t q)
{
    uint32_t d = q + 1, n = 0;

    while (d + n < l->size && n < 16 && at(l, d + n) != '(')
        n++;
    for (uint32_t p = d + n; p < l->size; p++)
        if (at(l, p) == ')' && p + 1 + n < l->size && at(l, p + 1 + n) == '"' &&
            !memcmp(l->text + p + 1, l->text + d, n))
            return p + n + 2;
    return l->size;
}

static uint32_t string_end(const struct cc_lex *l, uint32_t q)
{
    int quote = at(l, q);
    uint32_t p = q + 1;

    while (p < l->size && at(l, p) != quote && at(l, p) != '\n')
        p += at(l, p) == '\\' ? 2 : 1;
    return p < l->size ? p + 1 : l->size;
}

static bool string(struct cursor *c)
{
    const struct cc_lex *l = c->l;
    uint32_t q = c->p;
    int first = at(l, q);

    if (first == 'u' || first == 'U' || first == 'L')
        q += first == 'u' && at(l, q + 1) == '8' ? 2 : 1;
    if (at(l, q) == 'R' && at(l, q + 1) == '"')
        push(c, TOK_STR, c->p, raw_string_end(l, q + 1));
    else if (at(l, q) == '"' || at(l, q) == '\'')
        push(c, TOK_STR, c->p, string_end(l, q));
    else
        return false;
    return true;
}

static void number(struct cursor *c)
{
    const struct cc_lex *l = c->l;
    uint32_t p = c->p;

    for (; p < l->size; p++) {
        int ch = at(l, p);
        bool sign = (ch == '+' || ch == '-') && p > c->p && strchr("eEpP", at(l, p - 1));

        if (!isalnum(ch) && ch != '.' && ch != '_' && ch != '\'' && !sign)
            break;
    }
    push(c, TOK_NUM, c->p, p);
}

static void token(struct cursor *c)
{
    const struct cc_lex *l = c->l;
    int ch = at(l, c->p);
    uint32_t p = c->p;

    if (string(c))
        return;
    if (isdigit(ch) || (ch == '.' && isdigit(at(l, p + 1)))) {
        number(c);
    } else if (id_char(ch)) {
        while (p < l->size && id_char(at(l, p)))
            p++;
        push(c, TOK_ID, c->p, p);
    } else {
        bool two = (ch == ':' && at(l, p + 1) == ':') || (ch == '-' && at(l, p + 1) == '>');

        push(c, TOK_PUNCT, p, p + (two ? 2 : 1));
    }
}

static int bracket(const struct cc_lex *l, int32_t i)
{
    const struct cc_tok *t = &l->tok[i];
    int ch = t->kind == TOK_PUNCT && t->len == 1 ? l->text[t->at] : 0;

    return ch && strchr("()[]{}", ch) ? ch : 0;
}

/* A closer pairs with the nearest open bracket of its own sort, but never across an open brace:
 * one bad line does not spoil the rest of the file. */
static void pair_brackets(struct cc_lex *l)
{
    int32_t *open = cc_grow(NULL, ((size_t)l->n + 1) * sizeof *open), n = 0;

    for (int32_t i = 0; i < l->n; i++) {
        int ch = bracket(l, i), want = ch == ')' ? '(' : ch == ']' ? '[' : '{', k;

        if (!ch)
            continue;
        if (strchr("([{", ch)) {
            open[n++] = i;
            continue;
        }
        for (k = n - 1; k >= 0 && bracket(l, open[k]) != want; k--)
            if (bracket(l, open[k]) == '{')
                break;
        if (k >= 0 && bracket(l, open[k]) == want) {
            l->tok[i].mate = open[k];
            l->tok[open[k]].mate = i;
            n = k;
        }
    }
    free(open);
}

void cc_lex_init(struct cc_lex *l, const char *text, uint32_t size)
{
    struct cursor c = {.l = l, .line_start = true};

    *l = (struct cc_lex){.text = text, .size = size};
    push_mark(&c, (struct cc_mark){.line = 1});
    while (c.p < size)
        if (!gap(&c))
            token(&c);
    pair_brackets(l);
}

void cc_lex_finish(struct cc_lex *l)
{
    free(l->tok);
    free(l->mark);
    *l = (struct cc_lex){0};
}

bool cc_is(const struct cc_lex *l, int32_t i, const char *s)
{
    return i >= 0 && i < l->n && strlen(s) == l->tok[i].len &&
           !memcmp(l->text + l->tok[i].at, s, l->tok[i].len);
}

bool cc_is_id(const struct cc_lex *l, int32_t i)
{
    return i >= 0 && i < l->n && l->tok[i].kind == TOK_ID;
}

bool cc_is_triple(const struct cc_lex *l, int32_t i, char c)
{
    if (i < 0 || i + 2 >= l->n)
        return false;
    for (int32_t k = i; k < i + 3; k++)
        if (l->tok[k].kind != TOK_PUNCT || l->tok[k].len != 1 || l->text[l->tok[k].at] != c ||
            l->tok[k].at != l->tok[i].at + (uint32_t)(k - i))
            return false;
    return true;
}

int32_t cc_mate(const struct cc_lex *l, int32_t i)
{
    return i >= 0 && i < l->n ? l->tok[i].mate : CC_NONE;
}

int32_t cc_angle_end(const struct cc_lex *l, int32_t i)
{
    for (int32_t depth = 0; i >= 0 && i < l->n; i++) {
        int ch = bracket(l, i);

        if (ch && strchr("([{", ch)) {
            i = cc_mate(l, i);
            if (i == CC_NONE)
                break;
        } else if (ch || cc_is(l, i, ";")) {
            break;
        } else if (cc_is(l, i, "<")) {
            depth++;
        } else if (cc_is(l, i, ">") && --depth == 0) {
            return i;
        }
    }
    return CC_NONE;
}

int32_t cc_angle_begin(const struct cc_lex *l, int32_t i)
{
    for (int32_t depth = 0; i >= 0 && i < l->n; i--) {
        int ch = bracket(l, i);

        if (ch && strchr(")]}", ch)) {
            i = cc_mate(l, i);
            if (i == CC_NONE)
                break;
        } else if (ch || cc_is(l, i, ";")) {
            break;
        } else if (cc_is(l, i, ">")) {
            depth++;
        } else if (cc_is(l, i, "<") && --depth == 0) {
            return i;
        }
    }
    return CC_NONE;
}

struct cc_place cc_place_of(const struct cc_lex *l, uint32_t pos)
{
    uint32_t lo = 0, hi = l->n_marks, from, line;
    const struct cc_mark *m;

    while (hi - lo > 1) { /* the last mark at or before pos */
        uint32_t mid = lo + (hi - lo) / 2;

        if (l->mark[mid].at <= pos)
            lo = mid;
        else
            hi = mid;
    }
    m = &l->mark[lo];
    from = m->at;
    line = m->line;
    for (uint32_t p = m->at; p < pos && p < l->size; p++)
        if (l->text[p] == '\n') {
            line++;
            from = p + 1;
        }
    return (struct cc_place){m->file_len ? l->text + m->file_at : "\"<text>\"",
                             m->file_len ? (int)m->file_len : 8, line, pos - from + 1, m->system};
}
