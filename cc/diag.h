/* SPDX-License-Identifier: Apache-2.0 */
/* diag.h - what the compiler said about several views of one file, each thing once. */
#ifndef CC_DIAG_H
#define CC_DIAG_H
#include "text.h"

/* Prints text to stderr, without the diagnostics that `seen` already holds, and adds the new ones.
 */
void cc_diag_print(const char *text, struct cc_words *seen);
/* Of what a failed compile said: its only errors are names that change their meaning in a class,
 * which clang, and so the chip's compiler, takes. */
bool cc_diag_only_meanings(const char *text);
/* Of what a compile with -fpermissive said: it took nothing else that is an error. */
bool cc_diag_permits_meanings(const char *text);
#endif
