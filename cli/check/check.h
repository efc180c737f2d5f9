/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - a project as `nputwin check` reads it: sources, and the facts that rules ask for.
 *
 *     files ─► src.c   lines, language, suppressions
 *              cpp.c   C++ : functions, calls, library blocks, launches      (tokens, cc/lex.h)
 *              cmake.c CMake: commands and their arguments
 *              python.c Python: imports, functions, calls                    (python3's own ast)
 *              package.c which folders are packages, of which layout
 *          ─► rules_<what>.c: one function a rule, tied to its row of rule.def in check.c
 *
 * C++ is read as tokens, not compiled: a project's files include torch and Ascend C, whose headers
 * take seconds a file and need not be installed where a tree is checked.
 *
 * Everything lives until check_finish; rules borrow.
 */
#ifndef NPU_CLI_CHECK_H
#define NPU_CLI_CHECK_H
#include "../../cc/lex.h"
#include "../finding.h"
#include "../mem.h"
#include "../rule.h"

enum lang { LANG_OTHER, LANG_CPP, LANG_CMAKE, LANG_PYTHON, LANG_MARKDOWN, LANG_SHELL, LANG_YAML };

struct src {
    char *path, *name; /* as opened; relative to the project, as it is reported */
    enum lang lang;
    char *text; /* ends in a 0 */
    size_t size;
    char *code;                 /* C++: text with macro heads blanked, which lex reads */
    struct cc_lex lex;          /* C++ only */
    size_t include, n_includes; /* C++: its own of check.include */
};

/* Tokens [from, to). */
struct span {
    int32_t from, to;
};

enum { MAX_ARGS = 48, MAX_RETS = 24 };

struct call {
    const struct src *src;
    int32_t name, open, close; /* tokens */
    struct span arg[MAX_ARGS];
    size_t n_args;
};

struct param {
    struct span type;
    int32_t name; /* CC_NONE: unnamed */
};

struct fn {
    const struct src *src;
    int32_t begin, name, open, close, body, end; /* declaration, name, ( ), { } */
    struct param param[MAX_ARGS];
    size_t n_params;
    bool is_kernel; /* __global__ */
};

enum lib_kind { LIB_LIBRARY, LIB_FRAGMENT, LIB_IMPL };

struct lib { /* one TORCH_LIBRARY* block */
    const struct src *src;
    int32_t name;
    enum lib_kind kind;
    char *ns, *key; /* key: of an IMPL block */
    int32_t body, end;
};

struct schema_arg {
    char *type, *name, *value; /* "Tensor?", "x", "None" or NULL */
    bool is_written;           /* Tensor(a!) */
};

struct schema {
    char *name, *overload, *full; /* full: as m.impl names it, name.overload */
    struct schema_arg arg[MAX_ARGS];
    size_t n_args;
    char *ret[MAX_RETS];
    size_t n_rets;
    bool is_parsed;
};

struct def { /* m.def("...") */
    const struct lib *lib;
    int32_t at; /* the token of def */
    char *text;
    struct schema schema;
    bool has_fn; /* m.def("...", fn): a kernel for every device */
};

struct impl { /* m.impl("name", fn) */
    const struct lib *lib;
    int32_t at;
    char *op;
    char *fn; /* the name of the function, NULL when it is something else */
    int32_t fn_at;
    bool is_wrapped; /* TORCH_FN, &, TORCH_SELECTIVE_FN */
};

enum launch_kind {
    LAUNCH_ANGLE,
    LAUNCH_EXEC,
    LAUNCH_ACLRT
}; /* k<<<>>>, EXEC_KERNEL_CMD, aclrtlaunch_k */

struct launch {
    const struct src *src;
    const struct fn *in; /* the function that launches, NULL at file scope */
    enum launch_kind kind;
    int32_t at; /* the token of the kernel's name */
    char *kernel;
    const struct fn *to; /* the kernel, when the project holds it */
    struct span blocks;
    struct span arg[MAX_ARGS]; /* of the kernel alone */
    size_t n_args;
};

struct alias { /* using NAME = TYPE; typedef TYPE NAME; */
    char *name, *type;
};

struct include {
    const struct src *src, *to; /* to: what is included, when the project holds it */
    uint32_t at;                /* byte */
    char *path;
    bool is_system;
};

struct constant { /* const or constexpr T name = value; */
    const struct src *src;
    int32_t name;
    const char *text; /* its name, in the source */
    size_t n;
};

struct command { /* of CMake */
    const struct src *src;
    uint32_t at;
    char *name; /* in small letters */
    struct cli_words args;
    bool is_open; /* its ) is missing */
};

struct py_fact { /* one line of facts that python.c printed */
    const struct src *src;
    unsigned line;
    char *kind, *name, *text; /* kind: import from def doc class call op string setup error */
};

enum layout {
    LAYOUT_EXTENSION,
    LAYOUT_AMCT_OP,
    LAYOUT_AMCT_ROOT,
    LAYOUT_OP_PROJECT,
    LAYOUT_OP_PLUGIN
};

struct package {
    enum layout layout;
    char *dir, *base; /* relative to the project, "" for the root; last part of the path */
};

#define LIST(type, name)                                                                           \
    struct {                                                                                       \
        struct type *at;                                                                           \
        size_t n, room;                                                                            \
    } name

struct edit { /* what --fix does: n bytes at at become text */
    const struct src *src;
    size_t at, n;
    char *text;
};

struct check {
    const char *device_soc, *base; /* --device-soc, --base; NULL */
    const char *select, *ignore;
    const char *root; /* the first path: where the baseline of schemas lies */
    bool is_fixing;
    struct cli_findings found;
    struct cli_words paths; /* every file, relative */
    LIST(src, src);
    LIST(fn, fn);
    LIST(lib, lib);
    LIST(def, def);
    LIST(impl, impl);
    LIST(launch, launch);
    LIST(include, include);
    LIST(alias, alias);
    LIST(constant, constant); /* by name */
    LIST(command, command);
    LIST(py_fact, py);
    LIST(package, package);
    struct cli_words builds; /* folders that are built on their own: setup.py, project() of CMake */
    LIST(edit, edit);
};

/* src.c */
/* Reads every file below the paths (the current folder when there is none) and all facts of them.
 * False, with the reason on stderr in the name of command, when a path cannot be read. */
bool check_read_all(struct check *c, const char *command, char **paths, size_t n);
void check_finish(struct check *c);
/* The byte of a line (from 1) or 0; the line and column of a byte. */
void src_place(const struct src *s, size_t at, unsigned *line, unsigned *column);
const struct src *src_find(const struct check *c, const char *dir, const char *name);
/* Whether dir/name is among the project's files; name may hold wildcards. */
bool has_file(const struct check *c, const char *dir, const char *name);
bool is_below(const char *name, const char *dir);

/* A finding of a rule at a byte of a source. Drops it when a comment suppresses it or it is not
 * selected. Returns whether it was kept: only then may hint follow. */
bool report(struct check *c, const char *code, const struct src *s, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* As report, for something that is missing below dir. */
bool report_dir(struct check *c, const char *code, const char *dir, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* As report, at a line. */
bool report_line(struct check *c, const char *code, const struct src *s, unsigned line,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void hint(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* With --fix: n bytes at a byte of a source become text. Only after a report that was kept. */
void fix(struct check *c, const struct src *s, size_t at, size_t n, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Writes every edited file; returns how many files changed. */
size_t check_write_fixes(struct check *c);
/* Writes the schemas of the project to <root>/.nputwin-schemas, which NTL024 compares with. */
bool check_write_baseline(struct check *c);
bool is_selected(const struct check *c, const char *code);

/* cpp.c */
void cpp_read(struct src *s);
/* After every file was read: lists do not move. */
void cpp_collect(struct check *c, struct src *s);
/* After package_read: definitions, registrations, launches and includes find what they name. */
void cpp_link(struct check *c);
size_t tok_at(const struct src *s, int32_t tok); /* its byte */
bool tok_is(const struct src *s, int32_t tok, const char *text);
/* The text of tokens as written, blanks squeezed; the caller frees it. */
char *span_text(const struct src *s, struct span span);
bool span_has(const struct src *s, struct span span, const char *word);
/* The next call of name at or after *at inside to; *at moves behind its name. */
bool next_call(const struct src *s, const char *name, int32_t *at, int32_t to, struct call *call);
/* What adjacent literals say; NULL when the span is no string. The caller frees it. */
char *span_string(const struct src *s, struct span span);
const struct fn *fn_find(const struct check *c, const char *name);
/* The function of that name that s means: its own, else the one that lies nearest in what is loaded
 * together with s. Of several at one place, one with n_params parameters. NULL: there is none. */
const struct fn *fn_near(const struct check *c, const struct src *s, const char *name,
                         size_t n_params, bool is_kernel);
/* Whether s includes other, itself or through headers of the project. */
bool does_include(const struct check *c, const struct src *s, const struct src *other);
/* The constants of that name, sorted: first one and their number. */
const struct constant *constants_of(const struct check *c, const char *name, size_t *n);
/* Whether the name is a constant that s sees, or a parameter of one of its templates. */
bool is_constant(const struct check *c, const struct src *s, const char *name);
const struct fn *fn_at(const struct check *c, const struct src *s, int32_t tok);
/* The declared type of a name in fn (parameter or local), as text; NULL. The caller frees it. */
char *type_of(const struct fn *fn, const char *name);
void schema_parse(const char *text, struct schema *schema);
void schema_finish(struct schema *schema);
/* The C++ type that torch asks of an argument of that schema type, NULL for one not in the table.
 */
const char *schema_cpp_type(const char *type);

/* cmake.c, python.c, package.c */
void cmake_read(struct check *c, const struct src *s);
void python_read(struct check *c);
void package_read(struct check *c);
/* The innermost package that the file lies in, NULL. */
const struct package *package_of(const struct check *c, const char *name);
/* The innermost folder with a build of its own that the file lies in, NULL. */
const char *build_of(const struct check *c, const char *name);
/* Two packages, or two builds, are two deliveries; loose folders that are checked together are
 * loaded together. */
bool is_loaded_together(const struct check *c, const struct src *a, const struct src *b);
/* How many bytes of their paths two sources share, up to a slash; more than any for one source. */
size_t nearness(const struct src *a, const struct src *b);

/* budget.c: the InitBuffer calls of one function. */
struct buffer {
    char *name, *position, *length; /* length as written */
    int32_t at;
    int64_t n, bytes; /* bytes of one, rounded up to 32; -1: only a launch knows */
    int64_t offset;
    bool is_counted; /* in UB, and not the other branch of one that is counted */
};
struct budget {
    const struct fn *fn;
    struct buffer *at;
    size_t n, room;
    int64_t total;
    bool is_open; /* total misses what only a launch knows */
};
/* False when the function has no InitBuffer; finish it in any case. */
bool budget_read(struct check *c, const struct fn *fn, struct budget *budget);
void budget_finish(struct budget *budget);
void budget_print(const struct check *c, const struct budget *budget);
/* The chip that a source is for: --device-soc, else an A5 when its folder or its build names no
 * other, else an A2. */
const char *ub_soc(const struct check *c, const struct src *s);
/* Bytes of UB of a chip; -1 when it is none of the twin. */
int64_t ub_bytes(const char *soc);

/* Whether the twin computes an operator type of that name. rules_opcommand.c */
bool is_built_in(const char *type);

/* One rule: its code in rule.def, and the function that looks. */
struct check_rule {
    const char *code;
    void (*look)(struct check *c);
};
extern const struct check_rule layout_rules[], torch_rules[], launch_rules[], opcommand_rules[],
    kernel_rules[], cmake_rules[], python_rules[], text_rules[], amct_rules[], plugin_rules[];

#endif
