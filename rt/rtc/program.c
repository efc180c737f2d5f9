/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - the aclrtc functions: what is kept of a program.
 *
 * Rule: a handle is looked for in the list of living programs, never followed on faith, and one
 * thread at a time works on a program.
 */
#include "rtc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static struct rtc_program *first;

/* Locked. */
static bool is_program(const struct rtc_program *p)
{
    const struct rtc_program *i = first;

    while (i && i != p)
        i = i->next;
    return i != NULL;
}

/* The program for this thread alone; NULL with the message when there is none. */
static struct rtc_program *enter(aclrtcProg handle, const char *who)
{
    struct rtc_program *p = handle;

    pthread_mutex_lock(&lock);
    while (is_program(p) && p->is_busy)
        pthread_cond_wait(&freed, &lock);
    if (is_program(p))
        p->is_busy = true;
    else
        p = NULL;
    pthread_mutex_unlock(&lock);
    if (!p)
        npu_rt_fail(ACL_ERROR_RTC_INVALID_PROG,
                    "%s: %p is no aclrtcProg: it was destroyed, or never created", who, handle);
    return p;
}

static int leave(struct rtc_program *p, int rc)
{
    pthread_mutex_lock(&lock);
    p->is_busy = false;
    pthread_cond_broadcast(&freed);
    pthread_mutex_unlock(&lock);
    return rc;
}

static void free_program(struct rtc_program *p)
{
    for (size_t i = 0; p && i < p->n_headers; i++) {
        free(p->header[i]);
        free(p->include_name[i]);
    }
    for (size_t i = 0; p && i < p->n_names; i++) {
        free(p->expression[i].expression);
        free(p->expression[i].lowered);
    }
    if (!p)
        return;
    free(p->header);
    free(p->include_name);
    free(p->expression);
    free(p->source);
    free(p->name);
    free(p->binary);
    free(p->log);
    free(p);
}

static int bad_input(const char *who, const char *what)
{
    return npu_rt_fail(ACL_ERROR_RTC_INVALID_INPUT, "%s: %s", who, what);
}

/* ---- create, destroy ---- */

/* The name becomes a path below a folder of ours. */
static bool is_safe_name(const char *name)
{
    return name[0] && name[0] != '/' && strlen(name) < 200 && !strstr(name, "..");
}

static int check_headers(int n, const char *const *header, const char *const *name)
{
    static const char who[] = "aclrtcCreateProg";

    if (n < 0 || n > 1000)
        return bad_input(who, "numHeaders is not in [0, 1000]");
    if (n && (!header || !name))
        return bad_input(who, "headers or includeNames is NULL, but numHeaders is not 0");
    for (int i = 0; i < n; i++) {
        if (!header[i] || !name[i])
            return bad_input(who, "an element of headers or includeNames is NULL");
        if (!is_safe_name(name[i]))
            return bad_input(who, "an element of includeNames is empty, longer than 199 "
                                  "characters, starts with / or has ..");
    }
    return ACL_SUCCESS;
}

static bool copy_headers(struct rtc_program *p, size_t n, const char *const *header,
                         const char *const *name)
{
    p->header = calloc(n + 1, sizeof(*p->header));
    p->include_name = calloc(n + 1, sizeof(*p->include_name));
    if (!p->header || !p->include_name)
        return false;
    for (p->n_headers = 0; p->n_headers < n;) {
        size_t i = p->n_headers++;

        p->header[i] = strdup(header[i]);
        p->include_name[i] = strdup(name[i]);
        if (!p->header[i] || !p->include_name[i])
            return false;
    }
    return true;
}

aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders,
                          const char **headers, const char **includeNames)
{
    struct rtc_program *p;
    int rc = check_headers(numHeaders, headers, includeNames);

    if (!prog)
        return bad_input("aclrtcCreateProg", "prog is NULL");
    if (!src || !*src)
        return bad_input("aclrtcCreateProg", "src is NULL or empty");
    if (!name || !*name)
        name = "default_program";
    if (!is_safe_name(name))
        return bad_input("aclrtcCreateProg",
                         "name is longer than 199 characters, starts with / or has ..");
    if (rc)
        return rc;
    p = calloc(1, sizeof(*p));
    if (p) {
        p->source = strdup(src);
        p->name = strdup(name);
    }
    if (!p || !p->source || !p->name ||
        !copy_headers(p, (size_t)numHeaders, headers, includeNames)) {
        free_program(p);
        return npu_rt_fail(ACL_ERROR_RTC_OUT_OF_MEMORY, "aclrtcCreateProg: out of memory");
    }
    pthread_mutex_lock(&lock);
    p->next = first;
    first = p;
    pthread_mutex_unlock(&lock);
    *prog = p;
    return ACL_SUCCESS;
}

aclError aclrtcDestroyProg(aclrtcProg *prog)
{
    struct rtc_program *p = prog ? enter(*prog, "aclrtcDestroyProg") : NULL;

    if (!prog)
        return bad_input("aclrtcDestroyProg", "prog is NULL");
    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    pthread_mutex_lock(&lock);
    for (struct rtc_program **at = &first; *at; at = &(*at)->next) {
        if (*at != p)
            continue;
        *at = p->next;
        break;
    }
    pthread_cond_broadcast(&freed);
    pthread_mutex_unlock(&lock);
    free_program(p);
    *prog = NULL;
    return ACL_SUCCESS;
}

/* ---- names of kernels ---- */

static int add_name(struct rtc_program *p, const char *expression)
{
    struct rtc_name *grown;

    if (p->is_compiled)
        return npu_rt_fail(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION,
                           "aclrtcAddNameExpr: %s comes after aclrtcCompileProg: add names first",
                           expression);
    for (size_t i = 0; i < p->n_names; i++)
        if (!strcmp(p->expression[i].expression, expression))
            return ACL_SUCCESS;
    grown = realloc(p->expression, (p->n_names + 1) * sizeof(*grown));
    if (grown) {
        p->expression = grown;
        grown[p->n_names] = (struct rtc_name){strdup(expression), NULL};
    }
    if (!grown || !grown[p->n_names].expression)
        return npu_rt_fail(ACL_ERROR_RTC_OUT_OF_MEMORY, "aclrtcAddNameExpr: out of memory");
    p->n_names++;
    return ACL_SUCCESS;
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char *const nameExpression)
{
    struct rtc_program *p = enter(prog, "aclrtcAddNameExpr");

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    if (!nameExpression || !*nameExpression || strchr(nameExpression, '\n'))
        return leave(p, bad_input("aclrtcAddNameExpr",
                                  "nameExpression is NULL, empty or has several lines"));
    return leave(p, add_name(p, nameExpression));
}

static int find_name(const struct rtc_program *p, const char *expression, const char **lowered)
{
    if (!p->is_compiled)
        return npu_rt_fail(ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION,
                           "aclrtcGetLoweredName: %s: call aclrtcCompileProg first", expression);
    for (size_t i = 0; i < p->n_names; i++) {
        if (strcmp(p->expression[i].expression, expression) != 0 || !p->expression[i].lowered)
            continue;
        *lowered = p->expression[i].lowered;
        return ACL_SUCCESS;
    }
    return npu_rt_fail(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID,
                       "aclrtcGetLoweredName: %s was not given to aclrtcAddNameExpr in exactly "
                       "these characters, or did not compile",
                       expression);
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpression, const char **loweredName)
{
    struct rtc_program *p = enter(prog, "aclrtcGetLoweredName");

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    if (!nameExpression || !loweredName)
        return leave(p, bad_input("aclrtcGetLoweredName", "a pointer is NULL"));
    return leave(p, find_name(p, nameExpression, loweredName));
}

/* ---- compile, results ---- */

static int check_options(int n, const char *const *option)
{
    if (n < 0 || (n && !option))
        return bad_input("aclrtcCompileProg", "numOptions is negative, or options is NULL");
    for (int i = 0; i < n; i++)
        if (!option[i])
            return bad_input("aclrtcCompileProg", "an element of options is NULL");
    return ACL_SUCCESS;
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options)
{
    struct rtc_program *p = enter(prog, "aclrtcCompileProg");
    int rc;

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    rc = check_options(numOptions, options);
    if (rc)
        return leave(p, rc);
    return leave(p, rtc_compile(p, numOptions, options));
}

static int need_binary(const struct rtc_program *p, const char *who)
{
    if (p->binary)
        return ACL_SUCCESS;
    return npu_rt_fail(ACL_ERROR_RTC_INVALID_PROG, "%s: %s", who,
                       p->is_compiled ? "the program did not compile: read aclrtcGetCompileLog"
                                      : "call aclrtcCompileProg first");
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet)
{
    struct rtc_program *p = enter(prog, "aclrtcGetBinDataSize");
    int rc;

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    rc = binDataSizeRet ? need_binary(p, "aclrtcGetBinDataSize")
                        : bad_input("aclrtcGetBinDataSize", "binDataSizeRet is NULL");
    if (!rc)
        *binDataSizeRet = p->binary_bytes;
    return leave(p, rc);
}

aclError aclrtcGetBinData(aclrtcProg prog, char *binData)
{
    struct rtc_program *p = enter(prog, "aclrtcGetBinData");
    int rc;

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    rc = binData ? need_binary(p, "aclrtcGetBinData")
                 : bad_input("aclrtcGetBinData", "binData is NULL");
    if (!rc)
        memcpy(binData, p->binary, p->binary_bytes);
    return leave(p, rc);
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet)
{
    struct rtc_program *p = enter(prog, "aclrtcGetCompileLogSize");

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    if (!logSizeRet)
        return leave(p, bad_input("aclrtcGetCompileLogSize", "logSizeRet is NULL"));
    *logSizeRet = (p->log ? strlen(p->log) : 0) + 1;
    return leave(p, ACL_SUCCESS);
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char *log)
{
    struct rtc_program *p = enter(prog, "aclrtcGetCompileLog");

    if (!p)
        return ACL_ERROR_RTC_INVALID_PROG;
    if (!log)
        return leave(p, bad_input("aclrtcGetCompileLog", "log is NULL"));
    strcpy(log, p->log ? p->log : "");
    return leave(p, ACL_SUCCESS);
}
