/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_calls.c - small calls of libascendcl.so: settings that are kept, questions, objects,
 * batches. */
#include "rt_test.h"
#include "../../rt/acl_objects.h"
#include "acl/acl_op.h"

static void test_questions(void **state)
{
    int32_t major, minor, patch, pid, can, peers;
    const aclCannAttr *attrs;
    aclrtFloatOverflowMode mode;
    aclrtRunMode run;
    char version[ACL_PKG_VERSION_MAX_SIZE];
    size_t n, found = 9;

    (void)state;
    OK(aclrtGetVersion(&major, &minor, &patch));
    assert_int_equal(major, 1);
    OK(aclsysGetVersionStr(version, version));
    assert_string_equal(version, "8.5.0");
    OK(aclGetCannAttributeList(&attrs, &n));
    assert_int_equal(n, 2);
    OK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &can));
    assert_int_equal(can, 1);
    OK(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &can));
    assert_int_equal(can, 0);
    OK(aclrtGetRunMode(&run));
    assert_int_equal(run, ACL_HOST);
    OK(aclrtDeviceGetBareTgid(&pid));
    assert_int_equal(pid, getpid());
    OK(aclrtGetDeviceSatMode(&mode));
    assert_int_equal(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    OK(aclrtDevicePeerAccessStatus(0, 0, &peers));
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, "device 99", aclrtDeviceEnablePeerAccess(99, 0));
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, "device 99", aclrtDeviceDisablePeerAccess(99));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "neither", aclrtSetTsDevice((aclrtTsId)5));
    OK(aclrtGetMemUceInfo(0, NULL, 0, &found));
    assert_int_equal(found, 0);
}

static void test_settings_are_kept(void **state)
{
    aclrtStreamAttrValue value = {.userCustomTag = 77};
    uint32_t priority, flags, off = 9, event_id, ms;
    int32_t least, greatest, a_id, b_id;
    aclmdlRICaptureStatus capture;
    aclrtStream a, b, current;
    uint64_t actual;
    int64_t opt = 9;
    aclrtEvent e;

    (void)state;
    OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &opt));
    assert_int_equal(opt, 0);
    OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &opt));
    assert_int_equal(opt, 1);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "option 3", aclrtSetSysParamOpt((aclSysParamOpt)3, 1));
    OK(aclrtSetOpExecuteTimeOutV2(2500, &actual));
    OK(aclrtGetOpExecuteTimeout(&ms));
    assert_int_equal(ms, 2);
    OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    OK(aclrtCreateStreamWithConfig(&a, (uint32_t)least, ACL_STREAM_FAST_SYNC));
    OK(aclrtCreateStream(&b));
    OK(aclrtStreamGetPriority(a, &priority));
    OK(aclrtStreamGetFlags(a, &flags));
    assert_int_equal(priority, least);
    assert_int_equal(flags, ACL_STREAM_FAST_SYNC);
    OK(aclrtStreamGetId(a, &a_id));
    OK(aclrtStreamGetId(b, &b_id));
    assert_int_not_equal(a_id, b_id);
    OK(aclrtSetStreamAttribute(a, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    value.userCustomTag = 0;
    OK(aclrtGetStreamAttribute(a, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    assert_int_equal(value.userCustomTag, 77);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "mode 2", aclrtSetStreamFailureMode(a, 2));
    OK(aclrtGetStreamOverflowSwitch(a, &off));
    assert_int_equal(off, 0);
    OK(aclmdlRICaptureGetInfo(a, &capture, NULL));
    assert_int_equal(capture, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    OK(aclrtCtxGetCurrentDefaultStream(&current));
    OK(aclrtSynchronizeStream(current));
    OK(aclrtSynchronizeDeviceWithTimeout(1000));
    OK(aclrtSetOpWaitTimeout(1));
    OK(aclrtCreateEvent(&e));
    OK(aclrtGetEventId(e, &event_id));
    OK(aclrtStreamWaitEvent(b, e));
    FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "in vain", aclrtSynchronizeStream(b));
    OK(aclrtSetOpWaitTimeout(0));
    OK(aclrtResetDeviceForce(0));
    OK(aclrtSetDevice(0));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
}

static void test_memory_calls(void **state)
{
    uint8_t host[2][16] = {{1}, {2}}, back[2][16] = {{0}}, *d, *c, *pinned;
    size_t sizes[2] = {16, 16}, bad = 9;
    void *device, *dsts[2], *srcs[2] = {host[0], host[1]}, *backs[2] = {back[0], back[1]};

    (void)state;
    OK(aclrtMallocAlign32((void **)&d, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocCached((void **)&c, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost((void **)&pinned, 64));
    dsts[0] = d;
    dsts[1] = d + 32;
    OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, NULL, NULL, 0, &bad));
    OK(aclrtMemcpyBatchAsync(backs, sizes, dsts, sizes, 2, NULL, NULL, 0, &bad, NULL));
    OK(aclrtSynchronizeStream(NULL));
    assert_memory_equal(back, host, sizeof(host));
    sizes[1] = 64;
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "too many",
          aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, NULL, NULL, 0, &bad));
    assert_int_equal(bad, 1);
    OK(aclrtMemcpyAsyncWithCondition(c, 64, d, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
    assert_int_equal(c[0], 1);
    OK(aclrtMemsetD32Async(c, 64, 0x11223344, 16, NULL));
    assert_int_equal(c[63], 0x11);
    OK(aclrtHostGetDevicePointer(pinned, &device, 0));
    assert_ptr_equal(device, pinned);
    FAILS(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "not registered",
          aclrtHostGetDevicePointer(host, &device, 0));
    OK(aclrtMemFlush(d, 64));
    OK(aclrtMemInvalidate(d, 64));
    OK(aclrtCmoAsync(d, 64, ACL_RT_CMO_TYPE_PREFETCH, NULL));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "65 bytes", aclrtMemFlush(d, 65));
    OK(aclrtFreeWithDevSync(d));
    OK(aclrtFreeWithDevSync(c));
    OK(aclrtFreeHostWithDevSync(pinned));
}

static void test_objects(void **state)
{
    static const int64_t dims[] = {4, 5}, ints[] = {1, 2};
    static const float floats[] = {0.5f};
    static const uint8_t bools[] = {1, 0};
    static const aclDataType types[] = {ACL_BF16};
    const char *strings[] = {"a", "bc"};
    aclTensorDesc *d = aclCreateTensorDesc(ACL_INT64, 2, dims, ACL_FORMAT_NCHW);
    aclDataBuffer *b = aclCreateDataBuffer((void *)(uintptr_t)dims, 16);
    aclopAttr *a = aclopCreateAttr();

    (void)state;
    assert_ptr_equal(aclGetDataBufferAddr(b), dims);
    OK(aclUpdateDataBuffer(b, NULL, 8));
    assert_int_equal(aclGetDataBufferSize(b), 8);
    assert_int_equal(aclGetDataBufferSizeV2(b), 8);
    OK(aclDestroyDataBuffer(b));
    assert_int_equal(aclGetTensorDescType(d), ACL_INT64);
    assert_int_equal(aclGetTensorDescFormat(d), ACL_FORMAT_NCHW);
    assert_int_equal(aclGetTensorDescNumDims(d), 2);
    assert_int_equal(aclGetTensorDescElementCount(d), 20);
    assert_int_equal(aclGetTensorDescDim(d, 0), 4);
    aclSetTensorDescName(d, "x");
    assert_string_equal(aclGetTensorDescName(d), "x");
    OK(aclSetTensorFormat(d, ACL_FORMAT_ND));
    OK(aclSetTensorShape(d, 1, dims));
    OK(aclSetTensorPlaceMent(d, ACL_MEMTYPE_HOST));
    OK(aclSetTensorDynamicInput(d, "xs"));
    assert_int_equal(d->storage_shape.dims[0], 4);
    assert_int_equal(d->placement, ACL_MEMTYPE_HOST);
    aclDestroyTensorDesc(d);
    OK(aclopSetAttrBool(a, "b", 1));
    OK(aclopSetAttrFloat(a, "f", 0.25f));
    OK(aclopSetAttrDataType(a, "t", ACL_INT8));
    OK(aclopSetAttrListBool(a, "lb", 2, bools));
    OK(aclopSetAttrListInt(a, "li", 2, ints));
    OK(aclopSetAttrListFloat(a, "lf", 1, floats));
    OK(aclopSetAttrListDataType(a, "lt", 1, types));
    OK(aclopSetAttrListString(a, "ls", 2, strings));
    assert_int_equal(npu_attr_find(a, "t")->ints[0], ACL_INT8);
    assert_int_equal(npu_attr_find(a, "lt")->ints[0], ACL_BF16);
    assert_true(npu_attr_find(a, "f")->floats[0] == 0.25f);
    assert_string_equal(npu_attr_find(a, "ls")->strings[1], "bc");
    FAILS(ACL_ERROR_INVALID_PARAM, "is NULL", aclopSetAttrInt(NULL, "x", 1));
    aclopDestroyAttr(a);
}

static void test_start_and_end(void **state)
{
    uint64_t left = 9;

    (void)state;
    FAILS(ACL_ERROR_REPEAT_FINALIZE, "aclInit was not called", aclFinalize());
    FAILS(ACL_ERROR_INVALID_FILE, "/nowhere", aclInit("/nowhere"));
    OK(aclInit(NULL));
    FAILS(ACL_ERROR_REPEAT_INITIALIZE, "before", aclInit(NULL));
    OK(aclFinalizeReference(&left));
    assert_int_equal(left, 1);
    OK(aclFinalize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),     cmocka_unit_test(test_settings_are_kept),
        cmocka_unit_test(test_memory_calls),  cmocka_unit_test(test_objects),
        cmocka_unit_test(test_start_and_end),
    };

    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
