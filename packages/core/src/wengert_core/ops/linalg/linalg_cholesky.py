"""Cholesky's factor, and what is made of it."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import give_result, give_results
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import type_name
from wengert_core.ops.linalg import linalg_lapack as lapack
from wengert_core.ops.linalg import linalg_reference as arrays
from wengert_core.ops.linalg.linalg_checks import (
    check_floating,
    check_invertible,
    check_kernel,
    check_square,
    first_failure,
)
from wengert_core.ops.linalg.linalg_solve import triangular_op
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

factoring, staged, composite, ops = TABLE.factoring, TABLE.staged, TABLE.composite, TABLE.ops


cholesky_op = factoring(
    "linalg_cholesky_ex(Tensor A, *, bool upper=False) -> (Tensor L, Tensor info)",
    way="cholesky",
    reference=arrays.cholesky,
    results=("columns", "array"),
)


def cholesky_factor(A: Any, upper: bool) -> tuple[Any, Any]:
    """(L, info), of what may have one."""
    check_square("linalg.cholesky", A)
    check_floating("linalg.cholesky", A, kernel="cholesky_cpu")
    pair: tuple[Any, Any] = cholesky_op(A, upper=upper)
    return pair


def check_definite(name: str, info: Tensor) -> None:
    """LinAlgError when a matrix was not positive-definite."""
    batch, order = first_failure(info)
    if order:
        raise LinAlgError(
            f"{name}: {batch}The factorization could not be completed because the input is not positive-definite (the "
            f"leading minor of order {order} is not positive-definite)."
        )


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    pair = cholesky_factor(A, upper)
    if check_errors:
        check_definite("linalg.cholesky_ex", pair[1])
    return give_results("linalg_cholesky_ex", pair, ("L", "info"), out)


def linalg_cholesky(A: Tensor, *, upper: bool = False, out: Any = None) -> Any:
    factor, info = cholesky_factor(A, upper)
    check_definite("linalg.cholesky", info)
    return give_result("linalg_cholesky_ex", factor, out)


def cholesky(input: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    warn_user(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A) should be replaced with L = torch.linalg.cholesky(A)"
    )
    check_kernel("cholesky_cpu", input)
    return give_result("cholesky", old_op(input, upper), out, strict=False)


def definite(self: Tensor, upper: bool) -> Any:
    """The stages of cholesky."""
    factor, info = cholesky_factor(self, upper)
    check_definite("cholesky", info)
    return factor


old_op = staged(
    "cholesky(Tensor self, bool upper=False) -> Tensor",
    stages=definite,
    reference=lambda xp, x, upper: arrays.cholesky(xp, x, upper)[0],
    key="_cholesky",
    method=False,
    out=False,
    doc="Cholesky's factor.",
)


# ---- what is made of it
def both_triangles(self: Tensor, input2: Tensor, upper: bool) -> Any:
    """The stages of cholesky_solve."""
    adjoint = ops["adjoint"](input2)
    first, second = (adjoint, input2) if upper else (input2, adjoint)
    return triangular_op(second, triangular_op(first, self, upper=False), upper=True)


def multiply_factor(xp: Any, factor: Any, upper: bool) -> Any:
    """The matrix whose factor it is, of arrays."""
    factor = xp.triu(factor) if upper else xp.tril(factor)
    adjoint = xp.conj(factor.swapaxes(-2, -1))
    return adjoint @ factor if upper else factor @ adjoint


solve_op = staged(
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    stages=both_triangles,
    reference=lambda xp, b, factor, upper: lapack.solve(xp, multiply_factor(xp, factor, upper), b),
    key="_cholesky_solve",
    method=False,
    out=False,
    doc="X of A X = self, where input2 is Cholesky's factor of A.",
)


def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    for name, x in (("b", input), ("u", L)):
        if x.dim() < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.dim()} dimensions instead")
    check_square("", L)
    if L.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {L.shape[-1]} by {L.shape[-1]} but each b "
            f"matrix is {input.shape[-2]} by {input.shape[-1]}"
        )
    if input.dtype != L.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(input)} and A of type "
            f"{type_name(L)} instead."
        )
    check_kernel("cholesky_solve_cpu", L)
    return give_result("cholesky_solve", solve_op(input, L, upper), out, strict=False)


def product_of_inverses(self: Tensor, upper: bool) -> Any:
    """The stages of cholesky_inverse."""
    inverse = triangular_op(self, ops["eye"](self.shape[-1], dtype=self.dtype, device=self.device), upper=upper)
    adjoint = ops["adjoint"](inverse)
    first, second = (inverse, adjoint) if upper else (adjoint, inverse)
    return ops["matmul"](second.mT, first.mT).mT


inverse_op = staged(
    "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    stages=product_of_inverses,
    reference=lambda xp, factor, upper: arrays.inverse(xp, multiply_factor(xp, factor, upper))[0],
    key="_cholesky_inverse",
    method=False,
    out=False,
    doc="The inverse of A, where self is Cholesky's factor of A.",
)


def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Any = None) -> Any:
    check_square("cholesky_inverse", L)
    check_kernel("cholesky_inverse_out_cpu", L)
    zero = L.diagonal(0, -2, -1) == 0
    if every_sample(zero).any().item():
        order = ops["arange"](1, L.shape[-1] + 1, device=L.device)
        position = ops["where"](zero, order, L.shape[-1] + 1).amin(-1) * zero.any(-1)
        check_invertible("cholesky_inverse", position)
    return give_result("cholesky_inverse", inverse_op(L, upper), out, strict=False)


composite(cholesky_ex, namespace="linalg")
composite(linalg_cholesky, name="cholesky", namespace="linalg")
for METHOD in (cholesky, cholesky_solve, cholesky_inverse):
    composite(METHOD, method=True)
