"""Derivatives of the trace, of cross products and of bilinear forms."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, conj

linear, multilinear = TABLE.linear, TABLE.multilinear

linear(
    "_trace",
    self=lambda grad, self_shape: wc.diagonal_backward(grad.expand(min(self_shape)), self_shape, 0, 0, 1),
)
multilinear(
    "linalg_cross",
    self=lambda grad, other, dim: wc._linalg_cross(other.conj(), grad, dim=dim),
    other=lambda grad, self, dim: wc._linalg_cross(grad, self.conj(), dim=dim),
)


# ---- bilinear
def trilinear_gradients(grad: Tensor, i1: Tensor, i2: Tensor, i3: Tensor, needs: Any) -> Any:
    """By rows, by matrices (of the products of both rows), by rows."""
    n = i1.shape[0]
    k, i, j = i2.shape
    by_1 = by_2 = by_3 = None
    if needs[0] or needs[2]:
        each = (grad @ conj(i2).reshape(k, i * j)).reshape(n, i, j)
        by_1 = (each @ conj(i3).unsqueeze(2)).reshape(n, i) if needs[0] else None
        by_3 = (conj(i1).unsqueeze(1) @ each).reshape(n, j) if needs[2] else None
    if needs[1]:
        pairs = (conj(i1).unsqueeze(2) * conj(i3).unsqueeze(1)).reshape(n, i * j)
        by_2 = (grad.transpose(0, 1) @ pairs).reshape(k, i, j)
    return by_1, by_2, by_3


TABLE.derivative(
    "_trilinear",
    joint=trilinear_gradients,
    joint_inputs=("i1", "i2", "i3"),
    jvp={
        "i1": lambda i1_t, i2, i3: wc._trilinear(i1_t, i2, i3),
        "i2": lambda i2_t, i1, i3: wc._trilinear(i1, i2_t, i3),
        "i3": lambda i3_t, i1, i2: wc._trilinear(i1, i2, i3_t),
    },
    node="TrilinearBackward0",
)
