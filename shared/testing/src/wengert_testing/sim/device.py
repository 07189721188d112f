"""The simulated device as a plugin."""

from __future__ import annotations

import importlib
from typing import Any
from weakref import WeakSet

import numpy as np
from wengert_core.devices.device import PLACED
from wengert_core.devices.plugin import DevicePlugin, OutOfMemoryError
from wengert_core.exchange import device_memory

from wengert_testing.sim.arrays import SimArray, SimNamespace, seen, set_current
from wengert_testing.sim.landing import Download, Upload, settle_before
from wengert_testing.sim.order import Block, SimEvent, SimStream, Stamp
from wengert_testing.sim.storage import Adopted, Pinned, Pool, SimMemory


class Place:
    """One simulated device: what its arrays know of it."""

    def __init__(self, plugin: SimDevice, index: int) -> None:
        self.plugin, self.index = plugin, index
        self.pool = Pool(index)
        self.default = SimStream(plugin, index)
        self.device = plugin.device(index)

    def stream(self) -> SimStream:
        """The current stream."""
        return self.plugin.current_stream(self.index)

    def wrapped(self, value: Any, sources: list[SimArray], stamp: Stamp | None = None) -> Any:
        """A result of a function: arrays and NumPy's numbers become arrays of the device."""
        if isinstance(value, (np.ndarray, np.generic)):
            data = np.asarray(value)
            for source in sources:
                if np.may_share_memory(data, source._data) and data.size:
                    return SimArray(data, source._block, self, source._owner)
            block = Block()
            block.write = stamp
            return SimArray(data, block, self)
        if isinstance(value, tuple):
            parts = [self.wrapped(part, sources, stamp) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(value, list):
            return [self.wrapped(part, sources, stamp) for part in value]
        return value


class SimDevice(DevicePlugin):
    """Two simulated devices, sim:0 and sim:1."""

    type = "sim"
    accelerator = False  # it is there for who names it
    dlpack_type = 12  # DLPack's "extension device"
    COUNT = 2

    def __init__(self) -> None:
        super().__init__()
        self.places = [Place(self, index) for index in range(self.COUNT)]
        self.made: WeakSet[SimStream] = WeakSet()
        self.kernels: dict[str, Any] = {}
        self.xp = SimNamespace()
        set_current(self.computing)

    @property
    def special(self) -> SimNamespace:
        """SciPy's functions, on arrays of the device."""
        return SimNamespace(importlib.import_module("scipy.special"))

    def computing(self) -> Place:
        """The device that an operation runs on just now, else the current one."""
        number = device_memory.place()
        return self.places[PLACED[number][1] if number and PLACED[number][0] is self else self.current_device()]

    def device_count(self) -> int:
        return self.COUNT

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> SimMemory:
        place = self.places[index]
        if not place.pool.fits(nbytes):
            self.empty_cache()
            if not place.pool.fits(nbytes):
                raise OutOfMemoryError(
                    f"sim out of memory. Tried to allocate {nbytes} bytes. Device {index} has a total capacity of "
                    f"{place.pool.limit} bytes of which {place.pool.allocated} are in use"
                )
        return SimMemory(place.pool, nbytes, place.stream())

    def limit(self, nbytes: int | None, index: int = 0) -> None:
        """Let a device have that much memory in all; None: any amount."""
        self.places[index].pool.limit = nbytes

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> SimArray:
        data: Any = np.empty(shape, dtype) if 0 in shape else np.ndarray(shape, dtype, memory.bytes, offset, strides)
        return SimArray(data, memory.block, self.places[memory.pool.index], memory)

    def adopt(self, address: int, nbytes: int, index: int, owner: Any) -> Adopted:
        return Adopted(self.places[index].pool.at(address), address, owner)

    def memory_stats(self, index: int) -> dict[str, int]:
        pool = self.places[index].pool
        return {"allocated": pool.allocated, "peak": pool.peak}

    def reset_peak(self, index: int) -> None:
        self.places[index].pool.peak = self.places[index].pool.allocated

    def pin(self, nbytes: int) -> Any:
        return np.zeros(nbytes, np.uint8).view(Pinned)

    # ---- copies

    def upload(self, host: Any, target: Any, non_blocking: bool) -> None:
        stream = target._place.stream()
        settle_before(host, stream, self.streams())
        target[...] = target._place.wrapped(host.copy(), [])
        if non_blocking:
            stream.landing.append(Upload(stream.launch("a copy from pinned memory"), host))
        else:
            stream.synchronize()

    def download(self, source: Any) -> Any:
        return source.get()

    def download_to(self, source: Any, host: Any) -> None:
        stream = source._place.stream()
        stamp = stream.launch("a copy to pinned memory")
        data = seen(source, stamp).copy()
        settle_before(host, stream, self.streams())
        stream.landing.append(Download(stamp, host, data))

    def transfer(self, source: Any, target: Any) -> None:
        here, there = source._place.stream(), target._place.stream()
        there.wait_stream(here)
        stamp = there.launch("a copy between devices")
        data = source._data.copy()
        source._block.read_by(stamp)
        target[...] = target._place.wrapped(data, [])
        here.wait_stream(there)

    # ---- order

    def land(self, clock: dict[int, int]) -> None:
        """The host has waited: do what it may see now."""
        for stream in self.streams():
            ready = [one for one in stream.landing if one.stamp.known_to(clock)]
            stream.landing = [one for one in stream.landing if one not in ready]
            for one in ready:
                one.settle()

    def streams(self) -> list[SimStream]:
        """All streams of all devices that are alive."""
        return [*(place.default for place in self.places), *self.made]

    def synchronize(self, index: int) -> None:
        for stream in self.streams():
            if stream.index == index:
                stream.synchronize()

    def current_stream(self, index: int) -> SimStream:
        streams: dict[int, SimStream] = self.local.__dict__.setdefault("streams", {})
        return streams.get(index) or self.places[index].default

    def set_stream(self, stream: Any) -> Any:
        before = self.current_stream(stream.index)
        self.local.__dict__.setdefault("streams", {})[stream.index] = stream
        return before

    def default_stream(self, index: int) -> SimStream:
        return self.places[index].default

    def make_stream(self, index: int, priority: int = 0) -> SimStream:
        stream = SimStream(self, index, priority)
        self.made.add(stream)
        return stream

    def stream_number(self, index: int) -> int:
        return self.current_stream(index).number

    def export_stream(self, index: int, number: int | None) -> None:
        place = self.places[index]
        found = [stream for stream in self.streams() if stream.number == number]
        (found[0] if found else place.default).wait_stream(place.stream())

    def make_event(self, enable_timing: bool = False) -> SimEvent:
        return SimEvent(self, enable_timing)

    def record_stream(self, memory: Any, stream: Any) -> None:
        memory.block.shared.add(stream.number)
