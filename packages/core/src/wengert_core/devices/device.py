"""Devices by name.

>>> from wengert_core import device
>>> device("cuda", 1)
device(type='cuda', index=1)
>>> str(device("cpu"))
'cpu'
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

from wengert_registry import fork_lock, registry

from wengert_core.binding.checked_methods import checked

KNOWN = ["cpu", "cuda", "meta", "mps", "xpu"]
"""The types of device that have a name without a plugin; ``device_number`` says which of them can be used."""

DEVICE_NUMBERS: dict[tuple[str, int], int] = {("cpu", 0): 0}
"""What core knows a usable device by: Tensor's device number for each (type, index)."""

_WANTED = {
    "cuda": "Torch not compiled with CUDA enabled: to compute on CUDA devices install wengert-cuda "
    "(pip install 'wengert[cuda12]' or 'wengert[cuda13]')",
}


class AbsentDeviceError(AssertionError, RuntimeError):
    """A device that is not there; of "cuda" torch says so by an AssertionError, of others by a RuntimeError."""


@checked
class device:
    """Where a tensor's memory is: a type such as "cpu" or "cuda", and a number where there are several.

    device("cuda:1"), device("cuda", 1) and device(type="cuda", index=1) are the same. RuntimeError for a type or text
    that is not known. A name says nothing about whether the device is there. ``with device:`` lets factories that are
    told no device make their tensors there.

    >>> device("cpu").index is None
    True
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __new__(cls, type: Any, index: int | None = None) -> Self:
        if isinstance(type, device):
            name, index = type.type, type.index
        elif isinstance(type, str):
            name, index = _parse(type, _checked_index(index))
        elif isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        else:
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({type.__class__.__name__}), but "
                "expected one of: (torch.device device), (str type, int index = -1)"
            )
        made = object.__new__(cls)
        object.__setattr__(made, "type", name)
        object.__setattr__(made, "index", index)
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> Self:
        from wengert_core.backends import default_device

        default_device.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        from wengert_core.backends import default_device

        default_device.leave()


def _checked_index(index: Any) -> int | None:
    """An index as an int; torch's errors for anything else."""
    if index is None:
        return None
    if isinstance(index, bool) or not hasattr(type(index), "__index__"):
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type(index).__name__}")
    number = int(operator.index(index))
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"Overflow when unpacking long long: device() got the index {number}, beyond 64 bits")
    return number


def _parse(text: str, index: int | None) -> tuple[str, int | None]:
    """Type and index of a device string; torch's errors."""
    name, colon, number = text.partition(":")
    if not text:
        raise RuntimeError("Device string must not be empty")
    if colon:
        if index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
        if not number.isdecimal() or (number[0] == "0" and number != "0") or not name:
            raise RuntimeError(f"Invalid device string: '{text}'")
        index = int(number)
    if not name.replace("_", "").isalpha():
        raise RuntimeError(f"Invalid device string: '{text}'")
    if name not in KNOWN and name not in registry.group("devices"):
        expected = f"Expected one of {', '.join(KNOWN)} device type at start of device string: {text}"
        raise RuntimeError(". ".join([expected, *registry.group("devices").reasons(name)]))
    if index is not None and index < 0:
        raise RuntimeError("Device index must not be negative")
    return name, index


CPU = device("cpu")
DEVICES = [CPU]
"""The device objects by Tensor's device number."""


def device_number(spec: Any, caller: str = "device") -> int:
    """Tensor's number of a device given as device or str; 0 is the CPU, every number of which is the same one.

    Raises TypeError for what cannot name a device, RuntimeError for a device that no installed package provides.
    """
    if isinstance(spec, str) or (isinstance(spec, int) and not isinstance(spec, bool)):
        spec = device(spec)  # an int is refused with torch's message
    if not isinstance(spec, device):
        raise TypeError(f"{caller}(): argument 'device' must be torch.device, not {type(spec).__name__}")
    if spec.type == "cpu":
        return 0
    number = DEVICE_NUMBERS.get((spec.type, spec.index))  # type: ignore[arg-type]  # an index that is None is not there
    return _resolve_index(spec, caller) if number is None else number


# ---- plugins

PLUGIN_DEVICES: list[Any] = [None]
"""By Tensor's device number: (plugin, its number of the device); None for the CPU."""
PLUGINS: dict[str, Any] = {}
"""The plugins that are loaded, by type."""
_WAITING: list[Callable[[Any], object]] = []
_LOADING = fork_lock()
"""Held while a plugin is made and connected. Who imports something must not wait for it: who holds it may import."""


def when_loaded(connect: Callable[[Any], object]) -> None:
    """Call ``connect(wengert_core.backends.intercept)`` as soon as a device is loaded, or now if one is."""
    _WAITING.append(connect)
    if PLUGINS:
        _connect()


def _connect() -> None:
    from wengert_core.backends import intercept as foreign

    while True:
        try:
            connect = _WAITING.pop(0)  # by one thread alone
        except IndexError:
            return
        connect(foreign)


def can_pin() -> bool:
    """Whether there is a device whose plugin pins memory of the host."""
    from wengert_core.backends.pinning import plugin_for

    try:
        return plugin_for() is not None
    except RuntimeError:
        return False


def plugin_with(xp: Any) -> Any:
    """The plugin of a device in use whose arrays a library, as ``cupy``, has made. StopIteration: there is none."""
    return next(plugin for plugin, _ in PLUGIN_DEVICES[1:] if plugin.xp is xp)


def plugin_of(kind: str) -> Any:
    """The plugin of a type of device, loaded now if it was not; None when nobody provides it."""
    found = PLUGINS.get(kind)
    if found is not None:
        return found
    offer: Any = registry.group("devices").find(kind)
    if offer is None:
        return None
    with _LOADING:
        found = PLUGINS.get(kind)
        if found is None:
            try:
                found = offer() if isinstance(offer, type) else offer
            except Exception as error:
                text = f"the device '{kind}' of {_origin(kind)} cannot be made: {type(error).__name__}: {error}"
                raise RuntimeError(text) from error
            if found.type != kind:
                raise RuntimeError(f"the device '{kind}' of {_origin(kind)} says that its type is {found.type!r}: its "
                                   "type and its entry point must agree")
            _connect()  # first: who finds the plugin uses it
            PLUGINS[kind] = found
            _connect()  # what was to wait meanwhile
    return found


def kinds() -> list[str]:
    """The types of device that plugins provide: wengert's own first, those in use before those that are not loaded."""
    group = registry.group("devices")

    def order(kind: str) -> tuple[bool, bool, str]:
        candidate = group.current(kind)
        ours = candidate is not None and candidate.distribution.first_party
        return not ours, kind not in PLUGINS, kind

    return sorted({*PLUGINS, *group.names()}, key=order)


def usable(kind: str) -> Any:
    """The plugin of a type of device that has a device now; None where there is none, or where it fails."""
    try:
        found = plugin_of(kind)
        return found if found is not None and found.device_count() else None
    except Exception:  # whoever asks for this type itself is told
        return None


def _origin(kind: str) -> str:
    """Return the distribution and entry point that a type of device comes from."""
    from wengert_registry.errors import origin

    candidate = registry.group("devices").current(kind)
    return "this process" if candidate is None else origin(candidate)


def _resolve_index(spec: device, caller: str) -> int:
    """The number of a device that has none yet, or that is named without an index."""
    plugin = plugin_of(spec.type)
    if plugin is None:
        reasons = registry.group("devices").reasons(spec.type)
        wanted = _WANTED.get(spec.type, f"no installed package provides the device type '{spec.type}'")
        wanted = ". ".join([wanted, *reasons])
        raise AbsentDeviceError(f"{wanted} ({caller}() was asked for device '{spec}')")
    count = plugin.device_count()
    if count == 0:
        raise AbsentDeviceError(f"{plugin.unavailable()} ({caller}() was asked for device '{spec}')")
    index = plugin.current_device() if spec.index is None else spec.index
    if index >= count:
        raise RuntimeError(f"invalid device ordinal: {caller}() was asked for device '{spec.type}:{index}', there are "
                           f"{count}, numbered from 0")
    key = (spec.type, index)
    with _LOADING:
        if key not in DEVICE_NUMBERS:
            DEVICES.append(device(*key))
            PLUGIN_DEVICES.append((plugin, index))
            DEVICE_NUMBERS[key] = len(PLUGIN_DEVICES) - 1  # last: who finds the number uses it
        return DEVICE_NUMBERS[key]
