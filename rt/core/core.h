/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - the runtime core as the drop-in libraries see it, beyond what rt.h shows to everybody.
 *
 * One process has one core (libascendc_runtime.so). Functions return an aclError and leave the
 * story with npu_rt_fail(), unless said otherwise. Handles are checked before use: a stale or
 * invented one is refused, not followed. All functions may be called by any thread.
 */
#ifndef NPU_RT_CORE_H
#define NPU_RT_CORE_H
#include "../rt.h"

#include <stdarg.h>

enum { NPU_MAX_DEVICES = 16 };

/* aclError numbers that only the core returns. */
enum {
    RT_EVENT_TIMESTAMP_INVALID = 107006,
    RT_EVENT_TIMESTAMP_REVERSAL = 107007,
    RT_STREAM_SUBSCRIBE = 107011,
    RT_THREAD_SUBSCRIBE = 107012,
    RT_STREAM_NO_CB_REG = 107015,
    RT_INVALID_HANDLE = 107017,
    RT_WAIT_TIMEOUT = 107019,
    RT_CAPTURE_DEPENDENCY = 107024,
    RT_STREAM_UNJOINED = 107025,
    RT_MODEL_CAPTURED = 107026,
    RT_STREAM_CAPTURED = 107027,
    RT_EVENT_CAPTURED = 107028,
    RT_STREAM_NOT_CAPTURED = 107029,
    RT_CAPTURE_MODE_NOT_SUPPORT = 107030,
    RT_STREAM_CAPTURE_IMPLICIT = 107031,
    RT_STREAM_CAPTURE_CONFLICT = 107032,
    RT_TASK_GROUP_STATUS = 107033,
    RT_TASK_GROUP_INTR = 107034,
    RT_STREAM_CAPTURE_UNMATCHED = 107036,
    RT_MODEL_RUNNING = 107037,
    RT_STREAM_CAPTURE_WRONG_THREAD = 107038,
    RT_CAPTURE_MODE_BLOCK_ASYNC = 107041,
    RT_MEMORY_FREE = 207002,
    RT_NO_DEVICE = 207004,
    RT_RESOURCE_ALLOC_FAIL = 207005,
    RT_TASK_TYPE_NOT_SUPPORT = 507009,
    RT_VECTOR_CORE_TIMEOUT = 507034,
    RT_REPORT_TIMEOUT = 507012,
    RT_EVENT_SYNC_TIMEOUT = 507047
};

/* ---- errors ---- */
/* Last error code of this thread; clear: forget it. */
NPU_API int npu_rt_last_error(bool clear);
/* Refuses a whole function by name: ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
NPU_API int npu_rt_refuse(const char *function, const char *why);
/* Sets this thread's message and last error without the "E....: " prefix being added again. */
NPU_API int npu_rt_repeat(int code, const char *text);

/* ---- process log (log.c) ---- */
/* Levels of aclAppLog and of the log's variables; events go to a file of their own. */
enum npu_log_level { NPU_LOG_DEBUG, NPU_LOG_INFO, NPU_LOG_WARNING, NPU_LOG_ERROR, NPU_LOG_EVENT };
enum npu_log_module { LOG_OF_APP, LOG_OF_ACL, LOG_OF_RUNTIME, N_LOG_MODULES };
/* One load and one comparison while nothing is logged. */
NPU_API bool npu_rt_log_is_on(enum npu_log_module module, enum npu_log_level level);
/* func, file: may be NULL. */
NPU_API void npu_rt_log(enum npu_log_module module, enum npu_log_level level, const char *func,
                        const char *file, uint32_t line, const char *fmt, ...) NPU_PRINTF(6, 7);
NPU_API void npu_rt_vlog(enum npu_log_module module, enum npu_log_level level, const char *func,
                         const char *file, uint32_t line, const char *fmt, va_list ap);

/* ---- aclInit, counted over all doors ---- */
/* How often it was called since the last end, this call included. */
NPU_API uint64_t npu_rt_count_init(void);
/* all: the count becomes 0; else one less. left: what remains; may be NULL. False when it was 0. */
NPU_API bool npu_rt_end_inits(bool all, uint64_t *left);

/* Warns once, on stderr and in the log, when a variable that says where operator packages are was
 * changed since the first aclInit. For calls that are rare. */
NPU_API void npu_rt_look_at_opp_path(void);

/* Process-wide settings that the doors share: kept and read back. */
enum npu_setting {
    SETTING_EXECUTE_LIMIT_US,
    SETTING_WAIT_LIMIT_MS, /* -1 at the start */
    SETTING_SYS_OPT,       /* one each of aclSysParamOpt */
    N_SETTINGS = SETTING_SYS_OPT + 8
};
NPU_API int64_t npu_rt_setting(uint32_t setting);
NPU_API void npu_rt_set_setting(uint32_t setting, int64_t value);

/* ---- devices and contexts ---- */
struct npu_context;
/* Devices this process sees: NPUTWIN_DEVICES filtered by ASCEND_RT_VISIBLE_DEVICES; -1 and the
 * message when either is not well formed. */
NPU_API int npu_rt_device_count(void);
/* Number on the machine of a visible device. */
NPU_API int npu_rt_physical_device(int device);
NPU_API int npu_rt_check_device(int device, const char *who);
NPU_API int npu_rt_set_device(int device);
/* Waits for the device's tasks, forgets its error and unsets it for this thread. */
NPU_API int npu_rt_reset_device(int device);
NPU_API bool npu_rt_device_active(int device);
/* The program reads messages: what stopped a device needs no line on stderr when it ends. */
void rt_device_told(void);
NPU_API int npu_rt_context_create(struct npu_context **out, int device);
NPU_API int npu_rt_context_destroy(struct npu_context *ctx);
NPU_API int npu_rt_context_set(struct npu_context *ctx);
NPU_API struct npu_context *npu_rt_context(void); /* NULL: none, without a message */
/* Current device of this thread, or -1 with the 107002 message naming who. A thread that set none
 * gets the default device, if aclInit was given one. */
NPU_API int npu_rt_need_device(const char *who);
NPU_API int npu_rt_set_default_device(int device);
NPU_API int npu_rt_fail_no_device(const char *who);

/* ---- streams ---- */
NPU_API int npu_rt_stream_create(struct npu_stream **out, uint32_t priority, uint32_t flags);
/* Waits until it is empty, unless force: then what has not begun is dropped. */
NPU_API int npu_rt_stream_destroy(struct npu_stream *s, bool force);
/* Checks the handle; NULL becomes the default stream. NULL with the message when it is bad. */
NPU_API struct npu_stream *npu_rt_stream(struct npu_stream *s, const char *who);
NPU_API int npu_rt_stream_device(const struct npu_stream *s);
NPU_API uint32_t npu_rt_stream_id(const struct npu_stream *s);
NPU_API uint32_t npu_rt_stream_priority(const struct npu_stream *s);
NPU_API uint32_t npu_rt_stream_flags(const struct npu_stream *s);
/* idle: nothing queued or running. Returns the sticky error of its device. */
NPU_API int npu_rt_stream_query(struct npu_stream *s, bool *idle);
/* timeout_ms < 0: for ever. */
NPU_API int npu_rt_stream_synchronize(struct npu_stream *s, int64_t timeout_ms);
NPU_API int npu_rt_device_synchronize(int device, int64_t timeout_ms);
/* True when a task given now would have to wait: its host operands must then be copied. */
NPU_API bool npu_rt_stream_would_queue(struct npu_stream *s);
/* Parks the stream until *addr meets value; mode is ACL_STREAM_WAIT_VALUE_*. */
NPU_API int npu_rt_stream_wait_value(struct npu_stream *s, const uint64_t *addr, uint64_t value,
                                     uint32_t mode);
/* Small per-stream settings that are kept and read back: ACL_STREAM_ATTR_* (1..5). */
NPU_API int npu_rt_stream_set_attr(struct npu_stream *s, uint32_t attr, uint64_t value);
NPU_API int npu_rt_stream_get_attr(struct npu_stream *s, uint32_t attr, uint64_t *value);

/* ---- host callbacks ---- */
typedef void npu_host_fn(void *arg);
/* Runs fn on the runtime's own thread in stream order; the stream goes on afterwards. */
NPU_API int npu_rt_host_call(struct npu_stream *s, npu_host_fn *fn, void *arg);
NPU_API int npu_rt_report_subscribe(uint64_t thread, struct npu_stream *s);
NPU_API int npu_rt_report_unsubscribe(uint64_t thread, struct npu_stream *s);
/* Hands fn to the thread that subscribed the stream; block: the stream waits for its end. */
NPU_API int npu_rt_report_call(struct npu_stream *s, npu_host_fn *fn, void *arg, bool block);
/* Runs one waiting callback of this thread. */
NPU_API int npu_rt_report_process(int64_t timeout_ms);

/* ---- events ---- */
struct npu_event;
enum {
    EVENT_SYNC = 1,
    EVENT_TIME_LINE = 8,
    EVENT_EXTERNAL = 0x20,
    EVENT_EX = 1 << 30
}; /* EX: aclrtCreateEventExWithFlag */
NPU_API int npu_rt_event_create(struct npu_event **out, uint32_t flags);
NPU_API int npu_rt_event_destroy(struct npu_event *e);
NPU_API int npu_rt_event_record(struct npu_event *e, struct npu_stream *s);
NPU_API int npu_rt_event_reset(struct npu_event *e, struct npu_stream *s);
NPU_API int npu_rt_event_wait(struct npu_stream *s, struct npu_event *e, int64_t timeout_ms);
NPU_API int npu_rt_event_synchronize(struct npu_event *e, int64_t timeout_ms);
/* recorded: a record was given and has been reached. waits: no stream still waits for it. */
NPU_API int npu_rt_event_query(struct npu_event *e, bool *recorded, bool *waits_done);
/* CLOCK_MONOTONIC ns of the last record that was reached. */
NPU_API int npu_rt_event_time(struct npu_event *e, uint64_t *ns, const char *who);
NPU_API int npu_rt_event_id(struct npu_event *e, uint32_t *id);

/* ---- captured graphs (graph.c): aclmdlRI ---- */
struct npu_graph;
struct npu_task_group;
enum npu_capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED, N_CAPTURE_MODES };
enum npu_capture_status { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };
/* Tasks of the stream go into a graph, and of each stream that waits for an event recorded there.
 */
NPU_API int npu_rt_capture_begin(struct npu_stream *s, uint32_t mode);
/* *out is NULL unless the whole capture was in order. */
NPU_API int npu_rt_capture_end(struct npu_stream *s, struct npu_graph **out);
NPU_API int npu_rt_capture_info(struct npu_stream *s, enum npu_capture_status *status,
                                struct npu_graph **graph);
/* The mode of this thread becomes *mode, which gets the former one. */
NPU_API int npu_rt_capture_exchange_mode(uint32_t *mode);
/* A function that no capture can record, called by this thread: 0, or 107030 and the captures that
 * forbid it are broken. One load while nothing captures. */
NPU_API int npu_rt_capture_check_unsafe(const char *who);
/* An asynchronous copy of pageable host memory would be a synchronous one. */
NPU_API int npu_rt_capture_check_pageable(struct npu_stream *s, const void *host, const char *who);
NPU_API int npu_rt_graph_execute(struct npu_graph *g, struct npu_stream *s);
NPU_API int npu_rt_graph_destroy(struct npu_graph *g);
NPU_API int npu_rt_graph_id(struct npu_graph *g, uint32_t *id);
/* At most NPU_GRAPH_NAME_BYTES, the end included; longer ones are cut. */
enum { NPU_GRAPH_NAME_BYTES = 512 };
NPU_API int npu_rt_graph_set_name(struct npu_graph *g, const char *name);
NPU_API int npu_rt_graph_name(struct npu_graph *g, char *name, uint32_t room);
/* To the process log; to a file that chrome://tracing shows (verbose: with the blocks of kernels).
 */
NPU_API int npu_rt_graph_log(struct npu_graph *g);
NPU_API int npu_rt_graph_write_json(struct npu_graph *g, const char *path, bool verbose);
/* fn(arg) when the graph is destroyed. */
NPU_API int npu_rt_graph_on_destroy(struct npu_graph *g, npu_host_fn *fn, void *arg);
NPU_API int npu_rt_graph_not_on_destroy(struct npu_graph *g, npu_host_fn *fn);
/* Tasks given between begin and end can be replaced later by as many others. */
NPU_API int npu_rt_group_begin(struct npu_stream *s);
NPU_API int npu_rt_group_end(struct npu_stream *s, struct npu_task_group **out);
/* Tasks given to s in between are not run: they replace those of the group, in the order of s. */
NPU_API int npu_rt_update_begin(struct npu_stream *s, struct npu_task_group *group);
NPU_API int npu_rt_update_end(struct npu_stream *s);

/* ---- memory ---- */
enum npu_place { PLACE_UNKNOWN, PLACE_DEVICE, PLACE_HOST };
enum npu_copy_kind { /* numbers of aclrtMemcpyKind */
                     COPY_H2H,
                     COPY_H2D,
                     COPY_D2H,
                     COPY_D2D,
                     COPY_DEFAULT,
                     COPY_H2BUF2D,
                     COPY_INNER_D2D,
                     COPY_INTER_D2D,
                     N_COPY_KINDS
};
struct npu_allocation {
    uint64_t at, bytes;
    int device; /* -1: host */
    enum npu_place place;
};
/* Device memory of the current device, 512-byte aligned. */
NPU_API int npu_rt_malloc(void **out, size_t bytes, const char *who);
NPU_API int npu_rt_free(void *p, const char *who);
NPU_API int npu_rt_malloc_host(void **out, size_t bytes, const char *who);
NPU_API int npu_rt_free_host(void *p, const char *who);
/* Existing host memory joins the registry (pinned) or leaves it. */
NPU_API int npu_rt_host_register(void *p, size_t bytes, const char *who);
NPU_API int npu_rt_host_unregister(void *p, const char *who);
/* The allocation that holds p; false when p is not ours. */
NPU_API bool npu_rt_find(const void *p, struct npu_allocation *out);
NPU_API int npu_rt_mem_info(int device, size_t *free_bytes, size_t *total_bytes);
struct npu_copy {
    void *dst;
    const void *src;
    size_t dst_pitch, src_pitch, width, height; /* flat: height 1, width = bytes */
    enum npu_copy_kind kind;
};
NPU_API int npu_rt_copy(const struct npu_copy *c, const char *who);
NPU_API int npu_rt_copy_async(const struct npu_copy *c, struct npu_stream *s, const char *who);
NPU_API int npu_rt_fill(void *dst, size_t max, uint32_t value, uint32_t value_bytes, size_t n,
                        const char *who);
NPU_API int npu_rt_fill_async(void *dst, size_t max, uint32_t value, uint32_t value_bytes, size_t n,
                              struct npu_stream *s, const char *who);

/* ---- binaries of kernels, and launches by handle (binary.c, args.c) ---- */
struct npu_binary;
struct npu_function; /* of a binary, or of the program itself */
struct npu_args;     /* a list of arguments under construction */
NPU_API int npu_rt_binary_load(struct npu_binary **out, const void *data, size_t bytes,
                               const char *who);
/* The linker's name of the kernel whose address is the value of a variable of the binary; malloc'd,
 * NULL with the message when there is none. Needs no device. */
NPU_API char *npu_rt_binary_symbol(const void *data, size_t bytes, const char *variable,
                                   const char *who);
NPU_API int npu_rt_binary_load_file(struct npu_binary **out, const char *path, const char *who);
/* Handles into it end here; its code goes when the last launch of it has ended. */
NPU_API int npu_rt_binary_unload(struct npu_binary *b, const char *who);
/* aclrtCreateBinary: only where the bytes are; they stay the caller's. NULL with the message. */
struct npu_image;
NPU_API struct npu_image *npu_rt_image_new(const void *data, size_t bytes, const char *who);
NPU_API int npu_rt_image_free(struct npu_image *i, const char *who);
NPU_API int npu_rt_image(const struct npu_image *i, const void **data, size_t *bytes,
                         const char *who);
NPU_API int npu_rt_binary_function(struct npu_binary *b, const char *name,
                                   struct npu_function **out, const char *who);
/* The function whose name ends in _<entry>. */
NPU_API int npu_rt_binary_function_by_entry(struct npu_binary *b, uint64_t entry,
                                            struct npu_function **out, const char *who);
NPU_API int npu_rt_function_of_symbol(const void *symbol, struct npu_function **out,
                                      const char *who);
NPU_API int npu_rt_function_binary(const struct npu_function *f, struct npu_binary **out,
                                   const char *who);
struct npu_function_info {
    const char *symbol; /* borrowed until its binary is unloaded */
    uint32_t kind, n_params;
    void *aic, *aiv; /* code; NULL where it has none */
};
NPU_API int npu_rt_function_info(const void *function, struct npu_function_info *out,
                                 const char *who);
/* Where parameter i stands in a block of arguments: each at its own alignment, in order. */
NPU_API int npu_rt_function_param(const void *function, size_t i, size_t *at, size_t *bytes,
                                  const char *who);

/* A place in a block of arguments that is to hold the address of another place in it. */
struct npu_placeholder {
    uint32_t addr_at, data_at;
};
/* Of a launch: stop what has not ended after so many microseconds; 0: never. */
enum { LIMIT_OF_PROCESS = -1 /* what aclrtSetOpExecuteTimeOut says when it runs */ };
/* All check what they are given, copy the arguments and launch in stream order. function: a handle
 * or a host symbol. */
NPU_API int npu_rt_launch_array(const void *function, uint32_t n_blocks, struct npu_stream *s,
                                void *const *arg, int64_t limit_us, const char *who);
NPU_API int npu_rt_launch_host(const void *function, uint32_t n_blocks, struct npu_stream *s,
                               const void *args, size_t bytes, const struct npu_placeholder *place,
                               size_t n_places, int64_t limit_us, const char *who);
/* args: device memory, read when the launch runs. */
NPU_API int npu_rt_launch_device(const void *function, uint32_t n_blocks, struct npu_stream *s,
                                 const void *args, size_t bytes, int64_t limit_us, const char *who);
NPU_API int npu_rt_launch_args(const struct npu_function *f, uint32_t n_blocks,
                               struct npu_stream *s, struct npu_args *args, int64_t limit_us,
                               const char *who);

/* Lists of arguments: at most 128, in order. They live as long as their function's binary. */
NPU_API size_t npu_rt_args_bytes(void);
NPU_API int npu_rt_args_new(const struct npu_function *f, struct npu_args **out, const char *who);
/* In memory of the caller: at is npu_rt_args_bytes() long, room of data holds the values. */
NPU_API int npu_rt_args_init(const struct npu_function *f, struct npu_args *at, void *data,
                             size_t room, const char *who);
/* param: a number from 1 on, never 0. */
NPU_API int npu_rt_args_append(struct npu_args *a, const void *value, size_t bytes,
                               uintptr_t *param, const char *who);
NPU_API int npu_rt_args_append_placeholder(struct npu_args *a, uintptr_t *param, const char *who);
NPU_API int npu_rt_args_placeholder(struct npu_args *a, uintptr_t param, size_t bytes, void **out,
                                    const char *who);
NPU_API int npu_rt_args_update(struct npu_args *a, uintptr_t param, const void *value, size_t bytes,
                               const char *who);
NPU_API int npu_rt_args_finalize(struct npu_args *a, const char *who);

/* ---- virtual memory ---- */
struct npu_physical;
NPU_API int npu_rt_vm_reserve(void **out, size_t bytes, size_t alignment, void *want);
NPU_API int npu_rt_vm_release(void *p);
NPU_API int npu_rt_physical_create(struct npu_physical **out, size_t bytes, int device, bool host);
NPU_API int npu_rt_physical_destroy(struct npu_physical *h);
NPU_API int npu_rt_vm_map(void *at, size_t bytes, size_t offset, struct npu_physical *h);
NPU_API int npu_rt_vm_unmap(void *at);
NPU_API int npu_rt_physical_export(struct npu_physical *h, bool to_all, uint64_t *shareable);
/* Processes that may import what this one exported. */
NPU_API int npu_rt_physical_invite(uint64_t shareable, const int32_t *pid, size_t n);
NPU_API int npu_rt_physical_import(uint64_t shareable, int device, struct npu_physical **out);
NPU_API size_t npu_rt_vm_granularity(void);

#endif
