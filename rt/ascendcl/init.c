/* SPDX-License-Identifier: Apache-2.0 */
/* init.c - aclInit and aclFinalize. They only count: the runtime is ready when it is loaded. */
#include "cl.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t n_inits;

/* A configuration asks for things (dump, profiling) that are not there: only an empty one is taken. */
static int check_config(const char *path)
{
    char text[256] = "";
    FILE *f;
    size_t n;

    if (!path || !*path)
        return ACL_SUCCESS;
    f = fopen(path, "re");
    if (!f)
        return npu_rt_fail(ACL_ERROR_INVALID_FILE, "aclInit: %s cannot be read", path);
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    if (strspn(text, " \t\r\n{}") == n)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "aclInit: %s asks for settings (dump, profiling, ...) that this software NPU "
                       "does not have: pass NULL or a file with {}", path);
}

aclError aclInit(const char *configPath)
{
    int rc = check_config(configPath);

    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    if (n_inits++)
        rc = npu_rt_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called before in this process");
    pthread_mutex_unlock(&lock);
    return rc;
}

aclError aclFinalize(void)
{
    int rc = ACL_SUCCESS;

    pthread_mutex_lock(&lock);
    if (!n_inits)
        rc = npu_rt_fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: aclInit was not called, or this was");
    n_inits = 0;
    pthread_mutex_unlock(&lock);
    return rc;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    int rc = ACL_SUCCESS;

    pthread_mutex_lock(&lock);
    if (!n_inits)
        rc = npu_rt_fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalizeReference: aclInit was not called");
    else
        n_inits--;
    if (refCount)
        *refCount = n_inits;
    pthread_mutex_unlock(&lock);
    return rc;
}

const char *aclGetRecentErrMsg(void)
{
    return npu_rt_take_message();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? npu_rt_last_error(false) : ACL_ERROR_RT_PARAM_INVALID;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? npu_rt_last_error(true) : ACL_ERROR_RT_PARAM_INVALID;
}
