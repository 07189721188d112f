"""SciPy's special functions for arrays of CuPy: those of cupyx, and by the host those that it has not.

Where cupyx differs at infinities and signed zeros from what SciPy and PyTorch give, its results are mended.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from wengert_cuda.namespace import Delegate, on_host


class Special(Delegate):
    """``cupyx.scipy.special``, complete."""

    def __init__(self, cupy: Any) -> None:
        super().__init__(importlib.import_module("cupyx.scipy.special"))
        self.cupy = cupy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or hasattr(self.real, name):
            return super().__getattr__(name)
        scipys = getattr(importlib.import_module("scipy.special"), name)

        def by_the_host(*arguments: Any) -> Any:
            found = scipys(*on_host(arguments))
            return tuple(map(self.cupy.asarray, found)) if isinstance(found, tuple) else self.cupy.asarray(found)

        return by_the_host

    def even(self, name: str, x: Any, end: float) -> Any:
        """A function of |x|, and what it is at infinity."""
        size = abs(x)
        return self.cupy.where(size == np.inf, end, getattr(self.real, name)(size)).astype(x.dtype)

    def i0(self, x: Any) -> Any:
        """The modified Bessel function of order 0; NaN at infinity, as Cephes has it."""
        return self.even("i0", x, np.nan)

    def i0e(self, x: Any) -> Any:
        """exp(-|x|) i0(x)."""
        return self.even("i0e", x, 0.0)

    def i1(self, x: Any) -> Any:
        """The modified Bessel function of order 1; NaN at infinity, as Cephes has it."""
        found = self.even("i1", x, np.nan)
        return self.cupy.where(x < 0, -found, found)

    def i1e(self, x: Any) -> Any:
        """exp(-|x|) i1(x)."""
        found = self.even("i1e", x, 0.0)
        return self.cupy.where(x < 0, -found, found)

    def xlog1py(self, x: Any, y: Any) -> Any:
        """X log(1 + y), 0 where x is 0 unless y is NaN."""
        return self.cupy.where((x == 0) & ~self.cupy.isnan(y), 0, x * self.cupy.log1p(y))
