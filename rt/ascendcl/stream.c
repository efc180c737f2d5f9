/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - streams, events, values and host functions: thin doors to the core's queues. */
#include "cl.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- streams ------------------------------------------------------------------------- */

enum { LEAST_PRIORITY = 7, GREATEST_PRIORITY = 0 };

aclError aclrtCreateStream(aclrtStream *stream)
{
    return aclrtCreateStreamWithConfig(stream, 0, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    NEED(stream);
    if (priority > LEAST_PRIORITY)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtCreateStreamWithConfig: priority %u, 0 to "
                           "%d exist",
                           priority, LEAST_PRIORITY);
    return npu_rt_stream_create((struct npu_stream **)stream, priority, flag);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return npu_rt_stream_destroy(stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return npu_rt_stream_destroy(stream, true);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return npu_rt_stream_synchronize(stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms)
{
    return npu_rt_stream_synchronize(stream, timeout_ms);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    bool idle = false;
    int rc;

    NEED(status);
    rc = npu_rt_stream_query(stream, &idle);
    *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return rc;
}

/* Checks the handle of a question about a stream. */
static struct npu_stream *asked(aclrtStream stream, const void *out, const char *who)
{
    if (out)
        return npu_rt_stream(stream, who);
    npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the pointer for the result is NULL", who);
    return NULL;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *id)
{
    struct npu_stream *s = asked(stream, id, "aclrtStreamGetId");

    if (!s)
        return npu_rt_last_error(false);
    *id = (int32_t)npu_rt_stream_id(s);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    struct npu_stream *s = asked(stream, priority, "aclrtStreamGetPriority");

    if (!s)
        return npu_rt_last_error(false);
    *priority = npu_rt_stream_priority(s);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    struct npu_stream *s = asked(stream, flags, "aclrtStreamGetFlags");

    if (!s)
        return npu_rt_last_error(false);
    *flags = npu_rt_stream_flags(s);
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *least, int32_t *greatest)
{
    NEED(least);
    NEED(greatest);
    *least = LEAST_PRIORITY;
    *greatest = GREATEST_PRIORITY;
    return ACL_SUCCESS;
}

static int set_attr(aclrtStream stream, uint32_t attr, uint64_t value, const char *who)
{
    struct npu_stream *s = npu_rt_stream(stream, who);

    return s ? npu_rt_stream_set_attr(s, attr, value) : npu_rt_last_error(false);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    if (mode > ACL_STOP_ON_FAILURE)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtSetStreamFailureMode: mode %llu, 0 or 1 is "
                           "allowed",
                           (unsigned long long)mode);
    return set_attr(stream, ACL_STREAM_ATTR_FAILURE_MODE, mode, "aclrtSetStreamFailureMode");
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    if (flag)
        return npu_rt_refuse("aclrtSetStreamOverflowSwitch(1)",
                             "overflows are not counted; look for inf and nan in the result");
    return set_attr(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, 0,
                    "aclrtSetStreamOverflowSwitch");
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    struct npu_stream *s = asked(stream, flag, "aclrtGetStreamOverflowSwitch");

    if (!s)
        return npu_rt_last_error(false);
    *flag = 0;
    return ACL_SUCCESS;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr attr,
                                 aclrtStreamAttrValue *value)
{
    NEED(value);
    if (attr == ACL_STREAM_ATTR_FAILURE_MODE)
        return aclrtSetStreamFailureMode(stream, value->failureMode);
    if (attr == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
        return aclrtSetStreamOverflowSwitch(stream, value->overflowSwitch);
    return set_attr(stream, (uint32_t)attr, value->userCustomTag, "aclrtSetStreamAttribute");
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr attr,
                                 aclrtStreamAttrValue *value)
{
    struct npu_stream *s = asked(stream, value, "aclrtGetStreamAttribute");
    uint64_t got;
    int rc;

    if (!s)
        return npu_rt_last_error(false);
    rc = npu_rt_stream_get_attr(s, (uint32_t)attr, &got);
    if (!rc)
        value->failureMode = got;
    return rc;
}

/* ---- events -------------------------------------------------------------------------- */

/* 0 means for ever */
aclError aclrtSetOpWaitTimeout(uint32_t seconds)
{
    npu_rt_set_setting(SETTING_WAIT_LIMIT_MS, seconds ? (int64_t)seconds * 1000 : -1);
    return ACL_SUCCESS;
}

static int create_event(aclrtEvent *event, uint32_t flag, uint32_t kind)
{
    const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                           ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY;

    NEED(event);
    if (flag & ACL_EVENT_IPC)
        return npu_rt_refuse("ACL_EVENT_IPC", "events stay in their process");
    if (flag == ACL_EVENT_EXTERNAL && kind != EVENT_EX)
        return npu_rt_event_create((struct npu_event **)event, flag);
    if (!flag || flag & ~known)
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtCreateEvent: flag 0x%x, a mix of 0x%x is "
                           "allowed",
                           flag, known);
    return npu_rt_event_create((struct npu_event **)event, flag | kind);
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return create_event(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, 0);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(event, flag, 0);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(event, flag, EVENT_EX);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    return npu_rt_event_destroy(event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return npu_rt_event_record(event, stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    return npu_rt_event_reset(event, stream);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return npu_rt_event_wait(stream, event, npu_rt_setting(SETTING_WAIT_LIMIT_MS));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout_ms)
{
    return npu_rt_event_wait(stream, event, timeout_ms > 0 ? timeout_ms : -1);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    bool recorded = false, waits_done = false;
    int rc;

    NEED(status);
    rc = npu_rt_event_query(event, &recorded, &waits_done);
    *status = recorded ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return rc;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    bool recorded = false, waits_done = false;
    int rc;

    NEED(status);
    rc = npu_rt_event_query(event, &recorded, &waits_done);
    *status = recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return rc;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    bool recorded = false, waits_done = false;
    int rc;

    NEED(status);
    rc = npu_rt_event_query(event, &recorded, &waits_done);
    *status = waits_done ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return rc;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return npu_rt_event_synchronize(event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout_ms)
{
    return npu_rt_event_synchronize(event, timeout_ms);
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end)
{
    uint64_t from, to;
    int rc;

    NEED(ms);
    rc = npu_rt_event_time(start, &from, "aclrtEventElapsedTime");
    if (!rc)
        rc = npu_rt_event_time(end, &to, "aclrtEventElapsedTime");
    if (rc)
        return rc;
    if (to < from)
        return npu_rt_fail(RT_EVENT_TIMESTAMP_REVERSAL, "aclrtEventElapsedTime: the end event was "
                                                        "reached before the start event");
    *ms = (float)((double)(to - from) / 1e6);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *us)
{
    uint64_t ns;
    int rc;

    NEED(us);
    rc = npu_rt_event_time(event, &ns, "aclrtEventGetTimestamp");
    if (!rc)
        *us = ns / 1000u;
    return rc;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *id)
{
    NEED(id);
    return npu_rt_event_id(event, id);
}

/* ---- values in memory ---------------------------------------------------------------- */

static int check_value(const void *addr, const char *who)
{
    struct npu_allocation a;

    if (!addr || (uintptr_t)addr % sizeof(uint64_t))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: address %p, a multiple of 8 is needed",
                           who, addr);
    if (!npu_rt_find(addr, &a))
        return npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: %p is not memory of aclrtMalloc or "
                           "aclrtMallocHost",
                           who, addr);
    return ACL_SUCCESS;
}

struct write {
    uint64_t *addr, value;
};

static int run_write(void *arg, struct npu_diag *story)
{
    const struct write *w = arg;

    (void)story;
    __atomic_store_n(w->addr, w->value, __ATOMIC_RELEASE);
    return ACL_SUCCESS;
}

static void *copy_write(const void *arg)
{
    struct write *w = malloc(sizeof(*w));

    if (w)
        *w = *(const struct write *)arg;
    return w;
}

aclError aclrtValueWrite(void *addr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    struct write w = {addr, value};
    int rc = check_value(addr, "aclrtValueWrite");

    if (!rc && flag)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtValueWrite: flag %u, must be 0", flag);
    return rc ? rc : npu_rt_enqueue(stream, "aclrtValueWrite", run_write, &w, copy_write, free);
}

aclError aclrtValueWait(void *addr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    int rc = check_value(addr, "aclrtValueWait");

    if (!rc && flag > ACL_STREAM_WAIT_VALUE_NOR)
        rc = npu_rt_fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtValueWait: flag %u, 0 to 3 exist", flag);
    return rc ? rc : npu_rt_stream_wait_value(stream, addr, value, flag);
}

/* ---- host functions ------------------------------------------------------------------ */

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    NEED(fn);
    return npu_rt_host_call(stream, fn, args);
}

aclError aclrtSubscribeReport(uint64_t thread, aclrtStream stream)
{
    return npu_rt_report_subscribe(thread, stream);
}

aclError aclrtUnSubscribeReport(uint64_t thread, aclrtStream stream)
{
    return npu_rt_report_unsubscribe(thread, stream);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType block,
                             aclrtStream stream)
{
    NEED(fn);
    return npu_rt_report_call(stream, fn, userData, block == ACL_CALLBACK_BLOCK);
}

aclError aclrtProcessReport(int32_t timeout_ms)
{
    return npu_rt_report_process(timeout_ms);
}
