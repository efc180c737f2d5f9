/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natives.h - declares every native by the name that aclnn.tbl uses.
 */
#ifndef NPU_OPAPI_NATIVES_H
#define NPU_OPAPI_NATIVES_H
#include "../opapi.h"

/* The generator, for its test. */
void npu_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The first n bits of a dropout mask as a float value of 0 and 1, and fresh ones. */
int npu_dropout_bits(struct npu_aten_ctx *c, const struct aclTensor *mask, int64_t n);
int npu_dropout_draw(struct npu_aten_ctx *c, uint64_t seed, uint64_t offset, double p_drop,
                     int64_t n);

npu_native_fn npu_nat_fa_v1, npu_nat_fa_v2, npu_nat_fa_v4, npu_nat_fa_grad_v1, npu_nat_fa_grad_v2,
    npu_nat_fa_grad_v4;
npu_native_check_fn npu_check_fa_v1, npu_check_fa_v2, npu_check_fa_v4, npu_check_fa_grad_v1,
    npu_check_fa_grad_v2, npu_check_fa_grad_v4;
npu_native_fn npu_nat_add_v3, npu_nat_amp_update_scale, npu_nat_cast_hif8, npu_nat_copy_hif8,
    npu_nat_foreach_round, npu_nat_foreach_round_v1;
npu_native_check_fn npu_check_foreach_round;
npu_native_fn npu_nat_nonzero_v2, npu_nat_scatter, npu_nat_scatter_value, npu_nat_inplace_scatter,
    npu_nat_inplace_scatter_value;
npu_native_fn npu_nat_normal, npu_nat_normal_out, npu_nat_normal_tensor_float,
    npu_nat_normal_float_tensor, npu_nat_normal_tensor_tensor, npu_nat_uniform, npu_nat_exponential,
    npu_nat_bernoulli, npu_nat_bernoulli_tensor, npu_nat_random, npu_nat_random_all,
    npu_nat_randperm, npu_nat_multinomial, npu_nat_dropout_gen_mask, npu_nat_dropout_gen_mask_v2,
    npu_nat_dropout_do_mask, npu_nat_dropout_v3, npu_nat_rrelu, npu_nat_inplace_rrelu,
    npu_nat_normal_device, npu_nat_uniform_device, npu_nat_random_device, npu_nat_random_all_device,
    npu_nat_multinomial_device, npu_nat_dropout_gen_mask_v2_device;
npu_native_check_fn npu_check_dropout_gen_mask, npu_check_dropout_do_mask, npu_check_rrelu;
npu_native_fn npu_nat_max_pool2d_mask, npu_nat_max_pool2d_mask_backward;
npu_native_fn npu_nat_dynamic_quant, npu_nat_embedding_bag;
npu_native_check_fn npu_check_dynamic_quant;
npu_native_fn npu_nat_l1_loss_backward, npu_nat_kl_div_backward, npu_nat_kl_div_target_backward,
    npu_nat_bce_logits_backward, npu_nat_log_sigmoid_forward, npu_nat_log_sigmoid_backward,
    npu_nat_ctc_loss, npu_nat_ctc_loss_backward;
npu_native_check_fn npu_check_loss_backward, npu_check_bce_logits_backward, npu_check_ctc_loss,
    npu_check_ctc_loss_backward;
npu_native_fn npu_nat_rms_norm, npu_nat_add_rms_norm, npu_nat_rms_norm_grad,
    npu_nat_batch_norm_stats, npu_nat_batch_norm_reduce, npu_nat_batch_norm_elemt,
    npu_nat_group_norm_silu;
npu_native_check_fn npu_check_rms_norm, npu_check_add_rms_norm, npu_check_rms_norm_grad,
    npu_check_channels;
npu_native_fn npu_nat_swiglu, npu_nat_swiglu_grad, npu_nat_fast_gelu, npu_nat_fast_gelu_backward,
    npu_nat_prelu, npu_nat_prelu_backward, npu_nat_rotary, npu_nat_rotary_grad;
npu_native_check_fn npu_check_swiglu, npu_check_swiglu_grad, npu_check_rotary,
    npu_check_rotary_grad;
npu_native_fn npu_nat_unique, npu_nat_unique2, npu_nat_unique_dim, npu_nat_unique_consecutive,
    npu_nat_equal, npu_nat_one_hot, npu_nat_repeat_interleave_grad, npu_nat_scatter_nd_update,
    npu_nat_gather_v3, npu_nat_svd, npu_nat_aminmax, npu_nat_scatter_reduce,
    npu_nat_inplace_scatter_reduce;
npu_native_check_fn npu_check_one_hot;

#endif
