"""Calls of means, variances and covariances."""

import numpy as np

from .numpy_calls import Call, of, varying

X = varying(3, 4)
CUBE = varying(2, 3, 4)
INTEGERS = of([[3, -1, 2], [0, 5, -4]], np.int32)
FLAGS = of([[True, False], [True, True]])
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.5j], [0.5j, -2 + 1j, 2 + 2j]])
HALF = of([1.5, 2.25, -3.0], np.float16)
SINGLE = of([1.5, 2.25, -3.0], np.float32)
MASK = [[True, False, True, True], [False, True, True, False], [True, True, False, False]]
W = varying(3, 4, seed=1)

CALLS = [
    Call(name, values)
    for name in ("mean", "var", "std")
    for values in (X, COMPLEX, INTEGERS, FLAGS, varying())
    if not (name != "mean" and values is FLAGS)
]
CALLS += [
    Call(name, CUBE, axis=axis, keepdims=keepdims)
    for name in ("mean", "var", "std")
    for axis in (1, -1, (0, -1), (0, 1, 2), None)
    for keepdims in (False, True)
]
CALLS += [
    Call(name, values, gradient=False) for name in ("mean", "std", "var", "average", "cov") for values in (SINGLE,)
]
CALLS += [Call("mean", HALF, gradient=False), Call("mean", HALF, dtype=np.float64, gradient=False)]
CALLS += [Call("mean", X, axis=()), Call("var", X, axis=()), Call("std", X, axis=())]
CALLS += [Call("mean", INTEGERS, dtype=np.int64), Call("mean", INTEGERS, 1, dtype="float32")]
CALLS += [
    Call(name, X, where=MASK, axis=axis, keepdims=keepdims)
    for name in ("mean", "var", "std")
    for axis in (None, 0, (0, 1))
    for keepdims in (False, True)
]
CALLS += [Call(name, CUBE, 1, ddof=ddof) for name in ("var", "std") for ddof in (0, 1, 2, 0.5)]
CALLS += [Call(name, COMPLEX, 1, ddof=1) for name in ("var", "std")]
CALLS += [Call(name, COMPLEX, 1, where=[True, False, True], keepdims=True) for name in ("var", "mean")]
CALLS += [Call(name, X, 1, correction=1, keepdims=True) for name in ("var", "std")]
CALLS += [Call(name, X, 1, ddof=1, where=MASK) for name in ("var", "std")]
CALLS += [Call(name, X, 1, mean=varying(3, 1)) for name in ("var", "std")]
CALLS += [Call(name, INTEGERS, 1, mean=np.ones((2, 1)), dtype=np.float32) for name in ("var", "std")]
CALLS += [Call(name, X, 0, dtype=np.complex128) for name in ("mean",)]
CALLS += [Call("std", of(np.ones(3)), gradient=False)]

CALLS += [Call("average", X), Call("average", X, 1, keepdims=True), Call("average", INTEGERS, 0)]
CALLS += [Call("average", X, axis, W) for axis in (None, 0, -1, (0, 1))]
CALLS += [Call("average", X, 1, varying(4)), Call("average", CUBE, (2, 0), varying(4, 2), keepdims=True)]
CALLS += [Call("average", X, 0, varying(3), returned=True), Call("average", X, returned=True)]
CALLS += [Call("average", INTEGERS, weights=of([[1, 2, 3], [4, 5, 6]])), Call("average", COMPLEX, 1, varying(3))]
CALLS += [Call("average", [[1.0, 2.0]], weights=varying(1, 2))]

CALLS += [Call(name, X) for name in ("cov", "corrcoef")]
CALLS += [Call(name, X, rowvar=False) for name in ("cov", "corrcoef")]
CALLS += [Call(name, X, W) for name in ("cov", "corrcoef")]
CALLS += [Call(name, varying(5), varying(5, seed=2)) for name in ("cov", "corrcoef")]
CALLS += [Call(name, varying(5), np.arange(5), False) for name in ("cov", "corrcoef")]
CALLS += [Call(name, varying(5)) for name in ("cov", "corrcoef")]
CALLS += [Call(name, COMPLEX) for name in ("cov", "corrcoef")]
CALLS += [Call(name, INTEGERS) for name in ("cov", "corrcoef")]
CALLS += [
    Call("cov", X, bias=True),
    Call("cov", X, ddof=0),
    Call("cov", X, ddof=2),
    Call("cov", X, dtype=np.float32, gradient=False),
]
CALLS += [
    Call("cov", X, fweights=[1, 2, 3, 1]),
    Call("cov", X, fweights=of([1, 2, 3, 1]), aweights=varying(4)),
    Call("cov", X, aweights=varying(4)),
    Call("cov", X, aweights=varying(4), ddof=0),
]
CALLS += [Call("cov", of(np.zeros((0, 3))))]
