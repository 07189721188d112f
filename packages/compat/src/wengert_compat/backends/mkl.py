"""wengert.backends.mkl: Intel's library of linear algebra.

It is used where NumPy is linked to it, where it is installed (the extra ``wengert[mkl]``), and where ``WENGERT_BLAS``
names it.

>>> import wengert as wg
>>> isinstance(wg.backends.mkl.is_available(), bool)
True
"""

from __future__ import annotations

from pathlib import Path

from wengert_core.extend import blas_num_threads

__all__ = ["is_available"]

LOADED = Path("/proc/self/maps")
"""The files that this process has in its memory, as Linux lists them."""


def is_available() -> bool:
    """Return whether MKL is loaded in this process, once wengert has chosen the library for products of matrices.

    >>> import wengert as wg
    >>> isinstance(wg.backends.mkl.is_available(), bool)
    True
    """
    blas_num_threads()  # chooses the library, and opens it
    return any("/libmkl_" in line for line in LOADED.read_text(encoding="utf-8", errors="replace").splitlines())
