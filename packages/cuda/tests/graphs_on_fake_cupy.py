"""Tests of CUDA graphs with a stand-in for CuPy: run by test_on_fake_cupy.py, in a process of their own."""

from __future__ import annotations

import re

import fake_cupy
import pytest
import stand_ins
import wengert as torch
from wengert import nn
from wengert_core.devices import device as devices
from wengert_core.extend import CaptureError

stand_ins.install()


@pytest.fixture(autouse=True)
def _calls():
    fake_cupy.CALLS.clear()
    yield
    assert not fake_cupy.NODES


def capture(function, **options):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, **options):
        result = function()
    return graph, result


def test_a_replay_sees_new_arguments():
    x = torch.arange(3.0, device="cuda")
    graph, y = capture(lambda: x.softmax(0) * 2 + x.exp().sum())
    for values in ([1.0, 2.0, 3.0], [0.0, -1.0, 5.0]):
        x.copy_(torch.tensor(values))
        graph.replay()
        expected = torch.tensor(values)
        torch.testing.assert_close(y.cpu(), expected.softmax(0) * 2 + expected.exp().sum())
    assert "launch" in fake_cupy.CALLS


def test_a_training_step_is_that_of_the_cpu():
    results = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        x = torch.randn(5, 3).to(device)
        model.to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1, capturable=device == "cuda")

        def step():
            optimizer.zero_grad(set_to_none=False)  # noqa: B023
            loss = (model(x) ** 2).mean()  # noqa: B023
            loss.backward()
            optimizer.step()  # noqa: B023
            return loss

        step()
        run = capture(step)[0].replay if device == "cuda" else step
        for _ in range(3):
            run()
        results.append([p.detach().cpu() for p in model.parameters()])
    for expected, got in zip(*results, strict=True):
        torch.testing.assert_close(got, expected)


def test_memory_of_a_capture_is_the_graphs():
    x = torch.ones(3, device="cuda")
    pool = torch.cuda.graph_pool_handle()
    graph, y = capture(lambda: x + 1, pool=pool)
    assert graph.pool() is pool
    assert "malloc of a graph" in fake_cupy.CALLS
    fake_cupy.CALLS.clear()
    torch.ones(3, device="cuda")
    assert "malloc of a graph" not in fake_cupy.CALLS
    graph.replay()
    assert y.tolist() == [2, 2, 2]


def test_random_numbers_are_drawn_by_each_replay():
    generator = torch.Generator("cuda").manual_seed(3)
    graph, y = capture(lambda: torch.rand(4, device="cuda", generator=generator))
    found = []
    for _ in range(2):
        graph.replay()
        found.append(y.tolist())
    generator.manual_seed(3)
    assert found == [torch.rand(4, device="cuda", generator=generator).tolist() for _ in range(2)]


def test_numbers_of_the_host_are_constants():
    x = torch.zeros(3, device="cuda")
    graph, y = capture(lambda: x + torch.arange(3, device="cuda"))
    graph.replay()
    assert y.tolist() == [0, 1, 2]


@pytest.mark.parametrize("call", [
    lambda x: x.tolist(), lambda x: torch.tensor([1.0], device="cuda"), lambda x: torch.cuda.synchronize(),
    lambda x: x.cpu(), lambda x: torch.cuda.empty_cache(), lambda x: capture(lambda: x),
])  # fmt: skip
def test_what_waits_is_refused(call):
    x = torch.ones(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(CaptureError, match="operation not permitted when stream is capturing"), \
            torch.cuda.graph(graph):  # fmt: skip
        call(x)
    assert not torch.cuda.is_current_stream_capturing()
    with torch.cuda.graph(graph):  # everything can be used
        assert torch.cuda.is_current_stream_capturing()
        y = x * 3
    graph.replay()
    assert y.tolist() == [3, 3, 3]


def test_pinned_memory_is_read_by_each_replay():
    host = torch.ones(3).pin_memory("cuda")
    x = torch.zeros(3, device="cuda")
    graph, _ = capture(lambda: x.copy_(host, non_blocking=True))
    for value in (1.0, 5.0):
        host.fill_(value)
        graph.replay()
        assert x.tolist() == [value] * 3


def test_graphed_callables():
    model = nn.Linear(3, 2).to("cuda")
    reference = nn.Linear(3, 2).to("cuda")
    reference.load_state_dict(model.state_dict())
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(4, 3, device="cuda", requires_grad=True),))
    x = torch.randn(4, 3).to("cuda")
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    for run, one in zip((graphed, reference), inputs, strict=True):
        (run(one) ** 2).sum().backward()
    torch.testing.assert_close(inputs[0].grad.cpu(), inputs[1].grad.cpu())
    torch.testing.assert_close(model.weight.grad.cpu(), reference.weight.grad.cpu())


def test_the_handle_of_a_graph():
    graph, _ = capture(lambda: torch.ones(2, device="cuda"))
    assert graph.raw_cuda_graph_exec() == fake_cupy.Graph.graphExec


def test_a_captured_function_is_a_graph():
    w = torch.ones(3, device="cuda", requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run, host = torch.capture(step), torch.ones(3)
    for k in range(5):
        x = torch.tensor([1.0, 2.0, float(k)])
        assert abs(run(x.cuda()).item() - (host * x).square().sum().item()) < 1e-4
        host -= 0.1 * 2 * host * x * x
        torch.testing.assert_close(w.detach().cpu(), host)
    assert torch.replay.explain(run).replays >= 2
    assert "launch" in fake_cupy.CALLS


@pytest.mark.parametrize("validate", [False, True])
def test_numbers_that_python_reads(validate):
    w, counted = torch.ones(2, device="cuda"), torch.zeros(2, device="cuda")

    def root(x):
        counted.add_(1)
        y, n = x * w, 0
        while ((y * y - x).abs() > 1e-3 * x).any():
            y, n = (y + x / y) / 2, n + 1
            w.mul_(2)
        w.fill_(1)
        return y + torch.rand(2, device="cuda"), n

    seen = []
    for function in (root, torch.capture(root, validate=validate)):
        torch.manual_seed(0)
        counted.zero_()
        for value in (2.0, 9.0, 2.0, 100.0, 9.0, 2.0, 100.0):
            result, n = function(torch.tensor([value, 3.0]).cuda())
            seen.append((result.tolist(), n, w.tolist(), w._version - n, counted.tolist()))
    half = len(seen) // 2
    assert [one[:3] + one[4:] for one in seen[:half]] == [one[:3] + one[4:] for one in seen[half:]]
    assert torch.replay.explain(function).replays >= 3


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_modes_of_a_capture(mode):
    x = torch.ones(3, device="cuda")
    graph, y = capture(lambda: x @ x + 1, capture_error_mode=mode)
    graph.replay()
    assert y.item() == 4


def test_a_capture_that_cannot_begin_leaves_nothing(monkeypatch):
    plugin = devices.plugin_of("cuda")
    plugin.handles.reason(0)
    free = len(plugin.handles.free[0])

    def refuse(self, mode=None):
        raise RuntimeError("cudaErrorStreamCaptureUnsupported")

    with monkeypatch.context() as patch:
        patch.setattr(fake_cupy.Stream, "begin_capture", refuse)
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            capture(lambda: 1)
    assert (plugin.captures, len(plugin.handles.free[0])) == (0, free)
    assert not torch.cuda.is_current_stream_capturing()
    test_modes_of_a_capture("global")


def test_streams_and_events_inside_of_a_capture():
    x, side = torch.ones(3, device="cuda"), torch.cuda.Stream()

    def branch():
        assert torch.cuda.is_current_stream_capturing()
        event = torch.cuda.current_stream().record_event()
        side.wait_event(event)
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.stream(torch.cuda.default_stream()):
            assert not torch.cuda.is_current_stream_capturing()
        return x + 1

    graph, y = capture(branch)
    assert not torch.cuda.is_current_stream_capturing()
    graph.replay()
    assert y.tolist() == [2, 2, 2]


def test_streams_are_equal_by_their_handle():
    stream, default = torch.cuda.Stream(priority=-1), torch.cuda.default_stream()
    assert (stream.priority, stream.device) == (-1, torch.device("cuda", 0))
    assert torch.cuda.current_stream() == default != stream
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        assert hash(torch.cuda.current_stream()) == hash(stream)
    assert f"cuda_stream={stream.cuda_stream:#x}" in repr(stream)
    assert stream != stream.cuda_stream
    event = torch.cuda.Event()
    assert event.query()  # nobody has recorded it
    assert (stream.wait_event(event), event.wait(stream), event.synchronize()) == (None, None, None)
    assert stream.record_event(event) is event
    with pytest.raises(ValueError, match="enable_timing=True"):
        event.elapsed_time(torch.cuda.Event(enable_timing=True))
    timed = torch.cuda.Event(enable_timing=True)
    with pytest.raises(ValueError, match="must be recorded before"):
        timed.elapsed_time(torch.cuda.Event(enable_timing=True))
    timed.record()
    assert isinstance(timed.elapsed_time(stream.record_event(torch.cuda.Event(enable_timing=True))), float)


MATRIX = torch.tensor([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
REFUSED, READS = "NotImplementedError: calling cuSOLVER API", "RuntimeError: the current stream is capturing"
LINEAR_ALGEBRA = {
    "solve": (lambda a: torch.linalg.solve(a, a[0]), READS), "logdet": (torch.logdet, READS),
    "inv": (torch.linalg.inv, REFUSED), "cholesky": (torch.linalg.cholesky, REFUSED),
    "qr": (lambda a: torch.linalg.qr(a)[1].abs(), REFUSED), "svd": (lambda a: torch.linalg.svd(a)[1], READS),
    "eigh": (lambda a: torch.linalg.eigh(a)[0], REFUSED), "lu": (lambda a: torch.linalg.lu(a)[2], READS),
    "pinv": (torch.linalg.pinv, READS), "triangular": (lambda a: torch.cholesky_solve(a, a), REFUSED),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR_ALGEBRA)
def test_linear_algebra_runs_as_usual_and_the_reason_says_operation_and_line(name):
    function, text = LINEAR_ALGEBRA[name]

    def call(a):
        return function(a * 2).sum() + 1

    run = torch.capture(call, quiet=True)
    for k in range(1, 6):
        a, host = (MATRIX * k).to("cuda").requires_grad_(), (MATRIX * k).requires_grad_()
        result, expected = run(a), call(host)
        torch.testing.assert_close(result.cpu(), expected)
        if k != 3:
            result.backward()
            expected.backward()
            torch.testing.assert_close(a.grad.cpu(), host.grad, rtol=1e-4, atol=1e-5)
    (reason,) = torch.replay.explain(run).reasons
    assert reason.startswith(f"the device cannot capture it: {text}")
    assert re.search(r"\((linalg_\w+|cholesky_solve), \S+graphs_on_fake_cupy\.py:\d+\)$", reason), reason
    if text is REFUSED:
        assert "calls cuSOLVER, whose results CuPy checks on the host; compute it ahead of the capture" in reason
    with pytest.raises(RuntimeError, match="captur"):
        capture(lambda: function(a))
    graph, y = capture(lambda: a * 2)  # everything can be used
    graph.replay()
    torch.testing.assert_close(y.cpu(), host * 2)


def test_the_line_of_a_call_that_a_capture_does_not_permit():
    def call(x):
        y = x * 2
        return y + torch.tensor([1.0, 2.0, 3.0], device="cuda")  # a copy from the host

    run = torch.capture(call, quiet=True)
    for _ in range(5):
        assert run(torch.ones(3, device="cuda")).tolist() == [3, 4, 5]
    line = call.__code__.co_firstlineno + 2
    assert any(one.endswith(f"(tensor, {__file__}:{line})") for one in torch.replay.explain(run).reasons)
