"""Derivatives of padding, by a number or by the elements, and of sliding blocks."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.ops.nn.padding import NAMES, pad_backward

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear

TABLE.linear(
    "constant_pad_nd",
    self=lambda grad, pad: wc.constant_pad_nd(grad, tuple(-n for n in pad)),
    jvp=lambda self_t, pad: wc.constant_pad_nd(self_t, pad),
)


def add(n: int, mode: str) -> None:
    """Padding of n dims by the elements."""
    TABLE.linear(
        f"{NAMES[mode]}{n}d",
        self=lambda grad, self, padding: pad_backward(grad, self, padding, mode),
        node=f"{NAMES[mode].title().replace('_', '')}{n}DBackward0",
    )


for dims in (1, 2, 3):
    for name in NAMES:
        add(dims, name)

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
