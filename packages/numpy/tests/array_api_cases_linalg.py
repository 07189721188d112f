"""Calls of linear algebra functions and Fourier transforms."""

from __future__ import annotations

import numpy as np

from .array_api_cases import Case, complexes, floats, whole

MATRIX = floats(3, 3) + 3 * np.eye(3)
SYMMETRIC = MATRIX + MATRIX.T
STACK = floats(2, 3, 3) + 3 * np.eye(3)
HERMITIAN = SYMMETRIC + 1j * (floats(3, 3) - floats(3, 3).T)
TALL = floats(4, 3)

# fmt: off
CASES: list[Case] = [
    # linear algebra
    *(Case(f"{place}matmul", *pair) for place in ("", "linalg.") for pair in [
        (floats(3), floats(3, seed=1)), (floats(2, 3), floats(3)), (floats(3), floats(3, 2)),
        (floats(2, 1, 2, 3), floats(4, 3, 2)), (complexes(2, 3), complexes(3, 2)), (whole([1, 2], [3, 4]), whole(5, 6)),
    ]),
    *(Case(f"{place}matrix_transpose", floats(2, 3, 4)) for place in ("", "linalg.")),
    *(Case("tensordot", floats(2, 3, 4), floats(3, 4, 2), axes=axes)
      for axes in (2, ((1, 2), (0, 1)), ((-1, 0), (1, 2)))),
    Case("tensordot", floats(2), floats(3), axes=0), Case("linalg.tensordot", floats(2, 3), floats(3, 2), axes=1),
    *(Case(f"{place}vecdot", *pair) for place in ("", "linalg.") for pair in [
        (floats(3), floats(3, seed=1)), (complexes(2, 3), complexes(3)), (whole(1, 2), whole(3, 4)),
    ]),
    Case("vecdot", floats(3, 2), floats(3, 2, seed=1), axis=-2), Case("vecdot", floats(3, 2), floats(3, 1), axis=-2),
    Case("linalg.outer", floats(2), complexes(3)), Case("linalg.cross", floats(2, 3), floats(3)),
    Case("linalg.cross", floats(3, 2), floats(3, 2, seed=1), axis=-2),
    Case("linalg.cross", whole(1, 2, 3), whole(3, 1, 2)),
    Case("linalg.diagonal", floats(2, 3, 4)), Case("linalg.diagonal", floats(2, 3, 4), offset=-1),
    Case("linalg.trace", floats(2, 3, 4)), Case("linalg.trace", floats(3, 3), offset=1),
    Case("linalg.trace", whole([1, 2], [3, 4], dtype="int8")),
    Case("linalg.trace", whole([1, 2], [3, 4]), dtype=np.dtype("float64")),
    *(Case(f"linalg.{name}", x) for name in ("det", "inv", "slogdet", "pinv", "matrix_rank", "svdvals")
      for x in (MATRIX, STACK)),
    *(Case(f"linalg.{name}", x, gradient=False) for name in ("cholesky", "eigvalsh") for x in (SYMMETRIC, HERMITIAN)),
    Case("linalg.cholesky", SYMMETRIC, upper=True, gradient=False),
    Case("linalg.pinv", TALL), Case("linalg.pinv", TALL, rtol=1e-3), Case("linalg.matrix_rank", TALL, rtol=0.5),
    *(Case("linalg.matrix_power", MATRIX, n) for n in (0, 1, 3, -2)),
    Case("linalg.solve", MATRIX, floats(3)), Case("linalg.solve", MATRIX, floats(3, 2)),
    Case("linalg.solve", STACK, floats(3, 2)), Case("linalg.solve", floats(3, 3, 3) + 3 * np.eye(3), floats(3, 3)),
    Case("linalg.solve", STACK, floats(3)), Case("linalg.solve", STACK, floats(2, 3, 1)),
    *(Case("linalg.matrix_norm", x, ord=ord, keepdims=keepdims) for x in (TALL, STACK)
      for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf) for keepdims in (False, True)),
    *(Case("linalg.vector_norm", x, **options) for x in (floats(2, 3), complexes(2, 3))
      for options in ({}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}, {"ord": 1}, {"ord": np.inf, "axis": 0},
                      {"ord": -np.inf}, {"ord": 0, "axis": 1}, {"ord": 3.5}, {"ord": 0.5}, {"keepdims": True})),
    # Fourier transforms
    *(Case(f"fft.{name}", complexes(3, 5), **options) for name in ("fft", "ifft", "hfft", "irfft")
      for options in ({}, {"n": 4, "axis": 0, "norm": "ortho"}, {"n": 7, "norm": "forward"})),
    *(Case(f"fft.{name}", floats(3, 5), **options) for name in ("rfft", "ihfft")
      for options in ({}, {"n": 4, "axis": 0, "norm": "ortho"}, {"n": 7, "norm": "forward"})),
    *(Case(f"fft.{name}", complexes(2, 3, 4), **options) for name in ("fftn", "ifftn", "irfftn")
      for options in ({}, {"axes": (0, 2)}, {"s": (3, 3), "axes": (1, -1), "norm": "ortho"})),
    *(Case("fft.rfftn", floats(2, 3, 4), **options)
      for options in ({}, {"axes": (0, 2)}, {"s": (3, 3), "axes": (1, -1), "norm": "ortho"})),
    *(Case(f"fft.{name}", 5, d=0.5, dtype=np.dtype("float64"),
           reference=lambda n, d, dtype, name=name: getattr(np.fft, name)(n, d)) for name in ("fftfreq", "rfftfreq")),
    *(Case(f"fft.{name}", floats(3, 4), **options) for name in ("fftshift", "ifftshift")
      for options in ({}, {"axes": 1}, {"axes": (0, -1)})),
]
