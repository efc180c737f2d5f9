/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - the error text and the last error code of each thread.
 *
 * Apart so that every other file can fail without knowing how the text is kept. A text has the
 * vendor's shape, "EE1001: ...", and is handed out once: aclGetRecentErrMsg empties the slot.
 */
#include "core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 2048 };

struct slot {
    int last; /* for aclrtGetLastError */
    bool full;
    char text[TEXT_BYTES]; /* not yet taken */
    char taken[TEXT_BYTES];
};

/* A pointer, not the texts themselves: the engine's hot thread variables sit in the static TLS
 * block, of which a process has little to spare, and all variables of a library go there together.
 */
static _Thread_local struct slot *mine;
static pthread_key_t key; /* frees it at the end of the thread */

__attribute__((constructor)) static void init(void)
{
    pthread_key_create(&key, free);
}

static struct slot *slot_of_thread(void)
{
    static struct slot shared; /* out of memory: threads then see each other's text */

    if (mine)
        return mine;
    mine = calloc(1, sizeof(*mine));
    if (!mine)
        return &shared;
    pthread_setspecific(key, mine);
    return mine;
}

/* First row whose range holds the code names the module that the vendor's text would name. */
static const struct prefix_row {
    int from, to;
    const char *prefix;
} prefixes[] = {
    {107000, 107999, "EE1001"}, /* runtime: parameter */
    {161000, 161999, "EZ1001"}, /* aclnn: parameter */
    {361000, 361999, "EZ9903"}, /* aclnn: call to the runtime */
    {561000, 561999, "EZ9999"}, /* aclnn: inner error */
    {207000, 207999, "EE1002"}, /* runtime: resources */
    {507000, 507999, "EE9999"}, /* runtime: device */
    {100000, 499999, "EH0001"}, /* acl */
};

static const char *prefix_of(int code)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (code >= prefixes[i].from && code <= prefixes[i].to)
            return prefixes[i].prefix;
    }
    return "E19999";
}

static int store(int code, const char *prefix, const char *fmt, va_list ap)
{
    struct slot *slot = slot_of_thread();
    int used = prefix[0] ? snprintf(slot->text, TEXT_BYTES, "%s: ", prefix) : 0;

    vsnprintf(slot->text + used, (size_t)(TEXT_BYTES - used), fmt, ap);
    slot->full = true;
    slot->last = code;
    return code;
}

int npu_rt_fail(int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    store(code, prefix_of(code), fmt, ap);
    va_end(ap);
    return code;
}

NPU_PRINTF(3, 4) static int store_plain(int code, const char *prefix, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    store(code, prefix, fmt, ap);
    va_end(ap);
    return code;
}

int npu_rt_repeat(int code, const char *text)
{
    bool has_prefix = text[0] == 'E' && strlen(text) > 7 && text[6] == ':';

    return store_plain(code, has_prefix ? "" : prefix_of(code), "%s", text);
}

int npu_rt_refuse(const char *function, const char *why)
{
    return npu_rt_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "%s is not supported by this software NPU: %s", function, why);
}

const char *npu_rt_take_message(void)
{
    if (!mine || !mine->full)
        return NULL;
    mine->full = false;
    memcpy(mine->taken, mine->text, TEXT_BYTES);
    return mine->taken;
}

int npu_rt_last_error(bool clear)
{
    int last = mine ? mine->last : 0;

    if (clear && mine)
        mine->last = 0;
    return last;
}
