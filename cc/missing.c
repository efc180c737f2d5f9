/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing.c - see missing.h.
 */
#include "missing.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *reason, *names;
} FAMILIES[] = {
#define MISSING(reason, ...) {reason, __VA_ARGS__},
#include "missing.def"
};

/* Whether a word of names is name, or begins it and ends in a star. */
static bool has(const char *names, const char *name, size_t n)
{
    for (const char *s = names; *s;) {
        const char *word = s + strspn(s, " ");
        const size_t len = strcspn(word, " ");
        const bool is_stem = len && word[len - 1] == '*';

        if (len && (is_stem ? len - 1 <= n && !memcmp(word, name, len - 1)
                            : len == n && !memcmp(word, name, n)))
            return true;
        s = word + len;
    }
    return false;
}

const char *cc_missing(const char *name, size_t n)
{
    for (size_t k = 0; n && k < sizeof FAMILIES / sizeof *FAMILIES; k++)
        if (has(FAMILIES[k].names, name, n))
            return FAMILIES[k].reason;
    return NULL;
}
