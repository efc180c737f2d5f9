# SPDX-License-Identifier: Apache-2.0
"""What the tests of all operators share: npu:0, and comparisons of bits, without any tolerance."""
import doctest
import json
import subprocess
import sys
import unittest

import torch
import torch_npu  # noqa: F401


PARTING = """
import json, os, sys, torch, torch_npu
for setting in json.loads(sys.argv[1]):
    print("--", flush=True)
    if os.fork() == 0:
        os.environ.update(setting)
        exec(sys.argv[2])
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1] != 0:
        sys.exit(f"with {setting}")
"""


def run_with(settings, program):
    """What `program` prints in a process for each of the settings of the environment: a list of lines for each.

    The processes part when torch is imported, which takes longer than most programs, and the device not yet open.
    """
    run = subprocess.run([sys.executable, "-c", PARTING, json.dumps(settings), program], text=True, capture_output=True, timeout=600)
    assert run.returncode == 0, run.stderr[-2000:]
    return [said.splitlines() for said in run.stdout.split("--\n")[1:]]


class NpuCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.npu.set_device(0)

    def same(self, got, want, what=""):
        got, want = got.cpu(), want.cpu()
        self.assertEqual(got.shape, want.shape, what)
        self.assertEqual(got.dtype, want.dtype, what)
        wrong = (got != want).nonzero()
        self.assertEqual(len(wrong), 0, f"{what}: {len(wrong)} differ, first at {wrong[:1].tolist()}")

    def refuses(self, said, call, *args):
        with self.assertRaises((RuntimeError, ValueError, NotImplementedError)) as caught:
            call(*args)
        self.assertRegex(str(caught.exception), said)

    def one_graph(self, call, inputs):
        """What `call`, compiled as a whole, gives for each of the inputs: one graph serves all of them."""
        graphs = []

        def keep(graph, _):
            graphs.append(graph)
            return graph.forward

        torch._dynamo.reset()
        compiled = torch.compile(call, backend=keep, dynamic=True, fullgraph=True)
        results = [compiled(x) for x in inputs]
        self.assertEqual(len(graphs), 1)
        return results

    def examples_hold(self, module, n):
        """The n lines with >>> in the docstrings of a module print what stands under them."""
        flags = doctest.NORMALIZE_WHITESPACE
        result = doctest.testmod(module, optionflags=flags)
        self.assertEqual((result.failed, result.attempted), (0, n))
