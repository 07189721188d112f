"""Constraints of single numbers."""

from __future__ import annotations

from wengert import Tensor

from wengert_distributions.constraints.base import Constraint, WithBounds


class _Real(Constraint):
    """The extended real line: all but NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _Boolean(Constraint):
    """The values 0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


# ---- bounded on one side


class _Above(WithBounds):
    """The base class of half lines with a lower bound."""

    def __init__(self, lower_bound: Tensor | float) -> None:
        self.lower_bound = lower_bound


class _Below(WithBounds):
    """The base class of half lines with an upper bound."""

    def __init__(self, upper_bound: Tensor | float) -> None:
        self.upper_bound = upper_bound


class _GreaterThan(_Above):
    """The half line above a bound, without it."""

    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class _GreaterThanEq(_Above):
    """The half line from a bound on."""

    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class _LessThan(_Below):
    """The half line below a bound, without it."""

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _IntegerGreaterThan(_Above):
    """The whole numbers from a bound on."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _IntegerLessThan(_Below):
    """The whole numbers up to a bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


# ---- bounded on both sides


class _Between(WithBounds):
    """The base class of intervals."""

    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound


class _Interval(_Between):
    """The interval between two bounds, with both."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """The interval between two bounds, without the upper one."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    """The whole numbers between two bounds, with both."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        whole = value % 1 == 0
        return whole & (value >= self.lower_bound) & (value <= self.upper_bound)
