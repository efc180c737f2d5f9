/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf.h - what a shared library needs, defines and lacks, read from the file: nothing is loaded.
 */
#ifndef NPU_CLI_ELF_H
#define NPU_CLI_ELF_H
#include "mem.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_elf {
    char *path;
    const uint8_t *bytes; /* mapped */
    size_t size;
    const char *names; /* .dynstr */
    size_t n_names;
    struct cli_words needed, search; /* DT_NEEDED; DT_RPATH or DT_RUNPATH, $ORIGIN replaced */
    const char *soname;              /* NULL without one */
};

/* False for a file that is no 64-bit shared library of this machine; why says so and is freed by
 * the caller. */
bool cli_elf_open(struct cli_elf *elf, const char *path, char **why);
void cli_elf_close(struct cli_elf *elf);

enum cli_symbols {
    CLI_DEFINED,
    CLI_UNDEFINED,
    CLI_LOCAL
}; /* CLI_LOCAL: of .symtab, gone when stripped */
/* Calls fn for every symbol of that kind until it returns false. */
void cli_elf_symbols(const struct cli_elf *elf, enum cli_symbols which,
                     bool (*fn)(const char *name, void *arg), void *arg);
bool cli_elf_defines(const struct cli_elf *elf, const char *name);

#endif
