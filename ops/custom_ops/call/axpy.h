/* SPDX-License-Identifier: Apache-2.0 */
/* axpy.h - one call of AxpyCustom on device memory, by whatever way its two functions were found.
 */
#ifndef AXPY_H
#define AXPY_H
#include "aclnn_axpy_custom.h"
#include <acl/acl.h>
#include <stdio.h>
#include <stdlib.h>

typedef aclnnStatus size_fn(const aclTensor *x, const aclTensor *y, double alpha,
                            const aclTensor *z, uint64_t *bytes, aclOpExecutor **executor);
typedef aclnnStatus run_fn(void *workspace, uint64_t bytes, aclOpExecutor *executor,
                           aclrtStream stream);

enum { N = 5000 };

static inline void need(int rc, const char *what)
{
    const char *text;

    if (!rc)
        return;
    text = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %d: %s\n", what, rc, text ? text : "");
    exit(1);
}

/* x = i, y = 1, alpha = 0.5. Returns how many elements of z are wrong. */
static inline int axpy_wrong(size_fn *size, run_fn *run)
{
    static float x[N], y[N], z[N];
    const int64_t shape[] = {N};
    void *memory[3], *workspace = NULL;
    aclTensor *t[3];
    aclOpExecutor *executor;
    aclrtStream stream;
    uint64_t bytes;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    need(aclrtSetDevice(0), "aclrtSetDevice");
    need(aclrtCreateStream(&stream), "aclrtCreateStream");
    for (int i = 0; i < 3; i++) {
        need(aclrtMalloc(&memory[i], sizeof x, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        t[i] = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, memory[i]);
    }
    need(aclrtMemcpy(memory[0], sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE), "copy x");
    need(aclrtMemcpy(memory[1], sizeof y, y, sizeof y, ACL_MEMCPY_HOST_TO_DEVICE), "copy y");
    need(size(t[0], t[1], 0.5, t[2], &bytes, &executor), "aclnnAxpyCustomGetWorkspaceSize");
    if (bytes)
        need(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    need(run(workspace, bytes, executor, stream), "aclnnAxpyCustom");
    need(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    need(aclrtMemcpy(z, sizeof z, memory[2], sizeof z, ACL_MEMCPY_DEVICE_TO_HOST), "copy z");
    for (int i = 0; i < N; i++)
        wrong += z[i] != 0.5f * (float)i + 1.0f;
    for (int i = 0; i < 3; i++) {
        need(aclDestroyTensor(t[i]), "aclDestroyTensor");
        need(aclrtFree(memory[i]), "aclrtFree");
    }
    if (workspace)
        need(aclrtFree(workspace), "aclrtFree");
    need(aclrtDestroyStream(stream), "aclrtDestroyStream");
    return wrong;
}

#endif
