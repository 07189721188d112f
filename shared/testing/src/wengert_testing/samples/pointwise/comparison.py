"""Samples of comparisons, tests and logic."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import UNARY, WITH_NUMBER, recorded_rows

SOME = np.array([0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5])
TIES = [*WITH_NUMBER, (np.array([1.0, 2.0, np.nan]), np.array([1.0, 3.0, np.nan]))]
TRUTH = [
    (np.array([True, True, False, False]), np.array([True, False, True, False])),
    (SOME, SOME[::-1]),
    (T(2, 3), T(3)),
]
PLAIN = [(SOME,), (T(2, 3),), (T(),)]


def test(name: Any, oracle: Any, inputs: Any = PLAIN) -> Any:
    """A row whose results are not differentiable."""
    return OpCase(name, oracle, list(inputs), grad=False)


def finite(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


CASES = [
    *(
        test(name, oracle, TIES)
        for name, oracle in {
            "eq": np.equal,
            "ne": np.not_equal,
            "lt": np.less,
            "le": np.less_equal,
            "gt": np.greater,
            "ge": np.greater_equal,
        }.items()
    ),
    test("isnan", np.isnan),
    test("isinf", np.isinf),
    test("isfinite", np.isfinite),
    test("isposinf", np.isposinf),
    test("isneginf", np.isneginf),
    test("signbit", np.signbit),
    test("logical_and", np.logical_and, TRUTH),
    test("logical_or", np.logical_or, TRUTH),
    test("logical_xor", np.logical_xor, TRUTH),
    test("logical_not", np.logical_not),
    test(
        "isclose",
        lambda x, y, rtol=1e-05, atol=1e-08, equal_nan=False: np.isclose(x, y, rtol, atol, equal_nan),
        [(SOME, SOME), (SOME, SOME, {"equal_nan": True}), (T(3), T(3), 0.5, 0.5)],
    ),
    test(
        "allclose",
        lambda x, y, rtol=1e-05, atol=1e-08, equal_nan=False: np.allclose(x, y, rtol, atol, equal_nan),
        [(SOME, SOME), (SOME, SOME, {"equal_nan": True}), (T(3), T(3))],
    ),
    test("equal", np.array_equal, [(SOME[:3], SOME[:3]), (SOME[:3], SOME[1:4]), (SOME[:2], SOME[:3])]),
    OpCase(
        "nan_to_num",
        lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
        UNARY,
    ),
    OpCase(
        "nan_to_num",
        lambda x, *given: np.nan_to_num(x, True, *given),
        [(SOME,), (SOME, 7.0, 8.0, 9.0)],
        grad=False,
        note="values only: differences of infinities are no numbers",
    ),
    OpCase("_nan_to_num", finite, [(T(2, 3), 0.0, 1.0, 2.0), (T(), 0.5, 3.0, 4.0)]),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "allclose": [(T(3), T(3), 1e-3, 10.0)],
}, grad=False)
