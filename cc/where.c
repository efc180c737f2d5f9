/* SPDX-License-Identifier: Apache-2.0 */
/*
 * where.c - see where.h.
 *
 * The same program lies in bin/ of a prefix, in <prefix>/<arch>-linux/ccec_compiler/bin, in bin/ of
 * a Python environment whose site-packages hold the prefix, and in a build directory, where a file
 * bisheng.paths beside it says where the source tree is. A prefix is a tree with nputwin.json.
 */
#include "where.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

#ifndef CC_ARCH_DIR
#define CC_ARCH_DIR "x86_64-linux"
#endif

static char *first_match(char *pattern)
{
    glob_t g = {0};
    char *found = NULL;

    if (!glob(pattern, 0, NULL, &g) && g.gl_pathc)
        found = cc_dup(g.gl_pathv[0], strlen(g.gl_pathv[0]));
    globfree(&g);
    free(pattern);
    return found;
}

static bool is_prefix(const char *dir)
{
    char *mark = cc_fmt("%s/nputwin.json", dir);
    bool yes = !access(mark, R_OK);

    free(mark);
    return yes;
}

static char *parent(const char *path)
{
    const char *slash = strrchr(path, '/');

    return cc_dup(path, slash ? (size_t)(slash - path) : 0);
}

static bool use_prefix(struct cc_where *w, const char *prefix)
{
    cc_wordf(&w->include, "%s/" CC_ARCH_DIR "/asc/include", prefix);
    cc_wordf(&w->include, "%s/include", prefix);
    w->launch =
        cc_fmt("%s/" CC_ARCH_DIR "/asc/include/nputwin/front/launch/nputwin_launch.h", prefix);
    w->lib = cc_fmt("%s/lib64", prefix);
    if (!access(w->launch, R_OK))
        return true;
    return cc_error("%s is not there: the installation in %s is not complete", w->launch, prefix);
}

/* Lines "include=DIR", "launch=FILE", "lib=DIR". */
static bool use_paths(struct cc_where *w, const char *file)
{
    struct cc_text t = {0};
    char *save = NULL;

    if (!cc_read(file, &t))
        return false;
    for (char *s = strtok_r(t.s, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
        if (!strncmp(s, "include=", 8))
            cc_word(&w->include, s + 8);
        else if (!strncmp(s, "launch=", 7))
            w->launch = cc_dup(s + 7, strlen(s + 7));
        else if (!strncmp(s, "lib=", 4))
            w->lib = cc_dup(s + 4, strlen(s + 4));
    }
    cc_text_finish(&t);
    return w->launch && w->lib;
}

bool cc_where_find(struct cc_where *w)
{
    const char *home = getenv("NPUTWIN_HOME");
    char exe[PATH_MAX], *bin, *dir, *up, *paths, *found;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    *w = (struct cc_where){0};
    if (home && *home)
        return use_prefix(w, home);
    if (n <= 0)
        return cc_error("cannot read /proc/self/exe; set NPUTWIN_HOME to the prefix");
    exe[n] = 0;
    bin = parent(exe);
    paths = cc_fmt("%s/bisheng.paths", bin);
    if (use_paths(w, paths))
        return true;
    dir = parent(bin);
    found = first_match(cc_fmt("%s/lib/python3.*/site-packages/nputwin/cann", dir));
    if (!found)
        found = first_match(cc_fmt("%s/cann", dir));
    for (int i = 0; i < 4 && !found && *dir; i++) {
        if (is_prefix(dir)) {
            found = dir;
            break;
        }
        up = parent(dir);
        free(dir);
        dir = up;
    }
    if (!found)
        return cc_error("no nputwin prefix around %s; set NPUTWIN_HOME to the directory with "
                        "nputwin.json",
                        exe);
    return use_prefix(w, found);
}
