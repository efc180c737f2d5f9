/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - bisheng: the Ascend C compiler driver.
 *
 * Reads the arguments (args.c), compiles each source in a process of its own (compile.c), links
 * (link.c). Intermediate files lie in one directory that goes away at the end.
 */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "compile.h"
#include "link.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_OURS = 70 };

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Ctrl-C ends the compilers; we live on to remove what they left. */
static void on_interrupt(int number)
{
    (void)number;
}

static bool make_dir(char *dir, size_t size)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(dir, size, "%s/bisheng-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(dir) || cc_error("cannot make a directory in %s: %s", tmp && *tmp ? tmp : "/tmp",
                                    strerror(errno));
}

/* ---- one source ---- */

static bool compile_one(const struct cc_job *j, const struct cc_input *in, const char *out)
{
    if (in->language == CC_HOST_SOURCE)
        return j->args->action == CC_HEADERS || cc_compile_host(j, in, out);
    if (j->args->action == CC_PREPROCESS)
        return cc_preprocess(j, in, out);
    return cc_compile_asc(j, in, out);
}

/* -c without -o: x.asc -> x.o here. */
static char *object_name(const char *source)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source,
               *dot = strrchr(name, '.');

    return cc_fmt("%.*s.o", (int)(dot ? dot - name : (long)strlen(name)), name);
}

static char *target_of(const struct cc_job *j, size_t i, const char *dir)
{
    const struct cc_args *a = j->args;

    switch (a->action) {
    case CC_COMPILE:
        return a->output ? cc_fmt("%s", a->output) : object_name(a->input[i].path);
    case CC_PREPROCESS:
        return a->output ? cc_fmt("%s", a->output) : NULL;
    case CC_SYNTAX:
    case CC_HEADERS:
        return NULL;
    default:
        return cc_fmt("%s/out.o", dir);
    }
}

/* ---- all sources, as many at a time as there are CPUs ---- */

struct worker {
    pid_t pid;
    char *dir, *talk; /* its stderr, shown in the order of the sources */
    char *target;
    bool ok;
};

static bool start_worker(const struct cc_job *all, size_t i, struct worker *w)
{
    const struct cc_input *in = &all->args->input[i];
    struct cc_job j = *all;

    w->dir = cc_fmt("%s/%zu", all->dir, i);
    w->talk = cc_fmt("%s/talk", w->dir);
    if (mkdir(w->dir, 0700))
        return cc_error("cannot make %s: %s", w->dir, strerror(errno));
    w->target = target_of(all, i, w->dir);
    j.dir = w->dir;
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0)
        return cc_error("cannot start another process: %s", strerror(errno));
    if (w->pid)
        return true;
    if (!all->run->show && !freopen(w->talk, "w", stderr))
        _exit(EXIT_OURS);
    w->ok = compile_one(&j, in, w->target);
    fflush(NULL);
    _exit(w->ok ? 0 : EXIT_FAILED);
}

static bool end_worker(struct worker *w)
{
    struct cc_text t = {0};

    w->ok = w->pid > 0 && cc_wait(w->pid);
    if (w->talk && cc_read(w->talk, &t))
        fwrite(t.s, 1, t.size, stderr);
    cc_text_finish(&t);
    return w->ok;
}

static bool compile_parallel(const struct cc_job *j, struct worker *w)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t at_once = cpus > 0 ? (size_t)cpus : 1, first = 0;
    bool ok = true;

    for (size_t i = 0; i < j->args->n_inputs; i++) {
        if (j->args->input[i].language == CC_OBJECT)
            continue;
        while (i - first >= at_once) {
            if (w[first].pid)
                ok = end_worker(&w[first]) && ok;
            w[first++].pid = 0;
        }
        ok = start_worker(j, i, &w[i]) && ok;
    }
    for (; first < j->args->n_inputs; first++)
        if (w[first].pid)
            ok = end_worker(&w[first]) && ok;
    return ok;
}

static bool compile_all(const struct cc_job *j, struct cc_words *objects)
{
    const struct cc_args *a = j->args;
    struct worker *w = cc_grow(NULL, a->n_inputs * sizeof *w);
    bool ok;

    memset(w, 0, a->n_inputs * sizeof *w);
    if (a->n_inputs == 1 && a->input[0].language != CC_OBJECT) {
        w[0].target = target_of(j, 0, j->dir);
        ok = compile_one(j, &a->input[0], w[0].target);
    } else {
        ok = compile_parallel(j, w);
    }
    for (size_t i = 0; i < a->n_inputs; i++)
        cc_word(objects, w[i].target ? w[i].target : a->input[i].path);
    free(w);
    return ok;
}

static bool build(const struct cc_job *j)
{
    struct cc_words objects = {0};

    if (!compile_all(j, &objects))
        return false;
    switch (j->args->action) {
    case CC_LINK:
    case CC_SHARED:
        return cc_link(j, &objects);
    case CC_BINARY:
        return cc_binary(j, &objects);
    case CC_ARCHIVE:
        return cc_archive(j, &objects);
    default:
        return true;
    }
}

int main(int argc, char **argv)
{
    struct cc_args args;
    struct cc_where where;
    struct cc_run run = {0};
    struct cc_job job = {.args = &args, .where = &where, .run = &run};
    char dir[4096], *cxx;
    bool ok;

    switch (cc_args_read(argc, argv, &args)) {
    case CC_DONE:
        return 0;
    case CC_USAGE:
        return EXIT_USAGE;
    case CC_GO:
        break;
    }
    run = (struct cc_run){.show = args.show, .verbose = args.verbose};
    if (!cc_where_find(&where) || !cc_find_cxx(args.toolchain, &cxx) || !make_dir(dir, sizeof dir))
        return EXIT_FAILED;
    signal(SIGINT, on_interrupt);
    job.cxx = cxx;
    job.dir = dir;
    ok = build(&job);
    if (args.keep)
        fprintf(stderr, "bisheng: intermediate files are in %s\n", dir);
    else
        nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return ok ? 0 : EXIT_FAILED;
}
