"""Samples of convolutions, against sums written out element by element."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import both, recorded_rows


def tuples(value: Any, n: int) -> tuple[int, ...]:
    return (value,) * n if isinstance(value, int) else tuple(value)


def correlate(x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """out[n, o, p] = bias[o] + the sum over c and k of x[n, c, p * stride + k * dilation - padding] w[o, c, k]."""
    n = x.ndim - 2
    stride, dilation = tuples(stride, n), tuples(dilation, n)
    x = np.pad(x, [(0, 0), (0, 0), *[p if isinstance(p, tuple) else (p, p) for p in padding]])
    kernel, size = w.shape[2:], []
    for i in range(n):
        size.append((x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1)
    out = np.zeros((x.shape[0], w.shape[0], *size), np.result_type(x, w))
    each, per = w.shape[1], w.shape[0] // groups
    for o, place in itertools.product(range(w.shape[0]), np.ndindex(*size)):
        for tap in np.ndindex(*kernel):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation, strict=True))
            channels = x[(slice(None), slice(o // per * each, (o // per + 1) * each), *at)]
            out[(slice(None), o, *place)] += channels @ w[(o, slice(None), *tap)]
    return out if bias is None else out + bias.reshape(-1, *[1] * n)


def conv(n: int) -> Any:
    """The oracle of convNd."""

    def oracle(
        x: Any, w: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Any:
        if x.ndim == n + 1:
            return oracle(x[None], w, bias, stride, padding, dilation, groups)[0]
        if padding == "valid":
            padding = 0
        if padding == "same":
            reach = [d * (k - 1) for d, k in zip(tuples(dilation, n), w.shape[2:], strict=True)]
            return correlate(x, w, bias, stride, [(r // 2, r - r // 2) for r in reach], dilation, groups)
        return correlate(x, w, bias, stride, tuples(padding, n), dilation, groups)

    return oracle


def conv_transpose(n: int) -> Any:
    """The oracle of conv_transposeNd: every element of the input is spread by the kernel."""

    def oracle(
        x: Any,
        w: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        if x.ndim == n + 1:
            return oracle(x[None], w, bias, stride, padding, output_padding, groups, dilation)[0]
        stride, padding, more, dilation = (tuples(v, n) for v in (stride, padding, output_padding, dilation))
        kernel, per = w.shape[2:], x.shape[1] // groups
        size = [(x.shape[2 + i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + more[i] + 1 for i in range(n)]
        out = np.zeros((x.shape[0], w.shape[1] * groups, *size), np.result_type(x, w))
        for c, place in itertools.product(range(x.shape[1]), np.ndindex(*x.shape[2:])):
            group = slice(c // per * w.shape[1], (c // per + 1) * w.shape[1])
            for tap in np.ndindex(*kernel):
                at = tuple(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation, strict=True))
                out[(slice(None), group, *at)] += np.outer(x[(slice(None), c, *place)], w[(c, slice(None), *tap)])
        inside: Any = (..., *[slice(p, s - p) for p, s in zip(padding, size, strict=True)])
        out = out[inside]
        return out if bias is None else out + bias.reshape(-1, *[1] * n)

    return oracle


def convolution(
    x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: Any, more: Any, groups: Any
) -> Any:
    """The oracle of torch.convolution."""
    n = x.ndim - 2
    if transposed:
        return conv_transpose(n)(x, w, bias, stride, padding, more, groups, dilation)
    return conv(n)(x, w, bias, stride, padding, dilation, groups)


def weight_gradient(x: Any, y: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """out[o, c, k] = the sum over n and p of x[n, c, p * stride + k * dilation - padding] y[n, o, p]."""
    n = x.ndim - 2
    stride, dilation, padding = tuples(stride, n), tuples(dilation, n), tuples(padding, n)
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    each, per = x.shape[1] // groups, y.shape[1] // groups
    out = np.zeros((y.shape[1], each, *kernel), x.dtype)
    for o, tap, place in itertools.product(range(y.shape[1]), np.ndindex(*kernel), np.ndindex(*y.shape[2:])):
        at = tuple(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation, strict=True))
        channels = x[(slice(None), slice(o // per * each, (o // per + 1) * each), *at)]
        out[(o, slice(None), *tap)] += y[(slice(None), o, *place)] @ channels
    return out


CASES = [
    *both(
        "conv1d",
        conv(1),
        [
            (T(2, 3, 5), T(2, 3, 2), T(2)),
            (T(3, 5), T(2, 3, 2)),
            (T(2, 4, 6), T(4, 2, 3), None, 2, 1, 1, 2),
            (T(1, 2, 7), T(3, 2, 3), {"padding": "same", "dilation": 2}),
            (T(0, 2, 4), T(3, 2, 2)),
        ],
        complex=True,
    ),
    *both(
        "conv2d",
        conv(2),
        [
            (T(2, 2, 4, 5), T(3, 2, 2, 3), T(3)),
            (T(2, 4, 3), T(1, 2, 2, 2)),
            (T(1, 4, 5, 4), T(4, 2, 3, 2), T(4), (2, 1), (1, 0), (1, 2), 2),
            (T(2, 3, 4, 4), T(3, 1, 3, 3), T(3), 1, 1, 1, 3),
            (T(1, 2, 3, 3), T(2, 2, 1, 1)),
            (T(1, 1, 4, 4), T(2, 1, 1, 3), {"padding": "same", "dilation": (1, 2)}),
            (T(1, 1, 3, 3), T(1, 1, 2, 2), {"padding": "valid", "stride": 1}),
        ],
        complex=True,
    ),
    *both(
        "conv3d",
        conv(3),
        [(T(1, 2, 3, 3, 2), T(2, 2, 2, 2, 1), T(2), (1, 2, 1), (0, 1, 0)), (T(1, 2, 3, 2), T(1, 1, 2, 1, 2))],
    ),
    *both(
        "conv_transpose1d",
        conv_transpose(1),
        [
            (T(2, 3, 4), T(3, 2, 2), T(2)),
            (T(2, 4), T(2, 1, 3), None, 3, 1, 2),
            (T(1, 4, 3), T(4, 1, 2), None, 2, 0, 0, 2),
        ],
        complex=True,
    ),
    *both(
        "conv_transpose2d",
        conv_transpose(2),
        [
            (T(2, 2, 3, 2), T(2, 3, 2, 3), T(3)),
            (T(1, 4, 3, 3), T(4, 1, 3, 2), T(2), (2, 1), (1, 0), (1, 0), 2, (1, 2)),
            (T(2, 3, 3), T(2, 2, 1, 2), None, 3),
        ],
    ),
    *both(
        "conv_transpose3d",
        conv_transpose(3),
        [(T(1, 2, 2, 2, 3), T(2, 1, 2, 1, 2), T(1), (1, 2, 1), (0, 0, 1), (0, 1, 0))],
    ),
    OpCase(
        "convolution",
        convolution,
        [
            (T(2, 2, 4), T(3, 2, 2), T(3), (2,), (1,), (1,), False, (0,), 1),
            (T(1, 2, 3, 3), T(2, 1, 2, 2), None, (2, 2), (0, 0), (1, 1), True, (1, 0), 1),
            (T(1, 17, 3, 3), T(19, 17, 2, 2), None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1),
        ],
        complex=True,
    ),
    OpCase(
        "convolution_weight",
        weight_gradient,
        [
            (T(2, 2, 4), T(2, 3, 3), (2,), (1,), (0,), (1,), 1),
            (T(1, 4, 4, 3), T(1, 2, 2, 3), (3, 2), (2, 1), (1, 1), (1, 2), 2),
        ],
        complex=True,
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "conv3d": [(T(1, 2, 3, 3, 3), T(2, 1, 2, 2, 2), None, 1, 1, 2, 2)],
    "nn.functional.conv3d": [(T(1, 2, 3, 3, 3), T(2, 1, 2, 2, 2), None, 1, 1, 2, 2)],
    "conv_transpose1d": [(T(1, 2, 4), T(2, 1, 2), None, 2, 1, 1, 2, 2)],
    "nn.functional.conv_transpose1d": [(T(1, 2, 4), T(2, 1, 2), None, 2, 1, 1, 2, 2)],
    "conv_transpose3d": [(T(1, 2, 2, 2, 2), T(2, 1, 2, 2, 2), None, 1, 0, 0, 2, 2)],
    "nn.functional.conv_transpose3d": [(T(1, 2, 2, 2, 2), T(2, 1, 2, 2, 2), None, 1, 0, 0, 2, 2)],
})
