"""Arguments of storages: dtypes, sizes, sequences, bytes, slices and buffers, with PyTorch's errors."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from wengert_core.dispatch.exact_values import every_item
from wengert_core.dtypes.dtypes import ALL, dtype
from wengert_core.optable.lazy_names import OPS
from wengert_core.tensors.tensor import Tensor

LEGACY = {
    "BFloat16": "bfloat16", "Bool": "bool", "Byte": "uint8", "Char": "int8", "ComplexDouble": "complex128",
    "ComplexFloat": "complex64", "Double": "float64", "Float": "float32", "Half": "float16", "Int": "int32",
    "Long": "int64", "Short": "int16",
}  # fmt: skip
"""The legacy classes' names without "Storage", and their dtypes."""
LEGACY_NAMES = {ALL[kind]: f"{name}Storage" for name, kind in LEGACY.items()}
NEW_NAME = "storage.TypedStorage"
"""The type of storages of dtypes that no legacy class is for."""


def bytes_of(value: Any, device_spec: Any = None) -> Tensor:
    """Return a tensor of bytes: of a size, not set, or of a sequence of ints."""
    if is_size(value) and not isinstance(value, bool):
        size = index(value)
        if size < 0:
            raise RuntimeError(f"alloc_cpu() seems to have been called with negative number: {size} bytes")
        return OPS["empty"](size, dtype=ALL["uint8"], device=device_spec)  # type: ignore[no-any-return]
    if isinstance(value, (dict, Tensor)) or not hasattr(type(value), "__getitem__"):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(value).__name__}")
    if not hasattr(type(value), "__len__"):
        raise RuntimeError(
            f"torch.UntypedStorage(): Could not obtain the length of sequence of type {type(value).__name__}"
        )
    items = every_item(value)
    for item in items:
        if not hasattr(type(item), "__index__"):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(value).__name__}), but "
                f"one of the items was of type {type(item).__name__} instead of int"
            )
    numbers = np.array([index(item) & 255 for item in items], np.uint8)
    return OPS["tensor"](numbers, dtype=ALL["uint8"], device=device_spec)  # type: ignore[no-any-return]


def is_size(value: Any) -> bool:
    """Whether a value is an integer; arrays and tensors with dims have its method, and are none."""
    return hasattr(type(value), "__index__") and not getattr(value, "ndim", 0)


def byte(problem: str, value: Any) -> int:
    """Return an int modulo 256; RuntimeError for another type."""
    if not hasattr(type(value), "__index__") or isinstance(value, Tensor):
        raise RuntimeError(problem.format(type(value).__name__))
    return index(value) & 255


def is_position(value: Any) -> bool:
    """Whether a value is an index into a storage: an integer, but no bool or tensor."""
    return hasattr(type(value), "__index__") and not isinstance(value, (bool, Tensor))


def bounds(key: slice, size: int) -> tuple[int, int]:
    """Return where a slice of so many bytes begins and ends. RuntimeError for another step than 1."""
    start, stop, step = key.indices(size)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return start, max(start, stop)


def check_dtype(value: object) -> None:
    """Raise PyTorch's RuntimeError for what is no dtype."""
    if not isinstance(value, dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(value)}")


def read_buffer(buffer: Any, byte_order: Any, count: int, offset: int, kind: Any) -> np.ndarray[Any, Any]:
    """Return a copy of a part of a buffer as bytes, its elements in the byte order of this machine."""
    if kind is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    check_dtype(kind)
    if byte_order is None and kind.itemsize > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in ("native", "little", "big", None):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    data = np.frombuffer(memoryview(buffer).cast("B"), np.uint8) if memoryview(buffer).nbytes else np.zeros(0, np.uint8)
    count, offset = index(count), index(offset)
    if not 0 <= offset <= data.size:
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({data.size}), but got {offset}"
        )
    if count < 0 and (data.size - offset) % kind.itemsize:
        raise ValueError(f"buffer size ({data.size - offset}) must be a multiple of element size ({kind.itemsize})")
    there = (data.size - offset) // kind.itemsize
    if count > there:
        raise ValueError(f"buffer has only {there} elements after offset {offset}, but specified a size of {count}")
    found = data[offset : offset + (there if count < 0 else count) * kind.itemsize].copy()
    size = kind.itemsize // 2 if kind.is_complex else kind.itemsize
    if byte_order == "big" and size > 1:
        found = found.reshape(-1, size)[:, ::-1].reshape(-1).copy()
    return (found != 0).astype(np.uint8) if kind is ALL["bool"] else found
