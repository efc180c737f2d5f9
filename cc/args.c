/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - see args.h. One function a kind of action; the table decides which. */
#include "args.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef CC_VERSION
#define CC_VERSION "0"
#endif

enum form { FLAG, EQ, NEXT, BOTH, WITH };
enum act {
    COMPILE,
    DC,
    PREPROCESS,
    SYNTAX,
    SHARED,
    BINARY,
    ARCHIVE,
    OUTPUT,
    LANGUAGE,
    ALL_ASC,
    ARCH,
    SOC,
    AICORE_ARCH,
    RUN_MODE,
    SIMT,
    DEVICE_ON,
    HOST_ON,
    SIDE_OFF,
    TOOLCHAIN,
    ACLRT,
    ACLRT_HEADERS,
    PP,
    CXX,
    ASIS,
    LINK,
    LIBRARY,
    RPATH,
    DEP,
    DEP_TARGET,
    DEP_FILE,
    DROP,
    HOST_ONLY,
    SHOW,
    VERBOSE,
    KEEP,
    HELP,
    VERSION
};

static const struct row {
    const char *word;
    enum form form;
    enum act act;
    const char *value, *brief;
} ROWS[] = {
#define ARG(word, form, act, value, brief) {word, form, act, value, brief},
#include "args.def"
};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

static const struct {
    const char *arch;
    int number;
    const char *soc, *shown;
} CHIPS[] = {
#define CHIP(arch, number, soc, shown) {arch, number, soc, shown},
#define VIEW(number, aic, define)
#include "arch.def"
#undef VIEW
};
enum { N_CHIPS = sizeof CHIPS / sizeof *CHIPS };

enum side { BOTH_SIDES, DEVICE_SIDE, HOST_SIDE };

struct reader {
    struct cc_args *a;
    int argc, i;
    char **argv;
    enum side side;
    const char *language; /* of -x, NULL for none */
    bool all_asc, failed, done;
};

bool cc_error(const char *fmt, ...)
{
    va_list ap;

    fputs("bisheng: error: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return false;
}

/* ---- chips ---- */

static bool set_arch(struct cc_args *a, const char *value)
{
    for (int i = 0; i < N_CHIPS; i++)
        if (!strcmp(value, CHIPS[i].arch)) {
            a->arch = CHIPS[i].number;
            return true;
        }
    return cc_error("Unsupported NPU architecture or soc: --npu-arch=%s; allowed: dav-2201 (Ascend "
                    "910B1..B4, 910_93), dav-3510 (Ascend 950)",
                    value);
}

static bool set_soc(struct cc_args *a, const char *value)
{
    for (int i = 0; i < N_CHIPS; i++)
        if (!strncasecmp(value, CHIPS[i].soc, strlen(CHIPS[i].soc))) {
            a->arch = CHIPS[i].number;
            return true;
        }
    if (!strcasecmp(value, "Ascend910B"))
        return cc_error("Unsupported NPU architecture or soc: --npu-soc=%s names the "
                        "first-generation 910, which the twin does not model; for A2 write "
                        "Ascend910B1, B2, B3 or B4",
                        value);
    return cc_error("Unsupported NPU architecture or soc: --npu-soc=%s; allowed: Ascend910B1..B4, "
                    "Ascend910_93xx, Ascend950xx_xxxx (`nputwin list soc`)",
                    value);
}

static bool set_aicore_arch(struct cc_args *a, const char *value)
{
    if (!strncmp(value, "dav-c220", 8))
        a->arch = 2201;
    else if (!strncmp(value, "dav-c310", 8))
        a->arch = 3510;
    else
        return cc_error("Unsupported NPU architecture or soc: --cce-aicore-arch=%s; allowed: "
                        "dav-c220-vec, dav-c220-cube, dav-c310-vec, dav-c310-cube",
                        value);
    return true;
}

static bool set_run_mode(const char *value)
{
    if (!strcmp(value, "npu") || !strcmp(value, "cpu") || !strcmp(value, "sim"))
        return true;
    return cc_error("--run-mode=%s; allowed: npu, cpu, sim", value);
}

/* ---- inputs ---- */

static bool ends_with(const char *s, const char *const *ends)
{
    const char *dot = strrchr(s, '.');

    for (; dot && *ends; ends++)
        if (!strcmp(dot, *ends))
            return true;
    return false;
}

static void add_input(struct reader *r, const char *path)
{
    static const char *const OBJECTS[] = {".o", ".a", ".so", ".obj", NULL};
    static const char *const ASC[] = {".asc", NULL};
    struct cc_args *a = r->a;
    struct cc_input in = {.path = path, .language = CC_HOST_SOURCE};

    if (ends_with(path, OBJECTS) || strstr(path, ".so."))
        in.language = CC_OBJECT;
    else if (r->language ? !strcmp(r->language, "asc") : ends_with(path, ASC))
        in.language = CC_ASC;
    else
        in.x = r->language;
    a->input = cc_grow(a->input, (a->n_inputs + 1) * sizeof *a->input);
    a->input[a->n_inputs++] = in;
}

/* ---- options ---- */

static struct cc_words *side_words(struct reader *r, bool pp)
{
    struct cc_args *a = r->a;

    if (r->side == DEVICE_SIDE)
        return pp ? &a->device_pp : &a->device_cxx;
    if (r->side == HOST_SIDE)
        return pp ? &a->host_pp : &a->host_cxx;
    return pp ? &a->pp : &a->cxx;
}

/* The word as the user wrote it: "-Idir", or "-I" "dir". */
static void keep(struct cc_words *w, const struct reader *r, int from)
{
    for (int i = from; i <= r->i; i++)
        cc_word(w, r->argv[i]);
}

static void pass_on(struct reader *r)
{
    const char *word = r->argv[r->i];

    r->a->has_std |= !strncmp(word, "-std=", 5);
    r->a->has_opt |= !strncmp(word, "-O", 2);
    cc_word(side_words(r, false), word);
}

static void print_help(void)
{
    puts("usage: bisheng [options] file...\n\n"
         "Compiles Ascend C (.asc, or -x asc) for the nputwin software NPU: ordinary objects of "
         "this\n"
         "machine that hold host and device code. Other sources and options go to g++ as they "
         "are.\n");
    for (int i = 0; i < N_ROWS; i++) {
        char left[80];

        if (!*ROWS[i].brief)
            continue;
        snprintf(left, sizeof left, "%s%s%s%s", ROWS[i].word, ROWS[i].form == EQ ? "=" : "",
                 ROWS[i].form == NEXT ? " " : "", ROWS[i].value);
        printf("  %-40s %s\n", left, ROWS[i].brief);
    }
    puts("\nEnvironment: NPUTWIN_HOME (the prefix), NPUTWIN_CXX (host compiler instead of g++)");
}

static bool set_language(struct reader *r, const char *value)
{
    static const char *const LANGUAGES[] = {"asc",  "c++",       "c",
                                            "none", "assembler", "c++-cpp-output"};

    for (size_t i = 0; i < sizeof LANGUAGES / sizeof *LANGUAGES; i++)
        if (!strcmp(value, LANGUAGES[i])) {
            r->language = strcmp(value, "none") != 0 ? value : NULL;
            return true;
        }
    return cc_error("-x %s; allowed: asc, c++, c, none", value);
}

/* Options that only say what to do, set one flag, or choose a side. */
static const struct {
    enum act act;
    enum cc_action action;
} ACTIONS[] = {
    {COMPILE, CC_COMPILE}, {DC, CC_COMPILE},      {PREPROCESS, CC_PREPROCESS},
    {SYNTAX, CC_SYNTAX},   {ARCHIVE, CC_ARCHIVE},
};
static const struct {
    enum act act;
    size_t flag; /* a bool of struct cc_args */
} FLAGS[] = {
    {DC, offsetof(struct cc_args, dc)},           {ACLRT, offsetof(struct cc_args, aclrt)},
    {SHOW, offsetof(struct cc_args, show)},       {SHOW, offsetof(struct cc_args, verbose)},
    {VERBOSE, offsetof(struct cc_args, verbose)}, {KEEP, offsetof(struct cc_args, keep)},
    {BINARY, offsetof(struct cc_args, binary)},
};
static const struct {
    enum act act;
    enum side side;
} SIDES[] = {{DEVICE_ON, DEVICE_SIDE}, {HOST_ON, HOST_SIDE}, {SIDE_OFF, BOTH_SIDES}};

static void act_simple(struct reader *r, enum act act)
{
    for (size_t i = 0; i < sizeof ACTIONS / sizeof *ACTIONS; i++)
        if (ACTIONS[i].act == act)
            r->a->action = ACTIONS[i].action;
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
        if (FLAGS[i].act == act)
            *(bool *)((char *)r->a + FLAGS[i].flag) = true;
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++)
        if (SIDES[i].act == act)
            r->side = SIDES[i].side;
}

static bool act_mode(struct reader *r, const struct row *row)
{
    act_simple(r, row->act);
    switch (row->act) {
    case SHARED: /* with -c it says nothing */
        if (r->a->action == CC_LINK)
            r->a->action = CC_SHARED;
        break;
    case ALL_ASC:
        r->all_asc = true;
        break;
    case HELP:
        print_help();
        r->done = true;
        break;
    case VERSION:
        puts("bisheng (nputwin) " CC_VERSION);
        r->done = true;
        break;
    case SIMT:
        return cc_error("--enable-simt: this version of nputwin has no SIMT cores (threadIdx, "
                        "<<<grid, block, ub, stream>>>); write the kernel in SIMD Ascend C");
    case HOST_ONLY:
        return cc_error("%s: an nputwin object always holds host and device code together; leave "
                        "the option out",
                        row->word);
    default:
        break;
    }
    return true;
}

static bool act_value(struct reader *r, const struct row *row, int from, const char *value)
{
    struct cc_args *a = r->a;

    switch (row->act) {
    case OUTPUT:
        a->output = value;
        break;
    case LANGUAGE:
        return set_language(r, value);
    case ARCH:
        return set_arch(a, value);
    case SOC:
        return set_soc(a, value);
    case AICORE_ARCH:
        return set_aicore_arch(a, value);
    case RUN_MODE:
        return set_run_mode(value);
    case TOOLCHAIN:
        a->toolchain = value;
        break;
    case ACLRT_HEADERS:
        a->aclrt_headers = value;
        a->action = CC_HEADERS;
        break;
    case PP:
        keep(side_words(r, true), r, from);
        break;
    case CXX:
    case ASIS:
        keep(side_words(r, false), r, from);
        break;
    case LINK:
        keep(&a->link, r, from);
        break;
    case LIBRARY:
        keep(&a->libs, r, from);
        break;
    case RPATH:
        cc_wordf(&a->link, "-Wl,-rpath,%s", value);
        break;
    case DEP:
        keep(&a->dep, r, from);
        break;
    case DEP_TARGET:
        cc_wordf(&a->dep_target, "%s", row->word);
        cc_word(&a->dep_target, value);
        break;
    case DEP_FILE:
        a->dep_file = value;
        break;
    case DROP:
        break;
    default:
        return act_mode(r, row);
    }
    return true;
}

/* Does the row take the word? Sets *value to what is joined to it, "" for nothing. */
static bool matches(const struct row *row, const char *word, const char **value)
{
    size_t n = strlen(row->word);

    if (strncmp(word, row->word, n) != 0)
        return false;
    *value = word + n;
    switch (row->form) {
    case FLAG:
    case NEXT:
        return !**value;
    case EQ:
        if (**value != '=')
            return false;
        ++*value;
        return true;
    case BOTH: /* long ones (-include) never join; a joined -l must not swallow -lib */
        return !**value || n == 2 || row->act == DEP_TARGET || row->act == DEP_FILE;
    case WITH:
        return true;
    }
    return false;
}

/* ---- unknown words ---- */

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[128], diagonal;

    if (n >= 127)
        return 99;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t old = row[j];

            row[j] = min3(old + 1, row[j - 1] + 1, diagonal + (*a != b[j - 1]));
            diagonal = old;
        }
    }
    return row[n];
}

static bool is_vendor_word(const char *word)
{
    static const char *const STARTS[] = {"--cce", "--npu",    "--asc",  "--aicore",     "--aclrt",
                                         "-cce",  "-Xaicore", "-Xhost", "--enable-simt"};

    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (!strncmp(word, STARTS[i], strlen(STARTS[i])))
            return true;
    return false;
}

static bool unknown(const char *word)
{
    char *name = cc_dup(word, strcspn(word, "="));
    const struct row *best = NULL;
    size_t best_distance = 7;

    for (int i = 0; i < N_ROWS; i++) {
        size_t d = distance(name, ROWS[i].word);

        if (d < best_distance) {
            best_distance = d;
            best = &ROWS[i];
        }
    }
    if (best && !strcmp(best->word, name) && best->form == EQ)
        cc_error("%s needs a value: %s=%s", name, name, best->value);
    else if (best && !strcmp(best->word, name))
        cc_error("%s takes no value", name);
    else if (best)
        cc_error("unknown option %s; did you mean %s%s?", word, best->word,
                 best->form == EQ ? "=" : "");
    else
        cc_error("unknown option %s; bisheng --help lists what there is", word);
    free(name);
    return false;
}

/* ---- the loop ---- */

static bool one_word(struct reader *r)
{
    const char *word = r->argv[r->i], *value = "";
    int from = r->i;

    if (word[0] != '-' || !word[1]) {
        if (!strcmp(word, "-"))
            return cc_error("reading a source from standard input is not supported; name a file");
        add_input(r, word);
        return true;
    }
    for (int k = 0; k < N_ROWS; k++) {
        const struct row *row = &ROWS[k];

        if (!matches(row, word, &value))
            continue;
        if ((row->form == NEXT || row->form == BOTH) && !*value) {
            if (r->i + 1 >= r->argc)
                return cc_error("%s needs a value: %s %s", word, word, row->value);
            value = r->argv[++r->i];
        }
        return act_value(r, row, from, value);
    }
    if (is_vendor_word(word))
        return unknown(word);
    pass_on(r);
    return true;
}

/* @file: its words, split at blanks, as g++ and cmake use them. */
static void expand_file(const char *path, struct cc_words *words)
{
    struct cc_text t = {0};
    char *s, *save = NULL;

    if (!cc_read(path + 1, &t)) {
        cc_word(words, path);
        return;
    }
    for (s = strtok_r(t.s, " \t\r\n", &save); s; s = strtok_r(NULL, " \t\r\n", &save)) {
        size_t n = strlen(s);

        if (n >= 2 && (*s == '"' || *s == '\'') && s[n - 1] == *s) {
            s[n - 1] = 0;
            s++;
        }
        cc_word(words, s);
    }
    cc_text_finish(&t);
}

/* -D of that name, with a value or without, on either side. */
static bool is_defined(const struct cc_args *a, const char *name)
{
    const struct cc_words *lists[] = {&a->pp, &a->device_pp};
    const size_t n = strlen(name);

    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k]->n; i++) {
            const char *word = lists[k]->at[i];
            bool apart = !strcmp(word, "-D") && i + 1 < lists[k]->n;

            word = apart ? lists[k]->at[i + 1] : !strncmp(word, "-D", 2) ? word + 2 : "";
            if (!strncmp(word, name, n) && (!word[n] || word[n] == '='))
                return true;
        }
    return false;
}

enum cc_verdict cc_args_read(int argc, char **argv, struct cc_args *a)
{
    struct cc_words words = {0};
    struct reader r = {.a = a};

    *a = (struct cc_args){.arch = 2201};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '@')
            expand_file(argv[i], &words);
        else
            cc_word(&words, argv[i]);
    }
    r.argc = (int)words.n;
    r.argv = words.at;
    for (; r.i < r.argc && !r.done; r.i++)
        r.failed |= !one_word(&r);
    if (r.failed)
        return CC_USAGE;
    if (r.done)
        return CC_DONE;
    if (a->aclrt && is_defined(a, "HAVE_WORKSPACE"))
        a->workspace = is_defined(a, "HAVE_TILING") ? 2 : 1;
    for (size_t i = 0; i < a->n_inputs; i++)
        if (r.all_asc && a->input[i].language == CC_HOST_SOURCE)
            a->input[i].language = CC_ASC;
    if (a->binary && (a->action == CC_LINK || a->action == CC_COMPILE || a->action == CC_SHARED))
        a->action = CC_BINARY;
    if (!a->n_inputs) {
        cc_error("no input files; bisheng --help shows how it is called");
        return CC_USAGE;
    }
    if (a->output && a->n_inputs > 1 && (a->action == CC_COMPILE || a->action == CC_PREPROCESS)) {
        cc_error("-o %s with -c and %zu sources: compile them one by one, or leave -o out",
                 a->output, a->n_inputs);
        return CC_USAGE;
    }
    return CC_GO;
}
