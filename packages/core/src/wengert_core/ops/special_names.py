"""``special``'s names for what other modules compute.

What needs SciPy is in the distribution wengert-special, which adds its names to the same module.
"""

from __future__ import annotations

from wengert_core.ops.pointwise import activations, exponential, gamma, rounding, trigonometric  # noqa: F401
from wengert_core.ops.reduce import softmax, variance_logsumexp  # noqa: F401
from wengert_core.optable.core_table import TABLE

ops = TABLE.ops

SAME = {
    "digamma": "digamma", "psi": "digamma", "gammaln": "lgamma", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv",
    "exp2": "exp2", "expm1": "expm1", "log1p": "log1p", "expit": "sigmoid", "logit": "logit", "xlogy": "xlogy",
    "round": "round", "sinc": "sinc", "logsumexp": "logsumexp", "multigammaln": "mvlgamma",
    "softmax": "softmax", "log_softmax": "log_softmax",
}
"""Names of ``special``, and of the ops that they are other names for."""
for alias, name in SAME.items():
    TABLE.alias(f"special.{alias}", ops[name], method=False)
