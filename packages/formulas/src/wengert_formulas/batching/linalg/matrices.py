"""Batching rules of linear algebra, whose ops take dims in front of their matrices."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import aligned, own_batch, refused, sample_shape


@rule(
    "linalg_inv_ex", "linalg_cholesky_ex", "linalg_det", "linalg_slogdet", "linalg_matrix_exp", "linalg_eig", "_geqrf",
    "linalg_lu_factor_ex", "linalg_lu", "cholesky", "cholesky_inverse",
)
def of_matrices(call: Call) -> Any:
    if call.rank({"_geqrf": "input", "cholesky": "self", "cholesky_inverse": "self"}.get(call.name, "A")) < 2:
        raise refused(call)
    return call.run()


@rule("linalg_eigh", "linalg_svd", "linalg_qr")
def decompositions(call: Call) -> Any:
    return own_batch(call, of_matrices(call))


@rule("_lu_permutation")
def of_vectors(call: Call) -> Any:
    return call.run()


@rule("linalg_solve_ex")
def solve(call: Call) -> Any:
    """Which right sides are vectors is said by the samples' shapes; here they are matrices with one column."""
    own, right = sample_shape(call, "A"), sample_shape(call, "B")
    vector = len(right) == 1 or own[:-1] == right
    if not vector:
        a, b = aligned(call, "A", "B")
        return for_each(call, call.run(A=a, B=b))
    if not call["left"]:
        raise refused(call)
    columns = call["B"].unsqueeze(-1)
    a, b = aligned(Call(call.op, call.size, {**call.values, "B": columns}, call.batched), "A", "B")
    result, *others = for_each(call, call.run(A=a, B=b))
    return result.squeeze(-1), *others


def for_each(call: Call, results: Any) -> Any:
    """(result, info, LU, pivots); what is known of a matrix that all samples share is known in each."""
    own = sample_shape(call, "A")
    sizes = (own[:-2], own, own[:-1])
    others = (x.reshape(x.shape[0], *size).expand(call.size, *size) for x, size in zip(results[1:], sizes, strict=True))
    return results[0], *others


@rule("linalg_solve_triangular")
def solve_triangular(call: Call) -> Any:
    a, b = aligned(call, "A", "B")
    return call.run(A=a, B=b)


@rule("cholesky_solve")
def cholesky_solve(call: Call) -> Any:
    b, factor = aligned(call, "self", "input2")
    return call.run(self=b, input2=factor)


@rule("triangular_solve")
def triangular_solve(call: Call) -> Any:
    """The copy has the batch of the solution."""
    b, a = aligned(call, "self", "A")
    return call.run(self=b, A=a)


@rule("linalg_lu_solve")
def lu_solve(call: Call) -> Any:
    rank = max(call.rank("LU"), call.rank("B"))
    parts = {name: aligned(call, name, rank=rank - (name == "pivots"))[0] for name in ("LU", "pivots", "B")}
    return call.run(**parts)


@rule("lu_unpack")
def lu_unpack(call: Call) -> Any:
    return own_batch(call, call.run(LU_data=call.expanded("LU_data"), LU_pivots=call.expanded("LU_pivots")))


@rule("linalg_householder_product", "ormqr", "_eigenpairs")
def all_expanded(call: Call) -> Any:
    return call.run(**{name: call.expanded(name) for name in call.op.params if name in call.batched
                       and isinstance(call[name], Tensor)})


@rule("linalg_pinv")
def pinv(call: Call) -> Any:
    """Tolerances may be one for each matrix."""
    rank = call.rank("A") - 2
    changes = {"A": call.expanded("A")}
    for name in ("atol", "rtol"):
        if isinstance(call[name], Tensor):
            changes[name] = aligned(call, name, rank=rank)[0]
    return call.run(**changes)


@rule("linalg_lstsq")
def lstsq(call: Call) -> Any:
    solution, residuals, rank, values = call.run(A=call.expanded("A"), B=call.expanded("B"))
    residuals, values = own_batch(call, (residuals, values))
    return solution, residuals, own_batch(call, (rank,))[0] if call["driver"] == "gels" else rank, values
