/* SPDX-License-Identifier: Apache-2.0 */
/*
 * so.c - `doctor --so X.so`: whether a library fits the torch that is installed, without loading
 * it.
 *
 * A library built with the other std::string asks for the same functions under other names. So the
 * symbols that torch lacks are compared by what they mean: demangled, with both strings called
 * alike.
 */
#include "doctor.h"
#include "../elf.h"
#include "../proc.h"

#include <stdlib.h>
#include <string.h>

static bool is_torch(const char *name)
{
    return strstr(name, "5torch") || strstr(name, "3c10") || strstr(name, "2at") ||
           strstr(name, "7c10_npu") || strstr(name, "6at_npu");
}

static bool keep_torch(const char *name, void *arg)
{
    if (strncmp(name, "_Z", 2) == 0 && is_torch(name))
        cli_word_add(arg, "%s", name);
    return true;
}

static bool keep_all(const char *name, void *arg)
{
    cli_word_add(arg, "%s", name);
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool holds(const struct cli_words *sorted, const char *name)
{
    return sorted->n && bsearch(&name, sorted->at, sorted->n, sizeof(*sorted->at), by_text) != NULL;
}

/* What torch and torch_npu export, sorted. */
static void read_torch(const struct doctor *d, struct cli_words *exported)
{
    static const char *const libraries[] = {"libtorch_cpu.so", "libc10.so", "libtorch_python.so",
                                            "libtorch.so", "libtorch_npu.so"};

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        const char *dir = i == 4 ? d->npu_dir : d->torch_dir;
        char *path = cli_fmt("%s/lib/%s", dir ? dir : "", libraries[i]), *why = NULL;
        struct cli_elf elf;

        if (dir && cli_elf_open(&elf, path, &why)) {
            cli_elf_symbols(&elf, CLI_DEFINED, keep_torch, exported);
            cli_elf_close(&elf);
        }
        free(why);
        free(path);
    }
    if (exported->n)
        qsort(exported->at, exported->n, sizeof(*exported->at), by_text);
}

/* The mangled name up to the end of the qualified name: what both spellings share. */
static size_t stem_length(const char *name)
{
    size_t at = strcspn(name, "0123456789");
    size_t n = 0;

    while (name[at] >= '0' && name[at] <= '9') {
        n = (size_t)strtoul(name + at, NULL, 10);
        at += strspn(name + at, "0123456789");
        if (n > strlen(name + at))
            return strlen(name);
        at += n;
    }
    return at;
}

/* One demangled line a name, both strings as std::string. */
static void demangle(const struct cli_words *names, struct cli_words *lines)
{
    static const char *const argv[] = {"c++filt", NULL};
    static const char *const forms[] = {
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>",
        "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"};
    char *text = NULL, *output = NULL, *rest = NULL, *line = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);

    for (size_t i = 0; all && i < names->n; i++)
        fprintf(all, "%s\n", names->at[i]);
    if (all)
        fclose(all);
    if (cli_filter(argv, text, size, &output) == 0) {
        for (rest = output; (line = strsep(&rest, "\n")) != NULL && lines->n < names->n;) {
            char *plain = cli_fmt("%s", line);

            for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
                for (char *at = plain; (at = strstr(at, forms[f])) != NULL;) {
                    char *shorter = cli_fmt("%.*sstd::string%s", (int)(at - plain), plain,
                                            at + strlen(forms[f]));
                    size_t done = (size_t)(at - plain) + strlen("std::string");

                    free(plain);
                    plain = shorter;
                    at = plain + done;
                }
            }
            cli_word_add(lines, "%s", plain);
            free(plain);
        }
    }
    free(text);
    free(output);
}

struct verdict {
    size_t n_other_string, n_unknown;
    char *first_other, *first_unknown;
    bool is_old; /* it uses the old string, torch the new one */
};

static void judge(const struct cli_words *missing, const struct cli_words *exported,
                  struct verdict *verdict)
{
    struct cli_words candidates = {0}, wanted = {0}, offered = {0};

    demangle(missing, &wanted);
    for (size_t m = 0; m < missing->n; m++)
        for (size_t e = 0; e < exported->n; e++)
            if (strncmp(exported->at[e], missing->at[m], stem_length(missing->at[m])) == 0)
                cli_word_add(&candidates, "%s", exported->at[e]);
    demangle(&candidates, &offered);
    for (size_t m = 0; m < missing->n && m < wanted.n; m++) {
        bool is_other = false;

        for (size_t o = 0; o < offered.n && !is_other; o++)
            is_other = strcmp(offered.at[o], wanted.at[m]) == 0;
        if (is_other) {
            verdict->n_other_string++;
            verdict->is_old |= strstr(missing->at[m], "__cxx11") == NULL;
            verdict->first_other =
                verdict->first_other ? verdict->first_other : cli_fmt("%s", wanted.at[m]);
        } else {
            verdict->n_unknown++;
            verdict->first_unknown =
                verdict->first_unknown ? verdict->first_unknown : cli_fmt("%s", wanted.at[m]);
        }
    }
    cli_words_finish(&candidates);
    cli_words_finish(&wanted);
    cli_words_finish(&offered);
}

static void look_at_symbols(struct doctor *d, const struct cli_elf *elf,
                            const struct cli_words *exported)
{
    struct cli_words needed = {0}, missing = {0};
    struct verdict verdict = {0};

    cli_elf_symbols(elf, CLI_UNDEFINED, keep_torch, &needed);
    for (size_t i = 0; i < needed.n; i++)
        if (!holds(exported, needed.at[i]) && !cli_elf_defines(elf, needed.at[i]))
            cli_word_add(&missing, "%s", needed.at[i]);
    judge(&missing, exported, &verdict);
    if (verdict.n_other_string)
        problem(d, "NTD005",
                verdict.is_old ? "compile it with -D_GLIBCXX_USE_CXX11_ABI=1"
                               : "compile it with -D_GLIBCXX_USE_CXX11_ABI=0",
                "%s: built with _GLIBCXX_USE_CXX11_ABI=%d, torch uses %d; %zu symbols differ, the "
                "first is %s",
                elf->path, !verdict.is_old, verdict.is_old, verdict.n_other_string,
                verdict.first_other);
    if (verdict.n_unknown)
        problem(d, "NTD006", "build it again with the torch that is installed",
                "%s: built for another torch version; %zu symbols are nowhere, the first is %s",
                elf->path, verdict.n_unknown, verdict.first_unknown);
    if (!missing.n)
        fine(d, "%s: %zu symbols of torch, all of them there", elf->path, needed.n);
    free(verdict.first_other);
    free(verdict.first_unknown);
    cli_words_finish(&needed);
    cli_words_finish(&missing);
}

/* TORCH_LIBRARY(ns, m) leaves a function TORCH_LIBRARY_init_ns. */
static void look_at_namespaces(struct doctor *d, struct cli_words *claims,
                               const struct cli_elf *elf)
{
    static const char mark[] = "TORCH_LIBRARY_init_";
    struct cli_words symbols = {0};

    cli_elf_symbols(elf, CLI_LOCAL, keep_all, &symbols);
    if (!symbols.n)
        problem(d, "NTD018", "ask the library as it is before `strip`",
                "%s is stripped: which namespaces it claims cannot be seen", elf->path);
    for (size_t i = 0; i < symbols.n; i++) {
        const char *at = strstr(symbols.at[i], mark);
        char *ns =
            at ? cli_fmt("%.*s", (int)(strlen(at + sizeof(mark) - 1) - strlen("RN5torch7LibraryE")),
                         at + sizeof(mark) - 1)
               : NULL;

        for (size_t c = 0; ns && c + 1 < claims->n; c += 2)
            if (strcmp(claims->at[c], ns) == 0 && strcmp(claims->at[c + 1], elf->path) != 0)
                problem(d, "NTD011", "TORCH_LIBRARY_FRAGMENT in one of them",
                        "namespace %s is claimed by %s and by %s: loading both aborts", ns,
                        claims->at[c + 1], elf->path);
        if (ns) {
            cli_word_add(claims, "%s", ns);
            cli_word_add(claims, "%s", elf->path);
        }
        free(ns);
    }
    cli_words_finish(&symbols);
}

void look_at_so(struct doctor *d)
{
    struct cli_words exported = {0}, claims = {0};
    const char *path = NULL;

    read_torch(d, &exported);
    for (size_t i = 0; (path = cli_value_at(d->given, "so", i)) != NULL; i++) {
        struct cli_elf elf;
        char *why = NULL;

        if (!cli_elf_open(&elf, path, &why)) {
            problem(d, "NTD001", NULL, "%s: %s", path, why);
            free(why);
            continue;
        }
        if (exported.n)
            look_at_symbols(d, &elf, &exported);
        else
            problem(d, "NTD012", "pip install torch==2.13.0", "no torch to compare %s with", path);
        if (cli_value_at(d->given, "so", 1))
            look_at_namespaces(d, &claims, &elf);
        cli_elf_close(&elf);
    }
    cli_words_finish(&exported);
    cli_words_finish(&claims);
}
