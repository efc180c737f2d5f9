# SPDX-License-Identifier: Apache-2.0
"""Single operators by GE type name (aclopCompileAndExecute), each against torch on the CPU."""
import ctypes

import pytest
import torch

pytest.importorskip("torch_npu")

import aclnn  # noqa: E402

X = torch.tensor([[0.3, -1.2, 2.0, 0.7], [-0.4, 0.1, 1.5, -2.2]])
Y = torch.tensor([[0.3, 0.2, -0.7, 2.0], [0.3, -1.1, 1.5, 0.6]])
B = X > 0
ENGINE_SYS, COMPILE_SYS = 0, 0


def two(fn, a=X, b=Y):
    return [a, b], fn(a, b), {}


def one(fn, a=X):
    return [a], fn(a), {}


CASES = {
    "Add": two(torch.add), "Sub": two(torch.sub), "Mul": two(torch.mul), "RealDiv": two(torch.div),
    "Maximum": two(torch.maximum), "Minimum": two(torch.minimum), "Equal": two(torch.eq),
    "NotEqual": two(torch.ne), "Less": two(torch.lt), "LessEqual": two(torch.le),
    "Greater": two(torch.gt), "GreaterEqual": two(torch.ge),
    "LogicalAnd": two(torch.logical_and, B, ~B[:1]), "LogicalOr": two(torch.logical_or, B, B[:1]),
    "LogicalNot": one(torch.logical_not, B), "Abs": one(torch.abs), "Neg": one(torch.neg),
    "Exp": one(torch.exp), "Log": one(torch.log, X.abs()), "Sqrt": one(torch.sqrt, X.abs()),
    "Rsqrt": one(torch.rsqrt, X.abs()), "Relu": one(torch.relu), "Sigmoid": one(torch.sigmoid),
    "Tanh": one(torch.tanh), "IsFinite": one(torch.isfinite, X / 0), "ZerosLike": one(torch.zeros_like),
    "OnesLike": one(torch.ones_like), "Cast": ([X], X.to(torch.int32), {}), "TensorMove": one(torch.clone),
    "Identity": one(torch.clone),
    "BroadcastTo": ([X[:1], torch.tensor([3, 4])], X[:1].expand(3, 4).contiguous(), {}),
    "Fill": ([torch.tensor([2, 3]), torch.tensor(7.0)], torch.full((2, 3), 7.0), {}),
    "LpNormReduceV2": ([X], X.abs().pow(3).sum(1), {"p": 3.0, "axes": [1], "keepdim": False}),
    "LpNormUpdateV2": ([X.abs()], X.abs().pow(1 / 3), {"p": 3.0}),
}


@pytest.fixture(scope="module")
def acl():
    torch.zeros(1, device="npu")  # the device is set up
    lib = ctypes.CDLL("libascendcl.so")
    for name in ("aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr"):
        getattr(lib, name).restype = ctypes.c_void_p
    return lib


def attributes(acl, values):
    attr = ctypes.c_void_p(acl.aclopCreateAttr())
    for name, v in values.items():
        if isinstance(v, bool):
            acl.aclopSetAttrBool(attr, name.encode(), ctypes.c_uint8(v))
        elif isinstance(v, float):
            acl.aclopSetAttrFloat(attr, name.encode(), ctypes.c_float(v))
        else:
            acl.aclopSetAttrListInt(attr, name.encode(), len(v), aclnn.int64s(v))
    return attr


def describe(acl, tensors, fmt=2):
    n = max(1, len(tensors))
    descs = (ctypes.c_void_p * n)(*[acl.aclCreateTensorDesc(aclnn.DTYPES[t.dtype], t.dim(), aclnn.int64s(t.shape), fmt)
                                    for t in tensors])
    buffers = (ctypes.c_void_p * n)(*[acl.aclCreateDataBuffer(ctypes.c_void_p(t.data_ptr()),
                                                              ctypes.c_size_t(t.numel() * t.element_size()))
                                      for t in tensors])
    return descs, buffers


def execute(acl, op_type, inputs, output, attrs, fmt=2):
    compiler = ctypes.CDLL("libacl_op_compiler.so")
    torch.npu.synchronize()
    in_descs, in_buffers = describe(acl, inputs, fmt)
    out_descs, out_buffers = describe(acl, [output], fmt)
    code = compiler.aclopCompileAndExecute(op_type.encode(), len(inputs), in_descs, in_buffers, 1, out_descs,
                                           out_buffers, attributes(acl, attrs), ENGINE_SYS, COMPILE_SYS, None, None)
    torch.npu.synchronize()
    return code


@pytest.mark.parametrize("op_type", CASES)
def test_operator(acl, op_type):
    inputs, expected, attrs = CASES[op_type]
    output = torch.full_like(expected, 77 if expected.dtype != torch.bool else 0).npu()
    assert execute(acl, op_type, [t.contiguous().npu() for t in inputs], output, attrs) == 0, aclnn.last_error()
    torch.testing.assert_close(output.cpu(), expected)


def test_every_row_has_a_case(acl):
    lib = ctypes.CDLL("libopapi.so")
    lib.npu_aclop_name.restype = ctypes.c_char_p
    names = []
    while (name := lib.npu_aclop_name(len(names))) is not None:
        names.append(name.decode())
    assert sorted(names) == sorted(CASES)


def test_refusals_leave_the_device_well(acl):
    x = X.npu()
    assert execute(acl, "DynamicRNN", [x], x.clone(), {}) != 0
    assert "aclop operator type DynamicRNN is not supported" in aclnn.last_error()
    assert execute(acl, "Add", [x], x.clone(), {}) != 0
    assert "takes 2 inputs" in aclnn.last_error()
    assert execute(acl, "Abs", [x], x.clone(), {}, fmt=29) != 0
    assert "storage format 29" in aclnn.last_error()
    assert (x + 1).sum().item() == pytest.approx((X + 1).sum().item())
