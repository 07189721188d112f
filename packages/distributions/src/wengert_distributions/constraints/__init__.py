"""Sets that parameters and samples lie in. Those without arguments are objects, the others are classes."""

from wengert_distributions.constraints.array import (
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _Multinomial,
    _OneHot,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Simplex,
    _Square,
    _Symmetric,
)
from wengert_distributions.constraints.base import Constraint, _Dependent, is_dependent
from wengert_distributions.constraints.base import _DependentProperty as dependent_property
from wengert_distributions.constraints.composite import (
    MixtureSameFamilyConstraint,
    _Cat,
    _IndependentConstraint,
    _Stack,
)
from wengert_distributions.constraints.scalar import (
    _Boolean,
    _GreaterThan,
    _GreaterThanEq,
    _HalfOpenInterval,
    _IntegerGreaterThan,
    _IntegerInterval,
    _Interval,
    _LessThan,
    _Real,
)

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

# Each has its type written: type checkers do not infer it across the circle of wengert's stubs.
dependent: Constraint = _Dependent()
independent: type[_IndependentConstraint] = _IndependentConstraint
cat: type[_Cat] = _Cat
stack: type[_Stack] = _Stack

real: Constraint = _Real()
positive: Constraint = _GreaterThan(0.0)
nonnegative: Constraint = _GreaterThanEq(0.0)
unit_interval: Constraint = _Interval(0.0, 1.0)
greater_than: type[_GreaterThan] = _GreaterThan
greater_than_eq: type[_GreaterThanEq] = _GreaterThanEq
less_than: type[_LessThan] = _LessThan
interval: type[_Interval] = _Interval
half_open_interval: type[_HalfOpenInterval] = _HalfOpenInterval

boolean: Constraint = _Boolean()
nonnegative_integer: Constraint = _IntegerGreaterThan(0)
positive_integer: Constraint = _IntegerGreaterThan(1)
integer_interval: type[_IntegerInterval] = _IntegerInterval

real_vector: Constraint = independent(real, 1)
simplex: Constraint = _Simplex()
one_hot: Constraint = _OneHot()
multinomial: type[_Multinomial] = _Multinomial

lower_triangular: Constraint = _LowerTriangular()
lower_cholesky: Constraint = _LowerCholesky()
corr_cholesky: Constraint = _CorrCholesky()
square: Constraint = _Square()
symmetric: Constraint = _Symmetric()
positive_semidefinite: Constraint = _PositiveSemidefinite()
positive_definite: Constraint = _PositiveDefinite()
