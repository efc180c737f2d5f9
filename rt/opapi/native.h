/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h - the words that natives are written with.
 *
 * A native is straight-line code: at() gives the number of a new value, V(n) passes it on, store()
 * writes it out. After a failure everything is a no-op (see aten.h), so nothing is checked.
 *
 *     const int square = at(c, "aten::square", TENSOR(c, x));
 *     store(c, at(c, "aten::sum", V(square)), out);
 */
#ifndef NPU_OPAPI_NATIVE_H
#define NPU_OPAPI_NATIVE_H
#include "opapi.h"
#include "natives/natives.h"

#define V(n)      ((struct npu_value){.kind = V_REF, .i = (n)})
#define INT(x)    ((struct npu_value){.kind = V_INT, .i = (x)})
#define BOOL(x)   ((struct npu_value){.kind = V_BOOL, .i = (x)})
#define DOUBLE(x) ((struct npu_value){.kind = V_DOUBLE, .d = (x)})
#define DTYPE(x)  ((struct npu_value){.kind = V_DTYPE, .i = (x)}) /* enum npu_dtype */
#define SCALAR(x) ((struct npu_value){.kind = V_SCALAR, .p = (x)})
#define TEXT(x)   ((struct npu_value){.kind = V_TEXT, .p = (x)})
#define NONE      ((struct npu_value){.kind = V_NONE})
#define INTS(...)                                                                                  \
    ((struct npu_value){.kind = V_INTS,                                                            \
                        .i = sizeof (int64_t[]){__VA_ARGS__} / sizeof(int64_t),                    \
                        .p = (int64_t[]){__VA_ARGS__}})
#define INTARRAY(a) ((struct npu_value){.kind = V_INTS, .i = (int64_t)(a)->n, .p = (a)->v})
#define LIST(...)                                                                                  \
    ((struct npu_value){.kind = V_LIST,                                                            \
                        .i = sizeof (int[]){__VA_ARGS__} / sizeof(int),                            \
                        .p = (int[]){__VA_ARGS__}})
#define TENSOR(c, t) V(npu_aten()->tensor(c, t))
#define at(c, schema, ...)                                                                         \
    npu_aten()->call(c, schema, (struct npu_value[]){__VA_ARGS__},                                 \
                     sizeof (struct npu_value[]){__VA_ARGS__} / sizeof(struct npu_value))

static inline int value(struct npu_aten_ctx *c, const struct aclTensor *t)
{
    return npu_aten()->tensor(c, t);
}

static inline void store(struct npu_aten_ctx *c, int v, const struct aclTensor *out)
{
    npu_aten()->store(c, v, (struct aclTensor *)(uintptr_t)out, false);
}

/* The same, and the view of out takes the shape of v. */
static inline void store_dynamic(struct npu_aten_ctx *c, int v, const struct aclTensor *out)
{
    npu_aten()->store(c, v, (struct aclTensor *)(uintptr_t)out, true);
}

/* Stores contiguous host data of the shape of out. */
static inline void store_data(struct npu_aten_ctx *c, void *data, int dtype,
                              const struct aclTensor *out)
{
    store(c, npu_aten()->blob(c, data, dtype, out->dim, out->n_dims), out);
}

#endif
