"""Images of another size, made along one dim after the other of weighted neighbors; one row for each node of torch."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wengert_core.devices.device import CPU
from wengert_core.drivers.nn.resampling import resize_dims
from wengert_core.exchange.constants import constant_like
from wengert_core.exchange.numpy_bridge import from_numpy
from wengert_core.ops.copy.channels_last import keep_layout
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
where = ops["where"]
Taps = list[tuple[Any, Any]]
"""For each neighbor that goes into a result: (its place, its weight) as arrays over the result's places."""

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
    """The two neighbors."""
    at = positions(size, new, scale, align_corners, False)
    low = np.minimum(np.floor(at).astype(np.int64), size - 1)
    share = np.clip(at - low, 0, 1)
    return [(low, 1 - share), (np.minimum(low + 1, size - 1), share)]


def cubic_taps(size: int, new: int, scale: float | None, align_corners: bool) -> Taps:
    """Four neighbors; at the edges the last one again."""
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
    center = step * (np.arange(new) + 0.5)
    start = np.maximum((center - reach * wide + 0.5).astype(np.int64), 0)
    count = np.minimum((center + reach * wide + 0.5).astype(np.int64), size) - start
    k = np.arange(int(max(count, default=0)))[:, None]
    weights = np.where(k < count, weight((start + k - center + 0.5) / wide), 0)
    weights = weights / weights.sum(0)
    return [(np.minimum(start + i, size - 1), row) for i, row in enumerate(weights)]


def nearest_indices(size: int, new: int, scale: float | None, exact: bool) -> Any:
    """The neighbor of each place."""
    at = (np.arange(new) + (0.5 if exact else 0.0)) * np.float32(ratio(size, new, scale))
    return np.minimum(np.floor(at.astype(np.float32)).astype(np.int64), size - 1)


def combine_neighbors(x: Tensor, dim: int, taps: Taps) -> Tensor:
    """The weighted sum of neighbors; one whose weight is 0 does not matter, not even if it is infinite."""
    total = None
    shape = [-1 if d == dim else 1 for d in range(x.dim())]
    for places, weights in taps:
        if not weights.any():
            continue
        weight = constant_like(x, weights).to(x.dtype).reshape(shape)
        part = x.index_select(dim, constant_like(x, places)) * weight
        if not weights.all():
            part = where(weight != 0, part, 0)
        total = part if total is None else total + part
    return x.index_select(dim, constant_like(x, taps[0][0])) * 0 if total is None else total


def merge_neighbors(taps: Taps) -> Taps:
    """The same weighted sums, in which a neighbor that comes twice (at an edge) counts once, with both weights."""
    places, weights = (np.stack(parts) for parts in zip(*taps, strict=True))
    first = (places[:, None] == places).argmax(1)  # the first tap with the same neighbor
    sums = np.zeros(weights.shape)
    np.add.at(sums, (first, np.arange(places.shape[1])), weights)
    return list(zip(places, sums, strict=True))


def combine_bytes(x: Tensor, dim: int, taps: Taps) -> Tensor:
    """The weighted sum of neighbors of uint8, with weights of 16 bits, rounded: what is made for pixels is exact."""
    taps = merge_neighbors(taps)
    largest, bits = max(float(weights.max()) for _, weights in taps), 0
    while bits < 22 and largest * 2.0 ** (bits + 1) + 0.5 < 1 << 15:
        bits += 1
    shape = [-1 if d == dim else 1 for d in range(x.dim())]
    total: Any = 1 << (bits - 1)
    for places, weights in taps:
        whole = constant_like(x, np.floor(weights * 2.0**bits + 0.5).astype(np.int64)).reshape(shape)
        total = x.index_select(dim, constant_like(x, places)) * whole + total
    return (total >> bits).clamp(0, 255).to(x.dtype)


def taps_of(size: int, new: int, mode: str, scale: float | None, align_corners: bool, smooth: bool) -> Taps | None:
    """The neighbors that make a dim of another size; None where the dim stays as it is."""
    if mode in ("nearest", "nearest-exact"):
        return [(nearest_indices(size, new, scale, mode == "nearest-exact"), None)]
    if size == new and (scale is None or align_corners):
        return None
    if smooth:
        return smooth_taps(size, new, scale, align_corners, mode)
    return (cubic_taps if mode == "bicubic" else linear_taps)(size, new, scale, align_corners)


def resize_dim(x: Tensor, dim: int, taps: Taps | None) -> Tensor:
    """x with another size of one dim."""
    if taps is None:
        return x
    if taps[0][1] is None:
        return x.index_select(dim, constant_like(x, taps[0][0]))
    return (combine_bytes if x.dtype.name == "uint8" else combine_neighbors)(x, dim, taps)


def resize_backward(x: Tensor, dim: int, size: int, taps: Taps | None) -> Tensor:
    """The adjoint of resized."""
    if taps is None:
        return x
    whole = x.new_zeros([size if d == dim else n for d, n in enumerate(x.shape)])
    shape = [-1 if d == dim else 1 for d in range(x.dim())]
    for places, weights in taps:
        part = x
        if weights is not None:
            if not weights.any():
                continue
            weight = constant_like(x, weights).to(x.dtype).reshape(shape)
            part = x * weight if weights.all() else where(weight != 0, x * weight, 0)
        whole.index_add_(dim, constant_like(x, places), part)
    return whole


# ---- rows: one for each node that torch has
KINDS = {f"{name}{n}d": (mode, False) for name, mode in (("nearest", "nearest"), ("nearest_exact", "nearest-exact"))
         for n in (1, 2, 3)}  # fmt: skip
KINDS |= {"linear1d": ("linear", False), "bilinear2d": ("bilinear", False), "trilinear3d": ("trilinear", False),
          "bicubic2d": ("bicubic", False)}  # fmt: skip
KINDS |= {f"{mode}2d_aa": (mode, True) for mode in SMOOTH}
"""By the ends of rows' names: (mode, antialias)."""


FEW = 1024


def every_taps(kind: str, old: Any, new: Any, align_corners: bool, scales: Any) -> list[Taps | None]:
    """The neighbors along each dim; those of small images are kept, as the gradient needs them once more."""
    found = few_taps if sum(old) + sum(new) <= FEW else few_taps.__wrapped__
    return found(
        kind, tuple(old), tuple(new), align_corners, None if scales is None else tuple(scales)
    )


@functools.lru_cache(16)
def few_taps(kind: str, old: Any, new: Any, align_corners: bool, scales: Any) -> list[Taps | None]:
    """The same."""
    mode, smooth = KINDS[kind]
    scales = [None] * len(old) if scales is None else scales
    return [
        taps_of(n, m, mode, scale, align_corners, smooth) for n, m, scale in zip(old, new, scales, strict=True)
    ]


@functools.lru_cache(32)
def few_tables(
    kind: str, old: Any, new: Any, align_corners: bool, scales: Any, dtype: str
) -> list[tuple[Tensor, Tensor] | None]:
    """For each dim the neighbors of all places and their weights, [neighbors, places]; None where it stays."""
    return [None if taps is None else table_of(taps, dtype) for taps in few_taps(kind, old, new, align_corners, scales)]


def table_of(taps: Taps, dtype: str) -> tuple[Tensor, Tensor]:
    """(places, weights) as the kernel wants them."""
    places = np.stack([place for place, _ in taps]).astype(np.int32)
    weights = np.ones(places.shape) if taps[0][1] is None else np.stack([weight for _, weight in taps])
    return from_numpy(places), from_numpy(weights.astype(dtype))


def resize_by_kernel(
    x: Tensor, kind: str, old: Any, new: Any, align_corners: bool, scales: Any, adjoint: bool
) -> Tensor | None:
    """Images x of sizes ``old`` with sizes ``new``, or the adjoint. None: the kernel does not take them."""
    if x.dtype.name not in ("float32", "float64") or x.device is not CPU:
        return None
    find = few_tables if sum(old) + sum(new) <= FEW else few_tables.__wrapped__
    scales = None if scales is None else tuple(scales)
    tables = find(kind, tuple(old), tuple(new), align_corners, scales, x.dtype.name)
    return resize_dims(x, tables, old if adjoint else new, adjoint)


def resize_stages(kind: str) -> Any:
    """The stages of a row: along one dim after the other, from the last."""

    def upsample(self: Tensor, output_size: Any, align_corners: bool, scales: Any) -> Tensor:
        if not self.numel():  # taps would be listed all the same
            return keep_layout(self, self.new_zeros((*self.shape[:2], *output_size)))
        wide = self if self.dtype.itemsize != 2 or kind.startswith("nearest") else self.float()
        found = resize_by_kernel(wide, kind, self.shape[2:], output_size, align_corners, scales, False)
        if found is None:
            found = wide
            every = every_taps(kind, self.shape[2:], output_size, align_corners, scales)
            for d in range(len(every) - 1, -1, -1):  # bytes are rounded between dims
                found = resize_dim(found, d + 2, every[d])
        result = found if found.dtype is self.dtype else found.to(self.dtype)
        return keep_layout(self, result.clone() if result is self else result)

    return upsample


def resize_backward_stages(grad_output: Tensor, kind: str, input_size: Any, align_corners: bool, scales: Any) -> Tensor:
    """The stages of the gradient of all of them."""
    if not grad_output.numel():
        return grad_output.new_zeros((*grad_output.shape[:2], *input_size))
    wide = grad_output if grad_output.dtype.itemsize != 2 else grad_output.float()
    found = resize_by_kernel(wide, kind, input_size, grad_output.shape[2:], align_corners, scales, True)
    if found is None:
        found = wide
        for d, taps in enumerate(every_taps(kind, input_size, grad_output.shape[2:], align_corners, scales)):
            found = resize_backward(found, d + 2, input_size[d], taps)
    result = found if found.dtype is grad_output.dtype else found.to(grad_output.dtype)
    return result.clone() if result is grad_output else result


def matrix(xp: Any, size: int, new: int, taps: Taps | None) -> Any:
    """What resized does along a dim."""
    found = np.zeros((new, size))
    for places, weights in taps or [(np.arange(new), None)]:
        np.add.at(found, (np.arange(new), places), 1 if weights is None else weights)
    return xp.asarray(found)


def of_array(xp: Any, x: Any, kind: str, old: Any, new: Any, corners: bool, scales: Any, back: bool = False) -> Any:
    """The reference of both: a product along each dim."""
    out = x
    for d, taps in enumerate(every_taps(kind, old, new, corners, scales)):
        along = matrix(xp, old[d], new[d], taps)
        out = xp.moveaxis(xp.tensordot(out, along, ((d + 2,), (0 if back else 1,))), -1, d + 2)
    return out.astype(x.dtype)


def add_row(kind: str) -> None:
    """One way of interpolation, for one number of dims."""
    TABLE.staged(
        f"_upsample_{kind}(Tensor self, int[] output_size, bool align_corners=False, object? scales=None) -> Tensor",
        stages=resize_stages(kind),
        reference=lambda xp, x, size, corners, scales: of_array(xp, x, kind, x.shape[2:], size, corners, scales),
        method=False,
        out=False,
        doc="Images of another size. scales: of each dim, to be used in place of the ratios of sizes.",
    )


for name in KINDS:
    add_row(name)
TABLE.staged(
    "_upsample_backward(Tensor grad_output, object kind, int[] input_size, bool align_corners=False, "
    "object? scales=None) -> Tensor",
    stages=resize_backward_stages,
    reference=lambda xp, grad, kind, size, corners, scales: of_array(
        xp, grad, kind, size, grad.shape[2:], corners, scales, True
    ),
    method=False,
    out=False,
    doc="The gradient of the row whose name ends in kind.",
)
