"""``wengert.numpy.linalg``: NumPy's functions, which take tensors by its protocols."""

from __future__ import annotations

from typing import Any

import numpy

globals().update({name: getattr(numpy.linalg, name) for name in numpy.linalg.__all__})
__all__ = list(numpy.linalg.__all__)


def __getattr__(name: str) -> Any:
    return getattr(numpy.linalg, name)
