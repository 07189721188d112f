"""Samples of the parts of complex numbers."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.shapes import PAIRS, UNARY

COMPLEX = [(T(dtype="complex128"),), (T(2, 3, dtype="complex128"),), (T(0, dtype="complex128"),)]

CASES = [
    OpCase("conj", np.conj, UNARY, complex=True),
    OpCase("conj_physical", np.conj, UNARY, complex=True),
    *(OpCase(name, lambda x: x, UNARY, complex=True) for name in ("resolve_conj", "resolve_neg")),
    OpCase("angle", np.angle, UNARY, kinks=(0,), complex=True),
    OpCase("isreal", np.isreal, [*UNARY, *COMPLEX, (np.array([1 + 2j, 3]),)], grad=False),
    OpCase("real", np.real, [*UNARY, *COMPLEX]),
    OpCase("imag", np.imag, COMPLEX),
    OpCase("complex", lambda x, y: x + 1j * y, PAIRS, dtypes=("float32", "float64")),
    OpCase(
        "polar",  # of positive lengths: the gradient by a negative one is, as torch's, that by its size
        lambda r, angle: r * np.exp(1j * angle),
        PAIRS,
        domain=(0.1, 2.0),
        dtypes=("float32", "float64"),
    ),
]
