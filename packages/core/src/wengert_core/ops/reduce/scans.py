"""Running sums, products and extremes along a dim."""

from __future__ import annotations

from typing import Any

from wengert_core.ops.pointwise.exponential import log_of_sum
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING_COMPLEX, REAL

along = TABLE.along


def running(name: str) -> Any:
    """The reference of cumsum and cumprod; float32 is accumulated in float64."""

    def reference(xp: Any, x: Any, dim: int) -> Any:
        wide = {"f": xp.float64, "c": xp.complex128}.get(x.dtype.kind, x.dtype)
        return getattr(xp, name)(x, axis=dim, dtype=wide).astype(x.dtype, copy=False)

    return reference


def whole(op: Any) -> Any:
    """The stages of the variant in place."""
    return lambda self, dim, dtype: op(self, dim) if dtype is None else op(self, dim, dtype=dtype)


for name in ("cumsum", "cumprod"):
    schema = f"{name}(Tensor self, int dim, *, dtype? dtype=None) -> Tensor"
    op = along(schema, reference=running(name), kernel=("scan", name), results=["sum"])
    TABLE.add(TABLE.as_a_whole(op, schema, whole(op)), f"{name}_", function=False)


def extremes(largest: bool) -> Any:
    """The reference of cummax and cummin: the best so far and where it was last seen; NaN stays."""

    def reference(xp: Any, x: Any, dim: int) -> Any:
        best = (xp.maximum if largest else xp.minimum).accumulate(x, axis=dim)
        seen = (x == best) | xp.isnan(x) if x.dtype.kind == "f" else x == best
        shape = [1] * x.ndim
        shape[dim] = x.shape[dim]
        places = xp.where(seen, xp.arange(x.shape[dim]).reshape(shape), 0)
        if x.dtype.kind == "f":  # after a NaN only a NaN counts
            places = xp.where(xp.isnan(best) & ~xp.isnan(x), 0, places)
        return best, xp.maximum.accumulate(places, axis=dim)

    return reference


for name, largest in (("cummax", True), ("cummin", False)):
    along(
        f"{name}(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        reference=extremes(largest),
        kernel=("running", name),
        dtypes=REAL,
        results=["same", "int64"],
    )


def running_log_sum(xp: Any, x: Any, dim: int) -> Any:
    """log(cumsum(exp(x))). Of complex numbers: sums of 1, 2, 4, ... elements up to each one, in as many passes."""
    if not x.size:
        return x
    if x.dtype.kind == "f":
        return xp.logaddexp.accumulate(x.astype(xp.float64), axis=dim).astype(x.dtype)
    sums = xp.array(xp.moveaxis(x, dim, 0))
    sums[0] = log_of_sum(xp, sums[0], xp.full_like(sums[0], -xp.inf))
    step = 1
    while step < len(sums):
        sums[step:] = log_of_sum(xp, sums[step:], sums[:-step])
        step *= 2
    return xp.moveaxis(sums, 0, dim)


along(
    "logcumsumexp(Tensor self, int dim) -> Tensor",
    reference=running_log_sum,
    kernel=("scan", "logcumsumexp"),
    dtypes=FLOATING_COMPLEX,
)
