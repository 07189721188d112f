"""Images read at the points of a grid: affine_grid, grid_sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from wengert_core.caution import warn_user
from wengert_core.dtypes import type_name
from wengert_core.factories import not_for
from wengert_core.ops.table import TABLE
from wengert_core.ops.upsampling import CUBIC
from wengert_core.rows.base import BOOL
from wengert_core.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
PADDING = ("zeros", "border", "reflection")


# ---- grids
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """For each pixel of images of that size its place, turned, moved and stretched by the matrices theta.

    theta: [N, 2, 3] for a size (N, C, H, W), [N, 3, 4] for (N, C, D, H, W). Gives [N, ..., 2 or 3], from -1 to 1.
    """
    if align_corners is None:
        warn_of_corners()
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{list(size)}."
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {list(size)}. Got "
            f"{list(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {list(size)}")
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


def affine_places(theta: Tensor, size: Sequence[int], align_corners: bool) -> Any:
    """The stages of affine_grid: the places, and those of all pixels before they move, with a one."""
    dims = len(size) - 2
    axes = [centres(n, align_corners, theta) for n in size[2:]]
    points = list(reversed(ops["meshgrid"](*axes, indexing="ij")))
    flat = ops["stack"]([*points, ops["ones_like"](points[0])], -1).reshape(1, math.prod(size[2:]), dims + 1)
    return (flat @ theta.transpose(1, 2)).reshape(theta.size(0), *size[2:], dims), flat


def array_grid(xp: Any, dtype: Any, size: Sequence[int], align_corners: bool) -> Any:
    """Places of all pixels, and a one: [1, pixels, dims + 1]."""
    ends = [1.0 if align_corners else (n - 1) / n for n in size[2:]]
    axes = [xp.linspace(-end, end, n) if n > 1 else xp.zeros(n) for end, n in zip(ends, size[2:], strict=True)]
    points = xp.meshgrid(*axes, indexing="ij")[::-1]
    return xp.stack([*points, xp.ones_like(points[0])], -1).reshape(1, -1, len(size) - 1).astype(dtype)


def array_places(xp: Any, theta: Any, size: Sequence[int], align_corners: bool) -> Any:
    """The reference of affine_grid."""
    flat = array_grid(xp, theta.dtype, size, align_corners)
    return (flat @ theta.swapaxes(1, 2)).reshape(len(theta), *size[2:], len(size) - 2), flat


affine_op = TABLE.staged(
    "_affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> (Tensor result, Tensor base)",
    stages=affine_places,
    reference=array_places,
    method=False,
    out=False,
    doc="Places of the pixels of images of that size moved by matrices theta, and as they were, as rows with a one.",
)


def centres(n: int, align_corners: bool, like: Tensor) -> Tensor:
    """The centres of n pixels, from -1 to 1: the first and last ones there, or half a pixel inside."""
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


# ---- places in pixels
def unnormalized(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """From [-1, 1] to pixels."""
    return (x + 1) * ((size - 1) / 2) if align_corners else ((x + 1) * size - 1) / 2


def bounded(x: Tensor, size: int) -> Tensor:
    """Held inside the image; at its edges and beyond nothing changes with x."""
    return where(x <= 0, 0, where(x >= size - 1, size - 1, x))


def reflected(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """Mirrored at the edges, as often as it takes."""
    low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
    if span == 0:
        return x * 0
    distance = (x - low).abs()
    turns = ops["floor"](distance / span)
    rest = ops["fmod"](distance, span)
    return where(ops["fmod"](turns, 2) == 0, rest + low, span - rest + low)


def padded(x: Tensor, size: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Places outside of the image brought inside; as they are for zeros."""
    if padding_mode == "zeros":
        return x
    return bounded(reflected(x, size, align_corners) if padding_mode == "reflection" else x, size)


# ---- sampling
class Reader:
    """Pixels of images at whole places; 0 outside."""

    def __init__(self, input: Tensor, points: int) -> None:
        self.sizes = list(input.shape[2:])
        self.flat = input.reshape(input.size(0), input.size(1), math.prod(self.sizes))
        self.points = points

    def at(self, places: Sequence[Tensor]) -> Tensor:
        """[N, C, points], from a place for each dim, first dim first: [N, points]."""
        inside: Any = None
        index: Any = 0
        for place, size in zip(places, self.sizes, strict=True):
            good = (place >= 0) & (place <= size - 1)
            inside = good if inside is None else inside & good
            index = index * size + where(good, place, 0).long()
        index = index.unsqueeze(1).expand(self.flat.size(0), self.flat.size(1), self.points)
        return where(inside.unsqueeze(1), self.flat.gather(2, index), 0)


def nearest(reader: Reader, places: Sequence[Tensor]) -> Tensor:
    """The nearest pixel; between two the even one."""
    return reader.at([ops["round"](x) for x in places])


def linear(reader: Reader, places: Sequence[Tensor]) -> Tensor:
    """The corners around each place, weighted."""
    low = [ops["floor"](x) for x in places]
    total: Any = 0
    for corner in product((0, 1), repeat=len(places)):
        weight: Any = 1
        for side, x, start in zip(corner, places, low, strict=True):
            weight = weight * (x - start if side else start + 1 - x)
        total = total + reader.at([start + side for side, start in zip(corner, low, strict=True)]) * weight.unsqueeze(1)
    return total


def cubic(reader: Reader, places: Sequence[Tensor], pad: Callable[[Tensor, int], Tensor]) -> Tensor:
    """Sixteen pixels around each place, weighted; each is brought inside by itself."""
    low = [ops["floor"](x) for x in places]
    weights = [cubic_weights(x - start) for x, start in zip(places, low, strict=True)]
    total: Any = 0
    for i in range(4):
        row: Any = 0
        for j in range(4):
            at = [pad(low[0] + (i - 1), 0), pad(low[1] + (j - 1), 1)]
            row = row + reader.at(at) * weights[1][j].unsqueeze(1)
        total = total + row * weights[0][i].unsqueeze(1)
    return total


def cubic_weights(share: Tensor) -> list[Tensor]:
    """The weights of the four neighbours, by the distance from the second one."""

    def near(x: Tensor) -> Tensor:
        return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1

    def far(x: Tensor) -> Tensor:
        return ((x - 5) * x + 8) * x * CUBIC - 4 * CUBIC

    return [far(share + 1), near(share), near(1 - share), far(2 - share)]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """input [N, C, H, W] (or [N, C, D, H, W]) at the places grid [N, h, w, 2] ([N, d, h, w, 3]): [N, C, h, w].

    A place is (x, y) or (x, y, z), from -1 to 1 across the image. mode: "bilinear", "nearest", or for 4-D "bicubic".
    padding_mode: what is outside: "zeros", the "border", or the image's "reflection".
    align_corners: -1 and 1 are the centres of the corner pixels, not their outer edges.
    """
    check_sampling(input, grid, mode, padding_mode)
    if align_corners is None:
        warn_of_corners()
    corners = bool(align_corners)
    shape, dims = grid.shape[1:-1], input.dim() - 2
    points = grid.reshape(grid.size(0), math.prod(shape), dims)
    sizes = list(input.shape[2:])
    places = [unnormalized(points.select(-1, dims - 1 - d), sizes[d], corners) for d in range(dims)]
    reader = Reader(input, points.size(1))
    if mode == "bicubic":
        found = cubic(reader, places, lambda x, d: padded(x, sizes[d], padding_mode, corners))
    else:
        places = [padded(x, size, padding_mode, corners) for x, size in zip(places, sizes, strict=True)]
        found = (nearest if mode == "nearest" else linear)(reader, places)
    if mode == "nearest" and getattr(grid, "requires_grad", False):
        found = found + where(ops["zeros_like"](points, dtype=BOOL[0]), points, 0).sum(-1).unsqueeze(1)  # gradient 0
    return found.reshape(input.size(0), input.size(1), *shape)


def check_sampling(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    """What grid_sample refuses."""
    if input.dtype.category != 2:
        raise not_for("grid_sampler3d_cpu" if input.dim() == 5 else "grid_sampler_2d_cpu_kernel_impl", input.dtype)
    if mode not in ("bilinear", "nearest", "bicubic"):
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
