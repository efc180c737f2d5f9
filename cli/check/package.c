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

/* Where amct_ops is, its operators are the folders below it: another folder with the same layers
 * keeps other rules. */
static void leave_strangers_out(struct check *c)
{
    size_t n = 0;
    bool has_root = false;

    for (size_t i = 0; i < c->package.n; i++)
        has_root = has_root || c->package.at[i].layout == LAYOUT_AMCT_ROOT;
    for (size_t i = 0; i < c->package.n; i++) {
        struct package *package = &c->package.at[i];
        bool is_inside = !has_root || package->layout != LAYOUT_AMCT_OP;

        for (size_t r = 0; !is_inside && r < c->package.n; r++)
            is_inside = c->package.at[r].layout == LAYOUT_AMCT_ROOT &&
                        is_below(package->dir, c->package.at[r].dir);
        if (is_inside) {
            c->package.at[n++] = *package;
        } else {
            free(package->dir);
            free(package->base);
        }
    }
    c->package.n = n;
}

static void find_builds(struct check *c)
{
    for (size_t i = 0; i < c->paths.n; i++) {
        const char *name = c->paths.at[i],
                   *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

        if (strcmp(base, "setup.py") == 0)
            cli_word_add(&c->builds, "%.*s", (int)(base > name ? base - name - 1 : 0), name);
    }
    for (size_t i = 0; i < c->command.n; i++) {
        const char *name = c->command.at[i].src->name, *end = strrchr(name, '/');

        if (strcmp(c->command.at[i].name, "project") == 0)
            cli_word_add(&c->builds, "%.*s", (int)(end ? end - name : 0), name);
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
    find_builds(c);
    leave_strangers_out(c);
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

const char *build_of(const struct check *c, const char *name)
{
    const char *best = NULL;

    for (size_t i = 0; i < c->builds.n; i++)
        if (is_below(name, c->builds.at[i]) && (!best || strlen(c->builds.at[i]) > strlen(best)))
            best = c->builds.at[i];
    return best;
}

bool is_loaded_together(const struct check *c, const struct src *a, const struct src *b)
{
    const struct package *pa = package_of(c, a->name), *pb = package_of(c, b->name);
    const char *ba = NULL, *bb = NULL;

    if (a == b)
        return true;
    if (pa && pb)
        return pa == pb;
    ba = build_of(c, a->name);
    bb = build_of(c, b->name);
    return !ba || !bb || strcmp(ba, bb) == 0;
}

size_t nearness(const struct src *a, const struct src *b)
{
    size_t n = 0;

    if (a == b)
        return SIZE_MAX;
    for (size_t i = 0; a->name[i] && a->name[i] == b->name[i]; i++)
        if (a->name[i] == '/')
            n = i + 1;
    return n;
}
