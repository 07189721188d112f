"""Calls of rounding, clipping, parts of complex numbers, special functions."""

import numpy as np

from .numpy_calls import Call, of, varying

INF, NAN = np.inf, np.nan
X = varying(3, 4)
CENTERED = varying(3, 4, low=-2.2, high=1.9)
INTEGERS = of([[31, -15, 25], [0, 5, -45]], np.int32)
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.6j], [0.7j, -2 + 1j, 2 + 2j]])
SPECIAL = of([1.0, INF, -INF, NAN, -2.0, -0.0])
SINGLE = of([1.26, INF, -INF, NAN, -2.51], np.float32)
FLAGS = of([True, False])

CALLS = [
    Call(name, values)
    for name in ("real", "imag", "angle", "real_if_close", "round", "around")
    for values in (X, CENTERED, INTEGERS, COMPLEX, FLAGS, varying())
]
CALLS += [
    Call(name, values, gradient=False)
    for name in ("real", "imag", "angle", "round", "nan_to_num")
    for values in (SPECIAL, SINGLE)
]
CALLS += [Call("angle", values, deg=True) for values in (COMPLEX, CENTERED)]
CALLS += [
    Call("real_if_close", of([1 + 1e-16j, 2]), gradient=False),
    Call("real_if_close", COMPLEX, tol=0.5),
    Call("real_if_close", of([1 + 1e-3j, 2]), tol=0.1),
]
CALLS += [
    Call(name, values, decimals)
    for name in ("round", "around")
    for values in (CENTERED, COMPLEX, INTEGERS)
    for decimals in (1, 2, -1)
]
CALLS += [Call("fix", CENTERED), Call("fix", INTEGERS)]
CALLS += [Call("i0", CENTERED), Call("i0", INTEGERS, gradient=False), Call("i0", varying())]
CALLS += [Call("sinc", values) for values in (CENTERED, INTEGERS, COMPLEX, varying())]
CALLS += [Call("sinc", of([0.0, 1.5])), Call("sinc", of([0.25, 1.5], np.float32), gradient=False)]

BOUNDS = (
    (-0.6, 0.7),
    (None, 0.7),
    (-0.6, None),
    (None, None),
    (0, 1),
    ([-1.5, -0.5, 0.0, 0.1], 1.0),
    (varying(4, low=-1.0, high=-0.5), varying(3, 1, low=0.5, high=0.6)),
    (np.float32(-0.6), np.array([0.7])),
)
CALLS += [Call("clip", CENTERED, low, high) for low, high in BOUNDS]
CALLS += [Call("clip", CENTERED, min=low, max=high) for low, high in BOUNDS[:3]] if np.__version__ >= "2.1" else []
CALLS += [Call("clip", varying(), -1.0, 1.0), Call("clip", 0.5, varying(3), 1.0)]
CALLS += [
    Call("clip", INTEGERS, low, high)
    for low, high in ((1, 9), (None, 9), (2.5, 9.5), (-(10**12), 10**12), (of([1, 2, 3]), None), (varying(3), 9))
]
CALLS += [Call("clip", of([1, 200], np.int16), -3, 70000), Call("clip", FLAGS, True, True)]
CALLS += [Call("clip", CENTERED, -0.5, 0.5, dtype=np.float64), Call("clip", SPECIAL, -1, 1, gradient=False)]

CALLS += [Call("nan_to_num", values) for values in (CENTERED, INTEGERS, FLAGS, COMPLEX, varying())]
CALLS += [Call("nan_to_num", SPECIAL, nan=1.5, posinf=7.0, neginf=-8, gradient=False)]
CALLS += [Call("nan_to_num", of([complex(NAN, 1), complex(1, -INF)]), gradient=False)]
CALLS += [Call("nan_to_num", SPECIAL, nan=np.arange(6.0), gradient=False)]
