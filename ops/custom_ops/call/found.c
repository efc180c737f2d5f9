/* SPDX-License-Identifier: Apache-2.0 */
/*
 * found.c - a program that finds the package as torch_npu does: each directory of
 * ASCEND_CUSTOM_OPP_PATH, then vendors/ in the order of config.ini, then libopapi.so.
 */
#include "axpy.h"
#include <dlfcn.h>
#include <string.h>

/* dir/op_api/lib/libcust_opapi.so, when it has the symbol. */
static void *look(const char *dir, const char *symbol)
{
    char path[4096];
    void *lib;

    snprintf(path, sizeof path, "%s/op_api/lib/libcust_opapi.so", dir);
    lib = dlopen(path, RTLD_LAZY);
    return lib ? dlsym(lib, symbol) : NULL;
}

/* word by word of list; prefix stands before each. */
static void *look_each(const char *list, const char *separators, const char *prefix,
                       const char *symbol)
{
    char copy[4096], dir[8192], *rest = copy;
    void *found = NULL;

    snprintf(copy, sizeof copy, "%s", list ? list : "");
    for (char *word = strtok_r(copy, separators, &rest); word && !found;
         word = strtok_r(NULL, separators, &rest)) {
        snprintf(dir, sizeof dir, "%s%s", prefix, word);
        found = look(dir, symbol);
    }
    return found;
}

static void *look_vendors(const char *opp, const char *symbol)
{
    static const char KEY[] = "load_priority=";
    char path[4096], line[1024] = "", prefix[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/vendors/config.ini", opp);
    file = fopen(path, "r");
    if (!file)
        return NULL;
    while (fgets(line, sizeof line, file) && strncmp(line, KEY, sizeof KEY - 1) != 0)
        line[0] = 0;
    fclose(file);
    snprintf(prefix, sizeof prefix, "%s/vendors/", opp);
    return line[0] ? look_each(line + sizeof KEY - 1, ",\n", prefix, symbol) : NULL;
}

static void *find(const char *symbol)
{
    const char *opp = getenv("ASCEND_OPP_PATH");
    void *opapi, *fn = look_each(getenv("ASCEND_CUSTOM_OPP_PATH"), ":", "", symbol);

    if (!fn && opp)
        fn = look_vendors(opp, symbol);
    if (fn)
        return fn;
    opapi = dlopen("libopapi.so", RTLD_LAZY);
    return opapi ? dlsym(opapi, symbol) : NULL;
}

int main(void)
{
    size_fn *size = (size_fn *)find("aclnnAxpyCustomGetWorkspaceSize");
    run_fn *run = (run_fn *)find("aclnnAxpyCustom");
    Dl_info where;
    int wrong;

    if (!size || !run) {
        fprintf(stderr, "aclnnAxpyCustom is in no installed package: run custom_opp_*.run\n");
        return 2;
    }
    wrong = axpy_wrong(size, run);
    dladdr((void *)run, &where);
    printf("found: %d of %d wrong, in %s\n", wrong, N, where.dli_fname);
    return wrong != 0;
}
