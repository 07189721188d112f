"""The device that factories make their tensors on when they are told none. Each thread has its own.

>>> from wengert_core import device, get_default_device, ones
>>> get_default_device()
device(type='cpu')
>>> with device("cpu"):
...     ones(2).device
device(type='cpu')
"""

from __future__ import annotations

from _thread import _local
from typing import Any

from wengert_core.devices import device as devices
from wengert_core.drivers.create import factory


class _ThreadDefault(_local):
    """What a thread has chosen."""

    base: Any = None  # by set_default_device; None: nothing
    inner: tuple[Any, ...] = ()  # by the contexts that are open, the innermost last


_default = _ThreadDefault()


def set_default_device(device: Any) -> None:
    """Let factories that are told no device (zeros, tensor, rand, ...) make their tensors on this one, in this thread.

    device: a device or its name; None: the CPU again. A ``with torch.device(...)`` around a call goes first. Functions
    that share memory (from_numpy, frombuffer) and those with a tensor to be like are not concerned.
    AssertionError, RuntimeError for a device that is not there.

    >>> from wengert_core import get_default_device, set_default_device
    >>> set_default_device("cpu")
    >>> get_default_device()
    device(type='cpu')
    >>> set_default_device(None)
    """
    chosen = None if device is None else devices.device(device)
    before, _default.base = _default.base, chosen
    try:
        refresh()
    except Exception:
        _default.base = before
        raise


def get_default_device() -> devices.device:
    """The device of tensors that are made without naming one, in this thread.

    >>> from wengert_core import get_default_device
    >>> get_default_device()
    device(type='cpu')
    """
    chosen = _innermost()
    if chosen is None:
        return devices.CPU
    return chosen if chosen.index is not None else devices.DEVICES[devices.device_number(chosen)]


def enter(chosen: devices.device) -> None:
    """Open ``with device:``."""
    before, _default.inner = _default.inner, (*_default.inner, chosen)
    try:
        refresh()
    except Exception:
        _default.inner = before
        raise


def leave() -> None:
    """Close the innermost ``with device:``."""
    _default.inner = _default.inner[:-1]
    refresh()


def _innermost() -> Any:
    return _default.inner[-1] if _default.inner else _default.base


def refresh() -> None:
    """Look again which device is meant: a type without a number means the current one."""
    chosen = _innermost()
    factory.set_default_device_number(0 if chosen is None else devices.device_number(chosen, "set_default_device"))
