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

from wengert_core.api.storage_arguments import LEGACY_NAMES, NEW_NAME, check_dtype, is_size
from wengert_core.api.storage_bytes import add_conversions
from wengert_core.api.storage_refusals import refusals
from wengert_core.api.untyped_storage import UntypedStorage, constant, is_storage, untyped_storage
from wengert_core.devices.device import device as _device
from wengert_core.dispatch.exact_values import every_item
from wengert_core.drivers.resize import whole_memory
from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import dtype, get_default_dtype
from wengert_core.optable.lazy_names import OPS
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

__all__ = ["TypedStorage"]


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

    __slots__ = ("__weakref__", "_dtype", "_untyped_storage")

    def __init__(self, *args: Any, device: Any = None, dtype: Any = None, wrap_storage: Any = None,
                 _internal: bool = False) -> None:
        if not _internal:
            warn_of_removal()
        if wrap_storage is not None and dtype is None:
            raise RuntimeError("TypedStorage.__init__ received an invalid combination of arguments. Argument 'dtype' "
                               "must be given with wrap_storage")
        kind = get_default_dtype() if dtype is None else dtype
        check_dtype(kind)
        self._dtype, self._untyped_storage = kind, whole(args, kind, device, wrap_storage, "TypedStorage.__init__")

    @classmethod
    def _of(cls, untyped: UntypedStorage, kind: Any) -> TypedStorage:
        return TypedStorage(wrap_storage=untyped, dtype=kind, _internal=True)

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, device: Any = None, **kwargs: Any) -> TypedStorage:
        """Return a storage with a copy of a part of a buffer: see UntypedStorage.from_buffer.

        dtype: by default the default dtype. RuntimeError for one asked of FloatStorage and its kin, and for a device.
        """
        warn_of_removal()
        return cls._from_buffer(*args, dtype=dtype, device=device, **kwargs)

    @classmethod
    def _from_buffer(cls, *args: Any, dtype: Any = None, device: Any = None, **kwargs: Any) -> TypedStorage:
        args, dtype = (args[:4], args[4]) if len(args) == 5 else (args, dtype)
        if cls is not TypedStorage:
            for name, value in (("dtype", dtype), ("device", device)):
                if value is not None:
                    raise RuntimeError(f"from_buffer: '{name}' can only be specified in UntypedStorage.from_buffer and "
                                       f"TypedStorage.from_buffer, but {cls.__name__} got {value}")
        if device is not None and _device(device).type != "cpu":
            raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {_device(device).type}")
        kind = own_dtype(cls) or (get_default_dtype() if dtype is None else dtype)
        return cls._of(UntypedStorage.from_buffer(*args, **(kwargs | {"dtype": kind})), kind)

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage:
        """Return a storage on the first ``size`` elements of a file: see UntypedStorage.from_file.

        It is asked of FloatStorage and its kin; RuntimeError for TypedStorage itself, which has no dtype.
        """
        warn_of_removal()
        kind = own_dtype(cls)
        if kind is None:
            raise RuntimeError("from_file can only be called on derived classes, such as FloatStorage: TypedStorage "
                               "has no dtype; use UntypedStorage.from_file()")
        return cls._of(UntypedStorage.from_file(filename, shared, index(size) * kind.itemsize), kind)

    def _new_shared(self, size: int, *, device: Any = None) -> TypedStorage:
        """Return a storage of zeros that processes share which are forked from now on."""
        untyped = UntypedStorage._new_shared(size * self.element_size(), device="cpu" if device is None else device)
        return self._of(untyped, self._dtype)

    def _as_tensor(self, dtype: Any = None) -> Tensor:
        """Return the elements as a tensor on the same memory. dtype: not looked at."""
        return self._untyped_storage._as_tensor(self._dtype)

    # ---- facts
    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def device(self) -> _device:
        """The device of the memory."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self._untyped_storage.is_cuda

    is_hpu: bool = constant(False, "False: this kind of storage does not exist.")
    is_sparse: bool = is_hpu

    @property
    def filename(self) -> str | None:
        """The file that writes go to: see UntypedStorage.filename."""
        return self._untyped_storage.filename

    @property
    def _cdata(self) -> int:
        """A number that tells storages apart while they are alive."""
        return self._untyped_storage._cdata

    def untyped(self) -> UntypedStorage:
        """Return the storage without a dtype on the same memory."""
        return self._untyped_storage

    def size(self) -> int:
        """Return the number of elements."""
        return self._untyped_storage.nbytes() // self._dtype.itemsize

    __len__ = _size = size

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Return the bytes of an element."""
        return int(self._dtype.itemsize)

    _element_size = element_size

    _nbytes = nbytes

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return self._untyped_storage.data_ptr()

    _data_ptr = data_ptr

    def get_device(self) -> int | None:
        """Return the number of the device; None for the CPU, as PyTorch does of storages."""
        return self._untyped_storage.get_device()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the legacy class; with a dtype the elements converted to it."""
        return f"torch.{LEGACY_NAMES.get(self._dtype, NEW_NAME)}" if dtype is None else self._to(dtype)

    def pickle_storage_type(self) -> str:
        """Return the name of the legacy class without its module. KeyError for a dtype that has none."""
        if self._dtype not in LEGACY_NAMES:
            raise KeyError(f"dtype {self._dtype} is not recognized")
        return LEGACY_NAMES[self._dtype]

    _pickle_storage_type = pickle_storage_type

    def _get_legacy_storage_class(self) -> Any:
        """Return the legacy class with the dtype; None where none has it."""
        from wengert_core.api.legacy_storages import TYPES

        return TYPES.get(LEGACY_NAMES.get(self._dtype, ""))

    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is pinned."""
        return self._untyped_storage.is_pinned()

    def is_shared(self) -> bool:
        """Return whether processes that are forked from now on share the memory."""
        return self._untyped_storage.is_shared()

    _is_shared = is_shared

    def resizable(self) -> bool:
        """Return whether ``resize_`` may give it other memory: see UntypedStorage.resizable."""
        return self._untyped_storage.resizable()

    # ---- elements
    def tolist(self) -> list[Any]:
        """Return the elements as Python numbers."""
        return self._as_tensor().tolist()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if isinstance(key, bool):
            raise TypeError(f"can't index a {TypedStorage} with {bool}")
        self._check_key(key)
        found = index(key) + self.size() if index(key) < 0 else index(key)
        if not 0 <= found < self.size():
            raise IndexError(f"index {found} out of range for storage of size {self.size()}")
        return self._as_tensor()[found].item()

    _getitem = __getitem__

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            self._check_key(key)
        self._check_value(value)
        self._as_tensor()[key] = value

    _setitem = __setitem__

    def _check_key(self, key: Any) -> None:
        if not hasattr(builtin_type(key), "__index__") or isinstance(key, Tensor):
            raise RuntimeError(f"can't index a {TypedStorage} with {builtin_type(key)}")

    def _check_value(self, value: Any) -> None:
        if isinstance(value, str):
            raise TypeError(f"can't assign a str to a torch.{CPP_NAMES[self._dtype.name]}Tensor")
        if is_storage(value):
            raise RuntimeError(f"cannot set item with value type {builtin_type(value)}")

    def fill_(self, value: Any) -> Self:
        """Set all elements to a number."""
        self._check_value(value)
        self._as_tensor().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Self:
        """Take over the bytes of a storage of the same number of bytes, whatever its dtype."""
        self._untyped_storage.copy_(source)
        return self

    # ---- memory
    def resize_(self, size: int) -> None:
        """Give the storage so many elements: see UntypedStorage.resize_."""
        if not hasattr(builtin_type(size), "__index__"):
            raise RuntimeError(f"resize_ expects an int, but got {builtin_type(size).__name__}")
        self._untyped_storage.resize_(index(size) * self.element_size())

    _resize_ = resize_

    def share_memory_(self) -> Self:
        """Move the memory to where forked processes share it: see UntypedStorage.share_memory_."""
        self._untyped_storage.share_memory_()
        return self

    _share_memory_ = share_memory_

    def clone(self) -> TypedStorage:
        """Return a storage with a copy of the elements."""
        return self._of(self._untyped_storage.clone(), self._dtype)

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> TypedStorage:
        return self._of(self._untyped_storage.__deepcopy__(memo), self._dtype)

    _deepcopy = __deepcopy__

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_storage, (self._untyped_storage, self._dtype)

    def cpu(self) -> TypedStorage:
        """Return the elements in the memory of the host."""
        return self._of(self._untyped_storage.cpu(), self._dtype)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """Return the elements on a CUDA device."""
        return self._of(self._untyped_storage.cuda(device), self._dtype)

    def hpu(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """Return the elements on an HPU device, which a package has to provide."""
        return self._of(self._untyped_storage.hpu(device), self._dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """Return the elements on a device."""
        return self._of(self._untyped_storage.to(device=device), self._dtype)

    def pin_memory(self, device: Any = "cuda") -> TypedStorage:
        """Return the elements in pinned memory of the host."""
        return self._of(self._untyped_storage.pin_memory(), self._dtype)

    def _new_wrapped_storage(self, untyped_storage: UntypedStorage) -> TypedStorage:
        """Return a storage of the same dtype on other memory."""
        return self._of(untyped_storage, self._dtype)

    def _write_file(self, file: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        """Write the bytes to a file: see UntypedStorage."""
        self._untyped_storage._write_file(file, is_real_file, save_size, element_size)

    def _set_from_file(self, *args: Any) -> UntypedStorage:
        """Take over bytes from a file: see UntypedStorage."""
        return self._untyped_storage._set_from_file(*args)

    def _to(self, target: Any) -> TypedStorage:
        """Return the elements converted to another dtype. TypeError for what is no dtype."""
        if not isinstance(target, dtype):
            raise TypeError(f"Argument 'dtype' must be torch.dtype, not {builtin_type(target)}")
        return self._of(UntypedStorage._of(whole_memory(self._as_tensor().to(target, copy=True))), target)

    def __repr__(self) -> str:
        lines = "\n ".join(map(str, self.tolist()))
        kind = f"torch.storage.TypedStorage(dtype={self._dtype}, device={self.device})"
        return f" {lines}\n[{kind} of size {self.size()}]"


builtin_type = type


add_conversions(TypedStorage, "TypedStorage", "a storage of {} with the elements converted")


for _name, _method in refusals():
    setattr(TypedStorage, _name, _method)


def own_dtype(cls: Any) -> dtype | None:
    """Return the dtype of FloatStorage and its kin; None for TypedStorage."""
    return None if cls is TypedStorage else cls.dtype


def typed_storage(self: Tensor) -> TypedStorage:
    """Return the tensor's memory as a TypedStorage of its dtype, without a warning."""
    return TypedStorage._of(self.untyped_storage(), self.dtype)


def storage_method(self: Tensor) -> TypedStorage:
    """Return the tensor's memory as a TypedStorage of its dtype. PyTorch calls it deprecated: use untyped_storage()."""
    warn_of_removal()
    return typed_storage(self)


def restore_storage(untyped: UntypedStorage, kind: Any) -> TypedStorage:
    """Return a storage that was pickled."""
    return TypedStorage._of(untyped, kind)
