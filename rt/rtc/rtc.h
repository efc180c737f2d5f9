/* SPDX-License-Identifier: Apache-2.0 */
/* rtc.h - inside libacl_rtc.so: a program as it is written (program.c) and compiled (compile.c). */
#ifndef NPU_RTC_H
#define NPU_RTC_H
#include "../core/core.h"

#include "acl/acl_rt_compile.h"

struct rtc_name { /* of aclrtcAddNameExpr */
    char *expression;
    char *lowered; /* NULL before compiling */
};

struct rtc_program {
    struct rtc_program *next; /* all living ones */
    bool is_busy;             /* some thread works on it */
    bool is_compiled;         /* tried; binary is NULL when it failed */
    char *source, *name;
    char **header, **include_name;
    struct rtc_name *expression;
    size_t n_headers, n_names;
    char *binary, *log; /* log: never NULL once compiled */
    size_t binary_bytes;
};

/* Runs bisheng and fills binary, log and lowered names. Returns an ACL_ERROR_RTC_ code. */
int rtc_compile(struct rtc_program *p, int n_options, const char *const *option);

#endif
