"""Determinants."""

from __future__ import annotations

from typing import Any

from wengert_core.ops import linalg_lapack as lapack
from wengert_core.ops.linalg_checks import all_given, check_floating, check_kernel, check_square, given
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

array, composite, ops = TABLE.array, TABLE.composite, TABLE.ops


det_op = array(
    "linalg_det(Tensor A) -> Tensor",
    reference=lapack.det,
    results=("array",),
    method=False,
    doc="The determinant.",
)
slogdet_op = array(
    "linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
    reference=lapack.slogdet,
    results=("array", "array"),
    method=False,
    doc="The determinant's sign (or phase) and the logarithm of its size.",
)


def check_determined(name: str, A: Any) -> None:
    """What determinants refuse."""
    check_square(name, A)
    if A.dtype.category < 2:
        check_floating(name, A)
    check_kernel("lu_cpu", A)


def linalg_det(A: Tensor, *, out: Any = None) -> Any:
    """The determinant of square matrices."""
    check_determined("linalg.det", A)
    return given("linalg_det", det_op(A), out)


def det(input: Tensor) -> Any:
    """The determinant of square matrices."""
    return linalg_det(input)


def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """(sign, logabsdet): the determinant is sign * exp(logabsdet); 0 and -inf for a singular matrix."""
    check_determined("linalg.slogdet", A)
    return all_given("linalg_slogdet", slogdet_op(A), ("sign", "logabsdet"), out)


def slogdet(input: Tensor, *, out: Any = None) -> Any:
    """(sign, logabsdet) of the determinant."""
    check_determined("linalg.slogdet", input)
    return all_given("slogdet", slogdet_op(input), ("sign", "logabsdet"), out)


def logdet(input: Tensor) -> Any:
    """The logarithm of the determinant: -inf when it is 0, NaN when it is negative."""
    check_determined("logdet", input)
    sign, size = slogdet_op(input)
    if input.dtype.category == 3:
        return sign.log() + size
    return ops["where"](sign == -1, float("nan"), size)


composite(linalg_det, name="det", namespace="linalg")
composite(linalg_slogdet, name="slogdet", namespace="linalg")
for METHOD in (det, slogdet, logdet):
    composite(METHOD, method=True)
