/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - see compile.h.
 *
 * A file has three views: host, AIV, AIC; they differ by a few macros. Each is preprocessed, and
 * each *different* text is compiled once:
 *
 *   host = AIV = AIC   one compile; the device copy is a copy of the same object (most files)
 *   host = AIV         two;   AIV = AIC   two;   all differ   three
 *
 * and no AIC at all when every kernel says that it is a vector kernel.
 */
#include "compile.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "object.h"

enum view { HOST, AIV, AIC, N_VIEWS };
static const char LETTER[N_VIEWS] = {'h', 'v', 'c'};

static const struct {
    int arch;
    bool aic;
    const char *define;
} DEFINES[] = {
#define CHIP(arch, number, soc, shown)
#define VIEW(number, aic, define) {number, aic, define},
#include "arch.def"
#undef CHIP
};

struct unit {
    const struct cc_job *j;
    const struct cc_input *in;
    const char *out;
    struct cc_text text[N_VIEWS]; /* preprocessed */
    struct cc_rewritten rewritten[N_VIEWS];
    enum view same_as[N_VIEWS]; /* the view whose compile serves this one */
    bool used[N_VIEWS];
    struct cc_words seen; /* diagnostics already shown */
    char tag[24];
};

static char *file(const struct unit *u, enum view v, const char *what)
{
    return cc_fmt("%s/%c.%s", u->j->dir, LETTER[v], what);
}

/* ---- arguments of the host compiler ---- */

static void common_options(const struct cc_job *j, struct cc_words *argv)
{
    const struct cc_args *a = j->args;

    cc_word(argv, j->cxx);
    if (!a->has_std)
        cc_word(argv, "-std=gnu++17");
    if (!a->has_opt)
        cc_word(argv, "-O2");
    cc_words_join(argv, &a->cxx);
    if (isatty(STDERR_FILENO) && !getenv("NO_COLOR"))
        cc_word(argv, "-fdiagnostics-color=always");
}

static void view_macros(const struct cc_job *j, enum view v, struct cc_words *argv)
{
    cc_wordf(argv, "-D__NPU_ARCH__=%d", j->args->arch);
    cc_word(argv, "-D__NPUTWIN__=1");
    if (v == HOST)
        return;
    for (size_t i = 0; i < sizeof DEFINES / sizeof *DEFINES; i++)
        if (DEFINES[i].arch == j->args->arch && DEFINES[i].aic == (v == AIC))
            cc_word(argv, DEFINES[i].define);
    if (v == AIC)
        cc_word(argv, "-DNPUTWIN_VIEW_AIC");
}

static void side_options(const struct cc_job *j, enum view v, bool pp, struct cc_words *argv)
{
    const struct cc_args *a = j->args;

    cc_words_join(argv, v == HOST ? &a->host_cxx : &a->device_cxx);
    if (pp)
        cc_words_join(argv, v == HOST ? &a->host_pp : &a->device_pp);
}

static void make_rule(const struct unit *u, const char *to, struct cc_words *argv)
{
    const struct cc_args *a = u->j->args;
    const char *target = u->out ? u->out : "a.out";

    if (!a->dep.n)
        return;
    cc_words_join(argv, &a->dep);
    cc_words_join(argv, &a->dep_target);
    if (!a->dep_target.n) {
        cc_word(argv, "-MQ");
        cc_word(argv, target);
    }
    cc_word(argv, "-MF");
    cc_word(argv, to);
}

static void preprocess_options(const struct cc_job *j, const struct cc_input *in, enum view v,
                               struct cc_words *argv)
{
    common_options(j, argv);
    cc_word(argv, "-E");
    cc_words_join(argv, &j->args->pp);
    side_options(j, v, true, argv);
    view_macros(j, v, argv);
    for (size_t i = 0; i < j->where->include.n; i++) {
        cc_word(argv, "-isystem");
        cc_word(argv, j->where->include.at[i]);
    }
    cc_word(argv, "-include");
    cc_word(argv, j->where->launch);
    cc_word(argv, "-x");
    cc_word(argv, "c++");
    cc_word(argv, in->path);
}

/* ---- step 1: preprocess ---- */

static bool show_errors(struct unit *u, enum view v, const char *step)
{
    char *path = file(u, v, step);
    struct cc_text t = {0};

    if (cc_read(path, &t))
        cc_diag_print(t.s, &u->seen);
    cc_text_finish(&t);
    free(path);
    return true;
}

static bool preprocess_views(struct unit *u)
{
    pid_t pid[N_VIEWS];
    bool ok = true;

    for (enum view v = HOST; v < N_VIEWS; v++) {
        char *out = file(u, v, "i"), *err = file(u, v, "i.err"), *dep = file(u, v, "d");
        struct cc_words argv = {0};

        preprocess_options(u->j, u->in, v, &argv);
        cc_word(&argv, "-o");
        cc_word(&argv, out);
        make_rule(u, dep, &argv);
        pid[v] = cc_start(u->j->run, &argv, NULL, err);
        free(out);
        free(err);
        free(dep);
    }
    for (enum view v = HOST; v < N_VIEWS; v++)
        ok = cc_wait(pid[v]) && ok;
    for (enum view v = HOST; v < N_VIEWS; v++)
        show_errors(u, v, "i.err");
    for (enum view v = HOST; ok && v < N_VIEWS && !u->j->run->show; v++) {
        char *path = file(u, v, "i");

        if (!cc_read(path, &u->text[v]))
            ok = cc_error("%s: %s", path, strerror(errno));
        free(path);
    }
    return ok;
}

static bool same_text(const struct unit *u, enum view a, enum view b)
{
    return u->text[a].size == u->text[b].size &&
           !memcmp(u->text[a].s, u->text[b].s, u->text[a].size);
}

/* ---- step 2: rewrite ---- */

static bool rewrite_view(struct unit *u, enum view v, enum cc_view mode)
{
    struct cc_rewritten *r = &u->rewritten[v];
    char *path;
    bool ok;

    u->used[v] = true;
    if (!cc_rewrite(u->text[v].s, u->text[v].size, mode, u->j->args->aclrt, u->j->args->workspace,
                    r)) {
        cc_wordf(&u->seen, "%s", r->error);
        fprintf(stderr, "%s\n", r->error);
        return false;
    }
    path = file(u, v, "ii");
    ok = cc_write(path, r->out.s, r->out.size) ||
         cc_error("cannot write %s: %s", path, strerror(errno));
    free(path);
    return ok;
}

static bool needs_aic(const struct cc_rewritten *r)
{
    for (unsigned i = 0; i < r->n_kernels; i++)
        if (r->kernel[i].is_def && strcmp(r->kernel[i].attr, "v") != 0 &&
            strcmp(r->kernel[i].attr, "m01") != 0)
            return true;
    return false;
}

static bool sides_have_options(const struct cc_args *a)
{
    return a->host_pp.n || a->host_cxx.n || a->device_pp.n || a->device_cxx.n;
}

/* A source of the legacy ascendc_library that launches nothing itself is device code alone: there
 * the vendor never reads it with the host's macros, and not every such file would stand that. */
static bool is_device_alone(const struct unit *u)
{
    struct cc_rewritten r;
    const struct cc_args *a = u->j->args;

    if (!a->aclrt && a->action != CC_HEADERS)
        return false;
    const bool ok =
        cc_rewrite(u->text[HOST].s, u->text[HOST].size, CC_HOST, true, a->workspace, &r);
    const bool alone = ok && !r.n_launches;

    cc_rewritten_finish(&r);
    return alone;
}

/* Decides which views share a compile, and rewrites the texts that are left. */
static bool plan_views(struct unit *u)
{
    bool merged = same_text(u, HOST, AIV);

    if (!merged && is_device_alone(u)) {
        u->text[HOST].size = 0;
        cc_add(&u->text[HOST], u->text[AIV].s, u->text[AIV].size);
        merged = true;
    }
    merged = merged && !sides_have_options(u->j->args);

    u->same_as[AIV] = merged ? HOST : AIV;
    if (!rewrite_view(u, HOST, merged ? CC_BOTH : CC_HOST) ||
        (!merged && !rewrite_view(u, AIV, CC_DEVICE)))
        return false;
    u->same_as[AIC] = u->same_as[AIV];
    if (!same_text(u, AIV, AIC) && needs_aic(&u->rewritten[u->same_as[AIV]])) {
        u->same_as[AIC] = AIC;
        if (!rewrite_view(u, AIC, CC_DEVICE))
            return false;
    }
    if (!u->j->args->dc || (merged && u->same_as[AIC] == HOST))
        return true;
    return cc_error("-dc %s: its host, AIV and AIC views differ, and device functions that other "
                    "files call must be the same in all of them in this version; compile with -c",
                    u->in->path);
}

/* ---- step 3: compile ---- */

static pid_t start_compile(const struct unit *u, enum view v, bool permissive)
{
    static const char *const UNUSED[] = {"function",       "parameter",        "variable",
                                         "const-variable", "but-set-variable", "but-set-parameter"};
    char *in = file(u, v, "ii"), *out = file(u, v, "o"), *err = file(u, v, "o.err");
    struct cc_words argv = {0};
    pid_t pid;

    common_options(u->j, &argv);
    side_options(u->j, v, false, &argv);
    /* fused multiply-add would change results; unique symbols cannot be renamed apart */
    cc_word(&argv, "-ffp-contract=off");
    cc_word(&argv, "-fno-gnu-unique");
    cc_word(&argv, "-ffunction-sections");
    cc_word(&argv, "-fdata-sections");
    cc_word(&argv, "-fno-lto");
    cc_word(&argv, "-fPIC");
    cc_word(&argv, "-pipe");
    if (u->same_as[AIC] != HOST) /* used in another view, maybe */
        for (size_t i = 0; i < sizeof UNUSED / sizeof *UNUSED; i++)
            cc_wordf(&argv, "-Wno-unused-%s", UNUSED[i]);
    if (permissive)
        cc_word(&argv, "-fpermissive");
    cc_word(&argv, "-fpreprocessed");
    cc_word(&argv, "-x");
    cc_word(&argv, "c++");
    cc_word(&argv, u->j->args->action == CC_SYNTAX ? "-fsyntax-only" : "-c");
    cc_word(&argv, in);
    cc_word(&argv, "-o");
    cc_word(&argv, out);
    pid = cc_start(u->j->run, &argv, NULL, err);
    free(in);
    free(out);
    free(err);
    return pid;
}

/* g++ holds kernels to a rule of classes that clang does not look at (a member named as a type that
 * the class used before): what breaks nothing else is compiled once more without it. */
static bool compile_again(const struct unit *u, enum view v)
{
    char *err = file(u, v, "o.err");
    struct cc_text said = {0};
    bool ok = cc_read(err, &said) && cc_diag_only_meanings(said.s) && !unlink(err) &&
              cc_wait(start_compile(u, v, true)) && cc_read(err, &said) &&
              cc_diag_permits_meanings(said.s);

    cc_text_finish(&said);
    free(err);
    return ok;
}

static bool compile_views(struct unit *u)
{
    pid_t pid[N_VIEWS] = {0};
    bool ok = true;

    for (enum view v = HOST; v < N_VIEWS; v++)
        if (u->used[v])
            pid[v] = start_compile(u, v, false);
    for (enum view v = HOST; v < N_VIEWS; v++)
        ok = (cc_wait(pid[v]) || compile_again(u, v)) && ok;
    for (enum view v = HOST; v < N_VIEWS; v++)
        if (u->used[v])
            show_errors(u, v, "o.err");
    return ok;
}

/* ---- step 4: one object, make rule ---- */

/* FNV-1a. Source, target and text: the same file compiled twice into one program stays apart. */
static void make_tag(struct unit *u)
{
    const char *part[3] = {u->in->path, u->out, u->rewritten[HOST].out.s};
    uint64_t h = 0xcbf29ce484222325u;

    for (int i = 0; i < 3; i++)
        for (const char *s = part[i]; *s; s++)
            h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    snprintf(u->tag, sizeof u->tag, "t%016llx", (unsigned long long)h);
}

static bool make_object(struct unit *u)
{
    char *host = file(u, HOST, "o"), *aiv = file(u, u->same_as[AIV], "o"), *aic = file(u, AIC, "o");
    struct cc_merge m = {
        .run = u->j->run, .dir = u->j->dir, .host = host, .aiv = aiv, .out = u->out};
    bool ok;

    make_tag(u);
    m.aic = u->used[AIC] ? aic : NULL;
    m.text = &u->rewritten[HOST];
    m.tag = u->tag;
    m.arch = u->j->args->arch;
    ok = cc_merge(&m);
    free(host);
    free(aiv);
    free(aic);
    return ok;
}

static char *dep_file(const struct unit *u)
{
    const char *out = u->out ? u->out : u->in->path, *dot = strrchr(out, '.'),
               *slash = strrchr(out, '/');

    if (u->j->args->dep_file)
        return cc_fmt("%s", u->j->args->dep_file);
    return cc_fmt("%.*s.d", (int)(dot && (!slash || dot > slash) ? dot - out : (long)strlen(out)),
                  out);
}

/* A header that only one view includes counts too: the rules of all different views, in one file.
 */
static bool write_dep(const struct unit *u)
{
    struct cc_text all = {0}, one = {0};
    char *to;
    bool ok;

    if (!u->j->args->dep.n || u->j->run->show)
        return true;
    for (enum view v = HOST; v < N_VIEWS; v++) {
        char *path = file(u, v, "d");

        if (cc_read(path, &one) && !(all.s && strstr(all.s, one.s)))
            cc_add(&all, one.s, one.size);
        free(path);
    }
    to = dep_file(u);
    ok = cc_write(to, all.s ? all.s : "", all.size) ||
         cc_error("cannot write %s: %s", to, strerror(errno));
    free(to);
    cc_text_finish(&all);
    cc_text_finish(&one);
    return ok;
}

/* ---- headers of the legacy launch ---- */

static bool write_headers(const struct unit *u)
{
    const struct cc_rewritten *r = &u->rewritten[HOST];
    bool ok = true;

    for (unsigned i = 0; i < r->n_kernels && ok; i++) {
        const struct cc_kernel *k = &r->kernel[i];
        struct cc_text t = {0}, old = {0};
        char *path;

        if (!k->is_def || k->is_template || k->is_static)
            continue;
        path = cc_fmt("%s/aclrtlaunch_%s.h", u->j->args->aclrt_headers, k->name);
        cc_addf(&t,
                "/* Generated by bisheng from %s. */\n#ifndef ACLRTLAUNCH_%s_H\n"
                "#define ACLRTLAUNCH_%s_H\n#include <stdint.h>\n#include \"acl/acl_base.h\"\n\n"
                "#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) "
                "aclrtlaunch_##kernel\n"
                "#endif\n\n#ifdef __cplusplus\nextern \"C\"\n#endif\n"
                "uint32_t aclrtlaunch_%s(uint32_t numBlocks, aclrtStream stream%s);\n#endif\n",
                u->in->path, k->name, k->name, k->name, k->c_params);
        if (!cc_read(path, &old) || strcmp(old.s, t.s) != 0) /* unchanged: keeps its time stamp */
            ok = cc_write(path, t.s, t.size) ||
                 cc_error("cannot write %s: %s", path, strerror(errno));
        cc_text_finish(&t);
        cc_text_finish(&old);
        free(path);
    }
    return ok;
}

static void unit_finish(struct unit *u)
{
    for (enum view v = HOST; v < N_VIEWS; v++) {
        cc_text_finish(&u->text[v]);
        cc_rewritten_finish(&u->rewritten[v]);
    }
}

bool cc_compile_asc(const struct cc_job *j, const struct cc_input *in, const char *out)
{
    struct unit u = {.j = j, .in = in, .out = out};
    bool ok = preprocess_views(&u);

    if (j->run->show)
        return ok;
    ok = ok && plan_views(&u);
    if (ok && j->args->action == CC_HEADERS)
        ok = write_headers(&u) && write_dep(&u);
    else if (ok)
        ok =
            compile_views(&u) && (j->args->action == CC_SYNTAX || make_object(&u)) && write_dep(&u);
    unit_finish(&u);
    return ok;
}

/* ---- sources that are no Ascend C: g++ as it is ---- */

bool cc_compile_host(const struct cc_job *j, const struct cc_input *in, const char *out)
{
    const struct cc_args *a = j->args;
    struct cc_words argv = {0};

    cc_word(&argv, j->cxx);
    cc_words_join(&argv, &a->cxx);
    cc_words_join(&argv, &a->pp);
    cc_words_join(&argv, &a->host_cxx);
    cc_words_join(&argv, &a->host_pp);
    cc_words_join(&argv, &a->dep);
    cc_words_join(&argv, &a->dep_target);
    if (a->dep_file) {
        cc_word(&argv, "-MF");
        cc_word(&argv, a->dep_file);
    }
    for (size_t i = 0; i < j->where->include.n; i++) {
        cc_word(&argv, "-isystem");
        cc_word(&argv, j->where->include.at[i]);
    }
    cc_word(&argv, a->action == CC_PREPROCESS ? "-E"
                   : a->action == CC_SYNTAX   ? "-fsyntax-only"
                                              : "-c");
    if (in->x) {
        cc_word(&argv, "-x");
        cc_word(&argv, in->x);
    }
    cc_word(&argv, in->path);
    if (out) {
        cc_word(&argv, "-o");
        cc_word(&argv, out);
    }
    return cc_do(j->run, &argv);
}

bool cc_preprocess(const struct cc_job *j, const struct cc_input *in, const char *out)
{
    struct cc_words argv = {0};

    preprocess_options(j, in, HOST, &argv);
    if (out) {
        cc_word(&argv, "-o");
        cc_word(&argv, out);
    }
    return cc_do(j->run, &argv);
}
