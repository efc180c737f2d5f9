# SPDX-License-Identifier: Apache-2.0
"""How long bisheng takes for a vector add with its host main, which then runs and checks itself."""

import subprocess

from common import BUILD, ROOT, report, seconds


def main():
    program = BUILD / "bench" / "add_main"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = ["bisheng", "-x", "asc", "--npu-arch=dav-2201", ROOT / "bench/kernels/add_main.asc", "-o", program]
    least = min(seconds(lambda: subprocess.run(command, check=True)) for _ in range(3))
    subprocess.run(["nputwin", "run", "--", program], check=True, stdout=subprocess.DEVNULL)
    report(compile_add_s=least)


main()
