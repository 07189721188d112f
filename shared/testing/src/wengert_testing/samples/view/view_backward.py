"""Samples of the adjoints of views."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.view.views import cut, strided


def placed(view: Any) -> Any:
    """Zeros with the gradient in the view."""

    def oracle(grad: Any, sizes: Any, *arguments: Any) -> Any:
        whole = np.zeros(sizes, grad.dtype)
        whole.reshape(-1)[view(np.arange(whole.size).reshape(sizes), *arguments)] = grad
        return whole

    return oracle


def restrided(x: Any, source: Any, target: Any, shared: Any = None) -> Any:
    n = 20
    storage, count = np.zeros(n, x.dtype), np.zeros(n)
    np.add.at(storage, strided(np.arange(n), *source), x)
    if shared is not None:
        np.add.at(count, strided(np.arange(n), *shared), 1)
        storage = storage / np.maximum(count, 1)
    return strided(storage, *target)


CASES = [
    OpCase(
        "select_backward",
        placed(lambda x, dim, index: np.take(x, index, axis=dim)),
        [(T(3), (2, 3), 0, 1), (T(2), (2, 3), -1, -1)],
        complex=True,
    ),
    OpCase("slice_backward", placed(cut), [(T(2, 2), (2, 5), 1, 0, 4, 2), (T(3), (4,), 0, 1, 4, 1)], complex=True),
    OpCase(
        "diagonal_backward", placed(np.diagonal), [(T(2), (2, 3), 1, 0, 1), (T(3, 2), (2, 3, 2), 0, 0, 2)], complex=True
    ),
    OpCase(
        "restride",
        restrided,
        [
            (T(2, 3), ((2, 3), (3, 1), 0), ((3, 2), (1, 3), 0)),
            (T(4, 2), ((4, 2), (1, 1), 0), ((5,), (1,), 0)),
            (T(3), ((3,), (2,), 1), ((2, 3), (3, 1), 0)),
            (T(2, 3), ((2, 3), (0, 1), 0), ((2, 3), (0, 1), 0), ((2, 3), (0, 1), 0)),
        ],
        complex=True,
    ),
]
