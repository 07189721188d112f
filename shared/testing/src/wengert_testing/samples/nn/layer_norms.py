"""Samples of normalization over the last dims."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import T
from wengert_testing.samples.shapes import both, recorded_rows, with_words


def layer_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    axes = tuple(range(-len(shape), 0))
    y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    return (y if weight is None else y * weight) + (0 if bias is None else bias)


def rms_norm(x: Any, shape: Any, weight: Any = None, eps: Any = 1e-12) -> Any:
    y = x / np.sqrt((x * x).mean(tuple(range(-len(shape), 0)), keepdims=True) + eps)
    return y if weight is None else y * weight


LAYERS = [(T(2, 3), (3,)), (T(2, 3), (3,), T(3), T(3)), (T(2, 2, 3), (2, 3), T(2, 3))]

CASES = [
    # ---- normalization
    *both("layer_norm", layer_norm, LAYERS),
    *both("rms_norm", rms_norm, with_words([LAYERS[0], LAYERS[2]], eps=1e-3)),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "layer_norm": [(T(2, 3), (3,), T(3), T(3), 1e-2, True)],
    "nn.functional.layer_norm": [(T(2, 3), (3,), T(3), T(3), 1e-2)],
})
