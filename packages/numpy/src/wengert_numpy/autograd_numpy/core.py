"""HIPS autograd's ``core``: products with Jacobians at a point, and what primitives are made with.

>>> import numpy as np
>>> vjp, value = make_vjp(lambda x: x**2, np.array([1.0, 3.0]))
>>> value, vjp(np.ones(2))
(array([1., 9.]), array([2., 6.]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_numpy.autograd_numpy import differential_operators as operators
from wengert_numpy.autograd_numpy.extend import (
    Box,
    VSpace,
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    getval,
    isbox,
    notrace_primitive,
    primitive,
    vspace,
)


def make_vjp(fun: Callable[[Any], Any], x: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return the function that multiplies a vector with the Jacobian at a point, and the function's value there."""
    return operators.make_vjp(fun)(x)  # type: ignore[no-any-return]


def make_jvp(fun: Callable[[Any], Any], x: Any) -> Callable[[Any], tuple[Any, Any]]:
    """Return the function that gives the value at a point, and the product of the Jacobian there with a vector."""
    return operators.make_jvp(fun)(x)  # type: ignore[no-any-return]


__all__ = [
    "Box", "VSpace", "def_linear", "defjvp", "defjvp_argnum", "defjvp_argnums", "defvjp", "defvjp_argnum",
    "defvjp_argnums", "getval", "isbox", "make_jvp", "make_vjp", "notrace_primitive", "primitive", "vspace",
]  # fmt: skip
