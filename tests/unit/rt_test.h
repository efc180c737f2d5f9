/* SPDX-License-Identifier: Apache-2.0 */
/* rt_test.h - what every test of the drop-in libraries starts with. */
#ifndef NPU_RT_TEST_H
#define NPU_RT_TEST_H
#include "../../rt/core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "acl/acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK(call) assert_int_equal(call, ACL_SUCCESS)

/* The call fails with code, and the message holds the words. */
#define FAILS(code, words, call)                                                                   \
    do {                                                                                           \
        const char *msg_;                                                                          \
        assert_int_equal(call, code);                                                              \
        msg_ = aclGetRecentErrMsg();                                                               \
        assert_non_null(msg_);                                                                     \
        if (!strstr(msg_, words))                                                                  \
            fail_msg("message lacks \"%s\": %s", words, msg_);                                     \
    } while (0)

static inline int device_setup(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static inline int device_teardown(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

#endif
