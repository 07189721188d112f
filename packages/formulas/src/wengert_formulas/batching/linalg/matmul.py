"""Batching rules of products: matmul, whose own broadcasting takes the batch."""

from __future__ import annotations

from typing import Any

from wengert_core import TABLE

from wengert_formulas.batching.calls.call import Call, rule
from wengert_formulas.batching.calls.layout import op_errors
from wengert_formulas.batching.view.views import pad_rank

matmul = TABLE.ops["matmul"]


def product(first: Any, first_batched: bool, second: Any, second_batched: bool) -> Any:
    """The matrix product of two tensors, each of which may have a batch in front."""
    rank, other = first.dim() - first_batched, second.dim() - second_batched
    if not rank or not other:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {rank}D and {other}D")
    if rank == 1:
        first = first.unsqueeze(-2)
    if other == 1:
        second = second.unsqueeze(-1)
    wanted = max(rank, other, 2)
    if first_batched:
        first = pad_rank(first, max(rank, 2), wanted)
    if second_batched:
        second = pad_rank(second, max(other, 2), wanted)
    found = matmul(first, second)
    if rank == 1:
        found = found.squeeze(-2)
    return found.squeeze(-1) if other == 1 else found


def check_ranks(call: Call, names: tuple[str, str], wanted: tuple[int, int], what: str) -> None:
    for name, rank in zip(names, wanted, strict=True):
        if call.rank(name) != rank:
            raise RuntimeError(what.format(*(call.rank(each) for each in names)))


PAIRS: dict[str, tuple[str, str, int, int, str]] = {
    "mm": ("self", "mat2", 2, 2, "mm: self must be a matrix and mat2 must be a matrix, got {}D and {}D tensors"),
    "bmm": ("self", "mat2", 3, 3, "batch1 must be a 3D tensor and batch2 must be a 3D tensor, got {}D and {}D tensors"),
    "mv": ("self", "vec", 2, 1, "vector + matrix @ vector expected, got {}D and {}D tensors"),
    "dot": ("self", "tensor", 1, 1, "1D tensors expected, but got {}D and {}D tensors"),
    "vdot": ("self", "other", 1, 1, "1D tensors expected, but got {}D and {}D tensors"),
}


@rule(*PAIRS)
def pair(call: Call) -> Any:
    first, second, rank, other, what = PAIRS[call.name]
    check_ranks(call, (first, second), (rank, other), what)
    left, right = call[first], call[second]
    if call.name == "vdot" and left.is_complex():
        left = left.conj()
    sizes = left.shape[-1], right.shape[-2 if other > 1 else -1]
    if sizes[0] != sizes[1]:
        raise RuntimeError(f"{call.name}: inconsistent tensor size, expected sizes that agree, got {sizes[0]} and "
                           f"{sizes[1]}: mat1 and mat2 shapes cannot be multiplied")
    if left.dtype != right.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {left.dtype} != {right.dtype}")
    return product(left, call.batched[first], right, call.batched[second])


@rule("matmul")
def general(call: Call) -> Any:
    return product(call["self"], call.batched["self"], call["other"], call.batched["other"])


SUMS: dict[str, tuple[str, str, int, int, int]] = {
    "addmm": ("mat1", "mat2", 2, 2, 2),
    "addmv": ("mat", "vec", 2, 1, 1),
    "baddbmm": ("batch1", "batch2", 3, 3, 3),
    "addbmm": ("batch1", "batch2", 3, 3, 2),
    "addr": ("vec1", "vec2", 1, 1, 2),
}
"""The factors of a product with something added, their ranks and that of the product."""


@rule("addmm")
def batch_added(call: Call) -> Any:
    name = call.name.removesuffix("_") if call.op.is_inplace else call.name
    first, second, rank, other, whole = SUMS[name]
    if (call.rank(first), call.rank(second)) != (rank, other):
        raise op_errors(call)
    left, right, value = call[first], call[second], call["self"]
    if name == "addr":
        found = left.unsqueeze(-1) * right.unsqueeze(-2)
    elif value.dtype != left.dtype or right.dtype != left.dtype:
        raise op_errors(call)
    else:
        found = product(left, call.batched[first], right, call.batched[second])
        found = found.sum(-3) if name == "addbmm" else found
    if call["alpha"] != 1:
        found = found * call["alpha"]
    if call["beta"] == 0 and not call.op.is_inplace:
        return found if call.batched[first] or call.batched[second] else call.expand(found)
    if call.op.is_inplace:
        return value.copy_(found) if call["beta"] == 0 else value.mul_(call["beta"]).add_(found)
    if call.batched["self"]:
        value = pad_rank(value, call.rank("self"), whole)
    return (value if call["beta"] == 1 else value * call["beta"]) + found


@rule("linear")
def linear(call: Call) -> Any:
    weight, bias = call["weight"], call["bias"]
    rank = call.rank("input")
    if not call.batched["weight"] and not call.batched["bias"] and rank:
        return call.run()
    if call.rank("weight") == 2:
        weight = weight.mT
    found = product(call["input"], call.batched["input"], weight, call.batched["weight"])
    if bias is None:
        return found
    if call.batched["bias"]:
        batched = call.batched["input"] or call.batched["weight"]
        bias = pad_rank(bias, call.rank("bias"), found.dim() - batched)
    return found + bias
