"""Batching rules of inverses and systems."""

from __future__ import annotations

from typing import Any

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import align, op_errors, sample_shape
from wengert_formulas.batching.calls.matrices import of_matrices

rule("linalg_inv_ex")(of_matrices)


@rule("linalg_solve_ex")
def solve(call: Call) -> Any:
    """The samples' shapes say which right sides are vectors; here they are matrices with one column."""
    own, right = sample_shape(call, "A"), sample_shape(call, "B")
    vector = len(right) == 1 or own[:-1] == right
    if not vector:
        a, b = align(call, "A", "B")
        return for_each(call, call.run(A=a, B=b))
    if not call["left"]:
        raise op_errors(call)
    columns = call["B"].unsqueeze(-1)
    a, b = align(Call(call.op, call.size, {**call.values, "B": columns}, call.batched), "A", "B")
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
    a, b = align(call, "A", "B")
    return call.run(A=a, B=b)


@rule("triangular_solve")
def triangular_solve(call: Call) -> Any:
    """The copy has the batch of the solution."""
    b, a = align(call, "self", "A")
    return call.run(self=b, A=a)
