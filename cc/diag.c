/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diag.c - see diag.h.
 *
 * g++ writes a diagnostic as lines of context ("In function ..."), one line with ": error: " or
 * ": warning: ", and the lines that show the source. That one line is its identity.
 */
#include "diag.h"
#include "missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SORTS[] = {"error: ", "warning: ", "note: "};

static bool has_sort(const char *line, size_t n, int first, int last)
{
    for (int k = first; k <= last; k++)
        if (memmem(line, n, SORTS[k], strlen(SORTS[k])))
            return true;
    return false;
}

static bool is_context(const char *line, size_t n)
{
    static const char *const WORDS[] = {": In ", ": At ", "In file included",
                                        "                 from "};

    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (memmem(line, n, WORDS[k], strlen(WORDS[k])))
            return !has_sort(line, n, 0, 2);
    return memmem(line, n, "required from", 13) || memmem(line, n, "required by", 11);
}

static size_t line_size(const char *s)
{
    const char *end = strchr(s, '\n');

    return end ? (size_t)(end - s) + 1 : strlen(s);
}

static bool add_new(struct cc_words *seen, const char *line, size_t n)
{
    for (size_t i = 0; i < seen->n; i++)
        if (strlen(seen->at[i]) == n && !memcmp(seen->at[i], line, n))
            return false;
    cc_wordf(seen, "%.*s", (int)n, line);
    return true;
}

/* Of text that stub.c made. */
static bool is_stub(const char *line)
{
    return !strncmp(line, "<stub of ", 9);
}

static bool has_own_error(const char *text)
{
    for (const char *s = text; s && *s; s += line_size(s))
        if (has_sort(s, line_size(s), 0, 0) && !is_stub(s))
            return true;
    return false;
}

static bool changes_meaning(const char *line, size_t n)
{
    static const char words[] = "changes meaning of ";

    return memmem(line, n, words, strlen(words)) != NULL;
}

bool cc_diag_only_meanings(const char *text)
{
    bool found = false;

    for (const char *s = text; s && *s; s += line_size(s)) {
        if (!has_sort(s, line_size(s), 0, 0))
            continue;
        if (!changes_meaning(s, line_size(s)))
            return false;
        found = true;
    }
    return found;
}

bool cc_diag_permits_meanings(const char *text)
{
    static const char option[] = "-fpermissive"; /* in brackets and, maybe, in colours */

    for (const char *s = text; s && *s; s += line_size(s))
        if (memmem(s, line_size(s), option, strlen(option)) && !changes_meaning(s, line_size(s)))
            return false;
    return true;
}

/* Shows a line, with the lines of context before it. */
static void show_from(const char *context, const char *end)
{
    fwrite(context, 1, (size_t)(end - context), stderr);
}

/* Where g++ says of a name that it does not know it; NULL when the line says something else. */
static const char *unknown_name(const char *line, size_t n)
{
    static const char *const SAYS[] = {"was not declared", "has not been declared",
                                       "is not a member of", "does not name a type",
                                       "is not a class"};

    for (size_t k = 0; k < sizeof SAYS / sizeof *SAYS; k++)
        if (memmem(line, n, SAYS[k], strlen(SAYS[k])))
            return memmem(line, n, SAYS[k], strlen(SAYS[k]));
    return NULL;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void note_once(char *note, struct cc_words *seen)
{
    if (add_new(seen, note, strlen(note)))
        fputs(note, stderr);
    free(note);
}

/* Of a crash of g++ 12 that kernels are known to meet; the way around it. */
static void explain_crash(const char *line, size_t n, struct cc_words *seen)
{
    static const char crash[] = "internal compiler error";

    if (memmem(line, n, crash, strlen(crash)))
        note_once(cc_fmt("bisheng: note: this g++ fails where a static constexpr of a template is "
                         "a reference "
                         "argument of a function template, as in LoadData<T, CONFIG>; define such "
                         "a constant "
                         "outside of classes and functions\n"),
                  seen);
}

/* Says once why the first documented name among the words of the line's message is missing. The
 * message may be coloured, and its quotes are those of the locale. */
static void explain(const char *line, size_t n, struct cc_words *seen)
{
    const char *s = memmem(line, n, SORTS[0], strlen(SORTS[0]));
    const char *const end = unknown_name(line, n);

    explain_crash(line, n, seen);
    if (!s || !end)
        return;
    for (s += strlen(SORTS[0]); s < end;) {
        const char *word = s;

        while (s < end && is_word(*s))
            s++;
        const size_t size = (size_t)(s - word);
        const char *reason = cc_missing(word, size);
        if (reason) {
            note_once(cc_fmt("bisheng: note: %.*s %s\n", (int)size, word, reason), seen);
            return;
        }
        s += s == word;
    }
}

void cc_diag_print(const char *text, struct cc_words *seen)
{
    const bool drop_stubs = has_own_error(text);
    const char *context = NULL,
               *told = NULL; /* the newest error, to be explained below its lines */
    bool show = true;

    for (const char *s = text; s && *s;) {
        size_t n = line_size(s);

        if (is_context(s, n)) {
            context = context ? context : s;
        } else {
            if (has_sort(s, n, 0, 1)) {
                if (told)
                    explain(told, line_size(told), seen);
                show = !(drop_stubs && is_stub(s)) && add_new(seen, s, n);
                told = show ? s : NULL;
            }
            if (show)
                show_from(context ? context : s, s + n);
            context = NULL;
        }
        s += n;
    }
    if (told)
        explain(told, line_size(told), seen);
}
