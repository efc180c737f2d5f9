/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.c - see fiber.h. The sanitizers must be told of every switch. */
#include "fiber.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif
#include "../base/banned.h"

struct transfer {
    void *from, *data;
};
/* libboost_context, whose headers are C++. */
extern struct transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *stack_top, size_t bytes, void (*fn)(struct transfer));

/* ---- C++ exception state of this thread (Itanium ABI: two words) ------------------------------
 */

struct exceptions {
    void *caught;
    unsigned uncaught;
};
static struct exceptions *(*get_exceptions)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Kernels are C++, so libstdc++ is in the process by now; it may have been loaded privately. */
static void find_exceptions(void)
{
    void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *sym = dlsym(lib ? lib : RTLD_DEFAULT, "__cxa_get_globals");

    *(void **)&get_exceptions = sym;
}

static struct exceptions *exceptions_now(void)
{
    static _Thread_local struct exceptions *cached __attribute__((tls_model("initial-exec")));

    if (!cached) {
        (void)pthread_once(&once, find_exceptions);
        if (get_exceptions)
            cached = get_exceptions();
    }
    return cached;
}

/* ---- what the sanitizers want to know ----------------------------------------------------------
 */

/* Functions that begin on one stack and end on another, or never: thread sanitizer must not count
 * their calls, or its picture of the stacks drifts until it gives up. */
#define UNSEEN __attribute__((no_sanitize("thread")))

static UNSEEN void leave_host(struct npu_fiber *f)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&f->host_fake, f->stack, f->stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    f->host_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->tsan, 0);
#endif
    (void)f;
}

static UNSEEN void arrive_at_host(struct npu_fiber *f)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(f->host_fake, NULL, NULL);
#endif
    (void)f;
}

static UNSEEN void arrive_at_fiber(struct npu_fiber *f, void *fake)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake, &f->host_stack, &f->host_stack_bytes);
#endif
    (void)f;
    (void)fake;
}

static UNSEEN void leave_fiber(struct npu_fiber *f, void **fake)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(fake, f->host_stack, f->host_stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(f->host_tsan, 0);
#endif
    (void)f;
    (void)fake;
}

/* ---- life --------------------------------------------------------------------------------------
 */

void npu_fiber_init(struct npu_fiber *f)
{
#if defined(__SANITIZE_THREAD__)
    f->tsan = __tsan_create_fiber(0);
#endif
    (void)f;
}

void npu_fiber_finish(struct npu_fiber *f)
{
#if defined(__SANITIZE_THREAD__)
    if (f->tsan)
        __tsan_destroy_fiber(f->tsan);
    f->tsan = NULL;
#endif
    (void)f;
}

static _Noreturn UNSEEN void end(struct npu_fiber *f)
{
    f->is_done = true;
    leave_fiber(f, NULL);
    (void)jump_fcontext(f->host_context, NULL);
    abort(); /* nobody resumes a fiber that is done */
}

static UNSEEN void entry(struct transfer t)
{
    struct npu_fiber *f = t.data;

    f->host_context = t.from;
    arrive_at_fiber(f, NULL);
    f->fn(f->arg);
    end(f);
}

void npu_fiber_start(struct npu_fiber *f, npu_fiber_fn *fn, void *arg)
{
    f->fn = fn;
    f->arg = arg;
    f->is_done = false;
    f->exceptions.caught = NULL;
    f->exceptions.uncaught = 0;
    f->context = make_fcontext((char *)f->stack + f->stack_bytes, f->stack_bytes, entry);
}

UNSEEN void npu_fiber_resume(struct npu_fiber *f)
{
    struct exceptions *now = exceptions_now();

    if (now) {
        f->host_exceptions.caught = now->caught;
        f->host_exceptions.uncaught = now->uncaught;
        now->caught = f->exceptions.caught;
        now->uncaught = f->exceptions.uncaught;
    }
    leave_host(f);
    f->context = jump_fcontext(f->context, f).from;
    arrive_at_host(f);
    if (now) {
        f->exceptions.caught = now->caught;
        f->exceptions.uncaught = now->uncaught;
        now->caught = f->host_exceptions.caught;
        now->uncaught = f->host_exceptions.uncaught;
    }
}

UNSEEN void npu_fiber_yield(struct npu_fiber *f)
{
    void *fake = NULL;

    leave_fiber(f, &fake);
    f->host_context = jump_fcontext(f->host_context, NULL).from;
    arrive_at_fiber(f, fake);
}

UNSEEN void npu_fiber_abandon(struct npu_fiber *f)
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(f->stack, f->stack_bytes);
#endif
    end(f);
}
