/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - "did you mean": the name with the fewest edits, in any case. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Levenshtein distance; both words are at most LONGEST_NAME long. */
static size_t n_edits(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1], n = strlen(b);

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t above = row[j];

            row[j] = least(
                above + 1, row[j - 1] + 1,
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1])));
            diagonal = above;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *first, size_t row_bytes, size_t n)
{
    const char *best = NULL;
    size_t fewest = 3; /* more edits than two is another word */

    if (strlen(word) > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char *name = *(const char *const *)((const char *)first + i * row_bytes);
        size_t edits = strlen(name) > LONGEST_NAME ? fewest : n_edits(word, name);

        if (edits < fewest) {
            fewest = edits;
            best = name;
        }
    }
    return best;
}
