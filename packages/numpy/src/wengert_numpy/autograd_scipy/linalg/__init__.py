"""``wengert.scipy.linalg``: SciPy's linear algebra on tensors, in differentiated code, and on arrays.

>>> import wengert as wg
>>> a = wg.tensor([[4.0, 0.0], [0.0, 9.0]], dtype=wg.float64, requires_grad=True)
>>> sqrtm(a).trace().backward()
>>> a.grad
tensor([[0.2500, 0.0000],
        [0.0000, 0.1667]], dtype=torch.float64)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_numpy.autograd_scipy.dispatch import names_of
from wengert_numpy.autograd_scipy.linalg import banded, decompositions, matrix_functions, solvers, special_matrices

_linalg = import_module("scipy.linalg")

OWN = {
    one.__name__: one
    for module in (banded, decompositions, matrix_functions, solvers, special_matrices)
    for one in module.FUNCTIONS
}
"""The functions that have derivatives, by their names."""
__all__ = sorted(names := names_of(_linalg) | OWN)
globals().update(names)
del names


def __getattr__(name: str) -> Any:
    return getattr(_linalg, name)
