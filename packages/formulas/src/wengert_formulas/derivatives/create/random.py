"""Derivatives of filling with random numbers: 0, what was there does not matter."""

from __future__ import annotations

from wengert_formulas.derivatives.base import TABLE, of_tensor

TABLE.zero(
    "uniform_", "normal_", "exponential_", "cauchy_", "log_normal_", "geometric_", "random_", "bernoulli", "poisson",
    "binomial",
)
TABLE.zero("bernoulli_", node=lambda p: f"BernoulliBackward{1 if of_tensor(p) else 2}")
TABLE.zero("_normal", node=lambda std: f"NormalBackward{3 if of_tensor(std) else 1}")
TABLE.zero("_normal_of_std", node="NormalBackward2")
TABLE.not_differentiable(
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "multinomial"
)
