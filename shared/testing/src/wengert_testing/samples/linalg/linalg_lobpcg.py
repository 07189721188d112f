"""Samples of some eigenpairs, of the largest values; of vectors what their sign does not change is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.linalg.linalg_spectral import hermitian, project_vectors


def largest(a: Any, k: int = 1) -> Any:
    """The eigenvalues of symmetric arrays from the largest on, and their vectors."""
    values, vectors = np.linalg.eigh(a)
    return values[..., ::-1][..., :k].copy(), vectors[..., ::-1][..., :k].copy()


def lobpcg_oracle(a: Any, k: Any = 1, B: Any = None, X: Any = None, largest: bool = True, **others: Any) -> Any:
    """The oracle of lobpcg."""
    k = X.shape[-1] if k is None else k
    values, vectors = np.linalg.eigh(a if B is None else a / B[0, 0])
    order = slice(None, None, -1) if largest else slice(None)
    return values[..., order][..., :k].copy(), vectors[..., order][..., :k].copy()


def len_of_values(run: Any) -> Any:
    """A tracker."""
    return len(run.E)


def with_pairs(x: Any, b: Any, k: int) -> Any:
    """A, B and their pairs, as constants: A from x; B the identity, and nothing of b."""
    a = x + x.swapaxes(-1, -2) if isinstance(x, np.ndarray) else x + x.mT
    given = a if isinstance(a, np.ndarray) else a.detach()
    if isinstance(given, np.ndarray):
        return a, b * 0 + np.eye(a.shape[-1]), *largest(a, k)
    values, vectors = eigh_of(given)
    return a, b * 0 + given.new_ones(a.shape[-1]).diag(), values.flip(-1)[..., :k], vectors.flip(-1)[..., :k]


def eigh_of(x: Any) -> Any:
    """eigh of a tensor, which is no method."""
    from wengert_core.dispatch.op import find

    return find("linalg_eigh")(x, "L", True)


SETTINGS: dict[str, Any] = {"ortho_iparams": {}, "ortho_fparams": {}, "ortho_bparams": {}}
EXACT = {"tol": 1e-13, "niter": -1}
START = np.array([[1.0, 0.5, -0.2, 0.3, 0.9, -1.1]]).T
CASES = [
    OpCase(
        "_eigenpairs",
        lambda a, b, values, vectors: (values, vectors),
        [(T(5, 5), T(5, 5), 2), (T(2, 4, 4), T(2, 4, 4), 1)],
        prepared=with_pairs,
        invariant=project_vectors,
    ),
    OpCase(
        "lobpcg",
        lobpcg_oracle,
        [
            (T(7, 7), 2, EXACT),
            (T(2, 6, 6), 1, EXACT),
            (T(7, 7), 1, {"n": 2, "largest": False, "method": "ortho", **EXACT}),
            (T(6, 6), None, fixed(2.0 * np.eye(6)), fixed(START), {"iK": fixed(np.eye(6)), **EXACT}),
            (T(6, 6), {"tracker": len_of_values, **SETTINGS, **EXACT}),
        ],
        prepared=hermitian,
        invariant=lambda values, vectors: values,
        note="it begins at random, so that the vectors' last digits differ",
    ),
]
