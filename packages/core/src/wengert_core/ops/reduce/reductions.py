"""Reductions: sums, means, products, extremes, truth, and what is made of them."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.drivers.memory_overlap import check_outputs
from wengert_core.drivers.out_argument import into
from wengert_core.drivers.reduce.mapped import reduce_mapped
from wengert_core.dtypes.dtypes import C_NAMES, SCALAR_NAMES
from wengert_core.messages.short_repr import short_repr
from wengert_core.messages.signatures import invalid_combination
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL, REAL
from wengert_core.tensors.named_tuple import result_type
from wengert_core.tensors.tensor import Tensor

along, reduction = TABLE.along, TABLE.reduction
ops = TABLE.ops

sum_ = reduction(
    "sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
    kernel="sum",
    kind="sum",
    reference=lambda xp, x, axes, keep: xp.sum(x, axis=axes, keepdims=keep),
    dim_first=True,
)
mean = reduction(
    "mean(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
    kernel="sum",
    kind="mean",
    reference=lambda xp, x, axes, keep: xp.sum(x, axis=axes, keepdims=keep),
    dim_first=True,
)
reduction(
    "prod(Tensor self, int dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
    kernel="prod",
    kind="sum",
    reference=lambda xp, x, axes, keep: xp.prod(x, axis=axes, keepdims=keep),
    dim_first=True,
)
amax = reduction(
    "amax(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kernel="amax",
    kind="same",
    dtypes=REAL,
    reference=lambda xp, x, axes, keep: xp.max(x, axis=axes, keepdims=keep),
)
amin = reduction(
    "amin(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kernel="amin",
    kind="same",
    dtypes=REAL,
    reference=lambda xp, x, axes, keep: xp.min(x, axis=axes, keepdims=keep),
)
for name in ("max", "min"):
    reduction(
        f"_{name}(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
        kernel=f"a{name}",
        kind="same",
        dtypes=REAL,
        reference=TABLE.ops[f"a{name}"].reference,
        method=False,
        doc=f"{name} of all elements: as a{name}, but a node of its own name, and NaNs share the gradient.",
    )
reduction(
    "any(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kernel="any",
    kind="truth",
    no_record=True,
    reference=lambda xp, x, axes, keep: xp.any(x, axis=axes, keepdims=keep),
)
reduction(
    "all(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kernel="all",
    kind="truth",
    no_record=True,
    reference=lambda xp, x, axes, keep: xp.all(x, axis=axes, keepdims=keep),
)


count_op = reduction(
    "_count_nonzero(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    kernel="count",
    kind="count",
    no_record=True,
    reference=lambda xp, x, axes, keep: xp.sum(x != 0, axis=axes, keepdims=keep),
    method=False,
    doc="How many elements are not zero.",
)


# ---- where the extremes are
def not_empty(name: str, x: Any, dim: int | None) -> None:
    """The place of the largest of nothing is an error."""
    if dim is None and x.size == 0:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if dim is not None and x.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def arg_reference(name: str) -> Any:
    """The reference of argmax and argmin: the first place of the extreme, or of a NaN."""

    def reference(xp: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
        not_empty(name, x, dim)
        found = getattr(xp, name)(x, axis=dim)
        if not keepdim:
            return found
        return xp.reshape(found, [1] * x.ndim) if dim is None else xp.expand_dims(found, dim)

    return reference


def extreme(name: str) -> Any:
    """The reference of max and min along a dim: values and places."""

    def reference(xp: Any, x: Any, dim: int, keepdim: bool) -> Any:
        not_empty(name, x, dim)
        places = xp.expand_dims(getattr(xp, f"arg{name}")(x, axis=dim), dim)
        values = xp.take_along_axis(x, places, dim)
        return (values, places) if keepdim else (xp.squeeze(values, dim), xp.squeeze(places, dim))

    return reference


for name in ("argmax", "argmin"):
    along(
        f"{name}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        reference=arg_reference(name),
        results=["int64"],
        dtypes=INTEGRAL + FLOATING,
        no_record=True,
        kernel=("index", name),
        refusal={
            "bool": RuntimeError(f"{name}(): does not support bool input"),
            "complex": RuntimeError(f"{name}(): does not support complex input"),
        },
    )
max_dim = along(
    "max(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    key="max.dim",
    reference=extreme("max"),
    kernel=("extreme", "max"),
    results=["same", "int64"],
    dtypes=REAL,
    refusal={"complex": RuntimeError("max(): does not support complex input")},
)
min_dim = along(
    "min(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    key="min.dim",
    reference=extreme("min"),
    kernel=("extreme", "min"),
    results=["same", "int64"],
    dtypes=REAL,
    refusal={"complex": RuntimeError("min(): does not support complex input")},
)


def whole_or_along(name: str, input: Any, dim: Any, keepdim: Any, other: Any, out: Any) -> Any:
    """max and min: of two tensors, of all elements, or along a dim; keepdim is None where it was left out."""
    if other is None and hasattr(dim, "data_ptr"):
        dim, other = None, dim
    if dim is not None and other is None:
        return ops[f"{name}.dim"](input, dim, keepdim is not None and keepdim, out=out)
    if keepdim is not None:
        raise invalid_combination(name, (input, other, keepdim), "(int dim, bool keepdim), as keepdim needs a dim")
    if other is not None:
        return ops[f"{name}imum"](input, other, out=out)
    if not hasattr(input, "numel"):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if not input.numel():
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    return ops[f"_{name}"](input, out=out)


def max(
    input: Tensor,
    dim: int | Tensor = UNSAID,
    keepdim: bool = UNSAID,
    *,
    other: Any = None,
    out: Any = None,
) -> Any:
    return whole_or_along("max", input, dim, keepdim, other, out)


def min(
    input: Tensor,
    dim: int | Tensor = UNSAID,
    keepdim: bool = UNSAID,
    *,
    other: Any = None,
    out: Any = None,
) -> Any:
    return whole_or_along("min", input, dim, keepdim, other, out)


aminmax_op = TABLE.staged(
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    stages=lambda self, dim, keepdim: (amin(self, dim, keepdim), amax(self, dim, keepdim)),
    reference=lambda xp, x, dim, keepdim: tuple(f(x, axis=dim, keepdims=keepdim) for f in (xp.min, xp.max)),
    key="_aminmax",
    method=False,
    out=False,
    doc="The smallest and the largest.",
)


def check_pair(name: str, input: Any, out: Any) -> None:
    """out= must be two tensors of the input's dtype."""
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}: {name}() writes the two extremes")
    for i, part in enumerate(out):
        if not isinstance(part, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 3, but got {type(part).__name__}")
        if part.dtype is not input.dtype:
            raise RuntimeError(
                f"Expected out tensor to have dtype {C_NAMES[input.dtype.code]}, but got {C_NAMES[part.dtype.code]} "
                "instead"
            )


def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    out: Any = None,
) -> Any:
    if dim is None and not input.numel():
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity: input has the "
            f"shape {list(input.shape)}"
        )
    if out is not None:
        check_pair("aminmax", input, out)
        check_outputs("aminmax", out)
        both = aminmax_op(input, dim=dim, keepdim=keepdim)  # before the input may be written to
        pair = [into("aminmax", extreme, given) for extreme, given in zip(both, out, strict=True)]
        return result_type("aminmax_out", ("min", "max"))(pair)
    return result_type("aminmax", ("min", "max"))(aminmax_op(input, dim=dim, keepdim=keepdim))


# ---- made of others
def sum_of_numbers(self: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """The stages of nansum."""
    if self.dtype.category == 3:
        raise RuntimeError("nansum on CPU does not support complex inputs")
    total = reduce_mapped(self, "nansum", dim, keepdim) if dtype is None or dtype is self.dtype else None
    if total is not None:
        return total
    numbers = ops["_nan_to_num"](self, 0, math.inf, -math.inf) if self.dtype.category == 2 else self
    return sum_(numbers, dim, keepdim, dtype=dtype)


nansum_op = TABLE.staged(
    "nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor",
    stages=sum_of_numbers,
    reference=lambda xp, x, dim, keepdim, dtype: xp.nansum(
        x, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim
    ),
    key="_nansum",
    method=False,
    doc="The sum of what is not NaN.",
)


def nansum(
    input: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    return nansum_op(input, dim, keepdim, dtype=dtype, out=out)


def nanmean(
    input: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    if input.dtype.category < 2:
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{SCALAR_NAMES[input.dtype.code]}"
        )
    if input.dtype.category == 3:
        raise RuntimeError("nansum on CPU does not support complex inputs: nanmean is made of it")
    total = nansum_op(input, dim, keepdim, dtype=dtype)
    plain = input.detach()
    return ops["div"](total, sum_(ops["eq"](plain, plain), dim, keepdim), out=out)


def count_nonzero(input: Any, dim: Any = None) -> Any:
    return count_op(input, dim)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """self summed over the dims that a tensor of that size would be expanded in: the gradient of expand. self itself
    when it has the size.
    """
    wanted = tuple(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    have = tuple(self.shape)
    extra = len(have) - len(wanted)
    if extra < 0 or any(n not in (1, m) for n, m in zip(wanted, have[extra:], strict=True)):
        raise RuntimeError(f"size {{{short_repr(list(wanted))}}} is not expandable to size {{{list(have)}}}.")
    if wanted == have:
        return self
    dims = [extra + i for i, (n, m) in enumerate(zip(wanted, have[extra:], strict=True)) if n != m]
    summed = sum_(self, [*range(extra), *dims], keepdim=True)
    return summed.view(wanted) if extra else summed


TABLE.methods["sum_to_size"] = sum_to_size

for function in (max, min, aminmax, nansum, nanmean, count_nonzero):
    TABLE.composite(function, method=True)
