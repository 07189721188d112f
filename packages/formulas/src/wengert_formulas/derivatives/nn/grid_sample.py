"""The derivative of grids of places in images."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE


def matrices(grad: Tensor, base: Tensor, size: Any) -> Tensor:
    """The gradient of matrices that places were moved by."""
    return grad.reshape(grad.shape[0], base.shape[1], len(size) - 2).transpose(1, 2) @ base


TABLE.derivative(
    "_affine_grid_generator",
    theta=matrices,
    jvp=lambda theta_t, size, align_corners: wc._affine_grid_generator(theta_t, size, align_corners)[0],
    outputs=("result",),
    node="AffineGridGeneratorBackward0",
)
