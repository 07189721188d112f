"""Calls of statistical and utility functions."""

from __future__ import annotations

import numpy as np

from .array_api_cases import SPECIAL, Case, complexes, floats, whole

# fmt: off
CASES: list[Case] = [
    # statistical
    *(Case(name, floats(2, 3), **options) for name in ("sum", "prod", "max", "min", "mean", "std", "var")
      for options in ({}, {"axis": 0}, {"axis": (0, -1)}, {"axis": -1, "keepdims": True}, {"keepdims": True})),
    *(Case(name, floats(2, 3), axis=()) for name in ("sum", "prod", "max", "min", "mean")),
    *(Case(name, complexes(2, 3), axis=1) for name in ("sum", "prod", "mean", "cumulative_sum", "cumulative_prod")),
    *(Case(name, whole([1, 2], [3, 4], dtype=kind)) for name in ("sum", "prod", "max") for kind in ("int8", "int64")),
    *(Case(name, whole([1, 2], [3, 4], dtype="int8"), axis=1, dtype=np.dtype("int8")) for name in ("sum", "prod")),
    *(Case(name, floats(3, 2), dtype=np.dtype("float64"), axis=0) for name in ("sum", "prod")),
    *(Case(name, np.zeros((0, 3)), axis=0) for name in ("sum", "prod")),
    *(Case(name, np.zeros((0, 3)), axis=1) for name in ("max", "min")),
    *(Case(name, np.array([1.0, np.nan, 2.0]), gradient=False) for name in ("max", "min", "mean", "sum")),
    *(Case(name, floats(2, 3), correction=c, axis=axis)
      for name in ("std", "var") for c in (1, 0.5) for axis in (None, 1)),
    *(Case(name, floats(4), **options) for name in ("cumulative_sum", "cumulative_prod")
      for options in ({}, {"include_initial": True}, {"axis": -1, "dtype": np.dtype("float64")})),
    *(Case(name, floats(2, 3), axis=axis, include_initial=initial) for name in ("cumulative_sum", "cumulative_prod")
      for axis in (0, -1) for initial in (False, True)),
    *(Case(name, whole(1, 2, 3, dtype="int8")) for name in ("cumulative_sum", "cumulative_prod")),
    # utility
    *(Case(name, x, **options) for name in ("all", "any")
      for x in (np.array([[True, False], [True, True]]), SPECIAL[:10].reshape(2, 5),
                whole([0, 0], [1, 2], dtype="uint8"))
      for options in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": ()})),
    Case("all", np.zeros((0, 2)), axis=0), Case("any", np.array([0j, 1j])),
    *(Case("diff", floats(3, 4), **options) for options in ({}, {"axis": 0}, {"n": 2}, {"n": 0}, {"n": 9},
      {"prepend": floats(3, 1, seed=1), "append": floats(3, 2, seed=2)})),
    Case("diff", whole(1, 4, 9)),
]
