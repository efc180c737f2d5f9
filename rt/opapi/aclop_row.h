/* SPDX-License-Identifier: Apache-2.0 */
/* aclop_row.h - a row of aclop.def and the words in its columns. */
#ifndef NPU_OPAPI_ACLOP_ROW_H
#define NPU_OPAPI_ACLOP_ROW_H
#include "../../base/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct npu_aten_ctx;
struct aclop_task; /* aclop.h */

/* A word of a row: name:kind and a mark. */
struct aclop_word {
    const char *name; /* n_name bytes */
    int n_name;
    char kind, mark; /* 0: none. mark: ? * ~ = (default) or ! (the only value) */
    const char *value;
};

typedef void aclop_fn(struct npu_aten_ctx *c, const struct aclop_task *t);
/* Shapes, before anything is queued: false with t->why set. Data is read of host inputs only. */
typedef bool aclop_check_fn(struct aclop_task *t);

/* The columns of aclop.def. */
struct aclop_row {
    const char *type, *missing; /* what a partial row does not compute, NULL when it is full */
    const char *inputs, *outputs, *attrs;
    uint64_t types;
    aclop_check_fn *check;
    const char *schema; /* takes the inputs in order, if there is no fn */
    aclop_fn *fn;
};

/* For the tests: row i, NULL behind the last. */
NPU_API const struct aclop_row *npu_aclop_row(uint32_t i);
/* Takes the next word off *at; false behind the last. Given out for the tests too. */
NPU_API bool aclop_next_word(const char **at, struct aclop_word *w);
/* Number of the word with that name of n bytes, -1 when there is none. */
int aclop_find_word(const char *words, const char *name, size_t n, struct aclop_word *w);
#endif
