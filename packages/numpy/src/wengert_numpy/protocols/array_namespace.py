"""Methods that the array API standard gives arrays, ``Tensor.__array_namespace__`` and ``Tensor.to_device``, and those
of NumPy that SciPy calls on what NumPy's functions return: ``Tensor.astype`` and ``Tensor.copy``.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.operands import cast

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def array_namespace(self: Tensor, /, *, api_version: str | None = None) -> ModuleType:
    """Return the module ``wengert.array_api``.

    api_version: of the standard that the caller expects, up to 2025.12. ValueError for another.
    """
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"__array_namespace__: api_version is {api_version!r}, expected one of {', '.join(VERSIONS)}")
    import wengert.array_api  # as users import it: namespaces are told apart by identity

    namespace: ModuleType = wengert.array_api
    return namespace


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """Return the tensor on a device, itself where it is there. TypeError for a stream: use the device's current one."""
    if stream is not None:
        raise errors.unsupported_argument(
            "to_device", "stream", stream, "the device's current stream is used, set that"
        )
    return self.to(device)


def astype(self: Tensor, dtype: Any, /, *, copy: bool = True) -> Tensor:
    """Return the tensor in another dtype: ours, NumPy's or a name. copy: also where the dtype is its own."""
    result = cast(self, dtype)
    return result.clone() if copy and result is self else result


def copy(self: Tensor) -> Tensor:
    """Return a copy, which is recorded."""
    return self.clone()
