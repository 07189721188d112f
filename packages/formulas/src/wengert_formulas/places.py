"""Derivatives of what moves elements to other places: diagonals, pixels, take, put; and of ldexp."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.base import TABLE, zeros_of

linear, derivative = TABLE.linear, TABLE.derivative

# ---- diagonals
linear(
    "_trace",
    self=lambda grad, self_shape: wc.diagonal_backward(grad.expand(min(self_shape)), self_shape, 0, 0, 1),
)
linear("_diag_embed", self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
linear(
    "_diagonal_copy",
    self=lambda grad, self_shape, offset, dim1, dim2: wc.diagonal_backward(grad, self_shape, offset, dim1, dim2),
    node="DiagonalBackward0_copy",
)

# ---- pixels
linear("_pixel_shuffle", self=lambda grad, upscale_factor: wc.pixel_unshuffle(grad, upscale_factor))
linear("_pixel_unshuffle", self=lambda grad, downscale_factor: wc.pixel_shuffle(grad, downscale_factor))

# ---- sliding blocks
linear(
    "_im2col",
    self=lambda grad, self_shape, kernel_size, dilation, padding, stride: wc._col2im(
        grad, self_shape[-2:], kernel_size, dilation, padding, stride
    ),
    node="Im2ColBackward0",
)
linear(
    "_col2im",
    self=lambda grad, kernel_size, dilation, padding, stride: wc._im2col(grad, kernel_size, dilation, padding, stride),
    node="Col2ImBackward0",
)

# ---- positions of the flattened tensor
linear("_take", self=lambda grad, self_shape, index: wc.put(zeros_of(grad, self_shape), index, grad, True))


def put_self(grad: Tensor, index: Tensor, source_shape: Any, accumulate: bool) -> Tensor:
    """Nothing where something was put in place of what was there."""
    return grad if accumulate else wc.put(grad, index, grad.new_zeros(source_shape))


linear(
    "_put",
    self=put_self,
    source=lambda grad, index, source_shape: wc.take(grad, index).reshape(source_shape),
)


# ---- ldexp
def times_power_of_two(x: Tensor, other: Tensor) -> Tensor:
    """x * 2 ** other in the dtype of x; by an integer also where 2 ** other does not fit into that dtype."""
    return wc.ldexp(x, other) if other.dtype.category == 1 else x * wc.pow(2.0, other.to(x.dtype)).conj()


derivative(
    "_ldexp",
    self=lambda grad, other: times_power_of_two(grad, other),
    other=lambda grad, result: grad * (result * math.log(2)).conj(),
    jvp={
        "self": lambda self_t, other: times_power_of_two(self_t, other.conj()),
        "other": lambda other_t, result: other_t * (result * math.log(2)),
    },
)
