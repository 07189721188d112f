"""The device: what it is told apart by, and every operation on it, by wengert-testing."""

import os

import pytest
import wengert as wg
from wengert_testing.extend import devices

SOME = [case for case in devices.rows() if os.environ.get("WENGERT_DISK_TESTS") == "all" or case.op in {
    "add", "mul", "exp", "sum", "matmul", "cat", "sort", "index_select", "softmax", "layer_norm", "where", "slice",
    "zeros"}]


def test_tensors_move_with_their_gradients():
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    y = x.to("disk")
    assert y.device == wg.device("disk", 0)
    (y * y).sum().cpu().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_memory_is_counted_and_freed():
    from wengert_core.extend import device_plugin

    plugin = device_plugin("disk")
    before = plugin.memory_stats(0)["allocated"]
    x = wg.zeros(1000, device="disk")
    assert plugin.memory_stats(0)["allocated"] == before + 4000
    del x
    assert plugin.memory_stats(0)["allocated"] == before


def test_the_kernel_of_its_own_is_used(monkeypatch):
    from wengert_core.extend import device_plugin

    calls = []
    kernel = device_plugin("disk").kernels["sum"]
    kernels = device_plugin("disk").kernels
    monkeypatch.setitem(kernels, "sum", lambda *arguments: (calls.append(1), kernel(*arguments))[1])
    assert wg.arange(100.0, device="disk").sum().item() == 4950.0
    assert calls


@pytest.mark.parametrize("case", SOME, ids=str)
def test_values_are_those_of_the_cpu(case):
    devices.check_values(case, "disk")


@pytest.mark.parametrize("case", [case for case in SOME if case.grad], ids=str)
def test_gradients_are_those_of_the_cpu(case):
    devices.check_gradients(case, "disk")
