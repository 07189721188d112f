"""``wengert.numpy.fft``: NumPy's functions, which take tensors by its protocols."""

from __future__ import annotations

from typing import Any

import numpy

from wengert_numpy.autograd_numpy.constructors import functions_of

globals().update({name: getattr(numpy.fft, name) for name in numpy.fft.__all__})
globals().update(functions_of(numpy.fft))
__all__ = list(numpy.fft.__all__)


def __getattr__(name: str) -> Any:
    return getattr(numpy.fft, name)
