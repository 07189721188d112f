"""What usually causes the difference between two jacobians, by its pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_gradcheck.errors import Array, Jacobians


class Pattern:
    """Two jacobians and what "equal" means for them."""

    def __init__(self, jacobians: Jacobians, atol: float, rtol: float, part: str, eps: float) -> None:
        self.numerical, self.analytical = jacobians.numerical, jacobians.analytical
        self.jacobians = jacobians
        self.atol, self.rtol = atol, rtol
        self.part = part
        self.eps = eps

    def equal(self, a: Any, b: Any) -> bool:
        return bool(a.shape == b.shape and np.allclose(a, b, rtol=self.rtol, atol=self.atol))

    def is_zero(self, a: Array) -> bool:
        return bool(np.all(np.abs(a) <= self.atol))


def not_finite(p: Pattern) -> str | None:
    """nan or inf."""
    bad = [name for name, a in (("numerical", p.numerical), ("analytical", p.analytical)) if not np.isfinite(a).all()]
    if not bad:
        return None
    return (f"nan or inf in the {' and the '.join(bad)} jacobian: the inputs are where the function or its derivative "
            "is not finite")


def jumps(p: Pattern) -> str | None:
    """Differences of the size of 1 / eps."""
    largest = np.abs(p.numerical).max(initial=0.0)
    scale = max(np.abs(p.analytical).max(initial=0.0), 1.0)
    if largest > 1e-3 / p.eps and largest > 1e3 * scale:
        return "the function jumps when an input moves by eps: it is random (dropout), or it has a step there"
    return None


def zero(p: Pattern) -> str | None:
    """One of the jacobians is zero."""
    if p.is_zero(p.analytical) and not p.is_zero(p.numerical):
        return ("the analytical gradient is zero: backward gives None or zeros, or the path is detached "
                "(detach(), .data, numpy(), no_grad)")
    if p.is_zero(p.numerical) and not p.is_zero(p.analytical):
        return ("the function does not change with this input, but backward gives it a gradient: gradients in the "
                "wrong order of inputs, or a forward that rounds")
    return None


def conjugate(p: Pattern) -> str | None:
    """conj() forgotten, or one too many."""
    conjugated = np.conj(p.analytical)
    text = "missing conj(): the gradient of a holomorphic f is grad * conj(f'(z)), or there is a conj() too many"
    if p.part == "imaginary" and (p.equal(p.numerical, -conjugated)):
        return text
    if np.iscomplexobj(p.analytical) and p.equal(p.numerical, conjugated):
        return text
    return None


def factor(p: Pattern) -> str | None:
    """One number between the two."""
    weight = np.vdot(p.analytical, p.analytical).real
    c = complex(np.vdot(p.analytical, p.numerical) / weight) if weight else 0j
    if not c or not np.isfinite(c) or not p.equal(p.numerical, c * p.analytical):
        return None
    if abs(c.imag) > 1e-3 * abs(c):
        return f"factor {round_noise(1 / c):.4g}: a factor 1j is wrong, or real and imaginary part are exchanged"
    ratio = 1 / c.real
    if abs(ratio + 1) < 1e-3:
        return "the sign: the analytical gradient is the negative of the numerical one"
    shown = f"{ratio:.4g}" if abs(ratio - round(ratio)) > 1e-3 * abs(ratio) else f"{round(ratio)}"
    hint = {2.0: ": a factor 2 too many, or a gradient added twice", 0.5: ": a factor 2 is missing, or only one of two "
            "uses of the input is counted"}.get(round(ratio, 3), ": a constant factor is wrong")
    return f"factor {shown}: the analytical gradient is {shown} times the numerical one{hint}"


def round_noise(value: complex) -> complex:
    """Without the noise of differences, and without -0."""
    return complex(round(value.real, 4) + 0.0, round(value.imag, 4) + 0.0)


def transposes(p: Pattern) -> str | None:
    """A transpose of the jacobian, of the gradient, or of a factor in it."""
    if p.equal(p.numerical, p.analytical.T):
        return ("transposed: the analytical jacobian is the transpose of the numerical one "
                "(A where A.T is due in a product)")
    ends = (("the gradient", p.jacobians.input_shape, 0), ("the grad_output", p.jacobians.output_shape, 1))
    for what, shape, axis in ends:
        if len(shape) < 2:
            continue
        full = np.moveaxis(p.analytical, axis, -1)
        rest = full.shape[0]
        for i in range(len(shape)):
            for j in range(i + 1, len(shape)):
                if shape[i] != shape[j]:
                    continue
                swapped = np.swapaxes(full.reshape(rest, *shape), i + 1, j + 1).reshape(rest, -1)
                if p.equal(p.numerical, np.moveaxis(swapped, -1, axis)):
                    return f"transposed: {what} has its dims {i} and {j} exchanged"
    return None


def numbers_misplaced(p: Pattern) -> str | None:
    """The right numbers at the wrong places."""
    if np.iscomplexobj(p.numerical):
        return None  # there is no order to compare in
    if p.equal(np.sort(p.numerical, axis=0), np.sort(p.analytical, axis=0)):
        return "the right numbers at the wrong places: elements are permuted (transposed, flipped, rolled, an index)"
    return None


def parts(p: Pattern) -> str | None:
    """Some rows, columns or entries only."""
    wrong = ~np.isclose(p.numerical, p.analytical, rtol=p.rtol, atol=p.atol)
    rows, columns = wrong.any(axis=1), wrong.any(axis=0)
    missing = wrong & (np.abs(p.analytical) <= p.atol)
    if (missing == wrong).all() and missing.any():
        return ("contributions are missing: the analytical jacobian is zero where it is wrong (a second use of the "
                "input, a sum over a broadcast or repeated index)")
    if rows.mean() <= 0.25:
        return (f"only {int(rows.sum())} of {rows.size} input elements are wrong: a kink or a tie within eps of them, "
                "or a branch of the formula")
    if columns.mean() <= 0.25:
        return f"only {int(columns.sum())} of {columns.size} output elements are wrong: a branch of the formula"
    return None


def digits(p: Pattern) -> str | None:
    """Small differences."""
    scale = np.abs(p.numerical).max(initial=0.0)
    if scale and np.abs(p.numerical - p.analytical).max() < 0.1 * scale and p.analytical.dtype.itemsize in (2, 4):
        return "few digits: the inputs are of less than double precision; check with float64 or complex128"
    return None


FINDERS: tuple[Callable[[Pattern], str | None], ...] = (
    not_finite, jumps, zero, conjugate, digits, factor, transposes, numbers_misplaced, parts)


def causes_of(pattern: Pattern) -> tuple[str, ...]:
    """The first pattern that fits; the later ones are less specific."""
    for finder in FINDERS:
        found = finder(pattern)
        if found:
            return (found,)
    return ()
