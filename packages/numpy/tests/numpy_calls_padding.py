"""Calls of numpy.pad."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy_calls import Call, of, varying


def write_ends(vector: Any, widths: tuple[int, int], axis: int, options: dict[str, Any]) -> None:
    """Write the sum of a vector to its ends, as a function for pad does."""
    total = vector.sum() * options.get("factor", 1.0)
    if widths[0]:
        vector[: widths[0]] = total
    if widths[1]:
        vector[-widths[1] :] = total + axis


CALLS = [
    Call("pad", varying(2, 3), 1),
    Call("pad", varying(2, 3), ((1, 0), (2, 1)), "constant", constant_values=varying(2)),
    Call("pad", varying(3), (1, 2), constant_values=of([[1.5, 2.5]])),
    Call("pad", of([1, 2]), 2, constant_values=3.7),
    Call("pad", varying(0, 2), 1, constant_values=5),
    Call("pad", varying(2, 3), {1: (1, 2)}),
    Call("pad", varying(2, 3), {-1: 2, 0: 1}, "edge"),
    Call("pad", varying(2, 3), (1, 2), "edge"),
    Call("pad", varying(3), (2, 3), "linear_ramp", end_values=(1.0, -4.0)),
    Call("pad", varying(2, 3), 2, "linear_ramp", end_values=varying(2, 2)),
    Call("pad", of([1, 5, 9]), (3, 2), "linear_ramp", end_values=(0, 2)),
    Call("pad", varying(2, 3), 1, "maximum"),
    Call("pad", varying(5), (2, 1), "minimum", stat_length=2),
    Call("pad", varying(2, 5), (2, 1), "mean", stat_length=((1, 2), (2, 3))),
    Call("pad", of([1, 2, 4, 9]), 2, "mean"),
    Call("pad", of([1, 2, 4, 9]), 2, "mean", stat_length=2),
    Call("pad", varying(5), (2, 1), "median"),
    Call("pad", of([1, 2, 4, 9]), 1, "median"),
    Call("pad", varying(2, 4), (1, 2), "reflect"),
    Call("pad", varying(3), (9, 7), "reflect"),
    Call("pad", varying(3), (9, 7), "reflect", reflect_type="odd"),
    Call("pad", varying(2, 1), 2, "reflect"),
    Call("pad", varying(2, 4), (1, 2), "symmetric"),
    Call("pad", varying(3), (9, 7), "symmetric"),
    Call("pad", varying(3), (9, 7), "symmetric", reflect_type="odd"),
    Call("pad", of([1, 2, 4]), 4, "reflect", reflect_type="odd"),
    Call("pad", varying(2, 3), (1, 2), "wrap"),
    Call("pad", varying(3), (7, 8), "wrap"),
    Call("pad", varying(0, 3), ((0, 0), (1, 1)), "edge"),
    Call("pad", varying(2, 3), 1, write_ends),
    Call("pad", varying(3), (1, 2), write_ends, factor=2.0),
    Call("pad", varying(2, 3), np.array([[0, 0], [1, 0]])),
    Call("pad", varying(2, 3), 0, "reflect"),
]
