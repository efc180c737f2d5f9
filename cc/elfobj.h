/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfobj.h - reading a relocatable object, and the few edits that ld and objcopy cannot do
 * together: new names and visibilities for symbols, sections turned harmless.
 *
 * 64-bit, this machine's byte order. The file's bytes stay where they are; new string tables and
 * section headers are appended, so an edit costs one read and one write.
 */
#ifndef CC_ELF_H
#define CC_ELF_H
#include <elf.h>
#include <stdint.h>

#include "text.h"

struct cc_elf {
    struct cc_text file;
    Elf64_Ehdr *eh;
    Elf64_Shdr *sh; /* own copy */
    uint32_t n_sh;
    Elf64_Sym *sym; /* in the file */
    uint32_t n_sym;
    uint32_t symtab;          /* section indices */
    bool *names_group;        /* by symbol */
    const Elf32_Word *xindex; /* SHT_SYMTAB_SHNDX, or NULL */
    struct cc_text strtab, shstrtab;
};

/* False: printed. Give e to cc_elf_finish either way. */
bool cc_elf_open(struct cc_elf *e, const char *path);
bool cc_elf_save(struct cc_elf *e, const char *path);
void cc_elf_finish(struct cc_elf *e);

/* Borrowed until the next rename. */
const char *cc_elf_name(const struct cc_elf *e, uint32_t sym);
const char *cc_elf_section_name(const struct cc_elf *e, uint32_t section);
/* Index of the section that holds the symbol, 0 when it has none. */
uint32_t cc_elf_section_of(const struct cc_elf *e, uint32_t sym);
bool cc_elf_is_defined(const struct cc_elf *e, uint32_t sym);
bool cc_elf_is_local(const struct cc_elf *e, uint32_t sym);
/* Is the symbol the signature of a section group? */
bool cc_elf_names_group(const struct cc_elf *e, uint32_t sym);
/* What a defined 64-bit variable holds at the start. */
uint64_t cc_elf_number(const struct cc_elf *e, uint32_t sym);
/* A defined symbol of that name, 0 when there is none. */
uint32_t cc_elf_find(const struct cc_elf *e, const char *name);

void cc_elf_rename(struct cc_elf *e, uint32_t sym, const char *name);
/* STV_HIDDEN: not seen outside the linked file. STV_PROTECTED: seen, but never replaced. */
void cc_elf_set_visibility(struct cc_elf *e, uint32_t sym, unsigned visibility);
/* Constructors and destructors of the file become dead data. */
void cc_elf_drop_constructors(struct cc_elf *e);

/* Walks relocations from the symbol on and calls seen(arg, name) for each undefined symbol that its
 * code can reach. */
void cc_elf_reach(const struct cc_elf *e, uint32_t sym, void (*seen)(void *arg, const char *name),
                  void *arg);
#endif
