"""Samples of attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import of_nn

MASK = fixed([[0, -1.0, -np.inf, 0.5], [0, 0, 0, -np.inf], [-np.inf, -np.inf, 1.0, 2.0]])
SEEN = np.array([[True, False, True, True], [False, False, True, False], [True, True, True, True]])


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    if enable_gqa:
        key, value = (np.repeat(x, query.shape[-3] // x.shape[-3], -3) for x in (key, value))
    scores = query @ np.swapaxes(key, -1, -2) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = np.tri(*scores.shape[-2:]).astype(bool)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + np.asarray(attn_mask)
    return softmax(scores) @ value


def with_sums(query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float) -> Any:
    scores = query @ np.swapaxes(key, -1, -2) * scale + (0 if mask is None else np.asarray(mask))
    scores = np.where(np.tri(*scores.shape[-2:]).astype(bool), scores, -np.inf) if causal else scores
    return softmax(scores) @ value, np.log(np.exp(scores).sum(-1))


def back(
    grad: Any, query: Any, key: Any, value: Any, mask: Any, out: Any, sums: Any, causal: bool, scale: float
) -> Any:
    scores = query @ np.swapaxes(key, -1, -2) * scale + (0 if mask is None else np.asarray(mask))
    weights = softmax(np.where(np.tri(*scores.shape[-2:]).astype(bool), scores, -np.inf) if causal else scores)
    slopes = grad @ np.swapaxes(value, -1, -2)
    slopes = weights * (slopes - (weights * slopes).sum(-1, keepdims=True)) * scale
    return slopes @ key, np.swapaxes(slopes, -1, -2) @ query, np.swapaxes(weights, -1, -2) @ grad


def backward_arguments(seed: int, causal: bool) -> Any:
    """A result and its sums that belong to the inputs: all given as numbers, which no derivative is taken by."""
    random = np.random.default_rng(seed)
    grad, query, key, value = (
        fixed(random.uniform(-1, 1, shape)) for shape in ((2, 3, 2), (2, 3, 4), (2, 4, 4), (2, 4, 2))
    )
    out, sums = with_sums(query, key, value, None, causal, 0.5)
    return grad, query, key, value, None, fixed(out), fixed(sums), causal, 0.5


CASES = [
    of_nn(
        "scaled_dot_product_attention",
        attention,
        [
            (T(2, 3, 4), T(2, 5, 4), T(2, 5, 3)),
            (T(3, 4), T(4, 4), T(4, 2), MASK),
            (T(2, 3, 4), T(2, 4, 4), T(2, 4, 2), SEEN),
            (T(3, 4), T(4, 4), T(4, 2), None, 0.0, True),
            (T(1, 4, 3, 2), T(1, 2, 3, 2), T(1, 2, 3, 2), {"enable_gqa": True, "scale": 0.7}),
            (T(2, 2), T(3, 2), T(3, 2), T(2, 3)),
            (T(2, 1, 3, 2), T(2, 3, 2), T(3, 2)),
        ],
    ),
    OpCase(
        "_scaled_dot_product_attention",
        with_sums,
        [
            (T(2, 3, 4), T(2, 5, 4), T(2, 5, 3), None, False, 0.5),
            (T(3, 4), T(4, 4), T(4, 2), MASK, False, 0.5),
            (T(70, 3), T(60, 3), T(60, 2), None, True, 1.0),
        ],
    ),
    OpCase("_scaled_dot_product_attention_backward", back, [backward_arguments(1, False), backward_arguments(2, True)]),
]
