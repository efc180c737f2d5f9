/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libs.c - every library that torch_npu needs, not only the first one that is missing.
 *
 * The dynamic loader's order: DT_RPATH of the library, LD_LIBRARY_PATH, the system's directories.
 * The twin's import hook comes before all of them.
 */
#include "doctor.h"
#include "../elf.h"
#include "../file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const char *const system_dirs[] = {"/lib",
                                          "/usr/lib",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/lib/x86_64-linux-gnu",
                                          "/usr/lib/x86_64-linux-gnu",
                                          "/lib/aarch64-linux-gnu",
                                          "/usr/lib/aarch64-linux-gnu",
                                          "/usr/local/lib"};

static char *in_dir(const char *dir, size_t n, const char *name)
{
    char *path = cli_fmt("%.*s/%s", (int)n, dir, name);

    if (cli_is_file(path))
        return path;
    free(path);
    return NULL;
}

/* Where the loader would take it from; NULL when nowhere. */
static char *find(const struct doctor *d, const struct cli_elf *by, const char *name, bool use_twin)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char *path = NULL, *twin = use_twin && d->twin_home ? cli_fmt("%s/lib64", d->twin_home) : NULL;

    if (twin)
        path = in_dir(twin, strlen(twin), name);
    free(twin);
    for (size_t i = 0; !path && i < by->search.n; i++)
        path = in_dir(by->search.at[i], strlen(by->search.at[i]), name);
    if (!path && d->torch_dir) { /* torch loads its own before torch_npu */
        char *lib = cli_fmt("%s/lib", d->torch_dir);

        path = in_dir(lib, strlen(lib), name);
        free(lib);
    }
    while (!path && list && *list) {
        size_t n = strcspn(list, ":");

        path = n ? in_dir(list, n, name) : NULL;
        list += n + (list[n] == ':');
    }
    for (size_t i = 0; !path && i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++)
        path = in_dir(system_dirs[i], strlen(system_dirs[i]), name);
    return path;
}

/* Adds "name" or "name (why)" for each library that cannot be loaded. */
static void add_missing(const struct doctor *d, const char *path, bool use_twin,
                        struct cli_words *missing)
{
    struct cli_elf elf, other;
    char *why = NULL;

    if (!cli_elf_open(&elf, path, &why)) {
        cli_word_add(missing, "%s (%s)", path, why);
        free(why);
        return;
    }
    for (size_t i = 0; i < elf.needed.n; i++) {
        char *found = find(d, &elf, elf.needed.at[i], use_twin);
        bool is_new = true;

        for (size_t m = 0; m < missing->n; m++)
            is_new &= strncmp(missing->at[m], elf.needed.at[i], strlen(elf.needed.at[i])) != 0;
        if (!found && is_new && strncmp(elf.needed.at[i], "ld-linux", 8) != 0)
            cli_word_add(missing, "%s", elf.needed.at[i]);
        else if (found && !cli_elf_open(&other, found, &why) && is_new)
            cli_word_add(missing, "%s (%s: %s)", elf.needed.at[i], found, why);
        else if (found)
            cli_elf_close(&other);
        free(why);
        why = NULL;
        free(found);
    }
    cli_elf_close(&elf);
}

/* The first set_env.sh below the usual places, or below --cann-search. */
static char *find_set_env(const struct doctor *d)
{
    static const char *const usual[] = {"/usr/local/Ascend/ascend-toolkit/set_env.sh",
                                        "/usr/local/Ascend/*/set_env.sh",
                                        "/usr/local/Ascend/set_env.sh", "/opt/Ascend/*/set_env.sh"};
    static const char *const below[] = {"set_env.sh", "*/set_env.sh", "*/*/set_env.sh"};
    const char *root = cli_value(d->given, "cann-search");
    char *found = NULL;

    for (size_t i = 0; !found && i < (root ? 3U : 4U); i++) {
        char *pattern = root ? cli_fmt("%s/%s", root, below[i]) : cli_fmt("%s", usual[i]);
        glob_t paths = {0};

        if (glob(pattern, 0, NULL, &paths) == 0)
            found = cli_fmt("%s", paths.gl_pathv[0]);
        globfree(&paths);
        free(pattern);
    }
    return found;
}

static void explain_missing(struct doctor *d, const char *missing)
{
    const char *home = getenv("ASCEND_HOME_PATH"),
               *variable = home ? "ASCEND_HOME_PATH" : "ASCEND_TOOLKIT_HOME";
    char *set_env = find_set_env(d), *fix = NULL;

    home = home ? home : getenv(variable);
    if (home) {
        fix = cli_fmt("install CANN into %s again", home);
        problem(d, "NTD003", fix,
                "a broken installation: %s is %s, and torch_npu does not find: %s", variable, home,
                missing);
    } else if (set_env) {
        fix = cli_fmt("source %s", set_env);
        problem(d, "NTD002", fix,
                "CANN is installed and not sourced in this shell; torch_npu does not find: %s",
                missing);
    } else {
        problem(d, "NTD004",
                "pip install nputwin puts the twin there; on a machine with an NPU install CANN",
                "no CANN is installed; torch_npu does not find: %s", missing);
    }
    free(set_env);
    free(fix);
}

void look_at_libraries(struct doctor *d)
{
    bool use_twin = d->is_twin && !cli_value(d->given, "cann-search");
    char *path = d->npu_dir ? cli_fmt("%s/lib/libtorch_npu.so", d->npu_dir) : NULL, *text = NULL;
    char *pattern = d->npu_dir ? cli_fmt("%s/_C*.so", d->npu_dir) : NULL;
    struct cli_words missing = {0};
    glob_t extensions = {0};

    if (!path)
        return;
    add_missing(d, path, use_twin, &missing);
    if (glob(pattern, 0, NULL, &extensions) == 0)
        for (size_t i = 0; i < extensions.gl_pathc; i++)
            add_missing(d, extensions.gl_pathv[i], use_twin, &missing);
    globfree(&extensions);
    text = cli_words_joined(&missing, ", ");
    if (missing.n)
        explain_missing(d, text);
    else
        fine(d, "every library that torch_npu needs is found%s%s",
             use_twin ? ", those of CANN in " : "", use_twin ? d->twin_home : "");
    cli_words_finish(&missing);
    free(text);
    free(pattern);
    free(path);
}
