/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - see link.h. */
#include "link.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Libraries that every program of Ascend C gets. */
static const char *const DEFAULT_LIBS[] = {"-lascendc_runtime", "-lascendcl"};

bool cc_link(const struct cc_job *j, const struct cc_words *objects)
{
    const struct cc_args *a = j->args;
    struct cc_words argv = {0};

    cc_word(&argv, j->cxx);
    cc_words_join(&argv, &a->cxx);
    cc_words_join(&argv, &a->host_cxx);
    if (a->action == CC_SHARED)
        cc_word(&argv, "-shared");
    cc_words_join(&argv, objects);
    cc_words_join(&argv, &a->link);
    /* The user may name libraries before the sources that need them, as the vendor's driver allows:
     * they go behind the objects, and none is dropped because it was not needed yet. */
    if (a->libs.n) {
        cc_word(&argv, "-Wl,--no-as-needed");
        cc_words_join(&argv, &a->libs);
    }
    cc_wordf(&argv, "-L%s", j->where->lib);
    cc_wordf(&argv, "-Wl,-rpath,%s", j->where->lib);
    for (size_t i = 0; i < sizeof DEFAULT_LIBS / sizeof *DEFAULT_LIBS; i++)
        cc_word(&argv, DEFAULT_LIBS[i]);
    cc_word(&argv, "-o");
    cc_word(&argv, a->output ? a->output : "a.out");
    return cc_do(j->run, &argv);
}

/* ---- a binary that the runtime loads ---- */

/* struct nputwin_binary_tail of engine/kernel.h. */
struct tail {
    char magic[8];
    uint32_t version, arch;
    uint64_t bytes, hash;
};

static bool add_tail(const char *path, int arch)
{
    struct tail tail = {.magic = {'n', 'p', 'u', 't', 'w', 'i', 'n', 'B'}, .version = 1};
    struct cc_text t = {0};
    bool ok = cc_read(path, &t);

    tail.arch = (uint32_t)arch;
    tail.bytes = t.size;
    tail.hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < t.size; i++)
        tail.hash = (tail.hash ^ (unsigned char)t.s[i]) * 0x100000001b3u;
    cc_add(&t, (const char *)&tail, sizeof tail);
    ok = ok && cc_write(path, t.s, t.size);
    cc_text_finish(&t);
    return ok || cc_error("cannot write %s", path);
}

/* add.asc -> add.o, where the user named none. */
static char *binary_name(const struct cc_args *a)
{
    const char *source = a->input[0].path, *slash = strrchr(source, '/');
    const char *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');

    return cc_fmt("%.*s.o", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

bool cc_binary(const struct cc_job *j, const struct cc_words *objects)
{
    const struct cc_args *a = j->args;
    char *out = a->output ? cc_fmt("%s", a->output) : binary_name(a);
    struct cc_words argv = {0};
    bool ok;

    cc_word(&argv, j->cxx);
    cc_words_join(&argv, &a->cxx);
    cc_word(&argv, "-shared");
    cc_word(&argv, "-Wl,-Bsymbolic"); /* its kernels are its own, whatever else is loaded */
    cc_words_join(&argv, objects);
    cc_words_join(&argv, &a->link);
    cc_words_join(&argv, &a->libs);
    cc_wordf(&argv, "-L%s", j->where->lib);
    cc_word(&argv, "-lascendc_runtime");
    cc_word(&argv, "-o");
    cc_word(&argv, out);
    ok = cc_do(j->run, &argv) && (j->run->show || add_tail(out, a->arch));
    free(out);
    return ok;
}

bool cc_archive(const struct cc_job *j, const struct cc_words *objects)
{
    const char *out = j->args->output;
    struct cc_words argv = {0};

    if (!out)
        return cc_error("a static library needs a name: -o libNAME.a");
    if (!j->run->show)
        unlink(out); /* ar would keep members of an older one */
    cc_word(&argv, "ar");
    cc_word(&argv, "rcs");
    cc_word(&argv, out);
    cc_words_join(&argv, objects);
    return cc_do(j->run, &argv);
}
