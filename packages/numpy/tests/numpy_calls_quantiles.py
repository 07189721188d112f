"""Calls of medians, quantiles and percentiles."""

import numpy as np

from .numpy_calls import Call, of, varying

X = varying(3, 4)
CUBE = varying(2, 3, 4)
INTEGERS = of([[3, -1, 2], [0, 5, -4]], np.int32)
SINGLE = of([1.5, 2.25, 7.0], np.float32)
COMPLEX = of([[1 + 2j, 3 - 1j, 1.2 + 0.5j], [0.5j, -2 + 1j, 2 + 2j]])
WITH_NAN = of([[1.0, np.nan, 2.0, 5.0], [0.5, 3.0, -1.0, 4.0], [np.nan, 0.7, 0.1, np.nan]])
METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
CONTINUOUS = ("linear", "hazen", "weibull")
QUANTILES = ("quantile", "nanquantile")
PERCENTILES = ("percentile", "nanpercentile")

CALLS = [Call(name, values) for name in ("median", "nanmedian") for values in (X, INTEGERS, COMPLEX, varying(5))]
CALLS += [
    Call(name, varying())
    for name in (
        "median",
        "nanmedian",
    )
]
CALLS += [Call(name, SINGLE, gradient=False) for name in ("median", "nanmedian")]
CALLS += [
    Call(name, CUBE, axis=axis, keepdims=keepdims)
    for name in ("median", "nanmedian")
    for axis in (1, -1, (0, -1), (0, 1, 2), None)
    for keepdims in (False, True)
]
CALLS += [Call(name, WITH_NAN, axis=axis, gradient=False) for name in ("median", "nanmedian") for axis in (None, 0, 1)]
CALLS += [Call("median", of(np.zeros((0, 3))), axis=1)]

CALLS += [
    Call(name, X, q, axis=axis)
    for name in QUANTILES
    for q in (0.0, 0.35, 1, [0.2, 0.9], np.array([[0.1], [0.7]]))
    for axis in (None, 0, -1)
]
CALLS += [
    Call(name, CUBE, q, axis=axis, keepdims=True)
    for name in QUANTILES
    for q in (0.35, [0.2, 0.9])
    for axis in (None, 1, (0, -1))
]
CALLS += [
    Call(name, values, q, 1, method=method, gradient=values is X)
    for name in QUANTILES
    for method in METHODS
    for values in (X, INTEGERS)
    for q in (0.35, [0.0, 0.25, 0.5, 0.75, 1.0])
]
CALLS += [
    Call(name, SINGLE, q, method=method, gradient=False)
    for name in QUANTILES
    for method in METHODS
    for q in (0.4, np.array([0.4]), np.array([0.4], np.float32))
]
CALLS += [Call(name, X, varying(2, low=0.1, high=0.6), 1, method=method) for name in QUANTILES for method in CONTINUOUS]
CALLS += [Call(name, X, varying(low=30, high=40), method=method) for name in PERCENTILES for method in CONTINUOUS]
CALLS += [Call(name, X, q, 0) for name in PERCENTILES for q in (50, 12.5, [20, 100.0])]
CALLS += [
    Call(name, WITH_NAN, q, axis=axis, method=method, gradient=False)
    for name in (*QUANTILES, *PERCENTILES)
    for q in (0.4, [0.0, 0.6])
    for axis in (None, 1)
    for method in ("linear", "lower", "inverted_cdf", "hazen")
]
CALLS += [
    Call(name, X, q, axis=1, method="inverted_cdf", weights=varying(3, 4, seed=1))
    for name in QUANTILES
    for q in (0.0, 0.4, [0.1, 1.0])
]
CALLS += [Call(name, X, [0.3, 0.8], axis=1, method="inverted_cdf", weights=[0, 1, 2, 3]) for name in ("quantile",)]
CALLS += [Call(name, INTEGERS, 0.5, method="inverted_cdf", weights=of([[1, 2, 0], [0, 1, 1]])) for name in QUANTILES]
CALLS += [Call("nanquantile", WITH_NAN, 0.5, axis=1, method="inverted_cdf", weights=np.ones((3, 4)), gradient=False)]
