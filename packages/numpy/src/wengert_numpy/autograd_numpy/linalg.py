"""``wengert.numpy.linalg``: NumPy's functions, which take tensors by its protocols."""

from __future__ import annotations

from typing import Any

import numpy

from wengert_numpy.autograd_numpy.constructors import functions_of

globals().update({name: getattr(numpy.linalg, name) for name in numpy.linalg.__all__})
globals().update(functions_of(numpy.linalg))
__all__ = list(numpy.linalg.__all__)


def __getattr__(name: str) -> Any:
    return getattr(numpy.linalg, name)
