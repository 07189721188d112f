"""Products made of other operations: outer, inner, sums of products, kron, cross, chains of matrices."""

from __future__ import annotations

import itertools
from typing import Any

from wengert_core.caution import warn_user
from wengert_core.dtypes import ALL, C_NAMES, SCALAR_NAMES, promote_types, type_name
from wengert_core.ops.joining import widened
from wengert_core.ops.linalg_checks import check_floating, check_same_dtype, given
from wengert_core.ops.matmul import bmm, mm, mv
from wengert_core.ops.table import TABLE
from wengert_core.outputs import into
from wengert_core.tensor import Tensor

composite = TABLE.composite


def vector_of(name: str, which: str, x: Tensor) -> None:
    """RuntimeError unless x has one dim."""
    if x.dim() != 1:
        raise RuntimeError(f"{name}: Expected 1-D argument {which}, but got {x.dim()}-D")


def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Any:
    """The products of each element of one vector with each of another: [n, m]."""
    vector_of("outer", "self", input)
    vector_of("outer", "vec2", vec2)
    return TABLE.ops["mul"](input.unsqueeze(1), vec2, out=out)


def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Any:
    """The sums of products along the last dims of both."""
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


def expands(x: Tensor, shape: tuple[int, ...]) -> Any:
    """x expanded to a product's shape, with torch's error."""
    return x.expand(shape)


def summed(added: Tensor, result: Any, beta: Any, alpha: Any) -> Any:
    """beta * added + alpha * result; beta 0 ignores ``added``."""
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, complex) and not result.dtype.is_complex:
            raise RuntimeError(
                f"value cannot be converted to type {C_NAMES[result.dtype.code]} without overflow: {name} is {factor}"
            )
    beta, alpha = (int(f) if isinstance(f, bool) or result.dtype.category < 2 else f for f in (beta, alpha))
    result = result if alpha == 1 else result * alpha
    if beta == 0 and getattr(added, "requires_grad", False):  # its gradient is 0, and it may be infinite
        return result + added.masked_fill(TABLE.ops["ones_like"](added, dtype=ALL["bool"]), 0)
    return result if beta == 0 else TABLE.ops["add"](result, added, alpha=beta)


def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Any:
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
    result = summed(input, mv(mat, vec), beta, alpha)
    return result if out is None else into("addmv", result, out)


def same_dtypes(input: Tensor, batch1: Tensor, batch2: Tensor) -> None:
    """What baddbmm refuses of dtypes."""
    if input.dtype != batch1.dtype and batch1.dtype == batch2.dtype:  # of these two bmm says what is wrong
        names = [x.dtype.name for x in (input, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Any:
    """beta * input + alpha * bmm(batch1, batch2)."""
    batch1.size(0), batch1.size(1), batch2.size(2)  # IndexError where there is no such dim
    same_dtypes(input, batch1, batch2)
    result = bmm(batch1, batch2)
    result = summed(expands(input, tuple(result.shape)), result, beta, alpha)
    return result if out is None else into("baddbmm", result, out)


def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Any:
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
    result = summed(expands(input, tuple(result.shape)), result, beta, alpha)
    return result if out is None else into("addbmm", result, out)


def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None
) -> Any:
    """beta * input + alpha * outer(vec1, vec2)."""
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and vec1.dtype.category:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    vector_of("addr", "vec1", vec1)
    vector_of("addr", "vec2", vec2)
    result = outer(vec1, vec2)
    result = result.to(promote_types(result.dtype, input.dtype))
    result = summed(expands(input, tuple(result.shape)), result, beta, alpha)
    return result if out is None else into("addr", result, out)


def trace(input: Tensor) -> Any:
    """The sum of a matrix's diagonal."""
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
    """Kronecker's product: each element of input times the whole of other, in its place."""
    rank = max(input.dim(), other.dim())
    a, b = (1,) * (rank - input.dim()) + tuple(input.shape), (1,) * (rank - other.dim()) + tuple(other.shape)
    spread = input.reshape([n for size in a for n in (size, 1)]) * other.reshape([n for size in b for n in (1, size)])
    result = spread.reshape([m * n for m, n in zip(a, b, strict=True)])
    return result if out is None else into("kron", result, out)


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    """The cross product of vectors of three elements along ``dim``; the other dims broadcast."""
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
    result = TABLE.ops["stack"]([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], dim)
    return given("linalg_cross", result, out)


def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Any:
    """The cross product along ``dim``; without it along the first dim of size 3."""
    if dim is None:
        warn_user(
            "Using torch.cross without specifying the dim arg is deprecated. Please either pass the dim explicitly "
            "or simply use "
            "torch.linalg.cross.")
        shape = widened(list(input.shape), list(other.shape))
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
    """The product of several matrices in the cheapest order; the first and the last may be vectors."""
    tensors = list(tensors)
    check_chain(tensors)
    row, column = tensors[0].dim() == 1, tensors[-1].dim() == 1
    chain = [
        x.unsqueeze(0) if row and i == 0 else x.unsqueeze(1) if column and i == len(tensors) - 1 else x
        for i, x in enumerate(tensors)
    ]
    result = in_best_order(chain)
    result = result.squeeze(-1) if column else result
    return given("linalg_multi_dot", result.squeeze(0) if row else result, out)


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

    def multiplied(i: int, k: int) -> Any:
        return chain[i] if i == k else mm(multiplied(i, cut[i][k]), multiplied(cut[i][k] + 1, k))

    return multiplied(0, n - 1)


def chain_matmul(*matrices: Tensor, out: Any = None) -> Any:
    """multi_dot of its arguments; a single matrix is the result."""
    warn_user("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
              "torch.linalg.multi_dot instead, "
              "which accepts a list of two or more tensors rather than multiple parameters.")
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices, out=out)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Any:
    """The sums of x's conjugated elements times y's along ``dim``."""
    check_floating("linalg.vecdot", x, low=True)
    check_same_dtype("linalg.vecdot", x, y, "x", "y")
    if x.dim() == y.dim() == 1:
        return given("linalg_vecdot", TABLE.ops["vdot"](x, y), out, strict=False)
    return given("linalg_vecdot", (x.conj() * y).sum(dim), out, strict=False)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """input1 @ weight[k] @ input2 for each k, plus bias."""
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for dim, (m, n) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if m != n:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {m} and {n}")
    for place, x in ((1, input1), (2, input2)):
        have, wanted = x.size(-1), weight.size(place)  # IndexError where there is no such dim
        if have != wanted:
            raise RuntimeError(
                f"bilinear(): input{place} size does not match weight size: got {have} but expected {wanted}"
            )
    result = TABLE.ops["einsum"]("...i,kij,...j->...k", input1, weight, input2)
    return result if bias is None else result + bias


for METHOD in (outer, inner, addmv, baddbmm, addbmm, addr, trace, kron, cross):
    composite(METHOD, method=True)
composite(chain_matmul)
composite(
    lambda input, vec2, *, out=None: outer(input, vec2, out=out),
    name="ger",
    method=True,
    doc="outer, by its name in BLAS.",
)
composite(bilinear)
composite(bilinear, namespace="nn.functional")


# ---- in place
def inplace(function: Any) -> Any:
    """The function, with its result written into its first argument."""

    def changed(self: Tensor, *operands: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
        result = function(self.clone(), *operands, beta=beta, alpha=alpha)
        if result.dtype.category > self.dtype.category:
            names = [SCALAR_NAMES[x.dtype.code] for x in (result, self)]
            raise RuntimeError(f"result type {names[0]} can't be cast to the desired output type {names[1]}")
        return self.copy_(result)

    changed.__name__ = f"{function.__name__}_"
    changed.__doc__ = f"In-place version of {function.__name__}."
    return changed


for METHOD in (addmv, baddbmm, addbmm, addr):
    TABLE.methods[f"{METHOD.__name__}_"] = inplace(METHOD)
TABLE.composite(TABLE.methods["addmv_"])

for FUNCTION, NAME in (
    (linalg_cross, "cross"),
    (multi_dot, "multi_dot"),
    (vecdot, "vecdot"),
):
    composite(FUNCTION, name=NAME, namespace="linalg")
