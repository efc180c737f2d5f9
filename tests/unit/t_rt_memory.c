/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_memory.c - allocation, copies, fills, what is refused, virtual memory. */
#include "rt_test.h"

#include <sys/wait.h>

static void *device_block(size_t bytes)
{
    void *p = NULL;

    OK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return p;
}

static void test_copy_there_and_back(void **state)
{
    static const size_t sizes[] = {1, 511, 4096, 3 << 20, (9 << 20) + 13};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = sizes[i];
        uint8_t *a = malloc(n), *b = calloc(1, n), *d = device_block(n), *e = device_block(n);

        for (size_t k = 0; k < n; k++)
            a[k] = (uint8_t)(k * 31 + k / 256);
        assert_int_equal((uintptr_t)d % 512, 0);
        OK(aclrtMemcpy(d, n, a, n, ACL_MEMCPY_HOST_TO_DEVICE));
        OK(aclrtMemcpy(e, n, d, n, ACL_MEMCPY_DEVICE_TO_DEVICE));
        OK(aclrtMemcpyAsync(b, n, e, n, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
        OK(aclrtSynchronizeStream(NULL));
        assert_memory_equal(a, b, n);
        OK(aclrtFree(d));
        OK(aclrtFree(e));
        free(a);
        free(b);
    }
}

static void test_fills(void **state)
{
    size_t n = (5 << 20) + 4;
    uint8_t *d = device_block(n);
    uint32_t word;

    (void)state;
    OK(aclrtMemset(d, n, 0x5a, n));
    for (size_t i = 0; i < n; i++)
        assert_true(d[i] == 0x5a);
    OK(aclrtMemsetD32(d, n, 0x01020304, n / 4));
    memcpy(&word, d + n - 4, 4);
    assert_int_equal(word, 0x01020304);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "do not fit", aclrtMemset(d, 8, 0, 9));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "too many", aclrtMemset(d + n - 4, 64, 0, 8));
    OK(aclrtFree(d));
}

static void test_2d(void **state)
{
    uint8_t src[4][8], dst[4][6];
    uint8_t *d = device_block(64);

    (void)state;
    for (int i = 0; i < 32; i++)
        src[i / 8][i % 8] = (uint8_t)i;
    memset(dst, 0xff, sizeof(dst));
    OK(aclrtMemcpy2d(d, 16, src, 8, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy2dAsync(dst, 6, d, 16, 5, 4, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    for (int y = 0; y < 4; y++) {
        assert_memory_equal(dst[y], src[y], 5);
        assert_int_equal(dst[y][5], 0xff);
    }
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "pitch", aclrtMemcpy2d(d, 4, src, 8, 5, 4, 1));
    OK(aclrtFree(d));
}

static void test_wrong_copies_are_named(void **state)
{
    uint8_t host[64] = {0};
    uint8_t *d = device_block(64), *pinned;

    (void)state;
    OK(aclrtMallocHost((void **)&pinned, 64));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "not device memory",
          aclrtMemcpy(host, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "is host memory",
          aclrtMemcpy(pinned, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "is device memory",
          aclrtMemcpy(d, 64, d, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "too many",
          aclrtMemcpy(d + 1, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "destination of 8",
          aclrtMemcpy(d, 8, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "kind 8", aclrtMemcpy(d, 64, host, 64, (aclrtMemcpyKind)8));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "src is NULL", aclrtMemcpy(d, 64, NULL, 64, 1));
    OK(aclrtFree(d));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "use after free",
          aclrtMemcpy(host, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtFreeHost(pinned));
}

static void test_wrong_frees_are_named(void **state)
{
    uint8_t *d = device_block(100), *h, local = 0;
    void *none = &local;

    (void)state;
    OK(aclrtMallocHost((void **)&h, 100));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "not allocated here", aclrtFree(&local));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "NULL", aclrtFree(NULL));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "4 bytes into", aclrtFree(d + 4));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost gives", aclrtFree(h));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree gives", aclrtFreeHost(d));
    OK(aclrtFree(d));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "double free", aclrtFree(d));
    OK(aclrtFreeHost(h));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "from 1 byte", aclrtMalloc(&none, 0, 0));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "policy", aclrtMalloc(&none, 8, (aclrtMemMallocPolicy)99));
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, "do not fit", aclrtMalloc(&none, (size_t)1 << 50, 0));
}

static void test_info_and_attributes(void **state)
{
    size_t before, after, total;
    aclrtPtrAttributes at;
    uint8_t local = 0, *h;
    void *d, *base;

    (void)state;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    assert_true(total > 0 && before <= total);
    d = device_block((size_t)64 << 20);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    assert_true(after <= total - ((size_t)64 << 20));
    OK(aclrtPointerGetAttributes((char *)d + 100, &at));
    assert_int_equal(at.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(at.location.id, 0);
    OK(aclrtMemGetAddressRange((char *)d + 100, &base, &after));
    assert_ptr_equal(base, d);
    assert_int_equal(after, (size_t)64 << 20);
    OK(aclrtPointerGetAttributes(&local, &at));
    assert_int_equal(at.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    h = malloc(4096);
    OK(aclrtHostRegister(h, 4096, ACL_HOST_REGISTER_MAPPED, &base));
    assert_ptr_equal(base, h);
    OK(aclrtPointerGetAttributes(h + 1, &at));
    assert_int_equal(at.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    OK(aclrtHostUnregister(h));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "double free", aclrtHostUnregister(h));
    free(h);
    OK(aclrtFree(d));
}

/* A parked copy from pageable memory takes the bytes of its time; from pinned memory those of its
 * turn. */
static void test_parked_copies(void **state)
{
    uint8_t pageable[8] = {1}, *pinned, *d = device_block(16);
    aclrtStream s, t;
    aclrtEvent e;

    (void)state;
    OK(aclrtMallocHost((void **)&pinned, 8));
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateStream(&t));
    OK(aclrtCreateEvent(&e));
    pinned[0] = 1;
    OK(aclrtStreamWaitEvent(s, e));
    OK(aclrtMemcpyAsync(d, 8, pageable, 8, ACL_MEMCPY_HOST_TO_DEVICE, s));
    OK(aclrtMemcpyAsync(d + 8, 8, pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE, s));
    pageable[0] = pinned[0] = 2;
    OK(aclrtRecordEvent(e, t));
    OK(aclrtSynchronizeStream(s));
    assert_int_equal(d[0], 1);
    assert_int_equal(d[8], 2);
    OK(aclrtFree(d));
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyEvent(e));
    OK(aclrtDestroyStream(s));
    OK(aclrtDestroyStream(t));
}

/* Memory that goes while a copy waits for its turn: named, and the process lives. */
static void test_freed_while_parked(void **state)
{
    const size_t n = (size_t)8 << 20;
    uint8_t *d = device_block(n), *e = device_block(n), *host = calloc(1, n);
    aclrtEvent gate;
    aclrtStream s;

    (void)state;
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEvent(&gate));
    OK(aclrtStreamWaitEvent(s, gate));
    OK(aclrtMemcpyAsync(host, n, d, n, ACL_MEMCPY_DEVICE_TO_HOST, s));
    OK(aclrtMemsetAsync(e, n, 1, n, s));
    OK(aclrtFree(d));
    OK(aclrtFree(e));
    OK(aclrtRecordEvent(gate, NULL));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "use after free", aclrtSynchronizeStream(s));
    OK(aclrtResetDevice(0));
    OK(aclrtSetDevice(0));
    OK(aclrtDestroyStream(s));
    OK(aclrtDestroyEvent(gate));
    free(host);
}

static void test_virtual_memory(void **state)
{
    const size_t piece = (size_t)2 << 20;
    aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE},
                                 .memAttr = ACL_HBM_MEM_HUGE};
    aclrtDrvMemHandle a, b;
    uint8_t *v, *w, host[32] = {9};
    size_t granularity;

    (void)state;
    OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
    assert_int_equal(granularity, piece);
    OK(aclrtReserveMemAddress((void **)&v, 4 * piece, 0, NULL, 1));
    OK(aclrtReserveMemAddress((void **)&w, piece, 0, NULL, 1));
    OK(aclrtMallocPhysical(&a, piece, &prop, 0));
    OK(aclrtMallocPhysical(&b, piece, &prop, 0));
    OK(aclrtMapMem(v, piece, 0, a, 0));
    OK(aclrtMapMem(v + piece, piece, 0, b, 0));
    OK(aclrtMapMem(w, piece, 0, a, 0)); /* the same bytes twice */
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "mapped already", aclrtMapMem(v, piece, 0, b, 0));
    /* a copy across both pieces */
    OK(aclrtMemcpy(v + piece - 16, 32, host, 32, ACL_MEMCPY_HOST_TO_DEVICE));
    assert_int_equal(w[piece - 16], 9);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "too many",
          aclrtMemcpy(v + 2 * piece - 16, 32, host, 32, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "still has", aclrtReleaseMemAddress(v));
    OK(aclrtFreePhysical(a)); /* lives on while mapped */
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "no living handle", aclrtFreePhysical(a));
    assert_int_equal(v[piece - 16], 9);
    OK(aclrtUnmapMem(v));
    assert_int_equal(w[piece - 16], 9);
    OK(aclrtUnmapMem(v + piece));
    OK(aclrtUnmapMem(w));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "nothing is mapped", aclrtUnmapMem(w));
    OK(aclrtFreePhysical(b));
    OK(aclrtReleaseMemAddress(v));
    OK(aclrtReleaseMemAddress(w));
}

enum { PIECE = 2 << 20 };

/* A child that imports when a byte arrives, and adds 1 to byte 6: 0, or 1 when it is refused. */
static int import_in_child(uint64_t shareable, bool is_invited)
{
    int status, line[2];
    pid_t child;

    assert_int_equal(pipe(line), 0);
    child = fork();
    if (!child) {
        aclrtDrvMemHandle other;
        uint8_t *w = NULL, go;
        bool ok = read(line[0], &go, 1) == 1 &&
                  !aclrtMemImportFromShareableHandle(shareable, 0, &other) &&
                  !aclrtReserveMemAddress((void **)&w, PIECE, 0, NULL, 0) &&
                  !aclrtMapMem(w, PIECE, 0, other, 0) && w[5] == 1;

        if (ok)
            w[6]++;
        else if (!strstr(aclGetRecentErrMsg(), "does not share it with process"))
            _exit(2);
        _exit(ok ? 0 : 1);
    }
    if (is_invited)
        OK(aclrtMemSetPidToShareableHandle(shareable, &child, 1));
    assert_int_equal(write(line[1], "", 1), 1);
    waitpid(child, &status, 0);
    close(line[0]);
    close(line[1]);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Another process maps the same bytes, if it may. */
static void test_shared_memory(void **state)
{
    aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtDrvMemHandle h, other;
    int32_t many[1022] = {0};
    uint64_t shareable, again;
    uint8_t *v;

    (void)state;
    OK(aclrtReserveMemAddress((void **)&v, PIECE, 0, NULL, 0));
    OK(aclrtMallocPhysical(&h, PIECE, &prop, 0));
    OK(aclrtMapMem(v, PIECE, 0, h, 0));
    v[5] = 1;
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "flags 0x2",
          aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 2, &shareable));
    OK(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "no process",
          aclrtMemSetPidToShareableHandle(shareable, NULL, 1));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "exported no such memory",
          aclrtMemSetPidToShareableHandle(77, many, 1));
    assert_int_equal(import_in_child(shareable, false), 1);
    assert_int_equal(import_in_child(shareable, true), 0);
    assert_int_equal(import_in_child(shareable, false), 1);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "1022 processes, room for 1021 more",
          aclrtMemSetPidToShareableHandle(shareable, many, 1022));
    OK(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE,
                                       ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &again));
    assert_int_equal(import_in_child(again, false), 0);
    assert_int_equal(v[6], 2);
    FAILS(ACL_ERROR_RT_PARAM_INVALID, "no such memory",
          aclrtMemImportFromShareableHandle(77, 0, &other));
    OK(aclrtUnmapMem(v));
    OK(aclrtFreePhysical(h));
    OK(aclrtReleaseMemAddress(v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_there_and_back),
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_2d),
        cmocka_unit_test(test_wrong_copies_are_named),
        cmocka_unit_test(test_wrong_frees_are_named),
        cmocka_unit_test(test_info_and_attributes),
        cmocka_unit_test(test_parked_copies),
        cmocka_unit_test(test_freed_while_parked),
        cmocka_unit_test(test_virtual_memory),
        cmocka_unit_test(test_shared_memory),
    };

    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
