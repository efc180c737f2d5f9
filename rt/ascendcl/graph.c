/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - captured graphs (aclmdlRI): thin doors to the core's graph.c. */
#include "cl.h"

#include <inttypes.h>

/* ---- capture ------------------------------------------------------------------------- */

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    return npu_rt_capture_begin(stream, (uint32_t)mode);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    NEED(modelRI);
    return npu_rt_capture_end(stream, (struct npu_graph **)modelRI);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI)
{
    enum npu_capture_status now;
    struct npu_graph *graph;
    int rc;

    NEED(status);
    rc = npu_rt_capture_info(stream, &now, &graph);
    *status = (aclmdlRICaptureStatus)now;
    if (modelRI)
        *modelRI = graph;
    return rc;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    uint32_t value;
    int rc;

    NEED(mode);
    value = (uint32_t)*mode;
    rc = npu_rt_capture_exchange_mode(&value);
    if (!rc)
        *mode = (aclmdlRICaptureMode)value;
    return rc;
}

/* ---- execution and life -------------------------------------------------------------- */

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    return npu_rt_graph_execute(modelRI, stream);
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    struct npu_stream *s;
    int rc;

    if (!timeout || timeout < -1)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: timeout %" PRId32 "; -1 (for ever) or milliseconds are allowed",
                           __func__, timeout);
    rc = npu_rt_stream_create(&s, 0, 0);
    if (rc)
        return rc;
    rc = npu_rt_graph_execute(modelRI, s);
    if (!rc)
        rc = npu_rt_stream_synchronize(s, timeout);
    (void)npu_rt_stream_destroy(s, true); /* force: after a time-out the rest is dropped */
    return rc;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    return npu_rt_graph_destroy(modelRI);
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData)
{
    NEED(func);
    return npu_rt_graph_on_destroy(modelRI, func, userData);
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
    NEED(func);
    return npu_rt_graph_not_on_destroy(modelRI, func);
}

/* ---- description --------------------------------------------------------------------- */

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
    NEED(modelRIId);
    return npu_rt_graph_id(modelRI, modelRIId);
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
    NEED(name);
    return npu_rt_graph_set_name(modelRI, name);
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
    NEED(name);
    if (!maxLen)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: maxLen is 0", __func__);
    return npu_rt_graph_name(modelRI, name, maxLen);
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    return npu_rt_graph_log(modelRI);
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    NEED(path);
    if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags 0x%" PRIx32 "; 0 and 1 exist",
                           __func__, flags);
    return npu_rt_graph_write_json(modelRI, path, flags == ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE);
}

/* ---- task groups --------------------------------------------------------------------- */

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    return npu_rt_group_begin(stream);
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    NEED(handle);
    return npu_rt_group_end(stream, (struct npu_task_group **)handle);
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    return npu_rt_update_begin(stream, handle);
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    return npu_rt_update_end(stream);
}
