"""Finding values: places in sorted boundaries, membership, positions as coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

from wengert_core.drivers.out_argument import into
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.dtypes.dtypes import SCALAR_NAMES
from wengert_core.messages.signatures import invalid_combination
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite


# ---- places in sorted boundaries
def insertion_points(xp: Any, boundaries: Any, values: Any, right: bool, sorter: Any) -> Any:
    """Where values go in rows of boundaries that are sorted (by ``sorter``, where one is given); NaN goes last."""
    if sorter is not None:
        boundaries = xp.take_along_axis(boundaries, sorter, -1)
    if boundaries.ndim > 1 or (boundaries.size and boundaries[-1] != boundaries[-1]):
        return binary_search(xp, boundaries, values, right)
    found = xp.searchsorted(boundaries, values, "right" if right else "left")
    return xp.where(xp.isnan(values), boundaries.shape[-1], found) if values.dtype.kind == "f" else found


def binary_search(xp: Any, boundaries: Any, values: Any, right: bool) -> Any:
    """Binary search in all rows at once, and where boundaries are NaN: no value comes before one."""
    size = boundaries.shape[-1]
    rows = boundaries.reshape(math.prod(boundaries.shape[:-1]), size)
    wanted = values.reshape(rows.shape[0], values.size // max(rows.shape[0], 1))
    low, high = xp.zeros(wanted.shape, xp.int64), xp.full(wanted.shape, size)
    for _ in range(size.bit_length()):
        middle = (low + high) // 2
        at = xp.take_along_axis(rows, xp.minimum(middle, size - 1), 1)
        after = (low < high) & ~(at > wanted if right else at >= wanted)
        low, high = xp.where(after, middle + 1, low), xp.where(after, high, middle)
    return low.reshape(values.shape)


search_op = TABLE.array(
    "_searchsorted(Tensor sorted_sequence, Tensor self, bool right, Tensor? sorter=None) -> Tensor",
    reference=insertion_points,
    results=("int64",),
    kernel="search",
    method=False,
    no_record=True,
    doc="Where values go in sorted rows of boundaries.",
)


def check_search(boundaries: Tensor, input: Any, sorter: Tensor | None) -> None:
    """What searchsorted refuses."""
    name = "torch.searchsorted(): "
    if sorter is not None:
        if sorter.shape != boundaries.shape:
            raise RuntimeError(
                f"{name}boundary and sorter must have the same size, but got boundary tensor {list(boundaries.shape)}"
                f"and got sorter tensor {list(sorter.shape)}"
            )
        if sorter.dtype.name != "int64":
            raise RuntimeError(
                f"{name}sorter must be a tensor of long dtype but got dtype {SCALAR_NAMES[sorter.dtype.code]}"
            )
        seen = every_sample(sorter)
        if seen.numel() and (seen.min() < 0 or seen.max() >= sorter.size(-1)):
            raise RuntimeError(f"{name}sorter index out of range: there are {sorter.size(-1)} boundaries")
    if boundaries.dim() == 0:
        raise RuntimeError(f"{name}boundaries tensor should have positive dimension, but got 0 dimension")
    if boundaries.dim() > 1 and not isinstance(input, Tensor):
        raise RuntimeError(
            f"{name}input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
            f"tensor dim({boundaries.dim()}) and input value's dim(0) numel(1)"
        )
    if boundaries.dim() > 1 and boundaries.shape[:-1] != input.shape[:-1]:
        raise RuntimeError(
            f"{name}boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
            f"value tensor must match, but we got boundaries tensor {list(boundaries.shape)} and input value tensor "
            f"{list(input.shape)}"
        )


def number(name: str, value: Any, beside: Tensor, truth: type = int) -> Any:
    """A number as a tensor on the device of another; TypeError for what is none. truth: what becomes of a bool."""
    if not isinstance(value, Number):
        raise invalid_combination(name, (value, beside), "(Tensor, Tensor), (Tensor, Number), (Number, Tensor)")
    return ops["tensor"](truth(value) if type(value).__name__ == "bool" else value, device=beside.device)


@composite
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    check_search(sorted_sequence, input, sorter)
    values = input if isinstance(input, Tensor) else number("searchsorted", input, sorted_sequence)
    both = sorted_sequence.dtype, values.dtype
    for x in (sorted_sequence, values):
        if x.dtype.category == 3 or both[0].category == both[1].category == 0:
            raise NotImplementedError(
                f"\"searchsorted_out_cpu\" not implemented for '{SCALAR_NAMES[x.dtype.code]}': it takes numbers that "
                "have an order"
            )
    if out is not None and out.dtype is not DTYPES["int32" if out_int32 else "int64"]:
        raise RuntimeError(
            "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending "
            f"on whether out_int32 flag is True, but we got output tensor's dtype {SCALAR_NAMES[out.dtype.code]} and "
            f"out_int32 flag is {out_int32}"
        )
    found = search_op(sorted_sequence, values, right or side == "right", sorter)
    if out_int32:
        found = found.to(DTYPES["int32"])
    return found if out is None else into("searchsorted", found, out)


@composite
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Tensor | None = None
) -> Tensor:
    if boundaries.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


# ---- membership
def members(xp: Any, elements: Any, among: Any, invert: bool) -> Any:
    """Whether each element is among others. Few are compared with each, more by sorting."""
    if among.size < 16:
        found = (elements[..., None] == among.reshape(-1)).any(-1)
        return ~found if invert else found
    return xp.isin(elements, among, invert=invert)


members_op = TABLE.array(
    "_isin(Tensor self, Tensor test_elements, bool invert) -> Tensor",
    reference=members,
    results=("bool",),
    method=False,
    no_record=True,
    doc="Whether each element is among others.",
)


def member(name: str, value: Any, beside: Tensor) -> Tensor:
    """A number as a tensor that is compared with another one: in that one's dtype, where it is a floating one."""
    found: Tensor = number(name, value, beside, bool)
    return found.to(beside.dtype) if beside.dtype.category == 2 and found.dtype.category in (1, 2) else found


@composite
def isin(
    elements: Any,
    test_elements: Any,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        expected = "(Tensor, Tensor), (Scalar, Tensor), (Tensor, Scalar)"
        raise invalid_combination("isin", (elements, test_elements), expected)
    if not isinstance(elements, Tensor):
        elements = member("isin", elements, test_elements)
    elif not isinstance(test_elements, Tensor):
        test_elements = member("isin", test_elements, elements)
    for x in (elements, test_elements):
        if x.dtype.category in (0, 3):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {SCALAR_NAMES[x.dtype.code]}")
    found = members_op(elements, test_elements, invert)
    return found if out is None else into("isin", found, out)


# ---- positions as coordinates
@composite
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    if indices.dtype.category != 1:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = (shape,) if isinstance(shape, int) else shape
    if not isinstance(sizes, Sequence) or not all(isinstance(n, int) for n in sizes):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    if 0 in sizes and indices.numel():
        raise RuntimeError(f"ZeroDivisionError: unravel_index got a shape without elements: {tuple(sizes)}")
    found = []
    left = indices.to(DTYPES["int64"])
    for size in reversed(sizes):
        found.append(ops["remainder"](left, max(size, 1)))
        left = ops["floor_divide"](left, max(size, 1))
    return tuple(reversed(found))
