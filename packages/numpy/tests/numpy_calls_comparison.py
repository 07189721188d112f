"""Calls of tests of values and dtypes."""

import numpy as np

from .numpy_calls import Call, of, varying

INF, NAN = np.inf, np.nan
X = of([1.0, INF, -INF, NAN, -2.0])
Y = of([1.0 + 1e-9, INF, INF, NAN, -2.1])
INTEGERS = of([1, 0, -2])
COMPLEX = of([1 + 0j, 2j, NAN + 0j])

CALLS = [
    Call(name, values)
    for name in ("iscomplex", "isreal", "iscomplexobj", "isrealobj")
    for values in (X, INTEGERS, COMPLEX, of(2.5), of([True]))
]
CALLS += [Call(name, values) for name in ("isposinf", "isneginf") for values in (X, INTEGERS, of(-INF))]
CALLS += [
    Call(name, X, Y, equal_nan=equal_nan)
    for name in ("isclose", "allclose", "array_equal")
    for equal_nan in (False, True)
]
CALLS += [
    Call(name, X, X, equal_nan=equal_nan)
    for name in ("isclose", "allclose", "array_equal")
    for equal_nan in (False, True)
]
CALLS += [
    Call(name, INTEGERS, other)
    for name in ("isclose", "allclose", "array_equal", "array_equiv")
    for other in (INTEGERS, [1, 0, -2], np.array([1.0, 0.0, -2.0], np.float32), np.array([1, 0, -2], np.int8))
]
CALLS += [
    Call(name, other, INTEGERS)
    for name in ("isclose", "allclose", "array_equal", "array_equiv")
    for other in (1, [1, 0, -2], np.array([1.5, 0.0, -2.0]))
]
CALLS += [Call("isclose", of([1.0, 2.0], np.float32), 1.0 + 1e-6), Call("isclose", COMPLEX, COMPLEX)]
CALLS += [
    Call("isclose", varying(3), varying(3, seed=1), rtol=0.5),
    Call("isclose", of([1, 10]), 9, atol=of([0.5, 2.0])),
]
CALLS += [
    Call("array_equiv", of([[1, 2], [1, 2]]), [1, 2]),
    Call("array_equiv", INTEGERS, [1, 2]),
    Call("array_equal", INTEGERS, [1, 0]),
    Call("array_equal", INTEGERS, "abc"),
    Call("array_equiv", of(1.0), 1),
]
CALLS += [Call("allclose", of(np.zeros(0)), []), Call("array_equal", of([True, False]), [1, 0])]
