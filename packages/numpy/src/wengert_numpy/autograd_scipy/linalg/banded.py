"""Linear systems with banded matrices, which are stored by diagonals."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg

from wengert_numpy.autograd_numpy.extend import defjvp_argnums, defvjp_argnums, primitive
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors

_linalg = import_module("scipy.linalg")


@primitive
def banded_system(lower: int, upper: int, ab: Any, b: Any) -> Any:
    """Return x with a x = b, where ``ab[upper + i - j, j] == a[i, j]``."""
    return _linalg.solve_banded((lower, upper), ab, b)


def shift(v: Any, k: int) -> Any:
    """Return w with ``w[j] = v[j + k]``, 0 beyond the ends."""
    if k == 0:
        return v
    k = max(min(k, len(v)), -len(v))
    zeros = np.zeros((abs(k), *v.shape[1:]))
    return np.concatenate([v[k:], zeros] if k > 0 else [zeros, v[:k]])


def transposed_bands(ab: Any, upper: int) -> Any:
    """Return the diagonals of the transposed matrix."""
    return np.stack([shift(ab[row], upper - row) for row in reversed(range(len(ab)))])


def banded_product(ab: Any, upper: int, x: Any) -> Any:
    """Return the product of a banded matrix with a vector or a matrix."""
    bands = ab if x.ndim == 1 else ab[:, :, None]
    return sum(shift(bands[row] * x, upper - row) for row in range(len(ab)))


def banded_outer(rows: int, upper: int, y: Any, x: Any) -> Any:
    """Return the diagonals of y x^T, the gradient by a banded matrix."""
    if x.ndim == 1:
        return np.stack([shift(y, row - upper) * x for row in range(rows)])
    return np.stack([np.sum(shift(y, row - upper) * x, axis=1) for row in range(rows)])


def banded_vjp(argnums: Any, x: Any, args: Any, kwargs: Any) -> Any:
    """Return the function from a cotangent to the gradients, by the solution of the transposed system."""
    lower, upper, ab, _ = args

    def vjp(g: Any) -> Any:
        y = banded_system(upper, lower, transposed_bands(ab, upper), g)
        parts = {2: lambda: -banded_outer(len(ab), upper, y, x), 3: lambda: y}
        return tuple(parts[i]() for i in argnums)

    return vjp


def banded_jvp(argnums: Any, tangents: Any, x: Any, args: Any, kwargs: Any) -> Any:
    """Return the tangent of the solution."""
    lower, upper, ab, _ = args
    products = {2: lambda t: -banded_product(t, upper, x), 3: lambda t: t}
    total = sum(products[i](tangent) for i, tangent in zip(argnums, tangents, strict=True))
    return banded_system(lower, upper, ab, total)


defvjp_argnums(banded_system, banded_vjp)
defjvp_argnums(banded_system, banded_jvp)


@for_tensors(_linalg.solve_banded)
def solve_banded(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """Return x with a x = b for a matrix with l diagonals below and u above the main one."""
    ab, b = floating(ab, b, name="solve_banded")
    lower, upper = map(int, l_and_u)
    if ab.ndim != 2 or ab.shape[0] != lower + upper + 1:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({lower + upper + 1}) does not equal "
            f"ab.shape[0] ({ab.shape[0]})"
        )
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    return banded_system(lower, upper, ab, b)


@for_tensors(_linalg.solveh_banded)
def solveh_banded(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return x with a x = b for a Hermitian positive definite matrix, of which one triangle is given."""
    ab, b = floating(ab, b, name="solveh_banded")
    if ab.shape[-1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    upper = ab.shape[0] - 1
    if lower:
        half = wg.stack([shift_tensor(ab[row].conj(), -row) for row in range(upper, 0, -1)] + [ab[0]])
        bands = wg.cat([half, ab[1:]])
    else:
        below = [shift_tensor(ab[upper - k].conj(), k) for k in range(1, upper + 1)]
        bands = wg.cat([ab, wg.stack(below)]) if below else ab
    return banded_system(upper, upper, bands, b)


def shift_tensor(v: Any, k: int) -> Any:
    """Return w with ``w[j] = v[j + k]``, 0 beyond the ends."""
    positions = wg.arange(len(v)) + k
    inside = (positions >= 0) & (positions < len(v))
    return wg.where(inside, v[wg.clamp(positions, 0, len(v) - 1)], 0)


FUNCTIONS = (solve_banded, solveh_banded)
"""The functions of this module that ``wengert.scipy.linalg`` has."""
