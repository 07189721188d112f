# Written by tools/generate/module_stubs.py.
from wengert_distributions.base.distribution import Distribution as Distribution
from wengert_distributions.multivariate.cholesky import factor_of_inverse as _precision_to_scale_tril
from wengert_distributions.multivariate.cholesky import mahalanobis as _batch_mahalanobis
from wengert_distributions.multivariate.cholesky import matvec as _batch_mv
from wengert_distributions.multivariate.multivariate_normal import MultivariateNormal as MultivariateNormal

__all__ = [
    "Distribution", "MultivariateNormal", "_batch_mahalanobis", "_batch_mv", "_precision_to_scale_tril"
]
