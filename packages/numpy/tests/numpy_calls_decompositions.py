"""Calls of decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy_calls import Call, Varying, of
from .numpy_calls_linear_algebra import (
    COMPLEX,
    COMPLEX_POSITIVE,
    COMPLEX_TALL,
    INTEGERS,
    POSITIVE,
    SINGLE,
    SQUARE,
    STACK,
    TALL,
    WIDE,
)


def absolute_vectors(name: str, take: Any) -> Any:
    """Return a function that gives what a decomposition's result determines: its vectors have a free sign or phase."""

    def function(a: Any, **kwargs: Any) -> Any:
        return take(getattr(np.linalg, name)(a, **kwargs))

    return function


def with_absolute(*positions: int) -> Any:
    """Return a function that takes absolute values of some items of a result."""
    return lambda result: tuple(np.abs(one) if i in positions else one for i, one in enumerate(result))


def decomposition(name: str, a: Varying, *positions: int, **kwargs: Any) -> Call:
    """Return a call of a decomposition, of which the items at positions are determined up to a sign or a phase."""
    function = absolute_vectors(name, with_absolute(*positions))
    return Call(f"linalg.{name}", a, function=function, **kwargs)


def complement(q: Any) -> Any:
    """Return the projection on all columns of an orthogonal matrix but the first three, whose signs are free."""
    return np.matmul(q[:, 3:], np.conjugate(q[:, 3:]).T)


CALLS = [
    # values and dtypes
    Call("linalg.eigh", SINGLE, gradient=False),
    Call("linalg.eigh", INTEGERS, gradient=False),
    Call("linalg.eig", of([[0.0, -1.0], [1.0, 0.0]]), gradient=False),
    Call("linalg.eigvals", of([[0, -1], [1, 0]])),
    Call("linalg.eigvals", of([[0, 1], [1, 0]])),
    Call("linalg.eigvals", of([[0, -1], [1, 0]], np.float32), gradient=False),
    Call("linalg.eigvals", SINGLE, gradient=False),
    Call("linalg.svd", SINGLE, gradient=False),
    Call("linalg.svd", of(np.zeros((0, 3)))),
    Call("linalg.svd", of(np.arange(6).reshape(2, 3))),
    Call("linalg.qr", SINGLE, gradient=False),
    Call("linalg.qr", INTEGERS, "complete"),
    Call("linalg.qr", TALL, "complete", gradient=False),
    Call("linalg.qr", TALL, mode="raw", gradient=False),
    Call("linalg.qr", COMPLEX_TALL, mode="raw", gradient=False),
    Call("linalg.cholesky", of(POSITIVE.array.astype(np.float32)), gradient=False),
    Call("linalg.cholesky", INTEGERS),
    # values and derivatives
    Call("linalg.cholesky", POSITIVE),
    Call("linalg.cholesky", POSITIVE, upper=True),
    Call("linalg.cholesky", COMPLEX_POSITIVE),
    Call("linalg.cholesky", COMPLEX_POSITIVE, upper=True),
    Call("linalg.cholesky", of(np.stack([POSITIVE.array, 2 * POSITIVE.array]))),
    Call("linalg.cholesky", of(np.tril(POSITIVE.array))),
    Call("linalg.cholesky", of(np.triu(POSITIVE.array)), upper=True),
    Call("linalg.qr", TALL),
    Call("linalg.qr", WIDE),
    Call("linalg.qr", STACK, mode="complete"),
    Call("linalg.qr", COMPLEX_TALL),
    Call("linalg.qr", TALL, mode="r"),
    Call("linalg.qr", WIDE, "r"),
    Call("linalg.qr", TALL, "complete", function=lambda a, mode: np.linalg.qr(a, mode).R),
    decomposition("svd", TALL, 0, 2, full_matrices=False),
    decomposition("svd", WIDE, 0, 2, full_matrices=False),
    decomposition("svd", STACK, 0, 2),
    decomposition("svd", COMPLEX, 0, 2),
    decomposition("svd", SQUARE, 0, 2, hermitian=True),
    decomposition("svd", COMPLEX, 0, 2, hermitian=True),
    Call("linalg.svd", TALL, function=lambda a: np.linalg.svd(a).S),
    Call("linalg.svd", TALL, function=lambda a: complement(np.linalg.svd(a).U)),
    Call("linalg.svd", COMPLEX_TALL, function=lambda a: complement(np.linalg.svd(a).U)),
    Call("linalg.svd", WIDE, function=lambda a: complement(np.linalg.svd(a).Vh.T)),
    Call("linalg.qr", TALL, "complete", function=lambda a, mode: complement(np.linalg.qr(a, mode).Q)),
    Call("linalg.svd", SQUARE, hermitian=True, function=lambda a, hermitian: np.matmul(
        (s := np.linalg.svd(a, hermitian=hermitian)).U * s.S, s.Vh)),
    Call("linalg.svd", TALL, compute_uv=False),
    Call("linalg.svd", COMPLEX, compute_uv=False, hermitian=True),
    Call("linalg.svdvals", STACK),
    decomposition("eigh", SQUARE, 1),
    decomposition("eigh", SQUARE, 1, UPLO="U"),
    decomposition("eigh", STACK, 1, UPLO="u"),
    decomposition("eigh", COMPLEX, 1),
    decomposition("eigh", COMPLEX, 1, UPLO="U"),
    Call("linalg.eigvalsh", SQUARE),
    Call("linalg.eigvalsh", STACK, "U"),
    Call("linalg.eigvalsh", COMPLEX),
    Call("linalg.eigvalsh", COMPLEX, UPLO="U"),
    decomposition("eig", POSITIVE, 1),
    decomposition("eig", COMPLEX, 1),
    Call("linalg.eigvals", of([[0.5, -1.0, 0.0], [1.5, 0.3, 0.2], [0.1, 0.0, 2.0]])),
    Call("linalg.eigvals", POSITIVE),
    Call("linalg.eigvals", COMPLEX),
]
