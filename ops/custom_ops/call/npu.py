# SPDX-License-Identifier: Apache-2.0
"""npu - aclnn functions of an installed package, called from Python without torch.

The library is named by its path; arrays are numpy's, copied to the device and back.
"""
import ctypes
import ctypes.util

import numpy as np

TYPES = {np.dtype("f4"): 0, np.dtype("f2"): 1, np.dtype("i4"): 3, np.dtype("i8"): 9, np.dtype("u4"): 8}
P, U64, I64 = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int64

acl = ctypes.CDLL("libascendcl.so", mode=ctypes.RTLD_GLOBAL)
opapi = ctypes.CDLL("libopapi.so", mode=ctypes.RTLD_GLOBAL)
for maker in ("Tensor", "TensorList", "IntArray", "FloatArray", "Scalar", "ScalarList"):
    getattr(opapi, f"aclCreate{maker}").restype = P
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
assert acl.aclrtSetDevice(0) == 0


class Refused(Exception):
    """Phase one or two returned an error: code and text."""

    def __init__(self, code):
        self.code, self.text = code, (acl.aclGetRecentErrMsg() or b"").decode()
        super().__init__(f"{code}: {self.text}")


def good(code):
    if code:
        raise Refused(code)


class Array:
    """numpy's array on the device; view: (shape, strides in elements) of a part of it."""

    def __init__(self, data, view=None):
        self.data = np.array(data, order="C")  # a copy: numpy() writes into it
        self.memory = P()
        good(acl.aclrtMalloc(ctypes.byref(self.memory), U64(max(self.data.nbytes, 32)), 0))
        self.copy(self.memory, self.data.ctypes.data, 1)
        shape, strides = view or (self.data.shape, [s // self.data.itemsize for s in self.data.strides])
        dims = (I64 * len(shape))(*shape)
        self.handle = P(opapi.aclCreateTensor(
            dims, U64(len(shape)), TYPES[self.data.dtype], (I64 * len(strides))(*strides), I64(0), 2,
            dims, U64(len(shape)), self.memory))

    def copy(self, to, source, kind):
        if self.data.nbytes:
            good(acl.aclrtMemcpy(P(to.value if isinstance(to, P) else to), U64(self.data.nbytes),
                                 P(source.value if isinstance(source, P) else source), U64(self.data.nbytes), kind))

    def shape(self):
        """Of the handle: an operator may have set it."""
        dims, n = ctypes.POINTER(I64)(), U64()
        good(opapi.aclGetViewShape(self.handle, ctypes.byref(dims), ctypes.byref(n)))
        return [dims[i] for i in range(n.value)]

    def numpy(self):
        good(acl.aclrtSynchronizeDevice())
        self.copy(self.data.ctypes.data, self.memory, 2)
        return self.data


def ints(*values):
    return P(opapi.aclCreateIntArray((I64 * len(values))(*values), U64(len(values))))


def tensors(*arrays):
    return P(opapi.aclCreateTensorList((P * len(arrays))(*[a.handle if a else None for a in arrays]), U64(len(arrays))))


def scalar(value, kind="f4"):
    data = np.array([value], kind)
    return P(opapi.aclCreateScalar(P(data.ctypes.data), TYPES[data.dtype]))


def scalars(*values):
    return P(opapi.aclCreateScalarList((P * len(values))(*[scalar(v) for v in values]), U64(len(values))))


class Op:
    """An operator of a package: phases alone, or both."""

    def __init__(self, library, name):
        self.library = ctypes.CDLL(library)
        self.size, self.run = self.library[f"{name}GetWorkspaceSize"], self.library[name]

    def prepare(self, *args):
        n, executor = U64(), P()
        words = [a.handle if isinstance(a, Array) else ctypes.c_double(a) if isinstance(a, float) else
                 I64(a) if type(a) is int else a for a in args]
        good(self.size(*words, ctypes.byref(n), ctypes.byref(executor)))
        return n.value, executor

    def launch(self, n, executor, workspace=None, stream=None):
        good(self.run(workspace, U64(n), executor, stream))

    def __call__(self, *args):
        n, executor = self.prepare(*args)
        workspace = P()
        if n:
            good(acl.aclrtMalloc(ctypes.byref(workspace), U64(n), 0))
        self.launch(n, executor, workspace)
        good(acl.aclrtSynchronizeDevice())
        if n:
            good(acl.aclrtFree(workspace))
        return n


def aclop(name, inputs, outputs, v2=False, **attributes):
    """The older door: an operator by its OP_ADD name; None is an optional input that is absent.

    v2: aclopCompileAndExecuteV2; returns the shapes of the outputs that it hands back.
    """
    compiler = ctypes.CDLL("libacl_op_compiler.so")
    for f in ("aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr"):
        getattr(acl, f).restype = P
    attr = P(acl.aclopCreateAttr())
    for key, value in attributes.items():
        if isinstance(value, bool):
            good(acl.aclopSetAttrBool(attr, key.encode(), ctypes.c_uint8(value)))
        elif isinstance(value, float):
            good(acl.aclopSetAttrFloat(attr, key.encode(), ctypes.c_float(value)))
        elif isinstance(value, int):
            good(acl.aclopSetAttrInt(attr, key.encode(), I64(value)))
        elif isinstance(value, str):
            good(acl.aclopSetAttrString(attr, key.encode(), value.encode()))
        else:
            good(acl.aclopSetAttrListInt(attr, key.encode(), len(value), (I64 * len(value))(*value)))

    def desc(a):
        if a is None:
            return P(acl.aclCreateTensorDesc(-1, 0, None, -1))
        return P(acl.aclCreateTensorDesc(TYPES[a.data.dtype], a.data.ndim, (I64 * a.data.ndim)(*a.data.shape), 2))

    def buffer(a):
        return P(acl.aclCreateDataBuffer(a.memory if a else None, ctypes.c_size_t(a.data.nbytes if a else 0)))

    words = []
    for side in (inputs, outputs):
        words += [len(side), (P * len(side))(*map(desc, side)), (P * len(side))(*map(buffer, side))]
    run = compiler.aclopCompileAndExecuteV2 if v2 else compiler.aclopCompileAndExecute
    good(run(name.encode(), *words, attr, 0, 0, None, None))
    good(acl.aclrtSynchronizeDevice())

    def shape(d):
        size = I64()
        return [acl.aclGetTensorDescDimV2(P(d), ctypes.c_size_t(k), ctypes.byref(size)) or size.value
                for k in range(acl.aclGetTensorDescNumDims(P(d)))]
    return [shape(d) for d in words[4]] if v2 else None
