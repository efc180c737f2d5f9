/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclop_shape.h - the words that checks of shapes are written with.
 *
 * A check says no with the reason in t->why, or builds the dimensions of an output and compares.
 */
#ifndef NPU_OPAPI_ACLOP_SHAPE_H
#define NPU_OPAPI_ACLOP_SHAPE_H
#include "aclop.h"

struct dims {
    int64_t n, dim[ACLOP_INTS];
};

/* false, always. */
bool shape_no(struct aclop_task *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool no_axis(struct aclop_task *t, const char *name, int64_t axis);
bool no_list(struct aclop_task *t, const char *name, int64_t n); /* n values are needed */

bool same_dims(const struct aclTensor *a, const struct aclTensor *b);
int64_t from_end(const struct aclTensor *t, uint32_t k); /* 1 in front of the first dimension */
void add_dim(struct dims *d, int64_t size);
bool has_shape(struct aclop_task *t, int output, const struct dims *d);

/* The values of an integer input: n of them, or a refusal. *v is NULL when they are on the device.
 */
bool host_list(struct aclop_task *t, int input, const char *name, int64_t n,
               int64_t room[ACLOP_INTS], const int64_t **v);
/* The first input without these axes, or with 1 there. */
bool reduced_to(struct aclop_task *t, const int64_t *axes, int64_t n, bool keep, struct dims *d);
int64_t all_axes(const struct aclTensor *x, int64_t room[ACLOP_INTS]);

#endif
