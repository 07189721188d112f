"""NumPy's ufuncs, and SciPy's: the operation of wengert that each is on tensors of its loop's dtypes.

>>> import numpy as np
>>> row_of(np.sin).run.__name__, row_of(np.spacing)
('sin', None)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy.ufuncs.array_ufunc import set_op
from wengert_numpy.ufuncs.composed_ufuncs import COMPOSED
from wengert_numpy.ufuncs.core_ufuncs import CORE


@dataclass(frozen=True, slots=True)
class Row:
    """A ufunc on tensors.

    run: gets the inputs, tensors of the dtypes of NumPy's loop, and gives the output or a tuple of them, which are cast
         to the loop's dtypes afterwards.
    core: whether inputs have core dims (matmul, vecdot), so that ``axes`` and ``keepdims`` are arguments.
    """

    run: Callable[..., Any]
    core: bool = False

    def run_core(self, tensors: list[Tensor], **kwargs: Any) -> Any:
        """Call with the arguments that ufuncs of vectors and matrices have."""
        return self.run(*tensors, **kwargs)


ROWS: dict[Any, Row] = {}
"""The row of each ufunc."""
ABSENT = {
    "spacing": "use numpy.nextafter(x, inf) - x",
    "isnat": "tensors have no dates",
}
"""Ufuncs that tensors do not have, and what to use instead."""
FLOATING_OPS = dict.fromkeys(
    """sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p
    sqrt square floor ceil trunc isnan isinf isfinite signbit logical_not
    add hypot fmax fmin maximum minimum fmod logaddexp logaddexp2
    copysign nextafter logical_and logical_or logical_xor""".split()
) | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "positive": "clone", "negative": "neg", "subtract": "sub", "multiply": "mul", "divide": "div", "power": "pow",
    "absolute": "abs", "rint": "round", "arctan2": "atan2", "conjugate": "conj_physical", "degrees": "rad2deg",
    "rad2deg": "rad2deg", "radians": "deg2rad", "deg2rad": "deg2rad", "reciprocal": "reciprocal", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "matmul": "matmul",
}
"""Ufuncs that are one op, called straight from array_ufunc.pyx where all inputs are floating: the op's name, no alias
of it, since those take longer to call; None for the ufunc's own.
"""
INTEGER_OPS = {
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor", "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "gcd": "gcd", "lcm": "lcm",
}
"""Ufuncs of integers that are one op."""

TAKE_NUMBERS = ("add", "subtract", "multiply", "divide", "power")
"""Ufuncs of FLOATING_OPS whose op takes a Python number on either side."""


def row_of(ufunc: Any) -> Row | None:
    """Return the row of a ufunc; None where tensors do not have it."""
    found = ROWS.get(ufunc)
    if found is None and ufunc.__name__ and type(ufunc) is np.ufunc and not SCIPY:
        load_scipy()
        found = ROWS.get(ufunc)
    return found


SCIPY: list[bool] = []
"""Not empty once SciPy's ufuncs are in the table."""


def load_scipy() -> None:
    """Enter SciPy's ufuncs."""
    SCIPY.append(True)
    try:
        from wengert_numpy.ufuncs import scipy_ufuncs
    except ImportError:
        return
    scipy_ufuncs.enter()


def enter_numpy() -> None:
    """Fill the table with NumPy's ufuncs."""
    for name, op_name in {**FLOATING_OPS, **INTEGER_OPS}.items():
        op = getattr(wg, op_name or name)
        ROWS[getattr(np, name)] = Row(op)
        if name in FLOATING_OPS:
            set_op(getattr(np, name), op, name in TAKE_NUMBERS)
    for name, function in COMPOSED.items():
        ROWS[getattr(np, name)] = Row(function)
    set_op(np.remainder, COMPOSED["remainder"])
    for name, product in CORE.items():
        if hasattr(np, name):  # matvec and vecmat came with NumPy 2.2
            ROWS[getattr(np, name)] = Row(product, core=True)


enter_numpy()
