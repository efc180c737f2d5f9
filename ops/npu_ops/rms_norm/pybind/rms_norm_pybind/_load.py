# SPDX-License-Identifier: Apache-2.0
"""What _C was built for, compared before it is opened.

C++ layouts change between versions of torch: a library that was built for another one may end the process while it
is opened.
"""
import json
import sysconfig
from importlib.metadata import version
from pathlib import Path

_LIBRARY = Path(__file__).resolve().parent / f"_C{sysconfig.get_config_var('EXT_SUFFIX')}"
_RECORD = Path(f"{_LIBRARY}.nputwin-build.json")
for _file in (_LIBRARY, _RECORD):
    if not _file.is_file():
        raise ImportError(
            f"{_file} is missing: this is the source folder. Build with `python setup.py bdist_wheel`, install the "
            "wheel from dist/, and run Python from another folder"
        )


def _refuse_another_torch(built):
    running = {name: version(name) for name in ("torch", "torch_npu")}
    if all(built[name].split(".")[:2] == running[name].split(".")[:2] for name in running):
        return
    raise ImportError(
        f"rms_norm_pybind was built for torch {built['torch']} / torch_npu {built['torch_npu']}, running torch "
        f"{running['torch']} / torch_npu {running['torch_npu']}: build it again here, or pip install "
        f"torch=={built['torch'].split('+')[0]} torch_npu=={built['torch_npu']}"
    )


_refuse_another_torch(json.loads(_RECORD.read_text()))
