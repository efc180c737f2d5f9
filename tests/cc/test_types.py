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
    ("uint8_t", "CastDequant(a, f, 32)", ["CastDequant: ", "int16_t to int8_t"]),
]


@pytest.mark.parametrize("element,call,says", CALLS, ids=[call.split("(")[0] for _, call, _ in CALLS])
def test_a_type_that_is_not_taken(cc, element, call, says):
    text = KERNEL.format(type=element, call=call)
    talk = cc.compile("--npu-arch=dav-2201", "-c", cc.source("bad.asc", text), "-o", "bad.o", expect=1).stderr
    assert [word for word in says if word not in talk] == []
    assert "bad.asc:9:" in talk
