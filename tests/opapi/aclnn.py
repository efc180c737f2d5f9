# SPDX-License-Identifier: Apache-2.0
"""Calls aclnn operators of libopapi.so the way a C program does, from Python values.

    run("aclnnAdd", x, y, 1, out)         x, y, out: tensors on the npu; 1 becomes an aclScalar

The kinds of the parameters come from the library's own rows; the types of the C prototype follow.
"""
import ctypes
import functools

import torch

DTYPES = {
    torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6,
    torch.uint16: 7, torch.uint32: 8, torch.int64: 9, torch.uint64: 10, torch.float64: 11,
    torch.bool: 12, torch.complex64: 16, torch.complex128: 17, torch.bfloat16: 27,
}
KINDS = ["t", "T", "s", "ia", "ba", "fa", "tl", "TL", "sl", "i64", "i32", "i8", "u64", "bool", "double",
         "float", "str", "dt"]
PLAIN = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "i8": ctypes.c_int8, "u64": ctypes.c_uint64,
         "bool": ctypes.c_bool, "double": ctypes.c_double, "float": ctypes.c_float, "dt": ctypes.c_int32}


class Param(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_uint8), ("optional", ctypes.c_bool),
                ("types", ctypes.c_uint64)]


class Row(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("schema", ctypes.c_char_p), ("native", ctypes.c_void_p),
                ("check", ctypes.c_void_p), ("params", ctypes.POINTER(Param)), ("maps", ctypes.c_void_p),
                ("n_params", ctypes.c_uint16), ("n_maps", ctypes.c_uint16), ("flags", ctypes.c_uint8),
                ("rule", ctypes.c_uint8)]


class Refused(RuntimeError):
    """The first phase said no; code is its status."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


@functools.cache
def library():
    lib = ctypes.CDLL("libopapi.so")
    lib.npu_opapi_rows.restype = ctypes.POINTER(Row)
    lib.npu_opapi_calls.restype = ctypes.c_uint64
    for name in ("Tensor", "Scalar", "IntArray", "BoolArray", "FloatArray", "TensorList", "ScalarList"):
        getattr(lib, "aclCreate" + name).restype = ctypes.c_void_p
    return lib


@functools.cache
def rows():
    """name -> (index, [(parameter, kind, optional)])"""
    lib = library()
    n = ctypes.c_uint32()
    table = lib.npu_opapi_rows(ctypes.byref(n))
    return {table[i].name.decode(): (i, [(table[i].params[k].name.decode(), KINDS[table[i].params[k].kind],
                                          table[i].params[k].optional) for k in range(table[i].n_params)])
            for i in range(n.value)}


def types(lib=None):
    """name -> [data types that the documentation of each parameter lists]; [] when it lists none"""
    lib = lib or library()
    n = ctypes.c_uint32()
    table = lib.npu_opapi_rows(ctypes.byref(n))
    return {table[i].name.decode(): [[t for t, k in DTYPES.items() if table[i].params[p].types >> k & 1]
                                     for p in range(table[i].n_params)] for i in range(n.value)}


def schemas(lib=None):
    lib = lib or library()
    n = ctypes.c_uint32()
    table = lib.npu_opapi_rows(ctypes.byref(n))
    return {table[i].name.decode(): (table[i].schema or b"").decode() for i in range(n.value)}


def launches(lib=None):
    lib = lib or library()
    return {name: lib.npu_opapi_calls(i) for name, (i, _) in rows().items()}


def last_error():
    lib = ctypes.CDLL("libascendcl.so")
    lib.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return (lib.aclGetRecentErrMsg() or b"").decode()


def int64s(values):
    return (ctypes.c_int64 * max(1, len(values)))(*values)


def make_tensor(lib, t):
    n = t.dim()
    storage = t.untyped_storage()
    return ctypes.c_void_p(lib.aclCreateTensor(
        int64s(t.shape), ctypes.c_uint64(n), DTYPES[t.dtype], int64s(t.stride()),
        ctypes.c_int64(t.storage_offset()), 2, int64s([storage.nbytes() // t.element_size()]),
        ctypes.c_uint64(1), ctypes.c_void_p(storage.data_ptr())))


def make_scalar(lib, v):
    if isinstance(v, bool):
        return ctypes.c_void_p(lib.aclCreateScalar(ctypes.byref(ctypes.c_bool(v)), 12))
    if isinstance(v, int):
        return ctypes.c_void_p(lib.aclCreateScalar(ctypes.byref(ctypes.c_int64(v)), 9))
    return ctypes.c_void_p(lib.aclCreateScalar(ctypes.byref(ctypes.c_double(v)), 11))


def make(lib, kind, v):
    """The argument in its C type, and what to destroy it with."""
    if kind in PLAIN:
        return PLAIN[kind](DTYPES.get(v, v)), None
    if v is None:
        return ctypes.c_void_p(), None
    if kind == "str":
        return ctypes.c_char_p(v.encode()), None
    if kind in "tT":
        return make_tensor(lib, v), lib.aclDestroyTensor
    if kind == "s":
        return make_scalar(lib, v), lib.aclDestroyScalar
    if kind in ("tl", "TL"):
        items = (ctypes.c_void_p * max(1, len(v)))(*[make_tensor(lib, x) if x is not None else None for x in v])
        return ctypes.c_void_p(lib.aclCreateTensorList(items, ctypes.c_uint64(len(v)))), lib.aclDestroyTensorList
    if kind == "sl":
        items = (ctypes.c_void_p * max(1, len(v)))(*[make_scalar(lib, x) for x in v])
        return ctypes.c_void_p(lib.aclCreateScalarList(items, ctypes.c_uint64(len(v)))), lib.aclDestroyScalarList
    name, item = {"ia": ("IntArray", ctypes.c_int64), "ba": ("BoolArray", ctypes.c_bool),
                  "fa": ("FloatArray", ctypes.c_float)}[kind]
    items = (item * max(1, len(v)))(*v)
    return ctypes.c_void_p(getattr(lib, "aclCreate" + name)(items, ctypes.c_uint64(len(v)))), \
        getattr(lib, "aclDestroy" + name)


def view_shape(lib, handle):
    dims, n = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
    assert lib.aclGetViewShape(handle, ctypes.byref(dims), ctypes.byref(n)) == 0
    shape = [dims[i] for i in range(n.value)]
    ctypes.CDLL(None).free(dims)
    return shape


def run(name, *values):
    """Both phases and a synchronise. Returns the view shapes of the written tensors afterwards."""
    lib = library()
    params = rows()[name][1]
    assert len(params) == len(values), f"{name} has {len(params)} parameters: {params}"
    torch.npu.synchronize()
    made = [make(lib, kind, v) for (_, kind, _), v in zip(params, values)]
    workspace, executor = ctypes.c_uint64(99), ctypes.c_void_p()
    try:
        code = getattr(lib, name + "GetWorkspaceSize")(*[m[0] for m in made], ctypes.byref(workspace),
                                                       ctypes.byref(executor))
        if code:
            raise Refused(code, last_error())
        assert workspace.value == 0
        code = getattr(lib, name)(None, ctypes.c_uint64(0), executor, None)
        if code:
            raise RuntimeError(f"{name}: {code} {last_error()}")
        torch.npu.synchronize()
        return [view_shape(lib, m[0]) for m, (_, kind, _) in zip(made, params) if kind == "T" and m[0].value]
    finally:
        for handle, destroy in made:
            if destroy:
                destroy(handle)
