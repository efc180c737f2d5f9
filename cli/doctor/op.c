/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - `doctor --op aclnnX`: the whole search of torch_npu, place by place.
 *
 *   1. <dir>/op_api/lib/libcust_opapi.so of every directory in ASCEND_CUSTOM_OPP_PATH
 *   2. $ASCEND_OPP_PATH/vendors/<v>/op_api/lib/libcust_opapi.so of every v in vendors/config.ini
 *   3. libopapi.so of CANN
 *
 * When the name is on none of them, packages below --search and below ASCEND_OPP_PATH are looked
 * at.
 */
#include "doctor.h"
#include "../elf.h"
#include "../file.h"

#include <stdlib.h>
#include <string.h>

static const char library[] = "op_api/lib/libcust_opapi.so";

/* Which of the two functions of an operator a library has: bit 0 the second phase, bit 1 the first.
 */
static int phases(const char *path, const char *name)
{
    char *first = cli_fmt("%sGetWorkspaceSize", name), *why = NULL;
    struct cli_elf elf;
    int has = 0;

    if (cli_elf_open(&elf, path, &why)) {
        has = cli_elf_defines(&elf, name) | cli_elf_defines(&elf, first) << 1;
        cli_elf_close(&elf);
    }
    free(why);
    free(first);
    return has;
}

/* Says what is at one place of the search; true when the operator is there in full. */
static bool look_in(struct doctor *d, const char *where, const char *path, const char *name)
{
    int has = cli_is_file(path) ? phases(path, name) : -1;

    if (has == 3)
        fine(d, "%s: %s has %sGetWorkspaceSize and %s", where, path, name, name);
    else if (has == 1 || has == 2)
        problem(d, "NTD010", "build the package again: both are generated together",
                "%s: %s has only %s%s of the pair", where, path, name,
                has == 2 ? "GetWorkspaceSize" : "");
    else
        fine(d, "%s: %s %s", where, path, has < 0 ? "is not there" : "does not have it");
    return has == 3;
}

static bool search_custom(struct doctor *d, const char *name)
{
    const char *list = getenv("ASCEND_CUSTOM_OPP_PATH");
    bool is_found = false;

    if (!list || !*list)
        fine(d, "ASCEND_CUSTOM_OPP_PATH is not set");
    while (list && *list) {
        size_t n = strcspn(list, ":");
        char *path = n ? cli_fmt("%.*s/%s", (int)n, list, library) : NULL;

        is_found |= path && look_in(d, "ASCEND_CUSTOM_OPP_PATH", path, name);
        free(path);
        list += n + (list[n] == ':');
    }
    return is_found;
}

static bool search_vendors(struct doctor *d, const char *name)
{
    const char *opp = getenv("ASCEND_OPP_PATH"), *list = NULL;
    char *ini = opp ? cli_fmt("%s/vendors/config.ini", opp) : NULL,
         *text = ini ? cli_read(ini, NULL) : NULL;
    bool is_found = false;

    list = text ? strstr(text, "load_priority=") : NULL;
    if (!opp)
        fine(d, "ASCEND_OPP_PATH is not set");
    else if (!list)
        fine(d, "%s names no vendor", ini);
    list = list ? list + strlen("load_priority=") : NULL;
    while (list && *list && *list != '\n') {
        size_t n = strcspn(list, ",\n");
        char *dir = cli_fmt("%s/vendors/%.*s", opp, (int)n, list),
             *path = cli_fmt("%s/%s", dir, library);

        if (n && !cli_is_folder(dir))
            problem(d, "NTD022", "install that package again, or take it out of config.ini",
                    "%s lists %.*s, and %s is not there", ini, (int)n, list, dir);
        else if (n)
            is_found |= look_in(d, "vendors/config.ini", path, name);
        free(dir);
        free(path);
        list += n + (list[n] == ',');
    }
    free(ini);
    free(text);
    return is_found;
}

static bool search_cann(struct doctor *d, const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char *path = cli_fmt("%s/lib64/libopapi.so", home ? home : d->twin_home ? d->twin_home : "");
    bool is_found = look_in(d, "CANN", path, name);

    free(path);
    return is_found;
}

/* Packages that are somewhere below root but not on the search. */
static bool search_below(struct doctor *d, const char *root, const char *name)
{
    struct cli_words paths = {0};
    bool is_found = false;

    cli_walk(root, &paths);
    for (size_t i = 0; i < paths.n; i++) {
        const char *at = strstr(paths.at[i], library);
        char *full = cli_fmt("%s/%s", root, paths.at[i]), *fix = NULL;
        int has = at && strcmp(at, library) == 0 ? phases(full, name) : 0;

        if (has) {
            full[strlen(full) - strlen(library) - 1] = '\0';
            fix = cli_fmt("export ASCEND_CUSTOM_OPP_PATH=%s:$ASCEND_CUSTOM_OPP_PATH", full);
            problem(d, "NTD009", fix, "%s is in %s/%s (%s), which is not on the search", name, full,
                    library, has == 3 ? "both functions" : "one of two functions");
            is_found = true;
        }
        free(fix);
        free(full);
    }
    cli_words_finish(&paths);
    return is_found;
}

void look_at_op(struct doctor *d, const char *name)
{
    const char *opp = getenv("ASCEND_OPP_PATH"), *root = NULL;
    bool is_found = search_custom(d, name);
    bool is_elsewhere = false;

    is_found |= search_vendors(d, name);
    is_found |= search_cann(d, name);
    if (is_found)
        return;
    for (size_t i = 0; (root = cli_value_at(d->given, "search", i)) != NULL; i++)
        is_elsewhere |= search_below(d, root, name);
    if (opp)
        is_elsewhere |= search_below(d, opp, name);
    if (!is_elsewhere)
        problem(d, "NTD009", "install the package that has it, or name a folder: --search DIR",
                "%s is on no place of the search", name);
}
