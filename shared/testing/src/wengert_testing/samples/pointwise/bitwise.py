"""Samples of operations on bits."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import T
from wengert_testing.samples.pointwise.comparison import test

BITS = [
    (T(2, 3, dtype="int64", domain=(-9, 9)), T(3, dtype="int64", domain=(-9, 9))),
    (T(4, dtype="bool"), T(4, dtype="bool")),
    (T(3, dtype="uint8", domain=(0, 200)), 5),
]

SHIFTS = [
    (T(2, 3, dtype="int32", domain=(-9, 9)), T(3, dtype="int32", domain=(0, 6))),
    (T(3, dtype="uint8", domain=(0, 200)), 2),
]


CASES = [
    test("bitwise_and", np.bitwise_and, BITS),
    test("bitwise_or", np.bitwise_or, BITS),
    test("bitwise_xor", np.bitwise_xor, BITS),
    test("bitwise_not", np.invert, [given[:1] for given in BITS]),
    test("bitwise_left_shift", np.left_shift, SHIFTS),
    test("bitwise_right_shift", np.right_shift, SHIFTS),
]
