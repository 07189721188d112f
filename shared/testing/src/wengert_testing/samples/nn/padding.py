"""Samples of padding and of sliding blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.nn.convolution import tuples
from wengert_testing.samples.shapes import of_nn

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad_sample(x: Any, pad: Any, mode: str = "constant", value: Any = 0) -> Any:
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    if mode != "constant":
        return np.pad(x, pairs, mode=MODES[mode])  # type: ignore[call-overload]
    x = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=value)
    return x[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, pairs, strict=True))]


def columns(x: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Blocks [N, C, H, W] as [N, C * kernel, blocks]."""
    if x.ndim == 3:
        return columns(x[None], kernel, dilation, padding, stride)[0]
    kernel, dilation, padding, stride = (tuples(v, 2) for v in (kernel, dilation, padding, stride))
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    rows, across = (
        range(0, n - d * (k - 1), s) for n, k, d, s in zip(x.shape[2:], kernel, dilation, stride, strict=True)
    )
    blocks = [
        x[:, :, i : i + dilation[0] * kernel[0] : dilation[0], j : j + dilation[1] * kernel[1] : dilation[1]].reshape(
            len(x), -1
        )
        for i in rows
        for j in across
    ]
    return np.stack(blocks, -1)


def images(x: Any, size: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The adjoint: every element is added where it came from."""
    if x.ndim == 2:
        return images(x[None], size, kernel, dilation, padding, stride)[0]
    channels = x.shape[1] // int(np.prod(tuples(kernel, 2)))
    n = channels * int(np.prod(tuples(size, 2)))
    numbers = np.arange(1.0, n + 1).reshape(1, channels, *tuples(size, 2))
    places = columns(numbers, kernel, dilation, padding, stride)[0].astype(int)
    out = np.zeros((len(x), n + 1), x.dtype)
    for one, target in zip(x, out, strict=True):
        np.add.at(target, places, one)
    return out[:, 1:].reshape(len(x), *numbers.shape[1:])


CASES = [
    OpCase(
        "constant_pad_nd",
        lambda x, pad, value=0: pad_sample(x, pad, value=value),
        [(T(2, 3), (1, 2)), (T(2, 3), (1, -1, -1, 2), 2.5), (T(3), (-2, 1)), (T(0, 2), (1, 1)), (T(2, 1), ())],
    ),
    *(
        OpCase(
            f"_{name}_pad{n}d",
            lambda x, pad, mode=mode: pad_sample(x, pad, mode),
            [(T(2, *(3, 4, 3)[:n]), (1, 2, 0, 1, 1, 0)[: 2 * n]),
             (T(1, 2, *(2, 3, 2)[:n]), (0, 1, 1, 0, 0, 0)[: 2 * n])],
        )
        for name, mode in (("reflection", "reflect"), ("replication", "replicate"))
        for n in (1, 2, 3)
    ),
    of_nn(
        "pad",
        pad_sample,
        [
            (T(2, 3), (1, 2)),
            (T(2, 3, 2), (0, 1, 2, -1), "constant", 1.5),
            (T(2, 3, 4), (1, 3), "reflect"),
            (T(1, 2, 3, 4), (1, 2, 2, 0), "reflect"),
            (T(2, 3, 4), (5, 1), "replicate"),
            (T(1, 1, 2, 3, 2), (1, 0, 0, 2, 1, 1), "replicate"),
            (T(2, 3, 4), (1, 4, 2, 0), "circular"),
        ],
    ),
    of_nn("unfold", columns, [(T(2, 2, 4, 5), (2, 3)), (T(2, 3, 4), 2, 1, (1, 0), (2, 1)), (T(1, 1, 5, 5), 2, 2)]),
    OpCase(
        "_im2col",
        columns,
        [(T(2, 2, 4, 5), (2, 3), (1, 1), (0, 0), (1, 1)), (T(2, 3, 4), (2, 2), (1, 2), (1, 0), (2, 1))],
    ),
    OpCase(
        "_col2im",
        images,
        [(T(2, 12, 9), (4, 4), (2, 2), (1, 1), (0, 0), (1, 1)), (T(8, 6), (3, 4), (2, 2), (1, 1), (0, 0), (1, 1))],
    ),
    of_nn("fold", images, [(T(2, 12, 9), (4, 4), 2), (T(8, 6), (3, 4), 2), (T(1, 4, 9), (4, 4), 2, 1, 1, 2)]),
]
