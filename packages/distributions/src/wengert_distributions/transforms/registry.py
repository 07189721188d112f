"""The transforms that lead from real numbers to each constraint.

``biject_to`` gives bijections with a log-determinant, as Hamiltonian Monte Carlo needs; ``transform_to`` gives
transforms that suit optimizers, which may have more inputs than needed: a softmax for the simplex, for example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_distributions import constraints, transforms
from wengert_distributions.base.utils import is_number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A table of functions that give a transform for a constraint.

    >>> from wengert.distributions import biject_to, constraints, transform_to
    >>> transform_to(constraints.simplex), biject_to(constraints.simplex)
    (SoftmaxTransform(), StickBreakingTransform())
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Add a function for a class of constraints.

        constraint: the class, or a constraint of it.   factory: takes a constraint and returns a transform; None: it
        follows as the function that is decorated.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return the transform for a constraint; NotImplementedError where its class is not registered."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to: ConstraintRegistry = ConstraintRegistry()
transform_to: ConstraintRegistry = ConstraintRegistry()
BOTH = (biject_to, transform_to)


def register_all(registries: tuple[ConstraintRegistry, ...], *kinds: Any) -> Callable[[Any], Any]:
    """Register the function that is decorated for several constraints."""

    def decorate(factory: Callable[[Any], Any]) -> Callable[[Any], Any]:
        for registry in registries:
            for kind in kinds:
                registry.register(kind, factory)
        return factory

    return decorate


@register_all(BOTH, constraints.real)
def to_real(constraint: Any) -> Any:
    """Return the identity."""
    return transforms.identity_transform


@register_all(BOTH, constraints.greater_than, constraints.greater_than_eq)
def to_half_line(constraint: Any) -> Any:
    """Return the exponential function, above the bound; ``positive`` and ``nonnegative`` have the bound 0."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@register_all(BOTH, constraints.less_than)
def to_lower_half_line(constraint: Any) -> Any:
    """Return the negative of the exponential function, below the bound."""
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@register_all(BOTH, constraints.interval, constraints.half_open_interval)
def to_interval(constraint: Any) -> Any:
    """Return the sigmoid, scaled unless the interval is that from 0 to 1."""
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if is_number(lower, upper) and lower == 0 and upper == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform(
        [transforms.SigmoidTransform(), transforms.AffineTransform(lower, upper - lower)]
    )


@register_all((biject_to,), constraints.simplex)
def biject_to_simplex(constraint: Any) -> Any:
    """Return stick breaking."""
    return transforms.StickBreakingTransform()


@register_all((transform_to,), constraints.simplex)
def transform_to_simplex(constraint: Any) -> Any:
    """Return a softmax."""
    return transforms.SoftmaxTransform()


@register_all((transform_to,), constraints.lower_cholesky)
def transform_to_lower_cholesky(constraint: Any) -> Any:
    """Return the transform of matrices to Cholesky factors."""
    return transforms.LowerCholeskyTransform()


@register_all((transform_to,), constraints.positive_definite, constraints.positive_semidefinite)
def transform_to_positive_definite(constraint: Any) -> Any:
    """Return the transform of matrices to positive definite ones."""
    return transforms.PositiveDefiniteTransform()


@register_all(BOTH, constraints.corr_cholesky)
def to_corr_cholesky(constraint: Any) -> Any:
    """Return the transform of vectors to Cholesky factors of correlation matrices."""
    return transforms.CorrCholeskyTransform()


def register_composites(registry: ConstraintRegistry) -> None:
    """Register the constraints that are made of others."""

    def to_independent(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    def to_cat(constraint: Any) -> Any:
        return transforms.CatTransform([registry(part) for part in constraint.cseq], constraint.dim, constraint.lengths)

    def to_stack(constraint: Any) -> Any:
        return transforms.StackTransform([registry(part) for part in constraint.cseq], constraint.dim)

    registry.register(constraints.independent, to_independent)
    registry.register(constraints.cat, to_cat)
    registry.register(constraints.stack, to_stack)


register_composites(biject_to)
register_composites(transform_to)
