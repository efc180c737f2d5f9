/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - where the headers and libraries of this driver lie. */
#ifndef CC_WHERE_H
#define CC_WHERE_H
#include "text.h"

struct cc_where {
    struct cc_words include; /* directories, searched behind the user's own */
    char *launch;            /* the header that comes before each file */
    char *lib;               /* directory of libascendc_runtime.so */
};

/* NPUTWIN_HOME, else the build directory or the prefix that this program lies in. False: printed.
 */
bool cc_where_find(struct cc_where *w);
#endif
