# SPDX-License-Identifier: Apache-2.0
"""Graphs of torch.npu: what a capture keeps, replays with new inputs, shared memory, and what it refuses."""
import contextlib
import json
import re

import pytest
import torch
import torch_npu  # noqa: F401

DEVICE = "npu"


def capture(work, **options):
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, **options):
        assert torch.npu.is_current_stream_capturing()
        made = work()
    assert not torch.npu.is_current_stream_capturing()
    return graph, made


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_replay_with_changed_inputs(mode):
    x, w = torch.zeros(4, 8, device=DEVICE), torch.randn(8, 3, device=DEVICE)
    graph, y = capture(lambda: torch.relu(x @ w + 1).sum(1), capture_error_mode=mode)
    for _ in range(3):
        x.copy_(torch.randn(4, 8))
        graph.replay()
        torch.testing.assert_close(y.cpu(), torch.relu(x.cpu() @ w.cpu() + 1).sum(1))
    graph.reset()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_nothing_runs_while_captured():
    x = torch.ones(8, device=DEVICE)
    graph, _ = capture(lambda: x.add_(1))
    assert x.cpu().tolist() == [1.0] * 8
    for _ in range(3):
        graph.replay()
    assert x.cpu().tolist() == [4.0] * 8


def test_two_graphs_share_a_pool():
    x = torch.zeros(1024, device=DEVICE)
    first, y = capture(lambda: x * 2)
    second, z = capture(lambda: (y + 1).cumsum(0), pool=first.pool())
    assert first.pool() == second.pool()
    for value in (1.0, 3.0):
        x.fill_(value)
        for _ in range(8):  # memory of the pool is not given to anybody else
            torch.full((1024,), -1.0, device=DEVICE)
        first.replay()
        second.replay()
        assert z.cpu()[-1].item() == 1024 * (2 * value + 1)


def test_handle_of_a_pool():
    pool = torch.npu.graph_pool_handle()
    x = torch.ones(16, device=DEVICE)
    graphs = [capture(lambda: x * (i + 2), pool=pool) for i in range(3)]
    for i, (graph, y) in enumerate(graphs):
        graph.replay()
        assert y.cpu().tolist() == [i + 2.0] * 16


def test_streams_fork_and_join():
    x = torch.zeros(64, device=DEVICE)
    side = torch.npu.Stream()

    def work():
        main = torch.npu.current_stream()
        a = x + 1
        side.wait_stream(main)
        with torch.npu.stream(side):
            b = a * 10
        c = a * 3
        main.wait_stream(side)
        return b + c

    graph, y = capture(work)
    for value in (0.0, 4.0):
        x.fill_(value)
        graph.replay()
        assert y.cpu().tolist() == [(value + 1) * 13] * 64


def test_copies_of_pinned_memory():
    host_in, host_out = torch.zeros(32).pin_memory(), torch.zeros(32).pin_memory()
    x = torch.zeros(32, device=DEVICE)

    def work():
        x.copy_(host_in, non_blocking=True)
        host_out.copy_(x * 2, non_blocking=True)

    graph, _ = capture(work)
    for value in (3.0, 8.0):
        host_in.fill_(value)
        graph.replay()
        torch.npu.synchronize()
        assert host_out.tolist() == [2 * value] * 32


@pytest.mark.parametrize("draw", [
    lambda x: torch.rand(100, device=DEVICE), lambda x: torch.randn(100, device=DEVICE),
    lambda x: torch.randint(0, 1 << 20, (100,), device=DEVICE), lambda x: x.clone().random_(),
    lambda x: torch.nn.functional.dropout(x, 0.5), lambda x: torch.multinomial(x, 50)],
    ids=["rand", "randn", "randint", "random", "dropout", "multinomial"])
def test_random_numbers_go_on(draw):
    """Each replay draws what as many eager calls from the same seed would have drawn."""
    x = torch.ones(100, device=DEVICE)
    torch.npu.manual_seed(5)
    eager = [draw(x).cpu() for _ in range(3)]
    graph, y = capture(lambda: draw(x))
    torch.npu.manual_seed(5)
    drawn = []
    for _ in range(3):
        graph.replay()
        drawn.append(y.cpu())
    assert [torch.equal(a, b) for a, b in zip(drawn, eager)] == [True] * 3
    assert not torch.equal(drawn[0], drawn[1])


def test_graphed_callables_train():
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    plain = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    plain.load_state_dict(net.state_dict())
    net = net.to(DEVICE)
    graphed = torch.npu.make_graphed_callables(net, (torch.randn(5, 8, device=DEVICE),))
    steps = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (net, plain)]
    for _ in range(4):
        x = torch.randn(5, 8)
        losses = []
        for run, step, data in ((graphed, steps[0], x.to(DEVICE)), (plain, steps[1], x)):
            step.zero_grad()
            loss = run(data).square().mean()
            loss.backward()
            step.step()
            losses.append(loss.detach().cpu())
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
    for a, b in zip(net.parameters(), plain.parameters()):
        torch.testing.assert_close(a.detach().cpu(), b.detach(), rtol=1e-4, atol=1e-5)


def test_update_of_a_task_group():
    x, y, out = (torch.full((8,), v, device=DEVICE) for v in (1.0, 2.0, 0.0))
    update, event = torch.npu.Stream(), torch.npu.ExternalEvent()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        stream = torch.npu.current_stream()
        event.wait(stream)
        event.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        torch.add(x, y, out=out)
        group = torch.npu.graph_task_group_end(stream)
        doubled = out * 2
    for alpha in (1, 10, 100):
        graph.replay()
        with torch.npu.stream(update):
            torch.npu.graph_task_update_begin(update, group)
            torch.add(x, y, alpha=alpha, out=out)
            torch.npu.graph_task_update_end(update)
            event.record(update)
        torch.npu.synchronize()
        assert doubled.cpu().tolist() == [2 * (1.0 + 2 * alpha)] * 8


def test_print_from_inside(capfd):
    x = torch.zeros(2, device=DEVICE)

    def work():
        y = x + 1
        torch.ops.npu.print_npugraph_tensor(y, tensor_name="y")
        return y * 2

    graph, z = capture(work)
    for value in (1.0, 4.0):
        x.fill_(value)
        graph.replay()
        torch.npu.synchronize()
    assert z.cpu().tolist() == [10.0, 10.0]
    assert re.findall(r"y=tensor\(\[(\d)", capfd.readouterr().out) == ["2", "5"]


def test_dump(tmp_path):
    x = torch.ones(8, device=DEVICE)
    graph, _ = capture(lambda: x + 1)
    graph.debug_dump(str(tmp_path / "graph.json"))
    events = json.loads((tmp_path / "graph.json").read_text())
    assert any("aclnnAdd" in e["name"] and e["args"]["Task Type"] == "TASK" for e in events)
    assert all(re.fullmatch(r"stream\d+", e["tid"]) and e["ph"] == "X" for e in events)
    assert (tmp_path / "graph.aligned.json").exists()


# ---- what cannot be captured -------------------------------------------------------------------


@contextlib.contextmanager
def refused(match):
    """torch_npu leaves the capture's stream current when a capture fails; this puts the old one back."""
    with torch.npu.stream(torch.npu.current_stream()), pytest.raises(RuntimeError, match=match):
        yield


@pytest.mark.parametrize("act, code", [
    (lambda x: torch.npu.current_stream().synchronize(), 107027), (lambda x: torch.npu.synchronize(), 107027),
    (lambda x: x.cpu(), 107030), (lambda x: x.sum().item(), 107027), (lambda x: x.copy_(torch.ones(8)), 107030),
], ids=["stream", "device", "cpu", "item", "copy"])
def test_waiting_is_refused(act, code):
    x = torch.ones(8, device=DEVICE)
    graph = torch.npu.NPUGraph()
    with refused("107027"):
        with torch.npu.graph(graph):
            x.add_(1)
            with pytest.raises(RuntimeError, match=f"error code is {code}"):
                act(x)
    assert x.cpu().tolist() == [1.0] * 8  # nothing ran, and the device is usable
    again, y = capture(lambda: x + 1)
    again.replay()
    assert y.cpu().tolist() == [2.0] * 8


def test_default_stream_is_refused():
    graph = torch.npu.NPUGraph()
    with refused("non-default stream"):
        graph.capture_begin()


def test_stream_that_does_not_come_back():
    x, side = torch.ones(8, device=DEVICE), torch.npu.Stream()
    with refused("107025"):
        with torch.npu.graph(torch.npu.NPUGraph()):
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                x.add_(1)
    assert x.cpu().tolist() == [1.0] * 8
