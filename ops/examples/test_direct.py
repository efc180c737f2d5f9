# SPDX-License-Identifier: Apache-2.0
"""examples/direct: bisheng alone builds each file, and its main finds every element right; then that it can find one wrong."""
import subprocess
from pathlib import Path

import pytest

DIRECT = Path(__file__).resolve().parent / "direct"
KERNELS_IN_C = sorted((DIRECT / "c").glob("*.c"))
CHIPS = {"dav-2201": ("Ascend910B2", "Ascend910_9391"), "dav-3510": ("Ascend950PR_9599",)}


def compile_file(source, arch, cann, out):
    run = subprocess.run(["bisheng", "-x", "asc", f"--npu-arch={arch}", "-O2", str(source), "-o", str(out)], env=cann,
                         text=True, capture_output=True, timeout=300)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr[-3000:]


# Not on dav-3510: the C API works on registers there, and cube cores are another kind.
A2_AND_A3 = {"add_custom_c", "hifloat8_encode_c", "matmul_leakyrelu"}
PAIRS = [(source, arch) for source in sorted(DIRECT.glob("*.asc")) for arch in CHIPS
         if arch == "dav-2201" or source.stem not in A2_AND_A3]


@pytest.mark.parametrize("source,arch", PAIRS, ids=lambda p: getattr(p, "stem", p))
def test_builds_and_agrees(source, arch, cann, tmp_path):
    compile_file(source, arch, cann, tmp_path / "main")
    for soc in CHIPS[arch]:
        run = subprocess.run([tmp_path / "main"], env=cann | {"NPUTWIN_SOC": soc}, text=True, capture_output=True, timeout=120)
        assert (run.returncode, run.stderr) == (0, ""), (soc, run.stderr)
        lines = run.stdout.splitlines()
        assert lines and all(line.startswith("0 of ") and line.endswith(" elements wrong") for line in lines)


WORDS = r"""
#include <stdint.h>
#define __vector__
#define __global__
#define __aicore__
#define __gm__
#define __ubuf__
typedef _Float16 half;
typedef struct { uint16_t bits; } bfloat16_t;
typedef enum { PIPE_V, PIPE_MTE2, PIPE_MTE3 } pipe_t;
int64_t asc_get_block_num(void);
int64_t asc_get_block_idx(void);
void asc_init(void);
void asc_sync_notify(pipe_t from, pipe_t to, int id);
void asc_sync_wait(pipe_t from, pipe_t to, int id);
void asc_copy_gm2ub_align(void *dst, const void *src, uint32_t size);
void asc_copy_ub2gm_align(void *dst, const void *src, uint32_t size);
void asc_add(half *dst, const half *src0, const half *src1, uint32_t count);
void asc_mul_scalar_s32(int32_t *dst, const int32_t *src, int32_t value, uint32_t count);
void asc_mul_scalar_f32(float *dst, const float *src, float value, uint32_t count);
#define asc_mul_scalar(dst, ...) _Generic((dst), int32_t *: asc_mul_scalar_s32, float *: asc_mul_scalar_f32)(dst, __VA_ARGS__)
void asc_shiftright(uint32_t *dst, const uint32_t *src, uint32_t bits, uint32_t count);
void asc_half2float(float *dst, const half *src, uint32_t count);
void asc_bfloat162float(float *dst, const bfloat16_t *src, uint32_t count);
void asc_gather(half *dst, const half *src, const uint32_t *offset, uint32_t count);
void asc_half2uint8_rn(uint8_t *dst, const half *src, uint32_t count);
"""


@pytest.mark.parametrize("source", KERNELS_IN_C, ids=lambda p: p.stem)
def test_is_c17(source, tmp_path):
    """A C compiler takes the kernels: words of the language as nothing, one prototype for each call of the API."""
    (tmp_path / "c_api").mkdir()
    (tmp_path / "c_api/asc_simd.h").write_text(WORDS)
    run = subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Wconversion", "-Wstrict-prototypes", "-Werror", "-fsyntax-only",
                          f"-I{tmp_path}", "-Wno-missing-prototypes", str(source)], text=True, capture_output=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_kernel_in_c_has_its_main():
    assert [p.stem for p in KERNELS_IN_C if not (DIRECT / f"{p.stem}_c.asc").is_file()] == []


def test_finds_a_wrong_element(cann, tmp_path):
    """The same main, expecting one element to be larger: exit code 1, and the element is named."""
    text = (DIRECT / "add_custom.asc").read_text().replace('"../../npu_ops', f'"{DIRECT}/../../npu_ops')
    changed = text.replace("return Compare(", "want[5] += 1.0f;\n    return Compare(")
    assert changed != text
    (tmp_path / "device.h").write_text((DIRECT / "device.h").read_text())
    (tmp_path / "add_custom.asc").write_text(changed)
    compile_file(tmp_path / "add_custom.asc", "dav-2201", cann, tmp_path / "main")
    run = subprocess.run([tmp_path / "main"], env=cann, text=True, capture_output=True, timeout=120)
    assert run.returncode == 1 and run.stdout.startswith("1 of ") and "element 5 is" in run.stderr
