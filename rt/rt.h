/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - the runtime core under every drop-in CANN library: errors, device, streams, memory.
 *
 * libascendc_runtime.so holds it, together with isa/, base/ and engine/; libascendcl.so,
 * libopapi.so and the others link to that one, so a process has one device state.
 *
 * Streams are in-order queues. A task runs at enqueue, on the calling thread, when nothing ahead
 * of it waits; otherwise when what it waits for has happened. Errors of a task are sticky: from
 * then on every synchronise and copy of that device returns the code, with the story in
 * aclGetRecentErrMsg().
 */
#ifndef NPU_RT_H
#define NPU_RT_H
#include "../isa/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* aclError numbers used by more than one library; the rest stand beside their only user. */
enum npu_acl {
    ACL_OK = 0,
#define ACLERR(name, number, brief) name = number,
#include "aclerr.def"
};

/* ---- errors: text per thread ---- */
/* Stores "E<letter><4 digits>: ..." text of this thread for aclGetRecentErrMsg and returns code. */
NPU_API int npu_rt_fail(int code, const char *fmt, ...) NPU_PRINTF(2, 3);
#ifdef __clang_analyzer__ /* it does not see the body: what is returned is code, not 0 */
#define npu_rt_fail(code, ...)                                                                     \
    __extension__({                                                                                \
        const int code_ = (code);                                                                  \
        npu_rt_fail(code_, __VA_ARGS__);                                                           \
        code_;                                                                                     \
    })
#endif
/* The text of this thread, or NULL; borrowed until the thread's next call that fails or takes it.
 */
NPU_API const char *npu_rt_take_message(void);

/* The same as aclGetRecentErrMsg gives it: code, process, time, sentence, cause, solution and the
 * name of the number, in the vendor's layout. Borrowed until this thread's next report. */
NPU_API const char *npu_rt_take_report(void);

/* ---- device ---- */
/* SoC of this process; NULL (with the message set) when NPUTWIN_SOC is unknown. */
NPU_API const struct npu_soc *npu_rt_soc(void);
/* Current device of this thread, -1 when none was set. */
NPU_API int npu_rt_device(void);
/* Sticky error code of a device, 0 when it is well; sets this thread's message when it is not. */
NPU_API int npu_rt_device_error(int device);
/* Makes code sticky on a device. The first one wins. */
NPU_API void npu_rt_device_poison(int device, int code, const char *text);
/* An operator's first phase failed with rc. Does nothing unless that ran behind the caller's back,
 * on the thread that torch_npu has with TASK_QUEUE_ENABLE=2: then the device is not usable any
 * more, as after an error of the second phase. */
NPU_API void npu_rt_poison_behind_queue(int rc);

/* ---- streams ---- */
struct npu_stream;
/* A task returns an aclError; message: where to put the story of a failure. */
typedef int npu_task_fn(void *arg, struct npu_diag *story);
/* Runs fn(arg) in stream order: now when the stream is idle (arg is then only borrowed), else later
 * on a copy made by copy(arg) and released by drop(). stream NULL: default stream of the current
 * device. Returns the task's code when it ran at once, 0 when it was queued, or 107xxx for a bad
 * stream. name shows up in messages. copy NULL: arg is handed over and drop(arg) is called in any
 * case. */
NPU_API int npu_rt_enqueue(struct npu_stream *stream, const char *name, npu_task_fn *fn, void *arg,
                           void *(*copy)(const void *arg), void (*drop)(void *arg));
/* nputwin_launch() of a kernel of an operator package: the tiling key may say on which cores it
 * runs. */
NPU_API uint32_t npu_rt_launch_keyed(const void *key, uint64_t tiling_key, uint32_t block_dim,
                                     void *stream, void (*call)(void (*fn)(void), const void *args),
                                     const void *args, void *(*copy)(const void *args),
                                     void (*drop)(void *copy));
/* Waits until the stream is empty; returns the sticky error of its device or 0. */
NPU_API int npu_rt_synchronize(struct npu_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
