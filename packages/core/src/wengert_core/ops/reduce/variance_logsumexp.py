"""Spread and logarithms of sums: primitives made of several kernels, with one formula each."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.drivers.decomposed import as_dtype
from wengert_core.drivers.reduce.row_reduce import logsumexp_of_rows, variance_of_rows
from wengert_core.messages.signatures import invalid_combination
from wengert_core.ops.create.factory_functions import LEFT_OUT
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


# ---- variance
def check_variance_dtype(self: Any) -> None:
    """Only floating point numbers have a variance here."""
    if self.dtype.category < 2:
        raise RuntimeError(f"std and var only support floating point and complex dtypes: got {self.dtype.name}")


def reduced_count(self: Any, dim: Any) -> int:
    """How many elements each result comes from."""
    shape = self.shape
    if dim is None or (not hasattr(type(dim), "__index__") and not len(dim)):
        return int(self.numel())
    dims = [dim] if hasattr(type(dim), "__index__") else dim
    return math.prod(int(shape[d]) for d in dims) if shape else 1


def variance(self: Any, dim: Any, correction: Any, keepdim: bool, said: str = "var") -> Any:
    """Rows in memory by a kernel, else in two passes: the mean, then the mean of the squared distances.

    float16 and bfloat16 are computed in float32. said: the function that a warning names.
    """
    check_variance_dtype(self)
    name = self.dtype.name
    if name in ("float16", "bfloat16"):
        return as_dtype(variance(as_dtype(self, "float32"), dim, correction, keepdim, said), name)
    correction = 1 if correction is None else correction
    result = variance_of_rows(self, dim, keepdim, correction)
    left = (reduced_count(self, dim) if self.numel() else 0) - correction
    if result is None:
        distance = ops["abs"](ops["sub"](self, ops["mean"](self, dim, True)))
        total = ops["sum"](ops["mul"](distance, distance), dim, keepdim)
        result = ops["div"](total, float(left if left > 0 else 0))
    if left <= 0:
        warn_user(f"{said}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
                  "(input numel divided by output numel).")
    return result


def numpy_variance(xp: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The reference of var."""
    return xp.var(
        x,
        axis=tuple(dim) if isinstance(dim, list) else dim,
        ddof=1 if correction is None else correction,
        keepdims=keepdim,
    )


def deviation(said: str) -> Any:
    """The stages of std; said: the function that a warning names."""
    return lambda x, dim, correction, keepdim: ops["sqrt"](variance(x, dim, correction, keepdim, said))


SPREAD = "(Tensor self, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"
var_op = TABLE.staged(
    f"var{SPREAD}",
    stages=variance,
    reference=numpy_variance,
    key="var.correction",
)
std_op = TABLE.staged(
    f"std{SPREAD}",
    stages=deviation("std"),
    key="std.correction",
    reference=lambda xp, *arguments: xp.sqrt(numpy_variance(xp, *arguments)),
)


def with_mean(spread: Any) -> Any:
    """The stages of a spread and of the mean over the same dims."""

    def both(self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
        return spread(self, dim, correction, keepdim), ops["mean"](self, dim, keepdim)

    return both


def numpy_with_mean(spread: Any) -> Any:
    """The reference of the same."""

    def both(xp: Any, x: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
        mean = xp.mean(x, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim)
        return spread(xp, x, dim, correction, keepdim), mean

    return both


TWO = f"{SPREAD[:-len('Tensor')]}(Tensor result0, Tensor result1)"
var_mean_op = TABLE.staged(
    f"var_mean{TWO}",
    stages=with_mean(lambda x, dim, correction, keepdim: variance(x, dim, correction, keepdim, "var_mean")),
    reference=numpy_with_mean(numpy_variance),
    key="var_mean.correction",
    out=False,
)
std_mean_op = TABLE.staged(
    f"std_mean{TWO}",
    stages=with_mean(deviation("std_mean")),
    reference=numpy_with_mean(lambda xp, *arguments: xp.sqrt(numpy_variance(xp, *arguments))),
    key="std_mean.correction",
    out=False,
)


FORMS = (
    "(bool unbiased), (tuple of ints dim, bool unbiased, bool keepdim), "
    "(tuple of ints dim, *, Number correction, bool keepdim)"
)


def variance_arguments(name: str, dim: Any, keepdim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any, bool]:
    """(dim, correction, keepdim) from all forms of the call: var(False), var(1, False, True), var(1, correction=0).

    name: the function, for errors. Arguments that were left out are LEFT_OUT for dim, None for keepdim.
    """
    alone = isinstance(dim, bool) or (dim is LEFT_OUT and unbiased is not None)
    if (alone and ((isinstance(dim, bool) and unbiased is not None) or keepdim is not None)) or (
        correction is not None and (alone or unbiased is not None)
    ):
        raise invalid_combination(name, (None if dim is LEFT_OUT else dim, unbiased, correction, keepdim), FORMS)
    if alone:
        dim, unbiased = None, dim if unbiased is None else unbiased
    if unbiased is not None:
        correction = int(unbiased)
    return None if dim is LEFT_OUT else dim, correction, keepdim is not None and keepdim


def var(
    input: Tensor,
    dim: Any = LEFT_OUT,
    unbiased: bool = UNSAID,
    keepdim: bool = UNSAID,
    *,
    correction: Any = None,
    out: Any = None,
) -> Any:
    dim, correction, keepdim = variance_arguments("var", dim, keepdim, unbiased, correction)
    return var_op(input, dim, correction=correction, keepdim=keepdim, out=out)


def std(
    input: Tensor,
    dim: Any = LEFT_OUT,
    unbiased: bool = UNSAID,
    keepdim: bool = UNSAID,
    *,
    correction: Any = None,
    out: Any = None,
) -> Any:
    dim, correction, keepdim = variance_arguments("std", dim, keepdim, unbiased, correction)
    return std_op(input, dim, correction=correction, keepdim=keepdim, out=out)


def var_mean(
    input: Tensor,
    dim: Any = LEFT_OUT,
    unbiased: bool = UNSAID,
    keepdim: bool = UNSAID,
    *,
    correction: Any = None,
) -> Any:
    dim, correction, keepdim = variance_arguments("var_mean", dim, keepdim, unbiased, correction)
    return var_mean_op(input, dim, correction=correction, keepdim=keepdim)


def std_mean(
    input: Tensor,
    dim: Any = LEFT_OUT,
    unbiased: bool = UNSAID,
    keepdim: bool = UNSAID,
    *,
    correction: Any = None,
) -> Any:
    dim, correction, keepdim = variance_arguments("std_mean", dim, keepdim, unbiased, correction)
    return std_mean_op(input, dim, correction=correction, keepdim=keepdim)


# ---- logsumexp
def log_sum_exp(self: Any, dim: Any, keepdim: bool) -> Any:
    """From the largest element, so that nothing overflows."""
    if self.dtype.category < 2:
        self = ops["mul"](self, 1.0)
    name = self.dtype.name
    if name in ("float16", "bfloat16"):
        return as_dtype(log_sum_exp(as_dtype(self, "float32"), dim, keepdim), name)
    if not self.numel():
        return ops["log"](ops["sum"](self, dim, keepdim))
    result = logsumexp_of_rows(self, dim, keepdim)
    if result is not None:
        return result
    size = ops["real"](self) if self.dtype.category == 3 else self
    top = ops["amax"](size, dim, True)
    top = ops["where"](ops["isfinite"](top), top, 0)
    total = ops["log"](ops["sum"](ops["exp_"](ops["sub"](self, top)), dim, True))
    result = ops["add_"](total, top)
    if keepdim or not result.dim():
        return result
    return result.reshape(()) if not hasattr(type(dim), "__index__") and not len(dim) else ops["squeeze"](result, dim)


def numpy_log_sum_exp(xp: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """The reference of logsumexp."""
    axes = tuple(dim) if isinstance(dim, list) else dim
    top = xp.max(x.real, axis=axes, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0)
    total = xp.log(xp.sum(xp.exp(x - top), axis=axes, keepdims=True)) + top
    return total if keepdim else xp.squeeze(total, axes)


TABLE.staged(
    "logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
    stages=log_sum_exp,
    reference=numpy_log_sum_exp,
)


for function in (var, std, var_mean, std_mean):
    TABLE.composite(function, method=True)
for name in ("var_mean", "std_mean"):
    del TABLE.methods[name]
