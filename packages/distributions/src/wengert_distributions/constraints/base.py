"""The base class of constraints, and those that are not known before a distribution exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert import Tensor


class Constraint:
    """A set of values that a parameter or a sample lies in: the base class.

    >>> import wengert as wg
    >>> constraint = wg.distributions.constraints.positive
    >>> constraint, constraint.check(wg.tensor([-1.0, 2.0]))
    (GreaterThan(lower_bound=0.0), tensor([False,  True]))
    """

    is_discrete: Any = False
    """Whether the set is discrete."""
    event_dim: Any = 0
    """The number of last dimensions that make one event; ``check`` gives one truth value for each event."""

    def check(self, value: Tensor) -> Tensor:
        """Return for each event whether it satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class WithBounds(Constraint):
    """The base class of constraints whose attributes are bounds, which their texts show."""

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Dependent(Constraint):
    """A set that depends on other variables, which cannot be checked.

    is_discrete, event_dim: what is known beforehand; asking for what is not known raises NotImplementedError.
    """

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> Any:
        """Whether the set is discrete."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """Return a dependent constraint of which more is known: ``dependent(is_discrete=True, event_dim=1)``."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Tensor) -> Tensor:
        """Raise ValueError."""
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that is a dependent constraint when it is asked of the class: the support of Uniform, for example.

    fn: the function of the property; None where it follows: ``@dependent_property(is_discrete=False, event_dim=0)``.
    is_discrete, event_dim: what is known beforehand.
    """

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        """Return the property of a function."""
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: object) -> bool:
    """Return whether a constraint depends on other variables and cannot be checked.

    >>> import wengert as wg
    >>> constraints = wg.distributions.constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, _Dependent)
