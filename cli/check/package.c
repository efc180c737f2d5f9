/* SPDX-License-Identifier: Apache-2.0 */
/* package.c - which folders are packages, by what lies in them. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* A folder is a package of that layout when it holds one file of each pattern. */
static const struct layout_row {
    enum layout layout;
    const char *needs[3];
} layout_rows[] = {
    {LAYOUT_AMCT_ROOT, {"ops_build.sh"}},
    {LAYOUT_AMCT_OP, {"op_kernel/*", "op_extension/*"}},
    {LAYOUT_OP_PROJECT, {"op_host/*", "op_kernel/*"}},
    {LAYOUT_OP_PLUGIN, {"op_plugin/config/*"}},
    {LAYOUT_EXTENSION, {"setup.py", "csrc/*/*"}},
    {LAYOUT_EXTENSION, {"setup.py", "csrc/*.cpp"}},
    {LAYOUT_EXTENSION, {"setup.py", "csrc/*.asc"}},
};

static void add_package(struct check *c, enum layout layout, const char *dir)
{
    const char *base = strrchr(dir, '/');

    for (size_t i = 0; i < c->package.n; i++)
        if (c->package.at[i].layout == layout && strcmp(c->package.at[i].dir, dir) == 0)
            return;
    c->package.at = cli_room(c->package.at, c->package.n, &c->package.room, sizeof(*c->package.at));
    c->package.at[c->package.n++] =
        (struct package){layout, cli_fmt("%s", dir), cli_fmt("%s", base ? base + 1 : dir)};
}

static void look_at(struct check *c, const char *dir)
{
    for (size_t row = 0; row < sizeof(layout_rows) / sizeof(layout_rows[0]); row++) {
        bool has_all = true;

        for (size_t i = 0; i < 3 && layout_rows[row].needs[i]; i++)
            has_all = has_all && has_file(c, dir, layout_rows[row].needs[i]);
        if (has_all)
            add_package(c, layout_rows[row].layout, dir);
    }
}

/* Only a folder that holds a mark of some layout is looked at: a tree has many folders. */
void package_read(struct check *c)
{
    static const char *const marks[] = {"setup.py", "ops_build.sh", "op_kernel/",
                                        "op_plugin/config/"};

    for (size_t i = 0; i < c->paths.n; i++) {
        for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
            const char *name = c->paths.at[i], *at = strstr(name, marks[m]);
            char *dir = NULL;

            if (!at || (at > name && at[-1] != '/'))
                continue;
            dir = cli_fmt("%.*s", (int)(at > name ? at - name - 1 : 0), name);
            look_at(c, dir);
            free(dir);
        }
    }
}

const struct package *package_of(const struct check *c, const char *name)
{
    const struct package *best = NULL;

    for (size_t i = 0; i < c->package.n; i++)
        if (is_below(name, c->package.at[i].dir) &&
            (!best || strlen(c->package.at[i].dir) > strlen(best->dir)))
            best = &c->package.at[i];
    return best;
}
