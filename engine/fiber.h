/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber.h - a stack of its own for each block, and switching to it and back.
 *
 * Switching is boost.context's (two C symbols). Each fiber keeps its own C++ exception state, so a
 * kernel may wait inside a catch block. A fiber stays on the thread that started it.
 */
#ifndef NPU_FIBER_H
#define NPU_FIBER_H
#include <stdbool.h>
#include <stddef.h>

typedef void npu_fiber_fn(void *arg);

struct npu_fiber {
    void *stack; /* lowest address; the caller's, with a guard page below */
    size_t stack_bytes;
    npu_fiber_fn *fn;
    void *arg;
    bool is_done;
    void *context;      /* where it stands while it is not running */
    void *host_context; /* who resumed it */
    struct {
        void *caught;
        unsigned uncaught;
    } exceptions, host_exceptions;
    void *tsan, *host_tsan, *host_fake;
    const void *host_stack; /* for the address sanitizer */
    size_t host_stack_bytes;
};

/* stack, stack_bytes are set. Called once before anything else, and once at the end. */
void npu_fiber_init(struct npu_fiber *f);
void npu_fiber_finish(struct npu_fiber *f);
/* Makes f ready to run fn(arg) from the start. */
void npu_fiber_start(struct npu_fiber *f, npu_fiber_fn *fn, void *arg);
/* Runs f until it yields or ends. */
void npu_fiber_resume(struct npu_fiber *f);
/* Called on f: back to who resumed it. */
void npu_fiber_yield(struct npu_fiber *f);
/* Called on f: ends it without returning from its functions. */
_Noreturn void npu_fiber_abandon(struct npu_fiber *f);
#endif
