"""Tensor's methods and properties that are not ops: what ``mount_all`` gives it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from wengert_core.binding.torch_function import DisableTorchFunction
from wengert_core.devices.layout import layout_of
from wengert_core.dispatch.op import find
from wengert_core.tensors.lazy_attribute import Later
from wengert_core.tensors.tensor import Tensor, mount, move_to_subclass, set_constructor


def _false(self: Tensor) -> bool:
    """False: this kind of tensor does not exist here."""
    return False


def _is_sparse(self: Tensor) -> bool:
    """Whether the layout is ``sparse_coo``."""
    return layout_of(self)._name == "sparse_coo"


def _is_sparse_csr(self: Tensor) -> bool:
    """Whether the layout is ``sparse_csr``."""
    return layout_of(self)._name == "sparse_csr"


def _is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the tensor is in pinned memory of the host."""
    from wengert_core.backends.pinning import is_pinned  # few programs have any

    return is_pinned(self, device)


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor in pinned memory of the host, which a device reads directly; itself when it is there already."""
    from wengert_core.backends.pinning import pin_memory

    return pin_memory(self, device)


def _record_stream(self: Tensor, stream: Any) -> None:
    """Say that work on a stream, other than the one the tensor was made on, uses its memory: which is then not used for
    others before that work is done. Call it after the work is queued, before the tensor goes.
    """
    if self.device.type == "cpu":
        raise NotImplementedError("record_stream(): a tensor on the CPU has no stream; expected one on a device")
    from wengert_core.backends.intercept import record_stream

    record_stream(self, stream)


def _cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """The memory of a tensor on a CUDA device, as other libraries share it (Numba's description, version 2)."""
    if self.device.type != "cuda":
        raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data "
                             "is required use tensor.cuda() to copy tensor to device memory.")
    if self.requires_grad:
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                           "required, use var.detach() to get Variable that doesn't require grad.")
    from wengert_core.exchange.device_memory import typestr

    strides = None if self.is_contiguous() else tuple(n * self.element_size() for n in self.stride())
    return {"typestr": typestr(self), "shape": tuple(self.shape), "strides": strides, "version": 2,
            "data": (self.data_ptr() if self.numel() else 0, False)}


def _divide(self: Tensor, other: Any) -> Any:
    """self / other."""
    return self / other


def _dividing(self: Tensor, other: Any) -> Any:
    """Other / self."""
    return other / self


def _divide_in_place(self: Tensor, other: Any) -> Any:
    """self /= other."""
    self /= other
    return self


def _reversed_parts(self: Tensor) -> Tensor:
    """The parts of the first dim in reverse order, as a tensor; one without dims is itself."""
    return self.flip(0) if self.dim() else self


def _nothing(self: Tensor) -> None:
    """None: tensors have no names here."""


def _is_cpu(self: Tensor) -> bool:
    """Whether the tensor is on the CPU."""
    return bool(self.device.type == "cpu")


def _is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether another tensor has the same shape."""
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return self.shape == other.shape


def _as_subclass(self: Tensor, cls: type) -> Tensor:
    """A view of the tensor that is of a subclass of Tensor; gradients and tangents go through it.

    TypeError for what is no subclass.

    >>> from wengert_core import Tensor, ones
    >>> class Length(Tensor):
    ...     pass
    >>> type(ones(2).as_subclass(Length)).__name__
    'Length'
    """
    with DisableTorchFunction():  # neither a mode nor a tensor of another subclass has a say in it
        return move_to_subclass(find("alias")(self), cls)


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """Return a leaf of a subclass of Tensor that shares the memory of a tensor; unlike ``as_subclass`` it is no view.

    >>> from wengert_core import Tensor, ones
    >>> class Length(Tensor):
    ...     pass
    >>> type(Tensor._make_subclass(Length, ones(2))).__name__
    'Length'
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type(data).__name__}")
    with DisableTorchFunction():
        made: Tensor = move_to_subclass(data.detach(), cls)
        return made.requires_grad_() if require_grad else made


def _cdata(self: Tensor) -> int:
    """A number that no other tensor has while this one lives: PyTorch's is an address, too."""
    return id(self)


def _torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Return a function's results for tensors of a subclass, as tensors of the subclass, which may define its own."""
    from wengert_core.dispatch.overrides import tensor_torch_function  # for programs with subclasses

    return tensor_torch_function(cls, func, types, args, kwargs)


_torch_function.__name__ = "__torch_function__"  # copy and pickle find a method by its name
_torch_function.__qualname__ = "Tensor.__torch_function__"

METHODS = {
    "__torch_function__": classmethod(_torch_function),
    # names of Python's operators, some of them Python 2's, that torch has too
    "__div__": _divide,
    "__idiv__": _divide_in_place,
    "__long__": Tensor.__int__,
    "__nonzero__": Tensor.__bool__,
    "__rdiv__": _dividing,
    "__reversed__": _reversed_parts,
    "__array_priority__": 1000,
    "_cdata": property(_cdata, doc=_cdata.__doc__),
    "_make_subclass": staticmethod(_make_subclass),
    "as_subclass": _as_subclass,
    "is_conj": _false,
    "is_neg": _false,
    "is_pinned": _is_pinned,
    "is_same_size": _is_same_size,
    "ndimension": Tensor.dim,
    "pin_memory": _pin_memory,
    "record_stream": _record_stream,
}

LATER = {
    "drivers.copy.cast": {
        "bfloat16": "to_bfloat16", "bool": "to_bool", "byte": "to_byte", "cdouble": "to_cdouble", "cfloat": "to_cfloat",
        "char": "to_char", "cpu": "cpu", "cuda": "cuda", "double": "to_double", "float": "to_float",
        "get_device": "get_device", "half": "to_half", "int": "to_int", "long": "to_long", "short": "to_short",
        "to": "to", "type": "type_", "type_as": "type_as", "device": "device_of", "is_cuda": "is_cuda",
    },
    "api.copy_pickle": {
        "__copy__": "shallow_copy", "__deepcopy__": "deep_copy", "__reduce_ex__": "reduce", "__setstate__": "set_state",
    },
    "exchange.dlpack": {"__dlpack__": "to_capsule", "__dlpack_device__": "device_pair"},
    "api.apply_map": {name: name for name in ("apply_", "map2_", "map_")},
    "exchange.type_info": {name: name for name in ("is_complex", "is_floating_point", "is_nonzero", "is_signed")},
    "exchange.numpy_bridge": {
        "__array__": "array_interface", "__array_wrap__": "array_wrap", "numpy": "numpy", "tolist": "tolist",
    },
    "api.legacy_constructors": {"new": "new"},
    "api.untyped_storage": {
        "is_shared": "is_shared", "share_memory_": "share_memory", "untyped_storage": "untyped_storage",
    },
    "api.typed_storage": {"_typed_storage": "typed_storage", "storage": "storage_method"},
    "api.legacy_storages": {"storage_type": "storage_type"},
    "api.dim_order": {"dim_order": "dim_order", "resize": "resize", "resize_as": "resize_as"},
}  # fmt: skip
"""Methods and properties by the module that has them, which is loaded when one of them is asked for."""

PROPERTIES = {
    "__cuda_array_interface__": _cuda_array_interface,
    "is_cpu": _is_cpu,
    "is_meta": _false,
    "is_mkldnn": _false,
    "is_nested": _false,
    "name": _nothing,
    "is_quantized": _false,
    "is_sparse": _is_sparse,
    "is_sparse_csr": _is_sparse_csr,
}


def _load(module: str) -> None:
    """Give Tensor what a module has for it."""
    found = import_module(f"wengert_core.{module}")
    for name, target in LATER[module].items():
        value = getattr(found, target)
        mount(name, property(value) if name in ("device", "is_cuda") else value)


def _construct(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Tensor(...) the first time: its module puts the constructor itself in place of this."""
    from wengert_core.api.legacy_constructors import construct

    return construct(cls, args, kwargs)


def mount_all() -> None:
    """Give Tensor its methods and properties."""
    for name, value in METHODS.items():
        mount(name, value)
    for module, names in LATER.items():
        for name in names:
            mount(name, Later(name, module, _load))
    for name, function in PROPERTIES.items():
        mount(name, property(function))
    mount("layout", property(layout_of))
    set_constructor(_construct)
