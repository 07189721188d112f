"""Calls of functions that create."""

from __future__ import annotations

from typing import Any

import numpy as np
import wengert as wg
from wengert_numpy.functions.table import numpy_function

from .numpy_calls import Call, of, varying


class LikeCall(Call):
    """A call that asks for the type of its result by ``like=``, a tensor or an array as it is made with."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        def create(like: Any, *rest: Any, **options: Any) -> Any:
            result = numpy_function(name)(*rest, **options, like=like)
            return result * 1 if isinstance(like, wg.Tensor) and name == "empty" else result

        super().__init__(name, of(0), *args, function=create, **kwargs)


def sums_of_indices(*indices: Any, factor: float = 1.0) -> Any:
    """Return a function's values for fromfunction."""
    return sum(indices) * factor


CALLS = [
    LikeCall("array", [varying(2), [1.0, 2.0]]),
    LikeCall("array", [[of(1.5), 2.0], [3, of(2.5)]]),
    LikeCall("array", [1, 2, 3]),
    LikeCall("array", [1, 2, 3], dtype=np.float32, ndmin=3),
    LikeCall("array", varying(2, 3)),
    LikeCall("array", 2.5),
    LikeCall("asarray", [of(1.5), of(2.5)]),
    LikeCall("asarray", varying(2), dtype=np.float64),
    LikeCall("asanyarray", np.arange(3)),
    LikeCall("ascontiguousarray", 1.5),
    LikeCall("ascontiguousarray", varying(2, 3), dtype=np.complex128),
    LikeCall("asfortranarray", varying(2, 3)),
    LikeCall("asfortranarray", 1.5),
    LikeCall("require", [1, 2], dtype=np.float32, requirements=["C"]),
    LikeCall("require", [[1, 2]], requirements="F"),
    LikeCall("zeros", (2, 3)),
    LikeCall("zeros", 2, dtype=np.int8),
    LikeCall("ones", [2], np.complex64),
    LikeCall("full", (2, 2), 3),
    LikeCall("full", 2, varying(2)),
    LikeCall("full", 2, 2.7, dtype=np.int64),
    LikeCall("eye", 3),
    LikeCall("eye", 2, 3, k=1, dtype=np.int32),
    LikeCall("identity", 3),
    LikeCall("tri", 3, 4, -1),
    LikeCall("tri", 3, dtype=bool),
    LikeCall("arange", 3),
    LikeCall("arange", 1, 4),
    LikeCall("arange", 1.0, 2.0, 0.25),
    LikeCall("arange", 5, 1, -2, dtype=np.float32),
    LikeCall("arange", of(1.5), 4.0),
    LikeCall("arange", of(1.5), 4.0, of(0.75)),
    LikeCall("fromfunction", sums_of_indices, (2, 3), dtype=int, factor=2),
    LikeCall("fromfunction", sums_of_indices, (3,), factor=2.0),
    LikeCall("frombuffer", b"\x01\x02", dtype=np.uint8),
    LikeCall("fromiter", (1, 2, 3), dtype=np.float64),
    LikeCall("fromstring", "1 2 3", sep=" "),
    LikeCall("loadtxt", ["1 2", "3 4"]),
    LikeCall("genfromtxt", ["1,2", "3,4"], delimiter=","),
    Call("zeros_like", varying(2, 3)),
    Call("zeros_like", of([1, 2]), dtype=np.float32, shape=(3,)),
    Call("ones_like", of([1, 2], np.int8)),
    Call("ones_like", varying(2), bool),
    Call("full_like", varying(2, 3), varying(3)),
    Call("full_like", of([1, 2]), 2.7),
    Call("full_like", of([1, 2]), 2.7, dtype=float, shape=2),
]
