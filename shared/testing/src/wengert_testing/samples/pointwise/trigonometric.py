"""Samples of trigonometric and hyperbolic functions."""

from __future__ import annotations

import numpy as np

from wengert_testing.case import OpCase
from wengert_testing.samples.shapes import PAIRS, UNARY

INSIDE = (-0.8, 0.8)

CASES = [
    OpCase("sin", np.sin, UNARY, complex=True),
    OpCase("cos", np.cos, UNARY, complex=True),
    OpCase("tan", np.tan, UNARY, domain=(-1, 1), complex=True),
    OpCase("asin", np.arcsin, UNARY, domain=INSIDE, complex=True),
    OpCase("acos", np.arccos, UNARY, domain=INSIDE, complex=True),
    OpCase("atan", np.arctan, UNARY, domain=INSIDE, complex=True),
    OpCase("sinh", np.sinh, UNARY, complex=True),
    OpCase("cosh", np.cosh, UNARY, complex=True),
    OpCase("tanh", np.tanh, UNARY, domain=(-1, 1), complex=True),
    OpCase("asinh", np.arcsinh, UNARY, domain=INSIDE, complex=True),
    OpCase("acosh", np.arccosh, UNARY, domain=(1.2, 3.0), complex=True),
    OpCase("atanh", np.arctanh, UNARY, domain=INSIDE, complex=True),
    OpCase("atan2", np.arctan2, PAIRS, domain=(0.2, 2.0)),
    OpCase("deg2rad", np.deg2rad, UNARY),
    OpCase("rad2deg", np.rad2deg, UNARY),
    OpCase("sinc", np.sinc, UNARY, complex=True),
]
