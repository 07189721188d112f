"""Every op of core's table has a benchmark, and the call it times is one that works."""

import importlib
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from wengert_core import TABLE


@pytest.fixture(scope="module")
def calls() -> ModuleType:
    sys.path.insert(0, str(Path(__file__).parents[1] / "asv_benchmarks"))
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
