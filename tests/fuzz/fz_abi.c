/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fz_abi.c - bytes become a sequence of ACL calls, legal and not. What must hold:
 *
 *   - nothing crashes; a handle that is NULL, was destroyed or never existed gives a status;
 *   - a failure leaves a sentence in aclGetRecentErrMsg();
 *   - what a call wrote is there afterwards: each piece of device memory has a shadow on the host,
 * and each stream counts its host functions.
 *
 * A piece of memory is only written through the stream of its own slot, so that stream order says
 * what it must hold.
 */
#include "../../engine/kernel.h"
#include "../../sdk/include/acl/acl.h"
#include "fuzz.h"

#include <stdbool.h>

enum { N_SLOTS = 4, MAX_CALLS = 64, MAX_BYTES = 4096, WAIT_MS = 10000 };

static struct slot {
    void *handle;
    bool is_live;
} streams[N_SLOTS], events[N_SLOTS];

static struct piece {
    uint8_t *device;
    uint8_t shadow[MAX_BYTES];
    size_t bytes;
} pieces[N_SLOTS];

static unsigned n_host_calls, n_host_expected;

/* ---- judging a status ---------------------------------------------------------------------- */

static void must_fail(int code, const char *call)
{
    const char *story = aclGetRecentErrMsg();

    FUZZ_CHECK(code != 0, "%s succeeded", call);
    FUZZ_CHECK(story && *story, "%s gave %d without a sentence", call, code);
}

static void must_work(int code, const char *call)
{
    const char *story = code ? aclGetRecentErrMsg() : "";

    FUZZ_CHECK(code == 0, "%s gave %d: %s", call, code, story ? story : "");
}

/* What a call owes: success when all it was given is right. Returns whether it was. */
static bool judge(bool is_right, int code, const char *call)
{
    if (is_right)
        must_work(code, call);
    else
        must_fail(code, call);
    return is_right;
}

/* A destroyed handle whose address a new object has is that object. */
static bool is_live(const struct slot *slots, const void *handle)
{
    for (unsigned i = 0; i < N_SLOTS; i++)
        if (slots[i].is_live && slots[i].handle == handle)
            return true;
    return false;
}

/* NULL names the default stream. */
static bool is_stream(const struct slot *slot)
{
    return !slot->handle || is_live(streams, slot->handle);
}

static struct slot *take_slot(struct fuzz_in *in, struct slot *slots)
{
    return &slots[fuzz_take(in, 1) % N_SLOTS];
}

/* ---- the calls ----------------------------------------------------------------------------- */

static void call_create_stream(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, streams);

    if (slot->is_live)
        return;
    /* the slot's piece was written through the default stream, or one that is gone: no order with
     * this */
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    must_work(aclrtCreateStreamWithConfig(&slot->handle, 0, 0), "aclrtCreateStreamWithConfig");
    slot->is_live = true;
}

static void call_destroy_stream(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, streams);
    bool was_live = slot->handle && is_live(streams, slot->handle);

    if (was_live && !slot->is_live)
        return; /* another slot's object */
    judge(was_live, aclrtDestroyStream(slot->handle), "aclrtDestroyStream");
    slot->is_live = false;
}

static void call_synchronize_stream(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, streams);

    judge(is_stream(slot), aclrtSynchronizeStreamWithTimeout(slot->handle, WAIT_MS),
          "aclrtSynchronizeStreamWithTimeout");
}

static void call_query_stream(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, streams);
    aclrtStreamStatus status;

    judge(is_stream(slot), aclrtStreamQuery(slot->handle, &status), "aclrtStreamQuery");
    must_fail(aclrtStreamQuery(slot->handle, NULL), "aclrtStreamQuery without a place");
}

static void call_create_event(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, events);

    if (slot->is_live)
        return;
    /* of the kind that lets a wait before any record pass; the older one parks its stream */
    must_work(aclrtCreateEventExWithFlag(&slot->handle, ACL_EVENT_SYNC),
              "aclrtCreateEventExWithFlag");
    slot->is_live = true;
}

static void call_destroy_event(struct fuzz_in *in)
{
    struct slot *slot = take_slot(in, events);
    bool was_live = slot->handle && is_live(events, slot->handle);

    if (was_live && !slot->is_live)
        return;
    judge(was_live, aclrtDestroyEvent(slot->handle), "aclrtDestroyEvent");
    slot->is_live = false;
}

static void call_record(struct fuzz_in *in)
{
    struct slot *event = take_slot(in, events), *stream = take_slot(in, streams);

    judge(is_live(events, event->handle) && is_stream(stream),
          aclrtRecordEvent(event->handle, stream->handle), "aclrtRecordEvent");
}

static void call_wait(struct fuzz_in *in)
{
    struct slot *event = take_slot(in, events), *stream = take_slot(in, streams);

    judge(is_live(events, event->handle) && is_stream(stream),
          aclrtStreamWaitEvent(stream->handle, event->handle), "aclrtStreamWaitEvent");
}

static void call_query_event(struct fuzz_in *in)
{
    struct slot *event = take_slot(in, events);
    aclrtEventRecordedStatus status;

    judge(is_live(events, event->handle), aclrtQueryEventStatus(event->handle, &status),
          "aclrtQueryEventStatus");
}

static void count_call(void *arg)
{
    (void)arg;
    __atomic_fetch_add(&n_host_calls, 1, __ATOMIC_RELAXED);
}

static void call_host_function(struct fuzz_in *in)
{
    struct slot *stream = take_slot(in, streams);

    if (judge(is_stream(stream), aclrtLaunchHostFunc(stream->handle, count_call, NULL),
              "aclrtLaunchHostFunc"))
        n_host_expected++;
    must_fail(aclrtLaunchHostFunc(stream->handle, NULL, NULL), "aclrtLaunchHostFunc of nothing");
}

static void call_malloc(struct fuzz_in *in)
{
    struct piece *piece = &pieces[fuzz_take(in, 1) % N_SLOTS];
    size_t bytes = fuzz_take(in, 2) % (MAX_BYTES + 1);
    void *place = NULL;
    int code = 0;

    if (piece->device)
        return;
    code = aclrtMalloc(&place, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (!judge(bytes > 0, code, "aclrtMalloc"))
        return;
    piece->device = place;
    piece->bytes = bytes;
    must_work(aclrtMemset(piece->device, bytes, 0, bytes), "aclrtMemset");
    memset(piece->shadow, 0, bytes);
}

static void call_free(struct fuzz_in *in)
{
    struct piece *piece = &pieces[fuzz_take(in, 1) % N_SLOTS];

    if (!piece->device)
        return;
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    must_work(aclrtFree(piece->device), "aclrtFree");
    must_fail(aclrtFree(piece->device), "aclrtFree of freed memory");
    piece->device = NULL;
}

/* A range of a piece, often right, sometimes longer than the piece. */
struct range {
    struct piece *piece;
    struct slot *stream;
    size_t at, room, bytes;
};

static bool take_range(struct fuzz_in *in, struct range *range)
{
    unsigned i = (unsigned)fuzz_take(in, 1) % N_SLOTS;

    *range = (struct range){.piece = &pieces[i], .stream = &streams[i]};
    if (!pieces[i].device)
        return false;
    range->at = fuzz_take(in, 2) % pieces[i].bytes;
    range->room = pieces[i].bytes - range->at;
    range->bytes = fuzz_take(in, 2) % (range->room + range->room / 8 + 2);
    return true;
}

static void call_memset(struct fuzz_in *in)
{
    int32_t value = (int32_t)fuzz_take(in, 1);
    struct range r;
    int code = 0;

    if (!take_range(in, &r))
        return;
    code = aclrtMemsetAsync(r.piece->device + r.at, r.room, value, r.bytes, r.stream->handle);
    if (r.bytes == 0 && is_stream(r.stream))
        return; /* nothing to do: either verdict is fine */
    if (judge(is_stream(r.stream) && r.bytes <= r.room, code, "aclrtMemsetAsync"))
        memset(r.piece->shadow + r.at, value, r.bytes);
}

static void call_copy_in(struct fuzz_in *in)
{
    static uint8_t source[MAX_BYTES * 2];
    struct range r;
    int code = 0;

    if (!take_range(in, &r))
        return;
    for (size_t i = 0; i < r.bytes; i++)
        source[i] = (uint8_t)(i * 7 + r.at + r.bytes);
    code = aclrtMemcpyAsync(r.piece->device + r.at, r.room, source, r.bytes,
                            ACL_MEMCPY_HOST_TO_DEVICE, r.stream->handle);
    if (r.bytes == 0 && is_stream(r.stream))
        return;
    if (judge(is_stream(r.stream) && r.bytes <= r.room, code, "aclrtMemcpyAsync"))
        memcpy(r.piece->shadow + r.at, source, r.bytes);
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice"); /* source is ours again */
}

static void call_copy_out(struct fuzz_in *in)
{
    static uint8_t back[MAX_BYTES];
    struct piece *piece = &pieces[fuzz_take(in, 1) % N_SLOTS];

    if (!piece->device)
        return;
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    must_work(
        aclrtMemcpy(back, sizeof(back), piece->device, piece->bytes, ACL_MEMCPY_DEVICE_TO_HOST),
        "aclrtMemcpy");
    FUZZ_CHECK(memcmp(back, piece->shadow, piece->bytes) == 0, "memory holds something else");
}

/* ---- kernels by handle --------------------------------------------------------------------- */

struct add { /* parameters of the kernel below */
    uint32_t *x, n;
};

static void add_kernel(uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x[i]++;
}

static void call_add(void (*fn)(void), void *const *arg)
{
    ((void (*)(uint32_t *, uint32_t))fn)(*(uint32_t *const *)arg[0], *(const uint32_t *)arg[1]);
}

static int add_key;
static const struct nputwin_param add_param[] = {{8, 8}, {4, 4}};
static const struct nputwin_params add_params = {2, add_param, call_add};
static const struct nputwin_kernel add_row[] = {{&add_key, (void (*)(void))add_kernel, NULL, "add",
                                                 NPUTWIN_AIV, 2201, "add", &add_params, NULL}};

/* As shadow: every word of a piece one more. */
static void shadow_add(struct piece *piece)
{
    uint32_t word;

    for (size_t i = 0; i + 4 <= piece->bytes; i += 4) {
        memcpy(&word, piece->shadow + i, 4);
        word++;
        memcpy(piece->shadow + i, &word, 4);
    }
}

static void call_launch(struct fuzz_in *in)
{
    unsigned i = (unsigned)fuzz_take(in, 1) % N_SLOTS, how = (unsigned)fuzz_take(in, 1) % 4;
    uint32_t blocks = (uint32_t)fuzz_take(in, 1) % 2;
    struct piece *piece = &pieces[i];
    struct add args = {(uint32_t *)(void *)piece->device, (uint32_t)(piece->bytes / 4)};
    void *array[] = {&args.x, &args.n};
    aclrtFuncHandle f = NULL;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param;
    int code = 0;

    if (!piece->device)
        return;
    must_work(aclrtGetFuncBySymbol(&add_key, &f), "aclrtGetFuncBySymbol");
    if (how == 0) {
        code = aclrtLaunchKernelWithArgsArray(f, blocks, streams[i].handle, NULL, array);
    } else if (how == 1) {
        code = aclrtLaunchKernelWithArgsArray(&add_key, blocks, streams[i].handle, NULL, array);
    } else if (how == 2) {
        code = aclrtLaunchKernelWithHostArgs(f, blocks, streams[i].handle, NULL, &args,
                                             sizeof(args), NULL, 0);
    } else {
        must_work(aclrtKernelArgsInit(f, &list), "aclrtKernelArgsInit");
        must_work(aclrtKernelArgsAppend(list, &args.x, 8, &param), "aclrtKernelArgsAppend");
        must_work(aclrtKernelArgsAppend(list, &args.n, 4, &param), "aclrtKernelArgsAppend");
        must_work(aclrtKernelArgsFinalize(list), "aclrtKernelArgsFinalize");
        code = aclrtLaunchKernelWithConfig(f, blocks, streams[i].handle, NULL, list, NULL);
    }
    if (judge(is_stream(&streams[i]) && blocks == 1, code, "a launch by handle"))
        shadow_add(piece);
}

/* Bytes that are no binary, and handles that are none. */
static void call_bad_binary(struct fuzz_in *in)
{
    uint8_t bytes[96];
    aclrtPlaceHolderInfo place = {(uint32_t)fuzz_take(in, 2), (uint32_t)fuzz_take(in, 2)};
    struct add args = {NULL, 0};
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle f = (aclrtFuncHandle)(uintptr_t)fuzz_take(in, 8);
    size_t n = 1 + fuzz_take(in, 1) % sizeof(bytes);

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)fuzz_take(in, 1);
    for (size_t i = 0; i < 8; i++) /* 8 bytes, without the 0 of a string */
        bytes[sizeof(bytes) - 32 + i] = (uint8_t)NPUTWIN_BINARY_MAGIC[i];
    must_fail(aclrtBinaryLoadFromData(bytes + sizeof(bytes) - n, n, NULL, &binary),
              "aclrtBinaryLoadFromData of nonsense");
    must_fail(aclrtBinaryUnLoad(bytes), "aclrtBinaryUnLoad of no binary");
    must_fail(aclrtBinaryGetFunction(bytes, "k", &f), "aclrtBinaryGetFunction of no binary");
    if (f != (aclrtFuncHandle)&add_key)
        must_fail(aclrtLaunchKernelWithHostArgs(f, 1, NULL, NULL, &args, sizeof(args), NULL, 0),
                  "a launch of no function");
    must_fail(aclrtKernelArgsFinalize(bytes), "aclrtKernelArgsFinalize of no list");
    if (place.addrOffset % 8 || place.addrOffset > 8 || place.dataOffset > 15)
        must_fail(
            aclrtLaunchKernelWithHostArgs(&add_key, 1, NULL, NULL, &args, sizeof(args), &place, 1),
            "a placeholder outside of the block");
}

static void call_nonsense(struct fuzz_in *in)
{
    int32_t device = 64 + (int32_t)fuzz_take(in, 1);
    uint64_t junk[4] = {fuzz_take(in, 8), 0, 0, 0};

    must_fail(aclrtSetDevice(device), "aclrtSetDevice of a device that is not there");
    must_fail(aclrtSetDevice(-1), "aclrtSetDevice(-1)");
    must_fail(aclrtCreateStream(NULL), "aclrtCreateStream without a place");
    must_fail(aclrtSynchronizeStream(junk), "aclrtSynchronizeStream of no stream");
    must_fail(aclrtSynchronizeEvent(junk), "aclrtSynchronizeEvent of no event");
    must_fail(aclrtFree(junk), "aclrtFree of host memory");
    must_fail(aclrtMemcpy(NULL, 8, junk, 8, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy to nowhere");
}

static void (*const calls[])(struct fuzz_in *in) = {
    call_create_stream, call_destroy_stream, call_synchronize_stream,
    call_query_stream,  call_create_event,   call_destroy_event,
    call_record,        call_wait,           call_query_event,
    call_host_function, call_malloc,         call_free,
    call_memset,        call_copy_in,        call_copy_out,
    call_nonsense,      call_memset,         call_copy_in,
    call_malloc,        call_create_stream,  call_launch,
    call_bad_binary,    call_launch,
};

static void finish_all(void)
{
    must_work(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
    FUZZ_CHECK(n_host_calls == n_host_expected, "%u host functions ran, %u were given",
               n_host_calls, n_host_expected);
    n_host_calls = n_host_expected = 0;
    for (unsigned i = 0; i < N_SLOTS; i++) {
        if (streams[i].is_live)
            must_work(aclrtDestroyStream(streams[i].handle), "aclrtDestroyStream");
        if (events[i].is_live)
            must_work(aclrtDestroyEvent(events[i].handle), "aclrtDestroyEvent");
        if (pieces[i].device)
            must_work(aclrtFree(pieces[i].device), "aclrtFree");
        streams[i] = events[i] = (struct slot){0};
        pieces[i].device = NULL;
    }
}

void fuzz_begin(void)
{
    must_work(aclInit(NULL), "aclInit");
    must_work(aclrtSetDevice(0), "aclrtSetDevice");
    nputwin_register(NPUTWIN_KERNEL_ABI, add_row, 1);
}

void fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n};

    for (unsigned i = 0; in.left && i < MAX_CALLS; i++)
        calls[fuzz_take(&in, 1) % (sizeof(calls) / sizeof(calls[0]))](&in);
    finish_all();
}
