/* SPDX-License-Identifier: Apache-2.0 */
/* diag.h - what the compiler said about several views of one file, each thing once. */
#ifndef CC_DIAG_H
#define CC_DIAG_H
#include "text.h"

/* Prints text to stderr, without the diagnostics that `seen` already holds, and adds the new ones.
 */
void cc_diag_print(const char *text, struct cc_words *seen);
#endif
