"""Samples of pooling, against windows written out one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.nn.convolution import tuples
from wengert_testing.samples.shapes import both, of_nn, recorded_rows

PLACES = np.array([[[0, 3], [2, 2]], [[1, 0], [3, 5]]])


def fixed_windows(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> list[list[int]]:
    """The places of each window, also those in the padding, but not beyond it."""
    found: list[list[int]] = []
    first = -padding
    while True:
        window = [first + i * dilation for i in range(kernel)]
        if window[-1] >= size + padding and not (ceil and first < size and window[-1] < size + padding + stride):
            return found
        found.append([i for i in window if i < size + padding])
        first += stride


def adaptive(size: int, n: int) -> list[list[int]]:
    """Windows that share a dim out."""
    return [list(range(math.floor(i * size / n), math.ceil((i + 1) * size / n))) for i in range(n)]


def pool_windows(x: Any, windows: list[list[list[int]]], reduce: Callable[[Any, int], Any]) -> Any:
    """reduce(elements of a window as one dim, its places with those in the padding), for each window."""
    n = len(windows)
    out = []
    for chosen in itertools.product(*windows):
        inside = [[i for i in w if 0 <= i < size] for w, size in zip(chosen, x.shape[-n:], strict=True)]
        met = x[(..., *np.ix_(*inside))].reshape(*x.shape[:-n], -1)
        out.append(reduce(met, math.prod(map(len, chosen))))
    return np.stack(out, -1).reshape(*x.shape[:-n], *map(len, windows))


def windows_of(x: Any, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> Any:
    each = [tuples(v, n) for v in (kernel, kernel if stride is None else stride, padding, dilation)]
    return [fixed_windows(s, k, t, p, d, ceil) for s, k, t, p, d in zip(x.shape[-n:], *each, strict=True)]


def average(n: int) -> Any:
    def oracle(
        x: Any,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        def mean(met: Any, count: int) -> Any:
            return met.sum(-1) / (divisor_override or (count if count_include_pad else met.shape[-1]))

        return pool_windows(x, windows_of(x, n, kernel, stride, padding, 1, ceil_mode), mean)

    return oracle


def largest(n: int, indices: bool = False) -> Any:
    def oracle(
        x: Any,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        windows = windows_of(x, n, kernel, stride, padding, dilation, ceil_mode)
        return most(x, windows) if indices or return_indices else most(x, windows)[0]

    return oracle


def most(x: Any, windows: Any) -> Any:
    """Extremes, and their places in the plane."""
    n = len(windows)
    values = pool_windows(x, windows, lambda met, _: met.max(-1))
    places = np.broadcast_to(np.arange(math.prod(x.shape[-n:])).reshape(x.shape[-n:]), x.shape)
    best = pool_windows(x, windows, lambda met, _: met.argmax(-1))
    return values, argmax_windows(places, windows, best)


def argmax_windows(places: Any, windows: Any, best: Any) -> Any:
    """The place of the best element of each window."""
    n = len(windows)
    chosen = iter(np.moveaxis(best.reshape(*best.shape[:-n], -1), -1, 0))
    return pool_windows(places, windows, lambda met, _: np.take_along_axis(met, next(chosen)[..., None], -1)[..., 0])


def adaptive_average(n: int) -> Any:
    return lambda x, size: pool_windows(
        x,
        [
            adaptive(s, x.shape[i - n] if k is None else k)  # type: ignore[redundant-expr]
            for i, (s, k) in enumerate(zip(x.shape[-n:], tuples(size, n), strict=True))
        ],
        lambda met, _: met.mean(-1),
    )


def adaptive_largest(n: int, indices: bool = False) -> Any:
    def oracle(x: Any, size: Any, return_indices: bool = False) -> Any:
        found = most(x, [adaptive(s, k) for s, k in zip(x.shape[-n:], tuples(size, n), strict=True)])
        return found if indices or return_indices else found[0]

    return oracle


def pool_backward(grad: Any, sizes: Any, windows: Any, share: Callable[[int, int], float]) -> Any:
    """What each window gives back to its elements: share(elements inside, places)."""
    n, out = len(windows), np.zeros(sizes, grad.dtype)
    flat = np.moveaxis(grad.reshape(*grad.shape[:-n], -1), -1, 0)
    for part, chosen in zip(flat, itertools.product(*windows), strict=True):
        inside = [[i for i in w if 0 <= i < size] for w, size in zip(chosen, sizes[-n:], strict=True)]
        out[(..., *np.ix_(*inside))] += part[(..., *[None] * n)] * share(
            math.prod(map(len, inside)), math.prod(map(len, chosen))
        )
    return out


def average_back(
    grad: Any, sizes: Any, n: int, kernel: Any, stride: Any, padding: Any, ceil: bool, include: bool, divisor: Any
) -> Any:
    windows = windows_of(np.empty(sizes), n, kernel, stride, padding, 1, ceil)
    return pool_backward(grad, sizes, windows, lambda inside, places: 1 / (divisor or (places if include else inside)))


def adaptive_back(grad: Any, sizes: Any, n: int) -> Any:
    windows = [adaptive(s, k) for s, k in zip(sizes[-n:], grad.shape[-n:], strict=True)]
    return pool_backward(grad, sizes, windows, lambda inside, _: 1 / inside)


def scatter_windows(grad: Any, places: Any, sizes: Any, n: int) -> Any:
    out = np.zeros((places[..., 0, 0].size if n == 2 else places[..., 0].size, math.prod(sizes[-n:])), grad.dtype)
    for plane, (g, at) in enumerate(zip(grad.reshape(len(out), -1), places.reshape(len(out), -1), strict=True)):
        for value, i in zip(g, at, strict=True):
            out[plane, i] += value
    return out.reshape(sizes)


def gather_windows(x: Any, places: Any, n: int) -> Any:
    flat = x.reshape(*x.shape[:-n], -1)
    return np.take_along_axis(flat, places.reshape(*flat.shape[:-1], -1), -1).reshape(places.shape)


ONE = [(T(2, 3, 7), 2), (T(3, 7), 3, 2, 1), (T(1, 2, 8), 3, 2, 1, {"ceil_mode": True})]
TWO = [(T(2, 2, 4, 5), 2), (T(2, 5, 6), (3, 2), (2, 3), (1, 0)), (T(1, 2, 6, 7), 3, 2, 1, {"ceil_mode": True})]
THREE = [(T(1, 2, 3, 4, 4), 2), (T(2, 3, 4, 5), (1, 3, 2), (1, 2, 2), (0, 1, 0))]
WORDS: dict[str, Any] = {"count_include_pad": False}
DILATED = [(T(1, 2, 7, 6), 2, 2, 0, (3, 2))]
ADAPTIVE: dict[int, list[Any]] = {
    1: [(T(2, 3, 7), 3), (T(3, 4), 4), (T(2, 1, 5), 1)],
    2: [(T(2, 2, 4, 5), (3, 2)), (T(2, 3, 4), 1), (T(1, 1, 3, 2), 4)],
    3: [(T(1, 2, 3, 4, 3), (2, 3, 1)), (T(2, 2, 3, 2), 2)],
}

CASES = [
    *both("avg_pool1d", average(1), [*ONE, (T(1, 2, 8), 3, 2, 1, WORDS)]),
    of_nn(
        "avg_pool2d", average(2), [*TWO, (T(1, 2, 5, 5), 3, 2, 1, WORDS), (T(1, 1, 4, 4), 2, {"divisor_override": 3})]
    ),
    of_nn("avg_pool3d", average(3), [*THREE, (T(1, 1, 3, 3, 3), 2, 1, 1, WORDS)]),
    *both("max_pool1d", largest(1), ONE),
    *both("max_pool2d", largest(2), [*TWO, *DILATED]),
    *both("max_pool3d", largest(3), THREE),
    OpCase("max_pool1d_with_indices", largest(1, True), ONE),
    OpCase("max_pool2d_with_indices", largest(2, True), [*TWO, *DILATED]),
    OpCase("max_pool3d_with_indices", largest(3, True), THREE),
    *both("adaptive_avg_pool1d", adaptive_average(1), ADAPTIVE[1]),
    of_nn("adaptive_avg_pool2d", adaptive_average(2), [*ADAPTIVE[2], (T(1, 2, 4, 3), (None, 2))]),
    of_nn("adaptive_avg_pool3d", adaptive_average(3), ADAPTIVE[3]),
    *[OpCase(f"_adaptive_avg_pool{n}d", adaptive_average(n), ADAPTIVE[n]) for n in ADAPTIVE],
    *[of_nn(f"adaptive_max_pool{n}d", adaptive_largest(n), ADAPTIVE[n]) for n in ADAPTIVE],
    *[OpCase(f"adaptive_max_pool{n}d", adaptive_largest(n, True), ADAPTIVE[n]) for n in ADAPTIVE],
    OpCase(
        "avg_pool_backward",
        average_back,
        [
            (T(2, 2, 3), (2, 2, 6), 1, 2, None, 0, False, True, None),
            (T(1, 2, 2, 3), (1, 2, 3, 5), 2, (2, 3), 2, 1, False, False, None),
            (T(1, 2, 1, 1), (1, 2, 2, 2), 3, (1, 2, 2), 1, 0, False, True, 5),
        ],
    ),
    OpCase("adaptive_avg_pool_backward", adaptive_back, [(T(2, 2, 3), (2, 2, 5), 1), (T(1, 2, 3), (1, 4, 4), 2)]),
    OpCase("pool_scatter", scatter_windows, [(T(2, 2, 2), PLACES, (2, 2, 6), 1), (T(2, 2, 2), PLACES, (2, 2, 3), 2)]),
    OpCase("pool_gather", gather_windows, [(T(2, 2, 6), PLACES, 1), (T(2, 2, 3), PLACES, 2)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "max_pool1d": [(T(2, 7), 2, 2, 1, 2, True)],
    "nn.functional.max_pool1d": [(T(2, 7), 2, 2, 1, 2, False, True)],
    "max_pool1d_with_indices": [(T(2, 7), 2, 2, 1, 2, True)],
    "max_pool2d": [(T(2, 5, 5), 2, 2, 1, 1, True)],
    "nn.functional.max_pool2d": [(T(2, 5, 5), 2, 2, 1, 1, True, True)],
    "max_pool3d": [(T(1, 4, 3, 4), 2, 2, 1, 2, True)],
    "nn.functional.max_pool3d": [(T(1, 4, 3, 4), 2, 2, 1, 2, True, True)],
    "max_pool3d_with_indices": [(T(1, 4, 3, 4), 2, 2, 1, 2, True)],
    "nn.functional.avg_pool3d": [(T(1, 3, 3, 3), 2, 2, 1, True, False, 5)],
    **{f"nn.functional.adaptive_max_pool{n}d": [(T(2, *(5, 4, 3)[:n]), 2, True)] for n in (1, 2, 3)},
})
