"""Some eigenvalues, the largest or the smallest, of a large symmetric matrix: lobpcg.

Source: A. V. Knyazev, Toward the optimal preconditioned eigensolver (2001). The basis of each step (vectors, residuals,
directions of the step before) is made orthonormal, as in Hetmaniuk and Lehoucq, Basis selection in LOBPCG (2006).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, TypeVar

from wengert_core.drivers.composite_arguments import check_tensor
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.dtypes.dtypes import type_name
from wengert_core.exchange.type_info import finfo
from wengert_core.ops.linalg.linalg_spectral import eigh_op
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

composite, ops = TABLE.composite, TABLE.ops
Number = TypeVar("Number", int, float, bool)
EPS = {"float32": 2.0**-23, "float64": 2.0**-52}
STEPS = 1000
"""Most steps, when a call does not say."""
STALLED = 200
"""So many steps without a smaller residual end the iteration: rounding is all that is left."""


def eigenpairs_reference(xp: Any, A: Any, B: Any, values: Any, vectors: Any) -> Any:
    """The reference of _eigenpairs."""
    return values.copy(), vectors.copy()


pairs_op = TABLE.array(
    "_eigenpairs(Tensor A, Tensor B, Tensor values, Tensor vectors) -> (Tensor E, Tensor X)",
    reference=eigenpairs_reference,
    results=("array", "array"),
    method=False,
    doc="Eigenpairs that were found without history, as functions of symmetric A and B: A X = B X diag(E).",
)


class LOBPCG:
    """One iteration for one matrix. A tracker gets it after each step.

    X: the vectors, one for each of n.   E: their values.   R: residuals.   S: the last basis.   ivars, fvars, tvars:
    what was measured.   iparams, fparams, bparams: what was asked for.
    """

    def __init__(self, A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, k: int, niter: int, tol: float,
                 largest: bool, method: str, tracker: Callable[[LOBPCG], object] | None) -> None:  # fmt: skip
        self.A, self.B, self.iK, self.method, self.tracker = A, B, iK, method, tracker
        self.iparams = {"m": A.shape[-1], "n": X.shape[-1], "k": k, "niter": niter}
        self.fparams: dict[str, float] = {"tol": tol}
        self.bparams: dict[str, bool] = {"largest": largest}
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": niter}
        self.fvars: dict[str, float] = {}
        self.bvars: dict[str, bool] = {}
        self.tvars: dict[str, Tensor] = {}
        self.X = self.orthonormal(X)
        if self.X.shape[-1] < X.shape[-1]:
            raise LinAlgError(
                f"lobpcg: X has {X.shape[-1]} columns of which {self.X.shape[-1]} are linearly independent: expected "
                "all of them to be"
            )
        self.S, self.E = self.X, X.new_empty(0)
        self.P: Tensor | None = None
        self.fvars["A_norm"] = (self.by_a(X).norm() / X.norm()).item()
        self.fvars["B_norm"] = (self.by_b(X).norm() / X.norm()).item()

    def by_a(self, x: Tensor) -> Tensor:
        return self.A @ x

    def by_b(self, x: Tensor) -> Tensor:
        return x if self.B is None else self.B @ x

    def orthonormal(self, U: Tensor, V: Tensor | None = None) -> Tensor:
        """U as columns that are B-orthonormal, also to those of V; those that depend on others are left out."""
        for _ in range(2):
            if V is not None:
                U = U - V @ (V.mT @ self.by_b(U))
            U = U / U.norm(dim=0).clamp_min(finfo(U.dtype).tiny)
            gram = U.mT @ self.by_b(U)
            values, turned = eigh_op(gram, "L", True)
            if values.numel() and values[0].item() < -1e-2:
                raise LinAlgError("lobpcg: The factorization could not be completed because the input is not "
                                  "positive-definite: B has x^T B x < 0 for a vector x of this iteration")  # fmt: skip
            kept = values > values.numel() * EPS[U.dtype.name]
            U = U @ (turned[:, kept] / values[kept].sqrt())
        return U

    def project(self) -> None:
        """Of all combinations of the basis, the n best (Rayleigh and Ritz); P: what they have of new directions."""
        n, largest = self.iparams["n"], self.bparams["largest"]
        values, turned = eigh_op(self.S.mT @ self.by_a(self.S), "L", True)
        if values.isnan().any().item():
            raise LinAlgError("lobpcg: The algorithm failed to converge because the input matrix A contained "
                              "non-finite values.")  # fmt: skip
        if largest:
            values, turned = values.flip(0), turned.flip(1)
        self.E, best, old = values[:n], turned[:, :n], self.X.shape[-1]
        beyond = best[old:]
        self.P = self.S[:, old:] @ beyond if beyond.numel() else None
        self.X = self.S @ best

    def measure(self) -> None:
        """The residuals, and how many of the first k pairs are exact enough."""
        bx = self.by_b(self.X)
        self.R = self.by_a(self.X) - bx * self.E
        scale = self.X.norm(dim=0) * (self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"])
        error = self.R.norm(dim=0) / scale.clamp_min(finfo(scale.dtype).tiny)
        exact = (error[: self.iparams["k"]] <= self.fparams["tol"]).tolist()
        self.ivars["converged_count"] = exact.index(False) if False in exact else len(exact)
        self.ivars["converged_end"] = self.ivars["converged_count"]
        self.tvars["rerr"], self.fvars["X_norm"] = error, self.X.norm().item()

    def run(self) -> None:
        """Step until k pairs are exact, the steps are used up, or nothing gets better."""
        self.project()
        least, stalled = float("inf"), 0
        while True:
            self.measure()
            if self.tracker is not None:
                self.tracker(self)
            error = self.tvars["rerr"][: self.iparams["k"]].max().item()
            least, stalled = (error, 0) if error < least else (least, stalled + 1)
            done = self.ivars["converged_count"] == self.iparams["k"]
            if done or self.ivars["istep"] == self.iparams["niter"] > 0 or stalled == STALLED:
                return
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] = self.iparams["niter"] - self.ivars["istep"]
            residuals = self.R if self.iK is None else self.iK @ self.R
            new = residuals if self.P is None else ops["cat"]([residuals, self.P], 1)
            beyond = self.orthonormal(new, self.X)
            if not beyond.numel():
                return
            self.S = ops["cat"]([self.X, beyond], 1)
            self.project()


def check(A: Any, B: Any, X: Any, iK: Any) -> None:
    """Refuse tensors of another kind, dtype or shape than lobpcg takes."""
    for name, position, value in (("A", 1, A), ("B", 3, B), ("X", 4, X), ("iK", 6, iK)):
        if value is not None or position == 1:
            check_tensor("lobpcg", value, name, position)
    if A.dtype.name not in EPS:
        raise RuntimeError(f"lobpcg: expected A to be float or double, but got {type_name(A)}")
    if A.dim() < 2:
        raise IndexError(f"lobpcg: expected A to have at least 2 dimensions, but it is {A.dim()}-dimensional")
    if A.shape[-1] != A.shape[-2]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and B.shape != A.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    for name, value in (("B", B), ("X", X), ("iK", iK)):
        if value is not None and value.dtype is not A.dtype:
            raise RuntimeError(f"lobpcg: expected A and {name} to have the same dtype, but got: "
                               f"{A.dtype.name} != {value.dtype.name}")  # fmt: skip
    if X is not None and X.shape[:-1] != A.shape[:-1]:
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {tuple(A.shape[:-1])} and a number of columns")


def name_settings(settings: dict[str, Number] | None) -> dict[str, Number]:
    """Settings of how bases are made orthonormal, as a tracker finds them."""
    return {f"ortho_{name}": value for name, value in (settings or {}).items()}


def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None,
    iK: Tensor | None = None, niter: int | None = None, tol: float | None = None, largest: bool | None = None,
    method: str | None = None, tracker: Any = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    check(A, B, X, iK)
    m = A.shape[-1]
    if X is not None and k is not None and X.shape[-1] < k:
        warn_user(f"lobpcg: X has {X.shape[-1]} columns: as many pairs are found, of k = {k}")
    n = X.shape[-1] if X is not None else n if n is not None else 1 if k is None else k
    k = n if k is None else min(k, n)
    if k < 1:
        raise ValueError(f"lobpcg: expected at least one eigenpair, but got k = {k}, n = {n}")
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n}): use linalg.eigh"
        )
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"lobpcg: expected method to be 'basic' or 'ortho', but got {method!r}")
    if X is None:
        X = ops["randn"](*A.shape[:-1], n, dtype=A.dtype, device=A.device)
    steps = STEPS if niter is None else niter
    exact = EPS[A.dtype.name] ** 0.5 if tol is None else tol
    batch = A.shape[:-2]

    def found_pairs(position: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        b = None if B is None else B.detach()[position]
        inverse = iK if iK is None or iK.dim() == 2 else iK[position]
        run = LOBPCG(A.detach()[position], b, X.detach()[position], inverse, k, steps, exact, largest is not False,
                     method or "ortho", tracker)  # fmt: skip
        run.iparams.update(name_settings(ortho_iparams))
        run.fparams.update(name_settings(ortho_fparams))
        run.bparams.update(name_settings(ortho_bparams))
        run.run()
        return run.E[:k], run.X[:, :k]

    pairs = [found_pairs(position) for position in product(*map(range, batch))]
    values = ops["stack"]([value for value, _ in pairs]).reshape(*batch, k) if pairs else A.new_empty((*batch, k))
    vectors = ops["stack"]([x for _, x in pairs]).reshape(*batch, m, k) if pairs else A.new_empty((*batch, m, k))
    if B is None:
        B = ops["eye"](m, dtype=A.dtype, device=A.device).expand(A.shape)
    result: tuple[Tensor, Tensor] = pairs_op(A, B, values, vectors)
    return result


composite(lobpcg)
