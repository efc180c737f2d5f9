/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.cpp - schemas of torch.ops.amct, argument checks, and shape functions.
 *
 * PrivateUse1 (the NPU) computes; Meta only says what comes out, which is what torch.compile and
 * FakeTensor ask for. There is no CPU or CUDA kernel on purpose: the dispatcher then says so.
 */
#include "ops.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace {

void CheckEncodeDtype(const at::Tensor &input)
{
    TORCH_CHECK(input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16,
                "encode_to_hifloat8: input must be float16 or bfloat16, got ", input.scalar_type(),
                "; convert it first, e.g. x.to(torch.bfloat16)");
}

at::ScalarType CheckDecodeDtypes(const at::Tensor &input, std::optional<at::ScalarType> dtype)
{
    at::ScalarType out = dtype.value_or(at::kBFloat16);

    TORCH_CHECK(input.scalar_type() == at::kByte,
                "decode_from_hifloat8: input must hold uint8 codes, got ", input.scalar_type());
    TORCH_CHECK(out == at::kHalf || out == at::kBFloat16,
                "decode_from_hifloat8: dtype must be float16 or bfloat16, got ", out);
    return out;
}

void CheckNotEmpty(const char *op, const at::Tensor &input)
{
    TORCH_CHECK(input.numel() > 0, op, ": input tensor must not be empty, got shape ",
                input.sizes());
}

at::Tensor EncodeImpl(const at::Tensor &input)
{
    CheckEncodeDtype(input);
    CheckNotEmpty("encode_to_hifloat8", input);
    return AscendKernel::EncodeToHiFloat8(input);
}

at::Tensor DecodeImpl(const at::Tensor &input, std::optional<at::ScalarType> dtype)
{
    at::ScalarType out = CheckDecodeDtypes(input, dtype);

    CheckNotEmpty("decode_from_hifloat8", input);
    return AscendKernel::DecodeFromHiFloat8(input, out);
}

/* Symbolic sizes: one graph serves every batch size. */
at::Tensor EncodeMeta(const at::Tensor &input)
{
    CheckEncodeDtype(input);
    return at::empty_symint(input.sym_sizes(), input.options().dtype(at::kByte));
}

at::Tensor DecodeMeta(const at::Tensor &input, std::optional<at::ScalarType> dtype)
{
    at::ScalarType out = CheckDecodeDtypes(input, dtype);

    return at::empty_symint(input.sym_sizes(), input.options().dtype(out));
}

} // namespace

TORCH_LIBRARY_FRAGMENT(amct, m)
{
    m.def("encode_to_hifloat8(Tensor input) -> Tensor");
    m.def("decode_from_hifloat8(Tensor input, ScalarType? dtype=None) -> Tensor");
}

TORCH_LIBRARY_IMPL(amct, PrivateUse1, m)
{
    m.impl("encode_to_hifloat8", TORCH_FN(EncodeImpl));
    m.impl("decode_from_hifloat8", TORCH_FN(DecodeImpl));
}

TORCH_LIBRARY_IMPL(amct, Meta, m)
{
    m.impl("encode_to_hifloat8", TORCH_FN(EncodeMeta));
    m.impl("decode_from_hifloat8", TORCH_FN(DecodeMeta));
}
