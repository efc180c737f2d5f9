/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_threads.c - ACL calls from several threads on streams and events that they share and destroy
 * under each other. What must hold: every call returns, a failure leaves a sentence in its own
 * thread, no thread hangs, and memory of a thread holds what its own kernels wrote.
 *
 * Memory belongs to one thread: freeing what another thread copies is the caller's mistake.
 */
#include "../../engine/kernel.h"
#include "../../sdk/include/acl/acl.h"
#include "../../sdk/include/acl/acl_op.h"
#include "../../sdk/include/acl/acl_op_compiler.h"
#include "fuzz.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { N_THREADS = 3, N_SHARED = 4, MAX_CALLS = 24, N_WORDS = 64, WAIT_MS = 20000 };

static _Atomic(void *) streams[N_SHARED], events[N_SHARED];

struct worker {
    pthread_t thread;
    struct fuzz_in in;
    uint32_t *memory, n_added;
};

static void must_work(int code, const char *call)
{
    const char *story = code ? aclGetRecentErrMsg() : "";

    FUZZ_CHECK(code == 0, "%s gave %d: %s", call, code, story ? story : "");
}

/* Fine or refused: but refused with a sentence. */
static bool either(int code, const char *call)
{
    const char *story = code ? aclGetRecentErrMsg() : "";

    FUZZ_CHECK(story && (!code || *story), "%s gave %d without a sentence", call, code);
    return !code;
}

static void must_fail(int code, const char *call)
{
    FUZZ_CHECK(code != 0, "%s succeeded", call);
    either(code, call);
}

/* ---- a kernel ------------------------------------------------------------------------------ */

static void add_kernel(uint32_t *x)
{
    for (int i = 0; i < N_WORDS; i++)
        x[i]++;
}

static void call_add(void (*fn)(void), void *const *arg)
{
    ((void (*)(uint32_t *))fn)(*(uint32_t *const *)arg[0]);
}

static int add_key;
static const struct nputwin_param add_param[] = {{8, 8}};
static const struct nputwin_params add_params = {1, add_param, call_add};
static const struct nputwin_kernel add_row[] = {
    {&add_key, (void (*)(void))add_kernel, NULL, "add", NPUTWIN_AIV, 2201, "add", &add_params}};

/* ---- the calls ----------------------------------------------------------------------------- */

static _Atomic(void *) *take(struct worker *w, _Atomic(void *) *shared)
{
    return &shared[fuzz_take(&w->in, 1) % N_SHARED];
}

static void make_stream(struct worker *w)
{
    void *s = NULL, *none = NULL;

    must_work(aclrtCreateStreamWithConfig(&s, 0, 0), "aclrtCreateStreamWithConfig");
    if (!atomic_compare_exchange_strong(take(w, streams), &none, s))
        must_work(aclrtDestroyStream(s), "aclrtDestroyStream of an own one");
}

static void end_stream(struct worker *w)
{
    void *s = atomic_exchange(take(w, streams), NULL);

    if (s)
        must_work(aclrtDestroyStream(s), "aclrtDestroyStream");
}

static void make_event(struct worker *w)
{
    void *e = NULL, *none = NULL;

    must_work(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC), "aclrtCreateEventExWithFlag");
    if (!atomic_compare_exchange_strong(take(w, events), &none, e))
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent of an own one");
}

static void end_event(struct worker *w)
{
    void *e = atomic_exchange(take(w, events), NULL);

    if (e)
        must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent");
}

static void record(struct worker *w)
{
    void *e = atomic_load(take(w, events)), *s = atomic_load(take(w, streams));

    either(aclrtRecordEvent(e, s), "aclrtRecordEvent");
}

static void wait(struct worker *w)
{
    void *e = atomic_load(take(w, events)), *s = atomic_load(take(w, streams));

    either(aclrtStreamWaitEvent(s, e), "aclrtStreamWaitEvent");
}

static void synchronize(struct worker *w)
{
    either(aclrtSynchronizeStreamWithTimeout(atomic_load(take(w, streams)), WAIT_MS),
           "aclrtSynchronizeStreamWithTimeout");
}

static void launch(struct worker *w)
{
    void *args[] = {&w->memory};
    void *s = atomic_load(take(w, streams));

    /* one stream after the other: two of them would add to the same words at once */
    if (either(aclrtLaunchKernelWithArgsArray(&add_key, 1, s, NULL, args), "a launch"))
        w->n_added++;
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
}

static void bad_launch(struct worker *w)
{
    void *junk = (void *)(uintptr_t)fuzz_take(&w->in, 8);

    if (junk != &add_key)
        must_fail(aclrtLaunchKernelWithArgsArray(junk, 1, NULL, NULL, NULL), "a launch of junk");
    must_fail(aclrtBinaryLoadFromData(&junk, sizeof(junk), NULL, &junk), "a binary of 8 bytes");
}

static void operators(struct worker *w)
{
    aclopAttr *attr = aclopCreateAttr();
    char name[2] = {(char)('a' + fuzz_take(&w->in, 1) % 26), 0};

    FUZZ_CHECK(attr != NULL, "aclopCreateAttr gave NULL");
    must_work(aclopSetAttrInt(attr, name, (int64_t)fuzz_take(&w->in, 8)), "aclopSetAttrInt");
    must_work(aclopSetAttrString(attr, name, name), "aclopSetAttrString");
    must_fail(aclopSetAttrInt(NULL, name, 1), "aclopSetAttrInt of nothing");
    must_fail(aclopSetAttrFloat(attr, NULL, 1), "aclopSetAttrFloat without a name");
    must_fail(aclopCompileAndExecute("NoSuchOperator", 0, NULL, NULL, 0, NULL, NULL, attr,
                                     ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL),
              "aclopCompileAndExecute of no operator");
    aclopDestroyAttr(attr);
}

static void (*const calls[])(struct worker *w) = {
    make_stream, end_stream, make_event, end_event,   record, wait,
    launch,      bad_launch, operators,  synchronize, launch, make_stream};

static void *run(void *arg)
{
    struct worker *w = arg;
    uint32_t back[N_WORDS];

    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    must_work(aclrtMalloc((void **)&w->memory, sizeof(back), ACL_MEM_MALLOC_HUGE_FIRST),
              "aclrtMalloc");
    must_work(aclrtMemset(w->memory, sizeof(back), 0, sizeof(back)), "aclrtMemset");
    for (int i = 0; w->in.left && i < MAX_CALLS; i++)
        calls[fuzz_take(&w->in, 1) % (sizeof(calls) / sizeof(calls[0]))](w);
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    must_work(aclrtMemcpy(back, sizeof(back), w->memory, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST),
              "aclrtMemcpy");
    for (int i = 0; i < N_WORDS; i++)
        FUZZ_CHECK(back[i] == w->n_added, "word %d is %u after %u launches", i, back[i],
                   w->n_added);
    must_work(aclrtFree(w->memory), "aclrtFree");
    return NULL;
}

void fuzz_begin(void)
{
    must_work(aclInit(NULL), "aclInit");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    nputwin_register(NPUTWIN_KERNEL_ABI, add_row, 1);
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct worker workers[N_THREADS] = {0};
    size_t share = n / N_THREADS;

    for (int i = 0; i < N_THREADS; i++) {
        workers[i].in = (struct fuzz_in){data + (size_t)i * share, share};
        FUZZ_CHECK(!pthread_create(&workers[i].thread, NULL, run, &workers[i]), "no thread");
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < N_SHARED; i++) {
        void *s = atomic_exchange(&streams[i], NULL), *e = atomic_exchange(&events[i], NULL);

        if (s)
            must_work(aclrtDestroyStream(s), "aclrtDestroyStream");
        if (e)
            must_work(aclrtDestroyEvent(e), "aclrtDestroyEvent");
    }
}
