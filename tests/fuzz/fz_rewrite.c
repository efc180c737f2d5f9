/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_rewrite.c - the rewriter takes any bytes: text comes out, or one sentence.
 *
 * Text without Ascend C comes back unchanged, byte for byte, and the same input gives the same
 * output.
 */
#include "../../cc/rewrite.h"
#include "fuzz.h"

void fuzz_begin(void)
{
}

static bool has_word(const char *text, size_t n, const char *word)
{
    return memmem(text, n, word, strlen(word)) != NULL;
}

static void check_view(const char *text, size_t n, enum cc_view view, bool aclrt,
                       unsigned workspace)
{
    struct cc_rewritten first = {0}, second = {0};
    bool is_plain = !has_word(text, n, "<<<") && !has_word(text, n, "__");
    bool ok = cc_rewrite(text, n, view, aclrt, workspace, &first);
    bool again = cc_rewrite(text, n, view, aclrt, workspace, &second);

    FUZZ_CHECK(ok == again, "same input, other verdict");
    FUZZ_CHECK(ok ? !first.error : first.error && *first.error, "verdict without its sentence");
    if (ok) {
        FUZZ_CHECK(first.out.size == second.out.size, "same input, other size");
        FUZZ_CHECK(!first.out.size || !memcmp(first.out.s, second.out.s, first.out.size),
                   "same input, other text");
        if (is_plain)
            FUZZ_CHECK(first.out.size == n && (!n || !memcmp(first.out.s, text, n)),
                       "plain text was changed");
    }
    cc_rewritten_finish(&first);
    cc_rewritten_finish(&second);
}

void fuzz_one(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1); /* exactly as long as it is: a read past the end is found */

    if (!text)
        return;
    memcpy(text, data, n);
    text[n] = '\0';
    check_view(text, n, CC_HOST, false, 0);
    check_view(text, n, CC_DEVICE, false, 1);
    check_view(text, n, CC_BOTH, true, 2);
    free(text);
}
