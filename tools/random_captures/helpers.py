"""Names that programs use: new arguments, writes, backward passes over all that a call has returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import wengert as wg

from .observe import Gradients, Nearly

__all__ = ["backward", "first", "gradients", "nearly", "renew", "write", "write_results"]


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of a nested result."""
    if isinstance(value, wg.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):  # Gradients, too
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_in(part)
    elif hasattr(value, "__dict__") and not isinstance(value, (type, wg.nn.Module)) and not callable(value):
        yield from tensors_in(vars(value))


def first(value: Any) -> Any:
    """Return the first tensor of a result; the result where there is none."""
    return next(tensors_in(value), value)


def change(t: Any, number: int) -> Any:
    """Return the numbers of a tensor changed, in a tensor of the same layout."""
    new = t.detach().clone()
    if new.dtype.is_floating_point or new.dtype.is_complex:
        return new.mul_(1 - 0.25 * (number % 5)).add_(0.125 * (number % 3))
    return new.flip(0).clone() if new.dim() and number % 2 else new


def renew(t: Any, number: int) -> Any:
    """Return a new tensor of the same dtype, layout and ``requires_grad`` with other numbers."""
    new = t.detach().clone()
    if t.numel() and 0 not in t.stride():
        size = sum((n - 1) * step for n, step in zip(t.shape, t.stride(), strict=True)) + 1
        new = wg.empty_strided(t.shape, t.stride(), dtype=t.dtype)
        new.as_strided((size,), (1,)).zero_()  # gaps, too
    new.copy_(change(t, number))
    return new.requires_grad_(t.requires_grad)


def write(t: Any, number: int) -> None:
    """Change the numbers of a tensor in place, outside of its graph."""
    with wg.no_grad():
        t.copy_(change(t, number))


def roots(value: Any) -> list[Any]:
    """Return the sums of the squares of results that have a graph."""
    found = [t for t in tensors_in(value) if t.requires_grad and t.grad_fn is not None]
    return [(t * t.conj()).real.sum() if t.dtype.is_complex else (t * t).sum() for t in found]


def backward(value: Any, **options: Any) -> None:
    """Run backward of all results that have a graph, as one sum."""
    found = roots(value)
    if found:
        wg.autograd.backward(found, **options)


def gradients(value: Any, leaves: list[Any], **options: Any) -> Any:
    """Return the gradients of all results with respect to leaves."""
    found, needed = roots(value), [t for t in leaves if isinstance(t, wg.Tensor) and t.requires_grad]
    return Gradients(wg.autograd.grad(found, needed, allow_unused=True, **options) if found and needed else ())


def nearly(value: Any) -> Nearly:
    """Return a value whose last digits do not count."""
    return Nearly(value)


def write_results(value: Any) -> None:
    """Change results in place, as their owner may."""
    for t in tensors_in(value):
        if not t.requires_grad and not t.is_inference() and (t.dtype.is_floating_point or t.dtype.is_complex):
            t.add_(1)
