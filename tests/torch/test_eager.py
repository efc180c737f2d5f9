# SPDX-License-Identifier: Apache-2.0
"""Eager torch on the npu against torch on the CPU: the operators a user meets in the first hour.

Everything runs in this one process on one device, as a user's script would. Tests marked `smoke`
are the ones that test_queue_modes.py repeats for every queue mode and SoC.
"""
import io
import threading

import pytest
import torch
import torch.nn.functional as F

torch_npu = pytest.importorskip("torch_npu")

smoke = pytest.mark.smoke
X = torch.linspace(-2, 2, 12).reshape(3, 4).roll(5).reshape(3, 4).contiguous()
Y = torch.tensor([[0.3, -1.2, 2.0, 0.7], [-0.4, 0.1, 1.5, -2.2], [0.9, -0.6, 0.2, 1.1]])
I = torch.tensor([[3, 0, 7, 2], [9, 5, 5, 1], [4, 8, 6, 0]])
M = torch.linspace(-1, 1, 20).reshape(4, 5)


def to_npu(x):
    if isinstance(x, torch.Tensor):
        return x.npu()
    if isinstance(x, (list, tuple)):
        return type(x)(to_npu(y) for y in x)
    return x


def as_list(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def agree(fn, *args, tol=1e-5):
    expected, actual = as_list(fn(*args)), as_list(fn(*to_npu(list(args))))
    assert len(expected) == len(actual)
    for e, a in zip(expected, actual):
        assert a.device.type == "npu"
        torch.testing.assert_close(a.cpu(), e, rtol=tol, atol=tol, equal_nan=True, check_stride=False)


# ---- creation and random numbers ----

@smoke
def test_creation():
    assert torch.equal(torch.arange(10, device="npu").cpu(), torch.arange(10))
    assert torch.equal(torch.arange(0, 1, 0.25, device="npu").cpu(), torch.arange(0, 1, 0.25))
    torch.testing.assert_close(torch.linspace(0, 3, 7, device="npu").cpu(), torch.linspace(0, 3, 7))
    assert torch.zeros(3, device="npu").sum().item() == 0
    assert torch.ones(2, 3, device="npu", dtype=torch.int32).sum().item() == 6
    assert torch.full((2,), 5, device="npu").sum().item() == 10
    assert torch.equal(torch.eye(3, 4, device="npu").cpu(), torch.eye(3, 4))


@smoke
def test_random_numbers_follow_the_seed():
    torch.npu.manual_seed(7)
    first = torch.randn(1000, device="npu").cpu()
    second = torch.randn(1000, device="npu").cpu()
    torch.npu.manual_seed(7)
    assert torch.equal(torch.randn(1000, device="npu").cpu(), first)
    assert not torch.equal(first, second)
    assert abs(first.mean()) < 0.15 and abs(first.std() - 1) < 0.1


def test_random_distributions():
    u = torch.rand(20000, device="npu").cpu()
    assert u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.02
    assert abs(u.var() - 1 / 12) < 0.01
    half = torch.rand(20000, device="npu", dtype=torch.float16).cpu()
    assert half.max() < 1
    k = torch.randint(-3, 4, (5000,), device="npu").cpu()
    assert sorted(set(k.tolist())) == list(range(-3, 4))
    assert sorted(torch.randperm(50, device="npu").cpu().tolist()) == list(range(50))
    b = torch.empty(5000, device="npu").bernoulli_(0.3).cpu()
    assert set(b.tolist()) == {0.0, 1.0} and abs(b.mean() - 0.3) < 0.05
    m = torch.multinomial(torch.tensor([0.1, 0.0, 0.9]).npu(), 1000, replacement=True).cpu()
    assert set(m.tolist()) == {0, 2} and abs((m == 2).float().mean() - 0.9) < 0.05
    n = torch.normal(5.0, 2.0, (5000,), device="npu").cpu()
    assert abs(n.mean() - 5) < 0.2 and abs(n.std() - 2) < 0.2


# ---- printing and moving ----

@smoke
def test_print_looks_as_on_the_cpu():
    for t in (X, I, X > 0, X.half(), torch.tensor(3.5), torch.empty(0)):
        text = str(t.npu()).replace(", device='npu:0'", "")
        assert text.split() == str(t).split()  # a longer line may wrap elsewhere


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int16,
          torch.int32, torch.int64, torch.bool, torch.complex64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_casts(dtype):
    agree(lambda a: a.abs().to(dtype), X)
    agree(lambda a: a.to(dtype), I)


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64], ids=str)
def test_wide_unsigned_types_travel(dtype):
    t = torch.tensor([0, 1, 40000], dtype=dtype)
    assert torch.equal(t.npu().cpu().to(torch.int64), t.to(torch.int64))


def test_double_becomes_float():
    """torch_npu itself says "Device do not support double dtype now" and gives a float."""
    assert X.npu().to(torch.float64).dtype == torch.float32


# ---- arithmetic ----

ARITHMETIC = {
    "add": lambda a, b: a + b,
    "add_alpha": lambda a, b: torch.add(a, b, alpha=2.5),
    "add_scalar": lambda a, b: a + 1.5,
    "broadcast": lambda a, b: a + b[:1],
    "strided": lambda a, b: a.t() * b.t(),
    "offset_view": lambda a, b: a[1:, 2:] * 2 + b[1:, 2:],
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: 1 - a,
    "div": lambda a, b: a / b,
    "div_scalar": lambda a, b: a / 3,
    "floor_div": lambda a, b: torch.floor_divide(a, b),
    "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "remainder": lambda a, b: torch.remainder(a, b),
    "fmod": lambda a, b: torch.fmod(a, 0.7),
    "pow": lambda a, b: a**2 + 2.0**b + a.abs()**b,
    "chain": lambda a, b: (-a).exp().abs().sqrt() + b.sin() * b.cos() + a.tanh(),
    "logs": lambda a, b: a.abs().log1p() + b.exp2() + b.abs().add(1).log2() + b.erf(),
    "rounding": lambda a, b: a.floor() + b.ceil() + a.round() + b.trunc() + a.frac(),
    "minmax": lambda a, b: torch.maximum(a, b) - torch.minimum(a, b),
    "clamp": lambda a, b: a.clamp(-0.5, 0.5) + b.clamp_min(0.1) + b.clamp_max(1) + a.clamp(min=0),
    "lerp": lambda a, b: torch.lerp(a, b, 0.3) + torch.lerp(a, b, b),
    "addc": lambda a, b: torch.addcmul(a, a, b, value=2) + torch.addcdiv(a, a, b, value=0.5),
    "atan2": lambda a, b: torch.atan2(a, b),
    "nan_to_num": lambda a, b: (a / 0).nan_to_num(7, 1, -1),
    "sign": lambda a, b: a.sign() + b.neg().sign() + a.reciprocal(),
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name):
    agree(ARITHMETIC[name], X, Y)


@smoke
def test_arithmetic_smoke():
    for name in ("add", "add_scalar", "broadcast", "strided", "offset_view", "div", "pow", "chain"):
        agree(ARITHMETIC[name], X, Y)


def test_mixed_types():
    agree(lambda a, b: a + b, I.int(), Y)
    agree(lambda a: a // 3 + a % 4, I)
    agree(lambda a, b: a.half() + b.half(), X, Y, tol=1e-3)
    agree(lambda a, b: a.bfloat16() * b.bfloat16(), X, Y, tol=1e-2)
    agree(lambda a: a + (2**60 + 1), I)
    agree(lambda a: (a + 2j).real + (a * 1j).imag, X)


def test_in_place_on_a_view():
    a, b = X.clone(), X.npu().clone()
    a[:, 1].add_(3)
    b[:, 1].add_(3)
    a[1:].mul_(a[:-1].clone())
    b[1:].mul_(b[:-1].clone())
    a.t()[2].fill_(4)
    b.t()[2].fill_(4)
    torch.testing.assert_close(b.cpu(), a)


def test_out_argument():
    z = torch.empty(3, 4, device="npu")
    assert torch.add(X.npu(), Y.npu(), out=z) is z
    torch.testing.assert_close(z.cpu(), X + Y)


# ---- comparison, logic, bits ----

@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparison(name):
    op = getattr(torch, name)
    agree(lambda a, b: op(a, b), X, Y)
    agree(lambda a: op(a, 0.1), X)
    agree(lambda a: op(a, 5), I)


def test_logic_and_bits():
    agree(lambda a: (a > 0) & (a < 1) | ~(a > -1) ^ (a > 1.5), X)
    agree(lambda a: torch.logical_and(a > 0, a) + torch.logical_not(a) + torch.logical_xor(a, a > 0), X)
    agree(lambda a: (a & 3) + (a | 4) + (a ^ 5) + ~a, I)
    agree(lambda a, b: (a & b) + (a | b) + (a ^ b), I, I.flip(0))
    agree(lambda a: (a << 2) + (a >> 1), I)
    special = torch.tensor([1.0, float("nan"), float("inf"), -float("inf"), 0.0])
    agree(lambda a: [a.isnan(), a.isfinite(), a.isinf(), a.isneginf()], special)
    assert torch.equal(X.npu(), X.npu()) and not torch.equal(X.npu(), Y.npu())
    assert torch.allclose(X.npu(), X.npu() + 1e-9)


# ---- reductions ----

REDUCTIONS = {
    "sum": lambda a: [a.sum(), a.sum(1, keepdim=True), a.sum((0, 1))],
    "mean": lambda a: [a.mean(), a.mean(0), a.mean(-1, keepdim=True)],
    "max": lambda a: [a.max(), a.amax(1), *a.max(1)],
    "min": lambda a: [a.min(), a.amin(0), *a.min(0)],
    "arg": lambda a: [a.argmax(), a.argmax(1), a.argmin(0, keepdim=True)],
    "std": lambda a: [a.std(), a.std(0), a.var(1, unbiased=False), *torch.std_mean(a, 1)],
    "norm": lambda a: [a.norm(), a.norm(1, dim=1), torch.linalg.vector_norm(a, 2, 0)],
    "prod": lambda a: [a.prod(), a.prod(1)],
    "all_any": lambda a: [(a > 0).all(1), (a > 0).any(), (a > -9).all(), (a > 1.5).any(0)],
    "cum": lambda a: [a.cumsum(1), a.cumprod(0), *a.cummax(1)],
    "logsumexp": lambda a: [a.logsumexp(1), a.count_nonzero(), a.nansum()],
    "order": lambda a: [*a.sort(1), *a.sort(0, descending=True), *a.topk(2, 1), a.argsort(0)],
    "median": lambda a: [a.median(), *a.median(1), *a.kthvalue(2, 1)],
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    agree(REDUCTIONS[name], X)


@smoke
def test_reductions_smoke():
    for name in ("sum", "mean", "max", "order"):
        agree(REDUCTIONS[name], X)


def test_integer_reductions():
    agree(lambda a: [a.sum(), a.sum(0), a.max(), a.prod(1), (a > 4).sum(), (a > 4).sum(1)], I)
    agree(lambda a: [*torch.unique(a, return_inverse=True, return_counts=True)], I)
    agree(lambda a: torch.bincount(a.flatten()), I)


# ---- shapes and indices ----

INDEXING = {
    "cat": lambda a, b, i: torch.cat([a, b], 1),
    "stack": lambda a, b, i: torch.stack([a, b], 1),
    "split": lambda a, b, i: list(a.split([1, 3], 1)) + list(b.chunk(2, 1)),
    "where": lambda a, b, i: torch.where(a > 0, a, b),
    "masked_fill": lambda a, b, i: a.masked_fill(b > 0, 7.0),
    "masked_select": lambda a, b, i: a.masked_select(b > 0),
    "bool_index": lambda a, b, i: a[a > 0],
    "index": lambda a, b, i: [a[:, i[0, :2]], a[i[2, 3:]], a[:, None, i[0, 3]]],
    "index_pair": lambda a, b, i: a[torch.tensor([0, 2], device=a.device), torch.tensor([1, 3], device=a.device)],
    "index_none_first": lambda a, b, i: i[:, torch.tensor([1, 3], device=a.device)],
    "index_empty": lambda a, b, i: a[torch.empty(0, dtype=torch.long, device=a.device)],
    "index_select": lambda a, b, i: a.index_select(1, i[0, 1:2]),
    "gather": lambda a, b, i: a.gather(1, i % 4),
    "scatter": lambda a, b, i: a.clone().scatter_(1, i % 4, 1.0),
    "scatter_src": lambda a, b, i: a.scatter(0, i[:1] % 3, b),
    "scatter_add": lambda a, b, i: a.scatter_add(1, i % 4, b),
    "scatter_reduce": lambda a, b, i: a.scatter_reduce(1, i % 4, b, "amax"),
    "index_add": lambda a, b, i: a.index_add(0, i[0, 3:] % 3, b[:1]),
    "index_copy": lambda a, b, i: a.index_copy(0, i[0, 3:] % 3, b[:1]),
    "index_fill": lambda a, b, i: a.index_fill(1, i[0, :1], 9.0),
    "take": lambda a, b, i: a.take(i),
    "tri": lambda a, b, i: [a.tril(), b.triu(1), a.tril(-1)],
    "flip_roll": lambda a, b, i: [a.flip(0), b.roll(1, 1), a.roll(2)],
    "repeat": lambda a, b, i: [a.repeat(2, 1), a.repeat_interleave(2, 1), a.tile(2)],
    "pad": lambda a, b, i: [F.pad(a, (1, 2)), F.pad(a[None], (1, 1), mode="reflect"), F.pad(a[None], (1, 1), mode="replicate")],
    "diag": lambda a, b, i: [a.diagonal(), torch.diag(a[0])],
    "nonzero": lambda a, b, i: (a > 0).nonzero(),
    "permute": lambda a, b, i: [a.permute(1, 0).contiguous(), a.reshape(2, 6), a[:, ::2].clone()],
    "one_hot": lambda a, b, i: F.one_hot(i, 10),
    "searchsorted": lambda a, b, i: torch.searchsorted(b.sort(1)[0], a),
    "isin": lambda a, b, i: torch.isin(i, i[0]),
    "tril_indices": lambda a, b, i: torch.meshgrid(a[0], b[0], indexing="ij")[0].contiguous(),
}


@pytest.mark.parametrize("name", INDEXING)
def test_indexing(name):
    agree(INDEXING[name], X, Y, I % 4 if name == "index" else I)


@smoke
def test_indexing_smoke():
    for name in ("cat", "where", "bool_index", "gather", "scatter", "nonzero"):
        agree(INDEXING[name], X, Y, I)


def test_index_put():
    def put(a, j):
        a = a.clone()
        a[j] = 0
        a[:, 1] = 5
        a[a > 1] = -1
        a.index_put_((j, j), torch.ones(1, device=a.device), accumulate=True)
        a[:, torch.tensor([0, 3], device=a.device)] = 8
        return a
    agree(put, X, torch.tensor([1]))
    agree(lambda a: put(a, torch.tensor([2], device=a.device)), I.float())


# ---- matrices ----

@smoke
def test_matmul():
    agree(lambda a, b: a @ b, X, M)
    agree(lambda a, b: a.t() @ b, X, Y)
    agree(lambda a: torch.bmm(a, a.transpose(1, 2)), X.reshape(3, 2, 2))
    agree(lambda a, b, c: torch.addmm(c, a, b, beta=0.5, alpha=2), X, M, torch.ones(5))
    agree(lambda a, b: torch.baddbmm(a, b, b), X.reshape(3, 2, 2), Y.reshape(3, 2, 2))
    agree(lambda a, b: [a @ b[:, 0], torch.mv(a, b[:, 1]), torch.dot(a[0], b[:, 0])], X, M)
    agree(lambda a, b: torch.einsum("ij,jk->ik", a, b), X, M)
    agree(lambda a, b: torch.matmul(a.reshape(3, 1, 1, 4), b), X, M)


@pytest.mark.parametrize("dtype,tol", [(torch.float16, 2e-3), (torch.bfloat16, 2e-2)], ids=str)
def test_matmul_of_short_floats(dtype, tol):
    """Products add up in float and are rounded once, as the Cube does it."""
    a, b = torch.randn(33, 65).to(dtype), torch.randn(65, 17).to(dtype)
    expected = (a.float() @ b.float()).to(dtype)
    torch.testing.assert_close((a.npu() @ b.npu()).cpu(), expected, rtol=tol, atol=tol)
    c = torch.randn(2, 17).to(dtype)
    linear = F.linear(a.npu()[:2], b.npu().t(), c.npu()[0]).cpu()
    torch.testing.assert_close(linear, F.linear(a[:2].float(), b.t().float(), c[0].float()).to(dtype),
                               rtol=tol, atol=tol)


def test_linear_algebra():
    a = torch.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    agree(lambda a: [torch.inverse(a), torch.det(a)], a, tol=1e-4)
    agree(lambda a: torch.linalg.qr(a)[0].abs(), a, tol=1e-4)
    agree(lambda a: torch.linalg.svdvals(a), a, tol=1e-4)


# ---- networks ----

def gradients(fn, args, device):
    leaves = [a.detach().to(device).requires_grad_(a.is_floating_point()) for a in args]
    out = fn(*leaves)
    w = torch.linspace(-1, 1, out.numel()).reshape(out.shape).to(device)
    (out * w).sum().backward()
    return [out.detach().cpu()] + [a.grad.cpu() for a in leaves if a.grad is not None]


def agree_with_gradients(fn, *args, tol=1e-4):
    for e, a in zip(gradients(fn, args, "cpu"), gradients(fn, args, "npu"), strict=True):
        torch.testing.assert_close(a, e, rtol=tol, atol=tol)


ACTIVATIONS = ["relu", "gelu", "silu", "sigmoid", "tanh", "elu", "leaky_relu", "softplus", "hardtanh",
               "hardswish", "hardsigmoid", "mish", "selu", "celu", "logsigmoid", "relu6", "softsign",
               "threshold", "softshrink", "glu"]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    extra = {"threshold": (0.1, 0.5)}.get(name, ())
    agree_with_gradients(lambda a: getattr(F, name)(a, *extra), X * 2 + 0.01)


def test_prelu():
    agree_with_gradients(lambda a, w: F.prelu(a, w), X, torch.tensor([0.25]))
    agree_with_gradients(lambda a, w: F.prelu(a, w), X, torch.tensor([0.1, 0.2, 0.3, 0.4]))


@smoke
def test_softmax():
    agree_with_gradients(lambda a: a.softmax(-1), X)
    agree_with_gradients(lambda a: F.log_softmax(a, 0), X)


IMAGE = torch.linspace(-1, 1, 2 * 3 * 8 * 8).sin().reshape(2, 3, 8, 8)
LAYERS = {
    "linear": (lambda a, w, b: F.linear(a, w, b), X, torch.linspace(-1, 1, 20).reshape(5, 4), torch.ones(5)),
    "layer_norm": (lambda a, w, b: F.layer_norm(a, (4,), w, b), X, torch.ones(4) * 2, torch.ones(4)),
    "layer_norm_plain": (lambda a: F.layer_norm(a, (4,)), X),
    "group_norm": (lambda a, w, b: F.group_norm(a, 3, w, b), IMAGE, torch.ones(3) * 2, torch.ones(3)),
    "batch_norm_train": (lambda a, w, b: F.batch_norm(a, None, None, w, b, True), IMAGE, torch.ones(3) * 2, torch.ones(3)),
    "batch_norm_eval": (lambda a, w, b: F.batch_norm(a, torch.zeros(3, device=a.device), torch.ones(3, device=a.device), w, b),
                        IMAGE, torch.ones(3) * 2, torch.ones(3)),
    "conv2d": (lambda a, w, b: F.conv2d(a, w, b, padding=1, stride=2), IMAGE, torch.linspace(-1, 1, 108).reshape(4, 3, 3, 3), torch.ones(4)),
    "conv2d_group": (lambda a, w: F.conv2d(a, w, groups=3, dilation=2), IMAGE, torch.linspace(-1, 1, 27).reshape(3, 1, 3, 3)),
    "conv1d": (lambda a, w: F.conv1d(a[:, :, 0], w), IMAGE, torch.linspace(-1, 1, 36).reshape(4, 3, 3)),
    "conv_transpose2d": (lambda a, w: F.conv_transpose2d(a, w, stride=2), IMAGE, torch.linspace(-1, 1, 24).reshape(3, 2, 2, 2)),
    "max_pool": (lambda a: F.max_pool2d(a, 3, 2, 1), IMAGE),
    "max_pool_ceil": (lambda a: F.max_pool2d(a, 3, 2, ceil_mode=True, dilation=1), IMAGE),
    "max_pool_dilated": (lambda a: F.max_pool2d(a, 2, 1, 1, 2), IMAGE),
    "avg_pool": (lambda a: F.avg_pool2d(a, 2, count_include_pad=False, padding=1), IMAGE),
    "adaptive_avg_pool": (lambda a: F.adaptive_avg_pool2d(a, (3, 2)), IMAGE),
    "adaptive_max_pool": (lambda a: F.adaptive_max_pool2d(a, (3, 2)), IMAGE),
    "interpolate": (lambda a: F.interpolate(a, scale_factor=2, mode="bilinear", align_corners=False), IMAGE),
    "interpolate_nearest": (lambda a: F.interpolate(a, size=(5, 11)), IMAGE),
    "mse": (lambda a, b: F.mse_loss(a, b), X, Y),
    "l1": (lambda a, b: F.l1_loss(a, b), X, Y),
    "smooth_l1": (lambda a, b: F.smooth_l1_loss(a, b, reduction="none"), X, Y),
    "huber": (lambda a, b: F.huber_loss(a, b), X, Y),
    "bce": (lambda a, b: F.binary_cross_entropy(a.sigmoid(), b.sigmoid().detach()), X, Y),
    "bce_logits": (lambda a, b: F.binary_cross_entropy_with_logits(a, b.sigmoid().detach(), pos_weight=b.abs().detach()), X, Y),
    "kl_div": (lambda a, b: F.kl_div(F.log_softmax(a, 1), b.softmax(1), reduction="batchmean"), X, Y),
    "sdpa": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), *[IMAGE[..., :4].roll(s, 2) for s in range(3)]),
    "sdpa_causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *[IMAGE[..., :4].roll(s, 2) for s in range(3)]),
    "sdpa_mask": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=(q @ k.transpose(2, 3)).detach() > -1),
                  *[IMAGE[..., :4].roll(s, 2) for s in range(3)]),
    "embedding": (lambda w: F.embedding(I.to(w.device), w), torch.linspace(-1, 1, 40).reshape(10, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    fn, *args = LAYERS[name]
    agree_with_gradients(fn, *args)


def test_cross_entropy():
    target = torch.tensor([1, 3, 0])
    agree_with_gradients(lambda a: F.cross_entropy(a, target.to(a.device)), X)
    agree_with_gradients(lambda a: F.cross_entropy(a, target.to(a.device), ignore_index=3, reduction="sum"), X)
    agree_with_gradients(lambda a: F.cross_entropy(a, target.to(a.device), label_smoothing=0.1), X)
    agree_with_gradients(lambda a, w: F.nll_loss(F.log_softmax(a, 1), target.to(a.device), w.detach()), X, torch.ones(4))
    dense = torch.randint(0, 3, (2, 8, 8))
    agree_with_gradients(lambda a: F.cross_entropy(a, dense.to(a.device)), IMAGE)


@smoke
def test_dropout_keeps_the_mean_and_the_gradient_its_mask():
    x = torch.ones(4000, device="npu", requires_grad=True)
    y = F.dropout(x, 0.25)
    y.sum().backward()
    kept = y.detach().cpu() != 0
    assert torch.equal(x.grad.cpu(), y.detach().cpu())
    assert torch.allclose(y.detach().cpu()[kept], torch.tensor(4 / 3))
    assert abs(kept.float().mean() - 0.75) < 0.05
    assert torch.equal(F.dropout(x, 0.5, training=False), x)


def test_attention_dropout_has_one_mask_for_both_directions():
    """f is linear in v while its mask is fixed: <dL/dv, v> must be L, whatever was dropped."""
    q, k, v = (IMAGE[..., :4].roll(s, 2).npu().requires_grad_() for s in range(3))
    loss = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5).sum()
    loss.backward()
    torch.testing.assert_close((v.grad * v).sum().cpu(), loss.detach().cpu(), rtol=1e-4, atol=1e-4)


def train(device, optimizer, n_steps=15, **options):
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.LayerNorm(16),
                              torch.nn.Linear(16, 3)).to(device)
    x, y = torch.randn(32, 8).to(device), torch.randint(0, 3, (32,)).to(device)
    opt = optimizer(net.parameters(), **options)
    losses = []
    for _ in range(n_steps):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        losses.append(loss.item())
    return torch.tensor(losses)


OPTIMIZERS = {
    "adam": (torch.optim.Adam, dict(lr=1e-2)),
    "adam_single": (torch.optim.Adam, dict(lr=1e-2, foreach=False)),
    "adam_amsgrad": (torch.optim.Adam, dict(lr=1e-2, amsgrad=True)),
    "adamw": (torch.optim.AdamW, dict(lr=1e-2, weight_decay=0.1)),
    "sgd": (torch.optim.SGD, dict(lr=0.1, momentum=0.9)),
    "sgd_single": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True, foreach=False)),
    "rmsprop": (torch.optim.RMSprop, dict(lr=1e-2)),
    "adagrad": (torch.optim.Adagrad, dict(lr=1e-2)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(name):
    optimizer, options = OPTIMIZERS[name]
    expected = train("cpu", optimizer, **options)
    torch.testing.assert_close(train("npu", optimizer, **options), expected, rtol=1e-3, atol=1e-3)
    assert expected[-1] < expected[0]


@smoke
def test_training_smoke():
    torch.testing.assert_close(train("npu", torch.optim.Adam, 5, lr=1e-2),
                               train("cpu", torch.optim.Adam, 5, lr=1e-2), rtol=1e-3, atol=1e-3)


def transformer(device, training):
    torch.manual_seed(3)
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    layer = layer.to(device).train(training)
    x = torch.linspace(-1, 1, 2 * 5 * 16).sin().reshape(2, 5, 16).to(device)
    if not training:
        with torch.no_grad():
            return [layer(x).cpu()]
    y = layer(x)
    y.pow(2).sum().backward()
    return [y.detach().cpu()] + [p.grad.cpu() for p in layer.parameters()]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_transformer_encoder_layer(training):
    for a, e in zip(transformer("npu", training), transformer("cpu", training), strict=True):
        torch.testing.assert_close(a, e, rtol=1e-3, atol=1e-3)


def test_transformer_with_dropout_trains():
    layer = torch.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True).npu()
    y = layer(torch.randn(2, 5, 16, device="npu"))
    y.sum().backward()
    assert all(p.grad.isfinite().all() for p in layer.parameters())


def test_batch_norm_keeps_running_statistics():
    def run(device):
        norm = torch.nn.BatchNorm2d(3).to(device).train()
        norm(IMAGE.to(device))
        norm.eval()
        return [norm.running_mean.cpu(), norm.running_var.cpu(), norm(IMAGE.to(device)).detach().cpu()]
    for a, e in zip(run("npu"), run("cpu"), strict=True):
        torch.testing.assert_close(a, e, rtol=1e-4, atol=1e-4)


# ---- foreach, autocast ----

def test_foreach():
    lists = [X, Y[0], torch.ones(2, 2)], [Y, Y[1], torch.ones(2, 2) * 3]
    agree(lambda a, b: torch._foreach_add(a, b, alpha=2), *lists)
    agree(lambda a, b: torch._foreach_mul(a, 2.5), *lists)
    agree(lambda a, b: torch._foreach_div(a, [1.0, 2.0, 4.0]), *lists)
    agree(lambda a, b: torch._foreach_addcdiv(a, a, b, [1.0, 2.0, 3.0]), *lists)
    agree(lambda a, b: torch._foreach_addcmul(a, a, b, 0.5), *lists)
    agree(lambda a, b: torch._foreach_sqrt(torch._foreach_abs(a)), *lists)
    agree(lambda a, b: torch._foreach_lerp(a, b, 0.25), *lists)
    agree(lambda a, b: torch._foreach_norm(a), *lists)
    agree(lambda a, b: torch._foreach_maximum(a, b), *lists)


def test_autocast_and_scaler():
    with torch.autocast("npu", dtype=torch.float16):
        y = X.npu() @ M.npu()
    assert y.dtype == torch.float16
    torch.testing.assert_close(y.float().cpu(), X @ M, rtol=1e-2, atol=1e-2)
    with torch.autocast("npu", dtype=torch.bfloat16):
        assert (X.npu() @ M.npu()).dtype == torch.bfloat16
    w = torch.ones(4, device="npu", requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    scaler = torch.npu.amp.GradScaler(init_scale=8.0)
    scaler.scale((w * 2).sum()).backward()
    scaler.step(opt)
    scaler.update()
    torch.testing.assert_close(w.detach().cpu(), torch.full((4,), 0.8))


# ---- streams, events, memory, files ----

@smoke
def test_streams_and_events():
    stream = torch.npu.Stream()
    begin, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    with torch.npu.stream(stream):
        begin.record()
        a = torch.ones(1000, device="npu") * 2
        end.record()
    torch.npu.current_stream().wait_stream(stream)
    b = a + 1
    end.synchronize()
    torch.npu.synchronize()
    assert begin.elapsed_time(end) >= 0
    assert stream.query() and end.query()
    assert b.sum().item() == 3000


def test_memory_statistics():
    torch.npu.empty_cache()
    before = torch.npu.memory_allocated()
    keep = torch.empty(1 << 20, device="npu")
    assert torch.npu.memory_allocated() - before >= keep.numel() * 4
    assert torch.npu.max_memory_allocated() >= torch.npu.memory_allocated()
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total
    del keep
    assert torch.npu.memory_allocated() == before


@smoke
def test_device_properties():
    assert torch.npu.is_available() and torch.npu.device_count() >= 1
    properties = torch.npu.get_device_properties(0)
    assert properties.name == torch.npu.get_device_name(0)
    assert properties.name.startswith("Ascend") and properties.total_memory > 0


def test_save_and_load():
    buffer = io.BytesIO()
    torch.save({"a": X.npu(), "b": I.npu()[1:]}, buffer)
    for place in ("npu:0", "cpu", None):
        buffer.seek(0)
        back = torch.load(buffer, map_location=place)
        assert torch.equal(back["a"].cpu(), X) and torch.equal(back["b"].cpu(), I[1:])
        assert back["a"].device.type == (place or "npu").split(":")[0]


def test_pinned_and_non_blocking_copies():
    t = X.pin_memory()
    assert t.is_pinned()
    assert torch.equal(t.to("npu", non_blocking=True).cpu(), X)
    host = torch.empty_like(t).pin_memory()
    host.copy_(X.npu(), non_blocking=True)
    torch.npu.synchronize()
    assert torch.equal(host, X)


# ---- compile, threads ----

@pytest.fixture(scope="module")
def scale_op():
    library = torch.library.Library("twin_test", "DEF")
    library.define("scale(Tensor x, float s) -> Tensor")
    torch.library.impl(library, "scale", "PrivateUse1")(lambda t, s: t * s)
    torch.library.impl(library, "scale", "Meta")(lambda t, s: torch.empty_like(t))
    yield torch.ops.twin_test.scale
    library._destroy()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile_over_a_custom_operator(scale_op, backend):
    @torch.compile(backend=backend, fullgraph=True)
    def f(t):
        return scale_op(t.relu(), 3.0) + 1

    torch.testing.assert_close(f(X.npu()).cpu(), X.relu() * 3 + 1)


@smoke
def test_four_threads():
    results, faults = {}, []

    def work(k):
        try:
            a = torch.full((64, 64), float(k), device="npu")
            for _ in range(20):
                a = a @ torch.eye(64, device="npu") + 1
            results[k] = a.sum().item()
        except Exception as e:  # noqa: BLE001 - handed to the main thread
            faults.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not faults
    assert results == {k: (k + 20) * 64.0 * 64 for k in range(4)}


def test_grad_mode_is_left_alone():
    """With TASK_QUEUE_ENABLE=0 kernels run on this very thread."""
    w = torch.ones(3, device="npu", requires_grad=True)
    with torch.no_grad():
        w.mul_(2)
        assert not torch.is_grad_enabled()
    y = w * 2
    assert torch.is_grad_enabled() and y.requires_grad


def test_functorch():
    f = torch.func.vmap(torch.func.grad(lambda a: (a * a).sum()))
    torch.testing.assert_close(f(X.npu()).cpu(), 2 * X)


# ---- operators of torch_npu itself ----

def test_npu_norms_and_activations():
    gamma = torch.linspace(0.5, 2, 4)
    y, rstd = torch_npu.npu_rms_norm(X.npu(), gamma.npu(), 1e-6)
    expected = (X.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt()
    torch.testing.assert_close(rstd.cpu(), expected)
    torch.testing.assert_close(y.cpu(), X * expected * gamma)
    a, b = X.chunk(2, -1)
    torch.testing.assert_close(torch_npu.npu_swiglu(X.npu()).cpu(), F.silu(a) * b)
    torch.testing.assert_close(torch_npu.npu_fast_gelu(X.npu()).cpu(), X * torch.sigmoid(1.702 * X))


def test_npu_norm_and_swiglu_gradients():
    def rms(a, g):
        if a.device.type == "npu":
            return torch_npu.npu_rms_norm(a, g, 1e-6)[0]
        return a * (a.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * g

    def swiglu(a):
        if a.device.type == "npu":
            return torch_npu.npu_swiglu(a, dim=-1)
        u, w = a.chunk(2, -1)
        return F.silu(u) * w

    agree_with_gradients(rms, X, torch.linspace(0.5, 2, 4))
    agree_with_gradients(swiglu, X)


def test_npu_rotary():
    cos, sin = (torch.linspace(0, 3, 8).reshape(1, 2, 1, 4) + s for s in (0, 1))
    x = torch.linspace(-1, 1, 24).reshape(1, 2, 3, 4)
    first, second = x.chunk(2, -1)
    expected = x * cos + torch.cat((-second, first), -1) * sin
    torch.testing.assert_close(torch_npu.npu_rotary_mul(x.npu(), cos.npu(), sin.npu()).cpu(), expected)


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
def test_npu_fusion_attention_layouts(layout):
    q, k, v = (torch.randn(2, 4, 6, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v)

    def fold(t):
        order = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}[layout]
        t = t.permute(order)
        return (t.flatten(2) if len(layout) == 3 else t).contiguous()

    out = torch_npu.npu_fusion_attention(fold(q).npu(), fold(k).npu(), fold(v).npu(), 4, layout,
                                         scale=8**-0.5)[0]
    torch.testing.assert_close(out.cpu(), fold(expected), rtol=1e-4, atol=1e-4)
