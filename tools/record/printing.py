"""Record how PyTorch prints tensors: packages/core/tests/recorded/printing.jsonl.

A question is a dict: dtype, shape, values (repeated to fill the shape; complex numbers as pairs), and, where they
differ from the defaults, options (for set_printoptions), default_dtype, requires_grad, grad_fn. The answer is the text.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from wengert_testing.recorded import Entry, are_equal, update_answers

from tools.record import ROOT

FILE = ROOT / "packages" / "core" / "tests" / "recorded" / "printing.jsonl"
Case = dict[str, Any]
NAN, INF = math.nan, math.inf
SIGNED = ("int8", "int16", "int32", "int64")
REALS = ("float16", "bfloat16", "float32", "float64")

VALUES: list[list[Any]] = [  # one line: what they have in common decides the notation or the width
    *([2.5], [2.0], [-0.0], [0.0, -0.0], [1.0, 2.0, 3.0], [-1.5, 10.25, 100.0], [0.1, 2.0], [99.99999, 1.0]),
    *([NAN], [INF], [-INF, INF], [NAN, 1.0], [INF, 1.5], [1.0, -INF, NAN], [NAN, INF, 0.0], [-1.0, 100.0, NAN]),
    *([0.0, -0.0, 1.5], [1e-20, NAN, -1.0], [1e10, -INF], [9.99999, -1.5], [math.pi, math.e]),
    *([1.0, 1000.0], [1.0, 1001.0], [2.0, 2000.0, 0.0], [0.5, 500.0], [0.5, 500.1], [0.0005, 0.5], [0.0, 1e6, 5.0]),
    *([1e-4], [0.99e-4], [1.01e-4], [1e8], [1e8 + 8], [9e7, 1e8], [1e8 - 0.5], [1e8 + 0.5], [60000.0, 6e-5]),
]
DOUBLES: list[list[Any]] = [[1e300, 1e-300], [1e-320], [-1e300], [1e300, INF], [1e-4, 0.1], [99999999.5, -99999998.5]]
COMPLEX: list[list[Any]] = [
    *([[1, 1], [2.5, 3]], [[1, 1.5], [2, 3]], [[1000.5, 1e-9], [-2, -1]], [[NAN, NAN], [1, 1]], [[NAN, 1]]),
    *([[INF, -INF], [1.5, 1]], [[0.0, -0.0]], [[0, 0], [1e9, 1]], [[1e9, 1.5], [2, 100], [-3, -4]]),
    *([[0, 1], [-0.0, -1]], [[1, -200], [100, 3]], [[1, NAN], [1, -INF], [-1.5, 1.5]], [[0.5, -1e10]], [[1e-8, 0]]),
    [[-10, -200]] * 9,
]
INTS: list[list[Any]] = [[3], [1, -100], [0], [127, 7, -7], [1, 20, 33, 4, 5] * 12]
SHAPES = [
    *((0,), (0, 3), (3, 0), (2, 0, 4), (1,), (1, 1), (2, 2), (2, 3, 4)),
    *((1, 1, 1, 25), (3, 30), (2, 1, 30), (2, 2, 2, 2, 1)),
]
SUMMARISED = [
    *((1000,), (1001,), (2, 600), (600, 2), (7, 6, 40), (6, 7, 40)),
    *((1001, 1, 1), (1, 1, 1001), (12, 10, 10), (9, 500, 7)),
]
OPTIONS = [
    *({"precision": p} for p in (0, 1, 2, 6, 8, 12)),
    *({"linewidth": w} for w in (0, 1, 10, 30, 47, 120, 200)),
    *({"threshold": t, "edgeitems": e} for t, e in ((10, 3), (99, 1), (99, 4), (99, 5), (2, 0), (0, 2))),
    *({"profile": p} for p in ("default", "short", "full")),
    *({"sci_mode": True}, {"sci_mode": False}),
    *({"profile": "short", "precision": 7}, {"sci_mode": True, "precision": 0}),
]


def case(values: list[Any], dtype: str = "float32", shape: tuple[int, ...] | None = None, **rest: Any) -> Case:
    """Return a question."""
    return {"dtype": dtype, "shape": list((len(values),) if shape is None else shape), "values": values, **rest}


def cases_by_rule() -> Iterator[Case]:
    """One case for each rule that is known."""
    for values in VALUES:
        for dtype in ("float32", "float64"):
            yield case(values, dtype)
        if max((abs(v) for v in values if math.isfinite(v)), default=0) < 65504:
            yield case(values, "float16")
        yield case(values, "bfloat16", default_dtype="bfloat16")
    yield from (case(values, "float64") for values in DOUBLES)
    yield from (case(values, dtype) for values in COMPLEX for dtype in ("complex64", "complex128"))
    for values in INTS:
        yield case([abs(v) for v in values], "uint8")
        yield from (case(values, dtype) for dtype in SIGNED)
    yield case([2**63 - 1, -(2**63), 0], "int64")
    yield from (case([True, False], "bool"), case([True], "bool", (3,)))
    yield from (case([2.5], "float32", ()), case([1e-9], "float64", ()), case([[1, 2]], "complex64", ()))
    yield from (case([7], "int64", ()), case([True], "bool", ()))
    for shape in SHAPES:
        yield case([0.5, -10.25], "float32", shape)
        yield case([7, 1234], "int64", shape)
        yield case([True, False], "bool", shape)
        yield case([[1, 2.5]], "complex128", shape)
    for shape in SUMMARISED:
        yield case([0.5, 3.0, -17.0, 1e5, 2.0, 8.0, 0.0], "float64", shape)
        yield case([1, 2, 3, 40], "int32", shape)
    yield case([[1, 1.5], [-20, 3e-7]], "complex64", (5, 1001))
    yield case([-1.5e-100], "float64", (1001,))


def with_options() -> Iterator[Case]:
    """Print options, the other default dtypes, and the notes behind the elements."""
    for options in OPTIONS:
        yield case([1.23456789, -12.5, 1.0], shape=(3, 13), options=options)
        yield case([3.0, 4.0, NAN], shape=(40,), options=options)
        yield case([1e-6, 1.0, INF], shape=(2, 2, 2), options=options)
        yield case([[1.5, 2e-10], [1e9, 1]], "complex64", (5,), options=options)
        yield case([5, -600], "int64", (1100,), options=options)
    yield case([0.5], shape=(), options={"edgeitems": 0})
    for default in ("float64", "float16", "bfloat16"):
        for dtype in ("float32", "float64", "float16", "bfloat16", "complex64", "complex128", "int64", "int32", "bool"):
            values = [[1, 2]] if dtype.startswith("complex") else [1]
            yield from (case(values, dtype, shape, default_dtype=default) for shape in ((2,), (0,)))
    for dtype in ("float32", "float64"):
        for count in range(1, 12):
            yield case([0.5], dtype, (count,), requires_grad=True)
            yield case([0.5], dtype, (2, count), grad_fn="MulBackward0")
        yield from (case([0.5], dtype, (3,), grad_fn="F" * n + "Backward") for n in range(15, 50))


def random_cases(rng: np.random.Generator, count: int) -> Iterator[Case]:
    """Magnitudes that nobody chose, about the borders of the notations."""
    for _ in range(count):
        dtype = str(rng.choice([*REALS, "complex64", "complex128"]))
        size = int(rng.integers(1, 14))
        low, high = np.sort(rng.uniform(-6, 9, 2))
        values = rng.choice([-1, 1], (size, 2)) * 10.0 ** rng.uniform(low, high, (size, 2))
        if rng.random() < 0.4:
            values = np.round(values)
        if rng.random() < 0.3:
            values[rng.integers(size)] = rng.choice([0.0, NAN, INF, -INF], 2)
        values = np.vectorize(lambda v: float(f"{v:.7g}"))(values)
        options = {"precision": int(rng.integers(7)), "linewidth": int(rng.integers(20, 120))}
        options = options if rng.random() < 0.3 else {}
        yield case(values.tolist() if dtype.startswith("complex") else values[:, 0].tolist(), dtype, options=options)


def ask(question: Case, torch: Any) -> str:
    """Return what PyTorch prints."""
    dtype, default = getattr(torch, question["dtype"]), getattr(torch, question.get("default_dtype", "float32"))
    values = [complex(*v) if isinstance(v, list) else v for v in question["values"]]
    tensor = torch.from_numpy(np.resize(np.array(values), question["shape"])).to(dtype)
    tensor.requires_grad_(question.get("requires_grad", False) or "grad_fn" in question)
    if name := question.get("grad_fn"):
        identity = rename_identity(name.removesuffix("Backward"), torch)
        tensor = tensor * 1 if name == "MulBackward0" else identity.apply(tensor)
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**question.get("options", {}))
    torch.set_default_dtype(default)
    text = repr(tensor)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    return text


def rename_identity(name: str, torch: Any) -> Any:
    """Return a Function of this name that gives its input again."""
    methods = {"forward": lambda _ctx, x: x.view_as(x), "backward": lambda _ctx, grad: grad}
    return type(name, (torch.autograd.Function,), {k: staticmethod(f) for k, f in methods.items()})


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the cases, by their numbers."""
    questions = [*cases_by_rule(), *with_options(), *random_cases(np.random.default_rng(0), 200)]
    with np.errstate(all="ignore"):
        entries = [Entry(str(n), question, ask(question, torch)) for n, question in enumerate(questions)]
    return update_answers(FILE, {"torch": torch.__version__}, entries, are_equal, options.replace)
