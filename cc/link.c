/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - see link.h. */
#include "link.h"

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
