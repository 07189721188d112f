"""Example programs of the documentation with their functions captured: they print what they print as they are."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import io
import random
import re
import sys
import warnings
from collections import Counter
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
import wengert as wg

EXAMPLES = Path(__file__).resolve().parents[4] / "docs" / "examples"
REFERENCE = EXAMPLES.parents[1] / "tests" / "test_reference_examples.py"
OFTEN = 3
"""Functions that a program calls as often are captured: one around them would be recorded once, and never replayed."""
PYTHON = {"main", "progress", "draw", "report", "callback", "plot"}
"""Functions that do something of Python's, which a replay does not."""
TIMES = re.compile(r"(?m)^.*(time|second| us\b| ms\b|written|µs).*$")


def load(path, wrap):
    """Import a program anew; wrap(name, function) gives what stands in place of its functions and methods."""
    name = f"example_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    homes = [module, *(one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name)]
    for home in homes:
        for key, value in list(vars(home).items()):
            plain = isinstance(value, FunctionType) and value.__module__ == name
            if plain and not key.startswith("__") and key not in PYTHON and not inspect.isgeneratorfunction(value):
                setattr(home, key, wrap(value.__qualname__, value))
    return module


def run(path, wrap, folder):
    """Run a program's main() in this process; return what it prints, without times, and its status."""
    wg.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - as programs draw
    random.seed(0)
    text, out = path.read_text(encoding="utf-8"), io.StringIO()
    dtype, arguments, search = wg.get_default_dtype(), sys.argv, list(sys.path)
    sys.argv = [str(path), *(["--quick"] if "--quick" in text else []), *(["--out", folder] if "--out" in text else [])]
    sys.path.insert(0, str(path.parent))
    try:
        module = load(path, wrap)
        with contextlib.redirect_stdout(out):
            status = module.main()
    finally:
        wg.set_default_dtype(dtype)
        sys.argv, sys.path[:] = arguments, search
    return TIMES.sub("", out.getvalue().replace(folder, "")), status


def check(path, folder, monkeypatch):
    """Run a program as it is and captured; return how many calls were replayed, by function."""
    counts = Counter()

    def count(name, function):
        @functools.wraps(function)
        def count_call(*args, **kwargs):
            counts[name] += 1
            return function(*args, **kwargs)

        return count_call

    expected = run(path, count, folder)
    captures = []
    make = wg.replay.Capture.__init__

    def note(self, *args, **kwargs):
        captures.append(self)  # also those of methods, which go with their instances
        make(self, *args, **kwargs)

    monkeypatch.setattr(wg.replay.Capture, "__init__", note)
    got = run(path, lambda name, one: wg.capture(one, quiet=True) if counts[name] >= OFTEN else one, folder)
    found = [wg.replay.explain(one) for one in captures]
    assert got == expected, [one.reasons for one in found]
    replays = Counter()
    for capture, one in zip(captures, found, strict=True):
        replays[capture.name] += one.replays
    return replays


REPLAYED = {
    "digits": 100, "lotka_volterra": 10, "saved_on_disk": 0, "sparse_model": 0, "word_embeddings": 20, "transformer": 5,
    "digits_modules": 50, "lstm": 5, "numpy_programs/fixed_points": 0, "numpy_programs/rosenbrock": 0,
    "numpy_programs/neural_net": 0, "numpy_programs/ode_net": 0, "numpy_programs/gaussian_process": 0,
}  # fmt: skip
"""Programs, and how many calls are replayed at least."""


@pytest.mark.parametrize(("program", "replays"), REPLAYED.items())
def test_examples_print_the_same(program, replays, tmp_path, monkeypatch):
    if "\nfrom scipy" in (EXAMPLES / f"{program}.py").read_text(encoding="utf-8"):
        pytest.importorskip("scipy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert check(EXAMPLES / f"{program}.py", str(tmp_path), monkeypatch).total() >= replays


def reference_examples():
    """The functions of the examples of torch.autograd's reference that take no arguments."""
    spec = importlib.util.spec_from_file_location("reference_examples", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [one for name, one in vars(module).items() if name.startswith("test_")]


RUN_AS_USUAL = {"test_register_hook"}
"""Examples that print a tensor."""


@pytest.mark.parametrize("example", reference_examples(), ids=lambda one: one.__name__)
def test_examples_of_the_reference_run_captured(example):
    captured = wg.capture(example, quiet=True, validate=True)
    for _ in range(3):
        captured()
    assert wg.replay.explain(captured).replays == (0 if example.__name__ in RUN_AS_USUAL else 2)
