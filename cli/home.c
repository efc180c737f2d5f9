/* SPDX-License-Identifier: Apache-2.0 */
/*
 * home.c - where the CANN-shaped tree is.
 *
 * The same program lies in three places: bin/ of a prefix, bin/ of a Python environment (the tree
 * is then in site-packages, whose path holds the Python version: hence the pattern) and bin/ of a
 * build directory. A tree is ours when nputwin.json lies in it.
 */
#include "cli.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_home(const char *path)
{
    char mark[CLI_PATH_BYTES + 16];

    snprintf(mark, sizeof(mark), "%s/nputwin.json", path);
    return access(mark, R_OK) == 0;
}

/* The first match of the pattern that is a tree of ours. */
static bool find_match(const char *pattern, char path[CLI_PATH_BYTES])
{
    glob_t found = {0};
    bool is_found = false;

    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && !is_found; i++) {
            is_found = is_home(found.gl_pathv[i]) && strlen(found.gl_pathv[i]) < CLI_PATH_BYTES;
            if (is_found)
                memcpy(path, found.gl_pathv[i], strlen(found.gl_pathv[i]) + 1);
        }
    }
    globfree(&found);
    return is_found;
}

/* The directory above the bin/ that this program lies in. */
static bool own_root(char root[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", root, PATH_MAX - 1);

    if (n <= 0)
        return false;
    root[n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(root, '/');

        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

bool cli_find_home(char path[CLI_PATH_BYTES])
{
    static const char *const places[] = {"/lib/python3.*/site-packages/nputwin/cann", "", "/cann"};
    const char *named = getenv("NPUTWIN_HOME");
    char root[PATH_MAX], absolute[PATH_MAX], pattern[PATH_MAX + 64];

    path[0] = '\0';
    if (named && *named) {
        if (!realpath(named, absolute))
            snprintf(absolute, sizeof(absolute), "%s", named);
        snprintf(path, CLI_PATH_BYTES, "%.*s", CLI_PATH_BYTES - 1, absolute);
        return is_home(path);
    }
    if (!own_root(root))
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(pattern, sizeof(pattern), "%s%s", root, places[i]);
        if (find_match(pattern, path))
            return true;
    }
    snprintf(path, CLI_PATH_BYTES, "%.*s", CLI_PATH_BYTES - 1, root);
    return false;
}
