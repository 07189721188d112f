"""The same elements in another order, and triangles of matrices."""

from __future__ import annotations

from typing import Any

from wengert_core.messages.short_repr import short_repr
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import driver
from wengert_core.tensors.tensor import Tensor

array, composite = TABLE.array, TABLE.composite


def dims_of(dims: Any, ndim: int) -> tuple[int, ...]:
    """Dims counted from the front, checked; torch's errors."""
    wrapped = []
    for dim in (dims,) if isinstance(dims, int) else tuple(dims):
        if not -max(ndim, 1) <= dim < max(ndim, 1):
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-max(ndim, 1)}, {max(ndim, 1) - 1}], but got "
                f"{dim})"
            )
        wrapped.append(dim % max(ndim, 1))
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return tuple(wrapped) if ndim else ()


def roll(xp: Any, x: Any, shifts: Any, dims: Any) -> Any:
    """The reference of roll."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    dims = () if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not x.size and len(shifts) == 1:
        return x
    if not x.ndim and dims:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not dims and len(shifts) == 1:
        return xp.roll(x, shifts[0])
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    for dim in dims:
        dims_of(dim, x.ndim)
    return xp.roll(x, shifts, dims)


TABLE.flipping(
    "flip(Tensor self, int[]* dims) -> Tensor",
    reference=lambda xp, x, dims: xp.flip(x, dims_of(dims, x.ndim)),
)
ROLL = array(
    "roll(Tensor self, int[] shifts, int[]? dims=None) -> Tensor",
    reference=roll,
    widen="",
    order="channels",
)
driver("copy.roll").configure(ROLL)
for NAME in ("tril", "triu"):
    TABLE.triangle(
        f"{NAME}(Tensor self, int diagonal=0) -> Tensor",
        reference=lambda xp, x, diagonal, name=NAME: getattr(xp, name)(x, diagonal),
        lower=NAME == "tril",
    )


@composite
def fliplr(input: Tensor) -> Tensor:
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return TABLE.ops["flip"](input, (1,))


@composite
def flipud(input: Tensor) -> Tensor:
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return TABLE.ops["flip"](input, (0,))


def rot90_stages(self: Tensor, k: int, dims: Any) -> Tensor:
    """The stages of rot90."""
    if self.dim() < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.dim()}")
    dims = (dims,) if isinstance(dims, int) else dims
    if len(dims) != 2 or dims_of(dims, self.dim())[0] == dims_of(dims, self.dim())[1]:
        raise RuntimeError(f"expected total rotation dims == 2 and different, but got dims = {short_repr(list(dims))}")
    flip = TABLE.ops["flip"]
    first, second = map(int, dims)
    if k % 4 == 1:
        return flip(self, (second,)).transpose(first, second)
    if k % 4 == 2:
        return flip(self, (first, second))
    if k % 4 == 3:
        return flip(self, (first,)).transpose(first, second)
    return self.clone()


TABLE.staged(
    "rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor",
    stages=rot90_stages,
    reference=lambda xp, x, k, dims: xp.rot90(x, k, dims),
    out=False,
)


for NAME in ("fliplr", "flipud"):
    TABLE.methods[NAME] = TABLE.ops[NAME]
