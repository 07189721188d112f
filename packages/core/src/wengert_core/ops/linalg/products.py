"""Products made of other operations: outer, inner, kron, cross, chains of matrices."""

from __future__ import annotations

import itertools
import math
from typing import Any

from wengert_core.binding.sequences import sequence_of_tensors
from wengert_core.drivers.composite_arguments import give_result
from wengert_core.drivers.out_argument import into
from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import C_NAMES, type_name
from wengert_core.ops.copy.joining import broadcast_pair
from wengert_core.ops.linalg.linalg_checks import check_floating, check_same_dtype
from wengert_core.ops.linalg.matmul import mm
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

composite = TABLE.composite


def vector_of(name: str, which: str, x: Tensor) -> None:
    """RuntimeError unless x has one dim."""
    if x.dim() != 1:
        raise RuntimeError(f"{name}: Expected 1-D argument {which}, but got {x.dim()}-D")


def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Any:
    vector_of("outer", "self", input)
    vector_of("outer", "vec2", vec2)
    return TABLE.ops["mul"](input.reshape(input.shape[0], 1), vec2, out=out)


def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Any:
    if input.dim() == 0 or other.dim() == 0:
        return TABLE.ops["mul"](input, other, out=out)
    if input.dtype != other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    result = TABLE.ops["tensordot"](input, other, dims=([-1], [-1]))
    return result if out is None else into("inner", result, out)


def trace(input: Tensor) -> Any:
    if input.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.dim()}")
    if input.dtype.name == "bool":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    return trace_op(input)


trace_op = TABLE.staged(
    "_trace(Tensor self) -> Tensor",
    stages=lambda self: self.diagonal().sum(),
    reference=lambda xp, x: xp.trace(x),
    method=False,
    doc="The sum of a matrix's diagonal.",
)


def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Any:
    rank = max(input.dim(), other.dim())
    a, b = (1,) * (rank - input.dim()) + tuple(input.shape), (1,) * (rank - other.dim()) + tuple(other.shape)
    unsafe_view = TABLE.ops["_unsafe_view"]
    spread = unsafe_view(input, [n for size in a for n in (size, 1)]) * unsafe_view(
        other, [n for size in b for n in (1, size)]
    )
    result = unsafe_view(spread.contiguous(), [m * n for m, n in zip(a, b, strict=True)])
    return result if out is None else into("kron", result, out)


def cross_stages(input: Tensor, other: Tensor, dim: int) -> Any:
    """The stages of linalg.cross."""
    if input.dim() != other.dim():
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if input.dtype.category == 0:
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[dim]} and {other.shape[dim]}"
        )
    (a1, a2, a3), (b1, b2, b3) = input.unbind(dim), other.unbind(dim)
    if input.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {type_name(input)} but found {type_name(other)}")
    return TABLE.ops["stack"]([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], dim)


def numpy_cross(xp: Any, x: Any, other: Any, dim: int) -> Any:
    """The reference of linalg.cross."""
    a, b = (xp.moveaxis(each, dim, 0) for each in (x, other))
    parts = [a[i] * b[k] - a[k] * b[i] for i, k in ((1, 2), (2, 0), (0, 1))]
    return xp.stack(parts, dim)


cross_op = TABLE.staged(
    "linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
    stages=cross_stages,
    reference=numpy_cross,
    key="_linalg_cross",
    method=False,
    doc="The cross product of vectors of three elements along a dim.",
)


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    return give_result("linalg_cross", cross_op(input, other, dim=dim), out)


def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Any:
    if dim is None:
        warn_user(
            "Using torch.cross without specifying the dim arg is deprecated. Please either pass the dim explicitly "
            "or simply use "
            "torch.linalg.cross.")
        shape = broadcast_pair(list(input.shape), list(other.shape))
        dim = next((i for i, size in enumerate(shape) if size == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim, out=out)


def check_chain(tensors: list[Tensor]) -> None:
    """What multi_dot refuses."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for which, x in (("first", tensors[0]), ("last", tensors[-1])):
        if x.dim() not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {x.dim()}D")
    for i, x in enumerate(tensors):
        if 0 < i < len(tensors) - 1 and x.dim() != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x.dim()}D")
        if x.dtype != tensors[0].dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{C_NAMES[tensors[0].dtype.code]} and tensor {i} {C_NAMES[x.dtype.code]}"
            )
    for i, (a, b) in enumerate(itertools.pairwise(tensors)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and {list(b.shape)} cannot be "
                "multiplied"
            )


def multi_dot(tensors: Any, *, out: Any = None) -> Any:
    tensors = sequence_of_tensors("linalg_multi_dot", tensors)
    check_chain(tensors)
    row, column = tensors[0].dim() == 1, tensors[-1].dim() == 1
    chain = [
        x.unsqueeze(0) if row and i == 0 else x.unsqueeze(1) if column and i == len(tensors) - 1 else x
        for i, x in enumerate(tensors)
    ]
    result = in_best_order(chain)
    rows, columns = result.shape
    return give_result("linalg_multi_dot", result.view([rows] * (not row) + [columns] * (not column)), out)


def in_best_order(chain: list[Tensor]) -> Any:
    """Matrices multiplied in the cheapest order. Source: matrix-chain ordering, Cormen et al., section 15.2."""
    sizes = [x.shape[0] for x in chain] + [chain[-1].shape[1]]
    n = len(chain)
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            k = i + length
            cost[i][k], cut[i][k] = min(
                (cost[i][j] + cost[j + 1][k] + sizes[i] * sizes[j + 1] * sizes[k + 1], j) for j in range(i, k)
            )

    def multiply_range(i: int, k: int) -> Any:
        return chain[i] if i == k else mm(multiply_range(i, cut[i][k]), multiply_range(cut[i][k] + 1, k))

    return multiply_range(0, n - 1)


def chain_matmul(*matrices: Tensor, out: Any = None) -> Any:
    warn_user("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
              "torch.linalg.multi_dot instead, "
              "which accepts a list of two or more tensors rather than multiple parameters.")
    for x in matrices:
        if x.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {x.dim()}, expected 2 instead.")
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices, out=out)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    check_floating("linalg.vecdot", x, low=True)
    check_same_dtype("linalg.vecdot", x, y, "x", "y")
    if x.dim() == y.dim() == 1:
        return give_result("linalg_vecdot", TABLE.ops["vdot"](x, y), out, strict=False)
    return give_result("linalg_vecdot", (x.conj() * y).sum(dim), out, strict=False)


def trilinear(i1: Tensor, i2: Tensor, i3: Tensor) -> Tensor:
    """The stages of bilinear: products of pairs of elements, times all matrices as rows."""
    if i2.dtype.category == 0:
        raise not_implemented_for("bmm", i2.dtype)
    pairs = i1.size(1) * i3.size(1)
    return (i1.unsqueeze(2) * i3.unsqueeze(1)).reshape(i1.size(0), pairs) @ i2.reshape(i2.size(0), pairs).t()


trilinear_op = TABLE.staged(
    "_trilinear(Tensor i1, Tensor i2, Tensor i3) -> Tensor",
    stages=trilinear,
    reference=lambda xp, i1, i2, i3: xp.einsum("ni,kij,nj->nk", i1, i2, i3),
    method=False,
    out=False,
    doc="The product of each row of i1, all matrices i2[k] and the row of i3.",
)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for dim, (m, n) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if m != n:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {m} and {n}")
    for position, x in ((1, input1), (2, input2)):
        have, wanted = x.size(-1), weight.size(position)  # IndexError where there is no such dim
        if have != wanted:
            raise RuntimeError(
                f"bilinear(): input{position} size does not match weight size: got {have} but expected {wanted}"
            )
    tensors = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: C_NAMES[x.dtype.code] for name, x in tensors.items() if x is not None}
    if len(set(kinds.values())) > 1:
        shown = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {shown}")
    rows = math.prod(input1.shape[:-1])
    result = trilinear_op(input1.reshape(rows, input1.size(-1)), weight, input2.reshape(rows, input2.size(-1)))
    result = result.view(*input1.shape[:-1], weight.size(0))
    return result if bias is None else result + bias


for METHOD in (outer, inner, trace, kron, cross):
    composite(METHOD, method=True)
composite(chain_matmul)
composite(
    lambda input, vec2, *, out=None: outer(input, vec2, out=out),
    name="ger",
    method=True,
)
composite(bilinear)
composite(bilinear, namespace="nn.functional")

for FUNCTION, NAME in (
    (linalg_cross, "cross"),
    (multi_dot, "multi_dot"),
    (vecdot, "vecdot"),
):
    composite(FUNCTION, name=NAME, namespace="linalg")
