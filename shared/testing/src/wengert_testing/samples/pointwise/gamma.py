"""Samples of the gamma function's family."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.exponential import elementwise
from wengert_testing.samples.shapes import UNARY

POSITIVE = (0.2, 4.0)


def psi(x: Any) -> Any:
    """The derivative of lgamma: the recurrence to 40, from there the first terms of the asymptotic series."""
    x = np.asarray(x, float)
    terms = sum(1 / (x + k) for k in range(40))
    y = x + 40
    return np.log(y) - 1 / (2 * y) - 1 / (12 * y**2) + 1 / (120 * y**4) - 1 / (252 * y**6) - terms


def multivariate(x: Any, p: int) -> Any:
    shifted = sum(elementwise(math.lgamma)(x - k / 2) for k in range(p))
    return shifted + p * (p - 1) / 4 * math.log(math.pi)


CASES = [
    OpCase("lgamma", elementwise(math.lgamma), [*UNARY, (T(4, domain=(-2.8, -2.2)),)], domain=POSITIVE),
    OpCase("digamma", psi, UNARY, domain=POSITIVE),
    OpCase("mvlgamma", multivariate, [(T(), 1), (T(2, 3), 2), (T(0), 3), (T(2, 1, 3), 4)], domain=(1.6, 5.0)),
]
