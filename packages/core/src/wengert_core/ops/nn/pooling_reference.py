"""What pooling computes, on arrays. A dim's windows are (places inside the input, what they count for in a mean)."""

from __future__ import annotations

import itertools
import math
from typing import Any

from wengert_core.ops.nn.convolution import as_list


def fixed_windows(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool, include: bool
) -> list[tuple[range, int]]:
    """Windows of one size."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    n = (-(-room // stride) if ceil_mode else room // stride) + 1
    n -= ceil_mode and (n - 1) * stride >= size + padding
    found = []
    for first in range(-padding, n * stride - padding, stride):
        end = first + (kernel - 1) * dilation + 1
        inside = range(first + max(-(first // dilation) * dilation, 0), min(end, size), dilation)
        found.append((inside, min(end, size + padding) - first if include else len(inside)))
    return found


def adaptive_windows(size: int, n: int) -> list[tuple[range, int]]:
    """Windows that share a dim out evenly."""
    ranges = [range(i * size // n, -(-(i + 1) * size // n)) for i in range(n)]
    return [(inside, len(inside)) for inside in ranges]


def windows_of(
    shape: Any, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any, include: Any = True
) -> Any:
    """Fixed windows of the last n dims."""
    stride = kernel if stride is None or (not isinstance(stride, int) and not len(stride)) else stride
    each = (as_list(v, n) for v in (kernel, stride, padding, dilation))
    return [fixed_windows(s, k, t, p, d, ceil_mode, include) for s, k, t, p, d in zip(shape[-n:], *each, strict=True)]


def each_window(windows: Any) -> Any:
    """(position, index of its elements, what they count for), for all positions."""
    for position in itertools.product(*[range(len(w)) for w in windows]):
        chosen = [w[i] for w, i in zip(windows, position, strict=True)]
        index = (..., *[slice(r.start, r.stop, r.step) for r, _ in chosen])
        yield (..., *position), index, math.prod(count for _, count in chosen)


def mean_of(xp: Any, x: Any, windows: Any, divisor: Any = None) -> Any:
    """Means of windows; of integers rounded towards 0."""
    out = xp.zeros(x.shape[: x.ndim - len(windows)] + tuple(map(len, windows)), x.dtype)
    axes = tuple(range(-len(windows), 0))
    for position, index, count in each_window(windows):
        total = x[index].sum(axes)
        out[position] = xp.trunc(total / (divisor or count)) if x.dtype.kind == "i" else total / (divisor or count)
    return out


def mean_backward(xp: Any, grad: Any, sizes: Any, windows: Any, divisor: Any = None) -> Any:
    """The adjoint of mean_of."""
    out = xp.zeros(tuple(sizes), grad.dtype)
    for position, index, count in each_window(windows):
        out[index] += (grad[position] / (divisor or count))[(..., *[None] * len(windows))]
    return out


def most_of(xp: Any, x: Any, windows: Any) -> Any:
    """Largest elements of windows and where in a plane they are: the first of equal ones; above all NaN, the last."""
    shape = x.shape[: x.ndim - len(windows)] + tuple(map(len, windows))
    out, where = xp.zeros(shape, x.dtype), xp.zeros(shape, "int64")
    planes = x.shape[x.ndim - len(windows) :]
    number = xp.arange(math.prod(planes)).reshape(planes)
    for position, index, _ in each_window(windows):
        met = x[index]
        met = met.reshape(*x.shape[: x.ndim - len(windows)], math.prod(met.shape[x.ndim - len(windows) :]))
        nan = met != met
        best = xp.where(nan.any(-1), met.shape[-1] - 1 - xp.argmax(nan[..., ::-1], -1), xp.argmax(met, -1))
        out[position] = xp.take_along_axis(met, best[..., None], -1)[..., 0]
        where[position] = number[index[1:]].reshape(-1)[best]
    return out, where


def gather_flat(xp: Any, x: Any, indices: Any, n: Any) -> Any:
    """Elements of planes at flat places."""
    planes = x.shape[: x.ndim - n]
    flat = x.reshape(*planes, math.prod(x.shape[x.ndim - n :]))
    places = indices.reshape(*planes, math.prod(indices.shape[indices.ndim - n :]))
    return xp.take_along_axis(flat, places, -1).reshape(indices.shape)


def scatter_flat(xp: Any, grad: Any, indices: Any, sizes: Any, n: Any) -> Any:
    """The adjoint of gather_flat."""
    out = xp.zeros((math.prod(sizes[: len(sizes) - n]), math.prod(sizes[len(sizes) - n :])), grad.dtype)
    planes = xp.arange(out.shape[0])[:, None]
    each = (out.shape[0], math.prod(indices.shape[indices.ndim - n :]))
    xp.add.at(out, (planes, indices.reshape(each)), grad.reshape(each))
    return out.reshape(tuple(sizes))
