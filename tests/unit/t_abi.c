/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_abi.c - every row of rt/abi.def is in its library, and nothing else is.
 *
 * The library's own dynamic symbol table is read, so a name that slipped out is found as well.
 */
#include "rt_test.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

static const struct row {
    const char *lib, *symbol;
} rows[] = {
#define ABI(lib, symbol, level, brief) {#lib, #symbol},
#include "../../rt/abi.def"
};
enum { N_ABI_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* From the folder of libascendcl.so: under the address sanitizer dlopen() knows no run path. */
static void *open_lib(const char *lib)
{
    char name[4096];
    Dl_info here;
    void *h;

    assert_true(dladdr((void *)(uintptr_t)aclInit, &here));
    snprintf(name, sizeof(name), "%.*s/lib%s.so",
             (int)(strrchr(here.dli_fname, '/') - here.dli_fname), here.dli_fname, lib);
    h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!h)
        fail_msg("%s", dlerror());
    return h;
}

static const ElfW(Dyn) * dynamic(const struct link_map *map, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = map->l_ld;

    while (d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d->d_tag == tag ? d : NULL;
}

static const char *soname(const struct link_map *map)
{
    const ElfW(Dyn) *name = dynamic(map, DT_SONAME), *strings = dynamic(map, DT_STRTAB);

    return name && strings ? (const char *)strings->d_un.d_ptr + name->d_un.d_val : "";
}

static struct link_map *map_of(void *h)
{
    struct link_map *map;

    assert_int_equal(dlinfo(h, RTLD_DI_LINKMAP, &map), 0);
    return map;
}

static void test_rows_are_exported(void **state)
{
    (void)state;
    for (int i = 0; i < N_ABI_ROWS; i++) {
        void *h = open_lib(rows[i].lib), *p;
        char want[128];
        Dl_info info;

        snprintf(want, sizeof(want), "lib%s.so", rows[i].lib);
        assert_string_equal(soname(map_of(h)), want);
        if (strcmp(rows[i].symbol, "-")) {
            p = dlsym(h, rows[i].symbol);
            if (!p || !dladdr(p, &info) || !strstr(info.dli_fname, want))
                fail_msg("%s is not in %s", rows[i].symbol, want);
        }
        dlclose(h);
    }
}

static bool is_row(const char *lib, const char *symbol)
{
    for (int i = 0; i < N_ABI_ROWS; i++) {
        if (!strcmp(rows[i].lib, lib) && !strcmp(rows[i].symbol, symbol))
            return true;
    }
    return !strncmp(symbol, "npu_", 4) && !strcmp(lib, "ascendc_runtime");
}

/* How many symbols the table has: DT_HASH knows; with DT_GNU_HASH the string table starts behind
 * it. */
static size_t n_symbols(const struct link_map *map, const ElfW(Sym) * table)
{
    const ElfW(Dyn) *strings = dynamic(map, DT_STRTAB);

    return ((uintptr_t)strings->d_un.d_ptr - (uintptr_t)table) / sizeof(*table);
}

static void check_exports(const char *lib)
{
    void *h = open_lib(lib);
    const struct link_map *map = map_of(h);
    const ElfW(Sym) *table = (const void *)dynamic(map, DT_SYMTAB)->d_un.d_ptr;
    const char *strings = (const void *)dynamic(map, DT_STRTAB)->d_un.d_ptr;
    size_t n = n_symbols(map, table);

    assert_true(n > 0 && n < 100000);
    for (size_t i = 1; i < n; i++) {
        const char *name = strings + table[i].st_name;

        if (table[i].st_shndx == SHN_UNDEF || ELF64_ST_BIND(table[i].st_info) == STB_LOCAL)
            continue;
        if (!is_row(lib, name))
            fail_msg("lib%s.so exports %s, which is no row of abi.def", lib, name);
    }
    dlclose(h);
}

static void test_nothing_else_is_exported(void **state)
{
    (void)state;
    for (int i = 0; i < N_ABI_ROWS; i++) {
        if (i == 0 || strcmp(rows[i].lib, rows[i - 1].lib))
            check_exports(rows[i].lib);
    }
}

/* torch_npu asks this library for names that live in libascendcl.so. */
static void test_op_compiler_leads_to_ascendcl(void **state)
{
    void *h = open_lib("acl_op_compiler");

    (void)state;
    assert_non_null(dlsym(h, "aclrtGetSysParamOpt"));
    assert_non_null(dlsym(h, "aclrtCtxSetSysParamOpt"));
    dlclose(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_exported),
        cmocka_unit_test(test_nothing_else_is_exported),
        cmocka_unit_test(test_op_compiler_leads_to_ascendcl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
