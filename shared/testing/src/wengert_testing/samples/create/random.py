"""Samples of random numbers, whose values have no oracle: their tests are core's."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import T
from wengert_testing.samples.create.factories import random

CASES = [
    *(random(name, ((2, 3),)) for name in ("rand", "randn")),
    *(random(name, (T(2, 3),)) for name in ("rand_like", "randn_like")),
    random("randint", (5, (2, 3))),
    random("randint_like", (T(2, 3), 5)),
    random("randperm", (5,)),
    random("normal", (0.0, 1.0, (2, 3))),
    random("_normal", (T(2, 3), T(3, domain=(0.1, 2))), (T(2, 3), 0.5)),
    random("_normal_of_std", (T(3, domain=(0.1, 2)), 0.5)),
    random("poisson", (T(2, 3, domain=(0.1, 5)),)),
    random("binomial", (np.array([3.0, 5.0]), np.array([0.5, 0.1]))),
    random("bernoulli", (T(2, 3, domain=(0.1, 0.9)),)),
    random("multinomial", (T(4, domain=(0.1, 0.9)), 2)),
    *(
        random(name, (T(2, 3),))
        for name in ("uniform_", "normal_", "exponential_", "cauchy_", "log_normal_", "bernoulli_", "random_")
    ),
    random("geometric_", (T(2, 3), 0.5)),
]
