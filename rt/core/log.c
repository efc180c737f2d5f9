/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the process log, and what the doors share of a process.
 *
 *   <root>/debug/plog/plog-<pid>_<time>.log   debug to error
 *   <root>/run/plog/plog-<pid>_<time>.log     events
 *
 * root: ASCEND_PROCESS_LOG_PATH, else ASCEND_WORK_PATH/log, else no file: nothing appears in $HOME
 * uninvited. ASCEND_SLOG_PRINT_TO_STDOUT=1 prints instead. Rule: the variables are read once; as
 * long as nothing is to be logged, a call costs a load and a comparison.
 */
#define _GNU_SOURCE /* gettid, program_invocation_short_name */
#include "../../engine/engine.h"
#include "core.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FLOOR_UNKNOWN = -1, FLOOR_NONE = 99, PATH_BYTES = 1024 };

static const char *const level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR", "EVENT"};
static const char *const module_names[N_LOG_MODULES] = {"APP", "ASCENDCL", "RUNTIME"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int floor_of[N_LOG_MODULES] = {FLOOR_UNKNOWN, FLOOR_UNKNOWN, FLOOR_UNKNOWN};
static atomic_bool has_events;
static FILE *file_of[2]; /* debug, run */
static bool was_tried[2];

/* ---- variables ---- */

static bool is_set(const char *variable, const char *value)
{
    const char *text = getenv(variable);

    return text && !strcmp(text, value);
}

/* 0 to 4, or fallback. */
static int level_in(const char *text, int fallback)
{
    return text && *text >= '0' && *text <= '4' ? *text - '0' : fallback;
}

/* ASCEND_MODULE_LOG_LEVEL is NAME=level:NAME=level. */
static int module_level(const char *module, int fallback)
{
    const char *at = getenv("ASCEND_MODULE_LOG_LEVEL");
    size_t n = strlen(module);

    for (; at && *at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
        if (!strncmp(at, module, n) && at[n] == '=')
            return level_in(at + n + 1, fallback);
    return fallback;
}

static bool has_place(void)
{
    const char *path = getenv("ASCEND_PROCESS_LOG_PATH"), *work = getenv("ASCEND_WORK_PATH");

    return is_set("ASCEND_SLOG_PRINT_TO_STDOUT", "1") || (path && *path) || (work && *work);
}

/* Locked. */
static void read_variables(void)
{
    int global = level_in(getenv("ASCEND_GLOBAL_LOG_LEVEL"), NPU_LOG_ERROR);

    for (int m = 0; m < N_LOG_MODULES; m++) {
        int level = module_level(module_names[m], global);

        atomic_store(&floor_of[m], has_place() && level <= NPU_LOG_ERROR ? level : FLOOR_NONE);
    }
    atomic_store(&has_events, has_place() && !is_set("ASCEND_GLOBAL_EVENT_ENABLE", "0"));
}

bool npu_rt_log_is_on(enum npu_log_module module, enum npu_log_level level)
{
    int least = atomic_load_explicit(&floor_of[module], memory_order_relaxed);

    if (NPU_UNLIKELY(least == FLOOR_UNKNOWN)) {
        pthread_mutex_lock(&lock);
        read_variables();
        pthread_mutex_unlock(&lock);
        least = atomic_load(&floor_of[module]);
    }
    return level == NPU_LOG_EVENT ? atomic_load(&has_events) : (int)level >= least;
}

/* ---- files ---- */

/* mkdir -p, behind the first character. */
static void make_folders(char *path)
{
    for (char *s = path + 1; (s = strchr(s, '/')); *s++ = '/') {
        *s = '\0';
        mkdir(path, 0750);
    }
    mkdir(path, 0750);
}

/* "20260131235959123" */
static void file_stamp(char *text, size_t room)
{
    struct timespec now;
    struct tm tm;
    size_t n;

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    n = strftime(text, room, "%Y%m%d%H%M%S", &tm);
    snprintf(text + n, room - n, "%03ld", now.tv_nsec / 1000000);
}

static FILE *open_file(const char *kind)
{
    const char *root = getenv("ASCEND_PROCESS_LOG_PATH"), *work = getenv("ASCEND_WORK_PATH");
    char path[PATH_BYTES], when[32];
    int n = -1;

    if (root && *root)
        n = snprintf(path, sizeof(path), "%s/%s/plog", root, kind);
    else if (work && *work)
        n = snprintf(path, sizeof(path), "%s/log/%s/plog", work, kind);
    if (n < 0 || (size_t)n + 64 > sizeof(path))
        return NULL;
    make_folders(path);
    file_stamp(when, sizeof(when));
    snprintf(path + n, sizeof(path) - (size_t)n, "/plog-%d_%s.log", (int)getpid(), when);
    return fopen(path, "ae");
}

/* Locked. */
static FILE *file_for(enum npu_log_level level)
{
    int kind = level == NPU_LOG_EVENT;

    if (is_set("ASCEND_SLOG_PRINT_TO_STDOUT", "1"))
        return stdout;
    if (!was_tried[kind])
        file_of[kind] = open_file(kind ? "run" : "debug");
    was_tried[kind] = true;
    return file_of[kind];
}

/* ---- lines ---- */

static void write_line(FILE *f, enum npu_log_module module, enum npu_log_level level,
                       const char *func, const char *file, uint32_t line, const char *fmt,
                       va_list ap)
{
    struct timespec now;
    struct tm tm;
    char when[32];

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &tm);
    fprintf(f, "[%s] %s(%d,%s):%s.%03ld.%03ld ", level_names[level], module_names[module],
            (int)getpid(), program_invocation_short_name, when, now.tv_nsec / 1000000,
            now.tv_nsec / 1000 % 1000);
    if (file)
        fprintf(f, "[%s:%u]", file, line);
    fprintf(f, "%d %s%s", (int)gettid(), func ? func : "", func ? ": " : "");
    vfprintf(f, fmt, ap);
    fputc('\n', f);
    fflush(f);
}

void npu_rt_vlog(enum npu_log_module module, enum npu_log_level level, const char *func,
                 const char *file, uint32_t line, const char *fmt, va_list ap)
{
    int kept = errno;
    FILE *f;

    if (!npu_rt_log_is_on(module, level))
        return;
    pthread_mutex_lock(&lock);
    f = file_for(level);
    if (f)
        write_line(f, module, level, func, file, line, fmt, ap);
    pthread_mutex_unlock(&lock);
    errno = kept;
}

void npu_rt_log(enum npu_log_module module, enum npu_log_level level, const char *func,
                const char *file, uint32_t line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    npu_rt_vlog(module, level, func, file, line, fmt, ap);
    va_end(ap);
}

/* KERNEL_LOG: its levels are the log's own. */
static void keep_kernel_line(unsigned level, struct npu_where where, const char *text)
{
    if (level <= NPU_LOG_ERROR)
        npu_rt_log(LOG_OF_APP, (enum npu_log_level)level, NULL, where.file, where.line, "%s", text);
}

__attribute__((constructor)) static void init(void)
{
    npu_log_to(keep_kernel_line);
}
