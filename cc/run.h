/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - other programs: started without a shell, waited for, their talk caught in files. */
#ifndef CC_RUN_H
#define CC_RUN_H
#include <sys/types.h>

#include "text.h"

struct cc_run {
    bool show, verbose; /* print commands; run none of them when show */
};

/* Starts argv; its stderr goes to the file err unless NULL, stdout to out unless NULL. Returns the
 * process, 0 when only shown, or -1 (printed). */
pid_t cc_start(const struct cc_run *r, const struct cc_words *argv, const char *out,
               const char *err);
/* True when it ended with 0. pid 0 and -1 are fine. */
bool cc_wait(pid_t pid);
bool cc_do(const struct cc_run *r, const struct cc_words *argv);
/* The host C++ compiler, found on PATH; false: one line says what to install. */
bool cc_find_cxx(const char *toolchain, char **path_out);
#endif
