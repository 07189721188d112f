"""Derivatives of padding, by a number or by the elements."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.ops.nn.padding import NAMES, unpadded

from wengert_formulas.base import TABLE

TABLE.linear(
    "constant_pad_nd",
    self=lambda grad, pad: wc.constant_pad_nd(grad, tuple(-n for n in pad)),
    jvp=lambda self_t, pad: wc.constant_pad_nd(self_t, pad),
)


def add(n: int, mode: str) -> None:
    """Padding of n dims by the elements."""
    TABLE.linear(
        f"{NAMES[mode]}{n}d",
        self=lambda grad, self, padding: unpadded(grad, self, padding, mode),
        node=f"{NAMES[mode].title().replace('_', '')}{n}DBackward0",
    )


for dims in (1, 2, 3):
    for name in NAMES:
        add(dims, name)
