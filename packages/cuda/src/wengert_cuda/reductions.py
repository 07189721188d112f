"""Reductions over some dims in one kernel, a block of threads for each result: var, std, logsumexp, vector norms.

Their stages would be four to eight kernels, each through the whole memory. A few long rows are left to the stages: a
block for each would leave most of the GPU idle, and CuPy's own sums share a row among blocks. None means: left to the
stages, which also have the checks and warnings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_cuda.references import is_real
from wengert_cuda.row_code import SPREAD, TOP, add
from wengert_cuda.rows import launch

FEW_ROWS, LONG_ROW = 64, 1 << 16

add(
    "variance",
    "const real* x, real* y, long long n, real left, long long root",
    f"{SPREAD} total /= left; if (threadIdx.x == 0) y[my_row()] = root ? sqrt(total) : total;",
)
add(
    "logsumexp",
    "const real* x, real* y, long long n",
    # an infinite or NaN maximum is the result itself
    f"{TOP} if (threadIdx.x == 0) y[my_row()] = top - top == real(0) ? top + log(total) : top;",
)
add(
    "vector_norm",
    "const real* x, real* y, long long n, real order",
    "Row row(x, n); real total = real(0);"
    " if (order == real(2)) row.each(EACH { total += value * value; });"
    " else if (order == real(1)) row.each(EACH { total += fabs(value); });"
    " else row.each(EACH { total += pow(fabs(value), order); });"
    " total = sum_of(total, part); if (threadIdx.x == 0)"
    " y[my_row()] = order == real(2) ? sqrt(total) : order == real(1) ? total : pow(total, real(1) / order);",
)


def in_rows(xp: Any, x: Any, dim: Any, keepdim: bool) -> tuple[Any, tuple[int, ...]] | None:
    """What is reduced as contiguous rows, and the shape of the result. dim: a dim, several, or None or () for all.

    None for what these kernels are not for: other numbers, an empty tensor, a few long rows, a dim that is wrong.
    """
    if not is_real(x) or not x.size:
        return None
    dims = (dim,) if isinstance(dim, int) else tuple(dim or range(x.ndim))
    if not all(-x.ndim <= d < x.ndim for d in dims):
        return None
    reduced = sorted({d % x.ndim for d in dims})
    n = math.prod(x.shape[d] for d in reduced)
    if len(reduced) < len(dims) or (x.size // n < FEW_ROWS and n > LONG_ROW):
        return None
    kept = [d for d in range(x.ndim) if d not in reduced]
    rows = xp.ascontiguousarray(x.transpose(*kept, *reduced)).reshape(x.size // n, n)
    return rows, tuple(1 if d in reduced else x.shape[d] for d in range(x.ndim) if keepdim or d not in reduced)


def launch_kernel(xp: Any, name: str, rows: Any, shape: tuple[int, ...], *numbers: Any) -> Any:
    """The result of a kernel, an element for each row."""
    out = xp.empty(shape, rows.dtype)
    count, n = rows.shape
    launch(name, count, n, rows, (rows, out, np.int64(n), *numbers))
    return out


def variance(root: bool) -> Callable[..., Any]:
    """var, or with the root std, as core calls them."""

    def call(xp: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
        found = in_rows(xp, x, dim, keepdim)
        correction = 1 if correction is None else correction
        if found is None or found[0].shape[1] <= correction:
            return None
        left = found[0].dtype.type(found[0].shape[1] - correction)
        return launch_kernel(xp, "variance", *found, left, np.int64(root))

    return call


def logsumexp(xp: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """log(sum(exp(x))) over some dims."""
    found = in_rows(xp, x, dim, keepdim)
    return None if found is None else launch_kernel(xp, "logsumexp", *found)


def vector_norm(xp: Any, x: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """sum(|x| ** ord) ** (1 / ord) over some dims."""
    found = in_rows(xp, x, dim, keepdim) if dtype is None and 0 < ord < math.inf else None
    return None if found is None else launch_kernel(xp, "vector_norm", *found, found[0].dtype.type(ord))


KERNELS: dict[str, Callable[..., Any]] = {
    "var": variance(False),
    "std": variance(True),
    "logsumexp": logsumexp,
    "linalg_vector_norm": vector_norm,
}
"""By op: what runs in place of its stages."""
