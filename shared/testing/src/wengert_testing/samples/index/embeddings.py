"""Samples of one_hot and embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import of_nn, recorded_rows

CLASSES = np.array([[2, 0, 1], [1, 1, 0]])


def rows(index: Any, weight: Any, padding_idx: Any = None) -> Any:
    return weight[index]


def hot(x: Any, n: Any = -1) -> Any:
    return (x[..., None] == np.arange(x.max() + 1 if n == -1 else n)).astype(np.int64)


def shorten_sample(weight: Any, index: Any, max_norm: Any, norm_type: Any) -> Any:
    out = np.array(weight)
    for i in set(np.ravel(index).tolist()):
        norm = np.linalg.norm(weight[i], norm_type)
        out[i] = weight[i] * (max_norm / (norm + 1e-7) if norm > max_norm else 1)
    return out



CASES = [
    # ---- classes
    of_nn("one_hot", hot, [(CLASSES,), (CLASSES, 5)], grad=False),
    OpCase(
        "_embedding",
        lambda weight, indices, *rest: weight[indices],
        [(T(3, 2), CLASSES), (T(4, 2), CLASSES[0]), (T(3, 2), CLASSES, -1, False, False), (T(3, 2), CLASSES[:0])],
    ),
    of_nn("embedding", rows, [(CLASSES, T(3, 2)), (CLASSES[0], T(4, 2))]),
    OpCase(
        "embedding_renorm_",
        shorten_sample,
        [(T(4, 2), CLASSES, 0.5, 2.0), (T(4, 2), CLASSES[0], 0.5, 1.0)],
        grad=False,
        note="a leaf is not written to",
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.embedding": [(np.array([1, 0, 2]), T(3, 2), 1, None, 2.0, False, False)],
}, grad=False)
