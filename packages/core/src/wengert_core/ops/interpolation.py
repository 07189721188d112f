"""interpolate: images of another size, made along one dim after the other of weighted neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert_core.factories import invalid_combination, not_for
from wengert_core.ops.beside import beside
from wengert_core.ops.layout import kept
from wengert_core.ops.table import TABLE
from wengert_core.tensor import Tensor

ops = TABLE.ops
Taps = list[tuple[Any, Any]]
"""For each neighbour that goes into a result: (its place, its weight) as arrays over the result's places."""

DIMS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3, "lanczos": 2}
MODES = ("nearest", "linear", "bilinear", "bicubic", "trilinear", "lanczos", "area", "nearest-exact")
SMOOTH = ("bilinear", "bicubic", "lanczos")
CUBIC = -0.75  # the slope that makes bicubic interpolation what it is elsewhere too


# ---- along one dim
def positions(size: int, new: int, scale: float | None, align_corners: bool, cubic: bool) -> Any:
    """Where in the old dim each new place is, as real numbers."""
    at = np.arange(new, dtype=np.float64)
    if align_corners:
        return at * ((size - 1) / (new - 1) if new > 1 else 0.0)
    at = (at + 0.5) * ratio(size, new, scale) - 0.5
    return at if cubic else np.maximum(at, 0)


def ratio(size: int, new: int, scale: float | None) -> float:
    """How far apart new places are in the old dim."""
    return 1 / scale if scale is not None and scale > 0 else size / new


def linear_taps(size: int, new: int, scale: float | None, align_corners: bool) -> Taps:
    """The two neighbours."""
    at = positions(size, new, scale, align_corners, False)
    low = np.minimum(np.floor(at).astype(np.int64), size - 1)
    share = np.clip(at - low, 0, 1)
    return [(low, 1 - share), (np.minimum(low + 1, size - 1), share)]


def cubic_taps(size: int, new: int, scale: float | None, align_corners: bool) -> Taps:
    """Four neighbours; at the edges the last one again."""
    at = positions(size, new, scale, align_corners, True)
    low = np.floor(at).astype(np.int64)
    return [(np.clip(low + k, 0, size - 1), cubic_weight(at - low - k)) for k in (-1, 0, 1, 2)]


def cubic_weight(x: Any, slope: float = CUBIC) -> Any:
    """The convolution kernel of Keys (1981), of distances."""
    x = np.abs(x)
    near = ((slope + 2) * x - (slope + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * slope - 4 * slope
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


FILTERS: dict[str, tuple[int, Any]] = {
    "bilinear": (1, lambda x: np.maximum(1 - np.abs(x), 0)),
    "bicubic": (2, lambda x: cubic_weight(x, -0.5)),
    "lanczos": (3, lambda x: np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)),
}
"""Of smoothing before an image is made smaller: (how far a filter reaches, the filter)."""


def smooth_taps(size: int, new: int, scale: float | None, align_corners: bool, mode: str) -> Taps:
    """A filter as wide as the distance of the new places."""
    step = ((size - 1) / (new - 1) if new > 1 else 0.0) if align_corners else ratio(size, new, scale)
    reach, weight = FILTERS[mode]
    wide = max(step, 1.0)
    centre = step * (np.arange(new) + 0.5)
    start = np.maximum((centre - reach * wide + 0.5).astype(np.int64), 0)
    count = np.minimum((centre + reach * wide + 0.5).astype(np.int64), size) - start
    k = np.arange(int(max(count, default=0)))[:, None]
    weights = np.where(k < count, weight((start + k - centre + 0.5) / wide), 0)
    weights = weights / weights.sum(0)
    return [(np.minimum(start + i, size - 1), row) for i, row in enumerate(weights)]


def nearest_places(size: int, new: int, scale: float | None, exact: bool) -> Any:
    """The neighbour of each place."""
    at = (np.arange(new) + (0.5 if exact else 0.0)) * np.float32(ratio(size, new, scale))
    return np.minimum(np.floor(at.astype(np.float32)).astype(np.int64), size - 1)


def area_taps(size: int, new: int) -> Taps:
    """All of a share of the dim, equally."""
    at = np.arange(new)
    start, end = at * size // new, -((-(at + 1) * size) // new)
    count = end - start
    most = int(max(count, default=0))
    return [(np.minimum(start + k, size - 1), np.where(k < count, 1 / count, 0.0)) for k in range(most)]


def combined(x: Tensor, dim: int, taps: Taps) -> Tensor:
    """The weighted sum of neighbours; one whose weight is 0 does not matter, not even if it is infinite."""
    total = None
    shape = [-1 if d == dim else 1 for d in range(x.dim())]
    for places, weights in taps:
        if not weights.any():
            continue
        weight = beside(x, weights).to(x.dtype).reshape(shape)
        part = x.index_select(dim, beside(x, places)) * weight
        if not weights.all():
            part = ops["where"](weight != 0, part, 0)
        total = part if total is None else total + part
    return x.index_select(dim, beside(x, taps[0][0])) * 0 if total is None else total


def merged(taps: Taps) -> Taps:
    """The same weighted sums, in which a neighbour that comes twice (at an edge) counts once, with both weights."""
    places, weights = (np.stack(parts) for parts in zip(*taps, strict=True))
    first = (places[:, None] == places).argmax(1)  # the first tap with the same neighbour
    sums = np.zeros(weights.shape)
    np.add.at(sums, (first, np.arange(places.shape[1])), weights)
    return list(zip(places, sums, strict=True))


def combined_bytes(x: Tensor, dim: int, taps: Taps) -> Tensor:
    """The weighted sum of neighbours of uint8, with weights of 16 bits, rounded: what is made for pixels is exact."""
    taps = merged(taps)
    largest, bits = max(float(weights.max()) for _, weights in taps), 0
    while bits < 22 and largest * 2.0 ** (bits + 1) + 0.5 < 1 << 15:
        bits += 1
    shape = [-1 if d == dim else 1 for d in range(x.dim())]
    total: Any = 1 << (bits - 1)
    for places, weights in taps:
        whole = beside(x, np.floor(weights * 2.0**bits + 0.5).astype(np.int64)).reshape(shape)
        total = x.index_select(dim, beside(x, places)) * whole + total
    return (total >> bits).clamp(0, 255).to(x.dtype)


def resized(
    x: Tensor, dim: int, new: int, mode: str, scale: float | None, align_corners: bool, smooth: bool
) -> Tensor:
    """x with another size of one dim."""
    size = x.size(dim)
    if mode in ("nearest", "nearest-exact"):
        return x.index_select(dim, beside(x, nearest_places(size, new, scale, mode == "nearest-exact")))
    if size == new and mode != "area" and (scale is None or align_corners):
        return x
    if smooth:
        taps = smooth_taps(size, new, scale, align_corners, mode)
    elif mode == "area":
        taps = area_taps(size, new)
    else:
        taps = (cubic_taps if mode == "bicubic" else linear_taps)(size, new, scale, align_corners)
    return (combined_bytes if x.dtype.name == "uint8" else combined)(x, dim, taps)


# ---- arguments
def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """[batch, channels, ...] with other sizes of the dims that follow: ``size``, or ``scale_factor`` times as large.

    mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" (4-D), "trilinear" (5-D), "area", "lanczos".
    align_corners: the centres of the corner pixels stay where they are, and not their outer corners.
    recompute_scale_factor: use the ratio of the sizes, and not the given factor, to find places.
    antialias: smooth an image before it is made smaller ("bilinear", "bicubic", and always "lanczos").
    """
    check_mode(input, mode, align_corners, antialias)
    sizes, scales = sizes_and_scales(input, size, scale_factor, recompute_scale_factor)
    if min(sizes, default=1) <= 0 or 0 in input.shape[2:]:
        shown = [", ".join(f"{axis}: {n}" for axis, n in zip("DHW"[3 - len(ns) :], ns, strict=True))
                 for ns in (input.shape[2:], sizes)]  # fmt: skip
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown[0]}) output ({shown[1]})"
        )
    if input.size(1) == 0:
        raise RuntimeError(
            f"Non-empty {input.dim()}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    takes_bytes = mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos")
    if input.dtype.category != 2 and not (takes_bytes and input.dtype.name == "uint8"):
        raise not_for(
            f"adaptive_avg_pool{input.dim() - 2}d" if mode == "area" else f"compute_indices_weights_{mode}", input.dtype
        )
    wide = input if input.dtype.itemsize != 2 or mode.startswith("nearest") else input.float()
    for d, (new, scale) in reversed(list(enumerate(zip(sizes, scales, strict=True)))):  # bytes are rounded between dims
        wide = resized(wide, d + 2, new, mode, scale, bool(align_corners), antialias)
    result = wide if wide.dtype is input.dtype else wide.to(input.dtype)
    return kept(input, result.clone() if result is input else result)


def check_mode(input: Tensor, mode: str, align_corners: bool | None, antialias: bool) -> None:
    """What interpolate refuses of modes."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias and (mode not in SMOOTH or input.dim() != 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
            f"input: got the mode {mode} and a {input.dim()}-D tensor"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    dims = input.dim() - 2
    if mode not in MODES or not 1 <= dims <= 3:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if DIMS.get(mode, dims) != dims:
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {DIMS[mode] + 2}D input")


def sizes_and_scales(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[list[int], list[float | None]]:
    """The new sizes, and for each dim the factor that decides about places (None: the ratio of the sizes)."""
    old = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = listed(size, old, "output size", "size")
        if not all(hasattr(n, "__index__") for n in sizes):
            raise invalid_combination("interpolate", (input, sizes), "(Tensor input, tuple of ints size)")
        return [int(n) for n in sizes], [None] * len(old)
    factors = [float(f) for f in listed(scale_factor, old, "scale_factor", "scale_factor")]
    sizes = [math.floor(n * f) for n, f in zip(old, factors, strict=True)]
    return sizes, [None if recompute else f for f in factors]


def listed(value: Any, old: list[int], what: str, name: str) -> list[Any]:
    """One number for each dim; ValueError for the wrong count."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(old)
    if len(value) != len(old):
        given, shape, letter = ("output", "", "o") if name == "size" else (name, "shape ", "s")
        raise ValueError(
            f"Input and {given} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {old} and {what} of {shape}{value}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
            f"{what} in ({letter}1, {letter}2, ...,{letter}K) format."
        )
    return list(value)


TABLE.composite(interpolate, namespace="nn.functional")
