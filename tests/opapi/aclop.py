# SPDX-License-Identifier: Apache-2.0
"""Calls single operators by GE type name (aclopCompileAndExecute) the way a C program does.

    outputs = run("Add", [x, y], [expected_like], base=2.0)

Tensors are torch tensors on the CPU, of any type: their bytes travel to device memory and back.
"""
import ctypes

import torch

import aclnn

DEVICE, HOST = 0, 1


class Row(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char_p), ("missing", ctypes.c_char_p), ("inputs", ctypes.c_char_p),
                ("outputs", ctypes.c_char_p), ("attrs", ctypes.c_char_p), ("types", ctypes.c_uint64)]


class Refused(RuntimeError):
    """The call was not queued; code is its aclError."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


def rows():
    """type -> (is full, inputs, outputs, attributes, data types)"""
    lib = ctypes.CDLL("libopapi.so")
    lib.npu_aclop_row.restype = ctypes.POINTER(Row)
    found = {}
    while row := lib.npu_aclop_row(len(found)):
        r = row.contents
        found[r.type.decode()] = (r.missing is None, r.inputs.decode(), r.outputs.decode(), r.attrs.decode(),
                                  [t for t, n in aclnn.DTYPES.items() if r.types >> n & 1])
    return found


def acl():
    torch.zeros(1, device="npu")  # the device is set up
    lib = ctypes.CDLL("libascendcl.so")
    for name in ("aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr"):
        getattr(lib, name).restype = ctypes.c_void_p
    return lib


def bytes_of(t):
    return torch.empty(0, dtype=torch.uint8).set_(t.detach().clone().contiguous().untyped_storage())


def attributes(lib, values):
    attr = ctypes.c_void_p(lib.aclopCreateAttr())
    for name, v in values.items():
        name = name.encode()
        if isinstance(v, bool):
            lib.aclopSetAttrBool(attr, name, ctypes.c_uint8(v))
        elif isinstance(v, int):
            lib.aclopSetAttrInt(attr, name, ctypes.c_int64(v))
        elif isinstance(v, float):
            lib.aclopSetAttrFloat(attr, name, ctypes.c_float(v))
        elif isinstance(v, str):
            lib.aclopSetAttrString(attr, name, v.encode())
        elif isinstance(v, torch.dtype):
            lib.aclopSetAttrDataType(attr, name, aclnn.DTYPES[v])
        else:
            lib.aclopSetAttrListInt(attr, name, len(v), aclnn.int64s(v))
    return attr


def describe(lib, tensors, memory, places, names, fmt):
    n = max(1, len(tensors))
    descs, buffers = (ctypes.c_void_p * n)(), (ctypes.c_void_p * n)()
    for i, t in enumerate(tensors):
        if t is None:
            descs[i] = lib.aclCreateTensorDesc(-1, 0, None, -1)
            buffers[i] = lib.aclCreateDataBuffer(None, ctypes.c_size_t(0))
            continue
        descs[i] = lib.aclCreateTensorDesc(aclnn.DTYPES[t.dtype], t.dim(), aclnn.int64s(t.shape), fmt)
        buffers[i] = lib.aclCreateDataBuffer(ctypes.c_void_p(memory[i].data_ptr()),
                                             ctypes.c_size_t(t.numel() * t.element_size()))
        if places[i] == HOST:
            lib.aclSetTensorPlaceMent(ctypes.c_void_p(descs[i]), HOST)
        if names:
            lib.aclSetTensorDescName(ctypes.c_void_p(descs[i]), names[i].encode())
    return descs, buffers


def shape_of(lib, desc):
    """What the caller of aclopCompileAndExecuteV2 reads behind the call."""
    size = ctypes.c_int64()
    shape = []
    for i in range(lib.aclGetTensorDescNumDims(ctypes.c_void_p(desc))):
        assert lib.aclGetTensorDescDimV2(ctypes.c_void_p(desc), ctypes.c_size_t(i), ctypes.byref(size)) == 0
        shape.append(size.value)
    return shape


def run(op_type, inputs, outputs, *, host=(), names=None, fmt=2, spoil=False, shaped=False, **attrs):
    """host: numbers of the inputs in host memory; spoil: overwrite them once the call is queued;
    shaped: outputs are lists with room for more, and the operator says their shapes."""
    lib, compiler = acl(), ctypes.CDLL("libacl_op_compiler.so")
    execute = compiler.aclopCompileAndExecuteV2 if shaped else compiler.aclopCompileAndExecute
    if shaped:
        outputs = [torch.zeros(t.numel() + 3, dtype=t.dtype) for t in outputs]
    torch.npu.synchronize()
    places = [HOST if i in host else DEVICE for i in range(len(inputs))]
    memory = [t if t is None else bytes_of(t) if p == HOST else bytes_of(t).npu() for t, p in zip(inputs, places)]
    written = [bytes_of(torch.full_like(t, 7 if t.dtype != torch.bool else 0)).npu() for t in outputs]
    torch.npu.synchronize()
    in_descs, in_buffers = describe(lib, inputs, memory, places, names, fmt)
    out_descs, out_buffers = describe(lib, outputs, written, [DEVICE] * len(outputs), None, fmt)
    code = execute(op_type.encode(), len(inputs), in_descs, in_buffers, len(outputs), out_descs, out_buffers,
                   attributes(lib, attrs), 0, 0, None, None)
    if code:
        raise Refused(code, aclnn.last_error())
    if spoil:
        for i in host:
            memory[i].zero_()
    torch.npu.synchronize()
    shapes = [shape_of(lib, d) if shaped else t.shape for d, t in zip(out_descs, outputs)]
    return [torch.empty(0, dtype=t.dtype).set_(w.cpu().untyped_storage(), 0, shape) for t, w, shape in
            zip(outputs, written, shapes)]
