"""Calls of functions that make arrays, arrange and select their elements."""

from __future__ import annotations

import numpy as np

from .array_api_cases import Case, complexes, floats, whole

# fmt: off
CASES: list[Case] = [
    # creation
    Case("arange", 5), Case("arange", 2, 9, 3), Case("arange", 9, 2, -2), Case("arange", 5, 2),
    Case("arange", 0.0, 2.0, 0.3, dtype=np.dtype("float64")),
    Case("linspace", 0.0, 2.0, 5, dtype=np.dtype("float64")),
    Case("linspace", 0.0, 2.0, num=5, endpoint=False, dtype=np.dtype("float64")),
    Case("linspace", 1.0, 2.0, 1, endpoint=False, dtype=np.dtype("float64")),
    Case("linspace", 0.0, 2.0, 0, dtype=np.dtype("float64")),
    Case("linspace", 0j, 2.0 + 1j, 4, dtype=np.dtype("complex128")),
    *(Case(name, (2, 3), dtype=np.dtype("int8")) for name in ("zeros", "ones")),
    *(Case(name, 3, dtype=np.dtype("float64")) for name in ("zeros", "ones")),
    *(Case(name, floats(2, 3), gradient=False) for name in ("zeros_like", "ones_like")),
    *(Case(name, floats(2, 3), dtype=np.dtype("int64")) for name in ("zeros_like", "ones_like")),
    Case("full", (2, 2), 7), Case("full", 2, True), Case("full", (), 2.5, dtype=np.dtype("float64")),
    Case("full_like", floats(2), 3.0, gradient=False), Case("full_like", floats(2), 3, dtype=np.dtype("int8")),
    *(Case("eye", 3, 4, k=k, dtype=np.dtype("float64"), reference=lambda n, m, **options: np.eye(n, m, **options))
      for k in (0, 1, -2, 9)),
    Case("asarray", floats(2, 3)), Case("asarray", [[1, 2], [3, 4]]), Case("asarray", True),
    Case("asarray", floats(2, 3), copy=True), Case("asarray", [1, 2], dtype=np.dtype("float64")),
    *(Case(name, floats(2, 3, 4), k=k) for name in ("tril", "triu") for k in (0, 1, -1)),
    *(Case("meshgrid", floats(2), floats(3), floats(4), indexing=one) for one in ("xy", "ij")),
    Case("meshgrid", floats(2)), Case("meshgrid", floats(2), whole(1, 2, 3)),
    Case("from_dlpack", floats(3), gradient=False),
    # data types
    Case("astype", floats(3, high=9), np.dtype("int64")), Case("astype", floats(3), np.dtype("complex128")),
    Case("astype", floats(3), np.dtype("float64"), copy=False), Case("astype", whole(0, 2), np.dtype("bool")),
    # indexing
    Case("take", floats(4), whole(3, -1, 0)), Case("take", floats(2, 4), whole(3, -1, 0), axis=1),
    Case("take", floats(2, 4), whole(1, 1, 0, dtype="int8"), axis=-2),
    Case("take", floats(4), whole(3, 0, dtype="uint8")),
    Case("take_along_axis", floats(2, 3), whole([0], [2]), axis=1),
    Case("take_along_axis", floats(2, 3), whole([0, -1, 1]), axis=0),
    Case("take_along_axis", floats(2, 3), whole([0, 1], [1, 2]), reference=lambda x, i: np.take_along_axis(x, i, -1)),
    # manipulation
    Case("broadcast_arrays", floats(2, 1), floats(3)), Case("broadcast_to", floats(3), (2, 3)),
    Case("concat", [floats(2, 3), floats(1, 3)]), Case("concat", (floats(2, 3), floats(2, 1)), axis=-1),
    Case("concat", [floats(2, 3), floats(2)], axis=None), Case("concat", [whole(1, dtype="int8"), whole(2)]),
    Case("expand_dims", floats(2, 3), 1), Case("expand_dims", floats(2, 3), axis=-1),
    Case("expand_dims", floats(2, 3), (0, -1)), Case("expand_dims", floats(2, 3), (-1, 1, 2)),
    *(Case("flip", floats(2, 3), axis=axis) for axis in (None, 0, (-1, 0))),
    Case("moveaxis", floats(2, 3, 4), 0, -1), Case("moveaxis", floats(2, 3, 4), (0, 1), (-1, 0)),
    Case("permute_dims", floats(2, 3, 4), (2, 0, 1)), Case("permute_dims", floats(2, 3, 4), (-1, 0, 1)),
    Case("repeat", floats(2, 3), 2), Case("repeat", floats(2, 3), 2, axis=1),
    Case("repeat", floats(2, 3), whole(1, 0, 2), axis=-1), Case("repeat", floats(3), whole(2)),
    Case("repeat", floats(3), whole(1, 0, 2, dtype="int8")),
    Case("reshape", floats(2, 3), (3, -1)), Case("reshape", floats(2, 3), (6,), copy=True),
    Case("roll", floats(2, 3), 1), Case("roll", floats(2, 3), 2, axis=1), Case("roll", floats(2, 3), -1, axis=(0, 1)),
    Case("roll", floats(2, 3), (1, 2), axis=(0, -1)),
    Case("squeeze", floats(1, 3, 1), 0), Case("squeeze", floats(1, 3, 1), axis=(0, -1)),
    Case("stack", [floats(2, 3), floats(2, 3, seed=1)]), Case("stack", (floats(2), whole(1, 2)), axis=-1),
    Case("tile", floats(2, 3), (2, 1, 2)), Case("tile", floats(2, 3), (2,)),
    Case("unstack", floats(2, 3)), Case("unstack", floats(2, 3), axis=-1),
    # searching and sorting
    *(Case(name, floats(2, 3), axis=axis, keepdims=keepdims) for name in ("argmax", "argmin")
      for axis in (None, 0, -1) for keepdims in (False, True)),
    Case("argmax", np.array([1.0, np.nan, 5.0, np.nan]), gradient=False), Case("argmin", whole(3, 1, 1, dtype="uint8")),
    *(Case("count_nonzero", x, **options) for x in (whole([0, 2, 3], [0, 0, 1]), np.array([[0j, 1j, 1]] * 2))
      for options in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True})),
    Case("nonzero", whole([0, 2, 3], [0, 0, 1])), Case("nonzero", np.array([0j, 1j])),
    *(Case("searchsorted", whole(1, 3, 5), whole([3, 0], [9, 4]), side=side) for side in ("left", "right")),
    Case("searchsorted", np.array([5.0, 1.0, 3.0]), np.array(3.0), sorter=whole(1, 2, 0), gradient=False),
    Case("where", np.array([True, False, True]), floats(2, 3), floats(2, 1)),
    Case("where", np.array([True, False]), floats(2), 2), Case("where", np.array([True, False]), 1.5, floats(2)),
    Case("where", np.array([True, False]), whole(1, 2, dtype="int8"), whole(3, 4)),
    *(Case(name, floats(3, 4), **options) for name in ("sort", "argsort")
      for options in ({}, {"axis": 0}, {"stable": False})),
    Case("sort", np.array([2.0, np.nan, 1.0]), gradient=False), Case("argsort", whole(2, 1, 2, 1, 2, 1)),
    # sets
    *(Case(name, x, gradient=False) for name in ("unique_all", "unique_counts", "unique_inverse")
      for x in (whole([3, 1, 3], [2, 1, 1]), np.array([True, False, True]), np.zeros(0), floats(2, 3))),
    Case("unique_values", whole(3, 1, 3)), Case("unique_values", floats(2, 3)),
    Case("unique_counts", np.array([1j, 1, 1j, 1 - 1j]), gradient=False),
    *(Case("isin", *pair, invert=invert) for invert in (False, True) for pair in [
        (whole([1, 2], [3, 4]), whole(2, 3, 7)), (whole(1, 2, dtype="int8"), whole(2, 300)), (3, whole(2, 3)),
        (whole(1, 3), 3), (complexes(3), complexes(3)[:2]), (np.array([True, False]), np.array([True])),
    ]),
]
