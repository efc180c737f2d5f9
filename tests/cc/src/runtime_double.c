/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_double.c - the runtime's side of engine/kernel.h, as small as it can be: every launch
 * runs at once, block after block, AIC before AIV. For tests of the driver alone.
 */
#include "../../../engine/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../../engine/engine.h"

enum { N_TABLES = 64 };
static struct {
    const struct nputwin_kernel *rows;
    uint32_t n;
} tables[N_TABLES];

static _Thread_local struct npu_core *self;

struct npu_core *npu_self(void)
{
    return self;
}

void npu_fault(struct npu_core *c, enum npu_status st, struct npu_where where, const char *fmt, ...)
{
    va_list ap;

    (void)where;
    c->faulted = true;
    fprintf(stderr, "fault %d: ", (int)st);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

void npu_barrier(struct npu_core *c, enum npu_pipe pipe, struct npu_where where)
{
    (void)c, (void)pipe, (void)where;
}

NPU_API void nputwin_register(uint32_t abi, const struct nputwin_kernel *rows, uint32_t n)
{
    for (int i = 0; (abi & 0xff) == NPUTWIN_KERNEL_ABI && i < N_TABLES; i++)
        if (!tables[i].rows) {
            tables[i].rows = rows;
            tables[i].n = n;
            return;
        }
    fprintf(stderr, "cannot register\n");
}

NPU_API void nputwin_unregister(const struct nputwin_kernel *rows)
{
    for (int i = 0; i < N_TABLES; i++)
        if (tables[i].rows == rows)
            tables[i].rows = NULL;
}

/* For the tests: how many kernels are registered; the row of a key. */
NPU_API uint32_t double_n_kernels(void);
uint32_t double_n_kernels(void)
{
    uint32_t n = 0;

    for (int i = 0; i < N_TABLES; i++)
        n += tables[i].rows ? tables[i].n : 0;
    return n;
}

static const struct nputwin_kernel *find(const void *key)
{
    for (int i = 0; i < N_TABLES; i++)
        for (uint32_t k = 0; tables[i].rows && k < tables[i].n; k++)
            if (tables[i].rows[k].key == key)
                return &tables[i].rows[k];
    return NULL;
}

NPU_API const struct nputwin_kernel *double_find(const void *key);
const struct nputwin_kernel *double_find(const void *key)
{
    return find(key);
}

NPU_API uint32_t nputwin_launch(const void *key, uint32_t block_dim, void *l2_ctrl, void *stream,
                                void (*call)(void (*fn)(void), const void *args), const void *args,
                                void *(*copy)(const void *args), void (*drop)(void *copy))
{
    const struct nputwin_kernel *k = find(key);
    void *held;

    (void)l2_ctrl, (void)stream;
    if (!k || !block_dim || block_dim > NPU_MAX_BLOCKS) {
        fprintf(stderr, "launch refused: %s, %u blocks\n", k ? k->name : "unknown kernel",
                block_dim);
        return 107000;
    }
    held = copy(args); /* as a launch that has to wait would */
    for (uint32_t b = 0; b < block_dim; b++)
        for (int aiv = 0; aiv < 2; aiv++) {
            void (*fn)(void) = aiv ? k->aiv : k->aic;
            struct npu_core core = {.block_idx = b, .block_dim = block_dim};
            static uint8_t ub[196608] __attribute__((aligned(512)));

            core.core_kind = aiv ? CORE_AIV : CORE_AIC;
            core.mem[MEM_UB] = (struct npu_bank){ub, sizeof ub};
            if (!fn)
                continue;
            self = &core;
            call(fn, held);
            self = NULL;
        }
    drop(held);
    return 0;
}
