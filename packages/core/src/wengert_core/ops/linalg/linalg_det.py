"""Determinants."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import give_result, give_results
from wengert_core.ops.linalg import linalg_reference as arrays
from wengert_core.ops.linalg.linalg_checks import check_floating, check_kernel, check_square
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

factoring, composite, ops = TABLE.factoring, TABLE.composite, TABLE.ops


def det_factors(xp: Any, a: Any) -> tuple[Any, Any, Any, Any]:
    """(LU, pivots, the diagonal of U, the sign of the swaps)."""
    LU, pivots, _ = arrays.lu_factor(xp, a)
    swaps = (pivots != xp.arange(1, a.shape[-1] + 1)).sum(-1)
    return LU, pivots, xp.diagonal(LU, 0, -2, -1), 1 - 2 * (swaps % 2)


def determinant(xp: Any, a: Any) -> tuple[Any, Any, Any]:
    """The reference of det."""
    LU, pivots, diagonal, sign = det_factors(xp, a)
    return (diagonal.prod(-1) * sign).astype(a.dtype), LU, pivots


def logarithm(xp: Any, a: Any) -> tuple[Any, Any, Any, Any]:
    """The reference of slogdet."""
    LU, pivots, diagonal, sign = det_factors(xp, a)
    size = abs(diagonal)
    phases = diagonal / xp.where(size == 0, 1, size) if a.dtype.kind == "c" else xp.sign(diagonal)
    return (phases.prod(-1) * sign).astype(a.dtype), xp.log(size).sum(-1), LU, pivots


det_op = factoring(
    "linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    way="det",
    reference=determinant,
    results=("array", "columns", "array"),
)
slogdet_op = factoring(
    "linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
    way="slogdet",
    reference=logarithm,
    results=("array", "array", "columns", "array"),
)


def check_determined(name: str, A: Any) -> None:
    """What determinants refuse."""
    check_square(name, A)
    if A.dtype.category < 2:
        check_floating(name, A)
    check_kernel("lu_cpu", A)


def linalg_det(A: Tensor, *, out: Any = None) -> Any:
    check_determined("linalg.det", A)
    return give_result("linalg_det", det_op(A)[0], out)


def det(input: Tensor) -> Any:
    return linalg_det(input)


def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    check_determined("linalg.slogdet", A)
    return give_results("linalg_slogdet", slogdet_op(A)[:2], ("sign", "logabsdet"), out)


def slogdet(input: Tensor, *, out: Any = None) -> Any:
    check_determined("linalg.slogdet", input)
    return give_results("slogdet", slogdet_op(input)[:2], ("sign", "logabsdet"), out)


def logdet(input: Tensor) -> Any:
    check_determined("logdet", input)
    sign, size = slogdet_op(input)[:2]
    if input.dtype.category == 3:
        return sign.log() + size
    return ops["where"](sign == -1, float("nan"), size)


composite(linalg_det, name="det", namespace="linalg")
composite(linalg_slogdet, name="slogdet", namespace="linalg")
for METHOD in (det, slogdet, logdet):
    composite(METHOD, method=True)
