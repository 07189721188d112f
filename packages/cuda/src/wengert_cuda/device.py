"""The device type "cuda": CuPy's memory, arrays and streams behind core's interface."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Container, Mapping
from typing import Any

import numpy as np
from wengert_core.extend import FusedExpression, OutOfMemoryError

from wengert_cuda.cupy_module import cupy, find_cupy
from wengert_cuda.graphs import CapturingDevice, refusal
from wengert_cuda.streams import CudaEvent, CudaStream, wrap_stream

PROPERTIES = {
    # by torch's names: CUDA's
    "name": "name", "total_memory": "totalGlobalMem", "major": "major", "minor": "minor",
    "multi_processor_count": "multiProcessorCount", "max_threads_per_multi_processor": "maxThreadsPerMultiProcessor",
    "max_threads_per_block": "maxThreadsPerBlock", "warp_size": "warpSize",
    "regs_per_multiprocessor": "regsPerMultiprocessor", "shared_memory_per_block": "sharedMemPerBlock",
    "shared_memory_per_block_optin": "sharedMemPerBlockOptin",
    "shared_memory_per_multiprocessor": "sharedMemPerMultiprocessor", "L2_cache_size": "l2CacheSize",
    "is_integrated": "integrated", "is_multi_gpu_board": "isMultiGpuBoard", "clock_rate": "clockRate",
    "memory_clock_rate": "memoryClockRate", "memory_bus_width": "memoryBusWidth", "pci_bus_id": "pciBusID",
    "pci_device_id": "pciDeviceID", "pci_domain_id": "pciDomainID", "uuid": "uuid",
}  # fmt: skip


class CudaMemory:
    """A block of CuPy's pool on one device, or memory of another library there."""

    __slots__ = ("__weakref__", "address", "graph_pool", "index", "others", "pointer")

    def __init__(self, pointer: Any, index: int, graph_pool: Any = None) -> None:
        self.pointer, self.index, self.graph_pool = pointer, index, graph_pool  # graph_pool: whose memory it is
        self.address = int(pointer.ptr)
        self.others: CrossStreamBlocks | None = None


class CrossStreamBlocks:
    """Streams that use a block besides its own. When the block's last tensor goes, they still may: so it is kept.

    CuPy's pool gives a block to the next who asks on the block's own stream, which does not wait for others.
    """

    __slots__ = ("in_flight", "pointer", "streams")

    def __init__(self, pointer: Any, in_flight: list[tuple[Any, Any]]) -> None:
        self.pointer, self.in_flight = pointer, in_flight
        self.streams: set[CudaStream] = set()

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self.in_flight.extend((stream.record_event().raw, self.pointer) for stream in self.streams)


@functools.cache
def kernels() -> Mapping[str, Any]:
    """Fused kernels, by op."""
    from wengert_cuda.kernels import table

    return table()


class CudaDevice(CapturingDevice):
    """NVIDIA's GPUs."""

    type = "cuda"
    dlpack_type = 2

    def __init__(self) -> None:
        super().__init__()
        self.peaks: dict[int, int] = {}
        self.reserved_peaks: dict[int, int] = {}  # noted before the pool gives memory back, and when they are asked for
        self.in_flight: list[tuple[Any, Any]] = []  # (event, what must stay until it has happened)
        self.letting_go = threading.Lock()

    # ---- what is there

    @functools.cached_property
    def cupy(self) -> Any:
        """CuPy's module. RuntimeError where there is no device."""
        return cupy()

    @functools.cached_property
    def xp(self) -> Any:  # looked up when something is computed
        """CuPy, as references take it."""
        from wengert_cuda.namespace import Namespace

        return Namespace(self.cupy, self)

    def enter(self, index: int) -> int | None:
        before = self.current_device()
        if before == index:
            return None
        self.set_device(index)
        return before

    def leave(self, before: Any) -> None:
        if before is not None:
            self.set_device(before)

    @property
    def kernels(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Fused kernels, by op."""
        return kernels()

    @functools.cached_property
    def special(self) -> Any:
        """The functions of scipy.special."""
        from wengert_cuda.special import Special

        return Special(self.cupy)

    @property
    def fusible(self) -> Container[str]:  # type: ignore[override]
        """The steps that CUDA source is there for."""
        from wengert_cuda.fused import STEPS

        return STEPS.keys()

    def fuse(self, expression: FusedExpression) -> Any:
        from wengert_cuda.fused import make_kernel

        return make_kernel(expression)

    def device_count(self) -> int:
        return 0 if find_cupy()[1] else int(self.cupy.cuda.runtime.getDeviceCount())

    def unavailable(self) -> str:
        return find_cupy()[1] or "there is no CUDA device"

    def current_device(self) -> int:
        return int(self.cupy.cuda.runtime.getDevice())

    def set_device(self, index: int) -> None:
        self.cupy.cuda.Device(index).use()

    def properties(self, index: int) -> dict[str, Any]:
        found = self.cupy.cuda.runtime.getDeviceProperties(index)
        named = {ours: found[theirs] for ours, theirs in PROPERTIES.items() if theirs in found}
        name = named["name"]
        return {**named, "name": name.decode() if isinstance(name, bytes) else name}

    def can_access_peer(self, index: int, other: int) -> bool:
        return bool(self.cupy.cuda.runtime.deviceCanAccessPeer(index, other))

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> CudaMemory:
        capture = self.capture_here()
        if self.in_flight and capture is None:
            self.release_held()
        before = self.enter(index)
        try:
            if capture is not None:
                return CudaMemory(self.block(nbytes, index), index, capture.pool)
            return self.count_peak(CudaMemory(self.block(nbytes, index), index))
        finally:
            self.leave(before)

    def block(self, nbytes: int, index: int) -> Any:
        """Memory of CuPy's pool on the current device. Where there is none, all that is kept for reuse is freed."""
        cuda = self.cupy.cuda
        try:
            return cuda.alloc(nbytes or 1)
        except cuda.memory.OutOfMemoryError as error:
            if self.capture_here() is not None:
                raise OutOfMemoryError(self.sizes(nbytes, index)) from error
            self.release_held(wait=True)
            self.empty_cache()
        try:
            return cuda.alloc(nbytes or 1)
        except cuda.memory.OutOfMemoryError as error:
            raise OutOfMemoryError(self.sizes(nbytes, index)) from error

    def sizes(self, nbytes: int, index: int) -> str:
        """What there is of memory, for the error when there is not enough."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        used = self.pool.used_bytes()
        return (f"CUDA out of memory. Tried to allocate {nbytes} bytes. GPU {index} has a total capacity of {total} "
                f"bytes of which {free} bytes are free; {used} bytes are in use by tensors")

    def count_peak(self, memory: CudaMemory) -> CudaMemory:
        """Note the most bytes in use; what references need in between is not seen."""
        used = self.pool.used_bytes()
        if used > self.peaks.get(memory.index, 0):
            self.peaks[memory.index] = used
        return memory

    @functools.cached_property
    def pool(self) -> Any:
        """CuPy's pool, of the device that is current."""
        return self.cupy.get_default_memory_pool()

    @functools.cached_property
    def pool_block_type(self) -> Any:
        """The type of a block of the pool."""
        return self.cupy.cuda.memory.PooledMemory

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
        return self.cupy.ndarray(shape, dtype, memory.pointer + offset, strides)

    def adopt(self, address: int, nbytes: int, index: int, owner: Any) -> CudaMemory:
        cuda = self.cupy.cuda
        return CudaMemory(cuda.MemoryPointer(cuda.UnownedMemory(address, nbytes, owner, index), 0), index)

    def take(self, array: Any) -> tuple[CudaMemory, Any] | None:
        pointer = array.data
        block = pointer.mem
        if array.base is not None or not array.flags.c_contiguous or type(block) is not self.pool_block_type:
            return None
        capture = self.capture_here()
        return CudaMemory(pointer, array.device.id, None if capture is None else capture.pool), block

    def memory_stats(self, index: int) -> dict[str, int]:
        with self.cupy.cuda.Device(index):
            used = int(self.pool.used_bytes())
            total = self.note_reserved(index)
        self.peaks[index] = max(self.peaks.get(index, 0), used)
        return {"allocated": used, "reserved": total, "peak": self.peaks[index],
                "reserved_peak": self.reserved_peaks[index]}  # fmt: skip

    def note_reserved(self, index: int) -> int:
        """The bytes that the pool has of the current device. They only grow until the pool is emptied."""
        total = int(self.pool.total_bytes())
        self.reserved_peaks[index] = max(self.reserved_peaks.get(index, 0), total)
        return total

    def memory_info(self, index: int) -> tuple[int, int]:
        with self.cupy.cuda.Device(index):
            free, total = self.cupy.cuda.runtime.memGetInfo()
        return int(free), int(total)

    def reset_peak(self, index: int) -> None:
        self.peaks[index] = self.reserved_peaks[index] = 0  # the next reading begins with what there is then

    def empty_cache(self) -> None:
        self.require_no_capture("to free memory")
        self.note_reserved(self.current_device())  # CuPy empties the current device's pool
        self.pool.free_all_blocks()
        self.cupy.get_default_pinned_memory_pool().free_all_blocks()

    def pin(self, nbytes: int) -> Any:
        return self.cupy.cuda.alloc_pinned_memory(nbytes)

    # ---- copies

    def upload(self, host: Any, target: Any, non_blocking: bool) -> None:
        cp = self.cupy
        capture = self.capture_here()
        if capture is not None and not non_blocking:
            raise refusal("a copy from memory of the host that is not pinned, or that is waited for")
        with cp.cuda.Device(target.device.id):
            stream = cp.cuda.get_current_stream()
            if target.flags.c_contiguous and host.shape == target.shape and host.flags.c_contiguous:
                target.data.copy_from_host_async(host.ctypes.data, host.nbytes, stream)
            else:
                self.require_no_capture("a copy from the host to memory with gaps")
                staged = cp.empty(host.shape, host.dtype)
                flat = np.ascontiguousarray(host)
                staged.data.copy_from_host_async(flat.ctypes.data, flat.nbytes, stream)
                target[...] = staged
                stream.synchronize()
                return
            if capture is not None:
                capture.held.append(host)
            elif non_blocking:
                self.hold_until_copied(host, stream)
            else:
                stream.synchronize()

    def hold_until_copied(self, host: Any, stream: Any) -> None:
        """Keep pinned memory alive as long as a copy may use it."""
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        self.release_held()
        self.in_flight.append((event, host))

    def release_held(self, wait: bool = False) -> None:
        """Drop what was kept until an event that has happened; wait: for all events."""
        for event, _ in [*self.in_flight] if wait else ():
            event.synchronize()
        if not self.letting_go.acquire(blocking=False):  # another thread is at it, or a finalizer came in between
            return
        try:
            there = len(self.in_flight)  # what finalizers add meanwhile comes behind
            self.in_flight[:there] = [one for one in self.in_flight[:there] if not one[0].done]
        finally:
            self.letting_go.release()

    def assign(self, target: Any, source: Any) -> None:
        before = self.enter(target.device.id)
        try:
            super().assign(target, source)
        finally:
            self.leave(before)

    def fill(self, target: Any, number: Any) -> None:
        self.cupy.copyto(target, number)  # CuPy's target[...] clears memory for -0.0

    def download(self, source: Any) -> Any:
        self.require_no_capture("to read elements")
        with self.cupy.cuda.Device(source.device.id):
            return source.get()

    def download_to(self, source: Any, host: Any) -> None:
        self.require_no_capture("a copy to memory of the host")
        cp = self.cupy
        with cp.cuda.Device(source.device.id):
            stream = cp.cuda.get_current_stream()
            flat = cp.ascontiguousarray(source)
            flat.data.copy_to_host_async(host.ctypes.data, host.nbytes, stream)
            self.hold_until_copied((host, flat), stream)

    def transfer(self, source: Any, target: Any) -> None:
        self.require_no_capture("a copy between devices")
        cp = self.cupy
        here, there = self.current_stream(source.device.id), self.current_stream(target.device.id)
        there.wait_stream(here)
        with cp.cuda.Device(target.device.id):
            target[...] = cp.asarray(source) if source.flags.c_contiguous else cp.asarray(cp.ascontiguousarray(source))
        here.wait_stream(there)

    # ---- order

    def synchronize(self, index: int) -> None:
        self.require_no_capture("to wait for the device")
        self.cupy.cuda.Device(index).synchronize()

    def current_stream(self, index: int) -> CudaStream:
        return CudaStream(index, self.cupy.cuda.get_current_stream(index))

    def set_stream(self, stream: Any) -> CudaStream:
        before = self.current_stream(stream.index)
        if before.raw.ptr == stream.raw.ptr:
            return before
        device = self.current_device()
        with self.cupy.cuda.Device(stream.index):
            stream.raw.use()
        self.set_device(device)
        return before

    def make_stream(self, index: int, priority: int = 0) -> CudaStream:
        return CudaStream(index, priority=priority)

    def external_stream(self, index: int, handle: int) -> CudaStream:
        with self.cupy.cuda.Device(index):
            return CudaStream(index, wrap_stream(handle, index))

    def default_stream(self, index: int) -> CudaStream:
        return CudaStream(index, self.cupy.cuda.Stream.null)

    def stream_number(self, index: int) -> int:
        """CUDA's handle; DLPack calls the default stream, whose handle is 0, number 1."""
        return self.current_stream(index).cuda_stream or 1

    def export_stream(self, index: int, number: int | None) -> None:
        if number == 0:
            raise BufferError("DLPack has no stream 0 for CUDA: 1 is the default stream, 2 the thread's own one")
        mine = self.current_stream(index)
        handle = 0 if number in (None, 1) else number
        if mine.cuda_stream == handle:
            return
        with self.cupy.cuda.Device(index):
            wrap_stream(handle, index).wait_event(mine.record_event().raw)

    def record_stream(self, memory: Any, stream: Any) -> None:
        if memory.others is None:
            memory.others = CrossStreamBlocks(memory.pointer, self.in_flight)
        memory.others.streams.add(stream)

    def make_event(self, enable_timing: bool = False) -> CudaEvent:
        return CudaEvent(enable_timing)
