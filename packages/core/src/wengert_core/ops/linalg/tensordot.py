"""tensordot: sums of products over dims of two tensors, as a product of matrices."""

from __future__ import annotations

import math
from typing import Any

from wengert_core.drivers.out_argument import into
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def contracted_dims(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    """The dims that tensordot sums, of each tensor, counted from the front."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(a.dim() - dims, a.dim())), list(range(dims))
    both = written_dims(dims)
    if len(both) != 2 or len(both[0]) != len(both[1]):
        raise RuntimeError("both dimension lists should have same length")
    for x, one in zip((a, b), both, strict=True):
        for i, dim in enumerate(one):
            if not -x.dim() <= dim < x.dim():
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-x.dim()}, {x.dim() - 1}], but got {dim})"
                )
            one[i] = dim % x.dim()
            if one[i] in one[:i]:
                raise RuntimeError(f"dim {one[i]} appears multiple times in the list of dims")
    return both[0], both[1]


def written_dims(dims: Any) -> list[list[int]]:
    """The dims that tensordot sums as they are written."""
    given = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(given, int):
        return [list(range(-given, 0)), list(range(given))]
    return [[one] if isinstance(one, int) else list(one) for one in given]


@TABLE.composite
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Any:
    dims_a, dims_b = contracted_dims(a, b, dims)
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for position, (i, k) in enumerate(zip(dims_a, dims_b, strict=True)):
        m, n = a.size(i), b.size(k)
        if m != n and 1 not in (m, n):
            first, second = written_dims(dims)
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {first[position]} and second has "
                f"size {n} in dim {second[position]}"
            )
        a, b = (a.sum(i, keepdim=True) if n == 1 != m else a), (b.sum(k, keepdim=True) if m == 1 != n else b)
    free_a, free_b = [i for i in range(a.dim()) if i not in dims_a], [i for i in range(b.dim()) if i not in dims_b]
    summed = math.prod(a.size(i) for i in dims_a)
    shape = [*(a.size(i) for i in free_a), *(b.size(i) for i in free_b)]
    if not shape:
        result = TABLE.ops["dot"](a.permute(dims_a).flatten(), b.permute(dims_b).flatten()).view(shape)
        return result if out is None else into("tensordot", result, out)
    left = a.permute([*free_a, *dims_a]).reshape(math.prod(shape[: len(free_a)]), summed)
    right = b.permute([*dims_b, *free_b]).reshape(summed, math.prod(shape[len(free_a) :]))
    result = TABLE.ops["mm"](left, right).view(shape)
    return result if out is None else into("tensordot", result, out)
