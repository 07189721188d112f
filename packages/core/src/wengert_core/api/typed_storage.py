"""Storages with a dtype: TypedStorage, and FloatStorage, LongStorage and their kin. PyTorch calls them deprecated.

>>> import warnings
>>> from wengert_core import ones
>>> with warnings.catch_warnings(record=True) as caught:
...     warnings.simplefilter("always")
...     ones(2).storage()
 1.0
 1.0
[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]
>>> [warning.category.__name__ for warning in caught]
['UserWarning']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, Self

from wengert_core.api.untyped_storage import NAMES, UntypedStorage, check_dtype, constant, is_size, untyped_storage
from wengert_core.devices.device import device as _device
from wengert_core.dispatch.exact_values import every_item
from wengert_core.drivers.resize import whole_memory
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import ALL, dtype, get_default_dtype
from wengert_core.optable.lazy_names import OPS
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

__all__ = ["TypedStorage"]

LEGACY = {
    "BFloat16": "bfloat16", "Bool": "bool", "Byte": "uint8", "Char": "int8", "ComplexDouble": "complex128",
    "ComplexFloat": "complex64", "Double": "float64", "Float": "float32", "Half": "float16", "Int": "int32",
    "Long": "int64", "Short": "int16",
}  # fmt: skip
"""The legacy classes' names without "Storage", and their dtypes."""
LEGACY_NAMES = {ALL[kind]: f"{name}Storage" for name, kind in LEGACY.items()}
NEW_NAME = "storage.TypedStorage"
"""The type of storages of dtypes that no legacy class is for."""


def warn_of_removal() -> None:
    """Warn of storages with a dtype, as PyTorch does."""
    warn_user(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()"
    )


def whole(args: tuple[Any, ...], kind: Any, device: Any, wrapped: Any, name: str) -> UntypedStorage:
    """Return the storage without a dtype that a call of a class means."""
    refusal = f"{name} received an invalid combination of arguments"
    if wrapped is not None:
        if args or device is not None:
            raise RuntimeError(f"{refusal}. No positional argument and no device may be given with wrap_storage")
        if not isinstance(wrapped, UntypedStorage):
            raise TypeError(f"{refusal}. Argument wrap_storage must be UntypedStorage, but got {type(wrapped)}")
        return wrapped
    if len(args) > 1:
        raise RuntimeError(f"{refusal}. Expected a size, a sequence or nothing, but got {len(args)} arguments")
    if not args or (is_size(args[0]) and not isinstance(args[0], Tensor)):
        size = index(args[0]) if args else 0
        if size < 0:
            raise RuntimeError(f"{refusal}: the size must not be negative, but is {size}")
        return UntypedStorage(size * kind.itemsize, device=device)
    if not isinstance(args[0], Sequence):
        raise TypeError(f"{refusal}. Argument type not recognized: {type(args[0])}")
    if isinstance(args[0], (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(args[0]).__name__}'")
    return untyped_storage(OPS["tensor"](every_item(args[0]), dtype=kind, device=device))


class TypedStorage:
    """Memory as a sequence of numbers of one dtype. It is deprecated in PyTorch, and warns as there.

    ``TypedStorage(size or sequence, dtype=, device=)``, or ``TypedStorage(wrap_storage=untyped, dtype=)`` on the same
    memory. dtype: the default dtype where it is left out.   TypeError or RuntimeError for other arguments.
    """

    __slots__ = ("_dtype", "_untyped")

    def __init__(self, *args: Any, device: Any = None, dtype: Any = None, wrap_storage: Any = None,
                 _internal: bool = False) -> None:
        if not _internal:
            warn_of_removal()
        if wrap_storage is not None and dtype is None:
            raise RuntimeError("TypedStorage.__init__ received an invalid combination of arguments. Argument 'dtype' "
                               "must be given with wrap_storage")
        kind = get_default_dtype() if dtype is None else dtype
        check_dtype(kind)
        self._dtype, self._untyped = kind, whole(args, kind, device, wrap_storage, "TypedStorage.__init__")

    @classmethod
    def _of(cls, untyped: UntypedStorage, kind: Any) -> TypedStorage:
        return TypedStorage(wrap_storage=untyped, dtype=kind, _internal=True)

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        """Return a storage with a copy of a part of a buffer: see UntypedStorage.from_buffer."""
        warn_of_removal()
        kind = kwargs.get("dtype", args[4] if len(args) > 4 else None)
        return cls._of(UntypedStorage.from_buffer(*args, **kwargs), kind)

    def _as_tensor(self) -> Tensor:
        """Return the elements as a tensor on the same memory."""
        memory = self._untyped._memory
        return memory[: self.size() * self._dtype.itemsize].view(self._dtype)

    # ---- facts
    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def device(self) -> _device:
        """The device of the memory."""
        return self._untyped.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self._untyped.is_cuda

    is_hpu: bool = constant(False, "False: this kind of storage does not exist.")
    is_sparse: bool = is_hpu
    filename: None = constant(None, "None: no storage is a file.")

    def untyped(self) -> UntypedStorage:
        """Return the storage without a dtype on the same memory."""
        return self._untyped

    def size(self) -> int:
        """Return the number of elements."""
        return self._untyped.nbytes() // self._dtype.itemsize

    __len__ = size

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """Return the bytes of an element."""
        return int(self._dtype.itemsize)

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return self._untyped.data_ptr()

    def get_device(self) -> int:
        """Return the number of the device; -1 for the CPU."""
        return self._untyped.get_device()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the legacy class; with a dtype the elements converted to it."""
        return f"torch.{LEGACY_NAMES.get(self._dtype, NEW_NAME)}" if dtype is None else self._convert(dtype)

    def pickle_storage_type(self) -> str:
        """Return the name of the legacy class without its module. KeyError for a dtype that has none."""
        if self._dtype not in LEGACY_NAMES:
            raise KeyError(f"dtype {self._dtype} is not recognized")
        return LEGACY_NAMES[self._dtype]

    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is pinned."""
        return self._untyped.is_pinned()

    def is_shared(self) -> bool:
        """Return whether processes that are forked from now on share the memory."""
        return self._untyped.is_shared()

    def resizable(self) -> bool:
        """Return whether ``resize_`` may give it other memory: see UntypedStorage.resizable."""
        return self._untyped.resizable()

    # ---- elements
    def tolist(self) -> list[Any]:
        """Return the elements as Python numbers."""
        return self._as_tensor().tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        self._check_key(key)
        found = index(key) + self.size() if index(key) < 0 else index(key)
        if not 0 <= found < self.size():
            raise IndexError(f"index {found} out of range for storage of size {self.size()}")
        return self._as_tensor()[found].item()

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            self._check_key(key)
        self._check_value(value)
        self._as_tensor()[key] = value

    def _check_key(self, key: Any) -> None:
        if not hasattr(builtin_type(key), "__index__"):
            raise RuntimeError(f"can't index a {TypedStorage} with {builtin_type(key)}")

    def _check_value(self, value: Any) -> None:
        if isinstance(value, str):
            raise TypeError(f"can't assign a str to a torch.{CPP_NAMES[self._dtype.name]}Tensor")

    def fill_(self, value: Any) -> Self:
        """Set all elements to a number."""
        self._check_value(value)
        self._as_tensor().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Self:
        """Take over the bytes of a storage of the same number of bytes, whatever its dtype."""
        self._untyped.copy_(source)
        return self

    # ---- memory
    def resize_(self, size: int) -> None:
        """Give the storage so many elements: see UntypedStorage.resize_."""
        if not hasattr(builtin_type(size), "__index__"):
            raise RuntimeError(f"resize_ expects an int, but got {builtin_type(size).__name__}")
        self._untyped.resize_(index(size) * self.element_size())

    def share_memory_(self) -> Self:
        """Move the memory to where forked processes share it: see UntypedStorage.share_memory_."""
        self._untyped.share_memory_()
        return self

    def clone(self) -> TypedStorage:
        """Return a storage with a copy of the elements."""
        return self._of(self._untyped.clone(), self._dtype)

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> TypedStorage:
        return self._of(self._untyped.__deepcopy__(memo), self._dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_storage, (self._untyped, self._dtype)

    def cpu(self) -> TypedStorage:
        """Return the elements in the memory of the host."""
        return self._of(self._untyped.cpu(), self._dtype)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """Return the elements on a CUDA device."""
        return self._of(self._untyped.cuda(device), self._dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """Return the elements on a device."""
        return self._of(self._untyped.to(device=device), self._dtype)

    def pin_memory(self, device: Any = "cuda") -> TypedStorage:
        """Return the elements in pinned memory of the host."""
        return self._of(self._untyped.pin_memory(), self._dtype)

    def _convert(self, target: Any) -> TypedStorage:
        return self._of(UntypedStorage._of(whole_memory(self._as_tensor().to(target, copy=True))), target)

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        kind = f"torch.storage.TypedStorage(dtype={self._dtype}, device={self.device})"
        return f" {lines}\n[{kind} of size {self.size()}]"


builtin_type = type


def converting(name: str, target: str) -> Any:
    """Return the method that converts the elements to another dtype."""

    def convert(self: TypedStorage) -> TypedStorage:
        return self._convert(ALL[target])

    convert.__name__, convert.__qualname__ = name, f"TypedStorage.{name}"
    convert.__doc__ = f"Return a storage of {target} with the elements converted."
    return convert


for _name, _target in NAMES.items():
    setattr(TypedStorage, _name, converting(_name, _target))


def restore_storage(untyped: UntypedStorage, kind: Any) -> TypedStorage:
    """Return a storage that was pickled."""
    return TypedStorage._of(untyped, kind)


class storagetype(type):
    """The type of FloatStorage and its kin: a TypedStorage is an instance when it has the dtype."""

    dtype: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, wrap_storage: Any = None, **kwargs: Any) -> TypedStorage:
        """A TypedStorage of this dtype, from a size, a sequence or another storage's memory."""
        warn_of_removal()
        if kwargs:
            raise RuntimeError(f"{cls}.__new__ received an invalid combination of arguments. Keyword argument "
                               f"'{next(iter(kwargs))}' cannot be specified")
        return TypedStorage._of(whole(args, cls.dtype, None, wrap_storage, f"{cls}.__new__"), cls.dtype)

    def from_buffer(cls, buffer: Any, byte_order: Any = None, count: int = -1, offset: int = 0) -> TypedStorage:
        """Return a storage with a copy of a part of a buffer: see UntypedStorage.from_buffer."""
        return TypedStorage.from_buffer(buffer, byte_order, count, offset, cls.dtype)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


TYPES: dict[str, storagetype] = {
    f"{name}Storage": storagetype(f"{name}Storage", (), {"dtype": ALL[kind]}) for name, kind in LEGACY.items()
}
"""FloatStorage, LongStorage and their kin by name."""
Storage = TYPES["FloatStorage"]


def storage_method(self: Tensor) -> TypedStorage:
    """Return the tensor's memory as a TypedStorage of its dtype. PyTorch calls it deprecated: use untyped_storage()."""
    warn_of_removal()
    return TypedStorage._of(self.untyped_storage(), self.dtype)


def storage_type(self: Tensor) -> storagetype | type[TypedStorage]:
    """Return the class of storages with the tensor's dtype: FloatStorage of float32; TypedStorage if it has none."""
    return TYPES[LEGACY_NAMES[self.dtype]] if self.dtype in LEGACY_NAMES else TypedStorage


