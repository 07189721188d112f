"""wengert._C: those names of PyTorch's compiled module that programs import.

>>> import wengert as wg
>>> wg._C._LinAlgError is wg.linalg.LinAlgError
True
"""

from __future__ import annotations

from wengert_core.binding.torch_function import _disabled_torch_function_impl
from wengert_core.binding.torch_function import is_enabled as _is_torch_function_enabled
from wengert_core.dispatch.overrides import DisableTorchFunction, DisableTorchFunctionSubclass
from wengert_core.drivers.linalg.linalg_error import LinAlgError as _LinAlgError

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "_LinAlgError",
    "_disabled_torch_function_impl",
    "_is_torch_function_enabled",
]
