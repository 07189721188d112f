"""Transforms of the parts of a tensor, and those by a distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions import constraints
from wengert_distributions.base.utils import _sum_rightmost, lazy_property
from wengert_distributions.transforms.base import Transform

__all__ = ["CatTransform", "CumulativeDistributionTransform", "StackTransform"]


class Partwise(Transform):
    """The base class of transforms that apply several transforms to parts of a tensor."""

    def __init__(self, tseq: Iterable[Transform], dim: int = 0, cache_size: int = 0) -> None:
        transforms = list(tseq)
        if not all(isinstance(transform, Transform) for transform in transforms):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms: list[Any] = [part.with_cache(cache_size) for part in transforms] if cache_size else transforms
        self.dim = dim

    @property
    def bijective(self) -> bool:
        """Whether every output has exactly one input."""
        return all(transform.bijective for transform in self.transforms)

    def _check_size(self, x: Tensor, size: int, name: str) -> None:
        """Raise AssertionError, as PyTorch does, where a tensor is not of the parts' size."""
        if not -x.dim() <= self.dim < x.dim():
            raise AssertionError(f"dim {self.dim} out of range for tensor with {x.dim()} dimensions")
        if x.size(self.dim) != size:
            raise AssertionError(f"x.size({self.dim}) = {x.size(self.dim)} must equal {name} {size}")

    def _split(self, x: Tensor) -> list[Tensor]:
        """Return the parts of a tensor."""
        raise NotImplementedError

    def _map(self, function: Callable[..., Tensor], *tensors: Tensor) -> list[Tensor]:
        """Return what a function gives for each transform and the parts of tensors."""
        return [function(*parts) for parts in zip(self.transforms, *map(self._split, tensors), strict=True)]


class CatTransform(Partwise):
    """Apply transforms to the parts of a concatenated tensor.

    tseq: the transforms.   dim: the dimension of ``cat``.   lengths: those of the parts along it; None: all 1.

    >>> import wengert as wg
    >>> from wengert.distributions import AbsTransform, CatTransform, ExpTransform
    >>> CatTransform([ExpTransform(), AbsTransform()], lengths=[1, 2])(wg.tensor([0.0, -1.0, 2.0]))
    tensor([1., 1., 2.])
    """

    def __init__(
        self, tseq: Iterable[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths: list[int] = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    def _with_cache(self, cache_size: int) -> CatTransform:
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    @lazy_property
    def event_dim(self) -> int:
        """The number of last dimensions that make one event."""
        return max(int(transform.event_dim) for transform in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The constraint of inputs."""
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The constraint of outputs."""
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)

    def _split(self, x: Tensor) -> list[Tensor]:
        self._check_size(x, self.length, "length")
        return list(x.split(self.lengths, self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return wg.cat(self._map(lambda part, x: part(x), x), self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return wg.cat(self._map(lambda part, y: part.inv(y), y), self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return those of the parts, concatenated; their sum where the dimension lies inside of an event."""
        terms = self._map(
            lambda part, x, y: _sum_rightmost(part.log_abs_det_jacobian(x, y), self.event_dim - part.event_dim), x, y
        )
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return wg.cat(terms, dim) if dim < 0 else sum(terms[1:], terms[0])


class StackTransform(Partwise):
    """Apply transforms to the parts of a stacked tensor.

    tseq: the transforms.   dim: the dimension of ``stack``.

    >>> import wengert as wg
    >>> from wengert.distributions import AbsTransform, ExpTransform, StackTransform
    >>> StackTransform([ExpTransform(), AbsTransform()])(wg.tensor([0.0, -1.0]))
    tensor([1., 1.])
    """

    def _with_cache(self, cache_size: int) -> StackTransform:
        return StackTransform(self.transforms, self.dim, cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The constraint of inputs."""
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The constraint of outputs."""
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)

    def _split(self, x: Tensor) -> list[Tensor]:
        self._check_size(x, len(self.transforms), "len(transforms)")
        return list(x.unbind(self.dim))

    def _call(self, x: Tensor) -> Tensor:
        return wg.stack(self._map(lambda part, x: part(x), x), self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return wg.stack(self._map(lambda part, y: part.inv(y), y), self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return those of the parts, stacked."""
        return wg.stack(self._map(lambda part, x, y: part.log_abs_det_jacobian(x, y), x, y), self.dim)


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution function of a distribution.

    distribution: one with ``cdf``, ``icdf`` and ``log_prob``.

    >>> import wengert as wg
    >>> from wengert.distributions import CumulativeDistributionTransform, Normal
    >>> CumulativeDistributionTransform(Normal(0.0, 1.0))(wg.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _with_cache(self, cache_size: int) -> CumulativeDistributionTransform:
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)

    @property
    def domain(self) -> Any:
        """The support of the distribution."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        return self.distribution.log_prob(x)  # type: ignore[no-any-return]
