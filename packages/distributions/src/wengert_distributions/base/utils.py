"""Helpers of distributions: parameters of one shape, attributes computed once, probabilities and logits, triangles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, overload

import wengert as wg
from wengert import Tensor
from wengert.overrides import is_tensor_like

__all__ = [
    "_standard_normal",
    "_sum_rightmost",
    "broadcast_all",
    "clamp_probs",
    "euler_constant",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant: float = 0.57721566490153286060
"""The Euler-Mascheroni constant."""
NUMBER = (int, float, bool)
"""The types of numbers that a parameter may have instead of a tensor."""


def is_number(*values: object) -> bool:
    """Return whether all values are numbers: such parameters make a distribution without batch dimensions.

    >>> is_number(1.0, 2), is_number(wg.tensor(1.0))
    (True, False)
    """
    return all(isinstance(value, NUMBER) for value in values)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Return the values as tensors of one shape.

    Numbers become tensors with the dtype and the device of the first tensor, or of the default dtype where there is
    none. Raises ValueError for anything else.

    >>> broadcast_all(wg.tensor([1.0, 2.0]), 3)
    (tensor([1., 2.]), tensor([3., 3.]))
    """
    if all(type(value) is Tensor for value in values):
        return broadcast(*values)
    numbers = [isinstance(value, NUMBER) for value in values]
    if not all(number or is_tensor_like(value) for number, value in zip(numbers, values, strict=True)):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            f"__torch_function__. Got {', '.join(type(value).__name__ for value in values)}."
        )
    first = next((value for value in values if isinstance(value, Tensor)), None)
    dtype, device = (wg.get_default_dtype(), None) if first is None else (first.dtype, first.device)
    tensors = [wg.tensor(value, dtype=dtype, device=device) if number else value
               for number, value in zip(numbers, values, strict=True)]  # fmt: skip
    return broadcast(*tensors)


def broadcast(first: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
    """Return tensors as views of one shape; the quick way where they have one shape already."""
    shape = first.shape
    for other in others:
        if other.shape != shape:
            return tuple(wg.broadcast_tensors(first, *others))
    return (first.expand(shape), *[other.expand(shape) for other in others])


def _standard_normal(shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    """Return numbers of the standard normal distribution."""
    return wg.randn(shape, dtype=dtype, device=device)


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Return the sum over the last ``dim`` dimensions.

    >>> _sum_rightmost(wg.ones(2, 3, 4), 2)
    tensor([12., 12.])
    """
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value


# ---- probabilities and logits


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the probabilities of logits: a softmax over the last dimension, or sigmoids of log-odds (is_binary).

    >>> logits_to_probs(wg.tensor([0.0, 0.0])), logits_to_probs(wg.tensor(0.0), is_binary=True)
    (tensor([0.5000, 0.5000]), tensor(0.5000))
    """
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Return probabilities between eps and 1 - eps, whose logits are finite; eps is that of the dtype.

    >>> clamp_probs(wg.tensor([0.0, 0.5, 1.0], dtype=wg.float64))
    tensor([2.2204e-16, 5.0000e-01, 1.0000e+00], dtype=torch.float64)
    """
    eps = wg.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logits of probabilities: their logarithms, or their log-odds (is_binary).

    >>> probs_to_logits(wg.tensor([0.25, 0.75])), probs_to_logits(wg.tensor(0.75), is_binary=True)
    (tensor([-1.3863, -0.2877]), tensor(1.0986))
    """
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


# ---- attributes that are computed once

R = TypeVar("R")


class lazy_property(Generic[R]):
    """An attribute that a method computes when it is first asked for, and that is then stored in the instance.

    The method runs with gradients enabled, so that the value can be differentiated wherever it was asked for first.

    wrapped: the method.

    >>> class Line:
    ...     @lazy_property
    ...     def length(self):
    ...         print("measured")
    ...         return 3
    >>> line = Line()
    >>> line.length, line.length
    measured
    (3, 3)
    """

    def __init__(self, wrapped: Callable[[Any], R]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__: str = wrapped.__name__

    @overload
    def __get__(self, instance: None, owner: Any = None) -> lazy_property[R]: ...

    @overload
    def __get__(self, instance: object, owner: Any = None) -> R: ...

    def __get__(self, instance: object, owner: Any = None) -> lazy_property[R] | R:
        if instance is None:
            return self
        with wg.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.__name__, value)
        return value


# ---- lower triangles


def _lower_mask(size: int, diag: int, device: Any) -> Tensor:
    """Return the mask of the elements of a square matrix on and below a diagonal."""
    steps = wg.arange(size, device=device)
    return steps < steps.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements of matrices on and below a diagonal as vectors, in the order of rows.

    mat: (..., n, n).   diag: the last diagonal that is taken, between -n and n - 1.

    >>> tril_matrix_to_vec(wg.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    return mat[..., _lower_mask(size, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return lower triangular matrices whose elements on and below a diagonal are those of vectors.

    >>> vec_to_tril_matrix(wg.tensor([1.0, 2.0, 3.0]), diag=-1)
    tensor([[0., 0., 0.],
            [1., 0., 0.],
            [2., 3., 0.]])
    """
    # The positive root n of n**2 + (1 + 2 * diag) * n - |diag| * (diag + 1) - 2 * length = 0.
    linear = 1 + 2 * diag
    root = (-linear + (linear**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    size = round(root)
    if abs(size - root) > wg.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of "
            "a square D x D matrix."
        )
    mat = vec.new_zeros((*vec.shape[:-1], size, size))
    mat[..., _lower_mask(size, diag, vec.device)] = vec
    return mat
