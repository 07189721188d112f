"""Several tensors made one, one tensor repeated, several brought to one shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.binding.sequences import sequence_of_tensors
from wengert_core.drivers.copy.repeat_indices import repeat_indices
from wengert_core.drivers.pointwise.pointwise_checks import each_sample, is_batched
from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.dtypes.dtypes import type_name
from wengert_core.geometry.size import Size
from wengert_core.geometry.size_math import checked_numel
from wengert_core.messages.mismatches import broadcast_error
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

joining, composite = TABLE.joining, TABLE.composite

# ---- primitives: each has a formula

cat = joining(
    "cat(Tensor[] tensors, int dim=0) -> Tensor",
    way="cat",
    reference=lambda xp, arrays, dim: xp.concatenate(arrays, dim),
)
stack = joining(
    "stack(Tensor[] tensors, int dim=0) -> Tensor",
    way="stack",
    reference=lambda xp, arrays, dim: xp.stack(arrays, dim),
)
repeat = joining(
    "repeat(Tensor self, int[]* repeats) -> Tensor",
    way="repeat",
    method=True,
    function=False,
    reference=lambda xp, x, repeats: xp.tile(x, repeats),
)
TABLE.alias("concat", cat, method=False)
TABLE.alias("concatenate", cat, method=False)


# ---- cat and stack along a certain dim


def parts(name: str, tensors: Any) -> list[Tensor]:
    """The tensors as a list; RuntimeError when there are none, TypeError for what is no sequence."""
    found = sequence_of_tensors(name, tensors)
    if not found:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return found


@composite
def hstack(tensors: Any, *, out: Any = None) -> Any:
    widened = [TABLE.ops["atleast_1d"](x) for x in parts("hstack", tensors)]
    return cat(widened, 0 if widened[0].dim() == 1 else 1, out=out)


@composite
def vstack(tensors: Any, *, out: Any = None) -> Any:
    return cat([TABLE.ops["atleast_2d"](x) for x in parts("vstack", tensors)], 0, out=out)


@composite
def dstack(tensors: Any, *, out: Any = None) -> Any:
    return cat([TABLE.ops["atleast_3d"](x) for x in parts("dstack", tensors)], 2, out=out)


@composite
def column_stack(tensors: Any, *, out: Any = None) -> Any:
    widened = [x.reshape(x.numel(), 1) if x.dim() <= 1 else x for x in parts("column_stack", tensors)]
    return hstack(widened, out=out)


composite(vstack, name="row_stack")


# ---- repetition


@composite
def tile(input: Tensor, *counts: Any, dims: Any = None) -> Any:
    if any(isinstance(n, bool) for n in (*counts, dims)):
        raise TypeError("tile(): argument 'dims' (position 2) must be tuple of ints, not bool")
    counts = counts if dims is None else tuple(dims)
    counts = tuple(counts[0]) if len(counts) == 1 and not isinstance(counts[0], int) else counts
    return repeat(input, (1,) * (input.dim() - len(counts)) + tuple(counts))


def sum_of_counts(repeats: Tensor) -> int:
    """The sum of the elements, as a Python number that does not overflow. RuntimeError for a negative one."""
    if repeats.numel() == 0:
        return 0
    if repeats.min().item() < 0:
        raise RuntimeError("repeats can not be negative")
    if repeats.max().item() < (1 << 63) // repeats.numel():
        return int(repeats.sum().item())
    return sum(repeats.tolist())


def indices_of(repeats: Tensor) -> Any:
    """Each index so many times as ``repeats`` says."""
    if repeats.dtype.name not in ("int32", "int64"):
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{type_name(repeats)}': repeats must be int32 or int64"
        )
    if repeats.dim() != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    found = repeat_indices(repeats)
    if found is not None:
        return found.to(repeats.dtype)
    ops, total = TABLE.ops, sum_of_counts(repeats)
    places = ops["arange"](total, dtype=DTYPES["int64"], device=repeats.device)
    ends = ops["cumsum"](repeats, 0, dtype=DTYPES["int64"])
    return ops["searchsorted"](ends, places, right=True).to(repeats.dtype)


@composite
def repeat_interleave(
    input: Tensor | None = None, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    if is_batched(repeats) or (repeats is None and is_batched(input)):
        return each_sample(
            "repeat_interleave", lambda *given: repeat_interleave(*given, output_size=output_size), input, repeats, dim
        )
    if input is None and not isinstance(repeats, Tensor):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments - got (NoneType, "
            f"{type(repeats).__name__})"
        )
    if repeats is None or input is None:
        return indices_of(repeats if input is None else input)
    if not isinstance(repeats, (int, Tensor)) or isinstance(repeats, bool):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments - got (Tensor, "
            f"{type(repeats).__name__}): repeats must be an int or a Tensor"
        )
    if dim is None:
        input, dim = input.reshape(input.numel()), 0
    size = input.size(dim)
    if isinstance(repeats, Tensor) and repeats.numel() == 1:
        repeats = repeats.item()
    if isinstance(repeats, int):
        return repeat_parts(input, repeats, dim, output_size)
    if repeats.dim() == 1 and repeats.size(0) != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got "
            f"repeats.size(0) = {repeats.size(0)} and input.size({dim}) = {size}"
        )
    index = indices_of(repeats)
    if output_size is not None and output_size != index.numel():
        raise RuntimeError(
            f"allocated size does not match required size: output_size is {output_size}, the repeats add up to "
            f"{index.numel()}"
        )
    return input.index_select(dim, index)


def repeat_parts(x: Tensor, repeats: int, dim: int, output_size: int | None) -> Any:
    """Each part along ``dim`` so many times."""
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    dim = dim % x.dim()
    if output_size is not None and output_size != repeats * x.size(dim):
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {repeats * x.size(dim)} but got {output_size}"
        )
    shape = list(x.shape)
    spread = x.unsqueeze(dim + 1).expand(*shape[: dim + 1], repeats, *shape[dim + 1 :])
    return spread.contiguous().view(*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :])


TABLE.methods["tile"], TABLE.methods["repeat_interleave"] = tile, repeat_interleave


# ---- to one shape


@composite
def broadcast_shapes(*shapes: Any) -> Any:
    given = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    result = [1] * max((len(shape) for shape in given), default=0)
    for which, shape in enumerate(given):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] < 0 and result[i] in (1, shape[i]):
                raise ValueError(f"Attempting to broadcast a dimension with negative length! It is {shape[i]}")
            if shape[i] == 1 or shape[i] == result[i]:
                continue
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching argument at "
                    f"index {which} had {shape}; but expected shape should be broadcastable to {result}"
                )
            result[i] = shape[i]
    return Size(result)


@composite
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    listed = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape: list[int] = []
    for x in listed:
        shape = broadcast_pair(shape, list(x.shape))
    return tuple(x if list(x.shape) == shape else x.expand(shape) for x in listed)


def broadcast_pair(a: list[int], b: list[int]) -> list[int]:
    """Two shapes broadcast, with the error of an operation."""
    n = max(len(a), len(b))
    a, b = [1] * (n - len(a)) + a, [1] * (n - len(b)) + b
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != y and 1 not in (x, y):
            raise broadcast_error("broadcast_tensors", x, y, i, (a, b))
    return [y if x == 1 else x for x, y in zip(a, b, strict=True)]


@composite
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    listed = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)
    if not listed:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        warn_user("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    check_grid(listed, indexing)
    swapped = indexing == "xy" and len(listed) >= 2
    if swapped:
        listed[:2] = listed[1], listed[0]
    n, shape = len(listed), [x.numel() for x in listed]
    grids = [x.reshape([-1 if i == k else 1 for k in range(n)]).expand(shape) for i, x in enumerate(listed)]
    if swapped:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


def check_grid(tensors: list[Tensor], indexing: str | None) -> None:
    """What meshgrid refuses."""
    for x in tensors:
        if x.dim() > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x.dim()}D, {list(x.shape)}"
            )
        if x.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')


@composite
def block_diag(*tensors: Tensor) -> Any:
    blocks = []
    for i, x in enumerate(tensors):
        if x.dim() > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {x.dim()} dimensions"
            )
        blocks.append(x)
    return block_diag_op(blocks) if blocks else TABLE.ops["zeros"](1, 0)


def on_diagonal(tensors: Any, front: int = 0) -> Any:
    """The stages of block_diag. front: the dims in front of those of the matrices."""
    blocks = []
    for x in tensors:
        while x.dim() < front + 2:
            x = x.unsqueeze(front)
        blocks.append(x)
    width = sum(x.size(-1) for x in blocks)
    rows, before = [], 0
    for x in blocks:
        left, right = (x.new_zeros((*x.shape[:-1], n)) for n in (before, width - before - x.size(-1)))
        rows.append(cat([left, x, right], -1))
        before += x.size(-1)
    return cat(rows, -2)


def blocks_in_array(xp: Any, tensors: Any) -> Any:
    """The reference of block_diag."""
    blocks = [xp.atleast_2d(x) for x in tensors]
    rows = [xp.pad(x, [(0, 0), (sum(b.shape[1] for b in blocks[:i]), sum(b.shape[1] for b in blocks[i + 1 :]))])
            for i, x in enumerate(blocks)]
    return xp.concatenate(rows)


block_diag_op = TABLE.staged(
    "block_diag(Tensor[] tensors) -> Tensor",
    stages=on_diagonal,
    reference=blocks_in_array,
    key="_block_diag",
    method=False,
    out=False,
    doc="Matrices along the diagonal of a larger one, zeros elsewhere.",
)


@composite
def cartesian_prod(*tensors: Tensor) -> Any:
    for x in tensors:
        if x.dim() != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([x.reshape(-1) for x in meshgrid(*tensors, indexing="ij")], 1)


def ways(n: int, r: int) -> int:
    """The number of ways to take r of n, or something beyond 2**63 where it is."""
    count = 1
    for k in range(min(r, n - r)):
        count = count * (n - k) // (k + 1)
        if count >> 63:
            break
    return count if r <= n else 0


def choose_indices(n: int, r: int, again: bool) -> Any:
    """All ways to take r of n places, as rows in order: each place after the one before it, or that once more."""
    count = ways(n + r - 1 if again and n else n, r)
    checked_numel((count, r), 8)
    if count <= 1:
        return np.zeros((count, r), np.int64) if again else np.arange(count * r).reshape(count, r)
    rows = np.empty((count, r), np.int64)  # first: what does not fit into memory is known before there is work
    ends = [n if again else n - r + k + 1 for k in range(r)]  # what follows must find room
    places, parents = [np.arange(ends[0])], []
    for k in range(1, r):
        first = places[-1] + (not again)
        counts = ends[k] - first
        parents.append(np.repeat(np.arange(len(first)), counts))
        places.append(np.arange(len(parents[-1])) - np.repeat(np.cumsum(counts) - counts - first, counts))
    at = np.arange(count)
    for k in range(r - 1, -1, -1):
        rows[:, k] = places[k][at]
        at = parents[k - 1][at] if k else at
    return rows


@composite
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Any:
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return input.new_zeros((0,))
    rows = choose_indices(input.numel(), r, with_replacement)
    index = TABLE.ops["tensor"](rows, dtype=DTYPES["int64"], device=input.device)
    return stack([input.index_select(0, column) for column in index.unbind(1)], 1)
