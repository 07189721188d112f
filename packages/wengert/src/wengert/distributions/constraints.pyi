# Written by tools/generate/module_stubs.py.
from wengert_distributions.constraints import boolean as boolean
from wengert_distributions.constraints import cat as cat
from wengert_distributions.constraints import corr_cholesky as corr_cholesky
from wengert_distributions.constraints import dependent as dependent
from wengert_distributions.constraints import dependent_property as dependent_property
from wengert_distributions.constraints import greater_than as greater_than
from wengert_distributions.constraints import greater_than_eq as greater_than_eq
from wengert_distributions.constraints import half_open_interval as half_open_interval
from wengert_distributions.constraints import independent as independent
from wengert_distributions.constraints import integer_interval as integer_interval
from wengert_distributions.constraints import interval as interval
from wengert_distributions.constraints import less_than as less_than
from wengert_distributions.constraints import lower_cholesky as lower_cholesky
from wengert_distributions.constraints import lower_triangular as lower_triangular
from wengert_distributions.constraints import multinomial as multinomial
from wengert_distributions.constraints import nonnegative as nonnegative
from wengert_distributions.constraints import nonnegative_integer as nonnegative_integer
from wengert_distributions.constraints import one_hot as one_hot
from wengert_distributions.constraints import positive as positive
from wengert_distributions.constraints import positive_definite as positive_definite
from wengert_distributions.constraints import positive_integer as positive_integer
from wengert_distributions.constraints import positive_semidefinite as positive_semidefinite
from wengert_distributions.constraints import real as real
from wengert_distributions.constraints import real_vector as real_vector
from wengert_distributions.constraints import simplex as simplex
from wengert_distributions.constraints import square as square
from wengert_distributions.constraints import stack as stack
from wengert_distributions.constraints import symmetric as symmetric
from wengert_distributions.constraints import unit_interval as unit_interval
from wengert_distributions.constraints.base import Constraint as Constraint
from wengert_distributions.constraints.base import is_dependent as is_dependent
from wengert_distributions.constraints.composite import MixtureSameFamilyConstraint as MixtureSameFamilyConstraint

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent",
    "dependent_property", "greater_than", "greater_than_eq", "half_open_interval", "independent",
    "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular",
    "multinomial", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite",
    "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square", "stack", "symmetric",
    "unit_interval"
]
