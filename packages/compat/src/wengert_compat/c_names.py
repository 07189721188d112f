"""wengert._C: those names of PyTorch's compiled module that programs import.

>>> import wengert as wg
>>> wg._C._LinAlgError is wg.linalg.LinAlgError
True
"""

from __future__ import annotations

from wengert_core.linalg_error import LinAlgError as _LinAlgError

__all__ = ["_LinAlgError"]
