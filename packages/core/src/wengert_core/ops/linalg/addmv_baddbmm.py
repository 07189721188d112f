"""A product and something added: addmv, addr, baddbmm, addbmm, each one node of the graph. addmm is in matmul.py."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import check_factor
from wengert_core.dtypes.dtypes import C_NAMES, promote_types, type_name
from wengert_core.ops.linalg.matmul import bmm, mv, scaled_sum
from wengert_core.ops.linalg.products import vector_of
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def add_scaled(added: Tensor, result: Any, beta: Any, alpha: Any, wider: bool = False) -> Any:
    """beta * added + alpha * result; beta 0 ignores ``added``. wider: factors may be what 16 bits are computed in."""
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, complex) and not result.dtype.is_complex:
            raise RuntimeError(
                f"value cannot be converted to type {C_NAMES[result.dtype.code]} without overflow: {name} is {factor}"
            )
        if result.dtype.name != "bool":
            check_factor(factor, result.dtype, wider)
    beta, alpha = (int(f) if isinstance(f, bool) or result.dtype.category < 2 else f for f in (beta, alpha))
    result = result if alpha == 1 else result * alpha
    return result if beta == 0 else TABLE.ops["add"](result, added, alpha=beta)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * (mat @ vec)."""
    if mat.dim() != 2 or vec.dim() != 1 or input.dim() > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.dim()}, {mat.dim()}, {vec.dim()}")
    size = input.numel() if input.dim() else mat.shape[0]
    if mat.shape[1] != vec.shape[0] or size not in (1, mat.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({size}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not input.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{type_name(input)}, {type_name(mat)}, and {type_name(vec)}"
        )
    return add_scaled(input, mv(mat, vec), beta, alpha)


def same_dtypes(input: Tensor, batch1: Tensor, batch2: Tensor) -> None:
    """What baddbmm refuses of dtypes."""
    if input.dtype != batch1.dtype:  # of batch1 and batch2 bmm says what is wrong
        names = [C_NAMES[x.dtype.code] for x in (input, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * bmm(batch1, batch2)."""
    batch1.size(0), batch1.size(1), batch2.size(2)  # IndexError where there is no such dim
    same_dtypes(input, batch1, batch2)
    result = bmm(batch1, batch2)
    return add_scaled(input.expand(tuple(result.shape)), result, beta, alpha, wider=True)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * the sum of a batch of products."""
    batch1.size(1), batch2.size(2)  # IndexError where there is no such dim
    if batch1.dim() == batch2.dim() == 3 and batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    if input.dtype != batch1.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {type_name(input)} and {type_name(batch1)}"
        )
    result = bmm(batch1, batch2).sum(0, dtype=input.dtype)
    return add_scaled(input.expand(tuple(result.shape)), result, beta, alpha, wider=True)


def check_factors(category: int, beta: Any, alpha: Any) -> None:
    """RuntimeError for factors that results of a category (0: bool, 1: integers) are not multiplied with."""
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and category:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if isinstance(factor, (float, complex)) and category < 2:
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, beta: Any, alpha: Any) -> Any:
    """beta * input + alpha * outer(vec1, vec2)."""
    vector_of("addr", "vec1", vec1)
    vector_of("addr", "vec2", vec2)
    result = vec1.unsqueeze(1) * vec2
    result = result.to(promote_types(result.dtype, input.dtype))
    check_factors(result.dtype.category, beta, alpha)
    if not result.dtype.category:
        result = result if alpha else TABLE.ops["zeros_like"](result)
        return result.logical_or(input) if beta else result
    return add_scaled(input.expand(tuple(result.shape)), result, beta, alpha)


def plus(added: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta * added + alpha * product, of arrays."""
    return alpha * product if beta == 0 else beta * added + alpha * product


FACTORS = "*, Scalar beta=1, Scalar alpha=1) -> Tensor"
TABLE.staged(
    f"addmv(Tensor self, Tensor mat, Tensor vec, {FACTORS}",
    stages=addmv,
    reference=scaled_sum,
    inplace="function",
)
TABLE.staged(
    f"baddbmm(Tensor self, Tensor batch1, Tensor batch2, {FACTORS}",
    stages=baddbmm,
    reference=scaled_sum,
    inplace="method",
)
TABLE.staged(
    f"addbmm(Tensor self, Tensor batch1, Tensor batch2, {FACTORS}",
    stages=addbmm,
    reference=lambda xp, added, a, b, beta, alpha: plus(added, xp.matmul(a, b).sum(0), beta, alpha),
    inplace="method",
)
TABLE.staged(
    f"addr(Tensor self, Tensor vec1, Tensor vec2, {FACTORS}",
    stages=addr,
    reference=lambda xp, added, a, b, beta, alpha: plus(added, xp.outer(a, b), beta, alpha),
    inplace="method",
)
