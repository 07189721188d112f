"""The quick check: jacobians multiplied from both sides by random vectors, v J u, in a few calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_gradcheck import analytical, numerical
from wengert_gradcheck.comparing import Tolerance, error_of, jacobians_of
from wengert_gradcheck.errors import Array
from wengert_gradcheck.progress import nothing
from wengert_gradcheck.slow import Numerical, check_reentrant, is_complex, numericals, pair_of, parts_of
from wengert_gradcheck.subject import Subject, array_of, tensor_of

EXPLAINED = """
The above quantities relating the numerical and analytical jacobians are computed in fast mode: random vectors u of the
input's size and v of the output's multiply them, as v J u. Below, numerical and analytical jacobians in slow mode:
"""


def unit_vector(rng: np.random.Generator, n: int) -> Array:
    """A random direction."""
    vector = rng.standard_normal(n)
    length = np.linalg.norm(vector)
    return np.asarray(vector / length if length else vector)


class Directions:
    """Random vectors: u for each input (two for a complex one), v for each output."""

    def __init__(self, subject: Subject, outputs: Sequence[Tensor]) -> None:
        rng = np.random.default_rng(0)  # the same in every run, as a test should be
        self.u = [unit_vector(rng, x.numel()) for x in subject.inputs]
        self.w = [unit_vector(rng, x.numel()) for x in subject.inputs]
        self.v = [unit_vector(rng, y.numel()) for y in outputs]

    def atol(self, i: int, j: int, atol: float) -> float:
        """How far v J u may be off when each entry of J may be off by atol."""
        return atol * float(np.abs(self.v[i]).sum() * max(np.abs(self.u[j]).sum(), np.abs(self.w[j]).sum()))


def check_fast(subject: Subject, outputs: Sequence[Tensor], positions: Sequence[int], tolerance: Tolerance, *,
               backward: bool, forward: bool, check_dtypes: bool, nondet_tol: float) -> None:
    """Both modes against differences along u."""
    directions = Directions(subject, outputs)
    slopes = []
    for j, x in enumerate(subject.inputs):
        real = numerical.directional_derivatives(subject, x, directions.u[j], positions, tolerance.eps)
        imaginary = (
            numerical.directional_derivatives(subject, x, 1j * directions.w[j], positions, tolerance.eps)
            if is_complex(x)
            else []
        )
        slopes.append(Numerical(real, imaginary))
    if backward:
        fast_reverse(subject, outputs, positions, slopes, directions, tolerance, check_dtypes, nondet_tol)
    if forward:
        fast_forward(subject, outputs, positions, slopes, directions, tolerance)


def fast_reverse(subject: Subject, outputs: Sequence[Tensor], positions: Sequence[int], slopes: list[Numerical],
                 directions: Directions, tolerance: Tolerance, check_dtypes: bool, nondet_tol: float) -> None:
    """v J u by one backward for each output, and once more to see that it gives the same."""
    gradients = analytical.Gradients(subject, check_dtypes)
    for i, y in enumerate(outputs):
        for part, unit in parts_of(y):
            take = np.imag if part == "imaginary" else np.real
            first, second = (flat(gradients.of(y, tensor_of(unit * directions.v[i], y)), subject) for _ in range(2))
            for j, grad in enumerate(first):
                n = complex(directions.v[i] @ take(slopes[j].real[i]))
                a = complex(np.real(grad) @ directions.u[j])
                if slopes[j].imaginary:
                    n += 1j * complex(directions.v[i] @ take(slopes[j].imaginary[i]))
                    a += 1j * complex(np.imag(grad) @ directions.w[j])
                compare_fast(subject, outputs, positions, (i, j, part, "reverse"), np.array([n]), np.array([a]),
                             Tolerance(tolerance.eps, directions.atol(i, j, tolerance.atol), tolerance.rtol), tolerance)
            check_reentrant(i, first, second, nondet_tol)


def flat(grads: Sequence[Tensor | None], subject: Subject) -> list[Array]:
    """Gradients as flat arrays, zeros for None."""
    return [np.zeros(x.numel(), array_of(x).dtype) if g is None else np.array(array_of(g)).reshape(-1)
            for g, x in zip(grads, subject.inputs, strict=True)]


def fast_forward(subject: Subject, outputs: Sequence[Tensor], positions: Sequence[int], slopes: list[Numerical],
                 directions: Directions, tolerance: Tolerance) -> None:
    """J u by one call in forward mode for each input."""
    for j, x in enumerate(subject.inputs):
        for part, unit in parts_of(x):
            along = directions.w[j] if part == "imaginary" else directions.u[j]
            expected = slopes[j].imaginary if part == "imaginary" else slopes[j].real
            for i, tangent in enumerate(analytical.push_numbers(subject, j, unit * along, positions)):
                got = np.zeros_like(expected[i]) if tangent is None else tangent
                loose = Tolerance(tolerance.eps, tolerance.atol * float(np.abs(along).sum()), tolerance.rtol)
                compare_fast(subject, outputs, positions, (i, j, part, "forward"), expected[i], got, loose, tolerance)


def compare_fast(subject: Subject, outputs: Sequence[Tensor], positions: Sequence[int],
                 what: tuple[int, int, str, str], n: Array, a: Array, loose: Tolerance, tolerance: Tolerance) -> None:
    """GradcheckError with both full jacobians where the products differ."""
    if not loose.wrong(n, a).any():
        return
    i, j, part, mode = what
    pair = pair_of(outputs, subject, i, j, part, mode)
    found = numericals(subject, outputs, positions, tolerance.eps)[j]
    if mode == "reverse":
        unit = 1j if part == "imaginary" else 1
        numeric = found.gradient(i, part)
        analytic = analytical.reverse(analytical.Gradients(subject, False), outputs[i], unit, nothing)[j]
    else:
        numeric = (found.imaginary if part == "imaginary" else found.real)[i]
        analytic = analytical.forward(subject, j, outputs, positions, 1j if part == "imaginary" else 1, nothing)[i]
    jacobians = jacobians_of(pair, numeric, analytic)
    largest = jacobians.difference.max(initial=0.0)
    text = (f"{pair.title()}\nnumerical:{product(n)}\nanalytical:{product(a)}\n{EXPLAINED}\n"
            f"Numerical:\n {wc.tensor(jacobians.numerical)}\nAnalytical:\n{wc.tensor(jacobians.analytical)}\n\n"
            f"The max per-element difference (slow mode) is: {largest}.\n")
    raise error_of(subject, pair, jacobians, text, tolerance)


def product(values: Array) -> str:
    """v J u as a number, J u as a tensor."""
    if values.size > 1:
        return str(wc.tensor(values))
    value = complex(values[0])
    return str(value if value.imag else value.real)
