"""tools/compare/cuda.py: what it would time on a GPU runs on the simulated device; without a GPU it says so."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import wengert

TOOL = Path(__file__).resolve().parents[2] / "tools" / "compare" / "cuda.py"
compare = importlib.util.module_from_spec(importlib.util.spec_from_file_location("compare_cuda", TOOL))
sys.modules["compare_cuda"] = compare
compare.__spec__.loader.exec_module(compare)


@pytest.fixture(autouse=True)
def _register_sim():
    from wengert_registry import registry
    from wengert_testing.sim import SimDevice

    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="tests/test_compare_cuda"):
        yield


@pytest.mark.parametrize("work", compare.WORK, ids=lambda work: work.name)
def test_each_piece_of_work_runs_on_a_device(work):
    call = work.make(wengert, "sim", 16)
    results = call()
    call()
    tensors = results if isinstance(results, tuple) else (results,)
    assert {t.device.type for t in tensors} == {"sim"}
    assert all(bool(t.isfinite().all()) for t in tensors)


def test_times_are_medians_of_runs_that_are_waited_for():
    events = []
    found = compare.microseconds(lambda: events.append("call"), lambda: events.append("wait"), 2, 3)
    assert found > 0
    assert events == ["call"] * 3 + ["wait", "call", "call", "wait"] * 3


def test_a_line_has_the_ratio_and_the_part_of_the_ceiling():
    by_name = {work.name: work for work in compare.WORK}
    best = (1e12, 1e13)
    add = by_name["add, 64 Mi numbers"]
    text = compare.line(add, 1000.0, 800.0, best)
    assert text.split() == [*"add, 64 Mi numbers".split(), "1000.0", "800.0", "1.25", "80.5%", "of", "the", "bandwidth"]
    product = by_name["matmul, 4096"]
    assert "68.7% of the matrix rate" in compare.line(product, 20000.0, 20000.0, best)
    assert compare.line(by_name["add, 16 numbers"], 2.0, 4.0, best).endswith(" 0.50")


def test_without_a_gpu_it_says_so_in_one_sentence():
    if not compare.missing():
        pytest.skip("there is a GPU here")
    done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.startswith("compare-cuda: there is no GPU to compare on: ")
    assert done.stdout.count("\n") == 1
