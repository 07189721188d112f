"""The simulated device as a plugin."""

from __future__ import annotations

import importlib
from typing import Any
from weakref import WeakSet

import numpy as np
from wengert_core.devices.device import PLUGIN_DEVICES
from wengert_core.devices.plugin import DevicePlugin, OutOfMemoryError
from wengert_core.exchange import device_memory
from wengert_core.extend import FusedExpression

from wengert_testing.sim import capture
from wengert_testing.sim.arrays import SimArray, SimNamespace, read_contents, set_current
from wengert_testing.sim.fusion import PointwiseOps, SimKernel
from wengert_testing.sim.landing import Download, Upload, settle_before
from wengert_testing.sim.order import Block, SimEvent, SimStream, Stamp
from wengert_testing.sim.storage import PinnedBlock, Pool, ReturnedBlock, SimMemory

TOTAL = 16 << 30
"""Bytes of a device's memory, unless it has a limit."""


class DeviceState:
    """One simulated device: what its arrays know of it."""

    def __init__(self, plugin: SimDevice, index: int) -> None:
        self.plugin, self.index = plugin, index
        self.pool = Pool(index)
        self.default = SimStream(plugin, index)
        self.default.is_default = True
        self.device = plugin.device(index)

    def stream(self) -> SimStream:
        """The current stream."""
        return self.plugin.current_stream(self.index)

    def wrap_result(self, value: Any, sources: list[SimArray], stamp: Stamp | None = None) -> Any:
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
            parts = [self.wrap_result(part, sources, stamp) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(value, list):
            return [self.wrap_result(part, sources, stamp) for part in value]
        return value


class SimDevice(DevicePlugin):
    """Two simulated devices, sim:0 and sim:1."""

    type = "sim"
    accelerator = False  # it is there for who names it
    dlpack_type = 12  # DLPack's "extension device"
    can_capture = True
    fusible = PointwiseOps()
    require_no_capture = staticmethod(capture.require_no_capture)
    COUNT = 2

    def __init__(self) -> None:
        super().__init__()
        self.device_states = [DeviceState(self, index) for index in range(self.COUNT)]
        self.make: WeakSet[SimStream] = WeakSet()
        self.kernels: dict[str, Any] = {}
        self.xp = SimNamespace()
        self.fused_kernels: list[FusedExpression] = []  # of all fused kernels that were queued
        set_current(self.computing)

    @property
    def special(self) -> SimNamespace:
        """SciPy's functions, on arrays of the device."""
        return SimNamespace(importlib.import_module("scipy.special"))

    def computing(self) -> DeviceState:
        """The device that an operation runs on just now, else the current one."""
        number = device_memory.current_device_number()
        return self.device_states[
            PLUGIN_DEVICES[number][1] if number and PLUGIN_DEVICES[number][0] is self else self.current_device()
        ]

    def device_count(self) -> int:
        return self.COUNT

    def properties(self, index: int) -> dict[str, Any]:
        return {"name": "simulated device", "total_memory": self.memory_info(index)[1], "major": 1, "minor": index}

    def can_access_peer(self, index: int, other: int) -> bool:
        return index != other

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> SimMemory:
        device_state = self.device_states[index]
        if not device_state.pool.fits(nbytes):
            self.empty_cache()
            if not device_state.pool.fits(nbytes):
                raise OutOfMemoryError(
                    f"sim out of memory. Tried to allocate {nbytes} bytes. Device {index} has a total capacity of "
                    f"{device_state.pool.limit} bytes of which {device_state.pool.allocated} are in use"
                )
        stream = device_state.stream()
        pool = None if stream.capture is None else stream.capture.pool
        return SimMemory(device_state.pool, nbytes, stream, pool)

    def limit(self, nbytes: int | None, index: int = 0) -> None:
        """Let a device have that much memory in all; None: any amount."""
        self.device_states[index].pool.limit = nbytes

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> SimArray:
        data: Any = np.empty(shape, dtype) if 0 in shape else np.ndarray(shape, dtype, memory.bytes, offset, strides)
        return SimArray(data, memory.block, self.device_states[memory.pool.index], memory)

    def adopt(self, address: int, nbytes: int, index: int, owner: Any) -> ReturnedBlock:
        return ReturnedBlock(self.device_states[index].pool.at(address), address, owner)

    def memory_stats(self, index: int) -> dict[str, int]:
        pool = self.device_states[index].pool
        return {"allocated": pool.allocated, "peak": pool.peak}

    def memory_info(self, index: int) -> tuple[int, int]:
        pool = self.device_states[index].pool
        total = TOTAL if pool.limit is None else pool.limit
        return max(total - pool.allocated, 0), total

    def reset_peak(self, index: int) -> None:
        self.device_states[index].pool.peak = self.device_states[index].pool.allocated

    def pin(self, nbytes: int) -> Any:
        return np.zeros(nbytes, np.uint8).view(PinnedBlock)

    # ---- copies

    def upload(self, host: Any, target: Any, non_blocking: bool) -> None:
        stream = target._place.stream()
        if stream.capture is not None:
            self.note_upload(stream.capture, host, target, non_blocking)
            return
        settle_before(host, stream, self.streams())
        target[...] = target._place.wrap_result(host.copy(), [])
        if non_blocking:
            stream.landing.append(Upload(stream.launch("a copy from pinned memory"), host))
        else:
            stream.synchronize()

    def note_upload(self, noting: capture.Capture, host: Any, target: Any, non_blocking: bool) -> None:
        """A copy in a capture: each replay reads pinned memory as it is then."""
        if not non_blocking:
            raise capture.refusal("a copy from memory of the host that is not pinned, or that is waited for")
        data = target._data

        def copy() -> None:
            data[...] = host

        noting.add("a copy from pinned memory", [], [target], copy)

    def download(self, source: Any) -> Any:
        return source.get()

    def download_to(self, source: Any, host: Any) -> None:
        stream = source._place.stream()
        if stream.capture is not None:
            raise capture.refusal("a copy to memory of the host")
        stamp = stream.launch("a copy to pinned memory")
        data = read_contents(source, stamp).copy()
        settle_before(host, stream, self.streams())
        stream.landing.append(Download(stamp, host, data))

    def transfer(self, source: Any, target: Any) -> None:
        here, there = source._place.stream(), target._place.stream()
        self.require_no_capture([here, there], "a copy between devices")
        there.wait_stream(here)
        stamp = there.launch("a copy between devices")
        data = source._data.copy()
        source._block.read_by(stamp)
        target[...] = target._place.wrap_result(data, [])
        here.wait_stream(there)

    # ---- order

    def land(self, clock: dict[int, int]) -> None:
        """The host has waited: do what it may see now."""
        for stream in self.streams():
            ready = [one for one in stream.landing if one.stamp.is_known_to(clock)]
            stream.landing = [one for one in stream.landing if one not in ready]
            for one in ready:
                one.settle()

    def streams(self) -> list[SimStream]:
        """All streams of all devices that are alive."""
        return [*(device_state.default for device_state in self.device_states), *self.make]

    def synchronize(self, index: int) -> None:
        self.require_no_capture([one for one in self.streams() if one.index == index], "to wait for the device")
        for stream in self.streams():
            if stream.index == index:
                stream.synchronize()

    def current_stream(self, index: int) -> SimStream:
        streams: dict[int, SimStream] = self.local.__dict__.setdefault("streams", {})
        return streams.get(index) or self.device_states[index].default

    def set_stream(self, stream: Any) -> Any:
        before = self.current_stream(stream.index)
        self.local.__dict__.setdefault("streams", {})[stream.index] = stream
        return before

    def default_stream(self, index: int) -> SimStream:
        return self.device_states[index].default

    def make_stream(self, index: int, priority: int = 0) -> SimStream:
        stream = SimStream(self, index, priority)
        self.make.add(stream)
        return stream

    def external_stream(self, index: int, handle: int) -> SimStream:
        found = [one for one in self.streams() if one.number == handle and one.index == index]
        if not found:
            raise ValueError(f"expected the number of a stream of sim:{index}, got {handle}")
        return found[0]

    def stream_number(self, index: int) -> int:
        return self.current_stream(index).number

    def export_stream(self, index: int, number: int | None) -> None:
        device_state = self.device_states[index]
        found = [stream for stream in self.streams() if stream.number == number]
        (found[0] if found else device_state.default).wait_stream(device_state.stream())

    def make_event(self, enable_timing: bool = False) -> SimEvent:
        return SimEvent(self, enable_timing)

    def record_stream(self, memory: Any, stream: Any) -> None:
        memory.block.shared.add(stream.number)

    # ---- graphs

    def begin_capture(self, index: int, pool: Any = None, mode: str = "global") -> None:
        stream = self.current_stream(index)
        if stream.is_default:
            raise RuntimeError("sim error: graphs are captured on another stream than the default one")
        if mode not in capture.MODES:
            raise ValueError(f"expected one of the modes {', '.join(capture.MODES)}, got {mode!r}")
        self.require_no_capture([stream], "another capture")
        capture.Capture(stream, capture.GraphPool() if pool is None else pool, mode)

    def end_capture(self, index: int) -> capture.SimGraph:
        noting = self.current_stream(index).capture
        if noting is None or noting.stream is not self.current_stream(index):
            raise RuntimeError("sim error: no capture has begun on the current stream")
        graph: capture.SimGraph = noting.finish()
        return graph

    def is_capturing(self, index: int) -> bool:
        return self.current_stream(index).capture is not None

    def make_graph_pool(self) -> capture.GraphPool:
        return capture.GraphPool()

    def fuse(self, expression: FusedExpression) -> SimKernel:
        return SimKernel(self, expression)

    def replayed_upload(self, index: int, first: Any, make: Any) -> SimArray:
        state = self.device_states[index]
        array = SimArray(first.copy(), Block(), state)
        if make is not None:
            state.stream().capture.uploads.append((array, make))
        return array
