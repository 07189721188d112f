"""Derivatives of filling with random numbers: 0, what was there does not matter."""

from __future__ import annotations

from wengert_formulas.base import TABLE

TABLE.zero(
    "uniform_", "normal_", "exponential_", "cauchy_", "log_normal_", "geometric_", "bernoulli_", "random_", "bernoulli",
    "poisson", "binomial",
)
TABLE.not_differentiable(
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "multinomial"
)
