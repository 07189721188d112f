"""Calls of functions that call functions."""

import numpy as np

from .numpy_calls import Call, of, varying

X = varying(3, 4)
CUBE = varying(2, 3, 4)


def middle(row, power=1):
    return (row[0] + row[-1]) ** power


def squares(row):
    return row[:2] * row[:2]


def outer(row):
    return row[:, None] * row


CALLS = [
    Call("apply_along_axis", function, axis, CUBE)
    for function in (middle, squares, outer, np.sum)
    for axis in (0, 1, -1)
]
CALLS += [
    Call("apply_along_axis", middle, 0, varying(3), power=2),
    Call("apply_along_axis", np.cumsum, 1, of([[3, 1], [0, 2]])),
]
CALLS += [Call("apply_over_axes", np.sum, CUBE, axes) for axes in (0, [0, 2], (0, -1), np.array([1]))]
CALLS += [Call("apply_over_axes", np.cumsum, CUBE, [0, 1])]
MASK = X.array > 1
CALLS += [Call("piecewise", X, [MASK, ~MASK], [np.square, np.exp]), Call("piecewise", X, [MASK], [np.square, 2.0])]
CALLS += [
    Call("piecewise", varying(4), MASK[0], [np.square]),
    Call("piecewise", X, [MASK], [lambda t, k: t * k, lambda t, k: -t], 3.0),
]
CALLS += [Call("piecewise", of([1, -2, 3]), [[True, False, False], [False, False, True]], [1.7, np.negative, 5])]
CALLS += [Call("piecewise", of(2.0), [True], [np.square]), Call("piecewise", of(2.0), True, [np.square])]
CALLS += [Call("piecewise", X, [of(MASK)], [np.sin, np.cos])]
