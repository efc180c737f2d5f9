/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - the error text and the last error code of each thread.
 *
 * Apart so that every other file can fail without knowing how the text is kept. A text has the
 * vendor's shape, "EE1001: ...", and is handed out once: aclGetRecentErrMsg empties the slot.
 */
#include "core.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 2048 };

struct slot {
    int last; /* for aclrtGetLastError */
    bool full;
    char text[TEXT_BYTES]; /* not yet taken */
    char taken[TEXT_BYTES];
    int last_stored; /* what the text is about */
    struct timespec at;
    char report[TEXT_BYTES + 1024]; /* the text as aclGetRecentErrMsg gives it */
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

/* Rows of ecode.def. */
static const struct ecode {
    int from, to;
    const char *code, *title, *cause, *solution;
} ecodes[] = {
#define ECODE(from, to, code, title, cause, solution) {from, to, code, title, cause, solution},
#include "../ecode.def"
};

static const struct {
    int number;
    const char *name, *brief;
} names[] = {
#define ACLERR(name, number, brief)  {number, #name, brief},
#define ACLCODE(name, number, brief) {number, #name, brief},
#include "../aclerr.def"
};

static const struct ecode *ecode_of(int code)
{
    const struct ecode *e = ecodes;

    while (code < e->from || code > e->to)
        e++;
    return e;
}

static const char *prefix_of(int code)
{
    return ecode_of(code)->code;
}

static int store(int code, const char *prefix, const char *fmt, va_list ap)
{
    struct slot *slot = slot_of_thread();
    int used = prefix[0] ? snprintf(slot->text, TEXT_BYTES, "%s: ", prefix) : 0;

    vsnprintf(slot->text + used, (size_t)(TEXT_BYTES - used), fmt, ap);
    slot->full = true;
    slot->last = slot->last_stored = code;
    clock_gettime(CLOCK_REALTIME, &slot->at);
    if (npu_rt_log_is_on(LOG_OF_RUNTIME, NPU_LOG_ERROR))
        npu_rt_log(LOG_OF_RUNTIME, NPU_LOG_ERROR, NULL, NULL, 0, "%s", slot->text);
    return code;
}

int(npu_rt_fail)(int code, const char *fmt, ...)
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

/* "2026-01-31-23:59:59.123.456" */
static void stamp(char *text, size_t room, const struct timespec *at)
{
    struct tm tm;
    size_t n;

    localtime_r(&at->tv_sec, &tm);
    n = strftime(text, room, "%Y-%m-%d-%H:%M:%S", &tm);
    snprintf(text + n, room - n, ".%03ld.%03ld", at->tv_nsec / 1000000, at->tv_nsec / 1000 % 1000);
}

/* The row that the sentence's own prefix names (a sticky error keeps the prefix of its first
 * report), else that of the number. */
static const struct ecode *ecode_of_text(const char *text, int code)
{
    for (size_t i = 0; i < sizeof(ecodes) / sizeof(ecodes[0]); i++)
        if (!strncmp(ecodes[i].code, text, 6) && code >= ecodes[i].from && code <= ecodes[i].to)
            return &ecodes[i];
    return ecode_of(code);
}

const char *npu_rt_take_report(void)
{
    const char *text = npu_rt_take_message(), *name = NULL, *brief = "";
    const struct ecode *e;
    char when[48];

    if (!text)
        return NULL;
    rt_device_told();
    e = ecode_of_text(text, mine->last_stored);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].number != mine->last_stored)
            continue;
        name = names[i].name;
        brief = names[i].brief;
    }
    if (strlen(text) > 8 && text[6] == ':')
        text += 8;
    stamp(when, sizeof(when), &mine->at);
    snprintf(mine->report, sizeof(mine->report),
             "%s: [PID: %d] %s %s\n"
             "        Possible Cause: %s.\n"
             "        Solution: %s\n"
             "        TraceBack (most recent call last):\n"
             "        %s (%d): %s\n",
             e->code, (int)getpid(), when, text, e->cause, e->solution, name ? name : "error",
             mine->last_stored, name ? brief : e->title);
    return mine->report;
}

int npu_rt_last_error(bool clear)
{
    int last = mine ? mine->last : 0;

    if (clear && mine)
        mine->last = 0;
    return last;
}
