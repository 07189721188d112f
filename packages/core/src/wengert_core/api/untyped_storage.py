"""Storages: the memory that tensors lie in, as a sequence of bytes.

Note [A storage is a tensor of bytes]
    ``UntypedStorage`` holds a tensor of bytes on the whole memory, so whatever it does is done by operations on
    tensors, on every device, and raises the version that its tensors share. One object stands for one memory
    (``STORAGES``, by address and size), also for a part of a storage, which keeps the whole alive. To get other memory
    is the one thing that looks at who else is there: Note [Memory that grows] in drivers/resize.pyx.
"""

from __future__ import annotations

import copy
from operator import index
from typing import Any, Self
from weakref import WeakValueDictionary, ref

from wengert_core.api.storage_arguments import bytes_of, read_buffer
from wengert_core.api.storage_bytes import StorageBytes
from wengert_core.api.storage_files import map_file, mapping_of, read_bytes, shared_bytes
from wengert_core.api.storage_refusals import refusals
from wengert_core.devices.device import device as _device
from wengert_core.devices.layout import layout_of
from wengert_core.drivers.resize import looks_into, memory_identity, move_memory, whole_memory, why_not_movable
from wengert_core.dtypes.dtypes import ALL
from wengert_core.optable.lazy_names import OPS
from wengert_core.tensors.facts import tell_fact
from wengert_core.tensors.tensor import Tensor, is_strided_tensor

__all__ = ["UntypedStorage", "is_storage"]

STORAGES: WeakValueDictionary[tuple[int, int], UntypedStorage] = WeakValueDictionary()
"""The storages that are alive, by the address and size of their memory."""


def constant(value: Any, doc: str) -> Any:
    """Return a property that is always ``value``."""
    return property(lambda self: value, doc=doc)


class UntypedStorage(StorageBytes):
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
        """Stand for these bytes, unless another object does, as for all of a storage that is sliced from end to end."""
        self._memory, self._looker = memory, None
        if memory.numel() and standing_for(memory) is None:
            STORAGES[memory.data_ptr(), memory.numel()] = self

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
        return cls._of(OPS["tensor"](read_buffer(buffer, byte_order, count, offset, dtype), device="cpu"))

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> Self:
        """Return a storage on the first ``nbytes`` bytes of a file.

        shared: whether writes go to the file, which is made, and made longer, where that is needed; if not, the file
        must have the bytes, and stays as it is.   TypeError or RuntimeError as from ``wengert.from_file``.

        >>> import tempfile
        >>> import wengert as wg
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     wg.UntypedStorage.from_file(file.name, True, 2).fill_(7).tolist(), list(file.read())
        ([7, 7], [7, 7])
        """
        if not isinstance(filename, str):
            raise TypeError(f"from_file(): argument 1 must be str, not {type(filename).__name__}")
        return cls._of(map_file(filename, bool(shared), index(nbytes)))

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = "cpu") -> Self:
        """Return a storage of zeros that processes share which are forked from now on; on a device its own memory."""
        return cls._of(shared_bytes(index(size)) if _device(device).type == "cpu" else bytes_of(size, device))

    _new_using_fd_cpu = _new_using_filename_cpu = _new_shared

    @classmethod
    def _new_with_file(cls, file: Any, element_size: int) -> Self:
        """Return the storage that ``_write_file`` wrote, from where the file is read."""
        return cls.from_buffer(read_bytes(file, element_size), dtype=ALL["uint8"])

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

    @property
    def filename(self) -> str | None:
        """The file that writes go to; None for a storage that is no file, or whose file does not change with it."""
        mapping = mapping_of(self._memory)
        return None if mapping is None else mapping.filename

    def _get_filename(self) -> str | None:
        return self.filename

    @property
    def _cdata(self) -> int:
        """A number that tells storages apart while they are alive; it changes where the storage gets other memory."""
        return memory_identity(self._memory)

    def size(self) -> int:
        """Return the number of bytes."""
        return self.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __len__(self) -> int:
        """Return the number of bytes."""
        return self._memory.numel()

    def element_size(self) -> int:
        """Return 1: an element is a byte."""
        return 1

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return self._memory.data_ptr()

    def get_device(self) -> int | None:
        """Return the number of the device; None for the CPU, as PyTorch does of storages."""
        return self.device.index

    def type(self) -> str:
        """Return the name of the class."""
        return "torch.storage.UntypedStorage"

    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is pinned."""
        return bool(self._memory.is_pinned())

    def is_shared(self) -> bool:
        """Return whether processes that are forked from now on share the memory."""
        return mapping_of(self._memory) is not None

    def resizable(self) -> bool:
        """Return whether ``resize_`` may give it other memory: none but the tensor it was asked of looks into it."""
        return why_not_movable(self._memory, self._tensor()) is None

    def untyped(self) -> Self:
        """Return the storage itself."""
        return self

    def _tensor(self) -> Tensor | None:
        return None if self._looker is None else self._looker()

    # ---- copies
    def copy_(self, src: Any, non_blocking: bool | None = None) -> Self:
        """Take over the bytes of a storage of the same size.

        TypeError for what is no storage, RuntimeError for one of another size.
        """
        if not is_storage(src):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type(src).__name__}")
        source = src.untyped()
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._memory.copy_(source._memory)
        return self

    def _set_from_file(self, file: Any, offset: int | None, is_real_file: bool, element_size: int) -> Self:
        """Take over the bytes that ``_write_file`` wrote with their number. offset: where in the file they begin.

        RuntimeError for another number of bytes.
        """
        if offset is not None:
            file.seek(offset)
        return self.copy_(self.from_buffer(read_bytes(file, element_size), dtype=ALL["uint8"]))

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
            STORAGES[self.data_ptr(), self.nbytes()] = self

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
        """Return a copy, which the copies of tensors on the storage share, as copy.deepcopy gives them."""
        if id(self) not in memo:
            memory = whole_memory(copy.deepcopy(self._memory, memo))
            found = standing_for(memory)
            memo[id(self)] = self._of(memory) if found is None else found
        return memo[id(self)]  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        place = () if self.device.type == "cpu" else (str(self.device),)
        return restore_bytes, (type(self), self._memory.cpu().numpy().tobytes(), *place)

    def new(self) -> UntypedStorage:
        """Return an empty storage."""
        return UntypedStorage._of(bytes_of(0, self.device))

    def cpu(self) -> Self:
        """Return the bytes in the memory of the host; the storage itself where they are there."""
        return self if self.device.type == "cpu" else self._of(self._memory.cpu())

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Self:
        """Return the bytes on a CUDA device."""
        return self._of(self._memory.cuda(device))

    def hpu(self, device: Any = None, non_blocking: bool = False) -> Self:
        """Return the bytes on an HPU device, which a package has to provide."""
        return self.to(device="hpu" if device is None else f"hpu:{device}")

    def mps(self) -> Self:
        """Return the bytes on the MPS device, which a package has to provide."""
        return self.to(device="mps")

    def to(self, *, device: Any, non_blocking: bool = False) -> Self:
        """Return the bytes on a device; the storage itself where they are there."""
        moved = self._memory.to(device)
        return self if moved is self._memory else self._of(moved)

    def pin_memory(self, device: Any = "cuda") -> Self:
        """Return the bytes in pinned memory of the host."""
        return self._of(self._memory.pin_memory())


for _name, _method in refusals():
    setattr(UntypedStorage, _name, _method)


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
    tell_fact(self, "untyped_storage()")
    memory = whole_memory(self)
    found = standing_for(memory)
    if found is None:
        found = UntypedStorage._of(memory)
    if looks_into(found._memory, self):
        found._looker = ref(self)
    return found


def standing_for(memory: Tensor) -> UntypedStorage | None:
    """Return the storage that stands for these bytes already; None where none does."""
    place = memory.data_ptr(), memory.numel()
    found = STORAGES.get(place)
    return found if found is not None and (found.data_ptr(), found.nbytes()) == place else None


def restore_bytes(cls: type[UntypedStorage], data: bytes, place: str | None = None) -> UntypedStorage:
    """Return a storage that was pickled. place: the device it was on."""
    storage = cls.from_buffer(data, dtype=ALL["uint8"])
    return storage if place is None else storage.to(device=place)


def is_shared(self: Tensor) -> bool:
    """Return whether a tensor lies in memory that forked processes share."""
    return mapping_of(self) is not None


def share(storage: UntypedStorage) -> None:
    """Move a storage to memory that forked processes share."""
    if storage.device.type != "cpu":
        raise TypeError(f"share_memory_(): the memory of {storage.device} is not the host's; expected one on the CPU")
    if not storage.is_shared() and storage.nbytes():
        storage._move(shared_bytes(storage.nbytes()))


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
