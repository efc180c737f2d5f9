# SPDX-License-Identifier: Apache-2.0
"""aclnn operators called as a C program calls them, against torch on the CPU or plain arithmetic.

Here are the operators that torch's samples do not reach (sweep.py), because torch_npu calls them for
functions of its own, on other SoCs, or not at all. A case gives the arguments and, by position, what
the written tensors must hold afterwards.
"""
import math

import pytest
import torch
import torch.nn.functional as F

torch_npu = pytest.importorskip("torch_npu")

import aclnn  # noqa: E402 - needs torch_npu's libraries

X = torch.tensor([[0.3, -1.2, 2.0, 0.7], [-0.4, 0.1, 1.5, -2.2], [0.9, -0.6, 0.2, 1.1]])
Y = torch.tensor([[1.5, 0.2, -0.7, 2.0], [0.3, -1.1, 0.4, 0.6], [-2.0, 1.0, 0.8, 0.5]])
I = torch.tensor([[3, 0, 7, 2], [9, 5, 5, 1], [4, 8, 6, 0]])
IMAGE = torch.linspace(-1, 1, 2 * 3 * 6 * 5).sin().reshape(2, 3, 6, 5)
VOLUME = torch.linspace(-1, 1, 2 * 3 * 4 * 6 * 5).sin().reshape(2, 3, 4, 6, 5)
CASES = {}


def case(name, *values, **written):
    """written: a<position> = what it must hold."""
    CASES[name] = (values, {int(k[1:]): v for k, v in written.items()})


def out(t):
    """A tensor to be written, full of a wrong value."""
    return torch.full_like(t, 77) if t.dtype != torch.bool else ~t


def unary(name, fn, x=X):
    case(name, x, out(fn(x)), a1=fn(x))


def with_scalar(name, fn, x, s):
    e = fn(x, s)
    case(name, x, s, out(e), a2=e)


def in_place(name, e, x, *rest):
    case(name, x, *rest, a0=e)


# ---- arithmetic ----
case("aclnnAddRelu", X, Y, 2, out(X), a3=F.relu(X + 2 * Y))
in_place("aclnnInplaceAddRelu", F.relu(X + 2 * Y), X, Y, 2)
case("aclnnAddV3", 3.0, X, 2.0, out(X), a3=3 + 2 * X)
case("aclnnDivMods", X, 0.7, 1, out(X), a3=torch.div(X, 0.7, rounding_mode="trunc"))
case("aclnnDivMod", X, Y, 0, out(X), a3=X / Y)
in_place("aclnnInplaceDivMods", torch.div(X, 0.7, rounding_mode="floor"), X, 0.7, 2)
with_scalar("aclnnFloorDivides", lambda x, s: torch.floor_divide(x, s), X, 0.7)
in_place("aclnnInplaceFloorDivides", torch.floor_divide(X, 0.7), X, 0.7)
with_scalar("aclnnFmodScalar", torch.fmod, X, 0.7)
in_place("aclnnInplaceFmodScalar", torch.fmod(X, 0.7), X, 0.7)
in_place("aclnnInplaceRemainderTensorScalar", torch.remainder(X, 0.7), X, 0.7)
case("aclnnRemainderScalarTensor", 5.0, X, out(X), a2=torch.remainder(torch.tensor(5.0), X))
with_scalar("aclnnBitwiseAndScalar", torch.bitwise_and, I, 6)
with_scalar("aclnnBitwiseOrScalar", torch.bitwise_or, I, 6)
with_scalar("aclnnBitwiseXorScalar", torch.bitwise_xor, I, 6)
in_place("aclnnInplaceBitwiseAndScalar", I & 6, I, 6)
in_place("aclnnInplaceBitwiseXorScalar", I ^ 6, I, 6)
with_scalar("aclnnLeftShifts", lambda x, s: x << s, I, 3)
case("aclnnLerp", X, Y, X.sigmoid(), out(X), a3=torch.lerp(X, Y, X.sigmoid()))
with_scalar("aclnnXLogYScalarOther", torch.xlogy, X.abs(), 2.5)
in_place("aclnnInplaceXLogYScalarOther", torch.xlogy(X.abs(), 2.5), X.abs(), 2.5)
case("aclnnXLogYScalarSelf", 2.5, X.abs(), out(X), a2=torch.xlogy(2.5, X.abs()))
for word in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
    in_place(f"aclnnInplace{word}Scalar", getattr(torch, word.lower())(X, 0.3).float(), X, 0.3)
with_scalar("aclnnLessScalar", torch.lt, X, 0.3)
case("aclnnIsInScalarTensor", 5, I, False, False, out(torch.tensor(False)), a4=torch.tensor(True))
case("aclnnIsInTensorScalar", I, 5, False, True, out(I > 0), a4=I != 5)
case("aclnnAminmaxAll", X, out(X.min()), out(X.max()), a1=X.min(), a2=X.max())
case("aclnnAminmaxDim", X, 1, True, out(X[:, :1]), out(X[:, :1]), a3=X.amin(1, True), a4=X.amax(1, True))
case("aclnnAmpUpdateScale", torch.tensor([8.0]), torch.tensor([1], dtype=torch.int32), torch.tensor([0.0]),
     2.0, 0.5, 2, torch.zeros(1), torch.zeros(1, dtype=torch.int32),
     a6=torch.tensor([16.0]), a7=torch.tensor([0], dtype=torch.int32))

in_place("aclnnInplaceSubs", X - 2 * 0.7, X, 0.7, 2.0)
in_place("aclnnInplaceFillTensor", torch.full_like(X, 3.5), X, torch.tensor(3.5))

# ---- creation ----
case("aclnnLinspace", 0.0, 3.0, 7, out(torch.zeros(7)), a3=torch.linspace(0, 3, 7))
case("aclnnLogSpace", 0.0, 3.0, 4, 2.0, out(torch.zeros(4)), a4=torch.tensor([1.0, 2, 4, 8]))
case("aclnnRange", 1.0, 4.0, 1.5, out(torch.zeros(3)), a3=torch.tensor([1.0, 2.5, 4.0]))
in_place("aclnnInplaceFillDiagonal", X.clone().fill_diagonal_(5), X, 5.0, False)

# ---- activations, norms, losses ----
unary("aclnnFastGelu", lambda x: x * torch.sigmoid(1.702 * x))


def fast_gelu_gradient():
    x = X.clone().requires_grad_()
    (x * torch.sigmoid(1.702 * x)).backward(Y)
    return x.grad


case("aclnnFastGeluBackward", Y, X, out(X), a2=fast_gelu_gradient())
case("aclnnGeluV2", X, 1, out(X), a2=F.gelu(X, approximate="tanh"))
case("aclnnGeluBackwardV2", Y, X, "tanh", out(X),
     a3=torch.ops.aten.gelu_backward(Y, X, approximate="tanh"))
case("aclnnHardswishBackward", Y, X, out(X), a2=torch.ops.aten.hardswish_backward(Y, X))
in_place("aclnnInplaceHardswish", F.hardswish(X), X)
in_place("aclnnInplaceHardtanh", F.hardtanh(X, -0.5, 0.5), X, -0.5, 0.5)
in_place("aclnnInplaceRelu", F.relu(X), X)
unary("aclnnLogSigmoid", F.logsigmoid)
HALVES = X.chunk(2, -1)
case("aclnnSwiGlu", X, -1, out(X[:, :2]), a2=F.silu(HALVES[0]) * HALVES[1])


def gradient_of(fn, *args, weights):
    leaves = [a.clone().requires_grad_() for a in args]
    fn(*leaves).backward(weights)
    return [a.grad for a in leaves]


case("aclnnSwiGluGrad", Y[:, :2], X, -1, out(X),
     a3=gradient_of(lambda x: F.silu(x[:, :2]) * x[:, 2:], X, weights=Y[:, :2])[0])
GAMMA = torch.tensor([0.5, 1.0, 1.5, 2.0])


def rms(x, gamma, eps=1e-3):
    return x * (x.pow(2).mean(-1, keepdim=True) + eps).rsqrt() * gamma


RSTD = (X.pow(2).mean(-1, keepdim=True) + 1e-3).rsqrt()
case("aclnnRmsNorm", X, GAMMA, 1e-3, out(X), out(RSTD), a3=rms(X, GAMMA), a4=RSTD)
RMS_GRADS = gradient_of(rms, X, GAMMA, weights=Y)
case("aclnnRmsNormGrad", Y, X, RSTD, GAMMA, out(X), out(GAMMA), a4=RMS_GRADS[0], a5=RMS_GRADS[1])
case("aclnnAddRmsNorm", X, Y, GAMMA, 1e-3, out(X), out(RSTD), out(X), a4=rms(X + Y, GAMMA), a6=X + Y)
case("aclnnFastLayerNorm", X, [4], GAMMA, None, 1e-5, out(X), out(RSTD), out(RSTD),
     a5=F.layer_norm(X, (4,), GAMMA), a6=X.mean(-1, keepdim=True))
MEAN, VAR = IMAGE.mean((0, 2, 3)), IMAGE.var((0, 2, 3), unbiased=False)
case("aclnnBatchNormStats", IMAGE, 1e-3, out(MEAN), out(MEAN), a2=MEAN, a3=(VAR + 1e-3).rsqrt())
case("aclnnBatchNormReduce", IMAGE, out(MEAN), out(MEAN), a1=IMAGE.sum((0, 2, 3)), a2=IMAGE.pow(2).sum((0, 2, 3)))
W3 = torch.tensor([1.0, 2.0, 3.0])
case("aclnnBatchNormElemt", IMAGE, W3, W3, MEAN, (VAR + 1e-3).rsqrt(), 1e-3, out(IMAGE),
     a6=F.batch_norm(IMAGE, MEAN, VAR, W3, W3, eps=1e-3))
case("aclnnGroupNormSilu", IMAGE, W3, W3, 3, 1e-3, out(IMAGE), torch.zeros(2, 3), torch.zeros(2, 3),
     a5=F.silu(F.group_norm(IMAGE, 3, W3, W3, 1e-3)), a6=IMAGE.mean((2, 3)))
COS, SIN = X.flatten()[:4].cos(), X.flatten()[:4].sin()
case("aclnnRotaryPositionEmbedding", X, COS, SIN, 0, out(X),
     a4=X * COS + torch.cat((-X[:, 2:], X[:, :2]), -1) * SIN)
case("aclnnRotaryPositionEmbeddingGrad", Y, COS, SIN, X, 0, out(X), out(COS), out(COS),
     **{f"a{5 + i}": g for i, g in enumerate(gradient_of(
         lambda x, c, s: x * c + torch.cat((-x[:, 2:], x[:, :2]), -1) * s, X, COS, SIN, weights=Y))})

SCALE = X.abs().amax(-1) / 127
case("aclnnDynamicQuant", X, None, torch.zeros(3, 4, dtype=torch.int8), out(SCALE),
     a2=(X / SCALE[:, None]).round().to(torch.int8), a3=SCALE)

# ---- shapes and indices ----
case("aclnnBucketize", X, torch.tensor([-1.0, 0.0, 1.0]), False, False, out(I),
     a4=torch.bucketize(X, torch.tensor([-1.0, 0.0, 1.0])))
case("aclnnSearchSorteds", torch.tensor([-1.0, 0.0, 1.0]), 0.5, False, False, None, out(torch.tensor(0)),
     a5=torch.tensor(2))
case("aclnnIndexFillTensor", X, 1, [0, 2], 9.0, out(X), a4=X.index_fill(1, torch.tensor([0, 2]), 9.0))
in_place("aclnnInplaceIndexFillTensor", X.index_fill(0, torch.tensor([1]), 9.0), X, 0, [1], 9.0)
case("aclnnGatherV3", X, 0, torch.tensor([2, 0]), 0, 0, out(X[:2]), a5=X[[2, 0]])
in_place("aclnnScatterNdUpdate", X.index_put((torch.tensor([2, 0]), torch.tensor([1, 3])), torch.tensor([8.0, 9.0])),
         X, torch.tensor([[2, 1], [0, 3]]), torch.tensor([8.0, 9.0]))
case("aclnnRepeatInterleave", X.flatten(), torch.full((12,), 2), 24, out(torch.zeros(24)),
     a3=X.flatten().repeat_interleave(2))
case("aclnnRepeatInterleaveTensor", torch.tensor([2, 0, 1]), 3, out(torch.zeros(3, dtype=torch.long)),
     a2=torch.tensor([0, 0, 2]))
case("aclnnRepeatInterleaveWithDim", X, torch.tensor([2, 0, 1]), 0, 3, out(X), a4=X[[0, 0, 2]])
case("aclnnRepeatInterleaveGrad", Y, torch.tensor([2, 0, 1]), 0, out(X),
     a3=torch.stack([Y[0] + Y[1], Y[0] * 0, Y[2]]))
case("aclnnChunkCat", [X, X[:, :2]], 0, 2, out(torch.zeros(2, 12)), a3=torch._chunk_cat([X, X[:, :2]], 0, 2))
case("aclnnSplitWithSize", X, [1, 3], 1, [out(X[:, :1]), out(X[:, 1:])], a3=[X[:, :1], X[:, 1:]])
case("aclnnEmbeddingRenorm", X, torch.tensor([0, 2]), 1.0, 2.0,
     a0=torch.embedding_renorm_(X.clone(), torch.tensor([0, 2]), 1.0, 2.0))
case("aclnnAffineGrid", torch.eye(2, 3)[None] * 2, [1, 1, 2, 3], False, out(torch.zeros(1, 2, 3, 2)),
     a3=F.affine_grid(torch.eye(2, 3)[None] * 2, [1, 1, 2, 3], align_corners=False))
for name, pad, x, mode in (("ReflectionPad2d", [1, 2, 2, 1], IMAGE, "reflect"),
                           ("ReflectionPad3d", [1, 2, 2, 1, 1, 0], VOLUME, "reflect"),
                           ("ReplicationPad2d", [1, 2, 2, 1], IMAGE, "replicate"),
                           ("ReplicationPad3d", [1, 2, 2, 1, 1, 0], VOLUME, "replicate")):
    padded = F.pad(x, pad, mode=mode)
    case(f"aclnn{name}", x, pad, out(padded), a2=padded)
    case(f"aclnn{name}Backward", padded, x, pad, out(x),
         a3=gradient_of(lambda t, pad=pad, mode=mode: F.pad(t, pad, mode=mode), x, weights=padded)[0])

# ---- resampling: scales of 0 mean "from the sizes" ----
for name, x, size, mode, n_scales in (
        ("UpsampleNearest1d", IMAGE[:, :, 0], [9], "nearest", 0),
        ("UpsampleNearest2d", IMAGE, [9, 7], "nearest", 0),
        ("UpsampleNearest2dV2", IMAGE, [9, 7], "nearest", 2),
        ("UpsampleNearest3d", VOLUME, [5, 9, 7], "nearest", 3),
        ("UpsampleNearestExact2d", IMAGE, [9, 7], "nearest-exact", 2),
        ("UpsampleNearestExact3d", VOLUME, [5, 9, 7], "nearest-exact", 3)):
    big = F.interpolate(x, size, mode=mode)
    zeros = [0.0] * n_scales
    case(f"aclnn{name}", x, size, *zeros, out(big), **{f"a{2 + n_scales}": big})
    if n_scales and not name.endswith("V2") or name == "UpsampleNearest2d":
        zeros = [0.0] * len(size)
        case(f"aclnn{name}Backward", big, size, list(x.shape), *zeros, out(x),
             **{f"a{3 + len(zeros)}": gradient_of(
                 lambda t, size=size, mode=mode: F.interpolate(t, size, mode=mode), x, weights=big)[0]})
BIG = F.interpolate(IMAGE, (9, 7), mode="bilinear")
case("aclnnUpsampleBilinear2dBackward", BIG, [9, 7], list(IMAGE.shape), False, 0.0, 0.0, out(IMAGE),
     a6=gradient_of(lambda t: F.interpolate(t, (9, 7), mode="bilinear"), IMAGE, weights=BIG)[0])
SMALL = F.interpolate(IMAGE, (4, 3), mode="bicubic", antialias=True)
case("aclnnUpsampleBicubic2dAA", IMAGE, [4, 3], False, 0.0, 0.0, out(SMALL), a5=SMALL)
case("aclnnUpsampleBicubic2dAAGrad", SMALL, [4, 3], list(IMAGE.shape), False, 0.0, 0.0, out(IMAGE),
     a6=gradient_of(lambda t: F.interpolate(t, (4, 3), mode="bicubic", antialias=True), IMAGE, weights=SMALL)[0])

# ---- matrices ----
SPD = torch.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
case("aclnnInverse", SPD, out(SPD), a1=torch.inverse(SPD))
case("aclnnSlogdet", SPD, out(SPD[0, 0]), out(SPD[0, 0]), a1=torch.tensor(1.0), a2=torch.logdet(SPD))
TBC, KERNEL = X.reshape(3, 2, 2), torch.linspace(-1, 1, 12).reshape(3, 2, 2)
TBC_OUT = torch.conv_tbc(TBC, KERNEL, torch.ones(2), 1)
case("aclnnConvTbc", TBC, KERNEL, torch.ones(2), 1, out(TBC_OUT), 0, a4=TBC_OUT)
TBC_GRADS = torch.ops.aten.conv_tbc_backward(TBC_OUT, TBC, KERNEL, torch.ones(2), 1)
case("aclnnConvTbcBackward", TBC_OUT, TBC, KERNEL, torch.ones(2), 1, 0, out(TBC), out(KERNEL), out(torch.ones(2)),
     **{f"a{6 + i}": g for i, g in enumerate(TBC_GRADS)})
DIST = torch.cdist(X, Y)
case("aclnnCdistBackward", DIST, X, Y, DIST, 2.0, out(X), a5=torch.ops.aten._cdist_backward(DIST, X, Y, 2.0, DIST))
QKV = torch.linspace(-1, 1, 2 * 3 * 12).reshape(2, 3, 12)
HEADS = torch.ops.aten._transform_bias_rescale_qkv(QKV, torch.ones(12), 2)
case("aclnnTransformBiasRescaleQkv", QKV, torch.ones(12), 2, *[out(h) for h in HEADS],
     **{f"a{3 + i}": h for i, h in enumerate(HEADS)})

# ---- foreach: scalars in device memory (the first generation), and lists of them ----
LIST, OTHER = [X, X[0]], [Y, Y[1]]
TWO = torch.tensor([2.0])


def foreach(name, *values, expected):
    case(f"aclnnForeach{name}", *values, [out(e) for e in expected], **{f"a{len(values)}": expected})


foreach("AddList", LIST, OTHER, TWO, expected=[a + 2 * b for a, b in zip(LIST, OTHER)])
foreach("SubList", LIST, OTHER, TWO, expected=[a - 2 * b for a, b in zip(LIST, OTHER)])
foreach("AddScalar", LIST, TWO, expected=[a + 2 for a in LIST])
foreach("SubScalar", LIST, TWO, expected=[a - 2 for a in LIST])
foreach("MulScalar", LIST, TWO, expected=[a * 2 for a in LIST])
foreach("DivScalar", LIST, TWO, expected=[a / 2 for a in LIST])
foreach("PowScalar", LIST, TWO, expected=[a**2 for a in LIST])
foreach("MaximumScalar", LIST, torch.tensor([0.5]), expected=[a.clamp_min(0.5) for a in LIST])
foreach("MinimumScalar", LIST, torch.tensor([0.5]), expected=[a.clamp_max(0.5) for a in LIST])
foreach("AddScalarList", LIST, [2.0, 3.0], expected=[X + 2, X[0] + 3])
foreach("SubScalarList", LIST, [2.0, 3.0], expected=[X - 2, X[0] - 3])
foreach("MulScalarList", LIST, [2.0, 3.0], expected=[X * 2, X[0] * 3])
foreach("DivScalarList", LIST, [2.0, 3.0], expected=[X / 2, X[0] / 3])
foreach("MaximumScalarList", LIST, [0.5, 0.1], expected=[X.clamp_min(0.5), X[0].clamp_min(0.1)])
foreach("MinimumScalarList", LIST, [0.5, 0.1], expected=[X.clamp_max(0.5), X[0].clamp_max(0.1)])
foreach("PowScalarList", LIST, [2.0, 3.0], expected=[X**2, X[0]**3])
foreach("PowScalarAndTensor", 2.0, LIST, expected=[2**X, 2**X[0]])
foreach("AddcdivScalar", LIST, LIST, OTHER, TWO, expected=[a + 2 * a / b for a, b in zip(LIST, OTHER)])
foreach("AddcmulScalar", LIST, LIST, OTHER, TWO, expected=[a + 2 * a * b for a, b in zip(LIST, OTHER)])
foreach("AddcdivScalarList", LIST, LIST, OTHER, torch.tensor([2.0, 3.0]),
        expected=[a + s * a / b for a, b, s in zip(LIST, OTHER, (2, 3))])
foreach("AddcmulScalarList", LIST, LIST, OTHER, torch.tensor([2.0, 3.0]),
        expected=[a + s * a * b for a, b, s in zip(LIST, OTHER, (2, 3))])
foreach("MaximumScalarV2", LIST, 0.5, expected=[a.clamp_min(0.5) for a in LIST])
foreach("MinimumScalarV2", LIST, 0.5, expected=[a.clamp_max(0.5) for a in LIST])
foreach("RoundOffNumber", LIST, torch.tensor([2], dtype=torch.int8), expected=[a.floor() for a in LIST])
foreach("RoundOffNumberV2", LIST, 5, expected=[a.trunc() for a in LIST])
case("aclnnForeachZeroInplace", [X, X[0]], a0=[X * 0, X[0] * 0])
case("aclnnForeachNonFiniteCheckAndUnscale", [X, X[0] / 0], torch.zeros(1), torch.tensor([0.5]),
     a0=[X * 0.5, X[0] / 0], a1=torch.ones(1))
case("aclnnFusedSgd", [X, X[0]], [Y, Y[1]], [torch.zeros_like(X), torch.zeros_like(X[0])], None, 0.0, 0.9, 0.1,
     0.0, False, False, True, a0=[X - 0.1 * Y, X[0] - 0.1 * Y[1]], a2=[Y, Y[1]])


def fresh(v):
    """Written tensors are changed: each test gets its own, on the npu."""
    if isinstance(v, torch.Tensor):
        return v.clone().npu()
    if isinstance(v, list) and v and isinstance(v[0], torch.Tensor):
        return [fresh(x) for x in v]
    return v


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    values, written = CASES[name]
    values = [fresh(v) for v in values]
    aclnn.run(name, *values)
    for position, expected in written.items():
        actual = values[position]
        if isinstance(expected, torch.Tensor):
            expected, actual = [expected], [actual]
        for e, a in zip(expected, actual, strict=True):
            torch.testing.assert_close(a.cpu(), e, rtol=1e-5, atol=1e-5, equal_nan=True)


# ---- random: distributions, and the same numbers for the same seed and offset ----

def draw(name, *values, at, n=20000, dtype=torch.float32):
    t = torch.empty(n, dtype=dtype, device="npu")
    values = list(values)
    values.insert(at, t)
    aclnn.run(name, *values)
    return t.cpu()


def test_random_operators():
    a = draw("aclnnInplaceNormal", 1.0, 2.0, 5, 0, at=0)
    assert abs(a.mean() - 1) < 0.1 and abs(a.std() - 2) < 0.1
    assert torch.equal(a, draw("aclnnInplaceNormal", 1.0, 2.0, 5, 0, at=0))
    assert not torch.equal(a, draw("aclnnInplaceNormal", 1.0, 2.0, 5, 10, at=0))
    assert not torch.equal(a, draw("aclnnInplaceNormal", 1.0, 2.0, 6, 0, at=0))
    assert torch.equal(a, draw("aclnnNormalFloatFloat", 1.0, 2.0, 5, 0, at=4))
    std = torch.full((20000,), 2.0).npu()
    b = draw("aclnnNormalFloatTensor", 1.0, std, 5, 0, at=4)
    torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(draw("aclnnNormalTensorFloat", std, 2.0, 5, 0, at=4), a + 1, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(draw("aclnnNormalTensorTensor", std, std, 5, 0, at=4), a + 1, rtol=1e-4, atol=1e-4)
    e = draw("aclnnSimThreadExponential", 20000, 2.0, 5, 0, at=0)
    assert e.min() >= 0 and abs(e.mean() - 0.5) < 0.02
    k = draw("aclnnInplaceRandomWithoutFromTo", 5, 0, at=0, dtype=torch.uint8)
    assert len(set(k.tolist())) == 256
    p = draw("aclnnRandperm", 100, 5, 0, at=3, n=100, dtype=torch.int64)
    assert sorted(p.tolist()) == list(range(100))


@pytest.mark.parametrize("name, before, after, dtype", [
    ("aclnnInplaceNormal", [None, 1.0, 2.0], [], torch.float32), ("aclnnInplaceUniform", [None, -1.0, 3.0], [], torch.float32),
    ("aclnnInplaceRandom", [None, -5, 900], [], torch.int64), ("aclnnInplaceRandomWithoutFromTo", [None], [], torch.int16),
    ("aclnnDropoutGenMaskV2", [[1000], 0.3], [1, None], torch.uint8),
    ("aclnnMultinomial", [torch.rand(4, 50), 250, True], [None], torch.int64)])
def test_seed_and_offset_on_the_device(name, before, after, dtype):
    """The same numbers as with plain ones; the plain offset is added to the tensor's."""
    drawn = []
    for suffix, seeds in (("", [7, 12]), ("Tensor", [torch.tensor(7), torch.tensor([9]), 3])):
        out = torch.zeros(4, 250, dtype=dtype).npu()
        args = [x.npu() if isinstance(x, torch.Tensor) else x for x in before + seeds + after]
        aclnn.run(name + suffix, *(out if x is None else x for x in args))
        drawn.append(out.cpu())
    assert torch.equal(*drawn) and len(set(drawn[0].flatten().tolist())) > 20


def test_random_numbers_are_not_correlated():
    u = draw("aclnnInplaceUniform", 0.0, 1.0, 5, 0, at=0, n=100000).double()
    v = draw("aclnnInplaceUniform", 0.0, 1.0, 5, 1, at=0, n=100000).double()
    for a, b in ((u[:-1], u[1:]), (u, v), (u[:-4], u[4:])):
        assert abs(torch.corrcoef(torch.stack([a, b]))[0, 1]) < 5 / math.sqrt(len(a))
    histogram = torch.histc(u, 64, 0, 1)
    chi_square = ((histogram - len(u) / 64)**2 / (len(u) / 64)).sum()
    assert chi_square < 63 + 5 * math.sqrt(2 * 63)


def test_dropout_operators():
    n = 10000
    mask = torch.zeros((n + 127) // 128 * 16, dtype=torch.uint8, device="npu")
    aclnn.run("aclnnDropoutGenMask", [n], 0.25, 7, 3, mask)
    bits = (mask.cpu().unsqueeze(1) >> torch.arange(8) & 1).flatten()[:n]
    assert abs(bits.float().mean() - 0.75) < 0.03
    x = torch.linspace(1, 2, n).npu()
    y = torch.empty_like(x)
    aclnn.run("aclnnDropoutDoMask", x, mask, 0.25, y)
    torch.testing.assert_close(y.cpu(), x.cpu() * bits / 0.75)
    z, again = torch.empty_like(x), torch.zeros_like(mask)
    aclnn.run("aclnnDropoutV3", x, None, 0.25, 7, 3, z, again)
    assert torch.equal(again.cpu(), mask.cpu()) and torch.equal(y.cpu(), z.cpu())


# ---- attention in its three forms ----

def attention_arguments(version, q, k, v, dropout=None):
    b, h, s, _ = q.shape
    stats = [torch.zeros(b, h, s, 8).npu() for _ in range(2)]
    y = torch.empty_like(q)
    keep = 1.0 if dropout is None else 0.5
    extra = [0] * (version == 2)
    if version == 4:
        values = [q, k, v] + [None] * 10 + [None] * 5 + [0.5, keep, 2**31 - 1, 2**31 - 1, h, "BNSD", 0, 0, 0, 0, None, 9, 0]
    else:
        values = [q, k, v, None, dropout, None, None, None] + [None] * (2 * (version == 2)) + \
            [0.5, keep, 2**31 - 1, 2**31 - 1, h, "BNSD", 0, 0] + extra
    return values + [*stats, None, y], stats, y


def attention_gradient_arguments(version, q, k, v, dy, stats, dropout=None):
    h = q.shape[1]
    grads = [torch.empty_like(t) for t in (q, k, v)]
    keep = 1.0 if dropout is None else 0.5
    numbers = [0.5, keep, 2**31 - 1, 2**31 - 1, h, "BNSD"]
    head = [q, k, v, dy, None, dropout, None, None, *stats, None, None]
    if version == 4:
        values = head + [None] * 8 + [None] * 5 + numbers + [None, 0, 0, 0, 9, 0, 0] + grads + [None] * 4
    elif version == 2:
        values = head + [None] * 3 + numbers + [0, 0, 0] + grads + [None]
    else:
        values = head + [None] + numbers + [0, 0] + grads + [None]
    return values, grads


@pytest.mark.parametrize("version,suffix", [(1, ""), (2, "V2"), (4, "V4")])
def test_attention(version, suffix):
    q, k, v, dy = (torch.linspace(-1, 1, 2 * 4 * 5 * 8).mul(s).sin().reshape(2, 4, 5, 8) for s in (3, 5, 7, 11))
    expected = gradient_of(lambda a, b, c: F.scaled_dot_product_attention(a, b, c, scale=0.5), q, k, v, weights=dy)
    values, stats, y = attention_arguments(version, q.npu(), k.npu(), v.npu())
    aclnn.run("aclnnFlashAttentionScore" + suffix, *values)
    scores = q @ k.transpose(2, 3) * 0.5
    torch.testing.assert_close(y.cpu(), F.scaled_dot_product_attention(q, k, v, scale=0.5), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(stats[0].cpu()[..., 3], scores.amax(-1))
    torch.testing.assert_close(stats[1].cpu()[..., 3], (scores - scores.amax(-1, True)).exp().sum(-1))
    values, grads = attention_gradient_arguments(version, q.npu(), k.npu(), v.npu(), dy.npu(), stats)
    aclnn.run("aclnnFlashAttentionScoreGrad" + suffix, *values)
    for g, e in zip(grads, expected, strict=True):
        torch.testing.assert_close(g.cpu(), e, rtol=1e-4, atol=1e-5)


# ---- max pooling with plain indices ----

def test_max_pool_with_indices():
    y, i = F.max_pool2d(IMAGE, 2, 2, return_indices=True)
    a, b = torch.empty_like(y).npu(), torch.zeros(y.shape, dtype=torch.int32).npu()
    aclnn.run("aclnnMaxPool2dWithIndices", IMAGE.npu(), [2, 2], [2, 2], [0, 0], [1, 1], False, a, b)
    assert torch.equal(a.cpu(), y) and torch.equal(b.cpu().long(), i)
    g = torch.empty_like(IMAGE).npu()
    aclnn.run("aclnnMaxPool2dWithIndicesBackward", y.npu(), IMAGE.npu(), b, [2, 2], [2, 2], [0, 0], [1, 1], False, g)
    torch.testing.assert_close(g.cpu(), gradient_of(lambda t: F.max_pool2d(t, 2, 2), IMAGE, weights=y)[0])


# ---- what the first phase refuses ----

def test_refusals():
    x, y = X.npu(), Y.npu()
    for values, text, code in (
            ((x, None, 1, x.clone()), "parameter other must not be null", 161001),
            ((x, y[:2], 1, x.clone()), "do not broadcast", 161002),
            ((x, y, 1, x[:1].clone()), "the output has shape [1, 4]", 161002)):
        with pytest.raises(aclnn.Refused, match=".*") as e:
            aclnn.run("aclnnAdd", *values)
        assert text in str(e.value) and e.value.code == code
    with pytest.raises(aclnn.Refused) as e:
        aclnn.run("aclnnGatherV3", x, 0, I[0, :2].npu(), 1, 0, x[:2].clone())
    assert "batchDims is not supported" in str(e.value)
    with pytest.raises(aclnn.Refused) as e:
        aclnn.run("aclnnMm", x, y, x.clone(), 0)
    assert "do not multiply" in str(e.value)


def test_dynamic_shapes_reach_the_view():
    out_ = torch.zeros(12, 2, dtype=torch.long).npu()
    assert aclnn.run("aclnnNonzero", (X > 1).npu(), out_)[-1] == [3, 2]
    assert torch.equal(out_.flatten()[:6].cpu(), (X > 1).nonzero().flatten())
    assert aclnn.run("aclnnMaskedSelect", X.npu(), (X > 1).npu(), torch.zeros(12).npu())[-1] == [3]
