"""Samples of dropout that drops nothing, and of normalize."""

from __future__ import annotations

from wengert_testing.case import T
from wengert_testing.samples.reduce.norms import vector_norm
from wengert_testing.samples.shapes import of_nn, recorded_rows

CASES = [
    of_nn("dropout", lambda x, p, train: x, [(T(2, 3), 0.5, False), (T(2, 3), 0.0, True)]),
    of_nn("normalize", lambda x, p=2.0, dim=1: x / vector_norm(x, p, dim, True), [(T(2, 3),), (T(2, 3), 3.0, 0)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "nn.functional.normalize": [(T(2, 3), 1.5, -1, 1e-3)],
})
