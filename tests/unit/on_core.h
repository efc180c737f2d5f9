/* SPDX-License-Identifier: Apache-2.0 */
/* on_core.h - runs a function as a one-block kernel. Assertions belong outside: cmocka's longjmp
 * must not cross stacks. */
#ifndef ON_CORE_H
#define ON_CORE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../../engine/engine.h"

#define HERE ((struct npu_where){__FILE__, __LINE__})

static inline enum npu_status launch_on(const char *soc, uint32_t blocks, npu_block_fn *fn,
                                        void *arg, struct npu_diag *d)
{
    const struct npu_launch l = {
        .soc = npu_soc_find(soc), .name = "test", .block_dim = blocks, .run = fn, .arg = arg};

    *d = (struct npu_diag){0};
    return npu_launch(&l, d);
}

/* One block on the default chip; fails the test with the story when the kernel faults. */
static inline void on_core(npu_block_fn *fn, void *arg)
{
    struct npu_diag d;

    if (launch_on("Ascend910B2", 1, fn, arg, &d) != NPU_OK)
        fail_msg("%s", d.text);
}

static inline uint8_t *ub_of(struct npu_core *c) { return c->mem[MEM_UB].base; }
#endif
