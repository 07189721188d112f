"""Derivatives of images read at the places of a grid.

What is read is linear in the images, and in the weights of pixels, which are polynomials of the grid between the kinks.
The gradients of both have rows of their own; what these rows do not have is written in ordinary ops, so that it
differentiates again.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.dispatch.op import find
from wengert_core.ops.nn.grid_sample_primitives import NEAREST, Sampler
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE


def input_grad(
    grad: Tensor, grid: Tensor, input_shape: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The gradient of the images."""
    return wc._grid_sampler_backward(
        grad, grid, input_shape[2:], interpolation_mode, padding_mode, align_corners
    )


def grid_grad(
    grad: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The gradient of the grid."""
    return wc._grid_sampler_grid_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners)


def moved_grid(
    grid_t: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The pixels by the tangents of their weights."""
    sampler = Sampler(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners)
    if interpolation_mode == NEAREST:
        return wc.zeros_like(sampler.weighted_sum(input, None))
    return sampler.weighted_sum(input, sampler.moved_weights(grid_t))


def add(ndim: int) -> None:
    """Of images of ndim dims."""
    name = f"grid_sampler_{ndim}d"

    def moved_input(
        input_t: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Any:
        return find(name)(input_t, grid, interpolation_mode, padding_mode, align_corners)

    TABLE.derivative(
        name,
        input=input_grad,
        grid=grid_grad,
        jvp={"input": moved_input, "grid": moved_grid},
        node=f"GridSampler{ndim}DBackward0",
    )


for dims in (2, 3):
    add(dims)


# ---- the gradient of the images: linear in what comes from above
def read(
    grad: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Images ``grad`` at the places of the grid."""
    sampler = wc._grid_sampler_2d if grad.dim() == 4 else wc._grid_sampler_3d
    return sampler(grad, grid, interpolation_mode, padding_mode, align_corners)


def scatter_by_grid(
    grid_t: Tensor, grad_output: Tensor, grid: Tensor, input_size: Any, interpolation_mode: int, padding_mode: int,
    align_corners: bool,
) -> Tensor:
    """What comes from above by the tangents of the pixels' weights."""
    sampler = Sampler(input_size, grid, interpolation_mode, padding_mode, align_corners)
    if interpolation_mode == NEAREST:
        return wc.zeros_like(sampler.scatter_back(grad_output, None))
    return sampler.scatter_back(grad_output, sampler.moved_weights(grid_t))


TABLE.derivative(
    "_grid_sampler_backward",
    grad_output=read,
    grid=lambda grad, grad_output, grid, interpolation_mode, padding_mode, align_corners: (
        wc._grid_sampler_grid_backward(grad_output, grad, grid, interpolation_mode, padding_mode, align_corners)
    ),
    jvp={
        "grad_output": lambda grad_output_t, grid, input_size, interpolation_mode, padding_mode, align_corners: (
            wc._grid_sampler_backward(
                grad_output_t, grid, input_size, interpolation_mode, padding_mode, align_corners
            )
        ),
        "grid": scatter_by_grid,
    },
)


# ---- the gradient of the grid: linear in what comes from above and in the images
def moved_twice(
    grid_t: Tensor, grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
    align_corners: bool,
) -> Tensor:
    """The second derivative by the grid times a change of it: also its own transpose."""
    if interpolation_mode == NEAREST:
        return wc.zeros_like(grid)
    sampler = Sampler(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners)
    return sampler.grid_grad(grad_output, input, sampler.moved_slopes(grid_t))


TABLE.derivative(
    "_grid_sampler_grid_backward",
    grad_output=lambda grad, input, grid, interpolation_mode, padding_mode, align_corners: (
        moved_grid(grad, input, grid, interpolation_mode, padding_mode, align_corners)
    ),
    input=lambda grad, grad_output, grid, input_shape, interpolation_mode, padding_mode, align_corners: (
        scatter_by_grid(
            grad, grad_output, grid, input_shape[2:], interpolation_mode, padding_mode, align_corners
        )
    ),
    grid=lambda grad, grad_output, input, grid, interpolation_mode, padding_mode, align_corners: (
        moved_twice(grad, grad_output, input, grid, interpolation_mode, padding_mode, align_corners)
    ),
    jvp={
        "grad_output": lambda grad_output_t, input, grid, interpolation_mode, padding_mode, align_corners: (
            wc._grid_sampler_grid_backward(
                grad_output_t, input, grid, interpolation_mode, padding_mode, align_corners
            )
        ),
        "input": lambda input_t, grad_output, grid, interpolation_mode, padding_mode, align_corners: (
            wc._grid_sampler_grid_backward(
                grad_output, input_t, grid, interpolation_mode, padding_mode, align_corners
            )
        ),
        "grid": moved_twice,
    },
)
