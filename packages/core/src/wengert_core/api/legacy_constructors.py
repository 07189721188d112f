"""Tensor(...) as torch had it before tensor(): a size or data, always of one dtype; and FloatTensor, LongTensor, ...

>>> from wengert_core import FloatTensor, Tensor, ones
>>> Tensor([1, 2]).tolist(), tuple(Tensor(2, 3).shape)
([1.0, 2.0], (2, 3))
>>> isinstance(ones(1), FloatTensor)
True
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from wengert_core.devices.device import device_number
from wengert_core.dtypes.dtypes import ALL, dtype, get_default_dtype
from wengert_core.exchange import from_data as _construct
from wengert_core.tensors.tensor import Tensor, as_subclass, set_constructor


def make(name: str, kind: dtype, args: tuple[Any, ...], device: Any = None) -> Tensor:
    """What Tensor(*args) means: sizes give a tensor whose values are not set, a sequence or array its values."""
    if device is not None and device_number(device, name) != 0:
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device} was passed")
    if not args:
        return _construct.blank(kind, 0)
    first = args[0]
    lone = len(args) == 1 and (isinstance(first, bool) or not hasattr(type(first), "__index__"))
    if lone or isinstance(first, (Tensor, np.ndarray)) or hasattr(type(first), "_as_tensor"):
        return _from_data(name, kind, first)
    for i, size in enumerate(args):
        if not hasattr(type(size), "__index__"):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {i + 1} with error \"type must be tuple "
                "of ints,"
                f'but got {type(size).__name__}"'
            )
        if not -(1 << 63) <= index(size) < 1 << 63:
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {i + 1} with error \"Overflow when "
                'unpacking long long"'
            )
    return _construct.blank(kind, *args)


def _from_data(name: str, kind: dtype, data: Any) -> Tensor:
    from wengert_core.geometry.size import Size

    if isinstance(data, Tensor):
        if name != "Tensor" and data.dtype is not kind:
            raise TypeError(f"{name}: expected a tensor of dtype {kind!r}, got {data.dtype!r}; use .to({kind!r})")
        return as_subclass(data, Tensor) if type(data) is not Tensor else data.detach()
    if hasattr(type(data), "_as_tensor"):  # a storage
        if getattr(data, "dtype", kind) is not kind:
            wanted, got = (name_of_kind(one) for one in (kind, data.dtype))
            raise RuntimeError(f"Expected a Storage of type {wanted} or an UntypedStorage, but got type {got} for "
                               "argument 1 'storage'")
        return data._as_tensor(kind)  # type: ignore[no-any-return]
    if isinstance(data, Size):
        return _construct.blank(kind, *data)
    if isinstance(data, (int, float, complex, dict, type)) or not hasattr(data, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return _construct.of_data(data, kind)


def name_of_kind(kind: dtype) -> str:
    """Return the name of a dtype in legacy classes: "Float"."""
    return next((name for name, target in _NAMES.items() if ALL[target] is kind), str(kind))


def construct(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """What calling Tensor or a subclass of it does."""
    args = (kwargs.pop("size"), *args) if "size" in kwargs else args
    args = (kwargs.pop("data"), *args) if "data" in kwargs else args
    device = kwargs.pop("device", None)
    if kwargs and cls is Tensor:
        got = ", ".join([type(v).__name__ for v in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({got}), but expected one of: (*, "
            "torch.device device), "
            "(Tensor other), (tuple of ints size), (object data); use wengert.tensor(data, dtype=...)"
        )
    tensor = make("Tensor", get_default_dtype(), args, device)
    return tensor if cls is Tensor else as_subclass(tensor, cls)


def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """A tensor of this one's dtype, as Tensor(...) makes one of the default dtype."""
    return make("Tensor", self.dtype, args, device)


class tensortype(type):
    """The type of FloatTensor and its kin: a tensor is an instance when it has the dtype."""

    dtype: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        """A tensor of this type from sizes or data."""
        return make(cls.__name__, cls.dtype, args, device)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


_NAMES = {"Bool": "bool", "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
          "Half": "float16", "BFloat16": "bfloat16", "Float": "float32", "Double": "float64"}  # fmt: skip
TYPES: dict[str, tensortype] = {
    f"{name}Tensor": tensortype(f"{name}Tensor", (), {"dtype": ALL[kind]}) for name, kind in _NAMES.items()
}
"""FloatTensor, LongTensor and their kin by name."""

set_constructor(construct)
