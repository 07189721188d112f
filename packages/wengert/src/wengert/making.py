"""``wengert.testing.make_tensor``: random tensors for tests.

>>> import wengert_core as wc
>>> make_tensor(2, 3, dtype=wc.float32, device="cpu").shape
torch.Size([2, 3])
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

SMALLEST = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
"""The smallest normal numbers, in place of zeros that are excluded."""
MOST_WHOLE = 2**63 - 1
"""The largest bound that randint takes."""


def make_tensor(
    *shape: int | Sequence[int],
    dtype: wc.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Numbers distributed uniformly in [low, high): by default from -9 to 9, of uint8 from 0 on, of bool both.

    noncontiguous: with gaps between the elements.   exclude_zero: the smallest positive number in place of zeros.
    ValueError for bounds that are NaN or in the wrong order, and for arguments that do not go together.

    >>> bool((make_tensor(100, dtype=wc.int64, device="cpu", low=3, high=5) >= 3).all())
    True
    """
    if not isinstance(dtype, wc.dtype):
        raise TypeError(f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()")
    sizes: tuple[int, ...] = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else shape  # type: ignore[assignment]
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    if requires_grad and dtype.category < 2:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    made = fill_random(sizes, dtype, device, low, high)
    if noncontiguous and made.numel() > 1:
        made = wc.repeat_interleave(made, 2, dim=-1)[..., ::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = SMALLEST.get(dtype.to_real().name, 1)
    return made.requires_grad_() if requires_grad else made


def fill_random(sizes: tuple[int, ...], dtype: wc.dtype, device: Any, low: Any, high: Any) -> Tensor:
    """The tensor with its random numbers."""
    if dtype.category == 0:
        low, high = bounds(dtype, low, high, 0, 2, 0, 2)
        return wc.randint(math.ceil(low), math.ceil(high), sizes, device=device, dtype=dtype)
    if dtype.category == 1:
        info = wc.iinfo(dtype)
        least = 0 if info.min == 0 else -9
        low, high = bounds(dtype, low, high, least, 10, info.min, min(info.max + 1, MOST_WHOLE))
        return wc.randint(math.ceil(low), math.ceil(high), sizes, device=device, dtype=dtype)
    info_of_reals = wc.finfo(dtype.to_real())
    low, high = bounds(dtype, low, high, -9, 9, info_of_reals.min, info_of_reals.max)
    made = wc.empty(sizes, dtype=dtype, device=device)
    parts = wc.view_as_real(made) if dtype.is_complex else made
    if high - low > info_of_reals.max:  # more than a number of the dtype: halves, doubled
        parts.uniform_(low / 2, high / 2).mul_(2)
    else:
        parts.uniform_(low, high)
    return made


def bounds(dtype: Any, low: Any, high: Any, least: Any, most: Any, lowest: Any, highest: Any) -> tuple[Any, Any]:
    """low and high, by default least and most, within what the dtype holds: lowest and highest."""
    low, high = least if low is None else low, most if high is None else high
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype.category > 1:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{lowest}, {highest})"
        )
    return min(max(low, lowest), highest), max(min(high, highest), lowest)
