"""Samples of conversion."""

from __future__ import annotations

import wengert_core as wc

from wengert_testing.case import OpCase, T

CASES = [
    OpCase(
        "_to_copy",
        lambda x, dtype: x,
        [(T(2, 3), wc.float64), (T(2, 3, dtype="float64"), wc.float32)],
        grad=False,
        rtol=1e-6,
        dtypes=("float32", "float64", "float16"),
        note="the second rounds to float32; its derivative is in tests/ops/test_inplace.py",
    ),
]
