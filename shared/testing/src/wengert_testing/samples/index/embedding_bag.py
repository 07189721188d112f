"""Samples of bags of embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import of_nn, recorded_rows, with_words

ENTRIES = np.array([0, 2, 2, 4, 1])
OFFSETS = np.array([0, 2, 2, 4])


def bags(index: Any, weight: Any, offsets: Any = None, mode: Any = "mean", per_sample_weights: Any = None) -> Any:
    """Each bag by itself."""
    rows = weight[index.reshape(-1)]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    starts = np.arange(len(index)) * index.shape[1] if offsets is None else offsets
    ways: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max}
    way = ways[mode]
    parts = [rows[a:b] for a, b in zip(starts, [*starts[1:], len(rows)], strict=True)]
    return np.stack([way(part, axis=0) if len(part) else np.zeros_like(weight[0]) for part in parts])


def bags_and_more(
    weight: Any, index: Any, offsets: Any, by_frequency: Any = False, mode: Any = 0, sparse: Any = False,
    factors: Any = None, last: Any = False, padding: Any = None,
) -> Any:  # fmt: skip
    """The first of four results: padded entries are left out."""
    starts = offsets[:-1] if last else offsets
    kept = np.array([i for i in range(len(index)) if index[i] != padding], dtype=np.int64)
    moved = np.searchsorted(kept, starts)
    return bags(index[kept], weight, moved, ("sum", "mean", "max")[mode], None if factors is None else factors[kept])


CLASSES = np.array([1, 0, 2])

CASES = [
    of_nn(
        "embedding_bag",
        bags,
        [
            (ENTRIES[:4].reshape(2, 2), T(5, 3)),
            *with_words([(ENTRIES, T(5, 3), OFFSETS)], mode="sum"),
            (ENTRIES, T(5, 3), OFFSETS, {"mode": "max"}),
            (ENTRIES, T(5, 3), OFFSETS, {"mode": "sum", "per_sample_weights": T(5)}),
        ],
    ),
    *(
        OpCase(
            name,
            bags_and_more,
            [
                (T(5, 3), ENTRIES, OFFSETS),
                (T(5, 3), ENTRIES, OFFSETS, False, 1),
                (T(5, 3), ENTRIES, OFFSETS, False, 2, False, None, False, 2),
                (T(5, 3), ENTRIES, np.array([0, 1, 5]), False, 0, False, T(5), True, 4),
            ],
            invariant=lambda found, *rest: found,  # the rest is tested beside PyTorch's
        )
        for name in ("embedding_bag", "_embedding_bag")
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.embedding_bag": [
        (CLASSES, T(3, 2), np.array([0, 2]), None, 2.0, False, "sum", False, T(3)),
        (CLASSES, T(3, 2), np.array([0, 1, 3]), None, 2.0, False, "mean", False, None, True, 1),
    ],
}, grad=False)
