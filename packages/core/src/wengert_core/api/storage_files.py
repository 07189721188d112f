"""Storages and files: memory mapped from a file, and storages written to files one by one.

Note [Memory of a file]
    ``Mapping`` is the memory, and what tensors, arrays and storages on it keep alive; the file itself is closed at
    once. Whoever makes the file shorter takes the memory away, as with every mapping: reading it ends the process.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from operator import index
from types import NoneType
from typing import Any

import numpy as np

from wengert_core.api.storage_arguments import bytes_of
from wengert_core.devices.device import device as _device
from wengert_core.drivers.resize import whole_memory
from wengert_core.dtypes.dtypes import ALL, as_dtype, get_default_dtype
from wengert_core.dtypes.dtypes import dtype as _dtype
from wengert_core.exchange.device_memory import owner_of
from wengert_core.exchange.numpy_bridge import from_numpy
from wengert_core.optable.lazy_names import OPS
from wengert_core.tensors.tensor import Tensor

LENGTH = 8
"""Bytes of the number of elements that stands before a storage in a file."""


class Mapping(mmap.mmap):
    """Memory that forked processes share, or that is mapped from a file. filename: the file that writes go to."""

    filename: str | None = None


def tensor_on(mapping: Mapping) -> Tensor:
    """Return a tensor of bytes on mapped memory."""
    return from_numpy(np.frombuffer(mapping, np.uint8))


def shared_bytes(size: int) -> Tensor:
    """Return a tensor of so many zero bytes, in memory that processes share which are forked from now on.

    RuntimeError for a negative number, and where there is no such memory.
    """
    if size <= 0:
        return bytes_of(size, "cpu")
    try:
        return tensor_on(Mapping(-1, size))
    except (OSError, OverflowError) as error:
        raise failure(f"unable to map {size} bytes of shared memory", error) from None


def mapping_of(t: Tensor) -> Mapping | None:
    """Return the mapping that is all of a tensor's memory; None for other memory, and for a part of a mapping."""
    owner = owner_of(t)
    base = getattr(owner, "base", None)
    found = getattr(base, "obj", base)
    if not isinstance(found, Mapping):
        return None
    memory = whole_memory(t)
    return found if (memory.data_ptr(), memory.numel()) == (owner.ctypes.data, owner.nbytes) else None


# ---- mapping a file
def map_file(filename: str, shared: bool, nbytes: int) -> Tensor:
    """Return a tensor of bytes on the first bytes of a file; a file is not looked at for none.

    shared: writes go to the file, which is made, and made longer, where that is needed. Otherwise they change the
    memory alone.   RuntimeError for a file that cannot be opened or mapped, or has too few bytes.
    """
    if not nbytes:
        return OPS["empty"](0, dtype=ALL["uint8"], device="cpu")  # type: ignore[no-any-return]
    if nbytes < 0:
        raise RuntimeError(f"unable to mmap {nbytes} bytes from file <{filename}>: the size must not be negative")
    flags, way = (os.O_RDWR | os.O_CREAT, "read-write") if shared else (os.O_RDONLY, "read-only")
    try:
        file = os.open(filename, flags | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise failure(f"unable to open file <{filename}> in {way} mode", error) from None
    try:
        return map_open_file(file, filename, shared, nbytes)
    finally:
        os.close(file)


def map_open_file(file: int, filename: str, shared: bool, nbytes: int) -> Tensor:
    """Return a tensor of bytes on an open file, which keeps its length where that fails: see map_file."""
    size = os.fstat(file).st_size
    if nbytes > size and not shared:
        raise RuntimeError(f"file <{filename}> size <{size}> is smaller than the required mapping size <{nbytes}>")
    try:
        if nbytes > size:
            os.ftruncate(file, nbytes)
        mapping = Mapping(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    except (OSError, OverflowError, ValueError) as error:
        if nbytes > size:
            with suppress(OSError):  # of a device, which has no length
                os.ftruncate(file, size)
        raise failure(f"unable to mmap {nbytes} bytes from file <{filename}>", error) from None
    mapping.filename = filename if shared else None
    return tensor_on(mapping)


def failure(problem: str, error: Exception) -> RuntimeError:
    """Return the error about a file, with the system's reason."""
    reason = f"{error.strerror} ({error.errno})" if isinstance(error, OSError) else str(error)
    return RuntimeError(f"{problem}: {reason}")


def from_file(
    filename: str | bytes, shared: bool | None = None, size: int | None = 0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool | None = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a tensor of one dimension whose memory is a file's first bytes.

    shared: whether writes go to the file, which is made, and made longer, where that is needed; if not, the file must
    have the bytes, and stays as it is.   size: the number of elements.   dtype: by default the default dtype.
    device: the CPU is the only one.   Returns a tensor of shape (size,).
    RuntimeError for a file that cannot be opened or has too few bytes, and for ``pin_memory``; TypeError for arguments
    of other types.   Who makes the file shorter while a tensor is on it ends the process that reads it.

    >>> import os, tempfile
    >>> import wengert as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "numbers")
    ...     x = wg.from_file(name, shared=True, size=3, dtype=wg.int16)
    ...     x[1] = 7
    ...     wg.from_file(name, size=3, dtype=wg.int16)
    tensor([0, 7, 0], dtype=torch.int16)
    """
    check_type("filename", 1, filename, (str, bytes), "str")
    check_type("shared", 2, shared, (bool, NoneType), "bool")
    count: Any = 0 if size is None else size
    if not hasattr(type(count), "__index__") or isinstance(count, bool):
        check_type("size", 3, size, (), "int")
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, "from_file")
    check_options(kind, layout, device, pin_memory, requires_grad)
    tensor: Tensor = map_file(os.fsdecode(filename), bool(shared), index(count) * kind.itemsize).view(kind)
    return tensor.requires_grad_() if requires_grad else tensor


def check_type(name: str, position: int, value: Any, kinds: tuple[type, ...], expected: str) -> None:
    """Raise PyTorch's TypeError for an argument of from_file that is of none of these types."""
    if not isinstance(value, kinds):
        raise TypeError(
            f"from_file(): argument '{name}' (position {position}) must be {expected}, not {type(value).__name__}"
        )


def check_options(kind: _dtype, layout: Any, device: Any, pin_memory: Any, requires_grad: Any) -> None:
    """Raise an error for options that memory of a file cannot have."""
    if pin_memory:
        raise RuntimeError("tensors constructed from a file cannot be pinned")
    if layout is not None and str(layout) != "torch.strided":
        raise NotImplementedError(f"Could not run 'aten::from_file': a file's memory has the layout torch.strided, "
                                  f"not {layout}")
    if device is not None and _device(device).type != "cpu":
        raise NotImplementedError(f"Could not run 'aten::from_file': a file is mapped to the host's memory, not to "
                                  f"that of {device}; leave device out, and use .to({str(device)!r})")
    if requires_grad and not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


# ---- a storage in a file among others
def write_bytes(memory: Tensor, file: Any, counted: bool, element_size: int) -> None:
    """Write the bytes of a storage to a file; counted: after the number of its elements."""
    if counted:
        file.write((memory.numel() // element_size).to_bytes(LENGTH, "little"))
    file.write(memory.cpu().numpy().tobytes())


def read_bytes(file: Any, element_size: int) -> bytes:
    """Return the bytes that stand in a file behind the number of elements. RuntimeError where it ends too early."""
    length = read_exactly(file, LENGTH)
    return read_exactly(file, int.from_bytes(length, "little") * element_size)


def read_exactly(file: Any, size: int) -> bytes:
    """Return so many bytes of a file; it is read in pieces, as the number may be a wrong one."""
    parts, missing = [], size
    while missing:
        part = file.read(min(missing, 1 << 24))
        if not part:
            raise RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
