# SPDX-License-Identifier: Apache-2.0
"""What `import torch_npu` costs more on the twin than on libraries that only export the names.

The second kind is made here, from the names that ours export, and used for this one figure.
"""

import os
import re
import statistics
import subprocess
import sys

from common import BUILD, report

RUNS = 20
SCRIPT = "import torch, time; t = time.perf_counter(); import torch_npu; print(time.perf_counter() - t)"


def names_of(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return [line.split()[2].split("@")[0] for line in out.splitlines() if len(line.split()) == 3]


def needs_of(library):
    out = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", out)


def make_names_only(home, target):
    """A library of each SONAME in home/lib64 whose functions do nothing, with the same needs among them."""
    target.mkdir(parents=True, exist_ok=True)
    libraries = sorted((home / "lib64").glob("*.so"))
    ours = {library.name for library in libraries}
    for is_second in (False, True):  # what is needed must exist before it can be named
        for library in libraries:
            source = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names_of(library))
            needs = [f"-l:{name}" for name in needs_of(library) if name in ours and is_second]
            subprocess.run(
                ["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{library.name}", "-Wl,--no-as-needed",
                 f"-L{target}", "-Wl,-rpath,$ORIGIN", "-x", "c", "-", "-x", "none", *needs, "-o", target / library.name],
                input=source, text=True, check=True)


def import_ms(env):
    base = {"PATH": os.environ["PATH"], "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=base | env, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) * 1e3


def main():
    home = BUILD / "cann"
    names_only = BUILD / "bench" / "names_only"
    make_names_only(home, names_only)
    cann = {"ASCEND_HOME_PATH": str(home), "ASCEND_OPP_PATH": str(home / "opp")}
    twin, bare = [], []
    for _ in range(RUNS):
        twin.append(import_ms(cann | {"NPUTWIN": "1"}))
        bare.append(import_ms(cann | {"NPUTWIN": "0", "LD_LIBRARY_PATH": str(names_only)}))
    report(import_extra_ms=statistics.median(twin) - statistics.median(bare))


main()
