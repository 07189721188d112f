"""What ``wengert.cuda`` is made of: the functions of torch.cuda, for devices of any type.

Without a plugin for the type, or without a device, they answer as torch does where it has none.

>>> from wengert_core.backends.accelerator import functions
>>> cuda = functions("cuda")
>>> cuda["is_available"](), cuda["device_count"](), cuda["memory_allocated"]()
(False, 0, 0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.backends import accelerator_info, accelerator_memory, accelerator_random, default_device
from wengert_core.backends.accelerator_info import InfoFunctions
from wengert_core.backends.accelerator_memory import MemoryFunctions
from wengert_core.backends.accelerator_random import RandomFunctions
from wengert_core.devices import device as devices
from wengert_core.devices.plugin import OutOfMemoryError

NAMES = ("Event", "ExternalStream", "OutOfMemoryError", "Stream", "StreamContext", "current_device", "current_stream",
         "default_stream", "device", "device_count", "device_of", "get_stream_from_external", "init", "is_available",
         "is_initialized", "set_device", "set_stream", "stream", "synchronize", *accelerator_info.NAMES,
         *accelerator_memory.NAMES, *accelerator_random.NAMES)  # fmt: skip


STREAM = """A queue of work; see ``stream``.

device: whose work it takes, the current one by default.   priority: lower numbers go first.
"""
EXTERNAL_STREAM = """A stream that another library has made and keeps.

stream_ptr: its handle.   device: whose work it takes, the current one by default.
"""
EVENT = """A point in a stream's queue.

enable_timing: whether elapsed_time can be asked.   blocking, interprocess: taken for torch's sake.
"""


def functions(kind: str) -> dict[str, Any]:
    """The functions and classes for the devices of a type, by name."""
    module = Accelerator(kind)
    found: dict[str, Any] = {name: getattr(module, name) for name in NAMES}
    return found


class Accelerator(InfoFunctions, MemoryFunctions, RandomFunctions):
    """The devices of one type."""

    OutOfMemoryError = OutOfMemoryError

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.Stream = _class("Stream", self.create_stream, STREAM)
        self.ExternalStream = _class("ExternalStream", self.get_stream_from_external, EXTERNAL_STREAM)
        self.Event = _class("Event", self.create_event, EVENT)
        self.StreamContext = type("StreamContext", (_StreamContext,), {"kind": self})
        self.device = type("device", (_DeviceContext,), {"kind": self})
        self.device_of = type("device_of", (_DeviceOfContext,), {"kind": self})

    # ---- what is there

    def is_available(self) -> bool:
        """Whether there is a device that can be used."""
        return self.plugin() is not None

    def is_initialized(self) -> bool:
        """Whether a device has been used."""
        return any(key[0] == self.kind for key in devices.DEVICE_NUMBERS)

    def init(self) -> None:
        """Make the current device ready for use, which its first use does anyway. An error where there is none."""
        devices.device_number(devices.device(self.kind, self.current_device()), "init")

    def device_count(self) -> int:
        """How many devices there are."""
        found = self.plugin()
        return 0 if found is None else int(found.device_count())

    def current_device(self) -> int:
        """The number of the device that the type's name alone means."""
        return int(self.require_plugin().current_device())

    def set_device(self, device: Any) -> None:
        """Make a device the current one of this thread; a negative number changes nothing."""
        number = self.parse(device)
        if number is None:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
        if number >= 0:
            plugin = self.require_plugin()
            devices.device_number(devices.device(self.kind, number), "set_device")
            plugin.set_device(number)
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

    def get_stream_from_external(self, data_ptr: int, device: Any = None) -> Any:
        """Return a stream that another library has made and keeps, by its handle."""
        plugin = self.require_plugin()
        return plugin.external_stream(self.index(device, plugin), data_ptr)

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
    """A device is the current one inside of the block; a negative number: no change."""

    kind: Accelerator

    def __init__(self, device: Any) -> None:
        self.idx = self.kind.parse(device)

    def __enter__(self) -> None:
        if self.idx is not None and self.idx < 0:
            return
        self.prev_idx = self.kind.current_device()
        if self.idx is not None:
            self.kind.set_device(self.idx)

    def __exit__(self, *error: object) -> None:
        if self.idx is None or self.idx >= 0:
            self.kind.set_device(self.prev_idx)


class _DeviceOfContext(_DeviceContext):
    """The device of a tensor is the current one inside of the block; of another type: no change."""

    def __init__(self, obj: Any) -> None:
        where = obj.device
        super().__init__(where.index if where.type == self.kind.kind else -1)
