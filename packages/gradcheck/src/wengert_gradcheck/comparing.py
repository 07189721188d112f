"""Numerical against analytical jacobians: equal, or an error that shows and explains the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wengert_core.extend import Tensor

from wengert_gradcheck.causes import Pattern, causes_of
from wengert_gradcheck.errors import Array, GradcheckError, Jacobians
from wengert_gradcheck.report import details, mismatch, worst_of
from wengert_gradcheck.subject import Subject


@dataclass(frozen=True)
class Tolerance:
    """eps of the differences, atol and rtol of the comparison."""

    eps: float
    atol: float
    rtol: float

    def wrong(self, numerical: Array, analytical: Array) -> Array:
        """Where two jacobians differ; nan differs from everything."""
        return ~np.isclose(analytical, numerical, rtol=self.rtol, atol=self.atol)


@dataclass(frozen=True)
class Pair:
    """Which output by which input, of which part of complex numbers, in which mode."""

    output: int
    input: int
    output_shape: tuple[int, ...]
    input_shape: tuple[int, ...]
    part: str = ""  # 'real', 'imaginary' or ''
    mode: str = "reverse"

    def title(self) -> str:
        """What the error begins with."""
        of = "outputs" if self.mode == "reverse" else "inputs"
        begin = f"While considering the {self.part} part of complex {of} only, " if self.part else ""
        by = "" if self.mode == "reverse" else " computed with forward mode"
        return f"{begin}Jacobian{by} mismatch for output {self.output} with respect to input {self.input},"


def compare(subject: Subject, pair: Pair, numerical: Array, analytical: Array, tolerance: Tolerance) -> None:
    """GradcheckError where the two differ."""
    wrong = tolerance.wrong(numerical, analytical)
    if wrong.any():
        jacobians = jacobians_of(pair, numerical, analytical)
        raise error_of(subject, pair, jacobians, mismatch(pair.title(), jacobians), tolerance)


def jacobians_of(pair: Pair, numerical: Array, analytical: Array) -> Jacobians:
    """Both jacobians, the numerical one in the precision of the analytical."""
    wanted = np.result_type(analytical.dtype, np.complex64 if numerical.dtype.kind == "c" else analytical.dtype)
    return Jacobians(numerical.astype(wanted), np.ascontiguousarray(analytical), pair.output_shape, pair.input_shape)


def error_of(subject: Subject, pair: Pair, jacobians: Jacobians, text: str, tolerance: Tolerance) -> GradcheckError:
    """The error, with all that is known about it."""
    numerical, analytical = jacobians.numerical, jacobians.analytical
    wrong = tolerance.wrong(numerical, analytical)
    worst = worst_of(jacobians, wrong)
    causes = causes_of(Pattern(jacobians, tolerance.atol, tolerance.rtol, pair.part, tolerance.eps))
    causes += about_calls(subject)
    position = subject.positions[pair.input]
    if position != pair.input:
        text += f"(input {pair.input} is argument {position} of func)\n"
    return GradcheckError(text + details(jacobians, wrong, worst, causes), output=pair.output, input=pair.input,
                          jacobians=jacobians, worst=worst, causes=causes)


def about_calls(subject: Subject) -> tuple[str, ...]:
    """Whether two calls of the function give the same, and whether inputs share memory."""
    found = []
    first, second = ([np.array(y.detach().tolist()) for y in subject.outputs()] for _ in range(2))
    if any(a.shape != b.shape or not np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=False)):
        found.append("non-determinism: two calls of func with the same inputs give different outputs")
    for i, x in zip(subject.positions, subject.inputs, strict=True):
        for j, y in enumerate(subject.args):
            counted_already = j in subject.positions and j >= i
            if isinstance(y, Tensor) and y is not x and not counted_already and share_memory(x, y):
                low, high = sorted((i, j))
                found.append(f"arguments {low} and {high} of func share memory: a step by one may move the other")
    return tuple(found)


def share_memory(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors with elements have one storage."""
    return bool(x.numel() and y.numel() and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())
