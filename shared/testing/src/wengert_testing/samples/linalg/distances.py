"""Samples of distances between rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.reduce.norms import vector_norm
from wengert_testing.samples.shapes import both, recorded_rows


def cosine(x: Any, y: Any, dim: Any = 1, eps: Any = 1e-8) -> Any:
    return (x * y).sum(dim) / (np.sqrt((x * x).sum(dim)) * np.sqrt((y * y).sum(dim)))


def distance(x: Any, y: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Any:
    return vector_norm(x - y + eps, p, -1, keepdim)


def distances(x: Any, y: Any, p: Any = 2.0) -> Any:
    return vector_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def distances_within(x: Any, p: Any = 2.0) -> Any:
    pairs = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    return np.array([np.linalg.norm(x[i] - x[j], p) for i, j in pairs])


PAIR = [(T(2, 3), T(2, 3)), (T(3, 2), T(3, 2), 0)]

CASES = [
    # ---- distances
    *both("cosine_similarity", cosine, PAIR),
    *both("pairwise_distance", distance, [(T(2, 3), T(2, 3)), (T(2, 3), T(2, 3), 3.0)]),
    OpCase(
        "_cdist",
        distances,
        [(T(2, 3), T(4, 3), p) for p in (2.0, 1.0, 3.0, np.inf)] + [(T(2, 2, 3), T(1, 4, 3)), (T(0, 3), T(2, 3))],
    ),
    OpCase("cdist", distances, [(T(2, 3), T(4, 3)), (T(2, 2, 3), T(2, 1, 3), 3.0)]),
    *(
        OpCase(f"{place}pdist", distances_within, [(T(4, 3),), (T(3, 2), 1.0), (T(3, 2), 3.0), (T(3, 4), np.inf)])
        for place in ("", "nn.functional.")
    ),
    OpCase(
        "_cdist_backward",
        None,
        [(T(2, 4), T(2, 3), T(4, 3), p, T(2, 4, domain=(1.0, 2.0))) for p in (1.0, 2.0, 3.0, 4.0)]
        + [(T(2, 2, 4), T(2, 3), T(2, 4, 3), 3.0, T(2, 2, 4, domain=(1.0, 2.0)))],
        note="values: packages/core/tests/test_distances.py",
    ),
    OpCase(
        "_pdist_backward",
        None,
        [(T(6), T(4, 3), p, T(6, domain=(1.0, 2.0))) for p in (1.0, 2.0, 3.0)],
        note="values: packages/core/tests/test_distances.py",
    ),
    OpCase("_pdist", distances_within, [(T(4, 3),), (T(3, 2), 1.0), (T(3, 2), 3.0), (T(3, 4), np.inf), (T(1, 3),)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "cosine_similarity": [(T(2, 3), T(2, 3), -1, 1e-6)],
    "nn.functional.cosine_similarity": [(T(2, 3), T(2, 3), -1, 1e-6)],
    "cdist": [(T(2, 3), T(2, 3), 2.0, "donot_use_mm_for_euclid_dist")],
    "pairwise_distance": [(T(2, 3), T(2, 3), 2.0, 1e-3, True)],
    "nn.functional.pairwise_distance": [(T(2, 3), T(2, 3), 2.0, 1e-3, True)],
})
