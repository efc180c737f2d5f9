# SPDX-License-Identifier: Apache-2.0
"""Makes `import torch_npu` find the twin.

nputwin.pth puts a finder first on sys.meta_path. It looks at one name, torch_npu, and costs a string
comparison for each other import; this module is read only when torch_npu is wanted. `import torch`
gets here too, through torch_npu's autoload entry point.

The libraries are loaded by full path before torch_npu's own: each has a SONAME, so the loader takes
them for torch_npu's DT_NEEDED entries and for what it opens by bare name, whatever LD_LIBRARY_PATH
says. Rule: nothing here prints, and with a real CANN or driver present nothing here happens.
"""

import ctypes
import importlib.machinery
import os

MARK = "nputwin.json"  # lies in every prefix of ours
DRIVER = "/dev/davinci_manager"
PRIVATE = "libnputwin_"  # libraries that ours load themselves, when torch is there


def is_twin(path):
    """Whether a directory is a prefix of ours (build/cann, or the one inside a wheel)."""
    return os.path.isfile(os.path.join(path, MARK))


def prefix():
    """The CANN-shaped tree in use: the one the environment names if it is ours, else the wheel's."""
    for name in ("NPUTWIN_HOME", "ASCEND_HOME_PATH"):
        home = os.environ.get(name)
        if home and is_twin(home):
            return os.path.realpath(home)
    return os.path.join(os.path.dirname(os.path.realpath(__file__)), "cann")


def is_wanted():
    """NPUTWIN=1 forces the twin, NPUTWIN=0 forbids it; unset: only without a real CANN or driver."""
    forced = os.environ.get("NPUTWIN", "")
    if forced:
        return forced != "0"
    home = os.environ.get("ASCEND_HOME_PATH")
    return not (home and not is_twin(home)) and not os.path.exists(DRIVER)


def set_environment(home):
    """What torch_npu demands together: both variables, each an existing directory. os.environ also
    changes the C environment, which libtorch_npu.so reads when it is loaded."""
    os.environ["ASCEND_HOME_PATH"] = home
    opp = os.environ.get("ASCEND_OPP_PATH")
    if not opp or not os.path.isdir(opp) or os.environ.get("NPUTWIN") == "1":
        os.environ["ASCEND_OPP_PATH"] = os.path.join(home, "opp")


def preload(home):
    """Loads every library, also those that operator packages link to, unless the process has it already
    (a C++ program that embeds Python). What they need of each other they find beside themselves."""
    directory = os.path.join(home, "lib64")
    for name in sorted(os.listdir(directory)):
        if name.endswith(".so") and not name.startswith(PRIVATE):
            try:
                ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            except OSError:
                ctypes.CDLL(os.path.join(directory, name), mode=os.RTLD_NOW)


def activate():
    home = prefix()
    set_environment(home)
    preload(home)


def find_spec(name):
    """The spec of torch_npu as Python itself finds it, with activate() before the module runs.
    Looking for the module alone (importlib.util.find_spec) loads nothing."""
    spec = importlib.machinery.PathFinder.find_spec(name)
    if spec is None or spec.loader is None or not is_wanted():
        return spec
    run = spec.loader.exec_module

    def exec_module(module):
        activate()
        run(module)

    spec.loader.exec_module = exec_module
    return spec
