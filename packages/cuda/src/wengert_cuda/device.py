"""The device type "cuda": CuPy's memory, arrays and streams behind core's interface."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from wengert_core.device_plugin import DevicePlugin, OutOfMemoryError

from wengert_cuda.cupy_module import cupy, found
from wengert_cuda.streams import CudaEvent, CudaStream


class CudaMemory:
    """A block of CuPy's pool on one device, or memory of another library there."""

    __slots__ = ("__weakref__", "address", "index", "pointer")

    def __init__(self, pointer: Any, index: int) -> None:
        self.pointer, self.index = pointer, index
        self.address = int(pointer.ptr)


@functools.cache
def kernels() -> Mapping[str, Any]:
    """Fused kernels, by op."""
    from wengert_cuda.kernels import table

    return table()


class CudaDevice(DevicePlugin):
    """NVIDIA's GPUs."""

    type = "cuda"
    dlpack_type = 2

    def __init__(self) -> None:
        super().__init__()
        self.peaks: dict[int, int] = {}
        self.in_flight: list[tuple[Any, Any]] = []  # copies from pinned memory: (event, array)

    # ---- what is there

    @property
    def xp(self) -> Any:  # looked up when something is computed
        """CuPy."""
        return cupy()

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

    @property
    def special(self) -> Any:
        """The functions of cupyx.scipy.special."""
        return importlib.import_module("cupyx.scipy.special")

    def device_count(self) -> int:
        return 0 if found()[1] else int(cupy().cuda.runtime.getDeviceCount())

    def unavailable(self) -> str:
        return found()[1] or "there is no CUDA device"

    def current_device(self) -> int:
        return int(cupy().cuda.runtime.getDevice())

    def set_device(self, index: int) -> None:
        cupy().cuda.Device(index).use()

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> CudaMemory:
        cuda = cupy().cuda
        with cuda.Device(index):
            for attempt in (1, 2):
                try:
                    return self.counted(CudaMemory(cuda.alloc(max(nbytes, 1)), index))
                except cuda.memory.OutOfMemoryError as error:
                    if attempt == 2:
                        raise OutOfMemoryError(self.sizes(nbytes, index)) from error
                self.empty_cache()
        raise AssertionError("not reached")

    def sizes(self, nbytes: int, index: int) -> str:
        """What there is of memory, for the error when there is not enough."""
        free, total = cupy().cuda.runtime.memGetInfo()
        used = cupy().get_default_memory_pool().used_bytes()
        return (f"CUDA out of memory. Tried to allocate {nbytes} bytes. GPU {index} has a total capacity of {total} "
                f"bytes of which {free} bytes are free; {used} bytes are in use by tensors")

    def counted(self, memory: CudaMemory) -> CudaMemory:
        """Note the most bytes in use; what references need in between is not seen."""
        used = int(cupy().get_default_memory_pool().used_bytes())
        self.peaks[memory.index] = max(self.peaks.get(memory.index, 0), used)
        return memory

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
        return cupy().ndarray(shape, dtype, memory.pointer + offset, strides)

    def adopt(self, address: int, nbytes: int, index: int, owner: Any) -> CudaMemory:
        cuda = cupy().cuda
        return CudaMemory(cuda.MemoryPointer(cuda.UnownedMemory(address, nbytes, owner, index), 0), index)

    def memory_stats(self, index: int) -> dict[str, int]:
        with cupy().cuda.Device(index):
            pool = cupy().get_default_memory_pool()
            used, total = int(pool.used_bytes()), int(pool.total_bytes())
        self.peaks[index] = max(self.peaks.get(index, 0), used)
        return {"allocated": used, "reserved": total, "peak": self.peaks[index]}

    def reset_peak(self, index: int) -> None:
        self.peaks[index] = 0

    def empty_cache(self) -> None:
        cupy().get_default_memory_pool().free_all_blocks()
        cupy().get_default_pinned_memory_pool().free_all_blocks()

    def pin(self, nbytes: int) -> Any:
        return cupy().cuda.alloc_pinned_memory(nbytes)

    # ---- copies

    def upload(self, host: Any, target: Any, non_blocking: bool) -> None:
        cp = cupy()
        with cp.cuda.Device(target.device.id):
            stream = cp.cuda.get_current_stream()
            if target.flags.c_contiguous and host.shape == target.shape and host.flags.c_contiguous:
                target.data.copy_from_host_async(host.ctypes.data, host.nbytes, stream)
            else:
                staged = cp.empty(host.shape, host.dtype)
                flat = np.ascontiguousarray(host)
                staged.data.copy_from_host_async(flat.ctypes.data, flat.nbytes, stream)
                target[...] = staged
                stream.synchronize()
                return
            if non_blocking:
                self.hold_until_copied(host, stream)
            else:
                stream.synchronize()

    def hold_until_copied(self, host: Any, stream: Any) -> None:
        """Keep pinned memory alive as long as a copy may use it."""
        event = cupy().cuda.Event(disable_timing=True)
        event.record(stream)
        self.in_flight = [one for one in self.in_flight if not one[0].done] + [(event, host)]

    def assign(self, target: Any, source: Any) -> None:
        with cupy().cuda.Device(target.device.id):
            super().assign(target, source)

    def download(self, source: Any) -> Any:
        with cupy().cuda.Device(source.device.id):
            return source.get()

    def download_to(self, source: Any, host: Any) -> None:
        cp = cupy()
        with cp.cuda.Device(source.device.id):
            stream = cp.cuda.get_current_stream()
            flat = cp.ascontiguousarray(source)
            flat.data.copy_to_host_async(host.ctypes.data, host.nbytes, stream)
            self.hold_until_copied((host, flat), stream)

    def transfer(self, source: Any, target: Any) -> None:
        cp = cupy()
        here, there = self.current_stream(source.device.id), self.current_stream(target.device.id)
        there.wait_stream(here)
        with cp.cuda.Device(target.device.id):
            target[...] = cp.asarray(source) if source.flags.c_contiguous else cp.asarray(cp.ascontiguousarray(source))
        here.wait_stream(there)

    # ---- order

    def synchronize(self, index: int) -> None:
        cupy().cuda.Device(index).synchronize()

    def current_stream(self, index: int) -> CudaStream:
        return CudaStream(index, cupy().cuda.get_current_stream(index))

    def set_stream(self, stream: Any) -> CudaStream:
        before = self.current_stream(stream.index)
        device = self.current_device()
        with cupy().cuda.Device(stream.index):
            stream.raw.use()
        self.set_device(device)
        return before

    def make_stream(self, index: int, priority: int = 0) -> CudaStream:
        return CudaStream(index, priority=priority)

    def default_stream(self, index: int) -> CudaStream:
        return CudaStream(index, cupy().cuda.Stream.null)

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
        with cupy().cuda.Device(index):
            cupy().cuda.ExternalStream(handle).wait_event(mine.record_event().raw)

    def make_event(self, enable_timing: bool = False) -> CudaEvent:
        return CudaEvent(enable_timing)
