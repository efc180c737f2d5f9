/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - what is wrong but has a defined result: remembered while a kernel runs, told when the
 * launch ends.
 *
 * A place in the program is told once in a process, with the number of times that its first launch
 * came by; a training loop would say the same a million times else. And lines of a kernel's own
 * log, which go to whoever keeps the log of the process.
 */
#include "core_int.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "../base/banned.h"

enum { NOTES = 128 }; /* what goes beyond is counted only */

struct note {
    const char *code;
    struct npu_where where;
    uint32_t times, block_idx;
    char text[320];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct note notes[NOTES];
static uint32_t n_notes, n_told, n_lost;

static bool is_same(const struct note *n, const char *code, struct npu_where where)
{
    return strcmp(n->code, code) == 0 && n->where.line == where.line &&
           (n->where.file == where.file ||
            (n->where.file && where.file && strcmp(n->where.file, where.file) == 0));
}

void npu_note(struct npu_core *c, const char *code, struct npu_where where, const char *fmt, ...)
{
    va_list ap;
    uint32_t i = 0;

    if (c->faulted)
        return;
    (void)pthread_mutex_lock(&lock);
    while (i < n_notes && !is_same(&notes[i], code, where))
        i++;
    if (i == NOTES) {
        n_lost++;
    } else if (i < n_notes) {
        notes[i].times++;
    } else {
        struct note *n = &notes[n_notes++];
        *n = (struct note){.code = code, .where = where, .times = 1, .block_idx = c->block_idx};
        va_start(ap, fmt);
        (void)vsnprintf(n->text, sizeof n->text, fmt, ap);
        va_end(ap);
    }
    (void)pthread_mutex_unlock(&lock);
}

static void tell(const struct note *n, const char *kernel)
{
    char place[256] = "";

    if (n->where.file)
        (void)snprintf(place, sizeof place, "%s:%u: ", n->where.file, n->where.line);
    (void)fprintf(stderr, "nputwin: %s, %snote %s: %s (%u %s, first in block %u)\n", kernel, place,
                  n->code, n->text, n->times, n->times == 1 ? "time" : "times", n->block_idx);
}

void npu_notes_tell(const char *kernel)
{
    static bool said_lost;

    (void)pthread_mutex_lock(&lock);
    for (; n_told < n_notes; n_told++)
        tell(&notes[n_told], kernel);
    if (n_lost && !said_lost) {
        said_lost = true;
        (void)fprintf(stderr, "nputwin: %s, and notes about more than %d places\n", kernel, NOTES);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- log
 * --------------------------------------------------------------------------------------- */

static npu_log_fn *log_sink;

void npu_log_to(npu_log_fn *sink)
{
    log_sink = sink;
}

void npu_kernel_log(struct npu_core *c, unsigned level, struct npu_where where, const char *text)
{
    char line[2200];

    if (!log_sink)
        return;
    if (c)
        (void)snprintf(line, sizeof line, "[%s Block %u/%u] %s",
                       c->core_kind == CORE_AIV ? "AIV" : "AIC", c->block_idx, c->block_dim, text);
    log_sink(level, where, c ? line : text);
}
