"""Every op of core's table has a benchmark, and the call it times is one that works."""

import importlib
import math
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
import wengert as wg
from wengert_core import TABLE


@pytest.fixture(scope="module")
def calls() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).parents[2] / "asv_benchmarks"))
    try:
        return importlib.import_module("benchmarks.op_calls")
    finally:
        del sys.path[0]


def test_every_op_has_a_benchmark(calls: ModuleType) -> None:
    assert set(TABLE.ops) - calls.benchmarked_ops() == set()


def test_every_benchmark_runs(calls: ModuleType) -> None:
    broken = {}
    for name in calls.rows():
        function, arguments, keywords = calls.call_of(name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # degrees of freedom and the like: only that it runs counts
                function(*arguments, **keywords)
        except Exception as error:  # named below
            broken[name] = error
    assert broken == {}


def test_every_gradient_runs_or_is_left_out(calls: ModuleType) -> None:
    every_op = importlib.import_module("benchmarks.every_op")
    broken, ran = {}, 0
    for name in calls.rows():
        benchmark = every_op.Gradient()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                benchmark.setup(name)
            ran += 1
        except NotImplementedError:  # asv's way to leave one out
            continue
        except Exception as error:  # named below
            broken[name] = error
    assert broken == {}
    assert ran > len(calls.rows()) / 2


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0])
def test_a_gradient_begins_with_what_no_phase_changes(calls: ModuleType, turn: float) -> None:
    """Eigenvectors have the phase that the machine's LAPACK gives them: eig's derivative must not depend on it."""
    every_op = importlib.import_module("benchmarks.every_op")
    vectors = wg.linalg.eig(calls.values()["x"])[1] * complex(math.cos(turn), math.sin(turn))
    dependence = (vectors.mH @ every_op.cotangent_of(vectors)).diagonal().imag
    wg.testing.assert_close(dependence, wg.zeros(4), atol=1e-6, rtol=0)
    assert every_op.cotangent_of(calls.values()["x"]).tolist() == [[1.0] * 4] * 4
