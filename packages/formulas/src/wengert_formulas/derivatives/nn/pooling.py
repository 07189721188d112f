"""Derivatives of pooling: each op is linear in its input once the windows, or the places of extremes, are fixed."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.dispatch.op import find
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

NODES = {1: "2D", 2: "2D", 3: "3D"}  # torch computes those of one dim as of two


def mean_grad(n: int) -> Any:
    """The gradient of a mean of n dims."""

    def rule(grad: Tensor, self_shape: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
             count_include_pad: bool, divisor_override: Any) -> Any:
        return wc.avg_pool_backward(
            grad, self_shape, n, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    return rule


def add(n: int) -> None:
    """The four poolings of n dims."""
    if n == 1:
        TABLE.linear(
            "avg_pool1d",
            self=lambda grad, self_shape, kernel_size, stride, padding, ceil_mode, count_include_pad: (
                wc.avg_pool_backward(
                    grad, self_shape, n, kernel_size, stride, padding, ceil_mode, count_include_pad, None
                )
            ),
            node="AvgPool2DBackward0",
        )
    else:
        TABLE.linear(
            f"avg_pool{n}d",
            self=mean_grad(n),
            node=f"AvgPool{n}DBackward0",
        )
    TABLE.linear(
        f"_adaptive_avg_pool{n}d",
        self=lambda grad, self_shape: wc.adaptive_avg_pool_backward(grad, self_shape, n),
        node=f"AdaptiveAvgPool{NODES[n]}Backward0",
    )
    for name, node in (
        (f"max_pool{n}d_with_indices", "MaxPool{}WithIndices"),
        (f"adaptive_max_pool{n}d", "AdaptiveMaxPool{}"),
    ):
        TABLE.derivative(
            name,
            self=lambda grad, indices, self_shape: wc.pool_scatter(grad, indices, self_shape, n),
            jvp=lambda self_t, indices: wc.pool_gather(self_t, indices, n),
            outputs=("values",),
            node=node.format(NODES[n]) + "Backward0",
        )


for dims in NODES:
    add(dims)
TABLE.linear(
    "avg_pool_backward",
    grad_output=lambda grad, ndim, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        find(f"avg_pool{ndim}d")(
            grad, kernel_size, stride, padding, ceil_mode, count_include_pad, *[divisor_override] * (ndim > 1)
        )
    ),
)
TABLE.linear(
    "adaptive_avg_pool_backward",
    grad_output=lambda grad, ndim, grad_output_shape: find(f"_adaptive_avg_pool{ndim}d")(
        grad, grad_output_shape[-ndim:]
    ),
)
TABLE.linear("pool_scatter", grad_output=lambda grad, indices, ndim: wc.pool_gather(grad, indices, ndim))
TABLE.linear(
    "pool_gather", self=lambda grad, indices, self_shape, ndim: wc.pool_scatter(grad, indices, self_shape, ndim)
)
