"""The full check: both jacobians of every output by every input, element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from wengert_core.extend import Tensor

from wengert_gradcheck import analytical, numerical
from wengert_gradcheck.comparing import Pair, Tolerance, compare
from wengert_gradcheck.errors import Array, GradcheckError
from wengert_gradcheck.progress import progress
from wengert_gradcheck.subject import Subject

NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}. "
    "The largest difference, for output {} and input {}, is {:.3g}. Call it with `nondet_tol=<tol>` where that is "
    "expected; usual causes are a backward that changes what it saved or its grad_output, and random numbers in it."
)


@dataclass
class Numerical:
    """d output / d x for all outputs by one input: along the real axis, and along the imaginary one of a complex x."""

    real: list[Array]
    imaginary: list[Array]

    def gradient(self, output: int, part: str) -> Array:
        """What reverse mode gives for a part of the output: dL/dx + i dL/dy."""
        take = np.imag if part == "imaginary" else np.real
        x = take(self.real[output])
        return x + 1j * take(self.imaginary[output]) if self.imaginary else x


def is_complex(x: Tensor) -> bool:
    """Whether a tensor is of complex numbers."""
    return x.dtype.is_complex


def numericals(subject: Subject, likes: Sequence[Tensor], positions: Sequence[int], eps: float) -> list[Numerical]:
    """Central differences of all outputs by all inputs."""
    found = []
    with progress(sum(x.numel() * (1 + is_complex(x)) for x in subject.inputs), "finite differences") as done:
        for x in subject.inputs:
            real = numerical.jacobian(subject, x, likes, positions, eps, 1, done)
            imaginary = numerical.jacobian(subject, x, likes, positions, eps, 1j, done) if is_complex(x) else []
            found.append(Numerical(real, imaginary))
    return found


def parts_of(tensor: Tensor) -> Sequence[tuple[str, complex]]:
    """The parts of complex numbers in the order they are checked, with the unit of each."""
    return (("imaginary", 1j), ("real", 1)) if is_complex(tensor) else (("", 1),)


def pair_of(outputs: Sequence[Tensor], subject: Subject, i: int, j: int, part: str, mode: str) -> Pair:
    """What is compared, for messages."""
    return Pair(i, j, tuple(outputs[i].shape), tuple(subject.inputs[j].shape), part, mode)


def check_reverse(subject: Subject, found: list[Numerical], outputs: Sequence[Tensor], tolerance: Tolerance,
                  check_dtypes: bool, nondet_tol: float) -> None:
    """Reverse mode against differences, twice, for the second time must give the same."""
    gradients = analytical.Gradients(subject, check_dtypes)
    with progress(2 * sum(y.numel() * len(parts_of(y)) for y in outputs), "reverse mode") as done:
        for i, y in enumerate(outputs):
            for part, unit in parts_of(y):
                first = analytical.reverse(gradients, y, unit, done)
                for j, got in enumerate(first):
                    compare(subject, pair_of(outputs, subject, i, j, part, "reverse"), found[j].gradient(i, part), got,
                            tolerance)
                second = analytical.reverse(gradients, y, unit, done)
                check_reentrant(i, first, second, nondet_tol)


def check_reentrant(output: int, first: Sequence[Array], second: Sequence[Array], nondet_tol: float) -> None:
    """GradcheckError when two backwards give different gradients."""
    for j, (a, b) in enumerate(zip(first, second, strict=True)):
        with np.errstate(invalid="ignore"):
            difference = np.where(a == b, 0.0, np.abs(a - b)).max(initial=0.0)
        if not difference <= nondet_tol:
            raise GradcheckError(NOT_REENTRANT.format(nondet_tol, output, j, difference), output=output, input=j)


def check_forward(subject: Subject, found: list[Numerical], outputs: Sequence[Tensor], positions: Sequence[int],
                  tolerance: Tolerance) -> None:
    """Forward mode against differences."""
    with progress(sum(x.numel() * len(parts_of(x)) for x in subject.inputs), "forward mode") as done:
        for j, x in enumerate(subject.inputs):
            for part, unit in parts_of(x):
                columns = analytical.forward(subject, j, outputs, positions, unit, done)
                differences = found[j].imaginary if part == "imaginary" else found[j].real
                for i, got in enumerate(columns):
                    compare(subject, pair_of(outputs, subject, i, j, part, "forward"), differences[i], got, tolerance)


def check_zero(subject: Subject, eps: float, note: Callable[[], Any]) -> None:
    """When no output requires grad, differences must be zero."""
    outputs = subject.outputs()
    positions = [i for i, y in enumerate(outputs) if y.dtype.is_floating_point or y.dtype.is_complex]
    likes = [outputs[i] for i in positions]
    if not likes:
        return
    for j, x in enumerate(subject.inputs):
        for unit in (1, 1j) if is_complex(x) else (1,):
            for i, slope in enumerate(numerical.jacobian(subject, x, likes, positions, eps, unit, note)):
                if np.any(slope != 0):
                    raise GradcheckError(
                        "Numerical gradient for function expected to be zero: no output of func requires grad, but "
                        f"output {positions[i]} changes with input {j}, by up to {np.abs(slope).max():.3g} for "
                        f"1. Usual "
                        "cause: the path is detached (detach(), .data, numpy(), no_grad, a backward that is not "
                        "differentiable itself)",
                        output=positions[i],
                        input=j,
                    )
