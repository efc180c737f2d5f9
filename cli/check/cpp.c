/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpp.c - facts of C++ sources, from tokens.
 *
 * Bodies of macros count as code where they stand: heads of #define and line continuations are
 * blanked in a copy of the text, which keeps every byte at its place, and that copy is lexed.
 */
#include "check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The end of a directive that begins at text, continuations included. */
static size_t directive_end(const char *text)
{
    size_t n = 0;

    for (;; n++) {
        if (!text[n])
            return n;
        if (text[n] == '\n' && !(n && text[n - 1] == '\\'))
            return n;
    }
}

/* The length of a literal or comment that begins here, 0 when none does. */
static size_t opaque(const char *text, size_t n)
{
    size_t i = 1;

    if (n > 1 && text[0] == '/' && (text[1] == '/' || text[1] == '*')) {
        const char *end = memmem(text, n, text[1] == '/' ? "\n" : "*/", text[1] == '/' ? 1 : 2);

        return end ? (size_t)(end - text) + (text[1] == '/' ? 1 : 2) : n;
    }
    if (*text != '"' && *text != '\'')
        return 0;
    while (i < n && text[i] != *text)
        i += text[i] == '\\' ? 2 : 1;
    return i < n ? i + 1 : n;
}

/* Brackets of a macro body must pair up, or they would break the pairs of the file. */
static bool is_balanced(const char *text, size_t n)
{
    int depth[3] = {0};

    for (size_t i = 0; i < n; i++) {
        const char *open = "([{", *close = ")]}", *at = NULL;
        size_t skip = opaque(text + i, n - i);

        if (skip) {
            i += skip - 1;
            continue;
        }
        if ((at = strchr(open, text[i])) != NULL)
            depth[at - open]++;
        if ((at = strchr(close, text[i])) != NULL && --depth[at - close] < 0)
            return false;
    }
    return depth[0] == 0 && depth[1] == 0 && depth[2] == 0;
}

/* The head is `#define NAME` or `#define NAME(a, b)`. */
static size_t define_head(const char *text)
{
    size_t n = 1 + strspn(text + 1, " \t") + strlen("define");

    n += strspn(text + n, " \t");
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    if (text[n] == '(')
        n += strcspn(text + n, ")\n") + 1;
    return n;
}

static void blank_define(char *text, size_t n)
{
    size_t head = define_head(text);

    if (head >= n || !is_balanced(text + head, n - head))
        return; /* stays a directive, a gap between tokens */
    memset(text, ' ', head);
    for (size_t i = head; i < n; i++) {
        size_t skip = opaque(text + i, n - i);

        if (skip)
            i += skip - 1;
        else if ((text[i] == '\\' && text[i + 1] == '\n') ||
                 text[i] == '#') /* #kernel is its name as text */
            text[i] = ' ';
    }
}

static bool is_define(const char *text)
{
    return *text == '#' && starts(text + 1 + strspn(text + 1, " \t"), "define");
}

static void note_include(struct check *c, const struct src *s, const char *at)
{
    const char *open = at + 1 + strspn(at + 1, " \t") + strlen("include");
    const char *begin = open + strspn(open, " \t");
    char close = *begin == '<' ? '>' : '"';
    const char *end = *begin == '<' || *begin == '"' ? strchr(begin + 1, close) : NULL;

    if (!end)
        return;
    c->include.at = cli_room(c->include.at, c->include.n, &c->include.room, sizeof(*c->include.at));
    c->include.at[c->include.n++] =
        (struct include){s, NULL, (uint32_t)(at - s->text),
                         cli_fmt("%.*s", (int)(end - begin - 1), begin + 1), *begin == '<'};
}

void cpp_read(struct src *s)
{
    bool is_line_start = true;

    s->code = cli_fmt("%s", s->text);
    for (size_t i = 0; i < s->size; i++) {
        if (is_line_start && is_define(s->code + i)) {
            size_t n = directive_end(s->code + i);

            blank_define(s->code + i, n);
            i += n ? n - 1 : 0;
            continue;
        }
        is_line_start = s->code[i] == '\n' || (is_line_start && isspace((unsigned char)s->code[i]));
    }
    cc_lex_init(&s->lex, s->code, (uint32_t)s->size);
}

size_t tok_at(const struct src *s, int32_t tok)
{
    return tok >= 0 && tok < s->lex.n ? s->lex.tok[tok].at : s->size;
}

bool tok_is(const struct src *s, int32_t tok, const char *text)
{
    return cc_is(&s->lex, tok, text);
}

char *span_text(const struct src *s, struct span span)
{
    char *text = cli_fmt("%s", "");

    for (int32_t i = span.from; i < span.to && i < s->lex.n; i++) {
        const struct cc_tok *tok = &s->lex.tok[i];
        bool is_apart = i > span.from && tok->at > s->lex.tok[i - 1].at + s->lex.tok[i - 1].len;
        char *longer =
            cli_fmt("%s%s%.*s", text, is_apart ? " " : "", (int)tok->len, s->code + tok->at);

        free(text);
        text = longer;
    }
    return text;
}

bool span_has(const struct src *s, struct span span, const char *word)
{
    for (int32_t i = span.from; i < span.to; i++)
        if (tok_is(s, i, word))
            return true;
    return false;
}

/* Splits ( ) or < > contents at commas of the outermost level. Angles only count when told to: a
 * less-than is no bracket. */
static size_t split(const struct src *s, int32_t open, int32_t close, bool has_angles,
                    struct span out[MAX_ARGS])
{
    size_t n = 0;
    int32_t from = open + 1;

    if (close <= open + 1)
        return 0;
    for (int32_t i = open + 1; i <= close; i++) {
        int32_t mate = cc_mate(&s->lex, i);
        int32_t angle = has_angles && tok_is(s, i, "<") ? cc_angle_end(&s->lex, i) : CC_NONE;

        if (i < close && mate > i)
            i = mate;
        else if (angle != CC_NONE && angle < close)
            i = angle;
        else if ((i == close || tok_is(s, i, ",")) && n < MAX_ARGS) {
            out[n++] = (struct span){from, i};
            from = i + 1;
        }
    }
    return n;
}

bool next_call(const struct src *s, const char *name, int32_t *at, int32_t to, struct call *call)
{
    if (*at == 0 && !strstr(s->code, name)) /* most files hold few of the names asked for */
        return false;
    for (; *at < to && *at < s->lex.n; (*at)++) {
        int32_t open = *at + 1,
                angle = tok_is(s, open, "<") ? cc_angle_end(&s->lex, open) : CC_NONE;

        if (!tok_is(s, *at, name))
            continue;
        if (angle != CC_NONE)
            open = angle + 1;
        if (!tok_is(s, open, "(") || cc_mate(&s->lex, open) == CC_NONE)
            continue;
        *call = (struct call){.src = s, .name = *at, .open = open, .close = cc_mate(&s->lex, open)};
        call->n_args = split(s, call->open, call->close, false, call->arg);
        *at = open;
        return true;
    }
    return false;
}

/* What an ordinary literal says: a backslash at the end of a line goes on in the next one, before a
 * quote or another backslash it is not meant itself. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] == '\n')
            at++;
        else if (at[0] == '\\' && at[1] && strchr("\"'\\", at[1]))
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *to = '\0';
}

char *span_string(const struct src *s, struct span span)
{
    char *text = NULL;

    for (int32_t i = span.from; i < span.to; i++) {
        const struct cc_tok *tok = i < s->lex.n ? &s->lex.tok[i] : NULL;
        const char *at = tok ? s->code + tok->at : "", *begin = memchr(at, '"', tok ? tok->len : 0);
        size_t n = 0;
        char *longer = NULL, *part = NULL;
        bool is_raw = begin && begin > at && begin[-1] == 'R';

        if (!tok || tok->kind != TOK_STR || !begin) {
            free(text);
            return NULL;
        }
        n = tok->len - (size_t)(begin - at);
        if (is_raw) { /* R"x(...)x" */
            size_t mark = strcspn(begin + 1, "(");

            begin += mark + 1;
            n -= 2 * (mark + 1);
        }
        part = cli_fmt("%.*s", (int)(n >= 2 ? n - 2 : 0), begin + 1);
        if (!is_raw)
            unescape(part);
        longer = cli_fmt("%s%s", text ? text : "", part);
        free(part);
        free(text);
        text = longer;
    }
    return text;
}

/* ---- functions ---- */

/* Back from the ( of a parameter list to where the declaration begins. */
static int32_t declaration_begin(const struct src *s, int32_t name, int32_t scope)
{
    int32_t i = name;

    while (i > scope && !tok_is(s, i - 1, ";") && !tok_is(s, i - 1, "}") &&
           !tok_is(s, i - 1, "{") &&
           !(tok_is(s, i - 1, ":") && !tok_is(s, i - 2, ":") && !tok_is(s, i, ":")))
        i--;
    return i;
}

static void read_param(const struct src *s, struct span span, struct param *param)
{
    int32_t end = span.from, name = CC_NONE;

    while (end < span.to && !tok_is(s, end, "="))
        end++;
    if (end - span.from >= 2 && cc_is_id(&s->lex, end - 1) && !tok_is(s, end - 2, "::"))
        name = end - 1;
    *param = (struct param){{span.from, name == CC_NONE ? end : name}, name};
}

static void add_fn(struct check *c, const struct src *s, int32_t begin, int32_t name, int32_t body)
{
    struct span param[MAX_ARGS];
    struct fn *fn = NULL;

    c->fn.at = cli_room(c->fn.at, c->fn.n, &c->fn.room, sizeof(*c->fn.at));
    fn = &c->fn.at[c->fn.n++];
    *fn = (struct fn){.src = s, .begin = begin, .name = name, .open = name + 1, .body = body};
    fn->close = cc_mate(&s->lex, fn->open);
    fn->end = cc_mate(&s->lex, body);
    fn->n_params = split(s, fn->open, fn->close, true, param);
    if (fn->n_params == 1 && param[0].to - param[0].from == 1 && tok_is(s, param[0].from, "void"))
        fn->n_params = 0;
    for (size_t i = 0; i < fn->n_params; i++)
        read_param(s, param[i], &fn->param[i]);
    fn->is_kernel = span_has(s, (struct span){begin, name}, "__global__");
}

/* The { of a function's body behind its ), CC_NONE when it is something else. */
static int32_t body_of(const struct src *s, int32_t close, int32_t to)
{
    static const char *const words[] = {"const", "noexcept", "override", "final", "volatile"};

    for (int32_t i = close + 1; i < to; i++) {
        bool is_word = false;

        for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
            is_word |= tok_is(s, i, words[w]);
        if (tok_is(s, i, "{"))
            return i;
        if (tok_is(s, i, "->") || (tok_is(s, i, "-") && tok_is(s, i + 1, ">")) ||
            tok_is(s, i, ":")) {
            while (i < to && !tok_is(s, i, "{") && !tok_is(s, i, ";"))
                i = cc_mate(&s->lex, i) > i ? cc_mate(&s->lex, i) + 1 : i + 1;
            return tok_is(s, i, "{") ? i : CC_NONE;
        }
        if (!is_word)
            return CC_NONE;
    }
    return CC_NONE;
}

static bool is_library(const struct src *s, int32_t tok)
{
    return tok_is(s, tok, "TORCH_LIBRARY") || tok_is(s, tok, "TORCH_LIBRARY_FRAGMENT") ||
           tok_is(s, tok, "TORCH_LIBRARY_IMPL");
}

/* Scopes are namespaces, extern "C" and classes; function bodies are not entered. */
static void find_functions(struct check *c, const struct src *s, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        int32_t close = cc_mate(&s->lex, i), body = CC_NONE;

        if (tok_is(s, i, "(") && close > i && cc_is_id(&s->lex, i - 1) && !is_library(s, i - 1))
            body = body_of(s, close, to);
        if (body != CC_NONE && cc_mate(&s->lex, body) > body && i - 1 > from &&
            !tok_is(s, i - 1, "if") && !tok_is(s, i - 1, "for") && !tok_is(s, i - 1, "while") &&
            !tok_is(s, i - 1, "switch")) {
            add_fn(c, s, declaration_begin(s, i - 1, from), i - 1, body);
            i = cc_mate(&s->lex, body);
        } else if (tok_is(s, i, "{") && close > i) {
            find_functions(c, s, i + 1, close);
            i = close;
        } else if (tok_is(s, i, "(") && close > i) {
            i = close;
        }
    }
}

const struct fn *fn_find(const struct check *c, const char *name)
{
    for (size_t i = 0; i < c->fn.n; i++)
        if (tok_is(c->fn.at[i].src, c->fn.at[i].name, name))
            return &c->fn.at[i];
    return NULL;
}

const struct fn *fn_near(const struct check *c, const struct src *s, const char *name,
                         size_t n_params, bool is_kernel)
{
    const struct fn *best = NULL;
    size_t nearest = 0;

    for (size_t i = 0; i < c->fn.n; i++) {
        const struct fn *fn = &c->fn.at[i];
        size_t near = 0;

        if ((is_kernel && !fn->is_kernel) || !tok_is(fn->src, fn->name, name))
            continue;
        near = nearness(s, fn->src);
        if (best && (near < nearest || (near == nearest && fn->n_params != n_params)))
            continue;
        if (!is_loaded_together(c, s, fn->src))
            continue;
        best = fn;
        nearest = near;
    }
    return best;
}

const struct fn *fn_at(const struct check *c, const struct src *s, int32_t tok)
{
    for (size_t i = 0; i < c->fn.n; i++)
        if (c->fn.at[i].src == s && c->fn.at[i].begin <= tok && tok <= c->fn.at[i].end)
            return &c->fn.at[i];
    return NULL;
}

/* `T name =`, `T name(`, `T name;`, `T name{`, `T a = 1, name = 2`. */
static char *local_type(const struct fn *fn, const char *name)
{
    const struct src *s = fn->src;

    for (int32_t i = fn->body + 1; i < fn->end; i++) {
        int32_t from = i;

        if (!tok_is(s, i, name) ||
            !(tok_is(s, i + 1, "=") || tok_is(s, i + 1, ";") || tok_is(s, i + 1, "(") ||
              tok_is(s, i + 1, "{") || tok_is(s, i + 1, ",")))
            continue;
        while (from > fn->body + 1 && !tok_is(s, from - 1, ";") && !tok_is(s, from - 1, "{") &&
               !tok_is(s, from - 1, "}") && !tok_is(s, from - 1, "(") && !tok_is(s, from - 1, ")"))
            from--;
        for (int32_t j = from; j < i;
             j++) /* a list of declarators: the type is before the first = */
            if (tok_is(s, j, "="))
                return j - 1 > from ? span_text(s, (struct span){from, j - 1}) : NULL;
        if (i > from && !tok_is(s, from, "return"))
            return span_text(s, (struct span){from, i});
    }
    return NULL;
}

char *type_of(const struct fn *fn, const char *name)
{
    for (size_t i = 0; i < fn->n_params; i++)
        if (fn->param[i].name != CC_NONE && tok_is(fn->src, fn->param[i].name, name))
            return span_text(fn->src, fn->param[i].type);
    return local_type(fn, name);
}

/* ---- torch libraries ---- */

/* m.def("...", {at::Tag::pt2_compliant_tag}) */
static bool has_tags(const struct call *call)
{
    return span_has(call->src, call->arg[1], "Tag") || tok_is(call->src, call->arg[1].from, "{");
}

static void add_def(struct check *c, const struct lib *lib, const struct call *call)
{
    char *text = call->n_args ? span_string(call->src, call->arg[0]) : NULL;
    struct def *def = NULL;

    if (!text)
        return;
    c->def.at = cli_room(c->def.at, c->def.n, &c->def.room, sizeof(*c->def.at));
    def = &c->def.at[c->def.n++];
    *def = (struct def){
        .lib = lib, .at = call->name, .text = text, .has_fn = call->n_args > 1 && !has_tags(call)};
    schema_parse(text, &def->schema);
}

static void add_impl(struct check *c, const struct lib *lib, const struct call *call)
{
    char *op = call->n_args >= 2 ? span_string(call->src, call->arg[0]) : NULL;
    struct impl *impl = NULL;
    struct span fn = {0};

    if (!op)
        return;
    c->impl.at = cli_room(c->impl.at, c->impl.n, &c->impl.room, sizeof(*c->impl.at));
    impl = &c->impl.at[c->impl.n++];
    *impl = (struct impl){.lib = lib, .at = call->name, .op = op};
    fn = call->arg[1];
    if (tok_is(call->src, fn.from, "TORCH_FN") || tok_is(call->src, fn.from, "&")) {
        impl->is_wrapped = true;
        fn.from += tok_is(call->src, fn.from, "&") ? 1 : 2;
    }
    while (tok_is(call->src, fn.from + 1, ":") || tok_is(call->src, fn.from + 1, "::"))
        fn.from++; /* the last part of a qualified name */
    while (fn.from < fn.to && !cc_is_id(&call->src->lex, fn.from))
        fn.from++;
    impl->fn_at = fn.from;
    if (fn.from < fn.to)
        impl->fn = span_text(call->src, (struct span){fn.from, fn.from + 1});
}

static void add_lib(struct check *c, const struct src *s, const struct call *call,
                    enum lib_kind kind)
{
    struct lib *lib = NULL;

    if (!tok_is(s, call->close + 1, "{") || call->n_args < (kind == LIB_IMPL ? 3U : 2U))
        return;
    c->lib.at = cli_room(c->lib.at, c->lib.n, &c->lib.room, sizeof(*c->lib.at));
    lib = &c->lib.at[c->lib.n++];
    *lib = (struct lib){.src = s, .name = call->name, .kind = kind, .body = call->close + 1};
    lib->end = cc_mate(&s->lex, lib->body);
    lib->ns = span_text(s, call->arg[0]);
    lib->key = kind == LIB_IMPL ? span_text(s, call->arg[1]) : NULL;
}

static void find_libs(struct check *c, const struct src *s)
{
    static const char *const names[] = {"TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT",
                                        "TORCH_LIBRARY_IMPL"};
    struct call call;

    for (int kind = LIB_LIBRARY; kind <= LIB_IMPL; kind++)
        for (int32_t at = 0; next_call(s, names[kind], &at, s->lex.n, &call);)
            add_lib(c, s, &call, (enum lib_kind)kind);
}

/* ---- launches ---- */

static struct launch *add_launch(struct check *c, const struct src *s, enum launch_kind kind,
                                 int32_t at, char *kernel)
{
    struct launch *launch = NULL;

    c->launch.at = cli_room(c->launch.at, c->launch.n, &c->launch.room, sizeof(*c->launch.at));
    launch = &c->launch.at[c->launch.n++];
    *launch = (struct launch){.src = s, .kind = kind, .at = at, .kernel = kernel};
    return launch;
}

static void copy_args(struct launch *launch, const struct call *call, size_t first)
{
    for (size_t i = first; i < call->n_args; i++)
        launch->arg[launch->n_args++] = call->arg[i];
}

static void find_exec(struct check *c, const struct src *s)
{
    struct call call;

    for (int32_t at = 0; next_call(s, "EXEC_KERNEL_CMD", &at, s->lex.n, &call);) {
        struct launch *launch = NULL;

        if (call.n_args < 2 ||
            !fn_at(c, s, call.name)) /* the macro's own definition is no launch */
            continue;
        launch = add_launch(c, s, LAUNCH_EXEC, call.arg[0].from, span_text(s, call.arg[0]));
        launch->blocks = call.arg[1];
        copy_args(launch, &call, 2);
    }
}

static void find_aclrt(struct check *c, const struct src *s)
{
    for (int32_t i = 0; i < s->lex.n; i++) {
        char *name = NULL;
        struct call call;
        int32_t at = i;

        if (s->lex.tok[i].len <= strlen("aclrtlaunch_") ||
            strncmp(s->code + s->lex.tok[i].at, "aclrtlaunch_", strlen("aclrtlaunch_")) != 0)
            continue;
        name = span_text(s, (struct span){i, i + 1});
        if (next_call(s, name, &at, i + 1, &call) && call.n_args >= 2 && fn_at(c, s, i)) {
            struct launch *launch =
                add_launch(c, s, LAUNCH_ACLRT, i, cli_fmt("%s", name + strlen("aclrtlaunch_")));

            launch->blocks = call.arg[0];
            copy_args(launch, &call, 2);
        }
        free(name);
    }
}

static void find_angles(struct check *c, const struct src *s)
{
    for (int32_t i = 1; i < s->lex.n; i++) {
        int32_t name = i - 1, end = i + 3;
        struct span arg[MAX_ARGS];
        struct launch *launch = NULL;
        struct call call;

        if (!cc_is_triple(&s->lex, i, '<'))
            continue;
        while (end < s->lex.n && !cc_is_triple(&s->lex, end, '>') && !tok_is(s, end, ";"))
            end++;
        if (!cc_is_triple(&s->lex, end, '>') || !tok_is(s, end + 3, "("))
            continue;
        if (tok_is(s, name, ">") && cc_angle_begin(&s->lex, name) > 0) /* k<float><<<...>>> */
            name = cc_angle_begin(&s->lex, name) - 1;
        launch = add_launch(c, s, LAUNCH_ANGLE, name, span_text(s, (struct span){name, name + 1}));
        if (split(s, i + 2, end, false, arg))
            launch->blocks = arg[0];
        call = (struct call){.src = s, .open = end + 3, .close = cc_mate(&s->lex, end + 3)};
        call.n_args = split(s, call.open, call.close, false, call.arg);
        copy_args(launch, &call, 0);
        i = end;
    }
}

/* ---- includes: `#` lines are no tokens ---- */

static void find_includes(struct check *c, const struct src *s)
{
    for (const char *line = s->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line[strspn(line, " \t")] == '#') {
            const char *at = line + strspn(line, " \t");

            if (starts(at + 1 + strspn(at + 1, " \t"), "include"))
                note_include(c, s, at);
        }
        if (!*line)
            break;
    }
}

/* using NAME = TYPE; typedef TYPE NAME; */
static void find_aliases(struct check *c, const struct src *s)
{
    for (int32_t t = 0; t + 3 < s->lex.n; t++) {
        bool is_using = tok_is(s, t, "using") && tok_is(s, t + 2, "=");
        int32_t end = t, name = t + 1;
        struct span type = {t + 3, t + 3};

        if (!is_using && !tok_is(s, t, "typedef"))
            continue;
        while (end < s->lex.n && !tok_is(s, end, ";"))
            end++;
        if (!is_using) {
            name = end - 1;
            type = (struct span){t + 1, name};
        } else {
            type.to = end;
        }
        if (type.to <= type.from || !cc_is_id(&s->lex, name))
            continue;
        c->alias.at = cli_room(c->alias.at, c->alias.n, &c->alias.room, sizeof(*c->alias.at));
        c->alias.at[c->alias.n++] =
            (struct alias){span_text(s, (struct span){name, name + 1}), span_text(s, type)};
    }
}

/* const T NAME = value;   constexpr T NAME = value;   T is at most a qualified name. */
static void find_constants(struct check *c, const struct src *s)
{
    enum { NEAR = 6 };

    for (int32_t t = 2; t + 1 < s->lex.n; t++) {
        int32_t from = t;

        if (!tok_is(s, t + 1, "=") || !cc_is_id(&s->lex, t))
            continue;
        while (from > 0 && from > t - NEAR && !tok_is(s, from, "constexpr") &&
               !tok_is(s, from, "const"))
            from--;
        if (!tok_is(s, from, "constexpr") && !tok_is(s, from, "const"))
            continue;
        c->constant.at =
            cli_room(c->constant.at, c->constant.n, &c->constant.room, sizeof(*c->constant.at));
        c->constant.at[c->constant.n++] =
            (struct constant){s, t, s->code + s->lex.tok[t].at, s->lex.tok[t].len};
    }
}

void cpp_collect(struct check *c, struct src *s)
{
    find_aliases(c, s);
    s->include = c->include.n;
    find_includes(c, s);
    s->n_includes = c->include.n - s->include;
    find_constants(c, s);
    find_functions(c, s, 0, s->lex.n);
    find_libs(c, s);
    find_exec(c, s);
    find_aclrt(c, s);
    find_angles(c, s);
}

/* ---- what sources see of each other ---- */

static int by_name(const void *left, const void *right)
{
    const struct constant *a = left, *b = right;
    int order = strncmp(a->text, b->text, a->n < b->n ? a->n : b->n);

    return order ? order : (a->n > b->n) - (a->n < b->n);
}

const struct constant *constants_of(const struct check *c, const char *name, size_t *n)
{
    struct constant key = {.text = name, .n = strlen(name)};
    const struct constant *found =
        c->constant.n ? bsearch(&key, c->constant.at, c->constant.n, sizeof(key), by_name) : NULL;

    *n = 0;
    while (found && found > c->constant.at && by_name(found - 1, &key) == 0)
        found--;
    while (found && found + *n < c->constant.at + c->constant.n && by_name(found + *n, &key) == 0)
        ++*n;
    return found;
}

/* A header of the project that the path may mean: it ends in the path without its ../ */
static const struct src *included_by(const struct check *c, const struct include *include)
{
    const char *path = include->path;
    const struct src *best = NULL;
    size_t n = 0;

    while (starts(path, "../") || starts(path, "./"))
        path = strchr(path, '/') + 1;
    n = strlen(path);
    for (size_t i = 0; i < c->src.n; i++) {
        const struct src *s = &c->src.at[i];
        size_t length = strlen(s->name);

        if (s->lang == LANG_CPP && s != include->src && length >= n &&
            strcmp(s->name + length - n, path) == 0 &&
            (length == n || s->name[length - n - 1] == '/') &&
            (!best || nearness(include->src, s) > nearness(include->src, best)))
            best = s;
    }
    return best;
}

static bool includes_within(const struct check *c, const struct src *s, const struct src *other,
                            int depth)
{
    for (size_t i = s->include; i < s->include + s->n_includes; i++) {
        const struct src *to = c->include.at[i].to;

        if (to && (to == other || (depth > 1 && includes_within(c, to, other, depth - 1))))
            return true;
    }
    return false;
}

bool does_include(const struct check *c, const struct src *s, const struct src *other)
{
    enum { DEPTH = 4 };

    return includes_within(c, s, other, DEPTH);
}

/* template <typename T, int N> anywhere in the source. */
static bool is_template_parameter(const struct src *s, const char *name)
{
    for (int32_t t = 0; t + 1 < s->lex.n; t++) {
        int32_t end = tok_is(s, t, "template") ? cc_angle_end(&s->lex, t + 1) : CC_NONE;

        if (end != CC_NONE && span_has(s, (struct span){t + 2, end}, name))
            return true;
    }
    return false;
}

bool is_constant(const struct check *c, const struct src *s, const char *name)
{
    size_t n = 0;
    const struct constant *of = constants_of(c, name, &n);

    for (size_t i = 0; i < n; i++)
        if (of[i].src == s || does_include(c, s, of[i].src))
            return true;
    return is_template_parameter(s, name);
}

void cpp_link(struct check *c)
{
    struct call call;

    for (size_t i = 0; i < c->include.n; i++)
        if (!c->include.at[i].is_system)
            c->include.at[i].to = included_by(c, &c->include.at[i]);
    if (c->constant.n)
        qsort(c->constant.at, c->constant.n, sizeof(*c->constant.at), by_name);

    for (size_t i = 0; i < c->lib.n; i++) {
        const struct lib *lib = &c->lib.at[i];

        for (int32_t at = lib->body; next_call(lib->src, "def", &at, lib->end, &call);)
            add_def(c, lib, &call);
        for (int32_t at = lib->body; next_call(lib->src, "impl", &at, lib->end, &call);)
            add_impl(c, lib, &call);
    }
    for (size_t i = 0; i < c->launch.n; i++) {
        struct launch *launch = &c->launch.at[i];

        launch->in = fn_at(c, launch->src, launch->at);
        launch->to = fn_near(c, launch->src, launch->kernel, launch->n_args, true);
    }
}
