/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - two doors to one process, the text of a failure, and the log. */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>

static void *of_another_thread(void *arg)
{
    (void)arg;
    CHECK(aclGetRecentErrMsg() == NULL);
    return NULL;
}

int main(void)
{
    void *door = dlopen("libacl_rt.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(const char *) = NULL, (*set_wait)(uint32_t) = NULL,
                           (*get_opt)(int, int64_t *) = NULL;
    uint64_t left = 9;
    int64_t opt = 0;
    pthread_t t;

    CHECK(door != NULL);
    *(void **)&init = dlsym(door, "aclInit");
    *(void **)&set_wait = dlsym(door, "aclrtSetOpWaitTimeout");
    *(void **)&get_opt = dlsym(door, "aclrtGetSysParamOpt");
    OK(init(NULL));
    FAILS(100002, "called before", aclInit(NULL));
    OK(aclFinalizeReference(&left));
    CHECK(left == 1);
    OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(get_opt(ACL_OPT_DETERMINISTIC, &opt));
    CHECK(opt == 1);
    OK(set_wait(7));

    CHECK(aclrtSetDevice(-5) == 107001);
    pthread_create(&t, NULL, of_another_thread, NULL);
    pthread_join(t, NULL);
    fputs(aclGetRecentErrMsg(), stdout);
    CHECK(aclGetRecentErrMsg() == NULL);

    aclAppLog(ACL_DEBUG, "f", "x.c", 1, "at debug");
    aclAppLog(ACL_INFO, "f", "x.c", 2, "at info");
    aclAppLog(ACL_ERROR, "f", "x.c", 3, "number %d", 42);
    aclAppLog((aclLogLevel)9, "f", "x.c", 4, "no level");
    OK(aclFinalize());
    return ended("process");
}
