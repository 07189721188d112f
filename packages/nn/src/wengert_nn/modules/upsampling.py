"""Layers that resize images, signals and volumes."""

from __future__ import annotations

from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import interpolate

from wengert_nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Resize the spatial dims, by interpolation.

    size: their new sizes, or scale_factor: what the sizes are multiplied by; a number, or one for each dim.
    mode: "nearest", "linear" (3-d input), "bilinear", "bicubic" (4-d) or "trilinear" (5-d).
    align_corners: whether the corner elements keep their positions; for the linear modes and bicubic.
    recompute_scale_factor: whether the rounded sizes give the factors for the interpolation.
    input: ``(N, C, L)``, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.

    >>> import wengert as wg
    >>> wg.nn.Upsample(scale_factor=2)(wg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    __constants__: ClassVar[list[str]] = [
        "size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor",
    ]  # fmt: skip
    scale_factor: Any

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name: str = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Resize."""
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"recompute_scale_factor": True, **state})  # as pickles of PyTorch before 1.5 were made

    def extra_repr(self) -> str:
        """Return the factor or the size, and the mode."""
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize images by their nearest elements: ``Upsample`` with mode "nearest".

    >>> import wengert as wg
    >>> wg.nn.UpsamplingNearest2d(scale_factor=2)(wg.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images linearly, with corners that keep their positions: ``Upsample`` with mode "bilinear".

    >>> import wengert as wg
    >>> wg.nn.UpsamplingBilinear2d(size=(1, 3))(wg.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
