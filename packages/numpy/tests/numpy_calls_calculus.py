"""Calls of differences, derivatives and integrals of samples, interpolation."""

import numpy as np

from .numpy_calls import Call, of, varying

X = varying(3, 4)
CUBE = varying(3, 4, 3)
INTEGERS = of([[31, -15, 25], [0, 5, -45]], np.int32)
FLAGS = of([True, False, False])
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.6j], [0.7j, -2 + 1j, 2 + 2j]])
SINGLE = of([1.26, 2.5, -2.51], np.float32)

CALLS = [Call("diff", values) for values in (X, INTEGERS, COMPLEX, FLAGS)]
CALLS += [Call("diff", CUBE, n, axis=axis) for n in (0, 1, 2, 5) for axis in (0, -1)]
CALLS += [Call("diff", X, axis=axis, prepend=1.0, append=varying(3, 4, seed=1)) for axis in (0, 1)]
CALLS += [Call("diff", INTEGERS, prepend=0.5), Call("diff", INTEGERS, append=of([[1], [2]]))]
CALLS += [Call("ediff1d", values) for values in (X, INTEGERS, COMPLEX, varying(1))]
CALLS += [
    Call("ediff1d", X, 1.0, [2, 3]),
    Call("ediff1d", X, to_end=varying(2)),
    Call("ediff1d", INTEGERS, 7, to_begin=2),
]

COORDINATES = of([0.0, 0.7, 1.1, 2.0])
CALLS += [
    Call("gradient", values, edge_order=order) for values in (varying(5), CUBE, of([1, 4, 9, 20])) for order in (1, 2)
]
CALLS += [Call("gradient", SINGLE, gradient=False), Call("gradient", INTEGERS), Call("gradient", COMPLEX, axis=1)]
CALLS += [
    Call("gradient", X, step, axis=axis, edge_order=order)
    for step in (0.5, 2, varying(low=0.5, high=0.9))
    for axis in (None, -1, (1, 0))
    for order in (1, 2)
]
CALLS += [Call("gradient", X, COORDINATES, axis=1, edge_order=order) for order in (1, 2)]
CALLS += [Call("gradient", X, 0.5, [0, 1, 3, 4], edge_order=order) for order in (1, 2)]
CALLS += [Call("gradient", X, varying(3, low=0.0, high=3.0), COORDINATES), Call("gradient", X, [0, 1, 2, 3], axis=1)]

CALLS += [Call("trapezoid", values) for values in (X, INTEGERS, COMPLEX)] if hasattr(np, "trapezoid") else []
CALLS += [
    Call("trapezoid", X, COORDINATES),
    Call("trapezoid", X, dx=0.5, axis=0),
    Call("trapezoid", X, X, axis=0),
    Call("trapezoid", X, dx=varying(low=0.5, high=0.9)),
    Call("trapezoid", [1, 2, 3], x=varying(3)),
    Call("trapezoid", SINGLE, [0, 1, 4], gradient=False),
]

POINTS = varying(5, low=0.0, high=5.0)
SORTED = of(np.sort(POINTS.array))
VALUES = varying(5, seed=3)
CALLS += [Call("interp", of(x), SORTED, VALUES) for x in (2.2, [0.3, 2.2, 4.4], [[-3.0, 9.0], [1.1, 2.3]])]
CALLS += [Call("interp", of([-3.0, 1.1, 9.0]), SORTED, VALUES, left=-1.0, right=varying(low=0.1, high=0.2))]
CALLS += [Call("interp", SORTED, SORTED.array, VALUES.array, gradient=False), Call("interp", 2.2, [1, 3], of([1, 2]))]
CALLS += [Call("interp", of([-7.3, 0.4, 3.3, 11.0]), POINTS, VALUES, period=period) for period in (4.5, -6)]
CALLS += [
    Call("interp", of([0.3, 2.2]), SORTED, of([1 + 2j, 3j, 0.5, 2 - 1j, 1])),
    Call("interp", of([0.5, 2.0]), [1.0], [3.0]),
]
CALLS += [Call("interp", of([np.nan, 2.2]), SORTED, VALUES, gradient=False), Call("interp", of([1, 2]), SORTED, VALUES)]

PHASES = of([[0.0, 0.9, 7.0, 6.6, -1.0], [0.3, 3.6, 10.5, -9.5, 0.0]])
CALLS += [
    Call("unwrap", PHASES),
    Call("unwrap", PHASES, axis=0),
    Call("unwrap", PHASES, 4.0),
    Call("unwrap", PHASES, period=3.1),
]
CALLS += [Call("unwrap", of([0, 3, 7, 2, 9]), period=period) for period in (4, 5)]
CALLS += [
    Call("unwrap", of([0.0, np.pi, 2 * np.pi, 0.5 * np.pi]), gradient=False),
    Call("unwrap", SINGLE, gradient=False),
]
