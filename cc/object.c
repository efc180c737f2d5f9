/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - see object.h. */
#include "object.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "elfobj.h"
#include "kind.h"

struct merge {
    const struct cc_merge *in;
    struct cc_elf host;
    struct cc_elf side[2];      /* AIV, AIC as compiled; AIC unused when there is none */
    struct cc_words kernels[2]; /* symbols of the kernels in each */
    struct cc_words flats[2];   /* nputwin_flat of each kernel; "" where it has none */
    struct cc_words link;       /* objects of the last ld -r */
    char *path_host;            /* host object as it is now */
    bool has_locals;
};

static const char SIDE[2] = {'v', 'c'};

static char *device_name(const struct merge *m, int side, const char *symbol)
{
    return cc_fmt("%s%c$%s", m->in->tag, SIDE[side], symbol);
}

static bool has(const struct cc_words *w, const char *s)
{
    for (size_t i = 0; i < w->n; i++)
        if (!strcmp(w->at[i], s))
            return true;
    return false;
}

/* ---- kernels of a device object ---- */

/* "_ZZ<encoding>E" of a name with the local static word; its length, 0 when it is no such name. */
static size_t encoding_of(const char *name, const char *word)
{
    const char *end = strstr(name, word);

    if (!end || strncmp(name, "_ZZ", 3) != 0)
        return 0;
    while (end > name + 3 && isdigit((unsigned char)end[-1]))
        end--;
    return end[-1] == 'E' ? (size_t)(end - name) : 0;
}

/* The description of the parameters that stands beside the mark; "" when there is none. */
static const char *flat_beside(const struct cc_elf *e, const char *mark, size_t encoding)
{
    for (uint32_t i = 1; i < e->n_sym; i++) {
        const char *name = cc_elf_name(e, i);

        if (encoding_of(name, "nputwin_flat") == encoding && !strncmp(name, mark, encoding) &&
            cc_elf_is_defined(e, i))
            return name;
    }
    return "";
}

/* "_ZZ<encoding>E<n>nputwin_mark_v": the kernel is _Z<encoding>, or for C linkage the plain name.
 */
static void find_kernels(const struct cc_elf *e, struct cc_words *kernels, struct cc_words *flats)
{
    for (uint32_t i = 1; i < e->n_sym; i++) {
        const char *name = cc_elf_name(e, i);
        size_t encoding = encoding_of(name, "nputwin_mark_");
        char *kernel;

        if (!encoding || !cc_elf_is_defined(e, i))
            continue;
        kernel = cc_fmt("_Z%.*s", (int)(encoding - 4), name + 3);
        if (!cc_elf_find(e, kernel)) {
            const char *plain = kernel + 2;

            while (isdigit((unsigned char)*plain))
                plain++;
            memmove(kernel, plain, strlen(plain) + 1);
        }
        if (cc_elf_find(e, kernel) && !has(kernels, kernel)) {
            cc_word(kernels, kernel);
            cc_word(flats, flat_beside(e, name, encoding));
        }
        free(kernel);
    }
}

/* ---- static kernels: their symbols must be seen by the table ---- */

static bool globalize(const struct merge *m, const struct cc_elf *e, const char *path,
                      const struct cc_words *kernels, char **path_out)
{
    struct cc_words argv = {0};

    cc_word(&argv, "objcopy");
    for (size_t i = 0; i < kernels->n; i++) {
        uint32_t sym = cc_elf_find(e, kernels->at[i]);

        if (sym && cc_elf_is_local(e, sym))
            cc_wordf(&argv, "--globalize-symbol=%s", kernels->at[i]);
    }
    if (argv.n == 1) {
        *path_out = cc_fmt("%s", path);
        return true;
    }
    *path_out = cc_fmt("%s.g.o", path);
    cc_word(&argv, path);
    cc_word(&argv, *path_out);
    return cc_do(m->in->run, &argv);
}

/* ---- a device copy ---- */

/* Also the names of groups: they may be local symbols (the D5 of a destructor's aliases), and the
 * linker keeps one group of each name. */
static void isolate_names(const struct merge *m, int side, struct cc_elf *e)
{
    for (uint32_t i = 1; i < e->n_sym; i++) {
        bool global = cc_elf_is_defined(e, i) && !cc_elf_is_local(e, i);
        char *name;

        if (!global && !cc_elf_names_group(e, i))
            continue;
        name = device_name(m, side, cc_elf_name(e, i));
        cc_elf_rename(e, i, name);
        if (global)
            cc_elf_set_visibility(e, i, STV_HIDDEN);
        free(name);
    }
}

static bool rewrite_file(const char *from, const char *to, const struct merge *m, int side)
{
    struct cc_elf e;
    bool ok = cc_elf_open(&e, from);

    if (ok) {
        if (side < 0)
            cc_elf_drop_constructors(&e);
        else
            isolate_names(m, side, &e);
        ok = cc_elf_save(&e, to);
    }
    cc_elf_finish(&e);
    return ok;
}

static bool isolate(struct merge *m, int side, const char *path)
{
    struct cc_words argv = {0}, roots = {0};
    char *seen, *bare = cc_fmt("%s/%c1.o", m->in->dir, SIDE[side]);
    char *kept = cc_fmt("%s/%c2.o", m->in->dir, SIDE[side]);
    char *own = cc_fmt("%s/%c3.o", m->in->dir, SIDE[side]);

    cc_words_join(&roots, &m->kernels[side]);
    for (size_t i = 0; i < m->flats[side].n; i++)
        if (*m->flats[side].at[i])
            cc_word(&roots, m->flats[side].at[i]);
    if (!globalize(m, &m->side[side], path, &roots, &seen) || !rewrite_file(seen, bare, m, -1))
        return false;
    cc_word(&argv, "ld");
    cc_word(&argv, "-r");
    cc_word(&argv, "--gc-sections");
    for (size_t i = 0; i < roots.n; i++)
        cc_wordf(&argv, "--undefined=%s", roots.at[i]);
    cc_word(&argv, "-o");
    cc_word(&argv, kept);
    cc_word(&argv, bare);
    if (!cc_do(m->in->run, &argv) || !rewrite_file(kept, own, m, side))
        return false;
    cc_word(&m->link, own);
    return true;
}

/* ---- the host object ---- */

/* _Z..20nputwin_s_add_customjPvS_Ph -> _Z..10add_customjPvS_Ph: substitutions stay valid. NULL: no
 * stub. */
static char *stub_name(const char *name)
{
    static const char MARK[] = "nputwin_s_";
    const char *mark = strstr(name, MARK), *digits = mark;

    if (!mark || strncmp(name, "_Z", 2) != 0 || name[2] == 'Z')
        return NULL;
    while (digits > name && isdigit((unsigned char)digits[-1]))
        digits--;
    return cc_fmt("%.*s%ld%s", (int)(digits - name), name,
                  strtol(digits, NULL, 10) - (long)(sizeof MARK - 1), mark + sizeof MARK - 1);
}

/* A function of the C or maths library: a kernel exp must not take the place of exp(). */
static bool is_libc_name(const char *name)
{
    static void *maths;

    if (!maths)
        maths = dlopen("libm.so.6", RTLD_LAZY);
    return dlsym(RTLD_DEFAULT, name) || (maths && dlsym(maths, name));
}

/* nputwin_c_<id>_<kernel> -> <kernel>, for the first kernel of that name. */
static char *c_stub_name(const struct cc_rewritten *text, const char *name)
{
    char *rest;
    unsigned long id = strtoul(name + sizeof "nputwin_c_" - 1, &rest, 10);

    if (*rest != '_' || id >= text->n_kernels || is_libc_name(rest + 1))
        return NULL;
    for (unsigned i = 0; i < id; i++)
        if (text->kernel[i].is_def && !text->kernel[i].is_template && !text->kernel[i].is_static &&
            !strcmp(text->kernel[i].name, text->kernel[id].name))
            return NULL;
    return cc_fmt("%s", rest + 1);
}

static bool is_c_kernel(const struct cc_rewritten *text, const char *name)
{
    for (unsigned i = 0; i < text->n_kernels; i++)
        if (text->kernel[i].is_c && !strcmp(text->kernel[i].name, name))
            return true;
    return false;
}

/* What a symbol of the host object is called in the end; NULL: as it is. */
static char *final_name(const struct merge *m, const char *name, bool is_static_kernel)
{
    if (is_static_kernel)
        return cc_fmt("%skey$%s", m->in->tag, name);
    if (is_c_kernel(m->in->text, name))
        return cc_fmt("nputwin_key$%s", name);
    if (!strcmp(name, "nputwin_rows") || !strcmp(name, "nputwin_n_rows"))
        return cc_fmt("%s%s", m->in->tag, name);
    if (!strncmp(name, "nputwin_c_", 10))
        return c_stub_name(m->in->text, name);
    return stub_name(name);
}

static bool is_static_kernel(const struct merge *m, const char *name)
{
    uint32_t sym =
        has(&m->kernels[0], name) || has(&m->kernels[1], name) ? cc_elf_find(&m->host, name) : 0;

    return sym && cc_elf_is_local(&m->host, sym);
}

static char *key_of(const struct merge *m, const char *kernel)
{
    char *name = final_name(m, kernel, is_static_kernel(m, kernel));

    return name ? name : cc_fmt("%s", kernel);
}

static bool finish_host(struct merge *m)
{
    char *seen, *out = cc_fmt("%s/h1.o", m->in->dir);
    struct cc_words all = {0};
    struct cc_elf e;
    bool ok;

    cc_words_join(&all, &m->kernels[0]);
    cc_words_join(&all, &m->kernels[1]);
    if (!globalize(m, &m->host, m->in->host, &all, &seen) || !cc_elf_open(&e, seen))
        return false;
    for (uint32_t i = 1; i < e.n_sym; i++) {
        char *old, *name;
        bool kernel;

        if (cc_elf_is_local(&e, i))
            continue;
        old = cc_fmt("%s", cc_elf_name(&e, i));
        kernel = has(&all, old);
        name = final_name(m, old, kernel && is_static_kernel(m, old));
        if (name)
            cc_elf_rename(&e, i, name);
        /* Another library may have a kernel of the same name: neither must take the other's key. */
        if (kernel && cc_elf_is_defined(&e, i))
            cc_elf_set_visibility(&e, i, is_static_kernel(m, old) ? STV_HIDDEN : STV_PROTECTED);
        free(old);
        free(name);
    }
    ok = cc_elf_save(&e, out);
    cc_elf_finish(&e);
    cc_word(&m->link, out);
    return ok;
}

/* ---- the table ---- */

/* Names as people write them, one a line; a C kernel's is what it is. */
static bool demangle(const struct merge *m, const struct cc_words *symbols, struct cc_text *names)
{
    char *in = cc_fmt("%s/names", m->in->dir), *out = cc_fmt("%s/names.out", m->in->dir);
    struct cc_words argv = {0};
    struct cc_text t = {0};
    bool mangled = false;

    cc_add(&t, "", 0);
    for (size_t i = 0; i < symbols->n; i++) {
        cc_addf(&t, "%s\n", symbols->at[i]);
        mangled |= !strncmp(symbols->at[i], "_Z", 2);
    }
    if (!mangled) {
        *names = t;
        return true;
    }
    if (!cc_write(in, t.s, t.size))
        return cc_error("cannot write %s", in);
    cc_word(&argv, "c++filt");
    cc_word(&argv, "-p");
    cc_wordf(&argv, "@%s", in);
    return cc_wait(cc_start(m->in->run, &argv, out, NULL)) && cc_read(out, names);
}

static void add_pointer(const struct merge *m, struct cc_text *t, int side, bool runs,
                        const char *kernel)
{
    int copy = side == 1 && !m->in->aic ? 0 : side; /* one text serves both sorts */
    char *name = device_name(m, copy, kernel);

    if (runs && has(&m->kernels[copy], kernel))
        cc_addf(t, "\t.quad \"%s\"\n", name);
    else
        cc_adds(t, "\t.quad 0\n");
    free(name);
}

static void add_params(const struct merge *m, struct cc_text *t, const char *kernel)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < m->kernels[side].n; i++)
            if (!strcmp(m->kernels[side].at[i], kernel) && *m->flats[side].at[i]) {
                char *name = device_name(m, side, m->flats[side].at[i]);

                cc_addf(t, "\t.quad \"%s\"\n", name);
                free(name);
                return;
            }
    cc_adds(t, "\t.quad 0\n");
}

/* struct nputwin_keyed and what it points to, behind the rows. */
static void add_keys(struct cc_text *t, size_t n, const struct cc_kinds *k)
{
    if (!k->n)
        return;
    cc_addf(t, "\t.balign 8\n.Lkeyed%zu:\t.long %zu, %d\n\t.quad .Lkeys%zu\n.Lkeys%zu:\n", n, k->n,
            (int)k->is_said, n, n);
    for (size_t i = 0; i < k->n; i++)
        cc_addf(t, "\t.quad %llu\n\t.long %d, 0\n", (unsigned long long)k->at[i].key,
                (int)k->at[i].kind);
}

static bool add_row(const struct merge *m, struct cc_text *t, struct cc_text *behind, size_t n,
                    const char *kernel)
{
    struct cc_kinds k;
    const bool ok = cc_kinds_of(&k, &m->side[0], m->in->aic ? &m->side[1] : NULL, kernel);
    char *key = key_of(m, kernel);

    cc_addf(t, "\t.quad \"%s\"\n", key);
    add_pointer(m, t, 0, cc_kinds_use(&k, false), kernel);
    add_pointer(m, t, 1, cc_kinds_use(&k, true), kernel);
    cc_addf(t, "\t.quad .Lname%zu\n\t.long %d, %d\n\t.quad .Lsymbol%zu\n", n, (int)k.kind,
            m->in->arch, n);
    add_params(m, t, kernel);
    if (k.n)
        cc_addf(t, "\t.quad .Lkeyed%zu\n", n);
    else
        cc_adds(t, "\t.quad 0\n");
    add_keys(behind, n, &k);
    free(k.at);
    free(key);
    return ok;
}

static void begin_data(struct cc_text *t, const char *section, const char *tag, const char *name)
{
    cc_addf(t, "\t.section %s\n\t.balign 8\n\t.globl %s%s\n\t.hidden %s%s\n%s%s:\n", section, tag,
            name, tag, name, tag, name);
}

/* Layout of struct nputwin_kernel (engine/kernel.h, version 3). NULL: printed. */
static char *table(const struct merge *m, const struct cc_words *rows, struct cc_text *names)
{
    struct cc_text t = {0}, behind = {0};
    char *save = NULL, *name = names->s ? strtok_r(names->s, "\n", &save) : NULL;
    bool ok = true;

    begin_data(&t, ".data.rel.ro.nputwin,\"aw\"", m->in->tag, "nputwin_rows");
    cc_adds(&behind, "");
    for (size_t i = 0; i < rows->n; i++)
        ok &= add_row(m, &t, &behind, i, rows->at[i]);
    cc_adds(&t, "\t.quad 0\n"); /* no empty section */
    cc_adds(&t, behind.s);
    free(behind.s);
    begin_data(&t, ".rodata.nputwin,\"a\"", m->in->tag, "nputwin_n_rows");
    cc_addf(&t, "\t.long %zu\n", rows->n);
    for (size_t i = 0; i < rows->n; i++) {
        cc_addf(&t, ".Lname%zu:\t.string \"%s\"\n.Lsymbol%zu:\t.string \"%s\"\n", i,
                name ? name : rows->at[i], i, rows->at[i]);
        name = name ? strtok_r(NULL, "\n", &save) : NULL;
    }
    cc_adds(&t, "\t.section .note.GNU-stack,\"\",%progbits\n");
    if (ok)
        return t.s;
    free(t.s);
    return NULL;
}

static bool make_table(struct merge *m)
{
    char *source = cc_fmt("%s/table.s", m->in->dir), *object = cc_fmt("%s/table.o", m->in->dir),
         *text;
    struct cc_words rows = {0}, argv = {0};
    struct cc_text names = {0};

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < m->kernels[side].n; i++)
            if (!has(&rows, m->kernels[side].at[i]) &&
                cc_elf_find(&m->host, m->kernels[side].at[i]))
                cc_word(&rows, m->kernels[side].at[i]);
    if (!demangle(m, &rows, &names))
        return false;
    text = table(m, &rows, &names);
    if (!text)
        return false;
    if (!cc_write(source, text, strlen(text)))
        return cc_error("cannot write %s", source);
    cc_word(&argv, "as");
    cc_word(&argv, "-o");
    cc_word(&argv, object);
    cc_word(&argv, source);
    cc_word(&m->link, object);
    return cc_do(m->in->run, &argv);
}

bool cc_merge(const struct cc_merge *in)
{
    struct merge m = {.in = in};
    const char *paths[2] = {in->aiv, in->aic};
    struct cc_words argv = {0};
    bool ok = cc_elf_open(&m.host, in->host);

    for (int side = 0; ok && side < 2 && paths[side]; side++) {
        ok = cc_elf_open(&m.side[side], paths[side]);
        if (ok)
            find_kernels(&m.side[side], &m.kernels[side], &m.flats[side]);
    }
    ok = ok && finish_host(&m);
    for (int side = 0; ok && side < 2 && paths[side]; side++)
        if (m.kernels[side].n)
            ok = isolate(&m, side, paths[side]);
    ok = ok && (!in->text->registers || make_table(&m));
    cc_word(&argv, "ld");
    cc_word(&argv, "-r");
    cc_word(&argv, "-o");
    cc_word(&argv, in->out);
    cc_words_join(&argv, &m.link);
    ok = ok && cc_do(in->run, &argv);
    cc_elf_finish(&m.host);
    cc_elf_finish(&m.side[0]);
    cc_elf_finish(&m.side[1]);
    return ok;
}
