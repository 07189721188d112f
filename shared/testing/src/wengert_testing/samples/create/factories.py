"""Samples of factories."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert_core as wc

from wengert_testing.case import OpCase, T

RANDOM = "random: distribution and seeds are tested in packages/core"


def factory(name: Any, oracle: Any, *inputs: Any) -> Any:
    """A row of a factory."""
    return OpCase(name, oracle, list(inputs), grad=False, dtypes=("float32", "float64"))


def random(name: Any, *inputs: Any, grad: Any = False) -> Any:
    """A row without values."""
    return OpCase(name, None, list(inputs), grad=grad, note=RANDOM)


def triangle(numpy: Any) -> Any:
    return lambda row, col, offset=0: np.stack(numpy(row, offset, col))


SIZES = [((2, 3),), ((0,),), ((),)]

CASES = [
    factory("tensor", np.array, ([[1.0, 2.0], [3.0, 4.0]],), (2,)),
    factory("as_tensor", np.array, ([1.0, 2.0],)),
    factory("asarray", np.array, ([1.0, 2.0],)),
    factory("scalar_tensor", np.array, (1.5,)),
    factory("frombuffer", lambda buffer, dtype: np.frombuffer(buffer, np.int32), (bytearray(8), {"dtype": wc.int32})),
    factory("zeros", np.zeros, *SIZES),
    factory("ones", np.ones, *SIZES),
    factory("full", np.full, ((2, 3), 1.5), ((), 2.0)),
    factory("zeros_like", np.zeros_like, (T(2, 3),), (T(),)),
    factory("ones_like", np.ones_like, (T(2, 3),), (T(),)),
    factory("full_like", np.full_like, (T(2, 3), 1.5)),
    factory("new_zeros", lambda x, size: np.zeros(size), (T(2), (2, 3))),
    factory("new_ones", lambda x, size: np.ones(size), (T(2), (2, 3))),
    factory("new_full", lambda x, size, value: np.full(size, value), (T(2), (2, 3), 1.5)),
    factory("new_tensor", lambda x, data: np.array(data), (T(2), [1.5, 2.5])),
    factory("arange", np.arange, (5,), (1, 7), (1, 7, 2)),
    OpCase(
        "range",
        lambda a, b, step: np.arange(a, b + step, step),
        [(1, 7, 2)],
        grad=False,
        warns="torch.range is deprecated",
    ),
    factory("linspace", np.linspace, (0, 1, 5), (2.0, -1.0, 4)),
    factory("logspace", lambda a, b, n, base=10.0: np.logspace(a, b, n, base=base), (0, 2, 3), (0, 3, 4, 2.0)),
    factory("eye", np.eye, (3,), (2, 3)),
    factory("tril_indices", triangle(np.tril_indices), (3, 3), (2, 3, -1)),
    factory("triu_indices", triangle(np.triu_indices), (3, 3), (2, 3, 1)),
    random("empty", ((2, 3),)),
    random("empty_like", (T(2, 3),)),
    random("empty_strided", ((2, 3), (3, 1))),
    random("new_empty", (T(2), (2, 3))),
    random("new_empty_strided", (T(2), (2, 3), (3, 1))),
]
