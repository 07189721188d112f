"""Samples of eigenvalues, singular values, QR. Of vectors only what no phase changes is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.linalg.linalg_solve import adjoint
from wengert_testing.samples.shapes import recorded_rows

SQUARES = [(T(3, 3),), (T(2, 2, 2),), (T(1, 1),), (T(0, 0),)]
SHAPES = [(T(3, 3),), (T(2, 4),), (T(4, 2),), (T(2, 3, 2),)]
WEIGHTS = np.array([0.3, -1.1, 0.7, 1.9])


def hermitian(x: Any, *rest: Any) -> Any:
    return (x + adjoint(x), *rest)


def weights(x: Any, n: int) -> Any:
    """Different numbers for n columns."""
    return WEIGHTS[:n] if isinstance(x, np.ndarray) else x.abs().new_tensor(list(WEIGHTS[:n]))


def project_vectors(values: Any, vectors: Any) -> Any:
    """The eigenvalues, and the vectors' products with their adjoints, weighted."""
    if vectors.ndim < 2:
        return values
    return values, (vectors * weights(vectors, vectors.shape[-1])) @ adjoint(vectors)


def in_order(values: Any, vectors: Any) -> Any:
    """What does not change with the order of eigenvalues: sums over them."""
    squares = abs(vectors) ** 2 if isinstance(vectors, np.ndarray) else vectors.abs() ** 2
    return sums_of_powers(values), (squares * squares).sum(-1), (vectors * values[..., None, :]) @ adjoint(vectors)


def sums_of_powers(values: Any) -> Any:
    return (values * values * values).sum(-1)


def triple(u: Any, s: Any, vh: Any) -> Any:
    """The singular values, and products of the vectors that belong to them, weighted."""
    if u.ndim < 2:
        return s
    k = s.shape[-1]
    left, right = u[..., :, :k], vh[..., :k, :]
    w = weights(u, k)
    return s, (left * w) @ adjoint(left), (adjoint(right) * w) @ right, (left * w) @ right


def pair(q: Any, r: Any) -> Any:
    """Products in which the phases of Q's columns and R's rows cancel."""
    return (q * weights(q, q.shape[-1])) @ adjoint(q), adjoint(r) @ r, q @ r


def thin(x: Any) -> Any:
    return np.linalg.svd(x, full_matrices=False)


def both(x: Any, UPLO: Any = "L", compute_v: Any = True) -> Any:
    return np.linalg.eigh(x) if compute_v else (np.linalg.eigvalsh(x), np.zeros(0, x.dtype))


def with_uv(x: Any, full_matrices: Any = False, compute_uv: Any = True) -> Any:
    if compute_uv:
        return np.linalg.svd(x, full_matrices=full_matrices)
    return np.zeros(0), np.linalg.svd(x, compute_uv=False), np.zeros(0)


def old(x: Any, some: Any = True, compute_uv: Any = True) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=not some)
    if not compute_uv:
        return np.zeros((*x.shape[:-1], x.shape[-2])), s, np.zeros((*x.shape[:-2], x.shape[-1], x.shape[-1]))
    return u, s, adjoint(vh)


def eig(x: Any) -> Any:
    values, vectors = np.linalg.eig(x)
    return values.astype(complex), vectors.astype(complex)


def raw(x: Any) -> Any:
    h, tau = np.linalg.qr(x, "raw")
    return h.swapaxes(-2, -1), tau


UPPER = [(T(3, 3), "U"), (T(2, 2, 2), "U")]
CASES = [
    OpCase(
        "linalg_eigh",
        both,
        [*SQUARES, *UPPER, (T(3, 3), "L", False)],
        complex=True,
        prepared=hermitian,
        invariant=project_vectors,
    ),
    OpCase("linalg.eigh", both, SQUARES[:2] + UPPER[:1], complex=True, prepared=hermitian, invariant=project_vectors),
    OpCase("linalg.eigvalsh", lambda x, UPLO="L": np.linalg.eigvalsh(x), SQUARES + UPPER[:1], prepared=hermitian),
    OpCase("linalg_eig", eig, SQUARES, complex=True, invariant=in_order),
    OpCase("linalg.eig", eig, SQUARES[:2], invariant=in_order),
    OpCase("linalg.eigvals", lambda x: eig(x)[0], SQUARES[:3], invariant=sums_of_powers, complex=True),
    OpCase(
        "linalg_svd",
        with_uv,
        [*SHAPES, (T(0, 2),), (T(2, 3), False, False), (T(3, 3), True), (T(2, 4), True)],
        complex=True,
        invariant=triple,
    ),
    OpCase(
        "linalg.svd",
        np.linalg.svd,
        [*SHAPES[:1], (T(3, 2), {"full_matrices": False})],
        complex=True,
        invariant=triple,
    ),
    OpCase("linalg.svdvals", lambda x: np.linalg.svd(x, compute_uv=False), SHAPES, complex=True),
    OpCase(
        "svd",
        old,
        [*SHAPES[:2], (T(3, 2), True)],
        complex=True,
        invariant=lambda u, s, v: triple(u, s, adjoint(v)),
    ),
    OpCase(
        "linalg_qr",
        np.linalg.qr,
        [*SHAPES, (T(2, 3), "complete"), (T(2, 2), "complete")],
        complex=True,
        invariant=pair,
    ),
    OpCase("linalg.qr", np.linalg.qr, SHAPES[:3], invariant=pair),
    OpCase("qr", np.linalg.qr, SHAPES[:2], invariant=pair, warns="torch.qr is deprecated"),
    OpCase("_geqrf", raw, SHAPES, grad=False),
    OpCase("geqrf", raw, SHAPES[:2], grad=False),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "linalg.svdvals": [(T(2, 3), {"driver": None})],
})
CASES += recorded_rows({"linalg.qr": [(T(2, 3), {"mode": "complete"})]}, grad=False)
