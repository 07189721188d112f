"""wengert._C: those names of PyTorch's compiled module that programs import.

>>> import wengert as wg
>>> wg._C._LinAlgError is wg.linalg.LinAlgError
True
"""

from __future__ import annotations

from wengert_core.extend import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
)
from wengert_core.extend import (
    LinAlgError as _LinAlgError,
)
from wengert_core.extend import (
    active_mode as _active_mode,
)
from wengert_core.extend import (
    disabled_torch_function as _disabled_torch_function_impl,
)
from wengert_core.extend import (
    is_torch_function_enabled as _is_torch_function_enabled,
)

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "_LinAlgError",
    "_disabled_torch_function_impl",
    "_get_tracing_state",
    "_is_torch_function_enabled",
    "_is_torch_function_mode_enabled",
    "_log_api_usage_once",
]


def _get_tracing_state() -> None:
    """Return None: no function is being traced."""


def _is_torch_function_mode_enabled() -> bool:
    """Return whether a function mode is on."""
    return _active_mode() is not None


def _log_api_usage_once(name: str) -> None:
    """Do nothing: wengert counts no uses."""
