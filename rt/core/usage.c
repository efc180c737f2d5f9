/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.c - tells npu-smi what this process has on its devices (../usage.h).
 *
 * The page is made at the first device memory, so a process that only links the library shows
 * nothing. Rule: nothing here fails; where the system gives no such file npu-smi does not see the
 * process, and a page of its own takes what would be told.
 */
#define _GNU_SOURCE
#include "../usage.h"
#include "core.h"
#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert((int)NPU_USAGE_DEVICES == (int)NPU_MAX_DEVICES, "one slot a device");

static struct npu_usage untold;
static _Atomic(struct npu_usage *) page = &untold;

/* The child of a fork must not write into what is its parent's. */
static void after_fork_in_child(void)
{
    atomic_store(&page, &untold);
}

static void make_page(void)
{
    int fd = memfd_create(NPU_USAGE_NAME, MFD_CLOEXEC);
    struct npu_usage *p = MAP_FAILED;

    if (fd < 0)
        return;
    if (!ftruncate(fd, sizeof(*p)))
        p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        close(fd);
        return;
    }
    p->pid = getpid();
    p->magic = NPU_USAGE_MAGIC;
    pthread_atfork(NULL, NULL, after_fork_in_child);
    atomic_store(&page, p);
}

static struct npu_usage_device *slot(int device)
{
    int number = npu_rt_physical_device(device);

    return &atomic_load(&page)->device[number < 0 ? 0 : number];
}

void rt_usage_bytes(int device, uint64_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_page);
    __atomic_store_n(&slot(device)->bytes, bytes, __ATOMIC_RELAXED);
}

void rt_usage_running(int device, int more)
{
    __atomic_fetch_add(&slot(device)->running, (uint64_t)(int64_t)more, __ATOMIC_RELAXED);
}
