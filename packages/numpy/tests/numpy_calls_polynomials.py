"""Calls of functions of polynomials."""

import numpy as np

from .numpy_calls import Call, of, varying

P = varying(4)
Q = varying(3, seed=1)
INTEGERS = of([3, -1, 2])
COMPLEX = of([1 + 2j, 3 - 1j, 2j])
SINGLE = of([1.5, -2.0, 0.5], np.float32)
ZEROS = of([0.0, 0.0, 2.0, 1.0])

CALLS = [Call("polyval", p, x) for p in (P, INTEGERS, COMPLEX, [1, 2]) for x in (varying(2, 3), of(2.0), INTEGERS)]
CALLS += [Call("polyval", P, 2), Call("polyval", SINGLE, SINGLE, gradient=False), Call("polyval", P, [[1, 2], [3, 4]])]
CALLS += [
    Call(name, a, b)
    for name in ("polyadd", "polysub", "polymul")
    for a, b in ((P, Q), (Q, P), (P, INTEGERS), ([1, 2], P), (COMPLEX, Q), (P, 2.0))
]
CALLS += [Call(name, ZEROS, Q, gradient=False) for name in ("polyadd", "polymul")]
CALLS += [Call(name, INTEGERS, of([4, 1])) for name in ("polyadd", "polysub", "polymul", "polydiv")]
CALLS += [
    Call("polydiv", a, b) for a, b in ((P, Q), (Q, P), (P, [2, 1]), ([1.0, 2.0, 5.0], of([2.0, 1.0])), (COMPLEX, Q))
]
CALLS += [Call("polyder", p, m) for p in (P, INTEGERS, COMPLEX) for m in (0, 1, 2)]
CALLS += [Call("polyint", p, m) for p in (P, INTEGERS, COMPLEX) for m in (0, 1, 2)]
CALLS += [Call("polyint", P, 2, k=[1.0, 2.0]), Call("polyint", P, 2, varying()), Call("polyint", P, 1, varying(1))]
CALLS += [
    Call("roots", p) for p in (of([2.0, -3.0, -4.0, 1.0]), INTEGERS, of([1.0, 2.0, 5.0]), COMPLEX, of([2.0, 1.0]))
]
CALLS += [
    Call("roots", of([1.0, -3.0, 2.0, 0.0, 0.0]), gradient=False),
    Call("roots", of([0.0, 1.0, -5.0, 4.0]), gradient=False),
    Call("roots", of([0, 0])),
    Call("roots", of([3.0])),
]
CALLS += [Call("poly", p) for p in (P, INTEGERS, COMPLEX, of([2.0]), varying(3, 3))]
CALLS += [Call("poly", of([1 + 2j, 1 - 2j, 3.0]), gradient=False), Call("poly", SINGLE, gradient=False)]

X = of([0.0, 0.4, 1.1, 1.9, 3.2])
Y = varying(5)
CALLS += [Call("polyfit", X, Y, deg) for deg in (0, 1, 2)]
CALLS += [
    Call("polyfit", X, varying(5, 2), 2),
    Call("polyfit", X, Y, 2, w=varying(5, seed=2)),
    Call("polyfit", [0, 1, 2, 3, 4], Y, 1),
]
CALLS += [Call("polyfit", X, Y, 2, full=True), Call("polyfit", X, varying(5, 2), 1, full=True, w=[1, 2, 1, 1, 0.5])]
CALLS += [Call("polyfit", X, Y, 2, cov=cov) for cov in (True, "unscaled")]
CALLS += [Call("polyfit", X, varying(5, 2), 1, cov=True), Call("polyfit", of([0, 1, 2]), of([1, 3, 7]), 1)]
