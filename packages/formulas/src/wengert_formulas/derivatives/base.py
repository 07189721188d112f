"""The table that all formula modules fill, and what several of them share."""

from __future__ import annotations

import math
from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.tensors.tensor import Tensor, is_strided_tensor
from wengert_engine.graph.tensor_attributes import edge_of

from wengert_formulas.table import FormulaTable

TABLE = FormulaTable("core")


# ---- names of nodes: torch numbers the overloads of an op
def of_tensor(kind: str) -> bool:
    """Whether an argument of that kind is a tensor."""
    return kind in ("tensor", "matrix")


def by_dim(name: str) -> Any:
    """Overload 0 without dim, 1 with it."""
    return lambda dim: f"{name}Backward{int(dim != 'none')}"


def by_other(name: str, of_tensors: int = 1) -> Any:
    """One overload for a tensor as ``other``, another for a number."""
    return lambda other: f"{name}Backward{of_tensors if of_tensor(other) else 1 - of_tensors}"


def by_value(name: str) -> Any:
    """Overload 0 for a number as ``value``, 1 for a tensor."""
    return lambda value: f"{name}Backward{int(of_tensor(value))}"


def inplace_overload(name: str) -> Any:
    """Overload 0, and 1 for the in-place variant."""
    return lambda inplace: f"{name}Backward{int(inplace)}"


def conj(x: Any) -> Any:
    """The complex conjugate of a tensor or a number; a real one itself."""
    return x.conj() if isinstance(x, Tensor) else x.conjugate()


def real(x: Tensor) -> Tensor:
    """The real part; a real tensor itself."""
    return wc.view_as_real(x).select(-1, 0) if x.is_complex() else x


def imag(x: Tensor) -> Tensor:
    """The imaginary part of a complex tensor."""
    return wc.view_as_real(x).select(-1, 1)


def zeros_of(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Zeros of a shape, of the gradient's dtype: one number, for an op that copies what it writes into."""
    return grad.new_zeros(()).expand(shape) if is_strided_tensor(grad) else grad.new_zeros(shape)


def dims_of(dim: Any, rank: int) -> list[int]:
    """The dims that a reduction goes over, counted from the front: all for None and for none."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return list(range(rank))
    dims = [dim] if isinstance(dim, int) else dim
    return [d % rank for d in dims] if rank else []


def count_of(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements go into each result of a reduction."""
    return math.prod([shape[d] for d in dims_of(dim, len(shape))])


def with_dims(x: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """The result of a reduction of a tensor of that shape, with the reduced dims as size 1."""
    if keepdim or x.ndim == len(shape):
        return x
    dims = dims_of(dim, len(shape))
    return x.reshape([1 if d in dims else size for d, size in enumerate(shape)])


def expand_grad(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """The gradient of a sum: that of each result for all that went into it."""
    if grad.ndim:
        grad = with_dims(grad, shape, dim, keepdim)
    return grad.expand(shape)


def has_gradient(grad: Tensor) -> bool:
    """Whether an output's gradient is more than the zeros that stand for one that nobody gave.

    The engine's zeros are one number, seen in every place: not all of them are looked at.
    """
    if edge_of(grad) is not None:
        return True
    if grad.numel() and not any(grad.stride()):
        grad = grad.as_strided((), ())
    return bool((every_sample(grad) != 0).any().item())
