"""Matrices of a structure, and systems with them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors
from wengert_numpy.autograd_scipy.linalg.solvers import columns, like_side
from wengert_numpy.operands import promote, to_tensor

_linalg = import_module("scipy.linalg")


def difference_table(rows: int, columns: int) -> Tensor:
    """Return i - j for each place of a matrix."""
    return wg.arange(rows).unsqueeze(1) - wg.arange(columns)


@for_tensors(_linalg.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    """Return the matrix with constant diagonals, of a first column and a first row (by default its conjugate)."""
    c = to_tensor(c, "toeplitz", "c")
    c = c.reshape(1) if not c.ndim else c
    r = c.conj() if r is None else to_tensor(r, "toeplitz", "r")
    r = r.reshape(1) if not r.ndim else r
    c, r = promote(c, r)
    values = wg.cat([wg.flip(r[..., 1:], (-1,)), c], dim=-1)
    return values[..., difference_table(c.shape[-1], r.shape[-1]) + r.shape[-1] - 1]


@for_tensors(_linalg.circulant)
def circulant(c: Any) -> Any:
    """Return the matrix whose columns are shifts of the first one."""
    c = to_tensor(c, "circulant", "c")
    n = c.shape[-1]
    return c[..., wg.remainder(difference_table(n, n), n)]


@for_tensors(_linalg.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    """Return the matrix with constant antidiagonals, of a first column and a last row (by default zeros)."""
    c = to_tensor(c, "hankel", "c")
    r = wg.zeros_like(c) if r is None else to_tensor(r, "hankel", "r")
    values = wg.cat(promote(c, r[..., 1:]), dim=-1)
    return values[..., wg.arange(c.shape[-1]).unsqueeze(1) + wg.arange(r.shape[-1])]


@for_tensors(_linalg.block_diag)
def block_diag(*arrs: Any) -> Tensor:
    """Return the matrix with matrices along its diagonal."""
    blocks = promote(*(wg.atleast_2d(to_tensor(one, "block_diag", "arrs")) for one in arrs))
    return wg.block_diag(*blocks)


@for_tensors(_linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Tensor:
    """Return x with T x = b for a Toeplitz matrix."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    matrix, side = floating(toeplitz.on_tensors(c, r), b, name="solve_toeplitz")
    return like_side(wg.linalg.solve(matrix, columns(side)), side)


FUNCTIONS = (toeplitz, circulant, hankel, block_diag, solve_toeplitz)
"""The functions of this module that ``wengert.scipy.linalg`` has."""
