"""Derivatives of embedding_bag."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, zeros_of
from wengert_formulas.derivatives.index.embeddings import Shape, rows_gradient

SUM, MEAN, MAX = 0, 1, 2


def weight_gradient(
    grad: Tensor,
    weight_shape: Shape,
    indices: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: Any,
    padding_idx: int,
    sparse: bool,
    result1: Tensor,
    result2: Tensor,
    result3: Tensor,
) -> Tensor:
    """What each entry gets of its bag's gradient, added up for each row; that of a maximum goes to its row."""
    if mode == MAX:
        grad = grad.masked_fill((result2 == 0).unsqueeze(1), 0)
        return wc.scatter_add(zeros_of(grad, weight_shape), 0, result3.long(), grad)
    if mode == MEAN:
        grad = grad / result2.clamp_min(1).to(grad.dtype).unsqueeze(1)
    rows = grad.index_select(0, result1)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1).unsqueeze(1)
    return rows_gradient(rows, weight_shape, indices, padding_idx, scale_grad_by_freq, sparse)


def factors_gradient(
    grad: Tensor, weight: Tensor, indices: Tensor, per_sample_weights_shape: Shape, padding_idx: int, result1: Tensor
) -> Tensor:
    """The product of each entry's row with its bag's gradient; 0 for padding."""
    entries = indices.reshape(-1)
    found = (weight.index_select(0, entries) * grad.index_select(0, result1)).sum(1)
    return found.masked_fill(entries == padding_idx, 0).reshape(per_sample_weights_shape)


def bags_of_tangents(
    weight_t: Tensor,
    indices: Tensor,
    offsets: Tensor,
    mode: int,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int,
    result2: Tensor,
    result3: Tensor,
) -> Tensor:
    """The same of the tangents; those at the places of the maxima."""
    if mode == MAX:
        return weight_t.gather(0, result3.long()).masked_fill((result2 == 0).unsqueeze(1), 0)
    found: Tensor = wc._embedding_bag(
        weight_t, indices, offsets, False, mode, False, per_sample_weights, include_last_offset, padding_idx
    )[0]
    return found


TABLE.derivative(
    "_embedding_bag",
    weight=weight_gradient,
    per_sample_weights=factors_gradient,
    jvp={
        "weight": bags_of_tangents,
        "per_sample_weights": lambda per_sample_weights_t, weight, indices, offsets, mode, include_last_offset,
        padding_idx: wc._embedding_bag(
            weight, indices, offsets, False, mode, False, per_sample_weights_t, include_last_offset, padding_idx
        )[0],
    },
    outputs=("result0",),
    node="EmbeddingBagBackward0",
)
