"""Samples of multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import T
from wengert_testing.samples.nn.attention import softmax
from wengert_testing.samples.shapes import of_nn, recorded_rows


def heads(x: Any, n: int) -> Any:
    """[length, sequences, width] as [sequences, n, length, width / n]."""
    return x.reshape(*x.shape[:2], n, -1).transpose(1, 2, 0, 3)


def multi_head(
    query: Any,
    key: Any,
    value: Any,
    width: int,
    n: int,
    w: Any,
    b: Any,
    bias_k: Any,
    bias_v: Any,
    zero: bool,
    dropout_p: float,
    w_out: Any,
    b_out: Any,
) -> Any:
    q, k, v = (
        heads(x @ part.T + more, n)
        for x, part, more in zip((query, key, value), np.split(w, 3), np.split(b, 3), strict=True)
    )
    weights = softmax(q @ np.swapaxes(k, -1, -2) / math.sqrt(width // n))
    joined = (weights @ v).transpose(2, 0, 1, 3).reshape(query.shape)
    return joined @ w_out.T + b_out, weights.mean(1)


PROJECTIONS = (4, 2, T(12, 4), T(12), None, None, False, 0.0, T(4, 4), T(4))


ATTENTION = (T(2, 2, 4), T(2, 2, 4), T(2, 2, 4), 4, 2, None, T(12), None, None, False, 0.0, T(4, 4), T(4))
APART: dict[str, Any] = {"use_separate_proj_weight": True} | {f"{name}_proj_weight": T(4, 4) for name in "qkv"}
MASKED: dict[str, Any] = {"training": False, "key_padding_mask": np.array([[False, True], [False, False]])}
HEADS = [
    (*ATTENTION, {**APART, **MASKED}),
    (*ATTENTION, {**APART, "attn_mask": np.array([[False, True], [False, False]]), "is_causal": True}),
    (*ATTENTION, {**APART, "static_k": T(4, 2, 2), "static_v": T(4, 2, 2), "average_attn_weights": False}),
]


CASES = [
    of_nn(
        "multi_head_attention_forward",
        multi_head,
        [(T(3, 2, 4), T(2, 2, 4), T(2, 2, 4), *PROJECTIONS), (T(2, 1, 4), T(2, 1, 4), T(2, 1, 4), *PROJECTIONS)],
    ),
]
CASES += recorded_rows({"nn.functional.multi_head_attention_forward": HEADS})
