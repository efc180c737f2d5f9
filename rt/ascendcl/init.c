/* SPDX-License-Identifier: Apache-2.0 */
/* init.c - aclInit and aclFinalize. The core counts: the runtime is
 * ready when it is loaded, and libascendcl.so and libacl_rt.so are two doors to it. */
#include "cl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a configuration file may say, without white space. torch_npu passes both members: dumps when
 * a kernel fails (here its story is in aclGetRecentErrMsg), and the device of threads that set
 * none. */
static const char dump_member[] = "\"dump\":{\"dump_scene\":\"lite_exception\"}";
static const char device_member[] = "\"defaultDevice\":{\"default_device\":\"";

static void read_packed(FILE *f, char *text, size_t max)
{
    size_t n = 0;
    int c;

    while ((c = fgetc(f)) != EOF && n + 1 < max) {
        if (!isspace(c))
            text[n++] = (char)c;
    }
    text[n] = '\0';
}

static bool starts(const char **at, const char *text)
{
    size_t n = strlen(text);

    if (strncmp(*at, text, n))
        return false;
    *at += n;
    return true;
}

static bool take_member(const char **at)
{
    char *end;
    long device;

    if (starts(at, dump_member))
        return true;
    if (!starts(at, device_member))
        return false;
    device = strtol(*at, &end, 10);
    if (end == *at || npu_rt_set_default_device((int)device))
        return false;
    *at = end;
    return starts(at, "\"}");
}

static bool take_config(const char *text)
{
    const char *at = text;

    if (!*text || !strcmp(text, "{}"))
        return true;
    if (!starts(&at, "{"))
        return false;
    do {
        if (!take_member(&at))
            return false;
    } while (starts(&at, ","));
    return !strcmp(at, "}");
}

static int read_config(const char *path)
{
    char text[512];
    FILE *f;

    if (!path || !*path)
        return ACL_SUCCESS;
    f = fopen(path, "re");
    if (!f)
        return npu_rt_fail(ACL_ERROR_INVALID_FILE, "aclInit: %s cannot be read", path);
    read_packed(f, text, sizeof(text));
    fclose(f);
    if (take_config(text))
        return ACL_SUCCESS;
    return npu_rt_fail(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "aclInit: %s asks for settings (dump, profiling, ...) that this software NPU "
        "does not have: pass NULL or a file with {}: %s",
        path, text);
}

aclError aclInit(const char *configPath)
{
    int rc = read_config(configPath);

    if (rc)
        return rc;
    if (npu_rt_count_init() > 1)
        return npu_rt_fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called before in this process");
    if (npu_rt_log_is_on(LOG_OF_ACL, NPU_LOG_EVENT))
        npu_rt_log(LOG_OF_ACL, NPU_LOG_EVENT, __func__, NULL, 0, "%s, %d devices",
                   npu_rt_soc() ? npu_rt_soc()->name : "unknown chip", npu_rt_device_count());
    return ACL_SUCCESS;
}

aclError aclFinalize(void)
{
    if (npu_rt_end_inits(true, NULL))
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_REPEAT_FINALIZE,
                       "aclFinalize: aclInit was not called, or this was");
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    if (npu_rt_end_inits(false, refCount))
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalizeReference: aclInit was not called");
}

const char *aclGetRecentErrMsg(void)
{
    return npu_rt_take_report();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? npu_rt_last_error(false) : ACL_ERROR_RT_PARAM_INVALID;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? npu_rt_last_error(true) : ACL_ERROR_RT_PARAM_INVALID;
}
