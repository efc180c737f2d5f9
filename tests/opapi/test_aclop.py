# SPDX-License-Identifier: Apache-2.0
"""Single operators by GE type name: each row of aclop.def in each of its types, against numpy in double.

A case is (inputs, reference, attributes). Inputs are numpy arrays; x of any type of the row is made from the
first ones, the reference gets what the type holds, in double or as Python's integers, and its result is rounded
to the type of the output.
"""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("torch_npu")

import aclnn  # noqa: E402
import aclop  # noqa: E402
import aclop_cases  # noqa: E402

ROWS = aclop.rows()
X = np.array([[0.3, -1.2, 2.0, 0.7], [-0.4, 0.1, 1.5, -2.2]])
Y = np.array([[0.3, 0.2, -0.7, 2.0], [0.3, -1.1, 1.5, 0.6]])
ONE = np.array([[0.3], [-1.2]])
POSITIVE = np.abs(X) + 0.1
UNIT = X / 3
ROW4 = np.array([0.5, -1.0, 2.0, 0.25])
WIDE = {torch.complex64: np.complex128, torch.complex128: np.complex128}
I32, I64, BOOL = np.int32, np.int64, np.bool_
NORM_TYPES = (torch.float32, torch.float16, torch.bfloat16)


def ints(*v):
    return np.array(v, I64)


def keep(a, shape):
    return np.asarray(a).reshape(shape)


def softmax(x, axes):
    e = np.exp(x - x.max(axes, keepdims=True))
    return e / e.sum(axes, keepdims=True)


def layer_norm(x, gamma, beta, first, eps, variance=False):
    axes = tuple(range(first, x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    rstd = 1 / np.sqrt(var + eps)
    y = (x - mean) * rstd * (1 if gamma is None else gamma) + (0 if beta is None else beta)
    return [y, mean, var if variance else rstd]


def rms_norm(x, gamma, eps):
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    rstd = 1 / np.sqrt((x * x).mean(axes, keepdims=True) + eps)
    return [x * rstd * gamma, rstd]


def erf(x):
    import math
    return np.vectorize(math.erf, otypes=[float])(x)


def fast_gelu(x):
    return x / (1 + np.exp(-1.702 * np.abs(x))) * np.exp(0.851 * (x - np.abs(x)))


def sign(x):
    return x / np.where(x == 0, 1, np.abs(x)) if np.iscomplexobj(x) else np.sign(x)


def real(x):
    """In double what numpy would compute in half for bool and int8."""
    return x if np.iscomplexobj(x) else x.astype(np.float64)


def whole(x):
    return x.dtype.kind in "iu"


def sorted_with(x, axis, descending):
    key = x.astype(np.float64)
    i = np.argsort(-key if descending else key, axis, kind="stable")
    return [np.take_along_axis(x, i, axis), i]


def divide(a, b):
    """The quotient in the type of a: without its fraction when that is an integer."""
    return np.trunc(real(a) / real(b)).astype(a.dtype) if whole(a) else real(a) / real(b)


def wider(x):
    """numpy's own product of int8 is int8."""
    return x.astype(I64) if x.dtype == np.int8 else x


def mean(x, axes=None, keepdims=False):
    """Of integers without the fraction."""
    if not whole(x):
        return np.mean(x, axes, keepdims=keepdims)
    axes = tuple(range(x.ndim)) if axes is None else axes
    count = np.prod(np.array(x.shape)[list(axes) if isinstance(axes, tuple) else [axes]])
    total = x.astype(object).sum(axes, keepdims=keepdims)
    return np.array([abs(int(s)) // int(count) * (1 if s >= 0 else -1) for s in np.ravel(total)]).reshape(np.shape(total))


CASES = {}


def case(op_type, inputs, reference, types=None, **attrs):
    """types: those that the case is for, when it is not for all of the row's."""
    CASES.setdefault(op_type, []).append((inputs, reference, attrs, types))


for name, fn in dict(Add=lambda a, b: a | b if a.dtype == BOOL else a + b,
                     Sub=lambda a, b: a ^ b if a.dtype == BOOL else a - b, Mul=lambda a, b: a * b,
                     Maximum=np.maximum, Minimum=np.minimum, Equal=np.equal, NotEqual=np.not_equal, Less=np.less,
                     LessEqual=np.less_equal, Greater=np.greater, GreaterEqual=np.greater_equal,
                     LogicalAnd=np.logical_and, LogicalOr=np.logical_or, BitwiseAnd=np.bitwise_and,
                     BitwiseOr=np.bitwise_or, BitwiseXor=np.bitwise_xor, Atan2=np.arctan2).items():
    case(name, [X, Y], fn)
    case(name, [X, ROW4], fn)
    case(name, [ONE, X], fn)
    case(name, [ROW4[0], X], fn)
for name, fn in dict(RealDiv=divide, Div=divide, FloorDiv=np.floor_divide, FloorMod=np.mod, Mod=np.fmod).items():
    case(name, [X, np.where(np.abs(Y) < 1, 3.0, Y)], fn)
    case(name, [X, np.array([3.0, 2.0, 5.0, 3.0])], fn)
case("Pow", [POSITIVE, np.abs(Y)], np.power)
case("Pow", [X * 2, np.array([2.0, 3, 1, 0])], lambda a, b: a**b if whole(a) else np.power(a, np.rint(b.real).astype(int)),
     types=(torch.float32, torch.float64, torch.int32, torch.int64))
case("Xlogy", [X, POSITIVE], lambda a, b: a * np.log(b))
case("Xlogy", [np.zeros((2, 4)), POSITIVE * 0], lambda a, b: np.zeros((2, 4)))
case("Muls", [X], lambda x: np.trunc(x * 2.5) if whole(x) else x * 2.5, value=2.5)
case("LeftShift", [np.abs(X) * 4, np.array([1.0, 2, 3, 1])], np.left_shift)
case("RightShift", [np.abs(X) * 40, np.array([1.0, 2, 3, 1])], np.right_shift)
case("Lerp", [X, Y, POSITIVE], lambda a, b, w: a + w * (b - a))
case("Lerp", [X, ROW4, ROW4[0]], lambda a, b, w: a + w * (b - a))
case("Addcmul", [X, Y, ROW4, ROW4[0]], lambda x, a, b, v: x + v * a * b)
case("ClipByValueV2", [X, np.array(-1.0), np.array(1.0)], lambda x, a, b: np.minimum(np.maximum(x, a), b))
for name, fn, x in (("Abs", np.abs, X), ("Neg", np.negative, X), ("Exp", np.exp, X), ("Log", lambda x: np.log(real(x)), POSITIVE),
                    ("Log1p", np.log1p, POSITIVE), ("Expm1", np.expm1, X), ("Sqrt", np.sqrt, POSITIVE),
                    ("Rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE), ("Square", np.square, X),
                    ("Reciprocal", lambda x: 1 / x, X), ("Sin", np.sin, X), ("Cos", np.cos, X), ("Tan", np.tan, X),
                    ("Sinh", np.sinh, X), ("Cosh", np.cosh, X), ("Tanh", np.tanh, X), ("Atan", np.arctan, X), ("Asinh", np.arcsinh, X),
                    ("Acosh", np.arccosh, POSITIVE + 1), ("Atanh", np.arctanh, UNIT),
                    ("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), X), ("Erf", erf, X), ("Erfc", lambda x: 1 - erf(x), X),
                    ("Ceil", np.ceil, X), ("Floor", np.floor, X), ("Trunc", np.trunc, X), ("Round", np.rint, X),
                    ("Sign", sign, X), ("Relu", lambda x: np.maximum(x, 0), X), ("LogicalNot", np.logical_not, X),
                    ("IsFinite", np.isfinite, X), ("ZerosLike", np.zeros_like, X), ("OnesLike", np.ones_like, X),
                    ("FastGelu", fast_gelu, X), ("Mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), X),
                    ("TensorMove", np.copy, X), ("Identity", np.copy, X)):
    case(name, [x], fn)
    case(name, [x[:, :0]], fn)
    case(name, [x[0, 0]], fn)
for name, fn in (("Asin", np.arcsin), ("Acos", np.arccos)):
    for x in (UNIT, UNIT[:, :0], UNIT[0, 0]):
        case(name, [x], fn, types=(*NORM_TYPES, torch.float64, torch.complex64, torch.complex128))
    case(name, [np.array([-1.0, 0, 1]) / 3], lambda x, fn=fn: fn(real(x)), types=(torch.int32,))
    case(name, [np.array([-1.0, 0, 1]) / 10], lambda x, fn=fn: fn(real(x)), types=(torch.int64,))
case("IsFinite", [np.array([1, np.inf, -np.inf, np.nan])], np.isfinite)
case("Exp", [X], lambda x: 2.0**(0.5 * x + 1), base=2.0, scale=0.5, shift=1.0)
case("Log", [POSITIVE], lambda x: np.log10(2 * real(x) + 1), base=10.0, scale=2.0, shift=1.0)
case("Round", [X], lambda x: x if whole(x) else np.round(x, 1), decimals=1)
case("ReluGrad", [Y, X], lambda g, x: g * (x > 0).astype(g.dtype))
case("LeakyRelu", [X], lambda x: np.where(x > 0, x, 0.125 * x), negative_slope=0.125)
case("LeakyRelu", [X], lambda x: np.maximum(x, 0))
case("Elu", [X], lambda x: 1.5 * np.where(x > 0, x, 0.5 * (np.exp(2 * x) - 1)), alpha=0.5, scale=1.5, input_scale=2.0)
case("Elu", [X], lambda x: np.where(x > 0, x, np.exp(x) - 1))
case("Swish", [X], lambda x: x / (1 + np.exp(-1.5 * x)), scale=1.5)
case("Swish", [X], lambda x: x / (1 + np.exp(-x)))
case("BroadcastTo", [X[:1], ints(3, 4)], lambda x, s: np.broadcast_to(x, (3, 4)))
case("Fill", [ints(2, 3), ROW4[2]], lambda s, v: np.full((2, 3), v))
case("Fill", [ints(2, 0), ROW4[2]], lambda s, v: np.full((2, 0), v))
case("Tile", [X, ints(2, 3)], lambda x, n: np.tile(x, (2, 3)))
case("Transpose", [X.reshape(2, 2, 2), ints(2, 0, 1)], lambda x, p: x.transpose(2, 0, 1))
case("Transpose", [X, np.array([1, 0], I32)], lambda x, p: x.T)
case("ConcatD", [X, Y, X[:, :1]], lambda *v: np.concatenate(v, 1), concat_dim=1, N=3)
case("ConcatD", [X, Y], lambda *v: np.concatenate(v, -2), concat_dim=-2)
case("Pack", [X, Y], lambda *v: np.stack(v, 1), axis=1, N=2)
case("Pack", [X], lambda *v: np.stack(v, 0))
case("Slice", [X, ints(0, 1), ints(2, 2)], lambda x, o, s: x[:, 1:3])
case("Slice", [X, ints(1, 1), ints(-1, -1)], lambda x, o, s: x[1:, 1:])
case("StridedSlice", [X, ints(0, 3), ints(2, 0), ints(1, -2)], lambda x, *_: x[0:2, 3:0:-2])
case("StridedSlice", [X, ints(-1, 1), ints(9, 9), ints(1, 1)], lambda x, *_: x[:, 1:], begin_mask=1, end_mask=3)
case("StridedSlice", [X, ints(1), ints(2), ints(1)], lambda x, *_: x[1], shrink_axis_mask=1)
CUBE = np.arange(24.0).reshape(2, 3, 4) / 7
case("StridedSlice", [CUBE, ints(9, 1), ints(9, 3), ints(1, 1)], lambda x, *_: x[..., 1:3], ellipsis_mask=1)
case("StridedSlice", [CUBE, ints(1, 0, 9, 2), ints(2, 0, 9, 0), ints(1, 1, 1, -1)], lambda x, *_: x[1, None, ..., 2:0:-1],
     shrink_axis_mask=1, new_axis_mask=2, ellipsis_mask=4)
case("StridedSlice", [CUBE, ints(9, 0, 1), ints(9, 0, 3), ints(1, 1, 1)], lambda x, *_: x[..., None, 1:3], ellipsis_mask=1, new_axis_mask=2)
case("Pad", [X, ints(1, 0, 0, 2)], lambda x, p: np.pad(x, ((1, 0), (0, 2))))
case("PadV3", [X, ints(1, 0, 0, 2), ROW4[2]], lambda x, p, v: np.pad(x, ((1, 0), (0, 2)), constant_values=v))
case("PadV3", [X, ints(1, 0, 0, 2)], lambda x, p: np.pad(x, ((1, 0), (0, 2))), mode="constant", paddings_contiguous=True)
case("PadV3", [X, ints(1, 0, 0, 2)], lambda x, p: np.pad(x, ((1, 0), (0, 2))), paddings_contiguous=True)
case("PadV3", [X, ints(1, 0, 0, 2)], lambda x, p: np.pad(x, ((1, 0), (0, 2))), _exclude_engines="AiCore")
case("PadV3", [X, ints(1, 0, 0, 2)], lambda x, p: np.pad(x, ((1, 0), (0, 2))))
for mode, pads in (("reflect", (1, 0, 2, 3)), ("edge", (3, 1, 0, 5))):
    case("PadV3", [X, ints(*pads)], lambda x, p, m=mode, q=pads: np.pad(x, (q[:2], q[2:]), m), mode=mode)
    case("PadV3", [X, ints(*pads[::2], *pads[1::2])], lambda x, p, m=mode, q=pads: np.pad(x, (q[:2], q[2:]), m), mode=mode,
         paddings_contiguous=False)
for mode, pads in (("REFLECT", (1, 0, 2, 3)), ("SYMMETRIC", (2, 1, 0, 4))):
    case("MirrorPad", [X, ints(*pads)], lambda x, p, m=mode, q=pads: np.pad(x, (q[:2], q[2:]), m.lower()), mode=mode)
case("PadV3", [X, ints(1, 2, 0, 3)], lambda x, p: np.pad(x, ((1, 0), (2, 3))), paddings_contiguous=False)
case("GatherV2", [X, ints(1, 1, 0).reshape(3, 1), ints(1)], lambda x, i, a: x[:, i], batch_dims=0)
case("GatherV2", [X, ints(-1, 1, 0), ints(1)], lambda x, i, a: x[:, i], negative_index_support=True)
case("GatherV2", [X, np.array(3, I32), ints(-1)], lambda x, i, a: x[:, 3], is_preprocessed=True)
case("MaskedFill", [X, X > 0.5, ROW4[2]], lambda x, m, v: np.where(m, v, x))
case("MaskedFill", [X, np.array([[True], [False]]), ROW4[2]], lambda x, m, v: np.where(m, v, x))
for name in ("SelectV2", "Select"):
    case(name, [X > 0.5, X, Y], np.where)
case("SelectV2", [np.array([[True], [False]]), ROW4, Y], np.where)
case("Select", [np.array([True, False]), X, Y], lambda c, x, y: np.where(c[:, None], x, y))
case("Select", [np.array(False), X, Y], np.where)
for name, fn in dict(ReduceSum=np.sum, ReduceMean=mean, ReduceMax=np.max, ReduceMin=np.min, ReduceProd=np.prod,
                     ReduceAll=np.all, ReduceAny=np.any).items():
    case(name, [X, ints(1)], lambda x, a, fn=fn: fn(x, 1), keep_dims=False)
    case(name, [X, ints(-2)], lambda x, a, fn=fn: fn(x, 0, keepdims=True), keep_dims=True)
    case(name, [X, np.array([0, 1], I32)], lambda x, a, fn=fn: fn(x, (0, 1)))
    case(name, [X, ints()], lambda x, a, name=name: x.astype(bool) if name in ("ReduceAll", "ReduceAny") else x)
    if name not in ("ReduceAll", "ReduceAny"):
        case(name, [X, ints()], lambda x, a, fn=fn: fn(x), noop_with_empty_axes=False)
for name, at, fn in (("ArgMaxWithValue", np.argmax, np.max), ("ArgMinWithValue", np.argmin, np.min)):
    case(name, [X], lambda x, at=at, fn=fn: [at(x, 1).astype(I32), fn(x, 1)], dimension=1)
    case(name, [np.array([[2.0, 5, 5], [1, 1, 0]])], lambda x, at=at, fn=fn:
         [at(x, 1)[:, None].astype(I64), fn(x, 1, keepdims=True)], dimension=-1, keep_dims=True)
case("Cumsum", [X, ints(1)], lambda x, a: np.cumsum(x, 1))
case("Cumsum", [X, ints(0)], lambda x, a: np.cumsum(x[::-1], 0)[::-1], reverse=True)
case("Cumsum", [X, ints(1)], lambda x, a: np.cumsum(np.pad(x, ((0, 0), (1, 0))), 1)[:, :-1], exclusive=True)
case("Cumprod", [X, ints(1)], lambda x, a: np.cumprod(x, 1), exclusive=False)
case("Cumprod", [X, ints(0)], lambda x, a: np.concatenate([x[1:], np.ones_like(x[:1])]), exclusive=True, reverse=True)
case("Cumprod", [X, ints(-1)], lambda x, a: np.cumprod(x[:, ::-1], 1)[:, ::-1], reverse=True)
case("ReverseV2", [X, ints(0, 1)], lambda x, a: x[::-1, ::-1])
case("Sort", [X], lambda x: [a if k == 0 else a.astype(I32) for k, a in enumerate(sorted_with(x, -1, False))])
case("Sort", [X], lambda x: sorted_with(x, 0, True), axis=0, descending=True)
case("SoftmaxV2", [X], lambda x: softmax(x, (-1,)))
case("SoftmaxV2", [X.reshape(2, 2, 2)], lambda x: softmax(x, (0, 2)), axes=[0, 2], half_to_float=False)
case("SoftmaxGrad", [softmax(X, (1,)), Y], lambda y, g: y * (g - (g * y).sum(1, keepdims=True)))
case("SoftmaxGrad", [softmax(X, (0, 1)), Y], lambda y, g: y * (g - (g * y).sum()), axes=[0, 1])
case("LayerNorm", [X, ROW4, Y[0]], lambda x, g, b: layer_norm(x, g, b, 1, 1e-7, True), begin_norm_axis=1, begin_params_axis=1)
case("LayerNorm", [X, X, Y], lambda x, g, b: layer_norm(x, g, b, 0, 1e-7, True))
case("LayerNormV3", [X, ROW4, Y[0]], lambda x, g, b: layer_norm(x, g, b, 1, 1e-5), begin_norm_axis=-1, begin_params_axis=1)
case("LayerNormV3", [X, ROW4, Y[0]], lambda x, g, b: layer_norm(x, g, b, 0, 0.5), begin_params_axis=1, epsilon=0.5)
case("LayerNormV4", [X, ints(4), ROW4, Y[0]], lambda x, n, g, b: layer_norm(x, g, b, 1, 1e-5))
case("LayerNormV4", [X, np.array([2, 4], I32)], lambda x, n: layer_norm(x, None, None, 0, 0.5), epsilon=0.5)
case("RmsNorm", [X, ROW4], lambda x, g: rms_norm(x, g, 1e-6))
case("RmsNorm", [X, X], lambda x, g: rms_norm(x, g, 0.5), epsilon=0.5)
for name in ("MatMul", "MatMulV2"):
    case(name, [X, Y], lambda a, b: wider(a) @ wider(b).T, transpose_x2=True)
    case(name, [X, Y, ROW4], lambda a, b, c: a.T @ b + c, types=(*NORM_TYPES, torch.int32), transpose_x1=True)
    case(name, [X, Y.reshape(4, 2)], lambda a, b: wider(a) @ wider(b))
case("MatMulV2", [torch.full((2, 9), 127, dtype=torch.int8), torch.full((9, 3), -128, dtype=torch.int8), torch.tensor([1, 2, 3], dtype=torch.int32)],
     lambda a, b, c: torch.full((2, 3), -9 * 127 * 128, dtype=torch.int32) + torch.from_numpy(c), types=(torch.int8,), transpose_x1=False)
case("MatMulV2", [X, Y, aclop_cases.f32(ROW4)], lambda a, b, c: torch.from_numpy(a.T @ b + c).float(), types=NORM_TYPES, transpose_x1=True)
case("BatchMatMul", [np.stack([X, Y]), Y], lambda a, b: a @ b.T, adj_x2=True)
case("BatchMatMul", [np.stack([X, Y]), np.stack([Y, X])], lambda a, b: a.transpose(0, 2, 1) @ b, adj_x1=True)
case("BatchMatMul", [X, Y.reshape(4, 2)], lambda a, b: a @ b)
aclop_cases.add(case)
case("Cast", [X * 3], lambda x: x.astype(bool), dst_type=12)
case("Cast", [X * 3], lambda x: np.real(x).astype(I32), dst_type=3)
case("Cast", [X * 3], lambda x: np.real(x).astype(np.float32), dst_type=0)
TYPED_OUTPUTS = {"bool": torch.bool, "int32": torch.int32, "int64": torch.int64}


def of_type(a, dtype, fixed):
    """The tensor of an input: indices and masks keep their type, anything else gets the one that is tested."""
    if fixed:
        return torch.from_numpy(np.ascontiguousarray(a)).reshape(a.shape)
    if dtype == torch.bool:
        return torch.from_numpy(np.ascontiguousarray(a > 0)).reshape(a.shape)
    if dtype.is_complex:
        return torch.from_numpy(np.ascontiguousarray(a + 0.25j * a)).to(dtype).reshape(a.shape)
    if not dtype.is_floating_point:
        a = np.rint(np.where(np.isfinite(a), a, 1) * (10 if dtype == torch.int64 else 3))
        if not dtype.is_signed:
            a = np.abs(a)
        return torch.from_numpy(np.ascontiguousarray(a.astype(I64))).to(dtype).reshape(np.shape(a))
    return torch.from_numpy(np.ascontiguousarray(a)).to(dtype).reshape(np.shape(a))


def exact(t):
    if t.is_floating_point():
        return t.double().numpy()
    return t.numpy()


def fixed_inputs(op_type, n):
    words = ROWS[op_type][1].split()
    words += words[-1:] * (n - len(words))
    return [":I" in w or ":B" in w for w in words[:n]]


def output_types(op_type, expected, dtype, attrs):
    for word, e in zip(ROWS[op_type][2].split(), expected):
        if isinstance(e, torch.Tensor):
            yield e.dtype
        elif ":E" in word or ":D" in word:
            yield {torch.bool: torch.float32, torch.int8: torch.int32 if ":D" in word else dtype}.get(dtype, dtype)
        elif ":I" in word or ":N" in word:
            yield TYPED_OUTPUTS[str(e.dtype)]
        elif ":B" in word:
            yield torch.bool
        elif ":F" in word:
            yield torch.float32 if op_type == "RmsNorm" or not (dtype.is_floating_point or dtype.is_complex) else dtype
        elif "dst_type" in attrs:
            yield {0: torch.float32, 3: torch.int32, 12: torch.bool}[attrs["dst_type"]]
        else:
            yield dtype


TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1e-2, torch.float32: 2e-5, torch.complex64: 2e-5}


def check(op_type, inputs, reference, attrs, dtype):
    fixed = fixed_inputs(op_type, len(inputs))
    tensors = [a if a is None or isinstance(a, torch.Tensor) else of_type(np.asarray(a), dtype, f)
               for a, f in zip(inputs, fixed)]
    with np.errstate(all="ignore"):
        expected = reference(*[None if t is None else exact(t) for t in tensors])
    expected = [e if isinstance(e, torch.Tensor) else np.asarray(e)
                for e in (expected if isinstance(expected, list) else [expected])]
    types = list(output_types(op_type, expected, dtype, attrs))
    expected = [(e if isinstance(e, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(e))).to(t).reshape(e.shape)
                for e, t in zip(expected, types, strict=True)]
    host = [i for i, t in enumerate(tensors) if fixed[i] and t.dtype in (torch.int32, torch.int64)]
    actual = aclop.run(op_type, tensors, expected, host=host, spoil=True, shaped="*" in ROWS[op_type][2], **attrs)
    for a, e in zip(actual, expected):
        tol = TOLERANCE.get(e.dtype, 1e-9) if e.is_floating_point() or e.is_complex() else 0
        if e.dtype in (torch.uint16, torch.uint32, torch.uint64):
            a, e = a.to(torch.int64), e.to(torch.int64)
        torch.testing.assert_close(a, e, rtol=tol, atol=tol, equal_nan=True, msg=lambda m: f"{op_type} {dtype} {attrs}: {m}")


@pytest.mark.parametrize("op_type", ROWS)
def test_every_type(op_type):
    for dtype in ROWS[op_type][4]:
        for inputs, reference, attrs, types in CASES[op_type]:
            if types is None or dtype in types:
                check(op_type, inputs, reference, attrs, dtype)


def test_every_row_has_a_case():
    assert sorted(CASES) == sorted(ROWS)
    assert sum(full for full, *_ in ROWS.values()) >= 190


def test_filter_lies_as_its_description_says():
    """Of NHWC and of HWCN, beside pictures that are NHWC."""
    x, w = torch.arange(2 * 3 * 5 * 4).reshape(2, 3, 5, 4).float(), torch.arange(6 * 3 * 2 * 2).reshape(6, 3, 2, 2).float() - 30
    y = torch.nn.functional.conv2d(x, w)
    last, attrs = (0, 2, 3, 1), dict(strides=[1] * 4, pads=[0] * 4, data_format="NHWC")
    for fmt, filter_order in ((1, last), (2, (2, 3, 1, 0))):
        got, = aclop.run("Conv2D", [x.permute(last), w.permute(filter_order)], [y.permute(last)], fmt=fmt, **attrs)
        assert torch.equal(got, y.permute(last))


OUTSIDE = """
import sys, torch, aclop
x, place = torch.ones(2, 3), torch.tensor([[0, int(sys.argv[1])], [0, 0]])
assert aclop.run("GatherV2", [x, place * 0, torch.tensor(1)], [x[:, :2]], host=(2,), batch_dims=1)[0].sum() == 4
try:
    aclop.run("GatherV2", [x, place, torch.tensor(1)], [x[:, :2]], host=(2,), batch_dims=1, negative_index_support=sys.argv[1] != "-1")
except RuntimeError as e:
    raise SystemExit(3 if "GatherV2" in str(e) or "507" in str(e) else str(e))
"""


@pytest.mark.parametrize("place", ["3", "-4", "-1"])
def test_an_index_outside_of_x_is_an_error_of_the_device(place):
    """Also where negative ones are meant: 3 is not 0, nor -4 2."""
    run = subprocess.run([sys.executable, "-c", OUTSIDE, place], capture_output=True, text=True, timeout=300,
                         env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)})
    assert run.returncode == 3, run.stderr[-2000:]


# ---- layer normalisation against torch ----

IMAGE = torch.linspace(-2, 3, 2 * 3 * 4 * 5).mul(5).sin().reshape(2, 3, 4, 5)


def torch_layer_norm(x, first, gamma, beta, eps):
    """y, mean and rstd in double; gamma and beta of the shape of x from dimension first on, or None."""
    shape = x.shape[first:]
    y, mean, rstd = torch.native_layer_norm(x.double(), shape, None if gamma is None else gamma.double(),
                                            None if beta is None else beta.double(), eps)
    assert torch.equal(y, torch.nn.functional.layer_norm(x.double(), shape, None if gamma is None else gamma.double(),
                                                         None if beta is None else beta.double(), eps))
    return y, mean, rstd


def same(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        tol = TOLERANCE[a.dtype]
        torch.testing.assert_close(a.double(), e, rtol=tol, atol=tol)


@pytest.mark.parametrize("dtype", NORM_TYPES)
@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_layer_norm_v3_is_torchs(dtype, first):
    x = IMAGE.to(dtype)
    for statistics in {dtype, torch.float32}:
        for params in (dtype, torch.float32):
            gamma, beta = (x[(0,) * first].clone().mul(s).to(params) for s in (0.5, -2))
            expected = torch_layer_norm(x, first, gamma, beta, 1e-3)
            like = [x, *(e.to(statistics) for e in expected[1:])]
            assert list(like[1].shape) == list(x.shape[:first]) + [1] * (4 - first)
            attrs = dict(begin_norm_axis=first - 4, begin_params_axis=first, epsilon=1e-3)
            same(aclop.run("LayerNormV3", [x, gamma, beta], like, **attrs), expected)
            y, mean, variance = aclop.run("LayerNorm", [x, gamma, beta], like, **attrs)
            same([y, mean], expected[:2])
            same([variance], [x.double().var(tuple(range(first, 4)), correction=0, keepdim=True)])


@pytest.mark.parametrize("dtype", NORM_TYPES)
@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize("has_gamma", [False, True])
@pytest.mark.parametrize("has_beta", [False, True])
def test_layer_norm_v4_is_torchs(dtype, first, has_gamma, has_beta):
    x = IMAGE.to(dtype)
    gamma = x[(0,) * first] * 0.5 if has_gamma else None
    beta = x[(-1,) * first].float() if has_beta else None
    expected = torch_layer_norm(x, first, gamma, beta, 1e-5)
    for index in (torch.int32, torch.int64):
        for statistics in {dtype, torch.float32}:
            shape = torch.tensor(x.shape[first:], dtype=index)
            like = [x, *(e.to(statistics) for e in expected[1:])]
            for host in ((1,), ()):  # torch_npu keeps the shape on the host; a C program may not
                same(aclop.run("LayerNormV4", [x, shape, gamma, beta], like, host=host, spoil=True), expected)
    if not has_gamma and not has_beta:
        same(aclop.run("LayerNormV4", [x, shape], like, host=(1,)), expected)


def test_a_reserved_input_may_be_left_out_by_an_absent_one():
    x = torch.linspace(-1, 1, 8).reshape(2, 4)
    for rest in ([], [None], [None, None]):
        y, = aclop.run("MatMulV2", [x, x, *rest], [x[:, :2]], transpose_x2=True)
        torch.testing.assert_close(y, x @ x.T)


def test_inputs_go_by_name_when_all_have_one():
    x, gamma, beta = IMAGE, IMAGE[0], IMAGE[1] * 2
    expected = torch_layer_norm(x, 1, gamma, beta, 1e-5)
    like = [e.float() for e in expected]
    attrs = dict(begin_norm_axis=1, begin_params_axis=1)
    same(aclop.run("LayerNormV3", [beta, x, gamma], like, names=["beta", "x", "gamma"], **attrs), expected)
    same(aclop.run("LayerNormV3", [x, gamma, beta], like, names=["beta", "", "gamma"], **attrs), expected)
    shape = torch.tensor(x.shape[1:])
    same(aclop.run("LayerNormV4", [shape, beta, x], like, host=(0,), names=["normalized_shape", "beta", "x"]),
         torch_layer_norm(x, 1, None, beta, 1e-5))
    for names, text in ((["x", "weight", "beta"], "no input is named weight; the inputs are: x gamma"),
                        (["x", "x", "beta"], "two inputs are named x")):
        with pytest.raises(aclop.Refused, match=text):
            aclop.run("LayerNormV3", [x, gamma, beta], like, names=names, **attrs)


# ---- masks: what is random, and what is opaque ----

def masks(name, keep, *, n=(50, 60), rest=(), **attrs):
    size = 3000 if name.endswith("V3") else 3072 // 8
    like = torch.zeros(size, dtype=torch.uint8)
    return aclop.run(name, [torch.tensor(n), torch.tensor(keep), *rest], [like], host=(0, 1), **attrs)[0]


def bits(mask, name):
    flat = mask.numpy() if name.endswith("V3") else np.unpackbits(mask.numpy(), bitorder="little")
    return flat[:3000].astype(bool), flat[3000:]


@pytest.mark.parametrize("name", ["DropOutGenMask", "DropOutGenMaskV3", "StatelessDropOutGenMask"])
def test_dropout_masks(name):
    """As many bits as asked for, decided by the seeds alone; the padding keeps nothing, and DoMask reads them so."""
    def seeds(a, b, offset=0):
        if name[0] != "S":
            return dict(seed=a, seed2=b)
        return dict(rest=[torch.tensor([v], dtype=torch.int32) for v in (a, b)] + [torch.tensor([0, offset])])
    first = masks(name, 0.3, **seeds(7, 1))
    keep, padding = bits(first, name)
    assert 0.26 < keep.mean() < 0.34 and not padding.any()
    assert torch.equal(first, masks(name, 0.3, **seeds(7, 1)))
    assert not torch.equal(first, masks(name, 0.3, **seeds(7, 2))) and not torch.equal(first, masks(name, 0.3, **seeds(8, 1)))
    if name[0] == "S":
        assert not torch.equal(first, masks(name, 0.3, **seeds(7, 1, offset=4)))
    else:
        assert not torch.equal(masks(name, 0.3, **seeds(0, 0)), masks(name, 0.3, **seeds(0, 0)))  # any seed
    x = torch.linspace(-3, 3, 3000).reshape(50, 60)
    do = "DropOutDoMaskV3" if name.endswith("V3") else "DropOutDoMask"
    if name.endswith("V3"):
        first = torch.cat([first, torch.zeros(72, dtype=torch.uint8)])
    y, = aclop.run(do, [x, first, torch.tensor([0.3])], [x])
    torch.testing.assert_close(y, torch.where(torch.from_numpy(keep).reshape(50, 60), x / 0.3, 0))


def test_dropout_mask_is_that_of_aclnn():
    out = torch.zeros(384, dtype=torch.uint8).npu()
    aclnn.run("aclnnDropoutGenMask", [50, 60], 0.75, 5, 9, out)
    rest = [torch.tensor([v], dtype=torch.int32) for v in (5, 0)] + [torch.tensor([0, 9])]
    assert torch.equal(out.cpu(), masks("StatelessDropOutGenMask", 0.25, rest=rest))


@pytest.mark.parametrize("name,other", [("StatelessRandomUniformV2", "aclnnInplaceUniform"), ("StatelessRandomNormalV2", "aclnnInplaceNormal")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_random_numbers(name, other, dtype):
    """Key and counter are the seed and offset of the aclnn operator: the same numbers, in each type."""
    def draw(key, counter, like=torch.zeros(40, 50, dtype=dtype), alg=1, **attrs):
        inputs = [torch.tensor(like.shape), torch.tensor([key], dtype=torch.uint64), torch.tensor([0, counter], dtype=torch.uint64),
                  torch.tensor([alg], dtype=torch.int32)]
        return aclop.run(name, inputs, [like], host=(0, 1, 2, 3), **attrs)[0]
    y = draw(7, 12, dtype=dtype)
    same = torch.zeros(40, 50, dtype=dtype).npu()
    aclnn.run(other, same, 0.0, 1.0, 7, 12)
    assert torch.equal(y, same.cpu()) and not torch.equal(y, draw(8, 12, dtype=dtype)) and not torch.equal(y, draw(7, 16, dtype=dtype))
    assert abs(y.double().mean() - (0.5 if "Uniform" in name else 0)) < 0.08
    with pytest.raises(aclop.Refused, match="alg is 2; the twin has Philox"):
        draw(7, 12, dtype=dtype, alg=2)
    with pytest.raises(aclop.Refused, match="dtype is .*, but y has type"):
        draw(7, 12, dtype=torch.float32 if dtype != torch.float32 else torch.float16)


@pytest.mark.parametrize("ceil", [False, True])
def test_max_pool_mask_goes_back_to_where_the_maximum_was(ceil):
    x = torch.linspace(-2, 3, 2 * 3 * 9 * 8).mul(7).sin().reshape(2, 3, 9, 8)
    y, index = torch.nn.functional.max_pool2d(x, (3, 2), (2, 1), (1, 1), ceil_mode=ceil, return_indices=True)
    words = (y[0, 0].numel() + 15) // 16 + 1
    attrs = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], pads=[1, 1, 1, 1], ceil_mode=ceil)
    got, mask = aclop.run("MaxPoolWithArgmaxV1", [x], [y, torch.zeros(2, 3, 6, words, dtype=torch.uint16)], **attrs)
    assert torch.equal(got, y)
    grad = torch.randn(y.shape, generator=torch.Generator().manual_seed(3))
    want = torch.ops.aten.max_pool2d_with_indices_backward(grad, x, (3, 2), (2, 1), (1, 1), (1, 1), ceil, index)
    torch.testing.assert_close(aclop.run("MaxPoolGradWithArgmaxV1", [x, grad, mask], [x], **attrs)[0], want)
    with pytest.raises(aclop.Refused, match="argmax has shape .* mask of"):
        aclop.run("MaxPoolWithArgmaxV1", [x], [y, mask[:, :, :5]], **attrs)


@pytest.mark.parametrize("op_type", ["NonZero", "UniqueWithCountsAndSorting", "MaskedSelect"])
def test_a_shape_that_the_data_decides_needs_v2(op_type):
    inputs = {"MaskedSelect": [A, A > 0]}.get(op_type, [A])
    outputs = [A, torch.zeros(8, dtype=torch.int64), torch.zeros(8, dtype=torch.int64)][:3 if op_type[0] == "U" else 1]
    if op_type == "NonZero":
        outputs = outputs[:0] + [torch.zeros(8, 2, dtype=torch.int64)]
    with pytest.raises(aclop.Refused, match=f"{op_type}: the shape of its output is known only when it has run.*aclopCompileAndExecuteV2"):
        aclop.run(op_type, inputs, outputs)


# ---- what is refused, before anything is queued ----

A, M = torch.tensor(X).float(), torch.zeros(2, 1)
SHAPE = torch.tensor([4])
HALF4 = IMAGE[:, :, :2, :3].half()
REFUSALS = [
    ("DynamicRNN", [A], [A], {}, "aclop operator type DynamicRNN is not supported"),
    ("Add", [A], [A], {}, "input x2 is missing; the inputs are: x1 x2"),
    ("Add", [A, None], [A], {}, "input x2 is missing"),
    ("Add", [A, A, A], [A], {}, "takes 2 inputs"),
    ("Add", [A, A], [A, A], {}, "takes 2 inputs .* and 1 outputs"),
    ("Add", [A, A.half()], [A], {}, "x2 has type float16; allowed: float32"),
    ("Add", [A, A], [A.int()], {}, "y has type int32; allowed: float32"),
    ("LogicalAnd", [A, A], [A], {}, "x1 has type float32; allowed: bool"),
    ("Add", [A, A[:, :3]], [A], {}, "does not broadcast"),
    ("Add", [A, A], [A[:1]], {}, "the output has shape"),
    ("Abs", [A], [A[:1]], {}, "output 0 has shape"),
    ("Exp", [A], [A], {"bias": 1.0}, "there is no attribute bias; the attributes are: base"),
    ("Abs", [A], [A], {"axis": 1}, "there is no attribute axis; the attributes are: none"),
    ("Exp", [A], [A], {"base": 2}, "attribute base has another type; it is set with aclopSetAttrFloat"),
    ("Cast", [A], [A.int()], {}, "attribute dst_type is missing"),
    ("Cast", [A], [A.int()], {"dst_type": 9}, "dst_type is 9, but the output has type int32"),
    ("GatherV2", [A, SHAPE, SHAPE], [A], {"batch_dims": 1}, r"batch_dims is 1; x of shape \[2, 4\] and indices of shape \[1\] allow -1 to 0"),
    ("GatherV2", [A, A[:1].long(), SHAPE - 3], [A], {"batch_dims": 1}, "differ in their first 1 dimensions"),
    ("GatherV2", [A, A.long(), SHAPE - 4], [A], {"batch_dims": 1}, "axis is 0, in front of the 1 dimensions of batch_dims"),
    ("Addcdiv", [A, A, A, A[0]], [A], {}, "value has shape"),
    ("Addcdiv", [A.bfloat16()] * 3 + [torch.tensor([2], dtype=torch.int32)], [A.bfloat16()], {}, "value has type int32; not beside"),
    ("Addcdiv", [A, A, A, A[0, :1].bool()], [A], {}, "value has type bool; allowed: float32"),
    ("Conv2D", [IMAGE, IMAGE], [IMAGE], {"strides": [1] * 4, "pads": [0] * 4}, r"do not fit \(dimensions in the order NCHW\)"),
    ("LpLoss", [A, A], [A[0, 0]], {"p": 2}, "p is 2; the documentation has p 1 only"),
    ("LpLoss", [A, A], [A[0, 0]], {}, "attribute p is missing"),
    ("ThresholdV2D", [A.int()], [A.int()], {"threshold": 1.0, "value": 1e30}, "value is 1e.30; an x of integers does not hold it"),
    ("LpNormReduceV2", [A[:, :0]], [A[:, 0]], {"p": float("inf"), "axes": [1]}, "of no elements"),
    ("MatMul", [A, A], [A], {}, r"x1 of shape \[2, 4\] and x2 of shape \[2, 4\] do not multiply"),
    ("MatMul", [A[0], A], [A], {}, "must have 2 dimensions"),
    ("MatMul", [A, A.T], [A], {}, r"output 0 has shape \[2, 4\]; the result has \[2, 2\]"),
    ("MatMulV2", [A.char(), A.char(), A[0, :2].char()], [torch.zeros(2, 2, dtype=torch.int32)], {"transpose_x2": True},
     "bias has type int8 beside int8; it is int32 for integers"),
    ("MatMulV2", [A, A, A[0, :2].int()], [A[:, :2]], {"transpose_x2": True}, "bias has type int32 beside float32"),
    ("MatMulV2", [A, A, A[0, :2], A.char()], [A[:, :2]], {"transpose_x2": True}, "takes 3 inputs .* got 4 and 1"),
    ("MatMulV2", [A.char(), A.char()], [torch.zeros(2, 2, dtype=torch.int32)], {"offset_x": 3}, "offset_x is computed for 0 only"),
    ("MatMulV2", [A, A, A[0]], [A[:, :2]], {"transpose_x2": True}, "bias of shape"),
    ("MatMulV2", [A, A], [A], {"transpose_x2": True}, r"the result has \[2, 2\]"),
    ("BatchMatMul", [A, A], [A], {"adj_x1": False}, "do not multiply"),
    ("BatchMatMul", [A.expand(3, 2, 4), A.T.expand(2, 4, 2)], [A], {}, "batches"),
    ("BatchMatMul", [A.expand(3, 2, 4), A.T], [A], {}, r"the result has \[3, 2, 2\]"),
    ("BatchMatMul", [A[0], A], [A], {}, "at least 2 dimensions"),
    ("ReduceSum", [A, torch.tensor([2])], [A], {}, "axis 2: x of shape"),
    ("ReduceSum", [A, torch.tensor([1, -1])], [A[:, 0]], {}, "axis 1 is named twice"),
    ("ReduceMean", [A, torch.tensor([1])], [A], {}, r"the result has \[2\]"),
    ("ReduceMax", [A, torch.tensor([1])], [A[:, 0]], {"keep_dims": True}, r"the result has \[2, 1\]"),
    ("ReduceProd", [A, torch.zeros(0, dtype=torch.int64)], [A], {"noop_with_empty_axes": False}, r"the result has \[\]"),
    ("ReduceAny", [A > 0, torch.tensor([0])], [A > 0], {}, r"the result has \[4\]"),
    ("ArgMaxWithValue", [A], [torch.zeros(4, dtype=torch.int32), A[0]], {"dimension": 2}, "axis 2: x of shape"),
    ("ArgMinWithValue", [A], [torch.zeros(4, dtype=torch.int32), A[:, 0]], {"dimension": 0}, "output 1 has shape"),
    ("Slice", [A, SHAPE - 4, SHAPE], [A], {}, "offsets has 1 values; 2 are needed"),
    ("Slice", [A, torch.tensor([0, 1]), torch.tensor([2, 4])], [A], {}, "offset 1 and size 4 leave dimension 1"),
    ("Slice", [A, torch.tensor([-1, 0]), torch.tensor([1, 1])], [A], {}, "offset -1"),
    ("Slice", [A, torch.tensor([0, 1]), torch.tensor([2, -1])], [A], {}, r"the result has \[2, 3\]"),
    ("Transpose", [A, torch.tensor([0, 2])], [A], {}, "perm 2: x of shape"),
    ("Transpose", [A, torch.tensor([0, -2])], [A], {}, "perm names dimension 0 twice"),
    ("Transpose", [A, torch.tensor([1, 0])], [A], {}, r"the result has \[4, 2\]"),
    ("Tile", [A, SHAPE], [A], {}, "multiples has 1 values; 2 are needed"),
    ("Tile", [A, torch.tensor([1, 2])], [A], {}, r"the result has \[2, 8\]"),
    ("Tile", [A, torch.tensor([1, -2])], [A], {}, "multiples has -2 at 1"),
    ("Pad", [A, torch.tensor([1, 0])], [A], {}, "paddings has 2 values; 4 are needed"),
    ("Pad", [A, torch.tensor([1, 0, 0, 2])], [A], {}, r"the result has \[3, 6\]"),
    ("PadV3", [A, torch.tensor([1, 0, 0, 2])], [A], {"paddings_contiguous": False}, r"the result has \[3, 6\]"),
    ("Pad", [A, torch.tensor([-3, 0, 0, 0])], [A], {}, "leave dimension 0 .* with -1 elements"),
    ("ConcatD", [A, A[:, :3]], [A], {"concat_dim": 0}, "in dimension 0 only"),
    ("ConcatD", [A, A], [A], {"concat_dim": 2}, "concat_dim 2: x of shape"),
    ("ConcatD", [A, A[0]], [A], {"concat_dim": 0}, "input 1 has shape"),
    ("ConcatD", [A, A], [A], {"concat_dim": 0}, r"the result has \[4, 4\]"),
    ("ConcatD", [A, A], [torch.cat([A, A])], {"concat_dim": 0, "N": 3}, "N is 3, but there are 2 inputs"),
    ("Pack", [A, A[:1]], [A], {"axis": 0}, "input 1 has shape"),
    ("Pack", [A, A], [A], {"axis": 3}, r"axis 3 is not in \[-3, 3\)"),
    ("Pack", [A, A], [A], {"axis": 1}, r"the result has \[2, 2, 4\]"),
    ("GatherV2", [A, SHAPE, SHAPE], [A], {}, "axis 4: x of shape"),
    ("GatherV2", [A, torch.tensor([1, 0, 1]), torch.tensor([1])], [A], {}, r"the result has \[2, 3\]"),
    ("Fill", [torch.tensor([2, 3]), A[0, 0]], [A], {}, r"the result has \[2, 3\]"),
    ("Fill", [torch.tensor([2, 4]), A[0]], [A], {}, "value has shape"),
    ("BroadcastTo", [A, torch.tensor([3, 2, 4])], [A], {}, r"the result has \[3, 2, 4\]"),
    ("BroadcastTo", [A, torch.tensor([2, 8])], [A.repeat(1, 2)], {}, "does not broadcast"),
    ("LpNormReduceV2", [A], [A], {"axes": [1]}, r"the result has \[2\]"),
    ("LayerNormV3", [A, A[0], A[0]], [A, M, M], {"eps": 1e-5}, "there is no attribute eps"),
    ("PadV3", [A, torch.tensor([1, 0, 0, 2])], [A], {"mode": "wrap"}, "mode is wrap; allowed: constant reflect edge"),
    ("PadV3", [A, torch.tensor([2, 0, 0, 0])], [A], {"mode": "reflect"}, "mode reflect allows 0 to 1"),
    ("PadV3", [A, torch.tensor([1, 0, 0, 2]), A[0, 0]], [A], {"mode": "edge"}, "mode edge takes no constant_values"),
    ("MirrorPad", [A, torch.tensor([1, 0, 0, 2])], [A], {"mode": "reflect"}, "mode is reflect; allowed: REFLECT SYMMETRIC"),
    ("RealDiv", [A > 0, A > 0], [A > 0], {}, "y has type bool; allowed: float32"),
    ("Conv2D", [IMAGE, IMAGE], [IMAGE], {"strides": [1, 1], "pads": [0] * 4, "data_format": "NCHW"}, "attribute strides has 2 values; 4 are needed"),
    ("Conv2D", [IMAGE, IMAGE], [IMAGE], {"pads": [0] * 4}, "attribute strides is missing"),
    ("Conv2D", [IMAGE, IMAGE], [IMAGE], {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW"}, "do not fit"),
    ("Conv2D", [IMAGE, IMAGE[:, :, :2, :2]], [IMAGE[:, :2]], {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW"},
     "dimension 2 of the feature map has 4 elements; image 4, pads 0 and 0, kernel 2, stride 1 and dilation 1 make 3"),
    ("Conv2D", [IMAGE, IMAGE[:, :, :2, :2], A[0]], [IMAGE[:, :2, :3, :4]], {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW"}, "bias has shape"),
    ("Conv2D", [IMAGE, IMAGE[:, :, :2, :2]], [IMAGE[:, :2, :3, :4]], {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCDHW"},
     "data_format is NCDHW; allowed: NCHW NHWC"),
    ("Conv2D", [IMAGE, IMAGE[:, :, :2, :2]], [IMAGE[:, :2, :3, :4]], {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW", "fmt": 1},
     "input 0 is described as NHWC, data_format is NCHW"),
    ("Conv2D", [IMAGE, IMAGE[0]], [IMAGE], {"strides": [1] * 4, "pads": [0] * 4}, r"filter has shape \[3, 4, 5\] and format HWCN; it needs 4 dimensions"),
    ("Conv2DBackpropInput", [torch.tensor([2, 3, 4, 6]), IMAGE[:, :, :2, :2], IMAGE[:, :2, :3, :4]], [IMAGE],
     {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NCHW"}, r"the result has \[2, 3, 4, 6\]"),
    ("BNInfer", [IMAGE, A[0], A[0], A[0], A[0]], [IMAGE], {"epsilon": 1e-5}, "input 1 has shape .* x has 3 channels"),
    ("BNInfer", [IMAGE, A[0].half(), A[0], A[0], A[0]], [IMAGE], {"epsilon": 1e-5}, "scale has type float16; allowed: float32"),
    ("BNTrainingReduceGrad", [IMAGE, IMAGE[:1]] + [A[0, :3]] * 5, [IMAGE], {}, "grads has shape"),
    ("MaxPoolWithArgmaxV1", [IMAGE], [IMAGE, IMAGE.int()], {"ksize": [1, 2, 2, 1], "strides": [1] * 4, "pads": [0] * 4},
     "in dimension 2 the result has 3"),
    ("DropOutDoMask", [IMAGE, torch.zeros(8, dtype=torch.uint8), A[0, :1]], [IMAGE], {}, "x of 120 elements needs 16 bytes"),
    ("DropOutGenMask", [torch.tensor([200]), A[0, 0]], [torch.zeros(16, dtype=torch.uint8)], {}, "has 32 bytes"),
    ("Quantize", [A, A[0], None], [A.to(torch.int8)], {"dtype": "qint8"}, "dtype is qint8; allowed: torch.qint8, torch.quint8, torch.qint32"),
    ("Quantize", [A, A[0, :2], None], [A.to(torch.int8)], {"dtype": "torch.qint8"}, "scales has shape"),
    ("Quantize", [A, A[0], None], [A.to(torch.uint8)], {"dtype": "torch.qint8"}, "dtype is torch.qint8, but y has type uint8"),
    ("ScatterElements", [A, torch.zeros(2, 5, dtype=torch.int64), A], [A], {}, "do not fit along axis 0"),
    ("ScatterElements", [A, torch.zeros(2, 4, dtype=torch.int64), A], [A], {"reduction": "min"}, "reduction is min; allowed: none, add, mul"),
    ("ScatterNdUpdate", [A, torch.zeros(2, 3, dtype=torch.int64), A], [A], {}, "its last dimension names 1 to 2"),
    ("ScatterNdUpdate", [A, torch.zeros(2, 1, dtype=torch.int64), A[:1]], [A], {}, "updates has shape"),
    ("AsStrided", [A, torch.tensor([2, 4]), torch.tensor([4, 1]), torch.tensor(1)], [A], {}, "the view reaches element 8; there are 8"),
    ("AsStrided", [A, torch.tensor([2, 4]), torch.tensor([4]), torch.tensor(0)], [A], {}, "stride has 1 values; 2 are needed"),
    ("OneHot", [SHAPE, SHAPE, A[0, 0], A[0]], [A[:1]], {}, "input 3 has shape"),
    ("OneHot", [SHAPE, SHAPE, A[0, 0], A[0, 0]], [A], {}, r"the result has \[1, 4\]"),
    ("ConfusionTransposeD", [A], [A], {"perm": [0, 0], "shape": [2, 4], "transpose_first": True}, "perm has 2 values"),
    ("ArgMaxGrad", [A, torch.zeros(3, dtype=torch.int32), A[0, :3]], [A], {"dimension": 1}, "do not name one place"),
    ("AddRmsNorm", [A, A, A[0]], [A, A, A], {}, "rstd .2, 4."),
    ("TopKV2", [A, torch.tensor(5)], [A, A.int()], {}, "k is 5; x has 4 along dim -?1"),
    ("Range", [A[0], A[0, 0], A[0, 0]], [A[0]], {}, "input 0 has shape"),
    ("MseLoss", [A, A], [A[0, 0]], {"reduction": "max"}, "max is not one of: none.mean.sum"),
    ("MseLoss", [A, A], [A[0, 0]], {"reduction": "none"}, "without a reduction it has that of the first input"),
    ("MseLoss", [A, A], [A], {}, "the reduction mean leaves one element"),
    ("AttentionScore", [HALF4, HALF4, HALF4, HALF4[:, :, :1, :2], HALF4[0, 0, 0, :1]], [HALF4, HALF4[:, :, :2, :2]],
     {"key_transpose": True}, "attribute key_transpose is computed for 0 only"),
    ("LayerNormV3", [A, A[0], A[0]], [A, M, M], {}, "gamma has shape"),
    ("LayerNormV3", [A, A[0], A[0]], [A, M, M], {"begin_norm_axis": 2}, "begin_norm_axis 2"),
    ("LayerNormV3", [A, A[0], A[0]], [A, M[0], M], {"begin_norm_axis": 1, "begin_params_axis": 1}, "output 1 has shape"),
    ("LayerNormV3", [A, A[0], A[0]], [A, M.half(), M], {"begin_norm_axis": 1, "begin_params_axis": 1},
     "output 1 has type float16; allowed: float32"),
    ("LayerNormV3", [A, None, None], [A, M, M], {}, "input gamma is missing"),
    ("LayerNormV3", [A.double(), A[0], A[0]], [A, M, M], {}, "x has type float64; allowed: float32, float16, bfloat16"),
    ("LayerNormV4", [A, SHAPE - 1], [A, M, M], {}, "normalized_shape has 3 at 0"),
    ("LayerNormV4", [A, SHAPE.float()], [A, M, M], {}, "normalized_shape has type float32; allowed: int32, int64"),
    ("LayerNormV4", [A, SHAPE, A], [A, M, M], {}, "gamma has shape"),
    ("LayerNormV4", [A, SHAPE, A[0]], [A, M, M], {"begin_norm_axis": 1}, "there is no attribute begin_norm_axis"),
    ("LayerNormV4", [A, SHAPE, A[0]], [A, M, M], {"epsilon": 1}, "attribute epsilon has another type"),
]


@pytest.mark.parametrize("op_type,inputs,outputs,attrs,text", REFUSALS)
def test_refusals(op_type, inputs, outputs, attrs, text):
    host = [i for i, t in enumerate(inputs) if t is SHAPE or (t is not None and t.dtype == torch.int64)]
    with pytest.raises(aclop.Refused, match=text) as e:
        aclop.run(op_type, inputs, outputs, host=host, **attrs)
    assert op_type in str(e.value)
    assert (A.npu() + 1).sum().item() == pytest.approx((A + 1).sum().item())  # the device is well


def test_a_storage_format_is_refused():
    with pytest.raises(aclop.Refused, match="storage format 29"):
        aclop.run("Abs", [A], [A], fmt=29)


ON_950 = """
import torch, aclop
a = torch.ones(2)
assert torch.equal((a.npu() + 1).cpu(), a + 1)
try:
    aclop.run("Abs", [a], [a])
    raise SystemExit("not refused")
except aclop.Refused as e:
    assert "Abs" in str(e) and "Ascend950" in str(e) and "aclnn" in str(e), e
"""


def test_a5_has_no_aclop():
    run = subprocess.run([sys.executable, "-c", ON_950], capture_output=True, text=True, timeout=300,
                         env=os.environ | {"NPUTWIN_SOC": "Ascend950PR_9599", "PYTHONPATH": str(Path(__file__).parent)})
    assert run.returncode == 0, run.stderr[-2000:]
