/* SPDX-License-Identifier: Apache-2.0 */
/* slot.c - see slot.h. */
#include "slot.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../base/banned.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STACK_BYTES = 1024 * 1024 }; /* instrumented frames are several times as large */
#else
enum { STACK_BYTES = 256 * 1024 };
#endif

/* Which memories a core of a kind has. */
static bool has_mem(enum npu_core_kind kind, int mem)
{
    return mem != MEM_GM && (mem == MEM_UB) == (kind == CORE_AIV);
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

bool npu_slot_fits(const struct npu_slot *s, const struct npu_soc *soc, enum npu_core_kind kind)
{
    return s->core_kind == kind && !memcmp(s->mem_bytes, soc->mem_bytes, sizeof s->mem_bytes);
}

/* Lays stack and memories into the mapping; everything else in it stays closed. */
static bool lay_out(struct npu_slot *s, size_t page)
{
    uint8_t *p = s->map + NPU_STACK_GUARD_BYTES;
    uint8_t *const stack = p;

    if (mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
        return false;
    s->core.fiber.stack = stack;
    s->core.fiber.stack_bytes = STACK_BYTES;
    p += STACK_BYTES + page;
    for (int m = 0; m < N_MEMS; m++) {
        const size_t bytes = round_up(s->mem_bytes[m], page);
        if (!has_mem((enum npu_core_kind)s->core_kind, m) || !bytes)
            continue;
        if (mprotect(p, bytes, PROT_READ | PROT_WRITE))
            return false;
        s->core.pub.mem[m] = (struct npu_bank){.base = p, .bytes = s->mem_bytes[m]};
        p += bytes + page;
    }
    return true;
}

struct npu_slot *npu_slot_new(const struct npu_soc *soc, enum npu_core_kind kind)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct npu_slot *s = NULL;

    if (posix_memalign((void **)&s, 64, sizeof *s))
        return NULL;
    memset(s, 0, sizeof *s);
    s->core_kind = (uint8_t)kind;
    memcpy(s->mem_bytes, soc->mem_bytes, sizeof s->mem_bytes);
    s->map_bytes = NPU_STACK_GUARD_BYTES + STACK_BYTES + page;
    for (int m = 0; m < N_MEMS; m++)
        if (has_mem(kind, m))
            s->map_bytes += round_up(s->mem_bytes[m], page) + page;
    s->map =
        mmap(NULL, s->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->map == MAP_FAILED || !lay_out(s, page)) {
        if (s->map == MAP_FAILED)
            s->map = NULL;
        npu_slot_free(s);
        return NULL;
    }
    npu_fiber_init(&s->core.fiber);
    s->core.lanes = npu_lanes_best();
    return s;
}

void npu_slot_free(struct npu_slot *s)
{
    if (!s)
        return;
    npu_fiber_finish(&s->core.fiber);
    npu_core_finish(&s->core);
    if (s->map)
        (void)munmap(s->map, s->map_bytes);
    free(s);
}
