"""Constraints made of other constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_distributions.constraints.base import Constraint


def check_constraint(constraint: object) -> None:
    """Raise AssertionError, as PyTorch does, where an argument is no constraint."""
    if not isinstance(constraint, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(constraint).__name__}")


class _IndependentConstraint(Constraint):
    """Events made of several events of another constraint: valid where all of them are.

    base_constraint: the constraint.   reinterpreted_batch_ndims: how many more dimensions an event has.
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: Any) -> None:
        check_constraint(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            kind = type(reinterpreted_batch_ndims).__name__
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {kind}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value)
        batch_ndims = result.dim() - self.reinterpreted_batch_ndims
        if batch_ndims < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[:batch_ndims], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """Samples of a mixture: the support of its components, which have one batch dimension more.

    base_constraint: the support of the components.

    >>> from wengert.distributions import constraints
    >>> constraints.MixtureSameFamilyConstraint(constraints.positive)
    MixtureSameFamilyConstraint(GreaterThan(lower_bound=0.0))
    """

    def __init__(self, base_constraint: Constraint) -> None:
        check_constraint(base_constraint)
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """Whether the set is discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        batch_ndims = value.dim() - self.event_dim
        if batch_ndims < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[:batch_ndims], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Partwise(Constraint):
    """The base class of constraints of tensors whose parts satisfy several constraints."""

    def __init__(self, cseq: Iterable[Constraint], dim: int = 0) -> None:
        self.cseq: list[Constraint] = list(cseq)
        if not all(isinstance(constraint, Constraint) for constraint in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.dim = dim

    @property
    def is_discrete(self) -> Any:
        """Whether one of the sets is discrete."""
        return any(constraint.is_discrete for constraint in self.cseq)

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event."""
        return max(constraint.event_dim for constraint in self.cseq)

    def check_dim(self, value: Tensor) -> None:
        """Raise AssertionError, as PyTorch does, where a value lacks the dimension."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Partwise):
    """Tensors concatenated of parts that satisfy one constraint each.

    cseq: the constraints.   dim: the dimension of ``cat``.   lengths: those of the parts along it; None: all 1.
    """

    def __init__(self, cseq: Iterable[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths: list[int] = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Tensor:
        self.check_dim(value)
        start, checks = 0, []
        for constraint, length in zip(self.cseq, self.lengths, strict=True):
            checks.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return wg.cat(checks, self.dim)


class _Stack(_Partwise):
    """Tensors stacked of parts that satisfy one constraint each.

    cseq: the constraints.   dim: the dimension of ``stack``.
    """

    @property
    def event_dim(self) -> Any:
        """The number of last dimensions that make one event."""
        dim = super().event_dim
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        self.check_dim(value)
        parts = value.unbind(self.dim)
        return wg.stack([constraint.check(part) for part, constraint in zip(parts, self.cseq, strict=False)], self.dim)
