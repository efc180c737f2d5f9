/* SPDX-License-Identifier: Apache-2.0 */
/* missing.h - why a documented name is not there. */
#ifndef CC_MISSING_H
#define CC_MISSING_H
#include <stddef.h>

/* NULL for a name that nobody documents. */
const char *cc_missing(const char *name, size_t n);
#endif
