/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_device.c - devices, contexts, errors per thread, figures, objects. Starts itself again with
 * four devices of which three are visible. */
#include "rt_test.h"
#include "acl/acl_op_compiler.h"
#include "../../rt/acl_objects.h"
#include "securec.h"

#include <pthread.h>

static void test_no_device_at_first(void **state)
{
    int32_t device = 7;
    aclrtContext c;
    aclrtStream s;

    (void)state;
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice first", aclrtGetDevice(&device));
    assert_int_equal(device, 7);
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice first", aclrtGetCurrentContext(&c));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice first", aclrtCreateStream(&s));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice first", aclrtSynchronizeStream(NULL));
}

static void test_visible_devices(void **state)
{
    int32_t device;
    uint32_t n;

    (void)state;
    OK(aclrtGetDeviceCount(&n));
    assert_int_equal(n, 3);
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, "0 to 2", aclrtSetDevice(3));
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, "device -1", aclrtSetDevice(-1));
    OK(aclrtGetLogicDevIdByUserDevId(0, &device));
    assert_int_equal(device, 3);
    OK(aclrtGetUserDevIdByLogicDevId(1, &device));
    assert_int_equal(device, 2);
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, "not visible", aclrtGetUserDevIdByLogicDevId(2, &device));
    OK(aclrtDeviceCanAccessPeer(&device, 0, 1));
    assert_int_equal(device, 1);
}

static void *other_thread(void *arg)
{
    int32_t device;

    if (aclrtGetDevice(&device) != ACL_ERROR_RT_CONTEXT_NULL)
        return "another thread has a device without having set one";
    if (aclGetRecentErrMsg() == NULL || aclGetRecentErrMsg() != NULL)
        return "the text is not handed out exactly once";
    if (aclrtSetCurrentContext(arg) || aclrtGetDevice(&device) || device != 1)
        return "the context does not bring its device";
    return NULL;
}

static void test_threads_have_their_own(void **state)
{
    aclrtContext one;
    int32_t device;
    pthread_t t;
    void *wrong;

    (void)state;
    OK(aclrtSetDevice(1));
    OK(aclrtGetCurrentContext(&one));
    OK(aclrtSetDevice(0));
    assert_int_equal(aclrtSetDevice(9), ACL_ERROR_RT_INVALID_DEVICEID);
    pthread_create(&t, NULL, other_thread, one);
    pthread_join(t, &wrong);
    if (wrong)
        fail_msg("%s", (char *)wrong);
    assert_non_null(strstr(aclGetRecentErrMsg(), "EE1001"));
    assert_null(aclGetRecentErrMsg());
    OK(aclrtGetDevice(&device));
    assert_int_equal(device, 0);
}

static void test_contexts(void **state)
{
    int32_t device, active;
    aclrtContext c, primary;
    uint32_t flags;

    (void)state;
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&primary));
    OK(aclrtCreateContext(&c, 2));
    OK(aclrtGetDevice(&device));
    assert_int_equal(device, 2);
    OK(aclrtSynchronizeStream(NULL));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "aclrtResetDevice ends it", aclrtDestroyContext(primary));
    OK(aclrtDestroyContext(c));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "no living context", aclrtDestroyContext(c));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "no current device", aclrtGetDevice(&device));
    FAILS(ACL_ERROR_RT_CONTEXT_NULL, "no living context", aclrtSetCurrentContext(&flags));
    OK(aclrtSetCurrentContext(primary));
    OK(aclrtGetPrimaryCtxState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(aclrtResetDevice(0));
    OK(aclrtGetPrimaryCtxState(0, &flags, &active));
    assert_int_equal(active, 0);
    OK(aclrtSetDevice(0));
}

static int fails(void *arg, struct npu_diag *story)
{
    (void)arg;
    npu_fail(story, NPU_E_ASSERT, "the task says why");
    return 561000;
}

static void test_error_stays_on_its_device(void **state)
{
    aclrtStream a, b;

    (void)state;
    OK(aclrtSetDevice(1));
    OK(aclrtCreateStream(&b));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&a));
    FAILS(561000, "the task says why", npu_rt_enqueue(a, "fails", fails, NULL, NULL, NULL));
    FAILS(561000, "the task says why", aclrtSynchronizeStream(a));
    OK(aclrtSynchronizeStream(b));
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 561000);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtSynchronizeStream(a));
    OK(aclrtDestroyStream(a));
    OK(aclrtDestroyStream(b));
}

static void test_figures(void **state)
{
    aclCANNPackageVersion v;
    aclrtUuid u0, u1;
    int64_t value = -1;
    int32_t can;

    (void)state;
    assert_string_equal(aclrtGetSocName(), "Ascend910B2");
    OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    assert_int_equal(value, 24);
    OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
    assert_int_equal(value, 48);
    OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, &value));
    assert_int_equal(value, 196608);
    OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &value));
    assert_int_equal(value, 2201);
    FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attribute 202",
          aclrtGetDeviceInfo(0, (aclrtDevAttr)202, &value));
    OK(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &can));
    assert_int_equal(can, 0);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "feature 5, 1 and 21 exist",
          aclrtGetDeviceCapability(0, (aclrtDevFeatureType)5, &can));
    OK(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &v));
    assert_string_equal(v.version, "8.5.0");
    OK(aclrtDeviceGetUuid(0, &u0));
    OK(aclrtDeviceGetUuid(1, &u1));
    assert_memory_not_equal(&u0, &u1, sizeof(u0));
    OK(aclrtCheckArchCompatibility("ascend910b4", &can));
    assert_int_equal(can, 1);
    OK(aclrtCheckArchCompatibility("Ascend950PR_9599", &can));
    assert_int_equal(can, 0);
    assert_true(aclFloat16ToFloat(aclFloatToFloat16(1.5f)) == 1.5f);
    assert_int_equal(aclDataTypeSize(ACL_COMPLEX128), 16);
    assert_int_equal(aclDataTypeSize(ACL_INT4), 0);
}

static void test_refusals_have_a_name(void **state)
{
    void *p;

    (void)state;
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "aclrtBinaryLoadFromData failed to parse",
          aclrtBinaryLoadFromData("x", 1, NULL, &p));
    FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclmdlSetDump", aclmdlSetDump("x"));
    FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "SATURATION",
          aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_EVENT_IPC",
          aclrtCreateEventExWithFlag(&p, ACL_EVENT_IPC));
}

static void test_compile_options(void **state)
{
    char value[16];

    (void)state;
    OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof(value)));
    assert_string_equal(value, "disable");
    OK(aclSetCompileopt(ACL_PRECISION_MODE, "must_keep_origin_dtype"));
    assert_int_equal(aclGetCompileoptSize(ACL_PRECISION_MODE), 23);
    FAILS(ACL_ERROR_INVALID_PARAM, "23 bytes", aclGetCompileopt(ACL_PRECISION_MODE, value, 16));
    FAILS(ACL_ERROR_INVALID_PARAM, "option 17", aclSetCompileopt((aclCompileOpt)17, "x"));
}

static void test_objects(void **state)
{
    static const int64_t dims[] = {2, 3}, row[] = {7, 8, 9};
    const int64_t *const rows[] = {row, row + 1};
    const int counts[] = {1, 2};
    const struct npu_attr *p;
    aclTensorDesc *d = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
    aclopAttr *a = aclopCreateAttr();
    int64_t dim;

    (void)state;
    assert_non_null(d);
    assert_int_equal(aclGetTensorDescSize(d), 12);
    OK(aclGetTensorDescDimV2(d, 1, &dim));
    assert_int_equal(dim, 3);
    FAILS(ACL_ERROR_INVALID_PARAM, "dimension 2 of 2", aclGetTensorDescDimV2(d, 2, &dim));
    assert_null(aclCreateTensorDesc(ACL_FLOAT, 33, dims, ACL_FORMAT_ND));
    OK(aclSetTensorConst(d, (void *)(uintptr_t)dims, sizeof(dims)));
    aclDestroyTensorDesc(d);
    OK(aclopSetAttrInt(a, "axis", 1));
    OK(aclopSetAttrInt(a, "axis", -1));
    OK(aclopSetAttrString(a, "mode", "avg"));
    OK(aclopSetAttrListListInt(a, "pads", 2, counts, rows));
    p = npu_attr_find(a, "axis");
    assert_int_equal(p->ints[0], -1);
    assert_string_equal(npu_attr_find(a, "mode")->strings[0], "avg");
    p = npu_attr_find(a, "pads");
    assert_int_equal(p->row_counts[1], 2);
    assert_int_equal(p->ints[2], 9);
    assert_null(npu_attr_find(a, "none"));
    aclopDestroyAttr(a);
}

static void test_bounded_copies(void **state)
{
    char dst[8] = "abcdefg";

    (void)state;
    assert_int_equal(memcpy_s(dst, 8, "xyz", 3), EOK);
    assert_string_equal(dst, "xyzdefg");
    assert_int_equal(memcpy_s(dst, 4, "xyzxyz", 6), ERANGE_AND_RESET);
    assert_int_equal(dst[0] | dst[3], 0);
    assert_int_equal(dst[4], 'e');
    assert_int_equal(memcpy_s(NULL, 4, "x", 1), 22);
    assert_int_equal(memcpy_s(dst, 8, NULL, 1), EINVAL_AND_RESET);
    assert_int_equal(strcpy_s(dst, 8, "1234567"), EOK);
    assert_int_equal(strcat_s(dst, 8, "8"), ERANGE_AND_RESET);
    assert_string_equal(dst, "");
    assert_int_equal(sprintf_s(dst, 8, "%d", 1234567), 7);
    assert_int_equal(sprintf_s(dst, 8, "%d", 12345678), -1);
    assert_int_equal(snprintf_s(dst, 8, 3, "%d", 12345), -1);
    assert_string_equal(dst, "123");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_device_at_first),
        cmocka_unit_test(test_visible_devices),
        cmocka_unit_test(test_threads_have_their_own),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_error_stays_on_its_device),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_refusals_have_a_name),
        cmocka_unit_test(test_compile_options),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_bounded_copies),
    };

    (void)argc;
    if (!getenv("NPUTWIN_DEVICES")) { /* read when the library is loaded */
        setenv("NPUTWIN_DEVICES", "4", 1);
        setenv("ASCEND_RT_VISIBLE_DEVICES", "3,0,1", 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
