"""Derivatives of convolution. Three functions, each linear in two arguments, are one another's derivatives: the
convolution, its transpose and the gradient of the weight. See the note of that title in
core's drivers/nn/convolution.pyx.
"""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, conj

Sizes = tuple[int, ...]


def as_tuple(value: Any, n: int) -> Sizes:
    """n numbers, or one for all of them."""
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * n if len(values) == 1 else values


def transpose_to_size(
    y: Tensor, weight: Tensor, size: Sizes, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The transpose of a convolution whose input had that size: the gradient of the input."""
    n = len(size)
    stride, padding, dilation = as_tuple(stride, n), as_tuple(padding, n), as_tuple(dilation, n)
    more = tuple(
        wide - ((narrow - 1) * s - 2 * p + d * (k - 1) + 1)
        for wide, narrow, k, s, p, d in zip(size, y.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    )
    return wc.convolution(y, weight, None, stride, padding, dilation, True, more, groups)


def correlate(
    x: Tensor, weight: Tensor, size: Sizes, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The first ``size`` elements of a convolution: an output padding of a stride or more leads to further ones."""
    y = wc.convolution(x, weight, None, stride, padding, dilation, False, (0,) * len(size), groups)
    if y.shape[2:] == size:
        return y
    for dim, n in enumerate(size, 2):
        y = y.narrow(dim, 0, n)
    return y.contiguous()


def by_input(
    grad: Tensor,
    weight: Tensor,
    input_shape: Sizes,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    groups: int,
) -> Any:
    """The gradient of the input: the other of the two."""
    weight = conj(weight)
    if transposed:
        return correlate(grad, weight, input_shape[2:], stride, padding, dilation, groups)
    return transpose_to_size(grad, weight, input_shape[2:], stride, padding, dilation, groups)


def by_weight(
    grad: Tensor,
    input: Tensor,
    weight_shape: Sizes,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    groups: int,
) -> Any:
    """The gradient of the weight."""
    wide, narrow = (grad, conj(input)) if transposed else (conj(input), grad)
    return wc.convolution_weight(wide, narrow, weight_shape[2:], stride, padding, dilation, groups)


def without_bias(
    input: Tensor,
    weight: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    """The part that is linear in input and weight."""
    return wc.convolution(input, weight, None, stride, padding, dilation, transposed, output_padding, groups)


TABLE.derivative(
    "convolution",
    input=by_input,
    weight=by_weight,
    bias=lambda grad: grad.sum((0, *range(2, grad.ndim))),
    jvp={
        "input": lambda input_t, weight, stride, padding, dilation, transposed, output_padding, groups: without_bias(
            input_t, weight, stride, padding, dilation, transposed, output_padding, groups
        ),
        "weight": lambda weight_t, input, stride, padding, dilation, transposed, output_padding, groups: without_bias(
            input, weight_t, stride, padding, dilation, transposed, output_padding, groups
        ),
        "bias": lambda bias_t, result: bias_t.reshape(-1, *[1] * (result.ndim - 2)).expand(result.shape),
    },
)
TABLE.multilinear(
    "convolution_weight",
    input=lambda grad, grad_output, input_shape, stride, padding, dilation, groups: transpose_to_size(
        conj(grad_output), grad, input_shape[2:], stride, padding, dilation, groups
    ),
    grad_output=lambda grad, input, grad_output_shape, stride, padding, dilation, groups: correlate(
        conj(input), grad, grad_output_shape[2:], stride, padding, dilation, groups
    ),
)
