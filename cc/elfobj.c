/* SPDX-License-Identifier: Apache-2.0 */
/* elfobj.c - see elfobj.h. */
#include "elfobj.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static bool in_file(const struct cc_elf *e, const Elf64_Shdr *s)
{
    return s->sh_type == SHT_NOBITS ||
           (s->sh_offset <= e->file.size && s->sh_size <= e->file.size - s->sh_offset);
}

static bool read_sections(struct cc_elf *e)
{
    const Elf64_Shdr *sh;
    uint32_t names;

    if (e->file.size < sizeof *e->eh || memcmp(e->file.s, ELFMAG, SELFMAG) != 0 ||
        e->file.s[EI_CLASS] != ELFCLASS64)
        return false;
    e->eh = (Elf64_Ehdr *)(void *)e->file.s;
    if (e->eh->e_shoff > e->file.size - sizeof *sh || e->eh->e_shentsize != sizeof *sh)
        return false;
    sh = (const Elf64_Shdr *)(const void *)(e->file.s + e->eh->e_shoff);
    e->n_sh = e->eh->e_shnum ? e->eh->e_shnum : (uint32_t)sh->sh_size; /* more than 65,279: there */
    names = e->eh->e_shstrndx == SHN_XINDEX ? sh->sh_link : e->eh->e_shstrndx;
    if ((e->file.size - e->eh->e_shoff) / sizeof *sh < e->n_sh || names >= e->n_sh)
        return false;
    e->sh = cc_grow(NULL, e->n_sh * sizeof *e->sh);
    memcpy(e->sh, sh, e->n_sh * sizeof *e->sh);
    for (uint32_t i = 0; i < e->n_sh; i++)
        if (!in_file(e, &e->sh[i]))
            return false;
    cc_add(&e->shstrtab, e->file.s + e->sh[names].sh_offset, e->sh[names].sh_size);
    return true;
}

static bool read_symbols(struct cc_elf *e)
{
    for (uint32_t i = 1; i < e->n_sh; i++) {
        if (e->sh[i].sh_type == SHT_SYMTAB)
            e->symtab = i;
        else if (e->sh[i].sh_type == SHT_SYMTAB_SHNDX)
            e->xindex = (const Elf32_Word *)(const void *)(e->file.s + e->sh[i].sh_offset);
    }
    if (!e->symtab || e->sh[e->symtab].sh_link >= e->n_sh)
        return false;
    const Elf64_Shdr *str = &e->sh[e->sh[e->symtab].sh_link];

    e->sym = (Elf64_Sym *)(void *)(e->file.s + e->sh[e->symtab].sh_offset);
    e->n_sym = (uint32_t)(e->sh[e->symtab].sh_size / sizeof *e->sym);
    cc_add(&e->strtab, e->file.s + str->sh_offset, str->sh_size);
    e->names_group = cc_grow(NULL, e->n_sym);
    memset(e->names_group, 0, e->n_sym);
    for (uint32_t i = 1; i < e->n_sh; i++)
        if (e->sh[i].sh_type == SHT_GROUP && e->sh[i].sh_info < e->n_sym)
            e->names_group[e->sh[i].sh_info] = true;
    return true;
}

bool cc_elf_open(struct cc_elf *e, const char *path)
{
    *e = (struct cc_elf){0};
    if (!cc_read(path, &e->file))
        return cc_error("%s: %s", path, strerror(errno));
    if (read_sections(e) && read_symbols(e))
        return true;
    return cc_error("%s is no 64-bit object that the driver can read; the host compiler must be a "
                    "g++ for this machine",
                    path);
}

void cc_elf_finish(struct cc_elf *e)
{
    cc_text_finish(&e->file);
    cc_text_finish(&e->strtab);
    cc_text_finish(&e->shstrtab);
    free(e->sh);
    free(e->names_group);
    *e = (struct cc_elf){0};
}

static void append(struct cc_text *file, Elf64_Shdr *s, const struct cc_text *table)
{
    s->sh_offset = file->size;
    s->sh_size = table->size;
    cc_add(file, table->s, table->size);
}

bool cc_elf_save(struct cc_elf *e, const char *path)
{
    static const char ZERO[8];
    const Elf64_Shdr *first = e->sh;
    uint32_t names = e->eh->e_shstrndx == SHN_XINDEX ? first->sh_link : e->eh->e_shstrndx;
    uint32_t str = e->sh[e->symtab].sh_link;

    append(&e->file, &e->sh[str], &e->strtab);
    if (names != str)
        append(&e->file, &e->sh[names], &e->shstrtab);
    cc_add(&e->file, ZERO, -e->file.size & 7);
    ((Elf64_Ehdr *)(void *)e->file.s)->e_shoff = e->file.size;
    cc_add(&e->file, (const char *)e->sh, e->n_sh * sizeof *e->sh);
    e->eh = NULL; /* the file may have moved: only finish may follow */
    e->sym = NULL;
    if (cc_write(path, e->file.s, e->file.size))
        return true;
    return cc_error("cannot write %s: %s", path, strerror(errno));
}

const char *cc_elf_name(const struct cc_elf *e, uint32_t sym)
{
    return e->sym[sym].st_name < e->strtab.size ? e->strtab.s + e->sym[sym].st_name : "";
}

const char *cc_elf_section_name(const struct cc_elf *e, uint32_t section)
{
    uint32_t at = e->sh[section].sh_name;

    return at < e->shstrtab.size ? e->shstrtab.s + at : "";
}

uint32_t cc_elf_section_of(const struct cc_elf *e, uint32_t sym)
{
    uint32_t s = e->sym[sym].st_shndx;

    if (s == SHN_XINDEX && e->xindex)
        s = e->xindex[sym];
    else if (s >= SHN_LORESERVE)
        s = 0;
    return s < e->n_sh ? s : 0;
}

bool cc_elf_is_defined(const struct cc_elf *e, uint32_t sym)
{
    unsigned type = ELF64_ST_TYPE(e->sym[sym].st_info);

    return e->sym[sym].st_shndx != SHN_UNDEF && type != STT_FILE && type != STT_SECTION;
}

bool cc_elf_is_local(const struct cc_elf *e, uint32_t sym)
{
    return ELF64_ST_BIND(e->sym[sym].st_info) == STB_LOCAL;
}

bool cc_elf_names_group(const struct cc_elf *e, uint32_t sym)
{
    return e->names_group[sym] && e->sym[sym].st_name;
}

uint64_t cc_elf_number(const struct cc_elf *e, uint32_t sym)
{
    const Elf64_Shdr *sh = &e->sh[cc_elf_section_of(e, sym)];
    const uint64_t at = sh->sh_offset + e->sym[sym].st_value;
    uint64_t n = 0;

    if (sh->sh_type == SHT_PROGBITS && at + sizeof n <= e->file.size)
        memcpy(&n, e->file.s + at, sizeof n);
    return n;
}

uint32_t cc_elf_find(const struct cc_elf *e, const char *name)
{
    for (uint32_t i = 1; i < e->n_sym; i++)
        if (cc_elf_is_defined(e, i) && !strcmp(cc_elf_name(e, i), name))
            return i;
    return 0;
}

void cc_elf_rename(struct cc_elf *e, uint32_t sym, const char *name)
{
    e->sym[sym].st_name = (Elf64_Word)e->strtab.size;
    cc_add(&e->strtab, name, strlen(name) + 1);
}

void cc_elf_set_visibility(struct cc_elf *e, uint32_t sym, unsigned visibility)
{
    e->sym[sym].st_other = (unsigned char)((e->sym[sym].st_other & ~3u) | visibility);
}

void cc_elf_drop_constructors(struct cc_elf *e)
{
    static const char *const NAMES[] = {".init_array", ".fini_array", ".preinit_array", ".ctors",
                                        ".dtors"};
    uint32_t dead = (uint32_t)e->shstrtab.size;

    cc_add(&e->shstrtab, ".nputwin.dropped", sizeof ".nputwin.dropped");
    for (uint32_t i = 1; i < e->n_sh; i++)
        for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            if (!strncmp(cc_elf_section_name(e, i), NAMES[k], strlen(NAMES[k]))) {
                e->sh[i].sh_name = dead;
                e->sh[i].sh_type = SHT_PROGBITS;
                break;
            }
}

/* ---- what code reaches ---- */

struct walk {
    const struct cc_elf *e;
    uint32_t *rela; /* by section: its relocations, 0 for none */
    uint32_t *todo, n_todo;
    bool *visited; /* by section */
    void (*seen)(void *arg, const char *name);
    void *arg;
};

static void visit(struct walk *w, uint32_t sym)
{
    uint32_t s = cc_elf_section_of(w->e, sym);

    if (w->e->sym[sym].st_shndx == SHN_UNDEF && sym) {
        w->seen(w->arg, cc_elf_name(w->e, sym));
    } else if (s && !w->visited[s]) {
        w->visited[s] = true;
        w->todo[w->n_todo++] = s;
    }
}

void cc_elf_reach(const struct cc_elf *e, uint32_t sym, void (*seen)(void *arg, const char *name),
                  void *arg)
{
    struct walk w = {.e = e, .seen = seen, .arg = arg};

    w.rela = cc_grow(NULL, e->n_sh * sizeof *w.rela);
    w.todo = cc_grow(NULL, e->n_sh * sizeof *w.todo);
    w.visited = cc_grow(NULL, e->n_sh * sizeof *w.visited);
    memset(w.rela, 0, e->n_sh * sizeof *w.rela);
    memset(w.visited, 0, e->n_sh * sizeof *w.visited);
    for (uint32_t i = 1; i < e->n_sh; i++)
        if (e->sh[i].sh_type == SHT_RELA && e->sh[i].sh_info < e->n_sh)
            w.rela[e->sh[i].sh_info] = i;
    visit(&w, sym);
    while (w.n_todo) {
        const Elf64_Shdr *r = &e->sh[w.rela[w.todo[--w.n_todo]]];
        const Elf64_Rela *rel = (const Elf64_Rela *)(const void *)(e->file.s + r->sh_offset);

        for (uint64_t k = 0; r->sh_type == SHT_RELA && k < r->sh_size / sizeof *rel; k++)
            if (ELF64_R_SYM(rel[k].r_info) < e->n_sym)
                visit(&w, (uint32_t)ELF64_R_SYM(rel[k].r_info));
    }
    free(w.rela);
    free(w.todo);
    free(w.visited);
}
