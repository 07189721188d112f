"""Derivatives of padding by a number."""

from __future__ import annotations

import wengert_core as wc

from wengert_formulas.base import TABLE

TABLE.linear(
    "constant_pad_nd",
    self=lambda grad, pad: wc.constant_pad_nd(grad, tuple(-n for n in pad)),
    jvp=lambda self_t, pad: wc.constant_pad_nd(self_t, pad),
)
