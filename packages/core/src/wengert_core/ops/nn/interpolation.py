"""interpolate: its arguments, and which row they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.geometry.size_math import checked_numel
from wengert_core.messages.short_repr import short_repr
from wengert_core.messages.signatures import invalid_combination
from wengert_core.ops.nn.upsampling import SMOOTH
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
DIMS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3, "lanczos": 2}
MODES = ("nearest", "linear", "bilinear", "bicubic", "trilinear", "lanczos", "area", "nearest-exact")


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
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
    checked_numel((*input.shape[:2], *sizes), input.dtype.itemsize)
    takes_bytes = mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "lanczos")
    if input.dtype.category != 2 and not (takes_bytes and input.dtype.name == "uint8"):
        raise not_implemented_for(
            f"adaptive_avg_pool{input.dim() - 2}d" if mode == "area" else f"compute_indices_weights_{mode}", input.dtype
        )
    if mode == "area":
        return ops[f"nn.functional.adaptive_avg_pool{len(sizes)}d"](input, tuple(sizes))
    kind = f"{mode.replace('-', '_')}{len(sizes)}d{'_aa' if antialias else ''}"
    given = None if scales.count(None) == len(scales) else scales
    return ops[f"_upsample_{kind}"](input, sizes, bool(align_corners), given)


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
        sizes = numbers_per_dim(size, old, "output size", "size")
        if not all(hasattr(type(n), "__index__") for n in sizes):
            raise invalid_combination("interpolate", (input, sizes), "(Tensor input, tuple of ints size)")
        return [int(n) for n in sizes], [None] * len(old)
    factors = [float(f) for f in numbers_per_dim(scale_factor, old, "scale_factor", "scale_factor")]
    sizes = [math.floor(n * f) for n, f in zip(old, factors, strict=True)]
    return sizes, [None if recompute else f for f in factors]


def numbers_per_dim(value: Any, old: list[int], what: str, name: str) -> list[Any]:
    """One number for each dim; ValueError for the wrong count."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(old)
    if len(value) != len(old):
        given, shape, letter = ("output", "", "o") if name == "size" else (name, "shape ", "s")
        raise ValueError(
            f"Input and {given} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {old} and {what} of {shape}{short_repr(value)}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            f"format and {what} in ({letter}1, {letter}2, ...,{letter}K) format."
        )
    return list(value)


TABLE.composite(interpolate, namespace="nn.functional")
