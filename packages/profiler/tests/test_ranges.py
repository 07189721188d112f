"""emit_nvtx, emit_itt: their ranges, as a stand-in of the module records them, and with the modules where installed."""

import importlib.util
import re
import sys
import types

import pytest
import wengert as wg
from wengert.autograd.profiler import emit_itt, emit_nvtx, profile, record_function


@pytest.fixture
def nvtx(monkeypatch):
    """A stand-in that keeps what was pushed: (depth, message)."""
    found, depth = [], [0]

    def push_range(message):
        found.append((depth[0], message))
        depth[0] += 1

    def pop_range():
        depth[0] -= 1

    module = types.ModuleType("nvtx")
    module.push_range, module.pop_range, module.found, module.depth = push_range, pop_range, found, depth
    monkeypatch.setitem(sys.modules, "nvtx", module)
    return module


@pytest.fixture
def ittapi(monkeypatch):
    """A stand-in with tasks that are begun and ended."""
    found, running = [], []

    class task:
        def __init__(self, name):
            self.name = name

        def begin(self):
            found.append((len(running), self.name))
            running.append(self)

        def end(self):
            assert running.pop() is self

    module = types.ModuleType("ittapi")
    module.task, module.found, module.running = task, found, running
    monkeypatch.setitem(sys.modules, "ittapi", module)
    return module


def number(found, name):
    """The sequence number in the only range of a name."""
    (message,) = [message for _, message in found if message.partition(",")[0] == name]
    return int(re.search(r"seq=(\d+)", message)[1])


def test_forward_and_backward_ranges_have_the_same_number(nvtx):
    x = wg.ones(3, requires_grad=True)
    y = wg.ones(3, requires_grad=True)
    with emit_nvtx():
        (x.exp() + y.sin()).sum().backward()
    for op, node in (("aten::exp", "ExpBackward0"), ("aten::sin", "SinBackward0"), ("aten::sum", "SumBackward0")):
        assert number(nvtx.found, op) == number(nvtx.found, node) > 0
    texts = [message for _, message in nvtx.found]
    assert any(re.fullmatch(r"aten::exp, seq=\d+", text) for text in texts)
    assert any(re.fullmatch(r"ExpBackward0, stashed seq=\d+", text) for text in texts)
    assert "torch::autograd::AccumulateGrad" in texts
    assert nvtx.depth == [0]


def test_what_runs_inside_of_a_default_backward_has_the_number_0(nvtx):
    x = wg.ones(3, requires_grad=True)
    y = x.exp().sum()
    with emit_nvtx():
        y.backward()
    inner = [message for depth, message in nvtx.found if depth == 1]
    assert inner
    assert all(message.endswith("seq=0") for message in inner)


def test_a_double_backward_is_numbered_like_a_forward(nvtx):
    x = wg.ones(3, requires_grad=True)
    with emit_nvtx():
        (g,) = wg.autograd.grad(x.sin().sum(), x, create_graph=True)
        first = len(nvtx.found)
        g.sum().backward()
    forward = {int(seq) for _, message in nvtx.found for seq in re.findall(r", seq=(\d+)", message)}
    recorded = {
        int(seq) for depth, message in nvtx.found[:first] if depth == 1 for seq in re.findall(r", seq=(\d+)", message)
    }
    run = {int(seq) for _, message in nvtx.found[first:] for seq in re.findall(r"stashed seq=(\d+)", message)}
    assert run <= forward  # every node that was run was announced by the operation that made it
    assert run & recorded


@pytest.mark.parametrize("emit", [emit_nvtx, emit_itt])
def test_shapes_of_arguments(nvtx, ittapi, emit):
    with emit(record_shapes=True):
        wg.mm(wg.ones(2, 3), wg.ones(3, 4))
        wg.ones(2) * 3
    texts = [message for _, message in (nvtx if emit is emit_nvtx else ittapi).found]
    assert any(text.startswith("aten::mm, seq=") and text.endswith(", sizes=[[2, 3], [3, 4]]") for text in texts)
    assert any(text.startswith("aten::mul, ") and text.endswith(", sizes=[[2], []]") for text in texts)


def test_tasks_of_itt(ittapi):
    x = wg.ones(3, requires_grad=True)
    with emit_itt(), record_function("step"):
        x.exp().sum().backward()
    assert ittapi.found[0] == (0, "step")
    assert number(ittapi.found, "aten::exp") == number(ittapi.found, "ExpBackward0")
    assert ittapi.running == []


def test_switched_off_nothing_is_emitted_and_no_package_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)
    monkeypatch.setitem(sys.modules, "ittapi", None)
    with emit_nvtx(enabled=False), emit_itt(enabled=False):
        wg.ones(2)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    for name in ("nvtx", "cupy", "cupy.cuda", "cupy.cuda.nvtx", "ittapi"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"wengert-profiler\[nvtx\]"):
        emit_nvtx().__enter__()
    with pytest.raises(ImportError, match=r"wengert-profiler\[itt\]"):
        emit_itt().__enter__()
    wg.ones(2)


def test_a_failing_operation_closes_its_range(nvtx):
    with emit_nvtx():
        with pytest.raises(RuntimeError, match="size of tensor"):
            wg.ones(2) + wg.ones(3)
        wg.ones(2)
    assert nvtx.depth == [0]


def test_one_at_a_time_in_a_thread(nvtx):
    emitting = emit_nvtx()
    with emitting, pytest.raises(RuntimeError, match="already enabled on this thread"):
        emit_nvtx().__enter__()
    with pytest.raises(RuntimeError, match="not reentrant"):
        emitting.__enter__()
    with profile(), pytest.raises(RuntimeError, match="already enabled on this thread"):
        emit_nvtx().__enter__()


def test_a_package_that_raises_does_not_stop_the_program(nvtx):
    def fails(message):
        raise OSError("no collector")

    nvtx.push_range = fails
    with pytest.warns(RuntimeWarning, match="NvtxRanges raised OSError: no collector") as caught, emit_nvtx():
        x = (wg.ones(2) * 2) + 1
    assert x.tolist() == [3.0, 3.0]
    assert len(caught) == 1


@pytest.mark.skipif(importlib.util.find_spec("nvtx") is None, reason="the package nvtx is not installed")
def test_the_real_nvtx_takes_the_ranges():
    x = wg.ones(3, requires_grad=True)
    with emit_nvtx(record_shapes=True):
        x.exp().sum().backward()
    assert x.grad is not None


@pytest.mark.skipif(importlib.util.find_spec("ittapi") is None, reason="the package ittapi is not installed")
def test_the_real_ittapi_takes_the_tasks():
    x = wg.ones(3, requires_grad=True)
    with emit_itt(record_shapes=True):
        x.exp().sum().backward()
    assert x.grad is not None
