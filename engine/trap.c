/* SPDX-License-Identifier: Apache-2.0 */
/* trap.c - see trap.h. */
#include "trap.h"
#include "core_int.h"
#include "slot.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "../base/banned.h"

enum { ALT_STACK_BYTES = 64 * 1024, UB_GUARD_BYTES = 4096 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { N_SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[N_SIGNALS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- naming what happened
 * -------------------------------------------------------------------------- */

static void record(struct npu_core_int *c, int sig, const siginfo_t *info)
{
    const uint8_t *at = info->si_addr, *stack = c->fiber.stack, *ub = c->pub.mem[MEM_UB].base;
    const uint32_t ub_bytes = c->pub.mem[MEM_UB].bytes;
    const char *after = c->where.file ? "the last instruction was here; then " : "";

    if (sig == SIGFPE)
        npu_fault(&c->pub, NPU_E_ARG, c->where, "%sthe kernel divided an integer by zero", after);
    else if (at >= stack - NPU_STACK_GUARD_BYTES && at < stack)
        npu_fault(&c->pub, NPU_E_RANGE, c->where,
                  "%sthe kernel's stack overflowed its %zu KB: use smaller local arrays", after,
                  c->fiber.stack_bytes / 1024);
    else if (ub && at >= ub + ub_bytes && at < ub + ub_bytes + UB_GUARD_BYTES)
        npu_fault(&c->pub, NPU_E_RANGE, c->where, "%sthe kernel touched UB byte %zu of %u", after,
                  (size_t)(at - ub), ub_bytes);
    else
        npu_fault(&c->pub, NPU_E_RANGE, c->where,
                  "%sthe kernel touched address %p, which is not mapped", after, (const void *)at);
}

/* ---- leaving the kernel
 * ---------------------------------------------------------------------------- */

static _Noreturn void landing(void)
{
    npu_fiber_abandon(&npu_core_now->fiber);
}

/* Makes the interrupted thread go on in landing(), at the top of the fiber's stack. */
static bool redirect(struct npu_core_int *c, void *context)
{
    ucontext_t *u = context;
    const uintptr_t top = ((uintptr_t)c->fiber.stack + c->fiber.stack_bytes) & ~(uintptr_t)63;

#if defined(__x86_64__)
    c->is_leaving = true;
    u->uc_mcontext.gregs[REG_RSP] = (greg_t)(top - 64 - 8); /* as if called */
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)landing;
    return true;
#elif defined(__aarch64__)
    c->is_leaving = true;
    u->uc_mcontext.sp = top - 64;
    u->uc_mcontext.pc = (uintptr_t)landing;
    return true;
#else
    (void)u;
    (void)top;
    (void)c;
    return false;
#endif
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    for (size_t i = 0; i < N_SIGNALS; i++) {
        const struct sigaction *old = &before[i];
        if (signals[i] != sig)
            continue;
        if (old->sa_flags & SA_SIGINFO)
            old->sa_sigaction(sig, info, context);
        else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN)
            (void)sigaction(sig, old, NULL); /* the instruction faults again, now for good */
        else
            old->sa_handler(sig);
    }
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct npu_core_int *c = npu_core_now;

    /* Only what the instruction itself raised; a signal sent by kill has si_code <= 0. A second one
     * on the way out is the engine's own fault: landing again would raise it for ever. */
    if (!c || c->is_leaving || info->si_code <= 0) {
        pass_on(sig, info, context);
        return;
    }
    record(c, sig, info);
    if (!redirect(c, context))
        pass_on(sig, info, context);
}

/* ---- kernels that do not end
 * ------------------------------------------------------------------------- */

/* Ignored by default, so one that comes late does no harm. */
enum { KICK = SIGURG };
static struct sigaction before_kick;

static uintptr_t pc_of(const void *context)
{
    const ucontext_t *u = context;

#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)u->uc_mcontext.pc;
#else
    (void)u;
    return 0;
#endif
}

static void on_kick(int sig, siginfo_t *info, void *context)
{
    struct npu_core_int *c = npu_core_now;
    const struct npu_deadline *d = c && c->run ? npu_run_deadline(c->run) : NULL;
    const uintptr_t pc = pc_of(context);

    if (info->si_code != SI_TKILL) { /* somebody else's */
        if (before_kick.sa_flags & SA_SIGINFO)
            before_kick.sa_sigaction(sig, info, context);
        else if (before_kick.sa_handler != SIG_DFL && before_kick.sa_handler != SIG_IGN)
            before_kick.sa_handler(sig);
        return;
    }
    if (!d || c->is_leaving || !npu_deadline_is_over(d) || pc < d->code_from || pc >= d->code_to)
        return;
    npu_run_stop(c);
    (void)redirect(c, context);
}

void npu_trap_kick(pthread_t thread)
{
    struct sigaction act = {.sa_sigaction = on_kick,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART},
                     old;

    (void)sigemptyset(&act.sa_mask);
    if (sigaction(KICK, NULL, &old) || old.sa_sigaction != on_kick) {
        before_kick = old;
        (void)sigaction(KICK, &act, NULL);
    }
    (void)pthread_kill(thread, KICK);
}

/* ---- set-up
 * ---------------------------------------------------------------------------------------- */

void npu_trap_renew(void)
{
    struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;

    (void)sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        (void)sigaction(signals[i], &act, &old);
        if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != on_signal)
            before[i] = old;
    }
}

void npu_trap_install(void)
{
    (void)pthread_once(&once, npu_trap_renew);
}

static pthread_key_t alt_key;
static pthread_once_t alt_once = PTHREAD_ONCE_INIT;

static void free_alt(void *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};

    (void)sigaltstack(&none, NULL);
    (void)munmap(stack, ALT_STACK_BYTES);
}

static void make_alt_key(void)
{
    (void)pthread_key_create(&alt_key, free_alt);
}

void npu_trap_thread(void)
{
    static _Thread_local bool done;
    stack_t now;

    if (done)
        return;
    done = true;
    (void)pthread_once(&alt_once, make_alt_key);
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return; /* the program brought its own */
    void *stack =
        mmap(NULL, ALT_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    (void)pthread_setspecific(alt_key, stack);
    const stack_t mine = {.ss_sp = stack, .ss_size = ALT_STACK_BYTES};
    (void)sigaltstack(&mine, NULL);
}
