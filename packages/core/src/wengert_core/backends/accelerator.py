"""What ``wengert.cuda`` is made of: the functions of torch.cuda, for devices of any type.

Without a plugin for the type, or without a device, they answer as torch does where it has none.

>>> from wengert_core.backends.accelerator import functions
>>> cuda = functions("cuda")
>>> cuda["is_available"](), cuda["device_count"](), cuda["memory_allocated"]()
(False, 0, 0)
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from wengert_core.backends import default_device
from wengert_core.devices import device as devices
from wengert_core.devices.plugin import OutOfMemoryError
from wengert_core.rng import generator

NAMES = ("Event", "OutOfMemoryError", "Stream", "StreamContext", "current_device", "current_stream", "default_stream",
         "device", "device_count", "empty_cache", "initial_seed", "is_available", "is_initialized", "manual_seed",
         "manual_seed_all", "max_memory_allocated", "memory_allocated", "memory_stats", "reset_peak_memory_stats",
         "set_device", "set_stream", "stream", "synchronize")  # fmt: skip


STREAM = """A queue of work; see ``stream``.

device: whose work it takes, the current one by default.   priority: lower numbers go first.
"""
EVENT = """A point in a stream's queue.

enable_timing: whether elapsed_time can be asked.   blocking, interprocess: taken for torch's sake.
"""


def functions(kind: str) -> dict[str, Any]:
    """The functions and classes for the devices of a type, by name."""
    module = Accelerator(kind)
    found: dict[str, Any] = {name: getattr(module, name) for name in NAMES}
    return found


class Accelerator:
    """The devices of one type."""

    OutOfMemoryError = OutOfMemoryError

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.Stream = _class("Stream", self.create_stream, STREAM)
        self.Event = _class("Event", self.create_event, EVENT)
        self.StreamContext = type("StreamContext", (_StreamContext,), {"kind": self})
        self.device = type("device", (_DeviceContext,), {"kind": self})

    # ---- what is there

    def plugin(self) -> Any:
        """The plugin, where it is installed and has a device; else None."""
        found = devices.plugin_of(self.kind)
        return found if found is not None and found.device_count() else None

    def require_plugin(self) -> Any:
        """The plugin; torch's error where there is none, or no device."""
        found = devices.plugin_of(self.kind)
        if found is None:
            devices.device_number(devices.device(self.kind), self.kind)
        if not found.device_count():
            raise devices.AbsentDeviceError(found.unavailable())
        return found

    def index(self, device: Any, plugin: Any) -> int:
        """The number that a ``device`` argument means: None, an int, a text or a device."""
        if device is None:
            return int(plugin.current_device())
        if isinstance(device, int):
            return device
        asked = devices.device(device)
        if asked.type != self.kind:
            raise ValueError(f"Expected a {self.kind} device, but got: {asked}")
        return int(plugin.current_device()) if asked.index is None else asked.index

    def is_available(self) -> bool:
        """Whether there is a device that can be used."""
        return self.plugin() is not None

    def is_initialized(self) -> bool:
        """Whether a device has been used."""
        return any(key[0] == self.kind for key in devices.DEVICE_NUMBERS)

    def device_count(self) -> int:
        """How many devices there are."""
        found = self.plugin()
        return 0 if found is None else int(found.device_count())

    def current_device(self) -> int:
        """The number of the device that the type's name alone means."""
        return int(self.require_plugin().current_device())

    def set_device(self, device: Any) -> None:
        """Make a device the current one of this thread."""
        plugin = self.require_plugin()
        index = self.index(device, plugin)
        devices.device_number(devices.device(self.kind, index), "set_device")
        plugin.set_device(index)
        default_device.refresh()

    # ---- order

    def synchronize(self, device: Any = None) -> None:
        """Wait until all work on a device is done."""
        plugin = self.require_plugin()
        plugin.synchronize(self.index(device, plugin))

    def create_stream(self, device: Any = None, priority: int = 0) -> Any:
        """A new stream."""
        if self.plugin() is None:
            raise RuntimeError(f"torch.{self.kind}.Stream requires {self.kind.upper()} support")
        plugin = self.require_plugin()
        return plugin.make_stream(self.index(device, plugin), priority)

    def create_event(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        """A new event."""
        if self.plugin() is None:
            raise RuntimeError("Tried to instantiate dummy base class Event")
        return self.require_plugin().make_event(enable_timing)

    def stream(self, stream: Any) -> Any:
        """A context in which work goes to a stream; None: no change."""
        return self.StreamContext(stream)

    def set_stream(self, stream: Any) -> None:
        """Let work go to a stream from now on; None: no change."""
        if stream is not None:
            self.require_plugin().set_stream(stream)

    def current_stream(self, device: Any = None) -> Any:
        """The stream that work goes to."""
        plugin = self.require_plugin()
        return plugin.current_stream(self.index(device, plugin))

    def default_stream(self, device: Any = None) -> Any:
        """The stream that work goes to unless another one is set."""
        plugin = self.require_plugin()
        return plugin.default_stream(self.index(device, plugin))

    # ---- memory

    def memory_stats(self, device: Any = None) -> OrderedDict[str, int]:
        """The plugin's figures of a device's memory, sorted by name; empty without a device."""
        plugin = self.plugin()
        figures = {} if plugin is None else plugin.memory_stats(self.index(device, plugin))
        return OrderedDict(sorted(figures.items()))

    def memory_allocated(self, device: Any = None) -> int:
        """Bytes of live tensors."""
        return self.memory_stats(device).get("allocated", 0)

    def max_memory_allocated(self, device: Any = None) -> int:
        """The most bytes of live tensors since the start, or since reset_peak_memory_stats."""
        return self.memory_stats(device).get("peak", 0)

    def reset_peak_memory_stats(self, device: Any = None) -> None:
        """Let max_memory_allocated start again."""
        plugin = self.require_plugin()
        plugin.reset_peak(self.index(device, plugin))

    def empty_cache(self) -> None:
        """Give memory that is kept for reuse back to the device."""
        plugin = self.plugin()
        if plugin is not None:
            plugin.empty_cache()

    # ---- random numbers

    def manual_seed(self, seed: int) -> None:
        """Start the current device's random numbers again from a seed; nothing happens without a device."""
        plugin = self.plugin()
        if plugin is not None:
            self._seed(plugin.current_device(), seed)

    def manual_seed_all(self, seed: int) -> None:
        """manual_seed for all devices."""
        for index in range(self.device_count()):
            self._seed(index, seed)

    def _seed(self, index: int, seed: int) -> None:
        generator.generator_of(devices.device_number(devices.device(self.kind, index), "manual_seed")).manual_seed(seed)

    def initial_seed(self) -> int:
        """The seed that the current device's random numbers were started from."""
        number = devices.device_number(devices.device(self.kind, self.current_device()), "initial_seed")
        return generator.generator_of(number).initial_seed()


def _class(name: str, make: Callable[..., Any], doc: str) -> type:
    """A class whose instances are what a plugin makes."""

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        return make(*args, **kwargs)

    return type(name, (), {"__new__": new, "__doc__": doc})


class _StreamContext:
    """Work goes to a stream inside of the block."""

    kind: Accelerator

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is None or self.kind.plugin() is None:
            return
        plugin = self.kind.require_plugin()
        self.before = plugin.current_device(), plugin.set_stream(self.stream)
        plugin.set_device(self.stream.device.index)

    def __exit__(self, *error: object) -> None:
        if self.stream is None or self.kind.plugin() is None:
            return
        plugin = self.kind.require_plugin()
        plugin.set_stream(self.before[1])
        plugin.set_device(self.before[0])


class _DeviceContext:
    """A device is the current one inside of the block."""

    kind: Accelerator

    def __init__(self, device: Any) -> None:
        self.wanted = device

    def __enter__(self) -> None:
        self.before = self.kind.current_device()
        self.kind.set_device(self.wanted)

    def __exit__(self, *error: object) -> None:
        self.kind.set_device(self.before)
