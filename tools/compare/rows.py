"""Rows of tools/compare/aims.py: for every aim of speed some statements on names that a function makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import benchmarks.programs as programs

CHAIN = 500  # nodes (or pairs of nodes) of the chains whose backward is timed
FORWARD = "one recorded pointwise op"
PLAIN = "one unrecorded pointwise op"
BACKWARD = "backward, each node of a pointwise chain"
VIEWS = "small view and index ops, recorded"
Names = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One statement, timed in each module. Times are divided by `units`; `prepare` runs before each run, untimed."""

    group: str  # the line of the list of aims that it belongs to
    name: str
    aim: float  # PyTorch's time over wengert's, at least
    statement: str
    names: Callable[[Any], Names]  # what the statement uses, made with wengert or with PyTorch
    numpy: tuple[str, Callable[[], Names]] | None = None  # NumPy's statement and names; without gradients
    prepare: str = ""
    units: int = 1
    value: str = ""  # compared between the modules before timing; the statement itself if empty

    @property
    def check(self) -> str:
        return self.value or self.statement


def small(*shape: int) -> Callable[[Any], Names]:
    """x and w (which require gradients), y and z."""
    return lambda xp: programs.tensors(xp, *shape)


def arrays(*shape: int) -> Callable[[], Names]:
    """The same numbers as NumPy arrays, without names for what requires gradients."""
    return lambda: {name: programs.numbers(*shape, seed=seed) for seed, name in enumerate("xwyz")}


def pointwise_rows() -> list[Row]:
    """add, mul, exp of 1, 4, 16 elements with a tensor and with a number, recorded and not."""
    statements = [("add", "{} + y"), ("add number", "{} + 1.5"), ("mul", "{} * y"), ("mul number", "{} * 1.5"),
                  ("exp", "{}.exp()")]
    rows = []
    for group, aim, tensor in ((FORWARD, 8.0, "x"), (PLAIN, 6.0, "z")):
        for name, pattern in statements:
            for size in (1, 4, 16):
                in_numpy = pattern.format(tensor) if name != "exp" else f"exp({tensor})"
                names = arrays(size) if name != "exp" else with_exp(size)
                label = f"{name}, {size} element{'s' * (size > 1)}"
                rows.append(Row(group, label, aim, pattern.format(tensor), small(size), (in_numpy, names)))
    return rows


def with_exp(size: int) -> Callable[[], Names]:
    def names() -> Names:
        import numpy as np

        return {**arrays(size)(), "exp": np.exp}

    return names


def backward_rows() -> list[Row]:
    """Backward alone: the chain is built anew before each run, untimed. exp comes with a mul that keeps it finite."""
    steps = [("add", "y + z", 1), ("add number", "y + 0.5", 1), ("mul", "y * near_one", 1),
             ("mul number", "y * 1.001", 1), ("mul number and exp", "(y * 0.1).exp()", 2)]
    rows = []
    for name, step, nodes in steps:
        for size in (1, 4, 16):
            prepare = f"y = chain(lambda y: {step}, x, {CHAIN}); x.grad = None"
            value = f"(chain(lambda y: {step}, x, {CHAIN}).backward(one), x.grad)[1]"
            label = f"{name}, {size} element{'s' * (size > 1)}"
            timed = ("y.backward(one)", chain_rows(size), None, prepare, CHAIN * nodes, value)
            rows.append(Row(BACKWARD, label, 12.0, *timed))
    return rows


def chain_rows(size: int) -> Callable[[Any], Names]:
    def names(xp: Any) -> Names:
        near_one = xp.tensor(1 + programs.numbers(size) / 1000)
        return {**programs.tensors(xp, size), "near_one": near_one, "chain": programs.chain, "one": xp.ones(size)}

    return names


def view_rows() -> list[Row]:
    """On an 8 x 8 tensor that requires gradients."""
    cases = [("select", "x.select(0, 1)", "x[1]"), ("x[1]", "x[1]", "x[1]"), ("slice x[1:3]", "x[1:3]", "x[1:3]"),
             ("slice x[:, 1:3]", "x[:, 1:3]", "x[:, 1:3]"), ("reshape", "x.reshape(64)", "x.reshape(64)"),
             ("transpose", "x.transpose(0, 1)", "x.transpose(1, 0)")]
    return [Row(VIEWS, name, 5.0, torchs, small(8, 8), (numpys, arrays(8, 8))) for name, torchs, numpys in cases]


def calling(program: Callable[..., Any], *arguments: Any) -> Callable[[Any], Names]:
    return lambda xp: {"run": program(xp, *arguments)}


def program_rows() -> list[Row]:
    """Whole programs, forward and backward."""
    return [
        Row("chain of 200 custom Functions", "16 elements, each Function there and back", 5.0, "run()",
            calling(programs.FunctionChain), units=programs.DEPTH),
        Row("8 x 8 matmul, recorded", "x @ y", 4.0, "x @ y", small(8, 8), ("x @ y", arrays(8, 8))),
        Row("digits MLP step", "64 images, 64 -> 128 -> 10, momentum SGD", 1.5, "run()", calling(programs.DigitsStep)),
        Row("RK4 example", "160 Runge-Kutta steps, loss and gradient", 6.0, "run()", calling(programs.PredatorPrey)),
    ]


def large_rows(elements: int = 10**7) -> list[Row]:
    """Where memory and arithmetic count."""
    group = f"{elements:.0e} float32: mul, add, tanh, exp, sum and backward".replace("e+0", "0^")
    rows = []
    for label, scalars in (("factor and term: numbers", True), ("factor and term: tensors", False)):
        by_hand = ("run()", lambda scalars=scalars: {"run": programs.NumpyLargeChain(elements, scalars)})
        rows.append(Row(group, label, 2.0, "run()", calling(programs.LargeChain, elements, scalars), by_hand))
    square = 1024, 1024
    product = ("y @ z", small(*square), ("y @ z", arrays(*square)))
    return [*rows, Row("1024 x 1024 matmul", "float32, unrecorded", 1.0, *product)]


def all_rows() -> list[Row]:
    from tools.compare.module_rows import module_rows  # which needs Row

    return [*pointwise_rows(), *backward_rows(), *program_rows(), *view_rows(), *large_rows(), *module_rows()]
