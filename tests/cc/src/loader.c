/* SPDX-License-Identifier: Apache-2.0 */
/* Loads two libraries with equal names and runs both; with `local`, unloads one and loads it again.
 * (Not when they see each other's symbols: one then holds on to the other.) */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

uint32_t double_n_kernels(void);

static int scope = RTLD_GLOBAL;

static void *load(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | scope);

    if (!lib)
        printf("%s\n", dlerror());
    return lib;
}

static void run(void *lib, const char *name)
{
    void (*fn)(int *, int *) = NULL;
    int a = 0, b = 0;

    *(void **)&fn = dlsym(lib, name);
    fn(&a, &b);
    printf("%s %d %d of %u kernels\n", name, a, b, double_n_kernels());
}

int main(int argc, char **argv)
{
    void *one, *two;

    if (argc > 1 && !strcmp(argv[1], "local"))
        scope = RTLD_LOCAL;
    one = load("./libone.so");
    two = load("./libtwo.so");

    run(one, "run_one");
    run(two, "run_two");
    if (scope != RTLD_LOCAL)
        return 0;
    dlclose(one);
    printf("%u kernels left\n", double_n_kernels());
    run(two, "run_two");
    run(load("./libone.so"), "run_one");
    return 0;
}
