"""Functions of matrices: exponential, logarithm, square root, trigonometric and hyperbolic functions, norms."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.autograd_numpy.extend import defjvp, defvjp, primitive
from wengert_numpy.autograd_scipy.dispatch import floating, for_tensors
from wengert_numpy.autograd_scipy.linalg.solvers import require_square, sylvester

_linalg = import_module("scipy.linalg")


def matrix(a: Any, name: str) -> Any:
    """Return an operand as a tensor of square matrices in a floating dtype."""
    (a,) = floating(a, name=name)
    require_square(a)
    return a


@for_tensors(_linalg.expm)
def expm(A: Any) -> Tensor:
    """Return the exponential."""
    return wg.linalg.matrix_exp(matrix(A, "expm"))


def imaginary(A: Tensor) -> Tensor:
    """Return a matrix times the imaginary unit."""
    return A * 1j if A.is_complex() else wg.complex(wg.zeros_like(A), A)


@for_tensors(_linalg.cosm)
def cosm(A: Any) -> Tensor:
    """Return the cosine."""
    A = matrix(A, "cosm")
    forward = wg.linalg.matrix_exp(imaginary(A))
    return (forward + wg.linalg.matrix_exp(-imaginary(A))) / 2 if A.is_complex() else forward.real


@for_tensors(_linalg.sinm)
def sinm(A: Any) -> Tensor:
    """Return the sine."""
    A = matrix(A, "sinm")
    forward = wg.linalg.matrix_exp(imaginary(A))
    return (forward - wg.linalg.matrix_exp(-imaginary(A))) / 2j if A.is_complex() else forward.imag


@for_tensors(_linalg.tanm)
def tanm(A: Any) -> Tensor:
    """Return the tangent."""
    return wg.linalg.solve(cosm.on_tensors(A), sinm.on_tensors(A))


@for_tensors(_linalg.coshm)
def coshm(A: Any) -> Tensor:
    """Return the hyperbolic cosine."""
    A = matrix(A, "coshm")
    return (wg.linalg.matrix_exp(A) + wg.linalg.matrix_exp(-A)) / 2


@for_tensors(_linalg.sinhm)
def sinhm(A: Any) -> Tensor:
    """Return the hyperbolic sine."""
    A = matrix(A, "sinhm")
    return (wg.linalg.matrix_exp(A) - wg.linalg.matrix_exp(-A)) / 2


@for_tensors(_linalg.tanhm)
def tanhm(A: Any) -> Tensor:
    """Return the hyperbolic tangent."""
    return wg.linalg.solve(coshm.on_tensors(A), sinhm.on_tensors(A))


# ---- by SciPy's algorithms, with derivatives of their own


@primitive
def square_root(A: Any) -> Any:
    """Return the square root of a matrix."""
    return _linalg.sqrtm(A)


defvjp(square_root, lambda root, A: lambda g: sylvester(root.T, root.T, g))
defjvp(square_root, lambda tangent, root, A: sylvester(root, root, tangent))


@primitive
def logarithm(A: Any) -> Any:
    """Return the logarithm of a matrix."""
    return _linalg.logm(A)


def frechet(function: Callable[[Any], Any], A: Any, direction: Any) -> Any:
    """Return the derivative of a function of matrices along a direction.

    It is a block of the function of a larger matrix (Higham, Functions of Matrices, 2008, equation 3.16).
    """
    n = A.shape[0]
    top, bottom = np.concatenate([A, direction], axis=1), np.concatenate([np.zeros((n, n)), A], axis=1)
    return function(np.concatenate([top, bottom], axis=0))[:n, n:]


defvjp(logarithm, lambda log, A: lambda g: frechet(logarithm, A.T, g))
defjvp(logarithm, lambda tangent, log, A: frechet(logarithm, A, tangent))


def of_one_matrix(function: Callable[[Any], Any], a: Any, name: str) -> Any:
    """Return a function of a matrix, or of each matrix of a batch."""
    a = matrix(a, name)
    if a.ndim == 2:
        return function(a)
    if not a.numel():
        raise errors.unsupported_argument(name, "A", tuple(a.shape), "give at least one matrix")
    rows = [function(one) for one in a.reshape(-1, *a.shape[-2:]).unbind(0)]
    return wg.stack(rows).reshape(a.shape)


@for_tensors(_linalg.sqrtm)
def sqrtm(A: Any, disp: Any = None, blocksize: Any = None) -> Any:
    """Return the square root."""
    if disp is not None or blocksize is not None:
        raise errors.unsupported_argument("sqrtm", "disp", disp, "leave out disp and blocksize, which are deprecated")
    return of_one_matrix(square_root, A, "sqrtm")


@for_tensors(_linalg.logm)
def logm(A: Any, disp: Any = None) -> Any:
    """Return the logarithm."""
    if disp is not None:
        raise errors.unsupported_argument("logm", "disp", disp, "leave it out: it is deprecated")
    return of_one_matrix(logarithm, A, "logm")


@for_tensors(_linalg.norm)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """Return a norm of vectors or matrices."""
    (a,) = floating(a, name="norm")
    return np.linalg.norm(a, ord, axis, keepdims)


FUNCTIONS = (expm, cosm, sinm, tanm, coshm, sinhm, tanhm, sqrtm, logm, norm)
"""The functions of this module that ``wengert.scipy.linalg`` has."""
