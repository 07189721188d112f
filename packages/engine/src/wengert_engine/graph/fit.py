"""Gradients made to fit the output they belong to: the engine's edge undoes broadcasting, no formula has to."""

from __future__ import annotations

from typing import Any

from wengert_engine.messages import errors


def fit(grad: Any, shape: tuple[int, ...], dtype: Any, node: str, index: int) -> Any:
    """``grad`` summed over what was broadcast from ``shape``, and converted to ``dtype``.

    A real output's gradient is the real part of a complex one. Raises RuntimeError when the shapes do not broadcast.
    """
    if tuple(grad.shape) != shape:
        grad = sum_to_shape(grad, shape, node, index)
    if grad.dtype is not dtype:
        if grad.is_complex() and not dtype.is_complex:
            grad = grad.real
        if grad.dtype is not dtype:
            grad = grad.to(dtype)
    return grad


def sum_to_shape(grad: Any, shape: tuple[int, ...], node: str, index: int) -> Any:
    """Sum over the dimensions that were added or stretched."""
    extra = grad.ndim - len(shape)
    stretched = [i + extra for i, size in enumerate(shape) if extra >= 0 and size == 1 and grad.shape[i + extra] != 1]
    if extra < 0 or any(size not in (1, grad.shape[i + extra]) for i, size in enumerate(shape)):
        raise errors.formula_shape(node, index, list(grad.shape), list(shape))
    dims = list(range(extra)) + stretched
    total = grad.sum(dims, keepdim=bool(stretched)) if dims else grad
    return total.reshape(shape) if tuple(total.shape) != shape else total
