"""Calls of elementwise functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array_api_cases import SPECIAL, Case, complexes, floats, whole

MIXED = "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh".split()
UNARY = [*MIXED, *"abs conj negative positive reciprocal sign square".split()]
REAL_UNARY = "ceil floor round trunc".split()
TESTS = "isfinite isinf isnan".split()
COMPARISONS = "equal greater greater_equal less less_equal not_equal".split()
BITS = "bitwise_and bitwise_or bitwise_xor".split()


def call_inside_domain(name: str) -> Any:
    """Return the range of numbers in which a function is smooth and real."""
    if name == "acosh":
        return floats(2, 3, low=1.2, high=3)
    return floats(2, 3, low=0.1, high=0.9)


# fmt: off
CASES: list[Case] = [
    # elementwise
    *(Case(name, call_inside_domain(name)) for name in UNARY),
    *(Case(name, complexes(2, 3)) for name in [*UNARY, "real", "imag"] if name not in ("sign", "log2")),
    *(Case(name, floats(2, 3, low=-2, high=2)) for name in REAL_UNARY),
    *(Case(name, SPECIAL, gradient=False) for name in [*UNARY, *REAL_UNARY, *TESTS, "signbit", "real"]),
    *(Case(name, whole(-3, 0, 7)) for name in ["abs", "negative", "sign", "square", *REAL_UNARY, *TESTS]),
    Case("real", floats(3)), Case("imag", floats(3)),
    Case("round", complexes(3) * 3, gradient=False),
    Case("logical_not", np.array([True, False])), Case("logical_not", whole(0, 2)),
    Case("bitwise_invert", whole(0, 5, -3)), Case("bitwise_invert", np.array([True, False])),
    *(Case(name, floats(2, 3), floats(3, seed=1))
      for name in "add atan2 copysign divide hypot logaddexp maximum minimum multiply pow subtract".split()),
    *(Case(name, complexes(2, 3), complexes(3)) for name in "add divide multiply pow subtract".split()),
    *(Case(name, SPECIAL[:, None], SPECIAL, gradient=False)
      for name in ["add", "atan2", "copysign", "divide", "floor_divide", "hypot", "logaddexp", "multiply", "nextafter",
                   "pow", "remainder", "subtract", *COMPARISONS]),
    *(Case(name, SPECIAL[:, None].astype("float32"), SPECIAL.astype("float32"), gradient=False)
      for name in ["remainder", "floor_divide"]),
    *(Case(name, whole(-7, 0, 7, dtype=kind)[:, None], whole(-2, 0, 3, dtype=kind))
      for name in ["add", "multiply", "subtract", "floor_divide", "remainder", *COMPARISONS, *BITS]
      for kind in ("int8", "int64")),
    Case("remainder", floats(2, 3, low=1, high=9), floats(3, low=2, high=3, seed=1)),
    Case("remainder", floats(2, 3, low=1, high=9), -floats(3, low=2, high=3, seed=1)),
    Case("floor_divide", floats(2, 3, low=1, high=9), floats(3, low=2, high=3, seed=1)),
    *(Case(name, np.array([True, False])[:, None], np.array([True, False]))
      for name in ["logical_and", "logical_or", "logical_xor", *BITS, "equal", "not_equal"]),
    Case("bitwise_left_shift", whole(1, -3, 5), whole(0, 2, 4)),
    Case("bitwise_right_shift", whole(100, -33, 5), whole(0, 2, 4)),
    Case("clip", floats(2, 3), 0.6, 1.2), Case("clip", floats(2, 3), None, 1.2), Case("clip", floats(2, 3), 0.6, None),
    Case("clip", floats(2, 3), floats(3, high=0.9, seed=1), 1.2), Case("clip", floats(2, 3)),
    Case("clip", whole(1, 5, 9), 2, 7), Case("clip", whole(1, 5, 9, dtype="int8"), 2, None),
]
