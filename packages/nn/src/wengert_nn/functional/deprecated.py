"""Names of ``interpolate`` in older versions of PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

from wengert import Tensor
from wengert.nn.functional import interpolate

from wengert_nn.functional.type_errors import with_type_errors

__all__ = ["upsample", "upsample_bilinear", "upsample_nearest"]


@with_type_errors
def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resize as ``interpolate`` does, with a warning: the name is deprecated."""
    warn("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@with_type_errors
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize by the nearest elements, with a warning: the name is deprecated."""
    warn("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@with_type_errors
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize linearly with corners that stay, with a warning: the name is deprecated."""
    warn("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def warn(name: str) -> None:
    """Warn the caller of a deprecated function."""
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3
    )
