"""Images read at the points of a grid: affine_grid, grid_sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.dtypes.dtypes import type_name
from wengert_core.messages.short_repr import short_repr
from wengert_core.ops.nn.grid_sample_primitives import MODES, PADDING
from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


# ---- grids
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    if align_corners is None:
        warn_of_corners()
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{short_repr(list(size))}."
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size "
            f"{short_repr(list(size))}. "
            f"Got {list(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {short_repr(list(size))}")
    if align_corners and min(size[2:]) == 1:
        warn_user(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    if theta.size(0) != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {dims + 1}] but got: "
            f"[{theta.size(0)}, {dims + 1}]."
        )
    return affine_op(theta, size, bool(align_corners))[0]


def affine_grid_stages(theta: Tensor, size: Sequence[int], align_corners: bool) -> Any:
    """The stages of affine_grid: the places, and those of all pixels before they move, with a one."""
    dims = len(size) - 2
    axes = [centers(n, align_corners, theta) for n in size[2:]]
    points = list(reversed(ops["meshgrid"](*axes, indexing="ij")))
    flat = ops["stack"]([*points, ops["ones_like"](points[0])], -1).reshape(1, math.prod(size[2:]), dims + 1)
    return (flat @ theta.transpose(1, 2)).reshape(theta.size(0), *size[2:], dims), flat


def array_grid(xp: Any, dtype: Any, size: Sequence[int], align_corners: bool) -> Any:
    """Places of all pixels, and a one: [1, pixels, dims + 1]."""
    ends = [1.0 if align_corners else (n - 1) / n for n in size[2:]]
    axes = [xp.linspace(-end, end, n) if n > 1 else xp.zeros(n) for end, n in zip(ends, size[2:], strict=True)]
    points = xp.meshgrid(*axes, indexing="ij")[::-1]
    return xp.stack([*points, xp.ones_like(points[0])], -1).reshape(1, -1, len(size) - 1).astype(dtype)


def affine_grid_reference(xp: Any, theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    """The reference of affine_grid."""
    flat = array_grid(xp, theta.dtype, size, align_corners)
    return (flat @ theta.swapaxes(1, 2)).reshape(len(theta), *size[2:], len(size) - 2), flat


affine_op = TABLE.staged(
    "_affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> (Tensor result, Tensor base)",
    stages=affine_grid_stages,
    reference=affine_grid_reference,
    method=False,
    out=False,
    doc="Places of the pixels of images of that size moved by matrices theta, and as they were, as rows with a one.",
)


def centers(n: int, align_corners: bool, like: Tensor) -> Tensor:
    """The centers of n pixels, from -1 to 1: the first and last ones there, or half a pixel inside."""
    if n <= 1:
        return like.new_zeros((n,))
    at = ops["linspace"](-1, 1, n, dtype=like.dtype, device=like.device)
    return at if align_corners else at * ((n - 1) / n)


def warn_of_corners() -> None:
    """The default has changed in torch, and says so."""
    warn_user(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
    )


# ---- sampling
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    check_sampling(input, grid, mode, padding_mode)
    if align_corners is None:
        warn_of_corners()
    sampler = ops[f"_grid_sampler_{input.dim() - 2}d"]
    return sampler(input, grid, MODES.index(mode), PADDING.index(padding_mode), bool(align_corners))


def check_sampling(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    """What grid_sample refuses."""
    if input.dtype.category != 2:
        kernel = "grid_sampler3d_cpu" if input.dim() == 5 else "grid_sampler_2d_cpu_kernel_impl"
        raise not_implemented_for(kernel, input.dtype)
    if mode not in MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            f"'{mode}'"
        )
    if padding_mode not in PADDING:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if input.dtype is not grid.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected scalar type {type_name(input)} but found {type_name(grid)}: input and grid must "
            "have the same dtype"
        )
    if input.size(0) != grid.size(0):
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.size(-1) != input.dim() - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.dim() - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if input.dim() not in (4, 5) or input.dim() != grid.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with "
            f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(input.shape)}"
        )
    if mode == "bicubic" and input.dim() == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


for function in (affine_grid, grid_sample):
    TABLE.composite(function, namespace="nn.functional")
