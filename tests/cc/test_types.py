# SPDX-License-Identifier: Apache-2.0
"""An element type that an instruction does not take: the message names the call, the type, and what is taken."""

import pytest

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void k(__gm__ uint8_t *p)
{{
    LocalTensor<{type}> a;
    LocalTensor<half> h;
    LocalTensor<float> f;
    LocalTensor<uint32_t> u;
    LocalTensor<uint8_t> t;
    const uint32_t shape[2] = {{8, 8}};
    {call};
}}
"""
CALLS = [
    ("uint8_t", "Add(a, a, a, 32)", ["Add: ", "unsigned char", "rows::f16", "rows::f32", "rows::s16", "rows::s32"]),
    ("int32_t", "Exp(a, a, 32)", ["Exp: ", "<int, ", "rows::f16", "rows::f32"]),
    ("int16_t", "Div(a, a, a, uint64_t(64), 1, BinaryRepeatParams())", ["Div: ", "<short int, ", "rows::f16", "rows::f32"]),
    ("float", "ShiftLeft(a, a, 1.0f, 32)", ["ShiftLeft: ", "<float, ", "rows::u16", "rows::s32"]),
    ("int32_t", "ReduceSum(a, a, a, 32)", ["ReduceSum: ", "<int, ", "rows::f16", "rows::f32"]),
    ("half", "Gatherb(a, a, u, 1, GatherRepeatParams())", ["Gatherb: ", "f16_format", "rows::u16", "rows::u32"]),
    ("uint8_t", "Cast(a, f, RoundMode::CAST_RINT, 32)", ["Cast: ", "no conversion between these two types"]),
    ("int8_t", "AddReluCast(a, f, f, 32)", ["AddReluCast: ", "float to half, half to int8_t"]),
    ("uint8_t", "AddDeqRelu(a, u, u, 32)", ["AddDeqRelu: ", "int32_t", "half"]),
    ("int64_t", "Adds(a, a, int64_t(1), 32)", ["Adds: ", "<long int, ", "rows::f16", "rows::s32"]),
    ("int16_t", "Sort32(a, a, u, 1)", ["Sort32: ", "<short int, ", "rows::f16", "rows::f32"]),
    ("int16_t", "Compare(t, a, a, CMPMODE::LT, 128)", ["Compare: ", "<short int, ", "rows::f32", "rows::s32"]),
    ("int8_t", "Duplicate(a, int8_t(1), 32)", ["Duplicate: ", "<signed char, "]),
    ("int8_t", "Tanh(a, a, 32)", ["Tanh: ", "<signed char, ", "rows::f16", "rows::f32"]),
    ("int32_t", "Sigmoid(a, a, t, 32)", ["Sigmoid: ", "<int, ", "rows::f16", "rows::f32"]),
    ("int8_t", "SoftMax<int8_t>(a, a, a, a, t, SoftMaxTiling())", ["SoftMax: this element type is not supported, allowed are half, float", "signed char"]),
    ("bfloat16_t", "LayerNorm<bfloat16_t>(a, a, a, a, a, a, t, bfloat16_t(1), *(LayerNormTiling *)p)",
     ["LayerNorm: this element type is not supported, allowed are half, float", "bf16_format"]),
    ("int32_t", "ReduceMean<int32_t, Pattern::Reduce::AR>(a, a, t, shape, true)", ["ReduceMean: ", "allowed are float"]),
    ("int64_t", "Broadcast<int64_t, 2, 1>(a, a, shape, shape)", ["Broadcast: ", "elements of 1, 2 or 4 bytes", "long int"]),
    ("bfloat16_t", "DropOut(a, a, t, t, 0.5f, *(DropOutShapeInfo *)p)", ["DropOut: ", "allowed are half, float", "bf16_format"]),
    ("uint8_t", "CastDequant(a, f, 32)", ["CastDequant: ", "int16_t to int8_t"]),
]


@pytest.mark.parametrize("element,call,says", CALLS, ids=[call.split("(")[0] for _, call, _ in CALLS])
def test_a_type_that_is_not_taken(cc, element, call, says):
    text = KERNEL.format(type=element, call=call)
    talk = cc.compile("--npu-arch=dav-2201", "-c", cc.source("bad.asc", text), "-o", "bad.o", expect=1).stderr
    assert [word for word in says if word not in talk] == []
    assert "bad.asc:11:" in talk


# front/std/cmath: the facade takes <cmath> without its special functions; who includes it has them.
@pytest.mark.parametrize("headers", ["#include \"kernel_operator.h\"\n#include <cmath>", "#include <cmath>\n#include \"kernel_operator.h\"",
                                     "#include \"kernel_operator.h\"\n#include <complex>"])
def test_special_functions_of_cmath(cc, headers):
    source = cc.source("special.asc", headers + """
extern "C" __global__ __aicore__ void k(GM_ADDR x) { (void)x; }
int main()
{
    const double beta = std::beta(2.0, 3.0), length = std::hypot(2.0, 3.0, 6.0);
    return std::fabs(beta * 12 - 1) < 1e-12 && length == 7 && std::isnan(std::sqrt(-1.0f)) ? 0 : 1;
}
""")
    cc.compile("-x", "asc", "--npu-arch=dav-2201", source, "-o", "special", *cc.runtime)
    cc.run("./special")
