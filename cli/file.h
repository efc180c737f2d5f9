/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - files and trees of a user's project. Nothing half-written is ever left under its final
 * name.
 */
#ifndef NPU_CLI_FILE_H
#define NPU_CLI_FILE_H
#include "mem.h"

#include <stdbool.h>

/* The whole file with a 0 behind it, the caller frees it; NULL with errno set. size may be NULL. */
char *cli_read(const char *path, size_t *size);
/* Writes a neighbour and renames it over path. False with errno set; path is then what it was. */
bool cli_write(const char *path, const char *text, size_t size);
/* As cli_write, but an existing path is an error (EEXIST). Makes missing folders. */
bool cli_write_new(const char *path, const char *text, size_t size);
/* Lets those run the file who may read it. */
bool cli_make_program(const char *path);
/* Makes the folder and those above it. */
bool cli_make_folders(const char *path);
bool cli_is_file(const char *path);
bool cli_is_folder(const char *path);
/* Every file below root, as paths relative to it, sorted; what builds and tools leave behind (.git,
 * build, dist, staging, *.egg-info, __pycache__, environments) is left out. False: root cannot be
 * read. */
bool cli_walk(const char *root, struct cli_words *paths);

#endif
