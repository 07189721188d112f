"""Samples of normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.shapes import of_nn, recorded_rows

MEAN, VAR = fixed([0.1, -0.2, 0.3]), fixed([0.5, 1.0, 2.0])
OVER = (0, 3, 4)


def shape_per_channel(w: Any, x: Any) -> Any:
    """One number for each channel, for all elements."""
    return w.reshape(-1, *[1] * (x.ndim - 2))


def affine(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * shape_per_channel(weight, y)
    return y if bias is None else y + shape_per_channel(bias, y)


def standard(x: Any, axes: Any, eps: float) -> Any:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def batch_norm(
    x: Any,
    mean: Any,
    var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if training:
        return affine(standard(x, (0, *range(2, x.ndim)), eps), weight, bias)
    return affine(
        (x - shape_per_channel(np.asarray(mean), x)) / np.sqrt(shape_per_channel(np.asarray(var), x) + eps),
        weight,
        bias,
    )


def torch_batch_norm(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float, cudnn: bool
) -> Any:
    return batch_norm(x, mean, var, weight, bias, training, momentum, eps)


def instance_norm(
    x: Any,
    mean: Any = None,
    var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if use_input_stats:
        return affine(standard(x, tuple(range(2, x.ndim)), eps), weight, bias)
    return batch_norm(x, mean, var, weight, bias, False, momentum, eps)


def group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    y = standard(x.reshape(x.shape[0], groups, -1), 2, eps).reshape(x.shape)
    return affine(y, weight, bias)


def normalize_on_layout(x: Any, mean: Any, var: Any, layout: Any, eps: float) -> Any:
    """(normalized, scale, mean, variance) on a layout."""
    x = x.reshape(layout)
    each = (1, *layout[1:3], 1, 1)
    mean = x.mean(OVER).reshape(each) if mean is None else np.asarray(mean).reshape(each)
    var = x.var(OVER).reshape(each) if var is None else np.asarray(var).reshape(each)
    return (x - mean) / np.sqrt(var + eps), 1 / np.sqrt(var + eps), mean, var


def on_layout(x: Any, weight: Any, bias: Any, mean: Any, var: Any, layout: Any, eps: float) -> Any:
    y, _, mean, var = normalize_on_layout(x, mean, var, layout, eps)
    y = y * (1 if weight is None else weight.reshape(*layout[2:4], 1))
    return (y + (0 if bias is None else bias.reshape(*layout[2:4], 1))).reshape(x.shape), mean.ravel(), var.ravel()


def back(grad: Any, x: Any, weight: Any, mean: Any, var: Any, given: bool, layout: Any, eps: float) -> Any:
    y, scale, _, _ = normalize_on_layout(x, mean, var, layout, eps)
    grad = grad.reshape(layout)
    g = grad * (1 if weight is None else weight.reshape(*layout[2:4], 1))
    if not given:
        g = g - g.mean(OVER, keepdims=True) - y * (g * y).mean(OVER, keepdims=True)
    return (g * scale).reshape(x.shape), (grad * y).sum((0, 1, 4)).ravel(), grad.sum((0, 1, 4)).ravel()


BATCHES = [
    (T(3, 3, 4), None, None, T(3), T(3), True),
    (T(3, 3), None, None, T(3), None, True),
    (T(2, 3, 2, 2), None, None, None, T(3), True, 0.1, 0.1),
    (T(2, 3, 2), MEAN, VAR, T(3), T(3)),
    (T(2, 3), MEAN, VAR),
]
GROUPS = [(T(2, 4, 3), 2, T(4), T(4)), (T(2, 4), 2, T(4), T(4)), (T(3, 4, 2, 2), 4, None, T(4)), (T(2, 6), 2)]
IMAGES = [(T(2, 3, 4), None, None, T(3), T(3)), (T(1, 2, 2, 3),), (T(2, 3, 2), MEAN, VAR, T(3), None, False)]
LAYOUTS = [
    (T(2, 3, 4), T(3), T(3), None, None, (2, 1, 3, 1, 4), 1e-3),
    (T(2, 3, 4), T(3), None, MEAN, VAR, (2, 1, 3, 1, 4), 1e-3),
    (T(2, 4), T(4), T(4), None, None, (1, 2, 1, 4, 1), 1e-3),
    (T(2, 4, 3), T(4), T(4), None, None, (1, 2, 2, 2, 3), 1e-3),
]

CASES = [
    of_nn("batch_norm", batch_norm, BATCHES),
    OpCase(
        "batch_norm",
        torch_batch_norm,
        [
            (T(3, 3, 2), T(3), T(3), None, None, True, 0.1, 1e-5, False),
            (T(3, 3), None, None, MEAN, VAR, False, 0.1, 1e-5, False),
        ],
    ),
    of_nn("instance_norm", instance_norm, IMAGES),
    OpCase(
        "instance_norm",
        lambda x, weight, bias, mean, var, use, momentum, eps, cudnn: instance_norm(
            x, mean, var, weight, bias, use, momentum, eps
        ),
        [(T(2, 3, 4), T(3), T(3), None, None, True, 0.1, 1e-5, False)],
    ),
    of_nn("group_norm", group_norm, GROUPS),
    OpCase("group_norm", group_norm, GROUPS),
    *[OpCase(f"_{kind}_norm", on_layout, LAYOUTS) for kind in ("batch", "group", "layer")],
    OpCase(
        "normalization_backward",
        back,
        [
            (T(2, 3, 4), T(2, 3, 4), T(3), MEAN, VAR, True, (2, 1, 3, 1, 4), 1e-3),
            (T(2, 4), T(2, 4), T(4), fixed([0.1, 0.2]), fixed([1.0, 2.0]), True, (1, 2, 1, 4, 1), 1e-3),
            (T(2, 4), T(2, 4), None, fixed([0.1, 0.2]), fixed([1.0, 2.0]), True, (1, 2, 1, 4, 1), 1e-3),
        ],
    ),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "group_norm": [(T(2, 4, 2), 2, T(4), T(4), 1e-2, True)],
    "nn.functional.group_norm": [(T(2, 4, 2), 2, T(4), T(4), 1e-2)],
    "nn.functional.instance_norm": [(T(2, 3, 4), {"momentum": 0.2, "eps": 1e-2})],
})
