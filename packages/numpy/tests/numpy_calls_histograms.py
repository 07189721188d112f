"""Calls of histograms."""

import numpy as np

from .numpy_calls import Call, of, varying

X = of(np.random.default_rng(0).normal(size=40))
SKEWED = of(np.random.default_rng(1).exponential(size=60))
W = varying(40)
INTEGERS = of([3, 1, 2, 5, 1, 9, 1, 4], np.int32)
SINGLE = of([1.25, 2.5, -2.5, 0.5], np.float32)
EDGES = of([-2.0, -0.71, 0.13, 1.4, 2.2])
SMALL = of([0.3, 1.2, 2.2, 0.9, 3.9])

CALLS = [
    Call("bincount", INTEGERS),
    Call("bincount", INTEGERS, minlength=12),
    Call("bincount", INTEGERS, varying(8)),
    Call("bincount", [0, 2, 2], varying(3), 4),
    Call("bincount", of([], np.int64), minlength=2),
    Call("bincount", INTEGERS, weights=of([1, 2, 3, 4, 5, 6, 7, 8])),
]
CALLS += [Call("histogram", SMALL, bins) for bins in (10, 3, [0.0, 1.0, 2.0, 4.0], of([0.0, 1.1, 2.0, 4.0]))]
CALLS += [
    Call("histogram", values, bins, gradient=False)
    for values in (X, INTEGERS, SINGLE)
    for bins in (7, [-1, 0.5, 2], [0, 1, 1, 3])
]
CALLS += [
    Call("histogram", SMALL, 4, (0.0, 3.0)),
    Call("histogram", SMALL, 4, (0, 4), density=True),
    Call("histogram", INTEGERS, 5, density=True),
    Call("histogram", INTEGERS, 5, (1, 9)),
]
CALLS += [Call("histogram", SMALL, bins, weights=varying(5)) for bins in (3, [0.0, 1.0, 2.0, 4.0])]
CALLS += [Call("histogram", SMALL, bins, density=True, weights=varying(5)) for bins in (3, of([0.0, 1.1, 2.0, 4.0]))]
CALLS += [
    Call("histogram", SMALL, 3, weights=of([1, 2, 3, 4, 5])),
    Call("histogram", SMALL, 3, weights=of([1j, 2, 3, 4, 5])),
]
CALLS += [
    Call("histogram", of([2.0, 2.0]), 2, gradient=False),
    Call("histogram", of(np.zeros(0)), 2),
    Call("histogram", SINGLE, 2, range=(-1, 1), gradient=False),
    Call("histogram", of([1, 1]), 2),
]
RULES = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")
CALLS += [
    Call(name, values, rule, gradient=False)
    for name in ("histogram", "histogram_bin_edges")
    for rule in RULES
    for values in (X, SKEWED, INTEGERS)
]
CALLS += [Call("histogram_bin_edges", SMALL, 3), Call("histogram_bin_edges", X, "auto", (0, 1), gradient=False)]

POINTS = of(np.random.default_rng(2).normal(size=(9, 2)))
CALLS += [Call("histogramdd", POINTS, bins) for bins in (3, (2, 4), ([-3.0, 0.0, 3.0], 2))]
CALLS += [
    Call("histogramdd", POINTS, 3, density=True),
    Call("histogramdd", POINTS, 3, weights=varying(9)),
    Call("histogramdd", POINTS, 3, range=((-1.0, 1.0), None)),
    Call("histogramdd", [SMALL, varying(5)], 2),
    Call("histogramdd", POINTS, [of([-3.0, 0.1, 3.0]), 2], density=True, weights=varying(9)),
]
CALLS += [Call("histogramdd", of(np.arange(24).reshape(8, 3)), 3)]
CALLS += [Call("histogram2d", SMALL, varying(5), bins) for bins in (2, (2, 3), [0.0, 1.0, 2.0, 4.0])]
CALLS += [Call("histogram2d", SMALL, [1, 2, 3, 4, 5], 2, density=True, weights=varying(5, seed=4))]
