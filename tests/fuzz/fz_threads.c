/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_threads.c - ACL calls from several threads on streams and events that they share and destroy
 * under each other. What must hold: every call returns, a failure leaves a sentence in its own
 * thread, no thread hangs, and memory of a thread holds what its own kernels wrote.
 *
 * Memory belongs to one thread: freeing what another thread copies is the caller's mistake.
 */
#include "fuzz_acl.h"

#include "../../sdk/include/acl/acl_op.h"
#include "../../sdk/include/acl/acl_op_compiler.h"

enum { MAX_CALLS = 24, WAIT_MS = 20000 };

static void must_fail(int code, const char *call)
{
    FUZZ_CHECK(code != 0, "%s succeeded", call);
    either(code, call);
}

/* ---- the calls ----------------------------------------------------------------------------- */

static void *take(struct worker *w, _Atomic(void *) *shared)
{
    return atomic_load(place(w, shared));
}

static void record(struct worker *w)
{
    void *e = take(w, events), *s = take(w, streams);

    either(aclrtRecordEvent(e, s), "aclrtRecordEvent");
}

static void wait(struct worker *w)
{
    void *e = take(w, events), *s = take(w, streams);

    either(aclrtStreamWaitEvent(s, e), "aclrtStreamWaitEvent");
}

static void synchronize(struct worker *w)
{
    either(aclrtSynchronizeStreamWithTimeout(take(w, streams), WAIT_MS),
           "aclrtSynchronizeStreamWithTimeout");
}

static void launch(struct worker *w)
{
    void *args[] = {&w->memory};
    void *s = take(w, streams);

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

static call_fn *const calls[] = {make_stream, end_stream,  make_sync_event, end_event,
                                 record,      wait,        launch,          bad_launch,
                                 operators,   synchronize, launch,          make_stream};

static void *run(void *arg)
{
    struct worker *w = arg;
    uint32_t back[N_WORDS];

    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    must_work(aclrtMalloc((void **)&w->memory, sizeof(back), ACL_MEM_MALLOC_HUGE_FIRST),
              "aclrtMalloc");
    must_work(aclrtMemset(w->memory, sizeof(back), 0, sizeof(back)), "aclrtMemset");
    make_calls(w, calls, sizeof(calls) / sizeof(calls[0]), MAX_CALLS);
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
    begin_acl();
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct worker workers[N_THREADS] = {0};

    run_threads(workers, run, data, n);
    end_shared();
}
