"""Transforms made of other transforms, and reshapes."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import _sum_rightmost, lazy_property
from wengert_distributions.transforms.base import Transform

__all__ = ["ComposeTransform", "IndependentTransform", "ReshapeTransform", "identity_transform"]


def with_event_dim(constraint: Any, event_dim: int, name: str) -> Any:
    """Return a constraint whose events have as many dimensions as the widest part of a chain."""
    if event_dim < constraint.event_dim:
        raise AssertionError(f"event_dim {event_dim} must be >= {name}.event_dim {constraint.event_dim}")
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more else constraint


class ComposeTransform(Transform):
    """Transforms one after the other.

    parts: the transforms; the first one is applied first.   cache_size: that of the parts.

    >>> import wengert as wg
    >>> from wengert.distributions import AffineTransform, ComposeTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(wg.tensor([0.0, 1.0]))
    tensor([1.0000, 7.3891])
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts: Sequence[Any] = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def _with_cache(self, cache_size: int) -> ComposeTransform:
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The constraint of inputs."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim = max(event_dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return with_event_dim(self.parts[0].domain, event_dim, "domain")

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The constraint of outputs."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim = max(event_dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return with_event_dim(self.parts[-1].codomain, event_dim, "codomain")

    @lazy_property
    def bijective(self) -> bool:
        """Whether every output has exactly one input."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        """1 where the chain increases, -1 where it decreases."""
        return functools.reduce(operator.mul, [part.sign for part in self.parts], 1)

    @property
    def inv(self) -> Any:
        """The inverses of the parts in reverse order."""
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over the parts; what lies between them is computed again, or comes from their caches."""
        if not self.parts:
            return wg.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms, event_dim = [], self.domain.event_dim
        for part, inner, outer in zip(self.parts, values[:-1], values[1:], strict=True):
            term = part.log_abs_det_jacobian(inner, outer)
            terms.append(_sum_rightmost(term, event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


identity_transform: ComposeTransform = ComposeTransform([])
"""The transform y = x."""


class IndependentTransform(Transform):
    """A transform whose events have more dimensions: its log-determinant is summed over them.

    base_transform: the transform.   reinterpreted_batch_ndims: how many more dimensions an event has.

    >>> import wengert as wg
    >>> transform = wg.distributions.IndependentTransform(wg.distributions.ExpTransform(), 1)
    >>> x = wg.tensor([1.0, 2.0])
    >>> transform.log_abs_det_jacobian(x, transform(x))
    tensor(3.)
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform: Any = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _with_cache(self, cache_size: int) -> IndependentTransform:
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """The constraint of inputs."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """The constraint of outputs."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> Any:
        """Whether every output has exactly one input."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        """1 where the transform increases, -1 where it decreases."""
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise too_few_dimensions(x.shape)
        return self.base_transform(x)  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise too_few_dimensions(y.shape)
        return self.base_transform.inv(y)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return that of the transform, summed over the dimensions of an event."""
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Give events another shape.

    in_shape, out_shape: the shapes of an event before and after, with the same number of elements.

    >>> import wengert as wg
    >>> wg.distributions.ReshapeTransform((4,), (2, 2))(wg.zeros(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape: Size = Size(in_shape)
        self.out_shape: Size = Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError(
                "in_shape, out_shape have different numbers of elements: "
                f"{tuple(self.in_shape)} and {tuple(self.out_shape)}"
            )
        super().__init__(cache_size=cache_size)

    def _with_cache(self, cache_size: int) -> ReshapeTransform:
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The constraint of inputs."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The constraint of outputs."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return zeros."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Any:
        """Return the shape of the output for an input of a shape."""
        return exchange_end(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        """Return the shape of the input for an output of a shape."""
        return exchange_end(shape, self.out_shape, self.in_shape)


def exchange_end(shape: Any, end: Size, other: Size) -> Any:
    """Return a shape whose last sizes are replaced by others."""
    if len(shape) < len(end):
        raise too_few_dimensions(shape)
    cut = len(shape) - len(end)
    if shape[cut:] != end:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {end}")
    return shape[:cut] + other


def too_few_dimensions(shape: Sequence[int]) -> ValueError:
    """Return the error for an input that has fewer dimensions than an event."""
    return ValueError(f"Too few dimensions on input: its shape is {tuple(shape)}")
