"""FloatStorage, LongStorage and their kin: classes that make a TypedStorage of one dtype.

>>> import wengert as wg
>>> wg.ones(1).storage_type(), wg.LongStorage.dtype
(<class 'torch.FloatStorage'>, torch.int64)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert_core.api.storage_arguments import LEGACY, LEGACY_NAMES
from wengert_core.api.typed_storage import TypedStorage, warn_of_removal, whole
from wengert_core.api.untyped_storage import UntypedStorage
from wengert_core.dtypes.dtypes import ALL, dtype
from wengert_core.tensors.tensor import Tensor


class storagetype(type):
    """The type of FloatStorage and its kin: a TypedStorage is an instance when it has the dtype."""

    dtype: dtype

    if TYPE_CHECKING:  # the classes have these from TypedStorage

        def from_buffer(cls, buffer: Any, byte_order: Any = None, count: int = -1, offset: int = 0) -> TypedStorage: ...

        def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage: ...

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, wrap_storage: Any = None, **kwargs: Any) -> TypedStorage:
        """A TypedStorage of this dtype, from a size, a sequence or another storage's memory."""
        warn_of_removal()
        if kwargs:
            raise RuntimeError(f"{cls}.__new__ received an invalid combination of arguments. Keyword argument "
                               f"'{next(iter(kwargs))}' cannot be specified")
        return TypedStorage._of(whole(args, cls.dtype, None, wrap_storage, f"{cls}.__new__"), cls.dtype)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def new_shared(cls: Any, size: int) -> TypedStorage:
    """Return a storage of zeros that processes share which are forked from now on."""
    return TypedStorage._of(UntypedStorage._new_shared(size * cls.dtype.itemsize), cls.dtype)


def legacy_class(name: str, kind: dtype) -> storagetype:
    """Return a class that makes storages of a dtype; it has the methods of TypedStorage, as PyTorch's have."""
    body = {"__module__": "wengert_core", "__slots__": (), "dtype": kind, "_dtype": kind}
    return storagetype(name, (TypedStorage,), body | {"_new_shared": classmethod(new_shared)})


TYPES: dict[str, storagetype] = {
    f"{name}Storage": legacy_class(f"{name}Storage", ALL[kind]) for name, kind in LEGACY.items()
}
"""FloatStorage, LongStorage and their kin by name."""
Storage = TYPES["FloatStorage"]


def storage_type(self: Tensor) -> storagetype | type[TypedStorage]:
    """Return the class of storages with the tensor's dtype: FloatStorage of float32; TypedStorage if it has none."""
    return TYPES[LEGACY_NAMES[self.dtype]] if self.dtype in LEGACY_NAMES else TypedStorage


