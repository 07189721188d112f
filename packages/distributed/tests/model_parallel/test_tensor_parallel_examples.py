"""The example programs of model parallelism on simulated ranks: the losses of their steps are those of one process."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from wengert_testing.sim_group import run_ranks

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"


@pytest.fixture
def example(monkeypatch):
    """Return a function that imports a program of docs/examples."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    before = set(sys.modules)
    yield load
    for name in set(sys.modules) - before:
        if name == "digits":
            del sys.modules[name]


def assert_same(expected, losses, steps):
    assert len(expected) == len(losses) == steps
    assert losses == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ranks", [2, 4])
def test_matrices_divided_among_ranks(example, ranks):
    module = example("tensor_parallel_digits")

    def program():
        expected, losses, model = module.compare(1, 0, count=192)
        assert_same(expected, losses, 3)
        return sum(parameter.numel() for parameter in model.parameters())

    assert run_ranks(ranks, program, seed=ranks) == [9600 // ranks + 10] * ranks


@pytest.mark.parametrize("ranks", [2, 4])
def test_sequences_divided_among_ranks(example, ranks):
    module = example("sequence_parallel_counting")

    def program():
        expected, losses, model, own = module.compare(3, 0)
        assert_same(expected, losses, 3)
        return len(own), module.accuracy(model, own, 0, "cpu")

    results = run_ranks(ranks, program, seed=ranks)
    assert results == [(16 // ranks, results[0][1])] * ranks


@pytest.mark.parametrize("ranks", [2, 4])
def test_layers_divided_among_ranks(example, ranks):
    module = example("pipeline_digits")

    def program():
        expected, losses, schedule = module.compare(1, 0, count=192)
        if schedule.stage.is_last:
            assert_same(expected, losses, 3)
        return len(losses)

    assert run_ranks(ranks, program, seed=ranks) == [0] * (ranks - 1) + [3]
