"""wengert-disk: the device type "disk". Its tensors are in temporary files, mapped into memory by the system as they
are used.

For tensors that are larger than memory, and as an example of a device: everything that has to be written is in this
file.

>>> import wengert as wg
>>> x = wg.arange(3.0, device="disk", requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([0., 2., 4.], device='disk:0')
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from wengert_core.extend import DevicePlugin, OutOfMemoryError

__version__ = "0.2.0"


class DiskMemory:
    """A block of memory in a file that goes away with it."""

    def __init__(self, device: DiskDevice, nbytes: int) -> None:
        self.device, self.nbytes = device, nbytes
        with tempfile.TemporaryFile(dir=device.folder) as file:
            self.bytes: Any = np.memmap(file, np.uint8, "w+", shape=max(nbytes, 1))
        self.address = self.bytes.ctypes.data
        device.used += nbytes
        device.peak = max(device.peak, device.used)

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self.device.used -= self.nbytes


class Rows(np.ndarray):  # type: ignore[type-arg]
    """An array on a block, which it keeps alive."""

    memory: DiskMemory


class DiskDevice(DevicePlugin):
    """One disk: the folder that WENGERT_DISK names, or the system's for temporary files."""

    type = "disk"
    xp = np  # what computes: any namespace that is close enough to NumPy's
    accelerator = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = os.environ.get("WENGERT_DISK") or None
        self.used = self.peak = 0
        self.kernels = {"sum": self.sum_by_parts}

    def device_count(self) -> int:
        return 1

    # ---- memory

    def allocate(self, nbytes: int, index: int) -> DiskMemory:
        try:
            return DiskMemory(self, nbytes)
        except OSError as error:
            text = f"disk out of memory. Tried to allocate {nbytes} bytes, {self.used} are in use"
            raise OutOfMemoryError(text) from error

    def array(self, memory: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
        array: Any = Rows(shape, dtype, memory.bytes if 0 not in shape else None, offset if 0 not in shape else 0,
                          strides if 0 not in shape else None)  # fmt: skip
        array.memory = memory
        return array

    def memory_stats(self, index: int) -> dict[str, int]:
        return {"allocated": self.used, "peak": self.peak}

    # ---- copies

    def upload(self, host: Any, target: Any, non_blocking: bool) -> None:
        target[...] = host

    def download(self, source: Any) -> Any:
        return np.array(source)

    # ---- a kernel of our own, called as the reference of the operation is

    def sum_by_parts(self, xp: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
        """The sum over the first dim part by part, so that a large file is read once and from front to back."""
        if not axes or axes[0] != 0 or x.shape[0] < 2:
            return x.sum(axes, keepdims=keepdims)
        step = max(1, x.shape[0] // 8)
        parts = [x[at : at + step].sum(axes, keepdims=keepdims) for at in range(0, x.shape[0], step)]
        return sum(parts[1:], parts[0])
