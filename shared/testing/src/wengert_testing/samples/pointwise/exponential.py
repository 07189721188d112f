"""Samples of exponentials, logarithms and the error function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_testing.case import OpCase
from wengert_testing.samples.shapes import PAIRS, UNARY, WITH_NUMBER, with_words

POSITIVE = (0.2, 3.0)
INSIDE = (0.1, 0.9)


def elementwise(function: Any) -> Any:
    """A scalar function on arrays."""
    return lambda x: np.vectorize(function, otypes=[x.dtype])(x)


def log_odds(x: Any, eps: Any = None) -> Any:
    x = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.log(x / (1 - x))


def inverse_error(x: Any) -> Any:
    from statistics import NormalDist

    return elementwise(lambda p: NormalDist().inv_cdf((float(p) + 1) / 2) / math.sqrt(2))(x)


CASES = [
    OpCase("exp", np.exp, UNARY, complex=True),
    OpCase("exp2", np.exp2, UNARY, complex=True),
    OpCase("expm1", np.expm1, UNARY, complex=True),
    OpCase("log", np.log, UNARY, domain=POSITIVE, complex=True),
    OpCase("log2", np.log2, UNARY, domain=POSITIVE, complex=True),
    OpCase("log10", np.log10, UNARY, domain=POSITIVE, complex=True),
    OpCase("log1p", np.log1p, UNARY, domain=POSITIVE, complex=True),
    OpCase("logaddexp", lambda x, y: np.log(np.exp(x) + np.exp(y)), PAIRS, domain=(-1, 1), complex=True),
    OpCase("xlogy", lambda x, y: x * np.log(y), WITH_NUMBER, domain=POSITIVE),
    OpCase("logit", log_odds, [*UNARY, *with_words(UNARY[1:2], eps=0.3)], domain=INSIDE, kinks=(0.3, 0.7)),
    OpCase("erf", elementwise(math.erf), UNARY),
    OpCase("erfc", elementwise(math.erfc), UNARY),
    OpCase("erfinv", inverse_error, UNARY, domain=(-0.8, 0.8)),
    OpCase("special.ndtr", lambda x: 0.5 * (1 + elementwise(math.erf)(x / math.sqrt(2))), UNARY),
]
