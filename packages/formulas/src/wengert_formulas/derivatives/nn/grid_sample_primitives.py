"""Derivatives of images read at the places of a grid.

What is read is linear in the images, and in the weights of pixels, which are polynomials of the grid between the kinks;
all is written in ordinary ops, so that it differentiates again.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.dispatch.op import find
from wengert_core.ops.nn.grid_sample_primitives import NEAREST, Sampler
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE


def gradients(
    grad: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool,
    needs: Any,
) -> Any:
    """Of the images and of the grid, which does not change what nearest pixels give."""
    sampler = Sampler(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners)
    by_grid: Any = None
    if needs[1]:
        by_grid = wc.zeros_like(grid) if interpolation_mode == NEAREST else sampler.grid_grad(grad, input)
    return sampler.scatter_back(grad) if needs[0] else None, by_grid


def moved_grid(
    grid_t: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The pixels by the tangents of their weights."""
    sampler = Sampler(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners)
    if interpolation_mode == NEAREST:
        return wc.zeros_like(sampler.weighted_sum(input, None))
    tangents = grid_t.reshape(grid_t.size(0), sampler.points, len(sampler.sizes)).unbind(-1)
    each = [slope * t.unsqueeze(1) for slope, t in zip(sampler.slopes(), tangents, strict=True)]
    return sampler.weighted_sum(input, sum(each[1:], each[0]))


def add(ndim: int) -> None:
    """Of images of ndim dims."""
    name = f"grid_sampler_{ndim}d"

    def moved_input(
        input_t: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Any:
        return find(name)(input_t, grid, interpolation_mode, padding_mode, align_corners)

    TABLE.derivative(
        name,
        joint=gradients,
        joint_inputs=("input", "grid"),
        jvp={"input": moved_input, "grid": moved_grid},
        node=f"GridSampler{ndim}DBackward0",
    )


for dims in (2, 3):
    add(dims)
