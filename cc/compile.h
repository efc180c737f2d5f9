/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h - one source becomes one object. */
#ifndef CC_COMPILE_H
#define CC_COMPILE_H
#include "args.h"
#include "run.h"
#include "where.h"

struct cc_job {
    const struct cc_args *args;
    const struct cc_where *where;
    const struct cc_run *run;
    const char *cxx; /* the host compiler */
    const char *dir; /* for intermediate files of this source alone */
};

/* All print their own diagnostics. out: NULL where the action needs none. */
bool cc_compile_asc(const struct cc_job *j, const struct cc_input *in, const char *out);
bool cc_compile_host(const struct cc_job *j, const struct cc_input *in, const char *out);
/* -E: the host view, to out or stdout. */
bool cc_preprocess(const struct cc_job *j, const struct cc_input *in, const char *out);
#endif
