# SPDX-License-Identifier: Apache-2.0
"""Cases of test_aclop.py whose reference is torch itself, in double on the CPU.

A tensor among the inputs or the results keeps its type; an array gets the type that is tested.
"""
import numpy as np
import torch
import torch.nn.functional as F


FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def wave(*shape, step=0.7):
    return np.sin(np.arange(np.prod(shape, dtype=int)) * step + 0.3).reshape(shape) * 2


def T(a):
    return torch.from_numpy(np.ascontiguousarray(a)).reshape(a.shape) if isinstance(a, np.ndarray) else a


def f32(a):
    return T(np.asarray(a)).float()


def i64(*v):
    return torch.tensor(v, dtype=torch.int64)


def i32(*v):
    return torch.tensor(v, dtype=torch.int32)


def torch_case(fn):
    """The reference over torch tensors in double; what it returns in double gets the type that is tested."""
    def reference(*arrays):
        results = fn(*[T(a) for a in arrays])
        return [r.numpy() if r.dtype in (torch.float64, torch.complex128) else r
                for r in (results if isinstance(results, (tuple, list)) else [results])]
    return reference


def grad_of(fn):
    """The gradient of fn(x, ...) against x, with the output's gradient in front: (g, x, ...) -> gradient."""
    def reference(g, x, *rest):
        x = x.clone().requires_grad_(True)
        return torch.autograd.grad(fn(x, *rest), x, g)[0]
    return reference


def add(case):
    elementwise(case)
    quotients(case)
    gathers(case)
    means(case)
    norms(case)
    losses(case)
    convolutions(case)
    transposed(case)
    batch_norms(case)
    pools(case)
    dropout(case)
    attention(case)
    quantize(case)
    scatters(case)
    views(case)
    more(case)
    searches(case)


X, G = wave(2, 4), wave(2, 4, step=1.3)


def maybe_conj(v, is_asked):
    return np.conj(v) if is_asked else v


def quotients(case):
    """Integers as torch's message about the operator has it: input + value * torch.trunc(x1 / x2)."""
    def addcdiv(x, a, b, v):
        if x.is_floating_point():
            return torch.addcdiv(x, a, b, value=v.double().item())
        return (x + int(v.item()) * torch.div(a, b, rounding_mode="trunc"))
    for b in (np.array([0.5, -1.0, 2.0, 0.25]), np.full((1, 4), 3.0)):
        case("Addcdiv", [X, G, b + (b == 0), np.array([-2.0])], torch_case(addcdiv))
        for kind in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64):
            types = [t for t in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64)
                     if (t, kind) != (torch.bfloat16, torch.int32)]
            case("Addcdiv", [X, G, b, torch.tensor([2.5]).to(kind)], torch_case(addcdiv), types=types)


def gathers(case):
    def gather(x, i, axis, batch):
        """tf.gather in numpy: one lookup for each place of the common dimensions."""
        if not batch:
            return np.take(x, i, axis)
        return np.stack([gather(a, b, axis - 1, batch - 1) for a, b in zip(x, i)])
    x, cube = wave(2, 3, 4, 2), wave(2, 3, 4)
    case("GatherV2", [x, np.array([[2, 0], [1, 1]]), np.array(1)], lambda x, i, a: gather(x, i, 1, 1), batch_dims=1)
    case("GatherV2", [x, np.array([[1], [0]], np.int32), np.array(-1)], lambda x, i, a: gather(x, i, 3, 1), batch_dims=1)
    places = np.array([[[1, 0], [3, 2], [0, 0]], [[2, 2], [1, 0], [3, 3]]])
    case("GatherV2", [x, places, np.array(2)], lambda x, i, a: gather(x, i, 2, 2), batch_dims=2)
    case("GatherV2", [cube, places, np.array(2)], lambda x, i, a: gather(x, i, 2, 1), batch_dims=-2)
    case("GatherV2", [cube, places - 4, np.array(2)], lambda x, i, a: gather(x, i, 2, 2), batch_dims=2, negative_index_support=True)
    case("GatherV2", [cube[:, :0], places[:, 0], np.array(2)], lambda x, i, a: gather(x, i, 2, 1), batch_dims=1)


def means(case):
    """Sums that no 64 bits hold."""
    far = {torch.int64: [2**63 - 1, 2**63 - 3, -2**63, -2**63, -7, 6], torch.uint64: [-1, -3, 2**63 - 1, 1, 7, 6]}
    for kind, values in far.items():
        x = torch.tensor(values).view(kind).reshape(3, 2)

        def mean(x, axis, kind=kind):
            totals = [sum(int(v) for v in row) for row in (x if axis == 1 else x.T)]
            n = x.shape[axis]
            whole = [abs(s) // n * (1 if s >= 0 else -1) for s in totals]
            return torch.tensor([w - 2**64 if w >= 2**63 else w for w in whole]).view(kind)
        for axis in (0, 1):
            case("ReduceMean", [x, np.array([axis])], lambda x, a, axis=axis, mean=mean: mean(x, axis), types=(kind,))
    case("ReduceMean", [torch.tensor(-7, dtype=torch.int32), np.array([0])], lambda x, a: torch.tensor(-7, dtype=torch.int32), types=(torch.int32,))


def norms(case):
    x = X.copy()
    x[0, 1] = 0
    for p, fn in ((3.0, lambda x: np.abs(x)**3), (2.0, np.square), (1.0, np.abs), (0.0, lambda x: (x != 0) * 1.0), (0.5, lambda x: np.abs(x)**0.5)):
        case("LpNormReduceV2", [x], lambda x, fn=fn: fn(x).sum(1), p=p, axes=[1], keepdim=False)
        case("LpNormReduceV2", [x], lambda x, fn=fn: fn(x).sum(), p=p)
    case("LpNormReduceV2", [X], lambda x: (1 / np.abs(x)).sum(0, keepdims=True), p=-1.0, axes=[-2], keepdim=True, epsilon=0.5)
    for p in (np.inf, 2.0**31):
        case("LpNormReduceV2", [x], lambda x: np.abs(x).max(1), p=float(p), axes=[1])
        case("LpNormReduceV2", [x], lambda x: np.abs(x).min(), p=float(-p))
        case("LpNormUpdateV2", [np.abs(x)], lambda x: np.maximum(x, 1e-12), p=float(p))
    for p in (2.0, 3.0, 0.5, -1.0):
        case("LpNormUpdateV2", [np.abs(X)], lambda x, p=p: x**(1 / p), p=p)
    for p in (0.0, 1.0):
        case("LpNormUpdateV2", [np.abs(x)], lambda x: np.maximum(x, 0.5), p=p, epsilon=0.5)
    case("LpNormUpdateV2", [np.zeros(3)], lambda x: np.full(3, 0.25), epsilon=0.25)
    case("LpNormUpdateV2", [np.zeros(3)], lambda x: torch.full((3,), 1e-7).half(), types=(torch.float16,))
    case("LpNormUpdateV2", [np.zeros(3)], lambda x: torch.full((3,), 1e-12), types=(torch.float32,))


def elementwise(case):
    for name, fn in dict(Gelu=F.gelu, HardSwish=F.hardswish, LogSigmoid=F.logsigmoid, CeluV2=F.celu, SoftShrink=F.softshrink,
                         HardShrink=F.hardshrink, SoftplusV2=F.softplus).items():
        case(name, [X], torch_case(fn))
    case("CeluV2", [X], torch_case(lambda x: F.celu(x, 0.25)), alpha=0.25)
    case("SoftShrink", [X], torch_case(lambda x: F.softshrink(x, 0.25)), lambd=0.25)
    case("HardShrink", [X], torch_case(lambda x: F.hardshrink(x, 0.25)), lambd=0.25)
    case("SoftplusV2", [X * 8], torch_case(lambda x: F.softplus(x, 2.0, 5.0)), beta=2.0, threshold=5.0)
    case("Erfinv", [X / 3], torch_case(torch.erfinv))
    case("NanToNum", [np.array([1, np.inf, -np.inf, np.nan])], torch_case(lambda x: torch.nan_to_num(x, 3.0, 5.0, -7.0)),
         nan=3.0, posinf=5.0, neginf=-7.0)
    case("Invert", [np.abs(X)], lambda x: ~x)
    for name, fn in dict(Tril=torch.tril, Triu=torch.triu).items():
        for k in (0, 1, -1):
            case(name, [wave(2, 3, 4)], lambda x, fn=fn, k=k: getattr(np, fn.__name__)(x, k), diagonal=k)
    for name, fn, attrs in (("GeluGrad", F.gelu, {}), ("HardSwishGrad", F.hardswish, {}), ("SiluGrad", F.silu, {}),
                            ("MishGrad", F.mish, {})):
        rest = [X] if name == "GeluGrad" else []
        case(name, [G, X, *rest], torch_case(lambda g, x, *_, fn=fn: grad_of(fn)(g, x)), **attrs)
    case("MishGrad", [G, X, X], torch_case(lambda g, x, _: grad_of(F.mish)(g, x)))
    case("SoftplusV2Grad", [G, X * 8], torch_case(grad_of(lambda x: F.softplus(x, 2.0, 5.0))), beta=2.0, threshold=5.0)
    case("LeakyReluGrad", [G, X], torch_case(grad_of(lambda x: F.leaky_relu(x, 0.25))), negative_slope=0.25)
    case("HardShrinkGrad", [G, X], torch_case(grad_of(lambda x: F.hardshrink(x, 0.25))), lambd=0.25)
    case("SoftShrinkGrad", [G, X], torch_case(grad_of(lambda x: F.softshrink(x, 0.25))), lambd=0.25)
    case("HardtanhGrad", [X, G], torch_case(lambda x, g: grad_of(lambda x: F.hardtanh(x, -0.5, 1.25))(g, x)), min_val=-0.5,
         max_val=1.25)
    case("EluGradV2", [G, X], torch_case(grad_of(lambda x: F.elu(x, 0.5) * 1.5)), alpha=0.5, scale=1.5)
    case("EluGradV2", [G, -np.abs(X) / 3], torch_case(lambda g, y: g * (y + 0.5)), alpha=0.5, is_result=True)
    for conj in (False, True):
        case("SigmoidGrad", [1 / (1 + np.exp(-X)), G], lambda y, g, c=conj: g * maybe_conj(y * (1 - y), c), complex_conj=conj)
        case("TanhGrad", [np.tanh(X), G], lambda y, g, c=conj: g * maybe_conj(1 - y * y, c), complex_conj=conj)
    case("SigmoidGrad", [1 / (1 + np.exp(-X)), G], lambda y, g: g * y * (1 - y))
    case("TanhGrad", [np.tanh(X), G], lambda y, g: g * (1 - y * y))
    for low, value in ((1.0, 3.0), (0.5, 3.75), (-1.5, 2.0)):
        case("ThresholdV2D", [X], lambda x, low=low, value=value: np.where(x > low, x, value if x.dtype.kind == "f" else int(value)),
             threshold=low, value=value)
    for kind in (torch.int64, torch.uint64):  # no float32 holds these
        far = torch.tensor([2**62 + 1, 2**24 + 1, 2**24 - 1, 5]).view(kind)
        case("ThresholdV2D", [far], lambda x: torch.from_numpy(np.where(x > 2**24, x, 7)), types=(kind,), threshold=2.0**24, value=7.9)
    far = torch.tensor([-1, 1]).view(torch.uint64)
    case("ThresholdV2D", [far], lambda x: torch.tensor([-1, 0]).view(torch.uint64), types=(torch.uint64,), threshold=2.0**60, value=0.0)
    case("ThresholdV2D", [X], lambda x: torch.from_numpy(x), types=(torch.uint8,), threshold=-0.5, value=7.0)
    case("Muls", [torch.tensor([2**24 + 1, -3], dtype=torch.int32)], lambda x: (T(x).float() * 1.5).int(), types=(torch.int32,), value=1.5)
    case("LogSoftmaxV2", [X], torch_case(lambda x: F.log_softmax(x, -1)))
    case("LogSoftmaxV2", [X], torch_case(lambda x: x - torch.logsumexp(x, (0, 1), True)), axes=[0, 1])
    case("LogSoftmaxGrad", [G, X - 3], torch_case(lambda g, y: g - y.exp() * g.sum(-1, True)))
    case("ClipByValue", [X, np.array(-1.0), np.array(1.0)], lambda x, a, b: np.minimum(np.maximum(x, a), b))


def losses(case):
    p, q = np.abs(wave(3, 4)) / 3 + 0.1, np.abs(wave(3, 4, step=0.4)) / 3 + 0.1
    w = np.abs(wave(4)) + 0.5
    for how in ("none", "mean", "sum"):
        def pair(name, grad, fn, how=how, **attrs):
            case(name, [p, q], torch_case(lambda x, y: fn(x, y, how)), reduction=how, **attrs)
            if not grad:
                return
            g = wave(3, 4, step=0.2) if how == "none" else np.array(0.75)
            case(grad, [p, q, g], torch_case(lambda x, y, g: grad_of(lambda x: fn(x, y, how))(g, x)), reduction=how, **attrs)
        pair("MseLoss", "MseLossGrad", lambda x, y, how: F.mse_loss(x, y, reduction=how))
        pair("SmoothL1LossV2", "SmoothL1LossGradV2", lambda x, y, how: F.smooth_l1_loss(x, y, reduction=how, beta=0.25), sigma=0.25)
        pair("SoftMarginLoss", "SoftMarginLossGrad", lambda x, y, how: F.soft_margin_loss(x, y, reduction=how))
        pair("LpLoss", None, lambda x, y, how: F.l1_loss(x, y, reduction=how), p=1)
        pair("BinaryCrossEntropy", "BinaryCrossEntropyGrad", lambda x, y, how: F.binary_cross_entropy(x, y, reduction=how))
        pair("SigmoidCrossEntropyWithLogitsV2", None, lambda x, y, how: F.binary_cross_entropy_with_logits(x, y, reduction=how))
        case("BinaryCrossEntropy", [p, q, w], torch_case(lambda x, y, w, how=how: F.binary_cross_entropy(x, y, w, reduction=how)),
             reduction=how)
        case("SigmoidCrossEntropyWithLogitsV2", [wave(3, 4), q, w, w], torch_case(
            lambda x, y, w, v, how=how: F.binary_cross_entropy_with_logits(x, y, w, reduction=how, pos_weight=v)), reduction=how)
        case("SigmoidCrossEntropyWithLogitsV2", [wave(3, 4), q, None, w], torch_case(
            lambda x, y, _, v, how=how: F.binary_cross_entropy_with_logits(x, y, reduction=how, pos_weight=v)), reduction=how)


def conv(x, w, b, stride, pads, dilation, groups, fill=0.0):
    """pads: begin and end of each dimension."""
    n = x.dim() - 2
    mirrored = [pads[2 * (n - 1 - k) + e] for k in range(n) for e in (0, 1)]
    fn = F.conv2d if n == 2 else F.conv3d
    return fn(F.pad(x, mirrored, value=fill), w, b, stride, 0, dilation, groups)


def order_of(role, n):
    """Dimensions of the channels-last form, by their places in the channels-first one."""
    return {"x": (0, *range(2, n + 2), 1), "w": (*range(2, n + 2), 1, 0)}[role[-1]]


def last(role, v, n):
    """v, channels first, as the caller of channels last gives it; a role of sizes is written with s in front."""
    if role == "b" or v is None:
        return v
    order = order_of(role, n)
    return v[list(order)] if role[0] == "s" else v.permute(order) if isinstance(v, torch.Tensor) else v.transpose(order)


def first(role, v, n):
    return v if role == "b" or role[0] == "s" else v.permute([order_of(role, n).index(k) for k in range(n + 2)])


ROLES = {"Conv%dD": "x w b > x", "Conv%dDBackpropFilter": "x sw x > w", "Conv%dDBackpropInput": "sx w x > x",
         "Conv%dDTranspose": "sx x w b > x"}


def in_both_orders(case):
    """Each case with channels last too: pictures NHWC, filters HWCN, NDHWC and DHWCN, by attributes in that order."""
    def both(name, inputs, reference, types=None, **attrs):
        n = len(attrs["strides"]) - 2
        takes, gives = ROLES[name.replace(str(n), "%d", 1)].split(" > ")
        takes = takes.split()

        def turned(*arrays):
            results = reference(*[first(r, T(a), n) if isinstance(a, torch.Tensor) else
                                  first(r, torch.from_numpy(np.ascontiguousarray(a)), n).numpy() for r, a in zip(takes, arrays)])
            return [last(gives, r, n) for r in results]
        lists = {k: [v[i] for i in order_of("x", n)] for k, v in attrs.items() if k in ("strides", "dilations", "output_padding")}
        case(name, inputs, reference, types, **attrs)
        case(name, [last(r, v, n) for r, v in zip(takes, inputs)], turned, types,
             **(attrs | lists | dict(data_format="NHWC" if n == 2 else "NDHWC")))
    return both


def convolutions(case):
    case = in_both_orders(case)
    walks = [(2, (1, 1), (0, 0, 0, 0), (1, 1), 1), (2, (2, 1), (1, 0, 2, 1), (1, 2), 2),
             (3, (1, 1, 1), (0,) * 6, (1, 1, 1), 1), (3, (2, 1, 1), (1, 1, 0, 1, 1, 0), (1, 1, 2), 2)]
    for n, stride, pads, dilation, groups in walks:
        x, w, b = wave(2, 4, *(5, 6, 4)[:n]), wave(6, 4 // groups, *(2, 3, 2)[:n], step=1.1), wave(6, step=0.5)
        like = conv(T(x), T(w), None, stride, pads, dilation, groups)
        g = wave(*like.shape, step=0.9)
        attrs = dict(strides=[1, 1, *stride], pads=list(pads), dilations=[1, 1, *dilation], groups=groups,
                     data_format="NCHW" if n == 2 else "NCDHW")
        args = (stride, pads, dilation, groups)
        name = f"Conv{n}D"
        case(name, [x, w], torch_case(lambda x, w, args=args: conv(x.double(), w.double(), None, *args)), **attrs)
        case(name, [x, w, b], convolution_with_bias(args), types=FLOATS, **attrs)
        whole = torch.arange(6, dtype=torch.int32) * 1000
        case(name, [x, w, whole], torch_case(lambda x, w, b, args=args: conv(x.double(), w.double(), b.double(), *args, fill=3.0)
             .to(torch.int32)), types=(torch.int8,), offset_x=3, **attrs)
        case(name, [x, w], torch_case(lambda x, w, args=args: conv(x.double(), w.double(), None, *args).float()),
             types=FLOATS, **attrs)
        size = torch.tensor(x.shape, dtype=torch.int32)
        case(f"Conv{n}DBackpropFilter", [x, torch.tensor(w.shape, dtype=torch.int32), g], torch_case(
            lambda x, _, g, args=args, w=T(w): grad_of(lambda w: conv(x, w, None, *args))(g, w)), **attrs)
        case(f"Conv{n}DBackpropInput", [size, w, g], torch_case(
            lambda _, w, g, args=args, x=T(x): grad_of(lambda x: conv(x, w, None, *args))(g, x)), **attrs)
        bias = wave(4, step=0.5)
        case(f"Conv{n}DTranspose", [size.long(), g, w, bias], torch_case(
            lambda _, g, w, b, args=args, x=T(x): grad_of(lambda x: conv(x, w, None, *args))(g, x) + b.reshape(-1, *[1] * (x.dim() - 2))),
            types=FLOATS, output_padding=[0] * (n + 2), **attrs)


def transposed(case):
    """conv_transposeNd with pads that differ at the ends, and output_padding where dilation or stride allow it."""
    case = in_both_orders(case)
    for n, stride, pads, dilation, more, groups in ((2, (1, 3), (0, 1, 2, 0), (2, 1), (1, 2), 2), (2, (2, 2), (1, 1, 0, 0), (1, 1), (1, 0), 1),
                                                    (3, (1, 2, 1), (1, 0, 0, 1, 0, 0), (1, 1, 3), (0, 1, 2), 1)):
        fn = F.conv_transpose2d if n == 2 else F.conv_transpose3d
        x, w, b = wave(2, 4, *(5, 3, 4)[:n]), wave(4, 6 // groups, *(2, 3, 2)[:n], step=1.1), wave(6, step=0.5)

        def full(x, w, b=None, fn=fn, stride=stride, pads=pads, dilation=dilation, more=more, groups=groups, n=n):
            y = fn(x, w, None, stride, 0, 0, groups, dilation)
            y = F.pad(y, [v for k in reversed(range(n)) for v in (-pads[2 * k], more[k] - pads[2 * k + 1])])
            return y if b is None else y + b.reshape(-1, *[1] * n)
        size = torch.tensor(full(T(x), T(w)).shape)
        attrs = dict(strides=[1, 1, *stride], pads=list(pads), dilations=[1, 1, *dilation], groups=groups,
                     data_format="NCHW" if n == 2 else "NCDHW", output_padding=[0, 0, *more])
        case(f"Conv{n}DTranspose", [size, x, w], torch_case(lambda _, x, w, full=full: full(x, w)), types=FLOATS, **attrs)
        case(f"Conv{n}DTranspose", [size, x, w, b], torch_case(lambda _, x, w, b, full=full: full(x, w, b)), types=FLOATS, **attrs)
        case(f"Conv{n}DTranspose", [size, x, w, f32(b)], torch_case(lambda _, x, w, b, full=full: full(x, w, b.double()).float()),
             types=FLOATS, **attrs)
        if n == 2:
            whole = torch.arange(6, dtype=torch.int32) * 1000
            case("Conv2DTranspose", [size, x, w, whole], torch_case(lambda _, x, w, b, full=full: full(x.double(), w.double(), b.double()).int()),
                 types=(torch.int8,), **attrs)


def convolution_with_bias(args):
    return torch_case(lambda x, w, b: conv(x, w, b, *args))


def batch_norms(case):
    for name, shape in (("BN", (3, 4, 5, 2)), ("BN3D", (2, 4, 3, 2, 5))):
        x, g = wave(*shape), wave(*shape, step=1.3)
        axes = tuple(k for k in range(len(shape)) if k != 1)
        n = x.size // 4
        scale, offset, mean, var = (f32(wave(4, step=s)) for s in (0.5, 0.9, 1.4, 2.0))
        var = var.abs() + 0.5

        def per(v, rank=len(shape)):
            return v.double().reshape(1, -1, *[1] * (rank - 2))

        case(f"{name}TrainingReduce", [x], torch_case(lambda x, axes=axes: [x.sum(axes).float(), (x * x).sum(axes).float()]),
             epsilon=1e-5)
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            held = T(x).to(dtype).double()

            def update(x, s, q, scale, offset, mean, var, axes=axes):
                running = mean.float(), var.float()
                y = F.batch_norm(x, *(r := [m.double().clone() for m in running]), scale.double(), offset.double(), True, 0.25, 1e-3)
                return [y, r[0].float(), r[1].float(), x.mean(axes).float(), x.var(axes, correction=0).float()]
            case(f"{name}TrainingUpdate", [x, held.sum(axes).float(), (held * held).sum(axes).float(), scale, offset, mean, var],
                 torch_case(update), types=(dtype,), factor=0.25, epsilon=1e-3)

        def hat(x, mean, var, per=per):
            return (x - per(mean)) / (per(var) + 1e-4).sqrt()
        case(f"{name}TrainingUpdateGrad", [g, x, mean, var], torch_case(
            lambda g, x, m, v, axes=axes, hat=hat: [(g * hat(x, m, v)).sum(axes).float(), g.sum(axes).float()]))

        def reduce_grad(g, x, ds, do, scale, m, v, per=per, hat=hat, n=n):
            return per(scale) / (per(v) + 1e-4).sqrt() * (g - per(do) / n - hat(x, m, v) * per(ds) / n)
        case(f"{name}TrainingReduceGrad", [g, x, mean, offset, scale, mean, var], torch_case(reduce_grad), epsilon=1e-4)
        if name == "BN":
            case("BNInfer", [x, scale, offset, mean, var], torch_case(
                lambda x, s, o, m, v: F.batch_norm(x, m.double(), v.double(), s.double(), o.double(), False, 0.1, 1e-3)), epsilon=1e-3)
            case("BNInferGrad", [g, scale, var], torch_case(lambda g, s, v, per=per: g * per(s) / (per(v) + 1e-4).sqrt()))


def pools(case):
    x = wave(2, 3, 7, 6)
    for kernel, stride, pad, dilation, ceil in (((2, 3), (2, 3), (0, 0), (1, 1), False), ((3, 2), (2, 1), (1, 1), (1, 2), True)):
        def pool(x, k=kernel, s=stride, p=pad, d=dilation, c=ceil):
            return F.max_pool2d(x, k, s, p, d, c, return_indices=True)
        attrs = {n: [1, *v, 1] for n, v in dict(ksize=kernel, strides=stride, pads=pad, dilation=dilation).items()}
        case("MaxPoolWithArgmaxV1", [x], torch_case(lambda x, pool=pool: [pool(x)[0], pool(x)[1].int()]), ceil_mode=ceil, **attrs)
        y, index = pool(T(x))
        g = wave(*y.shape, step=0.9)
        case("MaxPoolGradWithArgmaxV1", [x, g, index.int()], torch_case(
            lambda x, g, _, pool=pool: grad_of(lambda x: pool(x)[0])(g, x)), ceil_mode=ceil, **attrs)


def dropout(case):
    x = wave(3, 7)
    keep = np.resize([1, 0, 0, 1, 1], 21)
    bits = torch.from_numpy(np.packbits(np.concatenate([keep, np.zeros(107, int)]).astype(bool), bitorder="little"))
    half = np.array([0.5])
    case("DropOutDoMask", [x, bits, half], lambda x, m, p: np.where(keep.reshape(3, 7) == 1, x / p, 0))
    for kind in (torch.uint8, torch.bool):
        case("DropOutDoMaskV3", [x, torch.from_numpy(np.resize(keep, 128)).to(kind), half],
             lambda x, m, p: np.where(np.resize(keep, 128)[:21].reshape(3, 7) == 1, x / p, 0))
    for p in (0.0, 1.0):  # what is certain; the rest is in test_dropout_masks
        for name, n in (("DropOutGenMask", 16), ("DropOutGenMaskV3", 32), ("StatelessDropOutGenMask", 16)):
            rest = [i32(5), i32(0), i64(0, 7)] if name[0] == "S" else []
            full = np.zeros(n, np.uint8)
            full[:3] = 255 if n == 16 else 0
            if n == 32:
                full[:24] = 1
            case(name, [i64(4, 6), f32(np.array(p)), *rest], lambda *_, full=full, p=p: torch.from_numpy(full * (p == 1.0)))


def attention(case):
    q, k, v = (wave(2, 3, 4, 5, step=s) for s in (0.7, 0.9, 1.1))
    mask, scale = wave(1, 1, 4, 4), np.array([0.25])
    drop = torch.from_numpy(np.resize([1, 0, 1, 1], 96).astype(np.uint8))

    def merged(x):
        return x.permute(0, 2, 1, 3).reshape(8, 15)

    def scores(q, k, mask, scale):
        return torch.softmax(q @ k.transpose(-2, -1) * scale + mask, -1)

    def dropped(p, m):
        return p if m is None else p * (m.reshape(p.shape) != 0) / 0.75
    for m in (None, drop):
        case("AttentionScore", [q, k, v, mask, scale] + ([] if m is None else [m]), torch_case(
            lambda q, k, v, mask, scale, m=None: [merged(dropped(scores(q, k, mask, scale), m) @ v), scores(q, k, mask, scale)]),
            keep_prob=0.75)

        def grad(p, g, v, k, q, scale, m=None):
            ds = p * (d := dropped(g @ v.transpose(-2, -1), m)) - p * (p * d).sum(-1, True)
            return [merged(dropped(p, m).transpose(-2, -1) @ g), merged(ds @ k * scale), merged(ds.transpose(-2, -1) @ q * scale)]
        p = scores(*map(T, (q, k, mask, scale))).numpy()
        case("AttentionScoreGrad", [p, wave(2, 3, 4, 5, step=0.3), v, k, q, scale] + ([] if m is None else [m]), torch_case(grad),
             keep_prob=0.75)


def quantize(case):
    x = wave(2, 3, 4) * 40
    kinds = (("torch.qint8", torch.int8, -128, 127), ("torch.quint8", torch.uint8, 0, 255), ("torch.qint32", torch.int32, -2**31, 2**31 - 1))
    for name, kind, low, high in kinds:
        for scale, zero in ((f32(np.array([0.5])), None), (f32(np.array([0.25, 0.5, 2.0])), torch.tensor([1, 2, 3], dtype=torch.int32)),
                            (f32(np.array([0.25, 0.5, 2.0])).reshape(1, 3, 1), torch.tensor([1, 2, 3], dtype=torch.int8).reshape(1, 3, 1))):
            def quantised(x, s, z=None, kind=kind, low=low, high=high):
                s, z = [v if v is None or v.numel() == 1 else v.reshape(1, 3, 1) for v in (s, z)]
                return torch.clamp(torch.round(x / s) + (0 if z is None else z), low, high).to(kind)
            case("Quantize", [x, scale] + ([] if zero is None else [zero]), torch_case(quantised), dtype=name,
                 axis=1 if zero is None else -2)


def plain(x):
    """As numpy adds: bool and int8 do not overflow here."""
    return x.astype(np.int64) if x.dtype.kind in "biu" and x.dtype.itemsize < 8 else x


def scatters(case):
    x, u = wave(3, 4) * 2, wave(2, 4, step=0.2) * 2
    index = np.array([[0, 1, 2, 0], [2, 2, 0, 0]])

    def scatter(x, i, u, how):
        y = plain(x).copy()
        for r in range(i.shape[0]):
            for k in range(i.shape[1]):
                at = i[r, k], k
                y[at] = u[r, k] if how == "none" else y[at] + u[r, k] if how == "add" else y[at] * u[r, k]
        return y
    one = np.array([[0, 1, 2, 0], [2, 2, 0, 1]])  # no place twice
    for kind in (np.int32, np.int64):
        case("ScatterElements", [x, one.astype(kind), u], lambda x, i, u: scatter(x, i, u, "none"))
        for how in ("add", "mul"):
            case("ScatterElements", [x, index.astype(kind), u], lambda x, i, u, how=how: scatter(x, i, u, how), reduction=how)
        case("GatherElements", [x, index.astype(kind)], lambda x, i: np.take_along_axis(x, i.astype(np.int64), 0))
    case("GatherElements", [x, np.array([[3], [0], [1]])], lambda x, i: np.take_along_axis(x, i, 1), dim=-1)

    def nd(x, i, u, adds):
        y = plain(x).copy()
        for k, row in enumerate(i):
            y[tuple(row)] = y[tuple(row)] + plain(u[k]) if adds else u[k]
        return y
    rows = np.array([[1], [0], [1]])
    case("ScatterNdAdd", [x, rows, wave(3, 4, step=0.3)], lambda x, i, u: nd(x, i, u, True), use_locking=False)
    case("ScatterNdAdd", [x, np.array([[1, 2], [1, 2], [0, 0]], np.int32), wave(3) * 2], lambda x, i, u: nd(x, i, u, True))
    case("ScatterNdUpdate", [x, rows[:2], wave(2, 4, step=0.3)], lambda x, i, u: nd(x, i, u, False))
    case("ScatterNdUpdate", [x, np.array([[1, 2], [0, 0]], np.int32), wave(2)], lambda x, i, u: nd(x, i, u, False), use_locking=True)

    def at_rows(x, i, u):
        y = x.copy()
        y[i] = u
        return y
    case("ScatterUpdate", [x, np.array([2, 0]), wave(2, 4, step=0.3)], at_rows)
    case("ScatterUpdate", [x, np.array(1, np.int32), wave(4, step=0.3)], at_rows, use_locking=True)

    def index_add(x, i, u, a=None):
        y = plain(x).copy()
        for k, r in enumerate(i.reshape(-1)):
            y[:, r] = y[:, r] + plain(u[:, k]) * (1 if a is None else plain(a).reshape(()))
        return y
    case("InplaceIndexAdd", [x, np.array([3, 0, 3]), wave(3, 3)], index_add, axis=1)
    case("InplaceIndexAdd", [x, np.array([3, 0, 3], np.int32), wave(3, 3), np.array([2.0])], index_add, axis=-1)


def more(case):
    case("SwishGrad", [G, X, X], torch_case(lambda g, x, _: grad_of(lambda x: x * torch.sigmoid(1.5 * x))(g, x)), scale=1.5)
    case("SwishGrad", [G, X, X], torch_case(lambda g, x, _: grad_of(F.silu)(g, x)))
    case("SortV2", [X], lambda x: np.sort(x, -1))
    case("SortV2", [X], lambda x: -np.sort(-x, 0), axis=0, descending=True)
    labels = np.exp(G) / np.exp(G).sum(-1, keepdims=True)
    case("SoftmaxCrossEntropyWithLogits", [X, labels], torch_case(
        lambda x, y: [-(y * F.log_softmax(x, -1)).sum(-1), torch.softmax(x, -1) - y]))
    cube = wave(2, 3, 4)

    def arg_grad(x, i, u, axis):
        y = x.copy()
        if i.ndim < x.ndim:
            i, u = np.expand_dims(i, axis), np.expand_dims(u, axis)
        np.put_along_axis(y, i.astype(np.int64), u, axis)
        return y
    at = np.array([[0, 2, 1, 0], [1, 1, 2, 0]], np.int32)
    case("ArgMaxGrad", [cube, at, X], lambda x, i, u: arg_grad(x, i, u, 1), dimension=1)
    case("ArgMaxGrad", [cube, at[:, None], X[:, None]], lambda x, i, u: arg_grad(x, i, u, 1), dimension=-2)

    def one_hot(x, depth, on, off, axis=-1):
        y = np.full((*x.shape, int(depth)), off.reshape(()))
        for place in np.ndindex(x.shape):
            if 0 <= x[place] < depth:
                y[(*place, int(x[place]))] = on.reshape(())
        return np.moveaxis(y, -1, axis)
    for kind in (torch.uint8, torch.int32, torch.int64):
        x = torch.tensor([[1, 0, 3], [2, 5, 1]]).to(kind)
        case("OneHot", [x, np.array([4]), np.array(2.0), np.array([1.0])], lambda x, n, a, b: one_hot(x, n.reshape(()), a, b))
        case("OneHot", [x, np.array(4, np.int32), np.array(2.0), np.array([1.0])], lambda x, n, a, b: one_hot(x, n, a, b, 0), axis=0)
        case("OneHotD", [x, np.array(2.0), np.array([1.0])], lambda x, a, b: one_hot(x, 4, a, b, 1), depth=4, axis=1)
    case("ConfusionTransposeD", [cube], lambda x: x.transpose(0, 2, 1).reshape(2, 12), perm=[0, 2, 1], shape=[2, 12], transpose_first=True)
    case("ConfusionTransposeD", [cube], lambda x: x.reshape(6, 4).T, perm=[1, 0], shape=[6, 4], transpose_first=False)
    dy, x, gamma = wave(3, 4, step=0.2), wave(3, 4), wave(4, step=0.9)

    def rstd_of(x, eps):
        return 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)

    def rms_grad(dy, x, rstd, gamma):
        x, gamma = x.clone().requires_grad_(True), gamma.clone().requires_grad_(True)
        y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gamma
        dx, dg = torch.autograd.grad(y, (x, gamma), dy)
        return [dx, dg.float()]
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        rstd = f32(rstd_of(T(x).to(dtype).double().numpy(), 1e-6))
        case("RmsNormGrad", [dy, x, rstd, gamma], torch_case(rms_grad), types=(dtype,))
        def add_norm(a, b, g, dtype=dtype):
            s = (T(a) + T(b)).to(dtype).double().numpy()  # x is rounded before it is normalised
            return [s * rstd_of(s, 1e-5) * g, f32(rstd_of(s, 1e-5)), s]
        case("AddRmsNorm", [x, dy, gamma], add_norm, epsilon=1e-5, types=(dtype,))
    for name in ("StatelessRandomUniformV2", "StatelessRandomNormalV2"):
        case(name, [i64(0, 3), torch.tensor([7], dtype=torch.uint64), torch.tensor([0, 1], dtype=torch.uint64), i32(1)],
             lambda *_: np.zeros((0, 3)), types=(torch.float32,))  # the rest is in test_random_numbers
    case("AddV2", [X, G], lambda a, b: a + b)


def views(case):
    x = wave(3, 4)

    def strided(x, size, stride, offset):
        return np.lib.stride_tricks.as_strided(x.reshape(-1)[int(offset.reshape(())):], size, [s * x.itemsize for s in stride]).copy()
    case("AsStrided", [x, np.array([2, 3]), np.array([1, 4]), np.array(1)], strided)
    case("AsStrided", [x, np.array([2, 2, 3], np.int32), np.array([0, 1, 2], np.int32), np.array([5], np.int32)], strided)

    def copied(dst, size, stride, offset, src, *rest):
        y = dst.copy()
        np.lib.stride_tricks.as_strided(y.reshape(-1)[int(offset.reshape(())):], size, [s * y.itemsize for s in stride])[...] = strided(src, *rest)
        return y
    case("ViewCopy", [x, np.array([2, 3]), np.array([4, 1]), np.array(1), wave(6, step=0.2), np.array([2, 3]), np.array([1, 2]), np.array(0)],
         copied)


def searches(case):
    def unique(x, inverse=False, counts=False):
        y, i, n = np.unique(x, return_inverse=True, return_counts=True)
        return [y, T(i.reshape(x.shape)) if inverse else torch.zeros(0, dtype=torch.int64), T(n) if counts else torch.zeros(0, dtype=torch.int64)]
    x = np.array([[2.0, 0.5, 2.0], [1.0, 0.5, 3.0]])
    case("UniqueWithCountsAndSorting", [x], lambda x: unique(x, True, True), return_inverse=True, return_counts=True, sorted=True)
    case("NonZero", [np.array([[0, 1.0, 2], [3, 0, 0]])], lambda x: T(np.argwhere(x)))
    case("NonZero", [np.array([[0, 1.0, 2], [3, 0, 0]])], lambda x: T(np.argwhere(x).T.astype(np.int32)), transpose=True)
    case("MaskedSelect", [X, X > 0.5], lambda x, m: x[m])
    case("MaskedSelect", [X, np.array([True, False, False, True])], lambda x, m: x[:, m].reshape(-1))

    def topk(x, k, axis=-1, largest=True):
        key = x.astype(np.float64) * (-1 if largest else 1)
        i = np.take(np.argsort(key, axis, kind="stable"), range(int(k)), axis)
        return [np.take_along_axis(x, i, axis), T(i.astype(np.int32))]
    far = np.array([[4.0, 1, 3, 2], [5, 9, 7, 8]])
    case("TopKV2", [far, np.array([2], np.int32)], lambda x, k: topk(x, k[0]))
    case("TopKV2", [far, np.array(1)], lambda x, k: topk(x, k, 0, False), dim=0, largest=False, sorted=True)
    case("ArgMaxV2", [far, np.array(1)], lambda x, a: T(x.argmax(1)))
    case("ArgMaxV2", [far, np.array([0], np.int32)], lambda x, a: T(x.argmax(0).astype(np.int32))[None], keep_dims=True)
    case("ArgMin", [far, np.array(-1)], lambda x, a: T(x.argmin(1).astype(np.int32)))
    case("ArgMin", [far, np.array(0)], lambda x, a: T(x.argmin(0))[None], keep_dims=True)
    case("Range", [np.array(1.0), np.array(7.0), np.array([2.0])], lambda a, b, d: np.arange(float(a), float(b), float(d.reshape(()))))
    case("Range", [np.array([3.0]), np.array(0.0), np.array(-1.0)], lambda a, b, d: np.arange(float(a.reshape(())), float(b), float(d)))
