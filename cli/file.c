/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - whole files, atomic writing, and the walk over a project. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    char *text = NULL, part[65536];
    size_t n = 0, n_text = 0;
    FILE *all = file ? open_memstream(&text, &n_text) : NULL;
    bool is_read = false;

    for (n = sizeof(part); all && n == sizeof(part);) { /* a short part is the last one */
        n = fread(part, 1, sizeof(part), file);
        fwrite(part, 1, n, all);
    }
    is_read = file && all && !ferror(file);
    if (file)
        fclose(file);
    if (all)
        fclose(all);
    if (!is_read) {
        free(text);
        return NULL;
    }
    if (size)
        *size = n_text;
    return text;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(fd, text, size);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            text += n;
            size -= (size_t)n;
        }
    }
    return true;
}

/* A neighbour with the text, NULL with errno set. */
static char *write_beside(const char *path, const char *text, size_t size)
{
    char *beside = cli_fmt("%s.XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC);
    mode_t mask = umask(0);
    bool is_written = fd >= 0;

    umask(mask);
    if (is_written)
        is_written = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, text, size);
    if (fd >= 0 && close(fd) != 0)
        is_written = false;
    if (is_written)
        return beside;
    if (fd >= 0)
        unlink(beside);
    free(beside);
    return NULL;
}

bool cli_write(const char *path, const char *text, size_t size)
{
    char *beside = write_beside(path, text, size);
    struct stat old;
    bool is_written = beside != NULL;

    if (is_written && stat(path, &old) == 0) /* a script stays executable */
        is_written = chmod(beside, old.st_mode & 07777) == 0;
    is_written = is_written && rename(beside, path) == 0;
    if (beside && !is_written)
        unlink(beside);
    free(beside);
    return is_written;
}

bool cli_write_new(const char *path, const char *text, size_t size)
{
    char *folder = cli_fmt("%.*s", (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0), path);
    char *beside = NULL;
    bool is_written = !*folder || cli_make_folders(folder);

    free(folder);
    beside = is_written ? write_beside(path, text, size) : NULL;
    is_written = beside && link(beside, path) == 0; /* fails when path exists: rename would not */
    if (beside)
        unlink(beside);
    free(beside);
    return is_written;
}

bool cli_make_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && chmod(path, st.st_mode | (st.st_mode & 0444) >> 2) == 0;
}

bool cli_make_folders(const char *path)
{
    char *copy = cli_fmt("%s", path);
    bool is_made = true;

    for (char *at = copy + 1; is_made && *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        is_made = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *at = '/';
    }
    is_made = is_made && (mkdir(copy, 0777) == 0 || errno == EEXIST) && cli_is_folder(copy);
    free(copy);
    return is_made;
}

bool cli_is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool cli_is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_left_out(const char *name)
{
    static const char *const names[] = {".git",       "build",       "dist",         "staging",
                                        "*.egg-info", "__pycache__", "node_modules", ".?*env",
                                        "venv",       ".tox"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (fnmatch(names[i], name, 0) == 0)
            return true;
    return false;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool cli_walk(const char *root, struct cli_words *paths)
{
    char *copy = cli_fmt("%s", root), *roots[] = {copy, NULL};
    FTS *tree = cli_is_folder(root) ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    FTSENT *entry = NULL;

    while (tree && (entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0 && is_left_out(entry->fts_name))
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F)
            cli_word_add(paths, "%s",
                         entry->fts_path + strlen(copy) + (copy[strlen(copy) - 1] != '/'));
    }
    if (tree)
        fts_close(tree);
    free(copy);
    return tree != NULL;
}
