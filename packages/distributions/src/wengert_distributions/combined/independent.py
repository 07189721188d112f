"""Distributions whose batches are events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert import Size, Tensor

from wengert_distributions import constraints
from wengert_distributions.base.distribution import Distribution
from wengert_distributions.base.utils import _sum_rightmost

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution of events that are made of several independent ones: log-probabilities are summed over them.

    base_distribution: the distribution.   reinterpreted_batch_ndims: how many of its last batch dimensions become
    dimensions of an event.   validate_args: whether to check arguments.

    >>> import wengert as wg
    >>> from wengert.distributions import Independent, Normal
    >>> normal = Independent(Normal(wg.zeros(2, 3), 1.0), 1)
    >>> normal.batch_shape, normal.event_shape, normal.log_prob(wg.zeros(2, 3))
    (torch.Size([2]), torch.Size([3]), tensor([-2.7568, -2.7568]))
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch_ndims = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > batch_ndims:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {batch_ndims}"
            )
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = batch_ndims - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def __class_getitem__(cls, item: Any) -> type:
        """Return the class: ``Independent[Normal]`` is an annotation."""
        return cls

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new, batch_shape = self._get_checked_instance(Independent, _instance), Size(batch_shape)
        new.base_dist = self.base_dist.expand(batch_shape + self._event_shape[: self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return self._finish_expand(new, batch_shape, self._event_shape)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples are differentiable."""
        return self.base_dist.has_rsample  # type: ignore[no-any-return]

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether ``enumerate_support`` gives all values."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        """The constraint that samples satisfy."""
        support, more = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(support, more) if more else support

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        return self.base_dist.mean  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        return self.base_dist.mode  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        return self.base_dist.variance  # type: ignore[no-any-return]

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples without a gradient."""
        return self.base_dist.sample(sample_shape)  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters."""
        return self.base_dist.rsample(sample_shape)  # type: ignore[no-any-return]

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, of an event."""
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the entropy of an event."""
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values, where no dimension became one of an event."""
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
