"""The base class of all distributions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import wengert as wg
from wengert import Size, Tensor

from wengert_distributions.base.utils import lazy_property
from wengert_distributions.constraints.base import Constraint, is_dependent

__all__ = ["Distribution"]


class Distribution:
    """A probability distribution, or a batch of them: the base class.

    A sample has the shape ``sample_shape + batch_shape + event_shape``. Distributions of one batch are independent of
    each other and may have different parameters; the elements of one event depend on each other.

    batch_shape: the shape of the parameters.   event_shape: the shape of one sample of one distribution.
    validate_args: whether to check parameters and the arguments of ``log_prob`` and the like; None: the default, see
    ``set_default_validate_args``.

    >>> import wengert as wg
    >>> normal = wg.distributions.Normal(wg.zeros(3), 1.0)
    >>> normal.batch_shape, normal.event_shape, normal.sample((2,)).shape
    (torch.Size([3]), torch.Size([]), torch.Size([2, 3]))
    """

    has_rsample = False
    """Whether ``rsample`` gives samples that are differentiable by the parameters."""
    has_enumerate_support = False
    """Whether ``enumerate_support`` gives all values."""
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their arguments where nothing is said: at first, where ``assert`` works.

        value: True or False; anything else raises ValueError.
        """
        if value not in [True, False]:
            raise ValueError(f"set_default_validate_args: expected True or False, got {value!r}")
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self) -> None:
        """Raise ValueError where a parameter does not satisfy its constraint."""
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for name, constraint in arg_constraints.items():
            lazy = name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property)
            if lazy or is_dependent(constraint):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n"
                    f"{value}"
                )

    # ---- copies

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a larger batch shape; no memory is copied.

        batch_shape: one that the present batch shape broadcasts to.   _instance: an object that a subclass has made
        and that gets the attributes; None: a new one.
        """
        raise NotImplementedError

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Return an instance whose attributes ``expand`` sets.

        A subclass with another ``__init__`` may have attributes of its own, so it must define ``expand``, too.
        """
        if _instance is not None:
            return _instance
        if type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return type(self).__new__(type(self))

    def _finish_expand(self, new: Any, batch_shape: Size, event_shape: Sequence[int] = ()) -> Any:
        """Return the instance that ``expand`` has made, with its shapes. Its parameters were checked before."""
        new._batch_shape, new._event_shape = batch_shape, Size(event_shape)
        new._validate_args = self._validate_args
        return new

    # ---- shapes and supports

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single sample, without batching."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """The constraints that parameters satisfy, by their names."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that samples satisfy."""
        raise NotImplementedError

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        """Return the shape of samples."""
        return Size(sample_shape) + self._batch_shape + self._event_shape

    # ---- moments

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The value that is most likely."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    # ---- samples

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples, of the shape ``sample_shape + batch_shape + event_shape``; they have no gradient."""
        with wg.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return samples that are differentiable by the parameters (the reparametrization trick)."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Return n samples. Deprecated: use ``sample((n,))``."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample((n,))

    # ---- probabilities

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density, or of the probability, of a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Tensor:
        """Return the probability of samples up to a value: the cumulative distribution function."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Tensor:
        """Return the quantile of a probability: the inverse of the cumulative distribution function."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution along a new first dimension.

        All distributions of a batch go through their values in step.

        expand: whether to expand the values over the batch shape; otherwise those dimensions have size 1.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """Return the entropy, of shape ``batch_shape``, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    # ---- what is checked and shown

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError where a value's shape or range is not that of samples."""
        if not isinstance(value, Tensor):
            raise ValueError(f"The value argument to log_prob must be a Tensor, got {type(value).__name__}")
        shape, event_shape = value.shape, self._event_shape
        if event_shape and shape[len(shape) - len(event_shape) :] != event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event_shape}.")
        expected = self._batch_shape + event_shape
        for size, other in zip(reversed(shape), reversed(expected), strict=False):
            if size != 1 and other != 1 and size != other:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        parameters = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in parameters.items()]
        return f"{self.__class__.__name__}({', '.join(shown)})"
