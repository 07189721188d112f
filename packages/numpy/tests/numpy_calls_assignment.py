"""Calls of functions that write into their first argument: each is made on a copy, which is the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from wengert_numpy.functions.table import numpy_function

from .numpy_calls import Call, of, varying


class Assignment(Call):
    """A call that writes into a copy of its first argument, which is the result."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        def write(target: Any, *rest: Any, **options: Any) -> Any:
            target = target * 1
            assert numpy_function(name)(target, *rest, **options) is None
            return target

        super().__init__(name, *args, function=write, **kwargs)


CALLS = [
    Assignment("copyto", varying(2, 3), varying(3)),
    Assignment("copyto", varying(2, 3), 1.5, where=[True, False, True]),
    Assignment("copyto", varying(2, 3), varying(2, 1), where=of([[True], [False]])),
    Assignment("copyto", of([1, 2], np.int64), of([1.5, 2.5]), casting="unsafe"),
    Assignment("put", varying(2, 3), [0, -1, 2], varying(3)),
    Assignment("put", varying(2, 3), [0, 0, 1, 0], varying(4)),
    Assignment("put", varying(2, 3), [0, 1, 2], varying(2)),
    Assignment("put", varying(2, 3), of([7, -8]), 2.0, mode="wrap"),
    Assignment("put", varying(2, 3), of([7, -8]), varying(2), mode="clip"),
    Assignment("put", varying(2, 3), 4, varying(2)),
    Assignment("put", varying(2, 3), np.array([], int), 1.0),
    Assignment("putmask", varying(2, 3), [[True, False, True], [True, True, False]], varying(4)),
    Assignment("putmask", varying(3), of([True, False, True]), 0),
    Assignment("place", varying(2, 3), [[True, False, True], [True, True, False]], varying(3)),
    Assignment("place", varying(2, 3), of([[0, 0, 1], [0, 1, 0]]), varying(4)),
    Assignment("place", varying(3), [False, False, False], varying(1)),
    Assignment("put_along_axis", varying(2, 3), np.array([[0], [-1]]), varying(2, 1), axis=1),
    Assignment("put_along_axis", varying(2, 3), np.array([[0, 1, 0]]), 9.0, 0),
    Assignment("put_along_axis", varying(2, 3), of([[1, 1], [0, 2]]), varying(2), axis=-1),
    Assignment("put_along_axis", varying(2, 3), np.array([4, 0, 4]), varying(3), axis=None),
    Assignment("fill_diagonal", varying(3, 3), varying(3)),
    Assignment("fill_diagonal", varying(2, 3), 1.5),
    Assignment("fill_diagonal", varying(5, 2), varying(2)),
    Assignment("fill_diagonal", varying(5, 2), varying(2), wrap=True),
    Assignment("fill_diagonal", varying(2, 2, 2), varying(1)),
]
