"""Sample inputs of wengert-acme's operations, with NumPy's answers: a row each, for wengert_testing's checks."""

from __future__ import annotations

import numpy as np
from wengert_testing.extend import OpCase, T

UNARY = [(T(),), (T(5),), (T(2, 3),), (T(0),)]
PAIRS = [(T(2, 3), T(2, 3)), (T(2, 3), T(3)), (T(2, 1), T(1, 4)), (T(), T(3)), (T(0, 2), T(2))]

CASES = [
    OpCase("cbrt", np.cbrt, UNARY, domain=(0.2, 3.0)),
    OpCase("log_cosh", lambda x: np.log(np.cosh(x)), UNARY),
    OpCase("rel_entr", lambda x, y: x * np.log(x / y), [*PAIRS, (T(3), 0.5)], domain=(0.2, 3.0)),
]
