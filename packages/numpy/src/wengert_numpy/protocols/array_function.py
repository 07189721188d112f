"""``Tensor.__array_function__``: NumPy's functions other than ufuncs, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.functions import table

PLAIN = {np.ndarray.__array_function__}
"""What arrays answer with, and subclasses of them that keep it."""


def call_function(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function of NumPy gives for arguments of which one is a tensor.

    NotImplemented where another argument has a protocol of its own; TypeError, which names the function, where there is
    no implementation: nothing is converted.
    """
    for kind in types:
        if not issubclass(kind, Tensor) and kind.__array_function__ not in PLAIN:
            return NotImplemented
    if not table.LOADED:
        table.load()
    implementation = table.FUNCTIONS.get(func)
    if implementation is None:
        if not callable(func):
            raise TypeError(f"__array_function__(): argument 'func' must be a function, got {type(func).__name__}")
        name = qualified_name(func)
        raise errors.unsupported_function(name, table.ABSENT.get(name.removeprefix("numpy."), ""))
    return implementation(*args, **kwargs)


def qualified_name(func: Any) -> str:
    """Return a function's name with its module's, "numpy.linalg.svd"."""
    module = getattr(func, "__module__", None) or "numpy"
    return f"{module}.{getattr(func, '__name__', type(func).__name__)}"
