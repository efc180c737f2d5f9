/* SPDX-License-Identifier: Apache-2.0 */
/* t_rt_small.c - the bounded copies of securec.h and the counters of libprofapi.so. */
#include "rt_test.h"
#include "securec.h"
#include <dlfcn.h>
#include <errno.h>

static void test_memmove_s(void **state)
{
    char text[8] = "abcdef";

    (void)state;
    assert_int_equal(memmove_s(text + 1, 7, text, 6), EOK);
    assert_memory_equal(text, "aabcdef", 7);
    assert_int_equal(memmove_s(text, 4, "12345", 5), ERANGE_AND_RESET);
    assert_memory_equal(text, "\0\0\0\0def", 7);
    assert_int_equal(memmove_s(text, 8, NULL, 1), EINVAL_AND_RESET);
    assert_int_equal(memmove_s(NULL, 8, text, 1), EINVAL);
    assert_int_equal(memmove_s(text, 0, text, 1), ERANGE);
}

static void test_memset_s(void **state)
{
    char text[8] = "abcdefg";

    (void)state;
    assert_int_equal(memset_s(text, 8, 'x', 3), EOK);
    assert_string_equal(text, "xxxdefg");
    assert_int_equal(memset_s(text, 2, 'y', 5), ERANGE_AND_RESET);
    assert_string_equal(text, "yyxdefg"); /* no further than the destination */
    assert_int_equal(memset_s(NULL, 8, 'x', 3), EINVAL);
}

static void test_strncpy_s(void **state)
{
    char text[8] = "old";

    (void)state;
    assert_int_equal(strncpy_s(text, 8, "abcdef", 3), EOK);
    assert_string_equal(text, "abc");
    assert_int_equal(strncpy_s(text, 8, "ab", 100), EOK);
    assert_string_equal(text, "ab");
    assert_int_equal(strncpy_s(text, 4, "abcdef", 4), ERANGE_AND_RESET);
    assert_string_equal(text, "");
    assert_int_equal(strncpy_s(text, 8, NULL, 3), EINVAL_AND_RESET);
}

static int print(char *dst, size_t max, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsprintf_s(dst, max, fmt, ap);
    va_end(ap);
    return n;
}

static int print_n(char *dst, size_t max, size_t most, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf_s(dst, max, most, fmt, ap);
    va_end(ap);
    return n;
}

static void test_bounded_formats(void **state)
{
    char text[8];

    (void)state;
    assert_int_equal(print(text, 8, "%d-%s", 12, "abc"), 6);
    assert_string_equal(text, "12-abc");
    assert_int_equal(print(text, 8, "%s", "eight ch"), -1);
    assert_string_equal(text, "");
    assert_int_equal(print(NULL, 8, "x"), -1);
    assert_int_equal(print_n(text, 8, 7, "%s", "seven c"), 7);
    assert_string_equal(text, "seven c");
    assert_int_equal(print_n(text, 8, 3, "%s", "abcdef"), -1);
    assert_string_equal(text, "abc"); /* cut, and said so */
    assert_int_equal(print_n(text, 8, 8, "%s", "x"), -1);
    assert_string_equal(text, "");
}

/* The hash is FNV-1a: the numbers are those of its published test vectors. */
static void test_profapi(void **state)
{
    void *lib = dlopen("libprofapi.so", RTLD_NOW);
    uint64_t (*hash)(const char *, size_t), (*cycles)(void), before;

    (void)state;
    assert_non_null(lib);
    *(void **)&hash = dlsym(lib, "MsprofGetHashId");
    *(void **)&cycles = dlsym(lib, "MsprofSysCycleTime");
    assert_true(hash("", 0) == 0xcbf29ce484222325u);
    assert_true(hash("a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(hash("foobar", 6) == 0x85944171f73967e8u);
    before = cycles();
    usleep(2000);
    assert_in_range(cycles() - before, 2000000, 10000000000u);
    dlclose(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memmove_s), cmocka_unit_test(test_memset_s),
        cmocka_unit_test(test_strncpy_s), cmocka_unit_test(test_bounded_formats),
        cmocka_unit_test(test_profapi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
