"""Distributions of transformed random variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import _sum_rightmost
from wengert_distributions.combined.independent import Independent
from wengert_distributions.transforms.base import Transform
from wengert_distributions.transforms.composite import ComposeTransform

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of f(X), for transforms f of a random variable X.

    Its density is that of X, divided by the absolute determinant of the Jacobian of f.

    base_distribution: the distribution of X.   transforms: a Transform, or a list of them, the first one applied
    first.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> from wengert.distributions import AffineTransform, SigmoidTransform, TransformedDistribution, Uniform
    >>> logistic = TransformedDistribution(Uniform(0.0, 1.0), [SigmoidTransform().inv, AffineTransform(1.0, 2.0)])
    >>> logistic.log_prob(wg.tensor([1.0, 3.0])), logistic.cdf(wg.tensor(1.0))
    (tensor([-2.0794, -2.3197]), tensor(0.5000))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms: list[Any] = as_transforms(transforms)
        transform = ComposeTransform(self.transforms)
        domain, codomain = transform.domain.event_dim, transform.codomain.event_dim
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        if len(base_shape) < domain:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain}, but got {base_shape}."
            )
        shape = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(shape)
        if base_shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if domain > base_event_dim:
            base_distribution = Independent(base_distribution, domain - base_event_dim)
        self.base_dist = base_distribution
        cut = len(shape) - max(codomain, base_event_dim + codomain - domain)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(TransformedDistribution, _instance), Size(batch_shape)
        shape = batch_shape + self._event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return self._finish_expand(new, batch_shape, self._event_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self._event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples are differentiable."""
        return self.base_dist.has_rsample  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples without a gradient."""
        with wg.no_grad():
            return apply_transforms(self.transforms, self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters of the base and of the transforms."""
        return apply_transforms(self.transforms, self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        if self._validate_args:
            self._validate_sample(value)
        event_dim, y = len(self._event_shape), value
        log_prob: Any = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(change, event_dim - transform.domain.event_dim)
            y = x
        base: Tensor = _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))
        return log_prob + base if self.transforms else base

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """Return probabilities; of the other side, where the transforms decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of samples up to a value, for transforms of single numbers."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the quantile of a probability, for transforms of single numbers."""
        return apply_transforms(self.transforms, self.base_dist.icdf(self._monotonize_cdf(value)))


def apply_transforms(transforms: list[Any], x: Tensor) -> Tensor:
    """Apply transforms, the first one first: no method, as classes of users have a `_transform` of their own."""
    for transform in transforms:
        x = transform(x)
    return x


def as_transforms(transforms: Any) -> list[Any]:
    """Return a transform, or a list of them, as a list."""
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(transform, Transform) for transform in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
