"""The device type "cuda": CuPy's memory, arrays and streams behind core's interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from wengert_core.device_plugin import DevicePlugin, OutOfMemoryError

from wengert_cuda.cupy_module import cupy, found
from wengert_cuda.streams import CudaEvent, CudaStream


class CudaMemory:
    """A block of CuPy's pool on one device."""

    __slots__ = ("address", "index", "pointer")

    def __init__(self, pointer: Any, index: int) -> None:
        self.pointer, self.index = pointer, index
        self.address = int(pointer.ptr)


class CudaDevice(DevicePlugin):
    """NVIDIA's GPUs."""

    type = "cuda"

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
        from wengert_cuda.kernels import KERNELS

        return KERNELS

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
            try:
                return self.counted(CudaMemory(cuda.alloc(max(nbytes, 1)), index))
            except cuda.memory.OutOfMemoryError:
                self.empty_cache()
            try:
                return self.counted(CudaMemory(cuda.alloc(max(nbytes, 1)), index))
            except cuda.memory.OutOfMemoryError as error:
                free, total = cuda.runtime.memGetInfo()
                used = cupy().get_default_memory_pool().used_bytes()
                raise OutOfMemoryError(
                    f"CUDA out of memory. Tried to allocate {nbytes} bytes. GPU {index} has a total capacity of "
                    f"{total} bytes of which {free} bytes are free; {used} bytes are in use by tensors"
                ) from error

    def counted(self, memory: CudaMemory) -> CudaMemory:
        """Note the most bytes in use; what references need in between is not seen."""
        used = int(cupy().get_default_memory_pool().used_bytes())
        self.peaks[memory.index] = max(self.peaks.get(memory.index, 0), used)
        return memory

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
        return cupy().ndarray(shape, dtype, memory.pointer + offset, strides)

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
        """Keep pinned memory alive as long as a copy may read it."""
        event = cupy().cuda.Event(disable_timing=True)
        event.record(stream)
        self.in_flight = [one for one in self.in_flight if not one[0].done] + [(event, host)]

    def assign(self, target: Any, source: Any) -> None:
        with cupy().cuda.Device(target.device.id):
            super().assign(target, source)

    def download(self, source: Any) -> Any:
        with cupy().cuda.Device(source.device.id):
            return source.get()

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

    def make_event(self, enable_timing: bool = False) -> CudaEvent:
        return CudaEvent(enable_timing)
