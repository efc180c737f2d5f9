/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - compile options of single operators: kept and read back.
 *
 * Nothing here compiles operators, so options change no result; one of them steers the caller:
 * JIT_COMPILE is "disable" from the start, which tells torch_npu to take the aclnn operators.
 */
#include "../core/core.h"

#include "acl/acl_op_compiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N_OPTIONS = ACL_OP_DEBUG_OPTION + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *values[N_OPTIONS]; /* NULL: the default */

static const char *value_of(aclCompileOpt opt)
{
    if (values[opt])
        return values[opt];
    return opt == ACL_OP_JIT_COMPILE ? "disable" : "";
}

static int check(aclCompileOpt opt, const void *p, const char *who)
{
    if ((uint32_t)opt >= N_OPTIONS) {
        npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: option %d does not exist, 0 to %d do", who,
                    (int)opt, N_OPTIONS - 1);
        return ACL_ERROR_INVALID_PARAM;
    }
    if (!p)
        return npu_rt_fail(ACL_ERROR_INVALID_PARAM, "%s: value is NULL", who);
    return ACL_SUCCESS;
}

aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    int rc = check(opt, value, "aclSetCompileopt");
    char *copy;

    if (rc)
        return rc;
    copy = strdup(value);
    if (!copy)
        return npu_rt_fail(ACL_ERROR_BAD_ALLOC, "aclSetCompileopt: out of memory");
    pthread_mutex_lock(&lock);
    free(values[opt]);
    values[opt] = copy;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

size_t aclGetCompileoptSize(aclCompileOpt opt)
{
    size_t bytes;

    if (check(opt, "", "aclGetCompileoptSize"))
        return 0;
    pthread_mutex_lock(&lock);
    bytes = strlen(value_of(opt)) + 1;
    pthread_mutex_unlock(&lock);
    return bytes;
}

aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length)
{
    int rc = check(opt, value, "aclGetCompileopt");
    size_t bytes;

    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    bytes = strlen(value_of(opt)) + 1;
    if (bytes <= length)
        memcpy(value, value_of(opt), bytes);
    pthread_mutex_unlock(&lock);
    if (bytes <= length)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_INVALID_PARAM,
                       "aclGetCompileopt: option %d needs %zu bytes, the buffer "
                       "has %zu",
                       (int)opt, bytes, length);
}
