/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t_opapi.c - aclnn from a C program without Python: objects, the two phases, errors, Philox.
 *
 * The libraries are opened by name, as a program built elsewhere finds them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLOAT = 0, INT64 = 9, ND = 2, PARAM_NULL = 161001, PARAM_INVALID = 161002 };

static void *opapi, *ascendcl;

static void *name_in(void *lib, const char *name)
{
    void *p = dlsym(lib, name);

    if (!p)
        fail_msg("%s is not exported", name);
    return p;
}

#define CALL(lib, result, name, ...) ((result (*)(__VA_ARGS__))(uintptr_t)name_in(lib, name))

static void *tensor_at(float *data, int64_t rows, int64_t cols)
{
    const int64_t dim[2] = {rows, cols}, stride[2] = {cols, 1};

    return CALL(opapi, void *, "aclCreateTensor", const int64_t *, uint64_t, int, const int64_t *,
                int64_t, int, const int64_t *, uint64_t,
                void *)(dim, 2, FLOAT, stride, 0, ND, dim, 2, data);
}

static void *scalar_of(float v)
{
    return CALL(opapi, void *, "aclCreateScalar", void *, int)(&v, FLOAT);
}

static int destroy(const char *what, void *p)
{
    return CALL(opapi, int, what, void *)(p);
}

static const char *last_error(void)
{
    const char *text = CALL(ascendcl, const char *, "aclGetRecentErrMsg", void)();

    return text ? text : "";
}

static int add_phase_one(void *x, void *y, void *alpha, void *out, uint64_t *n, void **executor)
{
    return CALL(opapi, int, "aclnnAddGetWorkspaceSize", void *, void *, void *, void *, uint64_t *,
                void **)(x, y, alpha, out, n, executor);
}

static int add_phase_two(void *executor)
{
    return CALL(opapi, int, "aclnnAdd", void *, uint64_t, void *, void *)(NULL, 0, executor, NULL);
}

static int synchronize(void)
{
    return CALL(ascendcl, int, "aclrtSynchronizeStream", void *)(NULL);
}

static int open_libraries(void **state)
{
    int rc;

    (void)state;
    ascendcl = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
    opapi = dlopen("libopapi.so", RTLD_NOW);
    if (!ascendcl || !opapi) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    rc = CALL(ascendcl, int, "aclInit", const char *)(NULL);
    return rc ? rc : CALL(ascendcl, int, "aclrtSetDevice", int)(0);
}

/* torch is compiled in or not; without it the operators refuse, which has its own test. */
static bool computes(void)
{
    return CALL(opapi, int, "npu_opapi_bind", uint32_t)(0) == 0;
}

static void need_torch(void)
{
    if (!computes())
        skip();
}

/* ---- objects ---- */

static void test_tensor_reads_back(void **state)
{
    float data[6];
    void *t = tensor_at(data, 2, 3), *address = NULL;
    int64_t *dims = NULL, offset = -1;
    uint64_t n = 0;
    int dtype = -1, format = -1;

    (void)state;
    assert_int_equal(
        CALL(opapi, int, "aclGetViewShape", void *, int64_t **, uint64_t *)(t, &dims, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(dims[0], 2);
    assert_int_equal(dims[1], 3);
    free(dims);
    assert_int_equal(
        CALL(opapi, int, "aclGetViewStrides", void *, int64_t **, uint64_t *)(t, &dims, &n), 0);
    assert_int_equal(dims[0], 3);
    free(dims);
    assert_int_equal(CALL(opapi, int, "aclGetViewOffset", void *, int64_t *)(t, &offset), 0);
    assert_int_equal(offset, 0);
    assert_int_equal(CALL(opapi, int, "aclGetDataType", void *, int *)(t, &dtype), 0);
    assert_int_equal(dtype, FLOAT);
    assert_int_equal(CALL(opapi, int, "aclGetFormat", void *, int *)(t, &format), 0);
    assert_int_equal(format, ND);
    assert_int_equal(CALL(opapi, int, "aclGetRawTensorAddr", void *, void **)(t, &address), 0);
    assert_ptr_equal(address, data);
    assert_int_equal(destroy("aclDestroyTensor", t), 0);
}

static void test_arrays_know_their_size(void **state)
{
    const int64_t values[3] = {1, 2, 3};
    void *a = CALL(opapi, void *, "aclCreateIntArray", const int64_t *, uint64_t)(values, 3);
    uint64_t n = 0;

    (void)state;
    assert_int_equal(CALL(opapi, int, "aclGetIntArraySize", void *, uint64_t *)(a, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(destroy("aclDestroyIntArray", a), 0);
    assert_int_equal(destroy("aclDestroyIntArray", NULL), 0);
    assert_null(CALL(opapi, void *, "aclCreateIntArray", const int64_t *, uint64_t)(NULL, 3));
}

static uint64_t size_by(const char *what, void *object)
{
    uint64_t n = 99;

    assert_int_equal(CALL(opapi, int, what, void *, uint64_t *)(object, &n), 0);
    return n;
}

static void test_every_kind_of_array(void **state)
{
    const bool bools[2] = {true, false};
    const float floats[4] = {1, 2, 3, 4};
    void *b = CALL(opapi, void *, "aclCreateBoolArray", const bool *, uint64_t)(bools, 2);
    void *f = CALL(opapi, void *, "aclCreateFloatArray", const float *, uint64_t)(floats, 4);

    (void)state;
    assert_int_equal(size_by("aclGetBoolArraySize", b), 2);
    assert_int_equal(size_by("aclGetFloatArraySize", f), 4);
    assert_int_not_equal(destroy("aclDestroyBoolArray", f), 0); /* of another kind */
    assert_int_equal(destroy("aclDestroyBoolArray", b), 0);
    assert_int_equal(destroy("aclDestroyFloatArray", f), 0);
}

static void test_lists_know_their_size(void **state)
{
    float data[4];
    void *tensors[2] = {tensor_at(data, 2, 2), tensor_at(data, 1, 4)};
    void *scalars[3] = {scalar_of(1), scalar_of(2), scalar_of(3)};
    void *t = CALL(opapi, void *, "aclCreateTensorList", void *const *, uint64_t)(tensors, 2);
    void *s = CALL(opapi, void *, "aclCreateScalarList", void *const *, uint64_t)(scalars, 3);

    (void)state;
    assert_int_equal(size_by("aclGetTensorListSize", t), 2);
    assert_int_equal(size_by("aclGetScalarListSize", s), 3);
    assert_int_equal(destroy("aclDestroyTensorList", t), 0);
    assert_int_equal(destroy("aclDestroyScalarList", s), 0);
}

/* The address moves, the shape of the storage stays. */
static void test_tensor_takes_another_address(void **state)
{
    float one[6], two[6];
    void *t = tensor_at(one, 2, 3), *address = NULL;
    int64_t *dims = NULL;
    uint64_t n = 0;

    (void)state;
    assert_int_equal(CALL(opapi, int, "aclSetRawTensorAddr", void *, void *)(t, two), 0);
    assert_int_equal(CALL(opapi, int, "aclGetRawTensorAddr", void *, void **)(t, &address), 0);
    assert_ptr_equal(address, two);
    assert_int_equal(
        CALL(opapi, int, "aclGetStorageShape", void *, int64_t **, uint64_t *)(t, &dims, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(dims[0] * dims[1], 6);
    free(dims);
    assert_int_equal(destroy("aclDestroyTensor", t), 0);
    assert_int_not_equal(CALL(opapi, int, "aclSetRawTensorAddr", void *, void *)(NULL, two), 0);
}

static void test_wrong_handles_are_refused(void **state)
{
    float data[4];
    void *t = tensor_at(data, 2, 2), *s = scalar_of(1);
    int64_t negative[1] = {-1};

    (void)state;
    assert_int_not_equal(destroy("aclDestroyScalar", t), 0);
    assert_int_not_equal(destroy("aclDestroyTensor", s), 0);
    assert_null(CALL(opapi, void *, "aclCreateTensor", const int64_t *, uint64_t, int,
                     const int64_t *, int64_t, int, const int64_t *, uint64_t,
                     void *)(negative, 1, FLOAT, NULL, 0, ND, negative, 1, data));
    assert_non_null(strstr(last_error(), "is -1"));
    destroy("aclDestroyTensor", t);
    destroy("aclDestroyScalar", s);
}

static void test_a_list_owns_its_tensors(void **state)
{
    float data[4];
    void *items[2] = {tensor_at(data, 2, 2), tensor_at(data, 1, 4)};
    void *list = CALL(opapi, void *, "aclCreateTensorList", void *const *, uint64_t)(items, 2);

    (void)state;
    assert_int_equal(destroy("aclDestroyTensorList", list), 0); /* the sanitizer counts the rest */
}

/* ---- two phases ---- */

struct sum {
    float x[4], y[4], out[4];
    void *tx, *ty, *tout, *alpha;
};

static void sum_init(struct sum *s)
{
    *s = (struct sum){.x = {1, 2, 3, 4}, .y = {10, 20, 30, 40}};
    s->tx = tensor_at(s->x, 2, 2);
    s->ty = tensor_at(s->y, 2, 2);
    s->tout = tensor_at(s->out, 2, 2);
    s->alpha = scalar_of(2);
}

static void sum_finish(struct sum *s)
{
    destroy("aclDestroyTensor", s->tx);
    destroy("aclDestroyTensor", s->ty);
    destroy("aclDestroyTensor", s->tout);
    destroy("aclDestroyScalar", s->alpha);
}

static void test_add(void **state)
{
    struct sum s;
    uint64_t n = 99;
    void *e = NULL;

    (void)state;
    need_torch();
    sum_init(&s);
    assert_int_equal(add_phase_one(s.tx, s.ty, s.alpha, s.tout, &n, &e), 0);
    assert_int_equal(n, 0);
    assert_int_equal(add_phase_two(e), 0);
    assert_int_equal(synchronize(), 0);
    assert_float_equal(s.out[0], 21, 0);
    assert_float_equal(s.out[3], 84, 0);
    sum_finish(&s);
}

static void test_objects_may_go_between_the_phases(void **state)
{
    struct sum s;
    uint64_t n;
    void *e = NULL;

    (void)state;
    need_torch();
    sum_init(&s);
    assert_int_equal(add_phase_one(s.tx, s.ty, s.alpha, s.tout, &n, &e), 0);
    sum_finish(&s);
    assert_int_equal(add_phase_two(e), 0);
    assert_int_equal(synchronize(), 0);
    assert_float_equal(s.out[1], 42, 0);
}

static void test_repeatable_executor(void **state)
{
    struct sum s;
    uint64_t n;
    void *e = NULL;

    (void)state;
    need_torch();
    sum_init(&s);
    assert_int_equal(add_phase_one(s.tx, s.ty, s.alpha, s.tout, &n, &e), 0);
    assert_int_equal(CALL(opapi, int, "aclSetAclOpExecutorRepeatable", void *)(e), 0);
    assert_int_equal(add_phase_two(e), 0);
    assert_int_equal(synchronize(), 0);
    s.x[0] = 100;
    assert_int_equal(add_phase_two(e), 0);
    assert_int_equal(synchronize(), 0);
    assert_float_equal(s.out[0], 120, 0);
    assert_int_equal(CALL(opapi, int, "aclDestroyAclOpExecutor", void *)(e), 0);
    sum_finish(&s);
}

static void test_first_phase_refuses(void **state)
{
    struct sum s;
    float wide[8];
    void *tw = tensor_at(wide, 2, 4), *e = NULL;
    uint64_t n;

    (void)state;
    need_torch();
    sum_init(&s);
    assert_int_equal(add_phase_one(s.tx, NULL, s.alpha, s.tout, &n, &e), PARAM_NULL);
    assert_non_null(strstr(last_error(), "parameter other must not be null"));
    assert_null(e);
    assert_int_equal(add_phase_one(s.tx, tw, s.alpha, s.tout, &n, &e), PARAM_INVALID);
    assert_non_null(strstr(last_error(), "[2, 2] and [2, 4] do not broadcast"));
    assert_int_equal(add_phase_one(s.tx, s.alpha, s.alpha, s.tout, &n, &e), PARAM_INVALID);
    assert_non_null(strstr(last_error(), "not a live handle of its type"));
    assert_int_equal(add_phase_one(s.tx, s.ty, s.alpha, s.tout, NULL, &e), PARAM_NULL);
    destroy("aclDestroyTensor", tw);
    sum_finish(&s);
}

static void test_second_phase_needs_its_own_executor(void **state)
{
    struct sum s;
    uint64_t n;
    void *e = NULL;

    (void)state;
    need_torch();
    sum_init(&s);
    assert_int_equal(add_phase_two(NULL), PARAM_NULL);
    assert_non_null(strstr(last_error(), "call aclnnAddGetWorkspaceSize first"));
    assert_int_equal(add_phase_one(s.tx, s.ty, s.alpha, s.tout, &n, &e), 0);
    assert_int_equal(
        CALL(opapi, int, "aclnnSub", void *, uint64_t, void *, void *)(NULL, 0, e, NULL),
        PARAM_INVALID);
    assert_non_null(strstr(last_error(), "made for another operator"));
    assert_int_equal(CALL(opapi, int, "aclDestroyAclOpExecutor", void *)(e), 0);
    sum_finish(&s);
}

static void *add_often(void *arg)
{
    bool *right = arg;

    *right = CALL(ascendcl, int, "aclrtSetDevice", int)(0) == 0;
    for (int i = 0; i < 2000 && *right; i++) {
        struct sum s;
        uint64_t n;
        void *e = NULL;

        sum_init(&s);
        s.x[0] = (float)i;
        *right = !add_phase_one(s.tx, s.ty, s.alpha, s.tout, &n, &e) && !add_phase_two(e) &&
                 !synchronize() && s.out[0] == (float)i + 20;
        sum_finish(&s);
    }
    return NULL;
}

/* aclnnInit and aclnnFinalize may be called any number of times, or not at all: operators work
 * before, between and after them. */
static void test_start_and_end_are_no_duty(void **state)
{
    int (*init)(const char *) = (int (*)(const char *))(uintptr_t)name_in(opapi, "aclnnInit");
    int (*finalize)(void) = (int (*)(void))(uintptr_t)name_in(opapi, "aclnnFinalize");

    test_add(state);
    assert_int_equal(init(NULL), 0);
    assert_int_equal(init(NULL), 0);
    test_add(state);
    assert_int_equal(finalize(), 0);
    assert_int_equal(finalize(), 0);
    test_add(state);
}

static void test_threads(void **state)
{
    pthread_t thread[4];
    bool right[4];

    (void)state;
    need_torch();
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, add_often, &right[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++)
        assert_true(right[i]);
}

/* ---- rows, Philox ---- */

static void test_every_row_binds(void **state)
{
    uint32_t n = 0;

    (void)state;
    need_torch();
    assert_non_null(CALL(opapi, void *, "npu_opapi_rows", uint32_t *)(&n));
    assert_true(n > 500);
    for (uint32_t i = 0; i < n; i++)
        if (CALL(opapi, int, "npu_opapi_bind", uint32_t)(i) != 0)
            fail_msg("%s", last_error());
}

/* The published vector of Philox4x32-10 for counter 0 and key 0; range 2^32 - 1 leaves words as
 * they are. */
static void test_philox_vector(void **state)
{
    static const int64_t expected[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const int64_t dim[1] = {4};
    int64_t data[4] = {0};
    void *t, *e = NULL;
    uint64_t n;

    (void)state;
    need_torch();
    t = CALL(opapi, void *, "aclCreateTensor", const int64_t *, uint64_t, int, const int64_t *,
             int64_t, int, const int64_t *, uint64_t,
             void *)(dim, 1, INT64, NULL, 0, ND, dim, 1, data);
    assert_int_equal(CALL(opapi, int, "aclnnInplaceRandomGetWorkspaceSize", void *, int64_t,
                          int64_t, int64_t, int64_t, uint64_t *,
                          void **)(t, 0, 0xffffffff, 0, 0, &n, &e),
                     0);
    assert_int_equal(
        CALL(opapi, int, "aclnnInplaceRandom", void *, uint64_t, void *, void *)(NULL, 0, e, NULL),
        0);
    assert_int_equal(synchronize(), 0);
    assert_memory_equal(data, expected, sizeof data);
    destroy("aclDestroyTensor", t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_reads_back),
        cmocka_unit_test(test_arrays_know_their_size),
        cmocka_unit_test(test_every_kind_of_array),
        cmocka_unit_test(test_lists_know_their_size),
        cmocka_unit_test(test_tensor_takes_another_address),
        cmocka_unit_test(test_start_and_end_are_no_duty),
        cmocka_unit_test(test_wrong_handles_are_refused),
        cmocka_unit_test(test_a_list_owns_its_tensors),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_objects_may_go_between_the_phases),
        cmocka_unit_test(test_repeatable_executor),
        cmocka_unit_test(test_first_phase_refuses),
        cmocka_unit_test(test_second_phase_needs_its_own_executor),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_every_row_binds),
        cmocka_unit_test(test_philox_vector),
    };

    return cmocka_run_group_tests(tests, open_libraries, NULL);
}
