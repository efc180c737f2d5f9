# SPDX-License-Identifier: Apache-2.0
"""CubeResGroupHandle: vector cores post messages, cube cores of a group compute what they say."""

import pytest


@pytest.fixture(scope="module")
def group(tmp_path_factory, prefix):
    from test_matmul import build
    return build(tmp_path_factory, prefix, "group")


@pytest.fixture
def run(cc, group):
    def go(how, expect=0, **env):
        return cc.run(group, how, env={"LD_LIBRARY_PATH": str(cc.prefix / "lib64")} | env, expect=expect).stdout
    return go


@pytest.mark.parametrize("order", ["program", "lazy", "random:3"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_messages_are_computed(run, order, threads):
    """Six messages through queues of four; two groups of one launch; a vector core that sends false messages."""
    assert run(0, NPUTWIN_ORDER=order, NPUTWIN_THREADS=threads) == "0 wrong; 1 1 1 1 1 1 1 0\n"


@pytest.mark.parametrize("how, words", [
    (1, ["CubeResGroupHandle: blockStart 0 and blockSize 4 are even, msgQueueSize 1 gives each of 2 cube cores a queue"]),
    (2, ["AssignQueue(9): the group has 5 queues"]),
    (3, ["PostMessage: head.msgState is 0", "CubeMsgState::VALID"]),
    (4, ["Call has returned without FreeMessage of the message in queue 3"]),
    (5, ["CubeResGroupHandle waits for ever: the state of the message at"])])
def test_what_is_refused(run, how, words):
    out = run(how, expect=1)
    assert all(word in out for word in words) and "group.asc:" in out
