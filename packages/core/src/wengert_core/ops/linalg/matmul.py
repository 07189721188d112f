"""Products of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

product = TABLE.product


def matrices(xp: Any, a: Any, b: Any) -> Any:
    """The reference of all plain products."""
    return xp.matmul(a, b)


# ---- primitives: each has a formula

mm = product("mm(Tensor self, Tensor mat2) -> Tensor", way="mm", reference=matrices)
bmm = product(
    "bmm(Tensor self, Tensor mat2) -> Tensor",
    way="bmm",
    reference=matrices,
)
mv = product(
    "mv(Tensor self, Tensor vec) -> Tensor", way="mv", reference=matrices
)
dot = product(
    "dot(Tensor self, Tensor tensor) -> Tensor",
    way="dot",
    reference=matrices,
)
vdot = product(
    "vdot(Tensor self, Tensor other) -> Tensor",
    way="vdot",
    reference=lambda xp, a, b: xp.matmul(xp.conj(a), b),
)


def scaled_sum(xp: Any, added: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """beta * added + alpha * (a @ b); beta 0 ignores what is added, NaN too."""
    if a.dtype.kind in "iu":
        beta, alpha = (a.dtype.type(int(factor) & 255 if a.dtype.kind == "u" else factor) for factor in (beta, alpha))
    result = xp.matmul(a, b)
    result = result if alpha == 1 else alpha * result
    return result if beta == 0 else result + (added if beta == 1 else beta * added)


addmm = product(
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    way="addmm",
    reference=scaled_sum,
    inplace=True,
)


def affine(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    """x @ weight.T + bias."""
    result = xp.matmul(x, weight.T)
    return result if bias is None else result + bias


linear = product(
    "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    way="linear",
    reference=affine,
    method=False,
    name="nn.functional.linear",
)

# ---- matmul


def compose(a: Tensor, b: Tensor, shape: tuple[int, ...]) -> Any:
    """The product of ranks that have no node of their own, as views and one product that has."""
    unsafe_view = TABLE.ops["_unsafe_view"]
    if a.dim() == 1 and b.dim() == 2:
        return mm(a.unsqueeze(0), b).squeeze(0)
    if b.dim() <= 2:
        rows = a.reshape(math.prod(a.shape[:-1]), a.shape[-1])
        return unsafe_view(mm(rows, b) if b.dim() == 2 else mv(rows, b), shape)
    a = a.unsqueeze(0) if a.dim() == 1 else a
    n, p = b.shape[-2:]
    batch = shape[: len(shape) - (1 if len(shape) < max(a.dim(), b.dim()) else 2)]
    return unsafe_view(bmm(as_batch(a, batch, a.shape[-2], n), as_batch(b, batch, n, p)), shape)


def as_batch(x: Tensor, batch: tuple[int, ...], rows: int, columns: int) -> Any:
    """Matrices broadcast to ``batch``, as [b, rows, columns]."""
    if tuple(x.shape[:-2]) != tuple(batch):
        x = x.expand(*batch, rows, columns)
    return x if len(batch) == 1 else x.reshape(math.prod(batch), rows, columns)


matmul = product(
    "matmul(Tensor self, Tensor other) -> Tensor",
    way="matmul",
    reference=matrices,
    compose=compose,
)
TABLE.composite(
    lambda input, other, *, out=None: matmul(input, other) if out is None else matmul(input, other, out=out),
    name="matmul",
    namespace="linalg",
)
