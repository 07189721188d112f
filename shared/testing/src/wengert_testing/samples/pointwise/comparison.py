"""Samples of comparisons, tests, logic and of what works on bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import UNARY, WITH_NUMBER

SOME = np.array([0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5])
TIES = [*WITH_NUMBER, (np.array([1.0, 2.0, np.nan]), np.array([1.0, 3.0, np.nan]))]
TRUTH = [
    (np.array([True, True, False, False]), np.array([True, False, True, False])),
    (SOME, SOME[::-1]),
    (T(2, 3), T(3)),
]
PLAIN = [(SOME,), (T(2, 3),), (T(),)]
BITS = [
    (T(2, 3, dtype="int64", domain=(-9, 9)), T(3, dtype="int64", domain=(-9, 9))),
    (T(4, dtype="bool"), T(4, dtype="bool")),
    (T(3, dtype="uint8", domain=(0, 200)), 5),
]
SHIFTS = [
    (T(2, 3, dtype="int32", domain=(-9, 9)), T(3, dtype="int32", domain=(0, 6))),
    (T(3, dtype="uint8", domain=(0, 200)), 2),
]


def test(name: Any, oracle: Any, inputs: Any = PLAIN) -> Any:
    """A row whose results are not differentiable."""
    return OpCase(name, oracle, list(inputs), grad=False)


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
    test("bitwise_and", np.bitwise_and, BITS),
    test("bitwise_or", np.bitwise_or, BITS),
    test("bitwise_xor", np.bitwise_xor, BITS),
    test("bitwise_not", np.invert, [given[:1] for given in BITS]),
    test("bitwise_left_shift", np.left_shift, SHIFTS),
    test("bitwise_right_shift", np.right_shift, SHIFTS),
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
]
