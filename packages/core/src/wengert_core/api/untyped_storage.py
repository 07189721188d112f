"""Storages: the memory that tensors lie in, as a sequence of bytes.

Note [A storage is a tensor of bytes]
    ``UntypedStorage`` holds a tensor of bytes on the whole memory, so whatever it does is done by operations on
    tensors, on every device, and raises the version that its tensors share. One object stands for one memory
    (``STORAGES``, by address). To get other memory is the one thing that looks at who else is there: Note [Memory that
    grows] in drivers/resize.pyx.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from operator import index
from typing import Any, Self
from weakref import WeakValueDictionary, ref

import numpy as np

from wengert_core.devices.device import device as _device
from wengert_core.devices.layout import layout_of
from wengert_core.dispatch.exact_values import every_item
from wengert_core.drivers.resize import looks_into, move_memory, whole_memory, why_not_movable
from wengert_core.dtypes.dtypes import ALL, dtype
from wengert_core.exchange.device_memory import owner_of
from wengert_core.exchange.numpy_bridge import from_numpy
from wengert_core.optable.lazy_names import OPS
from wengert_core.tensors.tensor import Tensor, is_strided_tensor

__all__ = ["UntypedStorage", "is_storage"]

STORAGES: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()
"""The storages that are alive, by the address of their memory."""
NAMES: dict[str, str] = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "complex_float": "complex64",
    "complex_double": "complex128", "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool",
}  # fmt: skip
"""Methods that convert the elements, and the dtypes they give."""


def constant(value: Any, doc: str) -> Any:
    """Return a property that is always ``value``."""
    return property(lambda self: value, doc=doc)


class UntypedStorage:
    """Memory as a sequence of bytes, which tensors may lie in.

    ``UntypedStorage()`` is empty, ``UntypedStorage(size)`` has so many bytes, not set, ``UntypedStorage(sequence)``
    those of the sequence, modulo 256. device: where. ``Tensor.untyped_storage()`` gives that of a tensor.
    TypeError or RuntimeError for other arguments.

    >>> import wengert as wg
    >>> x = wg.zeros(2, dtype=wg.int16)
    >>> storage = x.untyped_storage()
    >>> storage[0] = 7
    >>> x, storage.tolist()
    (tensor([7, 0], dtype=torch.int16), [7, 0, 0, 0])
    """

    __slots__ = ("__weakref__", "_looker", "_memory")

    _memory: Tensor
    _looker: ref[Tensor] | None

    def __init__(self, *args: Any, device: Any = None, **kwargs: Any) -> None:
        args += (kwargs.pop("size"),) if "size" in kwargs else ()
        if kwargs or len(args) > 1:
            names = ", ".join([type(arg).__name__ for arg in args] + [f"{name}=..." for name in kwargs])
            raise TypeError(f"torch.UntypedStorage() received an invalid combination of arguments - got ({names}), but "
                            "expected a size, a sequence of integers or nothing, and device=")
        self._keep(bytes_of(args[0] if args else 0, device))

    @classmethod
    def _of(cls, memory: Tensor, looker: Tensor | None = None) -> Self:
        """Return the storage with this tensor of bytes; looker: the tensor that it was asked of."""
        self = cls.__new__(cls)
        self._keep(memory)
        self._looker = None if looker is None else ref(looker)
        return self

    def _keep(self, memory: Tensor) -> None:
        """Stand for these bytes; a slice does not stand for the memory that it is in."""
        self._memory, self._looker = memory, None
        if memory.numel() and not memory._is_view():
            STORAGES[memory.data_ptr()] = self

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: Any = None, count: int = -1, offset: int = 0,
                    dtype: Any = None) -> Self:
        """Return a storage with a copy of ``count`` elements of a buffer, from byte ``offset`` on; -1: of all.

        byte_order: "native", "little" or "big": how the elements of ``dtype`` lie in the buffer; needed for more than a
        byte. ValueError for another one, and where the buffer is too small; RuntimeError without a dtype.

        >>> import wengert as wg
        >>> wg.UntypedStorage.from_buffer(b"ab", byte_order="big", dtype=wg.int16).tolist()
        [98, 97]
        """
        return cls._of(OPS["tensor"](read_buffer(buffer, byte_order, count, offset, dtype)))

    # ---- facts
    @property
    def device(self) -> _device:
        """The device of the memory."""
        return self._memory.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return bool(self._memory.is_cuda)

    is_hpu: bool = constant(False, "False: this kind of storage does not exist.")
    is_sparse: bool = is_hpu
    is_sparse_csr: bool = is_hpu
    filename: None = constant(None, "None: no storage is a file.")

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._memory.numel()

    size = nbytes

    def __len__(self) -> int:
        """Return the number of bytes."""
        return self._memory.numel()

    def element_size(self) -> int:
        """Return 1: an element is a byte."""
        return 1

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return self._memory.data_ptr()

    def get_device(self) -> int:
        """Return the number of the device; -1 for the CPU."""
        return self._memory.get_device()

    def type(self) -> str:
        """Return the name of the class."""
        return "torch.storage.UntypedStorage"

    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is pinned."""
        return bool(self._memory.is_pinned())

    def is_shared(self) -> bool:
        """Return whether processes that are forked from now on share the memory."""
        return is_shared(self._memory)

    def resizable(self) -> bool:
        """Return whether ``resize_`` may give it other memory: none but the tensor it was asked of looks into it."""
        return why_not_movable(self._memory, self._tensor()) is None

    def untyped(self) -> Self:
        """Return the storage itself."""
        return self

    def _tensor(self) -> Tensor | None:
        return None if self._looker is None else self._looker()

    # ---- bytes
    def tolist(self) -> list[int]:
        """Return the bytes as a list of ints."""
        return self._memory.tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._of(self._memory[key.start : key.stop]) if one_step(key) else None
        if not hasattr(type(key), "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(key).__name__}")
        return self._memory[self._position(index(key), IndexError)].item()

    def __setitem__(self, key: Any, value: Any) -> None:
        if not hasattr(type(key), "__index__") and not isinstance(key, slice):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(key).__name__}")
        number = byte("can only set storage content with a int types, but got {} instead", value)
        if isinstance(key, slice):
            one_step(key)
            self._memory[key.start : key.stop].fill_(number)
        else:
            self._memory[self._position(index(key), RuntimeError)] = number

    def _position(self, key: int, error: Any) -> int:
        size, found = self.nbytes(), key + self.nbytes() if key < 0 else key
        if not 0 <= found < size:
            problem = "out of bounds: " if error is RuntimeError else ""
            raise error(f"{problem}index {found} out of range for storage of size {size}")
        return found

    def fill_(self, value: int) -> Self:
        """Set all bytes to an int, modulo 256. RuntimeError for another type."""
        self._memory.fill_(byte("fill_ expects int, but got {}", value))
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Self:
        """Take over the bytes of a storage of the same size.

        TypeError for what is no storage, RuntimeError for one of another size.
        """
        if not is_storage(source):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type(source).__name__}")
        source = source.untyped()
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._memory.copy_(source._memory)
        return self

    def byteswap(self, dtype: Any) -> None:
        """Reverse the bytes of each element of a dtype, in place; of complex numbers those of each part.

        RuntimeError for what is no dtype, and where the bytes are no whole number of elements.
        """
        check_dtype(dtype)
        size = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        if self.nbytes() % size:
            raise RuntimeError(f"the length of data is not a multiple of {size}")
        if size > 1:
            self._memory.copy_(self._memory.reshape(-1, size).flip(1).reshape(-1))

    # ---- memory
    def resize_(self, size: Any) -> Self:
        """Give the storage so many bytes; those that fit stay, new ones are not set. The memory is another one then.

        The tensor that it was asked of gets it too. RuntimeError where other tensors or arrays look into the memory,
        which would be left behind, where it belongs to somebody else, and where the tensor would reach beyond it.

        >>> import wengert as wg
        >>> x = wg.ones(2)
        >>> x.untyped_storage().resize_(16).nbytes(), x
        (16, tensor([1., 1.]))
        """
        if not hasattr(type(size), "__index__") or isinstance(size, Tensor):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        size = index(size)
        if size < 0:
            raise RuntimeError(f"resize_: the size must not be negative, as alloc_cpu() has no negative number: {size}")
        if size != self.nbytes():
            self._move(OPS["empty"](size, dtype=ALL["uint8"], device=self.device))
        return self

    def _move(self, room: Tensor) -> None:
        """Let the bytes lie in another memory."""
        move_memory(self._memory, room, self._tensor())
        if self.nbytes():
            STORAGES[self.data_ptr()] = self

    def share_memory_(self) -> Self:
        """Move the bytes to memory that processes share which are forked from now on; what is there already stays.

        RuntimeError where other tensors or arrays look into the memory; TypeError on a device.
        """
        share(self)
        return self

    def clone(self) -> Self:
        """Return a storage with a copy of the bytes."""
        return self._of(self._memory.clone())

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = self.clone()
        return memo[id(self)]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return UntypedStorage, (self.tolist(),)

    def new(self) -> Self:
        """Return an empty storage."""
        return self._of(bytes_of(0, self.device))

    def cpu(self) -> Self:
        """Return the bytes in the memory of the host; the storage itself where they are there."""
        return self if self.device.type == "cpu" else self._of(self._memory.cpu())

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Self:
        """Return the bytes on a CUDA device."""
        return self._of(self._memory.cuda(device))

    def to(self, *, device: Any, non_blocking: bool = False) -> Self:
        """Return the bytes on a device; the storage itself where they are there."""
        moved = self._memory.to(device)
        return self if moved is self._memory else self._of(moved)

    def pin_memory(self, device: Any = "cuda") -> Self:
        """Return the bytes in pinned memory of the host."""
        return self._of(self._memory.pin_memory())

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        return f" {lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def converting(name: str, target: str) -> Any:
    """Return the method that gives the bytes as numbers of another dtype."""

    def convert(self: UntypedStorage) -> Any:
        from wengert_core.api.typed_storage import TypedStorage

        return TypedStorage._of(UntypedStorage._of(whole_memory(self._memory.to(ALL[target]))), ALL[target])

    convert.__name__, convert.__qualname__ = name, f"UntypedStorage.{name}"
    convert.__doc__ = f"Return a TypedStorage of {target} with the bytes as numbers."
    return convert


for _name, _target in NAMES.items():
    setattr(UntypedStorage, _name, converting(_name, _target))


# ---- reading arguments
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


def one_step(key: slice) -> bool:
    """Return True; RuntimeError for a slice with another step than 1."""
    step = 1 if key.step is None else index(key.step)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return True


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


# ---- of tensors
def is_storage(obj: Any) -> bool:
    """Return whether an object is a storage, with or without a dtype.

    >>> import wengert as wg
    >>> wg.is_storage(wg.ones(1).untyped_storage()), wg.is_storage([1])
    (True, False)
    """
    if isinstance(obj, UntypedStorage):
        return True
    from wengert_core.api.typed_storage import TypedStorage

    return isinstance(obj, TypedStorage)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the one storage of a tensor's memory; it knows of this tensor from now on."""
    if not is_strided_tensor(self):
        raise NotImplementedError(f"Cannot access storage of {layout_of(self)._words}TensorImpl: a tensor of layout "
                                  f"{layout_of(self)!r} has none of its own")
    memory = whole_memory(self)
    address = memory.data_ptr()
    found = STORAGES.get(address)
    if found is None or found.data_ptr() != address or found.nbytes() != memory.numel():
        found = UntypedStorage._of(memory)
    if looks_into(found._memory, self):
        found._looker = ref(self)
    return found


def is_shared(self: Tensor) -> bool:
    """Return whether a tensor lies in memory that forked processes share."""
    owner = owner_of(self)
    base = getattr(owner, "base", None)
    return isinstance(getattr(base, "obj", base), mmap.mmap)


def share(storage: UntypedStorage) -> None:
    """Move a storage to memory that forked processes share."""
    if storage.device.type != "cpu":
        raise TypeError(f"share_memory_(): the memory of {storage.device} is not the host's; expected one on the CPU")
    if not storage.is_shared() and storage.nbytes():
        storage._move(from_numpy(np.frombuffer(mmap.mmap(-1, storage.nbytes()), np.uint8)))


def share_memory(self: Tensor) -> Tensor:
    """Move the tensor's memory to where processes that are forked from now on share it; return the tensor itself.

    RuntimeError where other tensors or arrays look into the memory; TypeError on a device.
    """
    if not is_shared(self):
        share(untyped_storage(self))
    return self


def source_of(source: Any, kind: Any) -> UntypedStorage | None:
    """Return the storage that set_() was given, None for what is none; RuntimeError for one of another dtype."""
    if isinstance(source, Tensor):
        return untyped_storage(source)
    if not is_storage(source):
        return None
    if not isinstance(source, UntypedStorage) and source.dtype is not kind:
        raise RuntimeError(
            f"Expected a Storage of type {kind} or an UntypedStorage, but got type {source.dtype} for argument 1 "
            "'storage'"
        )
    return source.untyped()  # type: ignore[no-any-return]
