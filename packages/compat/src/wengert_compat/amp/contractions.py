"""Calls of einsum, tensordot and inner that are matrix products: these are cast to lower precision on the CPU.

Products of elements, and sums over all elements, keep their dtype.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from wengert_core.extend import Tensor


def is_product(name: str, values: list[Any]) -> bool:
    """Return whether a call of one of the three multiplies matrices, by its arguments."""
    if name == "einsum":
        return not isinstance(values[0], str) or contracts(values[0])
    first, second = (value for value in values[:2])
    if not isinstance(first, Tensor) or not isinstance(second, Tensor):
        return False
    dims = 1 if name == "inner" else next((value for value in values[2:] if isinstance(value, int | list | tuple)), 2)
    count = dims if isinstance(dims, int) else len(dims[0]) if isinstance(dims[0], list | tuple) else 1
    return min(first.dim(), second.dim()) > 0 and max(first.dim(), second.dim()) > count > 0


def contracts(equation: str) -> bool:
    """Return whether an equation sums over an index that several operands have.

    >>> contracts("ij,jk->ik"), contracts("i,j->ij"), contracts("ij->j"), contracts("bij,bjk")
    (True, False, False, True)
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    shared = Counter(index for term in terms for index in {*term} - {"."})
    kept = {*right} if arrow else {index for index, count in Counter(left).items() if count == 1}
    return any(count > 1 and index not in kept for index, count in shared.items())
