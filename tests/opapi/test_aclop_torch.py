# SPDX-License-Identifier: Apache-2.0
"""Functions of torch_npu that have no aclnn operator and go through OpCommand, against torch on the CPU."""
import pytest
import torch
import torch.nn.functional as F

torch_npu = pytest.importorskip("torch_npu")

G = torch.Generator().manual_seed(1)
X = torch.randn(2, 4, 6, 5, generator=G)
M = X[0, 0]
W = torch.randn(6, 4, 3, 2, generator=G)
B = torch.randn(6, generator=G)
HALF = torch.randn(2, 3, 32, 32, generator=G).half()


def attention(q):
    p = torch.softmax(q @ q.transpose(-1, -2) * 0.125, -1)
    return (p @ q).permute(0, 2, 1, 3).reshape(64, 96)


FUNCTIONS = {
    "npu_conv2d": (lambda x, w, b: torch_npu.npu_conv2d(x, w, b, [2, 1], [1, 0], [1, 1], 1),
                   lambda x, w, b: F.conv2d(x, w, b, [2, 1], [1, 0]), [X, W, B]),
    "npu_conv3d": (lambda x, w: torch_npu.npu_conv3d(x, w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1), F.conv3d,
                   [HALF[None, :, :2], HALF[:, :2, :2, :2].reshape(2, 2, 1, 2, 2)]),
    "npu_conv_transpose2d": (lambda x, w: torch_npu.npu_conv_transpose2d(x, w, None, [0, 0], [0, 0], [1, 1], [1, 1], 1),
                             F.conv_transpose2d, [X, W[:4, :3, :2]]),
    "npu_mish": (torch_npu.npu_mish, F.mish, [X]),
    "npu_silu": (torch_npu.npu_silu, F.silu, [X]),
    "npu_bmmV2": (lambda a, b: torch_npu.npu_bmmV2(a, b, []), torch.matmul, [X[0], X[0].transpose(1, 2).contiguous()]),
    "npu_max": (lambda x: torch_npu.npu_max(x, dim=2)[0], lambda x: x.max(2)[0], [X]),
    "npu_min": (lambda x: torch_npu.npu_min(x, dim=2)[0], lambda x: x.min(2)[0], [X]),
    "npu_pad": (lambda x: torch_npu.npu_pad(x, [1, 2, 0, 1]), lambda x: F.pad(x, [0, 1, 1, 2]), [M]),
    "npu_slice": (lambda x: torch_npu.npu_slice(x, [1, 0], [2, 3]), lambda x: x[1:3, 0:3], [M]),
    "npu_transpose": (lambda x: torch_npu.npu_transpose(x, (1, 0, 3, 2)), lambda x: x.permute(1, 0, 3, 2), [X]),
    "npu_broadcast": (lambda x: torch_npu.npu_broadcast(x, (3, 6)), lambda x: x.expand(3, 6), [B]),
    "npu_stride_copy": (lambda x: torch_npu.npu_stride_copy(x, (2, 3), (1, 2), 1), lambda x: x.as_strided((2, 3), (1, 2), 1), [M]),
    "npu_layer_norm_eval": (lambda x: torch_npu.npu_layer_norm_eval(x, [5], None, None, 1e-5), lambda x: F.layer_norm(x, [5]), [X]),
    "npu_indexing": (lambda x: torch_npu.npu_indexing(x, [0, 1], [2, 3], [1, 1]), lambda x: x[0:2, 1:3], [M]),
    "npu_dropout_do_mask": (lambda x, m: torch_npu.npu_dropout_do_mask(x, m, 0.5)[0], lambda x, m: x * 2,
                            [X, torch.full((32,), 255, dtype=torch.uint8)]),
    "npu_sort_v2": (lambda x: torch_npu.npu_sort_v2(x, dim=1), lambda x: x.sort(1)[0], [X]),
    "npu_scatter": (lambda x, i, u: torch_npu.npu_scatter(x, i, u, 1), lambda x, i, u: x.scatter(1, i[:, None].long(), u[:, None]),
                    [M, torch.tensor([0, 1, 2, 3, 4, 0], dtype=torch.int32), B]),
    "npu_one_hot": (lambda x: torch_npu.npu_one_hot(x, depth=3), lambda x: F.one_hot(x.long(), 3).float(),
                    [torch.tensor([2, 0], dtype=torch.int32)]),
    "npu_confusion_transpose": (lambda x: torch_npu.npu_confusion_transpose(x, (0, 2, 1, 3), (2, 6, 20), True),
                                lambda x: x.permute(0, 2, 1, 3).reshape(2, 6, 20), [X]),
    "npu_softmax_cross_entropy_with_logits": (torch_npu.npu_softmax_cross_entropy_with_logits,
                                              lambda x, y: -(y * F.log_softmax(x, -1)).sum(-1), [M, torch.softmax(X[0, 1], -1)]),
    "npu_fused_attention_score": (lambda q, m: torch_npu.npu_fused_attention_score(q, q, q, m, 0.125, 1.0),
                                  lambda q, m: attention(q), [HALF, torch.zeros(2, 1, 32, 32).half()]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    on_npu, reference, inputs = FUNCTIONS[name]
    y = on_npu(*[x.npu() for x in inputs]).cpu()
    wide = [x.float() if x.dtype == torch.float16 else x for x in inputs]
    tol = 1e-2 if y.dtype == torch.float16 else 1e-5
    torch.testing.assert_close(y.float(), reference(*wide), rtol=tol, atol=tol)


@pytest.mark.parametrize("name", ["npu_silu", "npu_mish", "npu_max", "npu_min"])
def test_gradient(name):
    on_npu, reference, _ = FUNCTIONS[name]
    x, y = X.npu().requires_grad_(True), X.clone().requires_grad_(True)
    weight = torch.linspace(-1, 2, reference(X).numel()).reshape(reference(X).shape)
    (on_npu(x) * weight.npu()).sum().backward()
    (reference(y) * weight).sum().backward()
    torch.testing.assert_close(x.grad.cpu(), y.grad, rtol=1e-5, atol=1e-5)


def gradients(fn, *inputs):
    leaves = [x.detach().clone().requires_grad_(True) for x in inputs]
    y = fn(*leaves)
    (y * torch.linspace(-1, 2, y.numel()).reshape(y.shape).to(y.device)).sum().backward()
    return [y.detach().cpu(), *(x.grad.cpu() for x in leaves)]


WALK = dict(stride=[2, 1], padding=[1, 0], dilation=[1, 2], groups=2)
UP = dict(stride=[2, 1], padding=[0, 1], output_padding=[1, 0], dilation=[1, 1], groups=1)


@pytest.mark.parametrize("on_npu,reference,inputs", [
    (lambda x, w, b: torch_npu.npu_convolution(x, w, b, *WALK.values()), lambda x, w, b: F.conv2d(x, w, b, **WALK), [X, W[:, :2], B]),
    (lambda x, w: torch_npu.npu_convolution_transpose(x, w, None, UP["padding"], UP["output_padding"], UP["stride"], UP["dilation"], 1),
     lambda x, w: F.conv_transpose2d(x, w, None, **UP), [X, W[:4, :3, :2]])], ids=["convolution", "convolution_transpose"])
def test_gradient_of_a_convolution(on_npu, reference, inputs):
    for actual, expected in zip(gradients(on_npu, *[x.npu() for x in inputs]), gradients(reference, *inputs), strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4)


def test_conv2d_has_its_gradient_in_npu_convolution_alone():
    """npu_conv2d and its kin are in no row of torch_npu's derivatives.yaml: backward leaves .grad None and torch warns. The gradient
    as a function of its own computes."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    assert has("npu::npu_convolution", "AutogradPrivateUse1") and has("npu::npu_conv2d", "PrivateUse1")
    assert not any(has(f"npu::{name}", "AutogradPrivateUse1") for name in ("npu_conv2d", "npu_conv3d", "npu_conv_transpose2d"))
    y = F.conv2d(X, W[:, :2], B, **WALK)
    grad = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    actual = torch_npu.npu_conv2d_backward(X.npu(), grad.npu(), W[:, :2].contiguous().npu(), *WALK.values(), [True, True, True])
    expected = torch.ops.aten.convolution_backward(grad, X, W[:, :2], [6], *list(WALK.values())[:3], False, [0, 0], 2, [True, True, True])
    for a, e in zip(actual, expected, strict=True):
        torch.testing.assert_close(a.cpu(), e, rtol=1e-4, atol=1e-4)


def test_dropout_keeps_what_its_mask_says():
    x = torch.ones(100, 100)
    y, mask = torch_npu._dropout_with_byte_mask(x.npu(), 0.25)
    kept = mask.cpu()[:10000].reshape(100, 100) != 0
    torch.testing.assert_close(y.cpu(), kept / 0.75)
    assert 0.72 < kept.float().mean() < 0.78
