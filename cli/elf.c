/* SPDX-License-Identifier: Apache-2.0 */
/* elf.c - the dynamic section and the symbol tables of a file. Every offset is checked against its
 * size. */
#include "elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

static const void *inside(const struct cli_elf *elf, uint64_t at, uint64_t n)
{
    return at <= elf->size && n <= elf->size - at ? elf->bytes + at : NULL;
}

static bool map(struct cli_elf *elf, char **why)
{
    int fd = open(elf->path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *bytes = MAP_FAILED;

    if (fd < 0 || fstat(fd, &st) != 0) {
        *why = cli_fmt("%s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    elf->size = (size_t)st.st_size;
    if (elf->size)
        bytes = mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        *why = elf->size ? cli_fmt("%s", strerror(errno)) : cli_fmt("not an ELF file: it is empty");
        return false;
    }
    elf->bytes = bytes;
    return true;
}

static const Elf64_Shdr *section(const struct cli_elf *elf, unsigned i)
{
    const Elf64_Ehdr *head = inside(elf, 0, sizeof(*head));

    return i < head->e_shnum
               ? inside(elf, head->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr))
               : NULL;
}

/* The first section of that type, NULL. */
static const Elf64_Shdr *section_of(const struct cli_elf *elf, uint32_t type)
{
    const Elf64_Ehdr *head = inside(elf, 0, sizeof(*head));

    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *one = section(elf, i);

        if (one && one->sh_type == type)
            return one;
    }
    return NULL;
}

static const char *name_at(const char *names, size_t n, uint64_t at)
{
    return at < n && memchr(names + at, '\0', n - at) ? names + at : "";
}

static void add_paths(struct cli_elf *elf, const char *list)
{
    const char *slash = strrchr(elf->path, '/');
    char *origin = cli_fmt("%.*s", slash ? (int)(slash - elf->path) : 1, slash ? elf->path : ".");

    while (*list) {
        size_t n = strcspn(list, ":");
        bool is_origin = strncmp(list, "$ORIGIN", 7) == 0;

        if (is_origin)
            cli_word_add(&elf->search, "%s%.*s", origin, (int)(n - 7), list + 7);
        else if (n)
            cli_word_add(&elf->search, "%.*s", (int)n, list);
        list += n + (list[n] == ':');
    }
    free(origin);
}

static bool read_dynamic(struct cli_elf *elf)
{
    const Elf64_Shdr *dynamic = section_of(elf, SHT_DYNAMIC), *strings = NULL;
    const Elf64_Dyn *entry = dynamic ? inside(elf, dynamic->sh_offset, dynamic->sh_size) : NULL;

    strings = dynamic ? section(elf, dynamic->sh_link) : NULL;
    elf->names = strings ? inside(elf, strings->sh_offset, strings->sh_size) : NULL;
    if (!entry || !elf->names)
        return false;
    elf->n_names = strings->sh_size;
    for (size_t i = 0; i < dynamic->sh_size / sizeof(*entry) && entry[i].d_tag != DT_NULL; i++) {
        const char *name = name_at(elf->names, elf->n_names, entry[i].d_un.d_val);

        if (entry[i].d_tag == DT_NEEDED)
            cli_word_add(&elf->needed, "%s", name);
        else if (entry[i].d_tag == DT_SONAME)
            elf->soname = name;
        else if (entry[i].d_tag == DT_RPATH || entry[i].d_tag == DT_RUNPATH)
            add_paths(elf, name);
    }
    return true;
}

bool cli_elf_open(struct cli_elf *elf, const char *path, char **why)
{
    const Elf64_Ehdr *head = NULL;

    *elf = (struct cli_elf){.path = cli_fmt("%s", path)};
    *why = NULL;
    if (!map(elf, why))
        goto fail;
    head = inside(elf, 0, sizeof(*head));
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        *why = cli_fmt("not an ELF file");
    else if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != MACHINE)
        *why = cli_fmt("for another machine");
    else if (head->e_shentsize != sizeof(Elf64_Shdr) || !read_dynamic(elf))
        *why = cli_fmt("no shared library");
    if (*why)
        goto fail;
    return true;
fail:
    cli_elf_close(elf);
    return false;
}

void cli_elf_close(struct cli_elf *elf)
{
    if (elf->bytes)
        munmap((void *)elf->bytes, elf->size);
    cli_words_finish(&elf->needed);
    cli_words_finish(&elf->search);
    free(elf->path);
    *elf = (struct cli_elf){0};
}

void cli_elf_symbols(const struct cli_elf *elf, enum cli_symbols which,
                     bool (*fn)(const char *name, void *arg), void *arg)
{
    const Elf64_Shdr *table = section_of(elf, which == CLI_LOCAL ? SHT_SYMTAB : SHT_DYNSYM);
    const Elf64_Shdr *strings = table ? section(elf, table->sh_link) : NULL;
    const Elf64_Sym *symbol = table ? inside(elf, table->sh_offset, table->sh_size) : NULL;
    const char *names = strings ? inside(elf, strings->sh_offset, strings->sh_size) : NULL;

    for (size_t i = 1; symbol && names && i < table->sh_size / sizeof(*symbol); i++) {
        bool is_defined = symbol[i].st_shndx != SHN_UNDEF;

        if ((which == CLI_UNDEFINED) == is_defined)
            continue;
        if (!fn(name_at(names, strings->sh_size, symbol[i].st_name), arg))
            return;
    }
}

struct search {
    const char *name;
    bool is_found;
};

static bool same(const char *name, void *arg)
{
    struct search *search = arg;

    search->is_found = strcmp(name, search->name) == 0;
    return !search->is_found;
}

bool cli_elf_defines(const struct cli_elf *elf, const char *name)
{
    struct search search = {name, false};

    cli_elf_symbols(elf, CLI_DEFINED, same, &search);
    return search.is_found;
}
