/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.cpp - schemas of torch.ops.amct, argument checks, and shape functions.
 *
 * PrivateUse1 (the NPU) computes; Meta only says what comes out, which is what torch.compile and
 * FakeTensor ask for. There is no CPU or CUDA kernel on purpose: the dispatcher then says so.
 */
#include "ops.h"

#include "hifloat4_cast_tiling.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace {

/* qdim counted from the front. */
int64_t CheckQdim(const char *op, const at::Tensor &input, int64_t qdim)
{
    int64_t dims = input.dim();

    TORCH_CHECK(dims > 0, op, ": input must have at least one dimension, got a 0-dim tensor");
    TORCH_CHECK(qdim >= -dims && qdim < dims, op, ": qdim must be in [", -dims, ", ", dims - 1,
                "] for an input of shape ", input.sym_sizes(), ", got ", qdim);
    return qdim < 0 ? qdim + dims : qdim;
}

void CheckLength(const char *op, const at::Tensor &input, int64_t qdim, int64_t unit,
                 const char *why)
{
    c10::SymInt length = input.sym_size(qdim);

    TORCH_CHECK(length > 0, op, ": the quantised dimension must not be empty, got shape ",
                input.sym_sizes(), " with qdim ", qdim);
    TORCH_CHECK(length % unit == 0, op, ": the quantised dimension must be a multiple of ", unit,
                why, ", got ", length, " in shape ", input.sym_sizes(), " with qdim ", qdim,
                "; pad it first");
}

void CheckElements(const char *op, const char *name, at::ScalarType type)
{
    TORCH_CHECK(type == at::kHalf || type == at::kBFloat16 || type == at::kFloat, op, ": ", name,
                " must be float16, bfloat16 or float32, got ", type);
}

/* For fake_quant and pack: qdim counted from the front. */
int64_t CheckInput(const char *op, const at::Tensor &input, int64_t qdim)
{
    CheckElements(op, "input", input.scalar_type());
    qdim = CheckQdim(op, input, qdim);
    CheckLength(op, input, qdim, HIFLOAT4_BLOCK, "");
    return qdim;
}

struct UnpackArguments {
    int64_t qdim;
    at::ScalarType dtype;
};

UnpackArguments CheckPacked(const at::Tensor &values, const at::Tensor &scales, int64_t qdim,
                            std::optional<at::ScalarType> dtype)
{
    const char *op = "hifloat4_unpack";
    at::ScalarType out = dtype.value_or(at::kBFloat16);

    TORCH_CHECK(values.scalar_type() == at::kByte && scales.scalar_type() == at::kByte, op,
                ": values and scales must be uint8, got ", values.scalar_type(), " and ",
                scales.scalar_type());
    CheckElements(op, "dtype", out);
    TORCH_CHECK(values.device() == scales.device(), op, ": values are on ", values.device(),
                ", scales on ", scales.device());
    qdim = CheckQdim(op, values, qdim);
    CheckLength(op, values, qdim, HIFLOAT4_CODE_BYTES, " bytes in values");
    c10::SymDimVector expected(values.sym_sizes().begin(), values.sym_sizes().end());
    expected[qdim] = expected[qdim] / (HIFLOAT4_CODE_BYTES / HIFLOAT4_SCALE_BYTES);
    TORCH_CHECK(scales.sym_sizes() == c10::SymIntArrayRef(expected), op,
                ": scales must have shape ", c10::SymIntArrayRef(expected), " for values of shape ",
                values.sym_sizes(), " with qdim ", qdim, ", got ", scales.sym_sizes());
    return {qdim, out};
}

at::Tensor FakeQuantImpl(const at::Tensor &input, int64_t qdim)
{
    qdim = CheckInput("hifloat4_fake_quant", input, qdim);
    return AscendKernel::HiFloat4FakeQuant(input, qdim);
}

std::tuple<at::Tensor, at::Tensor> PackImpl(const at::Tensor &input, int64_t qdim)
{
    qdim = CheckInput("hifloat4_pack", input, qdim);
    return AscendKernel::HiFloat4Pack(input, qdim);
}

at::Tensor UnpackImpl(const at::Tensor &values, const at::Tensor &scales, int64_t qdim,
                      std::optional<at::ScalarType> dtype)
{
    UnpackArguments checked = CheckPacked(values, scales, qdim, dtype);

    return AscendKernel::HiFloat4Unpack(values, scales, checked.qdim, checked.dtype);
}

/* Symbolic sizes: one graph serves every batch size. */
at::Tensor MetaEmpty(const at::Tensor &like, int64_t qdim, const c10::SymInt &length,
                     at::ScalarType type)
{
    c10::SymDimVector sizes(like.sym_sizes().begin(), like.sym_sizes().end());

    sizes[qdim] = length;
    return at::empty_symint(sizes, like.options().dtype(type));
}

at::Tensor FakeQuantMeta(const at::Tensor &input, int64_t qdim)
{
    CheckInput("hifloat4_fake_quant", input, qdim);
    return at::empty_symint(input.sym_sizes(), input.options());
}

std::tuple<at::Tensor, at::Tensor> PackMeta(const at::Tensor &input, int64_t qdim)
{
    qdim = CheckInput("hifloat4_pack", input, qdim);
    c10::SymInt blocks = input.sym_size(qdim) / HIFLOAT4_BLOCK;

    return {MetaEmpty(input, qdim, blocks * HIFLOAT4_CODE_BYTES, at::kByte),
            MetaEmpty(input, qdim, blocks * HIFLOAT4_SCALE_BYTES, at::kByte)};
}

at::Tensor UnpackMeta(const at::Tensor &values, const at::Tensor &scales, int64_t qdim,
                      std::optional<at::ScalarType> dtype)
{
    UnpackArguments checked = CheckPacked(values, scales, qdim, dtype);
    c10::SymInt blocks = values.sym_size(checked.qdim) / HIFLOAT4_CODE_BYTES;

    return MetaEmpty(values, checked.qdim, blocks * HIFLOAT4_BLOCK, checked.dtype);
}

} // namespace

TORCH_LIBRARY_FRAGMENT(amct, m)
{
    m.def("hifloat4_fake_quant(Tensor input, int qdim=-1) -> Tensor");
    m.def("hifloat4_pack(Tensor input, int qdim=-1) -> (Tensor values, Tensor scales)");
    m.def("hifloat4_unpack(Tensor values, Tensor scales, int qdim=-1, ScalarType? dtype=None) -> "
          "Tensor");
}

TORCH_LIBRARY_IMPL(amct, PrivateUse1, m)
{
    m.impl("hifloat4_fake_quant", TORCH_FN(FakeQuantImpl));
    m.impl("hifloat4_pack", TORCH_FN(PackImpl));
    m.impl("hifloat4_unpack", TORCH_FN(UnpackImpl));
}

TORCH_LIBRARY_IMPL(amct, Meta, m)
{
    m.impl("hifloat4_fake_quant", TORCH_FN(FakeQuantMeta));
    m.impl("hifloat4_pack", TORCH_FN(PackMeta));
    m.impl("hifloat4_unpack", TORCH_FN(UnpackMeta));
}
