"""Sorting along a dim, the k best, the k-th, the median."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.exchange.type_info import iinfo
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL, REAL
from wengert_core.tensors.tensor import Tensor

along = TABLE.along
ops = TABLE.ops
ORDER = ("order", "")  # the kernel of all these
NO_COMPLEX_SORT = {"complex": RuntimeError(" Sort does not support complex dtypes on CPU")}


def order(xp: Any, x: Any, dim: int, descending: bool) -> Any:
    """The places in sorted order, stable; NaN counts as the largest."""
    if not descending:
        return xp.argsort(x, axis=dim, kind="stable")
    last = x.shape[dim] - 1
    return xp.flip(last - xp.argsort(xp.flip(x, dim), axis=dim, kind="stable"), dim)


def sorted_pair(xp: Any, x: Any, dim: int, descending: bool) -> Any:
    """Values and places in sorted order."""
    indices = order(xp, x, dim, descending)
    return xp.take_along_axis(x, indices, dim), indices


sort_op = along(
    "sort(Tensor self, int dim=-1, bool descending=False, *, bool? stable=None) -> (Tensor values, Tensor indices)",
    reference=lambda xp, x, dim, descending, stable: sorted_pair(xp, x, dim, descending),
    results=["same", "int64"],
    kernel=ORDER,
    dtypes=REAL,
    refusal=NO_COMPLEX_SORT,
    keeps_order=True,
)
along(
    "argsort(Tensor self, int dim=-1, bool descending=False, *, bool stable=False) -> Tensor",
    reference=lambda xp, x, dim, descending, stable: order(xp, x, dim, descending),
    results=["int64"],
    kernel=ORDER,
    dtypes=REAL,
    refusal=NO_COMPLEX_SORT,
    no_record=True,
    keeps_order=True,
)


def best(xp: Any, x: Any, k: int, dim: int, largest: bool, sorted: bool) -> Any:
    """The k best in order. A partition finds few of many first (not of floats, whose NaN it would misplace)."""
    n = x.shape[dim]
    if not 0 <= k <= n:
        raise RuntimeError(f"selected index k out of range: topk got k={k} for a dim of size {n}")
    if x.dtype.kind == "f" or not 0 < 4 * k < n:
        indices = part(xp, order(xp, x, dim, largest), dim, 0, k)
        return xp.take_along_axis(x, indices, dim), indices
    indices = xp.argpartition(x, n - k if largest else k - 1, axis=dim)
    indices = part(xp, indices, dim, n - k, n) if largest else part(xp, indices, dim, 0, k)
    values = xp.take_along_axis(x, indices, dim)
    again = order(xp, values, dim, largest)
    return xp.take_along_axis(values, again, dim), xp.take_along_axis(indices, again, dim)


def part(xp: Any, x: Any, dim: int, start: int, end: int) -> Any:
    """x[start:end] along a dim."""
    return xp.moveaxis(xp.moveaxis(x, dim, 0)[start:end], 0, dim)


along(
    "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)",
    reference=lambda xp, x, k, dim, largest, sorted: best(xp, x, k, dim, largest, sorted),
    results=["same", "int64"],
    kernel=ORDER,
    dtypes=INTEGRAL + FLOATING,
    refusal={
        "bool": RuntimeError("topk does not support bool dtypes on CPU"),
        "complex": RuntimeError(" topk does not support complex dtypes on CPU"),
    },
)


def kth(xp: Any, x: Any, k: int, dim: int, keepdim: bool) -> Any:
    """The k-th smallest and its place."""
    if not x.shape[dim]:
        raise IndexError(f"kthvalue(): Expected reduction dim {dim} to have non-zero size.")
    if not 1 <= k <= x.shape[dim]:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {dim}: k={k}, size {x.shape[dim]}"
        )
    values, indices = sorted_pair(xp, x, dim, False)
    pair = tuple(part(xp, a, dim, k - 1, k) for a in (values, indices))
    return pair if keepdim else tuple(xp.squeeze(a, dim) for a in pair)


along(
    "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    reference=kth,
    results=["same", "int64"],
    kernel=ORDER,
    dtypes=INTEGRAL + FLOATING,
)


def middle(ignore_nan: bool) -> Any:
    """The reference of median and nanmedian: the lower one of two; a NaN decides unless ignored."""

    def reference(xp: Any, x: Any, dim: int, keepdim: bool) -> Any:
        if x.shape[dim] == 0:
            raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")
        values, indices = sorted_pair(xp, x, dim, False)
        missing = xp.sum(xp.isnan(x), axis=dim, keepdims=True)
        left = x.shape[dim] - missing
        k = (xp.maximum(left, 1) - 1) // 2
        k = k if ignore_nan else xp.where(missing > 0, left, k)  # the first NaN
        pair = tuple(xp.take_along_axis(a, k, dim) for a in (values, indices))
        return pair if keepdim else tuple(xp.squeeze(a, dim) for a in pair)

    return reference


for name, ignore in (("median", False), ("nanmedian", True)):
    along(
        f"{name}(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        key=f"{name}.dim",
        reference=middle(ignore),
        results=["same", "int64"],
        kernel=ORDER,
        dtypes=INTEGRAL + FLOATING,
    )


def whole_row(name: str) -> None:
    """The row of _median or _nanmedian: of all elements."""
    pair = ops[f"{name}.dim"]
    TABLE.staged(
        f"_{name}(Tensor self) -> Tensor",
        stages=lambda x: pair(x.reshape(-1), 0)[0],
        reference=lambda xp, x: pair.reference(xp, x.reshape(-1), 0, False)[0],
        method=False,
        doc=f"{name} of all elements; equal ones share the gradient.",
    )


whole_row("median")
whole_row("nanmedian")


def whole(name: str, input: Any, dim: Any, keepdim: Any, out: Any) -> Any:
    """Of all elements as one tensor, or along a dim as (values, indices); keepdim is None where it was left out."""
    if dim is not None:
        return ops[f"{name}.dim"](input, dim, keepdim is not None and keepdim, out=out)
    if out is not None or keepdim is not None:
        given = "out" if keepdim is None else "keepdim"
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim", which {given}= needs')
    if not input.numel():
        if input.dtype.category > 1:
            return ops["mean"](input)  # NaN
        return input.new_full((), iinfo(input.dtype).min if input.dtype.itemsize > 2 else 0)  # NaN as an integer
    return ops[f"_{name}"](input)


def median(
    input: Tensor,
    dim: int = UNSAID,
    keepdim: bool = UNSAID,
    *,
    out: Any = None,
) -> Any:
    return whole("median", input, dim, keepdim, out)


def nanmedian(
    input: Tensor,
    dim: int = UNSAID,
    keepdim: bool = UNSAID,
    *,
    out: Any = None,
) -> Any:
    return whole("nanmedian", input, dim, keepdim, out)


def msort(input: Any, *, out: Any = None) -> Any:
    pair = None if out is None else (out, out.new_empty(0, dtype=DTYPES["int64"]))
    return sort_op(input, 0, out=pair)[0]


for function in (median, nanmedian, msort):
    TABLE.composite(function, method=True)
