"""Samples of the adjoints of views."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.view.views import as_strided_sample, cut


def embed_in_view(view: Any) -> Any:
    """Zeros with the gradient in the view."""

    def oracle(grad: Any, sizes: Any, *arguments: Any) -> Any:
        whole = np.zeros(sizes, grad.dtype)
        whole.reshape(-1)[view(np.arange(whole.size).reshape(sizes), *arguments)] = grad
        return whole

    return oracle


def restride_sample(x: Any, source: Any, target: Any, shared: Any = None) -> Any:
    n = 20
    storage, count = np.zeros(n, x.dtype), np.zeros(n)
    np.add.at(storage, as_strided_sample(np.arange(n), *source), x)
    if shared is not None:
        np.add.at(count, as_strided_sample(np.arange(n), *shared), 1)
        storage = storage / np.maximum(count, 1)
    return as_strided_sample(storage, *target)


CASES = [
    OpCase(
        "select_backward",
        embed_in_view(lambda x, dim, index: np.take(x, index, axis=dim)),
        [(T(3), (2, 3), 0, 1), (T(2), (2, 3), -1, -1)],
        complex=True,
    ),
    OpCase(
        "slice_backward", embed_in_view(cut), [(T(2, 2), (2, 5), 1, 0, 4, 2), (T(3), (4,), 0, 1, 4, 1)], complex=True
    ),
    OpCase(
        "diagonal_backward",
        embed_in_view(np.diagonal),
        [(T(2), (2, 3), 1, 0, 1), (T(3, 2), (2, 3, 2), 0, 0, 2)],
        complex=True,
    ),
    OpCase(
        "restride",
        restride_sample,
        [
            (T(2, 3), ((2, 3), (3, 1), 0), ((3, 2), (1, 3), 0)),
            (T(4, 2), ((4, 2), (1, 1), 0), ((5,), (1,), 0)),
            (T(3), ((3,), (2,), 1), ((2, 3), (3, 1), 0)),
            (T(2, 3), ((2, 3), (0, 1), 0), ((2, 3), (0, 1), 0), ((2, 3), (0, 1), 0)),
        ],
        complex=True,
    ),
]
