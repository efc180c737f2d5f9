/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - the objects of the views become one ordinary object.
 *
 *   host.o ── rename stubs and keys ──────────────────────────┐
 *   aiv.o  ── no constructors, only kernels, own names (<tag>v$) ─┼─ ld -r ─ out.o
 *   aic.o  ── the same (<tag>c$), when its text differs ──────────┤
 *   table of kernels (assembler) ─────────────────────────────┘
 *
 * A kernel's key is the address of its host symbol. Its device copies have names of their own, so
 * no linker ever merges an inline function of two sorts of cores or of two files.
 */
#ifndef CC_OBJECT_H
#define CC_OBJECT_H
#include "rewrite.h"
#include "run.h"

struct cc_merge {
    const struct cc_run *run;
    const char *dir;        /* for intermediate files */
    const char *host, *aiv; /* objects; may be the same file */
    const char *aic;        /* NULL: the AIC's text is the AIV's */
    const char *out;
    const struct cc_rewritten *text; /* of the host view */
    const char *tag;                 /* begins every name that only this file may have */
    int arch;
};

bool cc_merge(const struct cc_merge *m);
#endif
