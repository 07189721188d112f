"""Calls of functions that give sequences of numbers."""

import numpy as np

from .numpy_calls import Call, of, varying

CALLS = [
    Call("linspace", of(1.5), 3.0),
    Call("linspace", of(1.5), of(4.5), 4, endpoint=False),
    Call("linspace", varying(2), varying(2, seed=1), 5, axis=-1),
    Call("linspace", 0, varying(2, 1), num=3, retstep=True),
    Call("linspace", of(1.5), 3.0, 1),
    Call("linspace", of(1.5), 3.0, 0),
    Call("linspace", of(1), of(5), 3),
    Call("linspace", of(1.0, np.float32), 2.0, 3, gradient=False),
    Call("linspace", of(1.0, np.float32), np.arange(2.0), 3, gradient=False),
    Call("linspace", of(-1.5), 5.0, 4, dtype=np.int64),
    Call("linspace", of(1j), 2.0, 3),
    Call("logspace", of(0.5), 2.0, 4),
    Call("logspace", of(0.5), varying(2), 4, base=2.0, endpoint=False),
    Call("logspace", of(0.5), 2.0, 3, base=of(3.0)),
    Call("logspace", of(0.5), 2.0, 3, base=varying(2), axis=-1),
    Call("logspace", of(0), of(3), 4, dtype=np.int64),
    Call("geomspace", of(1.5), 24.0, 5),
    Call("geomspace", of(-1.5), of(-24.0), 4, endpoint=False),
    Call("geomspace", varying(2), varying(2, seed=1), 3, axis=1),
    Call("geomspace", of(1), 1000, 4, dtype=np.int64),
    Call("geomspace", of(1.0, np.float32), 8.0, 4, gradient=False),
    Call("geomspace", of(1 + 1j), 4 + 1j, 3),
    Call("geomspace", of(2.0), 8.0, 1),
    Call("meshgrid", varying(2), varying(3)),
    Call("meshgrid", varying(2), [1.0, 2.0], varying(1), indexing="ij"),
    Call("meshgrid", varying(2), of([1, 2]), sparse=True),
    Call("meshgrid", varying(2), varying(3), copy=False),
    Call("meshgrid", varying(2)),
    Call("meshgrid", of(1.5), varying(2)),
    Call("vander", varying(3)),
    Call("vander", varying(3), 2, increasing=True),
    Call("vander", of([0.0, 2.0]), 4),
    Call("vander", of([1, 2], np.int8)),
    Call("vander", of([1.0, 2.0], np.float32), N=0, gradient=False),
]
