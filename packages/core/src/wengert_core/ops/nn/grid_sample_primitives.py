"""The primitives of grid_sample: pixels read at places between them.

Along each dim a place has a few taps: pixels and their weights (one for "nearest", two for "bilinear", four for
"bicubic"). What is read is the sum over all choices of a tap for each dim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.drivers.nn.resampling import sample_grid, sample_grid_back, sample_grid_move
from wengert_core.ops.nn.upsampling import CUBIC
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
MODES = ("bilinear", "nearest", "bicubic")
PADDING = ("zeros", "border", "reflection")
LINEAR, NEAREST, BICUBIC = range(3)
BORDER, REFLECTION = 1, 2


# ---- places along a dim, in pixels
def unnormalize(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """From [-1, 1] to pixels."""
    return (x + 1) * ((size - 1) / 2) if align_corners else ((x + 1) * size - 1) / 2


def clip_coordinates(x: Tensor, size: int) -> Tensor:
    """Held inside the image; at its edges and beyond nothing changes with x."""
    return where(x <= 0, 0, where(x >= size - 1, size - 1, x))


def mirrors(size: int, align_corners: bool) -> tuple[float, float]:
    """Where the first edge is, and how far from it the other."""
    return (0.0, float(size - 1)) if align_corners else (-0.5, float(size))


def reflect_coordinates(x: Tensor, size: int, align_corners: bool) -> Tensor:
    """Mirrored at the edges, as often as it takes."""
    low, span = mirrors(size, align_corners)
    if span == 0:
        return x * 0
    distance = (x - low).abs()
    rest = ops["fmod"](distance, span)
    return where(is_mirrored(distance, span), span - rest + low, rest + low)


def is_mirrored(distance: Tensor, span: float) -> Tensor:
    """Whether a place so far from the first edge ends up in a mirrored image."""
    return ops["fmod"](ops["floor"](distance / span), 2) != 0


def apply_padding_mode(x: Tensor, size: int, padding: int, align_corners: bool) -> Tensor:
    """Places outside of the image brought inside; as they are for zeros."""
    if padding == 0:
        return x
    return clip_coordinates(reflect_coordinates(x, size, align_corners) if padding == REFLECTION else x, size)


def padding_mode_slope(x: Tensor, size: int, padding: int, align_corners: bool) -> Any:
    """The derivative of padded: 1, -1 or 0."""
    if padding == 0:
        return 1
    slope: Any = 1
    if padding == REFLECTION:
        low, span = mirrors(size, align_corners)
        if span == 0:
            return 0
        slope = (x - low).sgn()
        slope = where(is_mirrored((x - low).abs(), span), -slope, slope)
        x = reflect_coordinates(x, size, align_corners)
    return where((x <= 0) | (x >= size - 1), 0, slope)


# ---- taps along a dim
def near(x: Any) -> Any:
    """The weight of a pixel less than one away."""
    return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1


def far(x: Any) -> Any:
    """The weight of a pixel between one and two away."""
    return ((x - 5) * x + 8) * x * CUBIC - 4 * CUBIC


def near_slope(x: Any) -> Any:
    """The derivative of near."""
    return (3 * (CUBIC + 2) * x - 2 * (CUBIC + 3)) * x


def far_slope(x: Any) -> Any:
    """The derivative of far."""
    return ((3 * x - 10) * x + 8) * CUBIC


def near_curvature(x: Any) -> Any:
    """The second derivative of near."""
    return 6 * (CUBIC + 2) * x - 2 * (CUBIC + 3)


def far_curvature(x: Any) -> Any:
    """The second derivative of far."""
    return (6 * x - 10) * CUBIC


class Taps:
    """Taps of places along a dim, ``x`` [N, points] from -1 to 1: their pixels [N, taps, points]."""

    def __init__(self, x: Tensor, size: int, mode: int, padding: int, align_corners: bool) -> None:
        self.mode, self.size = mode, size
        self.scale: Any = (size - 1 if align_corners else size) / 2
        x = unnormalize(x, size, align_corners)
        if mode != BICUBIC:  # whose taps are brought inside one by one
            self.scale = self.scale * padding_mode_slope(x, size, padding, align_corners)
            x = apply_padding_mode(x, size, padding, align_corners)
        if mode == NEAREST:
            self.pixels = ops["round"](x).unsqueeze(1)
            return
        self.x, self.low = x, ops["floor"](x)
        if mode == LINEAR:
            self.pixels = ops["stack"]((self.low, self.low + 1), 1)
        else:
            around = [apply_padding_mode(self.low + i, size, padding, align_corners) for i in range(-1, 3)]
            self.pixels = ops["stack"](around, 1)

    def weights(self) -> Tensor:
        """[N, taps, points]."""
        x = self.x - self.low
        if self.mode == LINEAR:
            return ops["stack"]((self.low + 1 - self.x, x), 1)
        return ops["stack"]((far(x + 1), near(x), near(1 - x), far(2 - x)), 1)

    def slopes(self) -> Tensor:
        """The derivatives of the weights by the place, [N, taps, points] or what broadcasts to it."""
        x = self.x - self.low
        if self.mode == LINEAR:
            scale = self.scale if isinstance(self.scale, Tensor) else x.new_full((1, 1), self.scale)
            return ops["stack"]((-scale, scale), 1)
        return ops["stack"]((far_slope(x + 1), near_slope(x), -near_slope(1 - x), -far_slope(2 - x)), 1) * self.scale

    def curvatures(self) -> Tensor | None:
        """The second derivatives of the weights by the place, [N, taps, points]; None: zeros."""
        if self.mode == LINEAR:
            return None
        x = self.x - self.low
        each = (far_curvature(x + 1), near_curvature(x), near_curvature(1 - x), far_curvature(2 - x))
        return ops["stack"](each, 1) * self.scale**2


def each_choice(parts: Sequence[Tensor], join: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """[N, taps, points] of each dim, joined for each choice of a tap for each dim: [N, choices, points]."""
    whole = parts[0]
    for part in parts[1:]:
        if whole.size(1) == 1:
            whole = join(whole, part)
        else:
            whole = join(whole.unsqueeze(2), part.unsqueeze(1)).flatten(1, 2)
    return whole


class Sampler:
    """Reads images of some sizes, [N, C, pixels], at the places of a grid."""

    def __init__(self, sizes: Sequence[int], grid: Tensor, mode: int, padding: int, align_corners: bool) -> None:
        self.sizes, self.mode, self.shape = sizes, mode, grid.shape[1:-1]
        dims, self.points = len(sizes), math.prod(self.shape)
        places = grid.reshape(grid.size(0), self.points, dims)
        self.taps = [
            Taps(places.select(-1, dims - 1 - d), sizes[d], mode, padding, align_corners) for d in range(dims)
        ]
        inside, index = [], []
        for tap in self.taps:
            good = (tap.pixels >= 0) & (tap.pixels <= tap.size - 1)
            inside.append(good)
            index.append(where(good, tap.pixels, 0).long())
        self.inside = each_choice(inside, lambda a, b: a & b)
        for d in range(1, dims):
            index[0] = each_choice((index[0] * sizes[d], index[d]), lambda a, b: a + b)
        self.index = index[0]

    def flat_index(self, channels: int) -> Tensor:
        """Of all taps of all places, for each channel."""
        n, taps, points = self.index.shape
        return self.index.reshape(n, 1, taps * points).expand(n, channels, taps * points)

    def values(self, input: Tensor) -> Tensor:
        """The pixels of all taps, 0 outside: [N, C, choices, points]."""
        n, channels = input.shape[:2]
        flat = input.reshape(n, channels, math.prod(self.sizes))
        read = flat.gather(2, self.flat_index(channels)).reshape(n, channels, *self.index.shape[1:])
        return where(self.inside.unsqueeze(1), read, 0)

    def weights(self) -> Tensor:
        """[N, choices, points]."""
        return each_choice([tap.weights() for tap in self.taps], ops["mul"])

    def slopes(self) -> list[Tensor]:
        """The derivatives of the weights by each dim of the grid, in its order."""
        weights, slopes = [tap.weights() for tap in self.taps], [tap.slopes() for tap in self.taps]
        each = [[*weights[:d], slopes[d], *weights[d + 1 :]] for d in range(len(slopes))]
        return [each_choice(parts, ops["mul"]) for parts in reversed(each)]

    def moved_weights(self, grid_t: Tensor) -> Tensor:
        """The change of the weights along a change of the grid, [N, choices, points]."""
        each = [slope * t.unsqueeze(1) for slope, t in zip(self.slopes(), self.points_of(grid_t), strict=True)]
        return sum(each[1:], each[0])

    def moved_slopes(self, grid_t: Tensor) -> list[Tensor]:
        """The change of the slopes along a change of the grid."""
        dims, moved = len(self.taps), self.points_of(grid_t)[::-1]
        weights, slopes = [tap.weights() for tap in self.taps], [tap.slopes() for tap in self.taps]
        curvatures = [tap.curvatures() for tap in self.taps]
        found = []
        for d in reversed(range(dims)):
            total: Any = slopes[d].new_zeros(())
            for e in range(dims):
                parts: list[Any] = list(weights)
                parts[d], parts[e] = slopes[d], curvatures[d] if d == e else slopes[e]
                if parts[e] is not None:
                    total = total + each_choice(parts, ops["mul"]) * moved[e].unsqueeze(1)
            found.append(total)
        return found

    def points_of(self, grid_t: Tensor) -> tuple[Tensor, ...]:
        """The parts [N, points] of a change of the grid, in its order."""
        parts: tuple[Tensor, ...] = grid_t.reshape(grid_t.size(0), self.points, len(self.sizes)).unbind(-1)
        return parts

    def weighted_sum(self, input: Tensor, weights: Tensor | None) -> Tensor:
        """The sums of the taps' pixels: [N, C, ...]. weights: None where each place has one tap, of weight 1."""
        values = self.values(input)
        found = values.squeeze(2) if weights is None else (values * weights.unsqueeze(1)).sum(2)
        return found.reshape(*input.shape[:2], *self.shape)

    def scatter_back(self, grad: Tensor, weights: Tensor | None) -> Tensor:
        """The adjoint of weighted_sum: images in which each pixel has what it was read for."""
        n, channels = grad.shape[:2]
        each = grad.reshape(n, channels, 1, self.points)
        each = where(self.inside.unsqueeze(1), each if weights is None else each * weights.unsqueeze(1), 0)
        flat = grad.new_zeros((n, channels, math.prod(self.sizes)))
        index = self.flat_index(channels)
        return flat.scatter_add(2, index, each.reshape(index.shape)).reshape(n, channels, *self.sizes)

    def grid_grad(self, grad: Tensor, input: Tensor, slopes: list[Tensor]) -> Tensor:
        """The gradient of the grid; slopes: of this class, or their change."""
        read = (self.values(input) * grad.reshape(*grad.shape[:2], 1, self.points)).sum(1)
        found = ops["stack"]([(read * slope).sum(1) for slope in slopes], -1)
        return found.reshape(found.size(0), *self.shape, len(self.sizes))


def sample_stages(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
    """The stages of both rows."""
    found = sample_grid(input, grid, mode, padding, align_corners)
    if found is not None:
        return found
    sampler = Sampler(input.shape[2:], grid, mode, padding, align_corners)
    return sampler.weighted_sum(input, None if mode == NEAREST else sampler.weights())


def scatter_stages(
    grad_output: Tensor, grid: Tensor, input_size: Sequence[int], mode: int, padding: int, align_corners: bool
) -> Tensor:
    """The stages of the gradient of the images."""
    found = sample_grid_back(grad_output, grid, tuple(input_size), mode, padding, align_corners)
    if found is not None:
        return found
    sampler = Sampler(input_size, grid, mode, padding, align_corners)
    return sampler.scatter_back(grad_output, None if mode == NEAREST else sampler.weights())


def move_stages(
    grad_output: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> Tensor:
    """The stages of the gradient of the grid, which does not change what nearest pixels give."""
    found = sample_grid_move(grad_output, input, grid, mode, padding, align_corners)
    if found is not None:
        return found
    if mode == NEAREST:
        return ops["zeros_like"](grid)
    sampler = Sampler(input.shape[2:], grid, mode, padding, align_corners)
    return sampler.grid_grad(grad_output, input, sampler.slopes())


# ---- rows
def padding_reference(xp: Any, x: Any, size: int, padding: int, align_corners: bool) -> Any:
    """The reference of padded."""
    low, span = mirrors(size, align_corners)
    if padding == REFLECTION:
        distance = xp.abs(x - low) % (2 * span) if span else xp.zeros_like(x)
        x = xp.minimum(distance, 2 * span - distance) + low
    return xp.clip(x, 0, size - 1) if padding else x


def array_taps(xp: Any, x: Any, size: int, mode: int, padding: int, align_corners: bool) -> Any:
    """What each pixel along a dim counts for at each place: [N, points, size]."""
    x = ((x + 1) * (size - align_corners) - (not align_corners)) / 2
    if mode != BICUBIC:
        x = padding_reference(xp, x, size, padding, align_corners)
    low = xp.floor(x)
    if mode == NEAREST:
        taps = [(xp.round(x), 1)]
    elif mode == LINEAR:
        taps = [(low, low + 1 - x), (low + 1, x - low)]
    else:
        share = x - low
        weights = (far(share + 1), near(share), near(1 - share), far(2 - share))
        taps = [(padding_reference(xp, low + i - 1, size, padding, align_corners), w) for i, w in enumerate(weights)]
    return sum((xp.arange(size) == coordinate[..., None]) * xp.asarray(w)[..., None] for coordinate, w in taps)


def sample_reference(xp: Any, input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """The reference of both rows."""
    n, *shape, dims = grid.shape
    places = grid.reshape(n, math.prod(shape), dims)
    size = input.shape[2:]
    each = [array_taps(xp, places[..., dims - 1 - d], size[d], mode, padding, align_corners) for d in range(dims)]
    found = xp.einsum(f"nc{'dhw'[3 - dims:]},{','.join(f'np{d}' for d in 'dhw'[3 - dims:])}->ncp", input, *each)
    return found.reshape(*input.shape[:2], *shape).astype(input.dtype)


for ndim in (2, 3):
    TABLE.staged(
        f"grid_sampler_{ndim}d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)"
        " -> Tensor",
        stages=sample_stages,
        reference=sample_reference,
        key=f"_grid_sampler_{ndim}d",
        method=False,
        out=False,
        doc="Images read at the places of a grid. interpolation_mode, padding_mode: of MODES and PADDING, by number.",
    )
TABLE.staged(
    "_grid_sampler_backward(Tensor grad_output, Tensor grid, int[] input_size, int interpolation_mode, "
    "int padding_mode, bool align_corners) -> Tensor",
    stages=scatter_stages,
    reference=None,
    method=False,
    out=False,
    doc="The gradient of images of spatial sizes input_size that were read at the places of a grid.",
)
TABLE.staged(
    "_grid_sampler_grid_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners) -> Tensor",
    stages=move_stages,
    reference=None,
    method=False,
    out=False,
    doc="The gradient of the grid at whose places images were read.",
)
