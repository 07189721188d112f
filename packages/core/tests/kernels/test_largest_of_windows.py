"""max_pool: rows of windows that are compared side by side, beside a loop in Python over each window."""

import itertools
import math

import pytest
import wengert_core as wc


def padded_range(k, stride, padding, kernel, dilation, n):
    return [i for i in range(k * stride - padding, k * stride - padding + kernel * dilation, dilation) if 0 <= i < n]


def largest(x, shape, kernel, stride, padding, dilation):
    """The values and flat indices of one plane. x: a flat list."""
    counts = [(n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for n in shape]
    values, places = [], []
    for at in itertools.product(*map(range, counts)):
        best = None
        ranges = [padded_range(k, stride, padding, kernel, dilation, n) for k, n in zip(at, shape, strict=True)]
        for index in itertools.product(*ranges):
            flat = 0
            for i, n in zip(index, shape, strict=True):
                flat = flat * n + i
            if best is None or x[flat] > x[best] or math.isnan(x[flat]):
                best = flat
        values.append(x[best])
        places.append(best)
    return values, places




@pytest.mark.parametrize("dtype", [wc.float32, wc.float64, wc.bfloat16])
@pytest.mark.parametrize("shape", [(131,), (5, 77), (3, 4, 70), (40,), (2, 33)])
@pytest.mark.parametrize(("kernel", "stride", "padding", "dilation"),
                         [(2, 2, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (2, 1, 0, 1), (2, 3, 1, 1), (2, 1, 1, 2)])
def test_windows_side_by_side(dtype, shape, kernel, stride, padding, dilation):
    if any((n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 < 1 for n in shape):
        kernel, dilation = 1, 1
        padding = 0
    n = math.prod(shape)
    x = [float((i * 37) % 11) for i in range(n)]  # with ties
    for i in range(5, n, 29):
        x[i] = math.nan
    for i in range(3, n, 31):
        x[i] = -math.inf
    t = wc.tensor(x, dtype=dtype).reshape(1, 1, *shape)
    dims, ops = len(shape), wc.TABLE.ops
    values, places = ops[f"max_pool{dims}d_with_indices"](t, kernel, stride, padding, dilation)
    expected, at = largest(x, shape, kernel, stride, padding, dilation)
    assert places.flatten().tolist() == at
    assert str(values.flatten().tolist()) == str(expected)
    without = ops[f"max_pool{dims}d"](t, kernel, stride, padding, dilation)
    assert str(without.flatten().tolist()) == str(expected)
