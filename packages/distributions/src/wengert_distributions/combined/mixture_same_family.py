"""Mixtures of distributions of one family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.discrete.categorical import Categorical

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture: a component is chosen at random, and the sample is one of that component.

    mixture_distribution: a Categorical, the probabilities of the k components.   component_distribution: a distribution
    whose last batch dimension has the size k.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> from wengert.distributions import Categorical, MixtureSameFamily, Normal
    >>> mixture = MixtureSameFamily(Categorical(wg.ones(2)), Normal(wg.tensor([-1.0, 1.0]), 1.0))
    >>> mixture.mean, mixture.variance, mixture.cdf(wg.tensor(0.0))
    (tensor(0.), tensor(2.), tensor(0.5000))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        check_kinds(mixture_distribution, component_distribution)
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component: int = check_sizes(mixture_distribution, component_distribution)
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(component_distribution.batch_shape[:-1], event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(MixtureSameFamily, _instance), Size(batch_shape)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        return self._finish_expand(new, batch_shape, self._event_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        """The support of the components."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """The distribution of the components' indices."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The components."""
        return self._component_distribution

    def _average(self, values: Tensor) -> Tensor:
        """Return the average of something that each component has, weighted by their probabilities."""
        probs = self._mixture_distribution.probs
        weights = probs.reshape(*probs.shape, *(1,) * self._event_ndims)
        return (weights * values).sum(-1 - self._event_ndims)  # type: ignore[no-any-return]

    @property
    def mean(self) -> Tensor:
        """The average of the components' means."""
        return self._average(self._component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The average of the components' variances, plus the variance of their means."""
        distance = self._component_distribution.mean - self._pad(self.mean)
        return self._average(self._component_distribution.variance) + self._average(distance.pow(2.0))

    def cdf(self, x: Tensor) -> Tensor:
        """Return the probability of samples up to a value."""
        return (self._component_distribution.cdf(self._pad(x)) * self._mixture_distribution.probs).sum(-1)  # type: ignore[no-any-return]

    def log_prob(self, x: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, of a value."""
        if self._validate_args:
            self._validate_sample(x)
        log_prob = self._component_distribution.log_prob(self._pad(x))
        return (log_prob + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples; they have no gradient."""
        with wg.no_grad():
            mixture = self._mixture_distribution
            if mixture.batch_shape != self._batch_shape:
                mixture = mixture.expand(self._batch_shape)
            index = mixture.sample(sample_shape)
            samples = self._component_distribution.sample(sample_shape)
            axis = len(sample_shape) + len(self._batch_shape)
            index = index.reshape(*index.shape, *(1,) * (1 + self._event_ndims))
            index = index.expand(*samples.shape[:axis], 1, *self._event_shape)
            return samples.gather(axis, index).squeeze(axis)  # type: ignore[no-any-return]

    def _pad(self, x: Tensor) -> Tensor:
        """Return values with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"


def check_kinds(mixture: Any, components: Any) -> None:
    """Raise ValueError where an argument is no distribution that a mixture can be made of."""
    if not isinstance(mixture, Categorical):
        raise ValueError(
            "The Mixture distribution needs to be an instance of torch.distributions.Categorical, got "
            f"{type(mixture).__name__}"
        )
    if not isinstance(components, Distribution):
        raise ValueError(
            "The Component distribution needs to be an instance of torch.distributions.Distribution, got "
            f"{type(components).__name__}"
        )


def check_sizes(mixture: Any, components: Any) -> int:
    """Return the number of components; ValueError where batch shapes do not agree."""
    shape, expected = mixture.batch_shape, components.batch_shape[:-1]
    for size, other in zip(reversed(shape), reversed(expected), strict=False):
        if size != 1 and other != 1 and size != other:
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({shape}) is not compatible with "
                f"`component_distribution.batch_shape`({expected})"
            )
    count, present = mixture.logits.shape[-1], components.batch_shape[-1]
    if count != present:
        raise ValueError(
            f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
            f"({present})"
        )
    return int(count)
