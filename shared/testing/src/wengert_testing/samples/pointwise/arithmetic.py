"""Samples of arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import PAIRS, UNARY, WITH_NUMBER

AWAY = (0.3, 2.5)  # from 0


def rounded_quotient(x: Any, y: Any, rounding_mode: Any = None) -> Any:
    q = np.divide(x, y)
    return q if rounding_mode is None else getattr(np, rounding_mode)(q)


CASES = [
    OpCase(
        "add",
        lambda x, y, alpha=1: x + alpha * y,
        [*WITH_NUMBER, (T(2), T(2), {"alpha": 2.5}), (2.0, T(3))],
        complex=True,
    ),
    OpCase(
        "sub",
        lambda x, y, alpha=1: x - alpha * y,
        [*WITH_NUMBER, (T(2), T(2), {"alpha": -0.5}), (2.0, T(3))],
        complex=True,
    ),
    OpCase("rsub", lambda x, y, alpha=1: y - alpha * x, [*WITH_NUMBER, (T(2), T(2), {"alpha": 2})], complex=True),
    OpCase("_rsub", lambda y, x, alpha=1: y - alpha * x, [(2.0, T(3)), (T(2), T(2, 1), {"alpha": 2})], complex=True),
    OpCase("mul", np.multiply, [*WITH_NUMBER, (0.5, T(3))], complex=True),
    OpCase("neg", np.negative, UNARY, complex=True),
    OpCase("positive", np.positive, UNARY, complex=True),
    OpCase("div", rounded_quotient, [*WITH_NUMBER, (3.0, T(2))], domain=AWAY, complex=True),
    OpCase(
        "div",
        rounded_quotient,
        [(T(5), T(5), {"rounding_mode": "floor"}), (T(5), 0.7, {"rounding_mode": "trunc"})],
        domain=AWAY,
        dtypes=("float16", "float32", "float64"),
    ),
    OpCase(
        "floor_divide",
        lambda x, y: np.floor(x / y),
        PAIRS,
        domain=AWAY,
        grad=False,
        note="torch has no derivative for it",
    ),
    OpCase("remainder", np.remainder, [*PAIRS, (T(5), 0.7)], domain=AWAY),
    OpCase("fmod", np.fmod, [*PAIRS, (T(5), 0.7)], domain=AWAY),
    OpCase("reciprocal", np.reciprocal, UNARY, domain=AWAY, complex=True),
    OpCase(
        "pow",
        np.power,
        [*WITH_NUMBER, (T(3), 0), (T(3), -1), (T(3), 0.5), (T(3), 3), (2.5, T(3))],
        domain=AWAY,
        complex=True,
        dtypes=("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
                "complex128"),  # bools have powers by numbers alone
    ),
    OpCase("sqrt", np.sqrt, UNARY, domain=AWAY, complex=True),
    OpCase("rsqrt", lambda x: 1 / np.sqrt(x), UNARY, domain=AWAY, complex=True),
    OpCase("square", np.square, UNARY, complex=True),
    OpCase("abs", np.abs, UNARY, kinks=(0,), complex=True),
    OpCase("sign", lambda x: x if x.dtype == bool else np.sign(x), UNARY, kinks=(0,)),
    OpCase("sgn", lambda x: x if x.dtype == bool else np.sign(x), UNARY, kinks=(0,), complex=True),
    OpCase("copysign", np.copysign, WITH_NUMBER, kinks=(0,)),
    OpCase("hypot", np.hypot, PAIRS, domain=AWAY),
    OpCase("nextafter", np.nextafter, PAIRS, domain=AWAY),
    OpCase("heaviside", np.heaviside, PAIRS, kinks=(0,), grad=False, note="torch has no derivative for it"),
    OpCase("maximum", np.maximum, PAIRS),
    OpCase("minimum", np.minimum, PAIRS),
    OpCase("fmax", np.fmax, PAIRS),
    OpCase("fmin", np.fmin, PAIRS),
]
