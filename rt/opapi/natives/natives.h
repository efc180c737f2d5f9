/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natives.h - declares every native by the name that aclnn.tbl uses.
 */
#ifndef NPU_OPAPI_NATIVES_H
#define NPU_OPAPI_NATIVES_H
#include "../opapi.h"

/* The generator, for its test. */
void npu_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

npu_native_fn npu_nat_add_v3, npu_nat_amp_update_scale;
npu_native_fn npu_nat_nonzero_v2, npu_nat_scatter, npu_nat_scatter_value, npu_nat_inplace_scatter,
    npu_nat_inplace_scatter_value;
npu_native_fn npu_nat_normal, npu_nat_normal_out, npu_nat_normal_tensor_float,
    npu_nat_normal_float_tensor, npu_nat_normal_tensor_tensor, npu_nat_uniform, npu_nat_exponential,
    npu_nat_bernoulli, npu_nat_bernoulli_tensor, npu_nat_random, npu_nat_random_all,
    npu_nat_randperm, npu_nat_multinomial, npu_nat_dropout_gen_mask, npu_nat_dropout_gen_mask_v1,
    npu_nat_dropout_do_mask;
npu_native_fn npu_nat_max_pool2d_mask, npu_nat_max_pool2d_mask_backward;

#endif
