"""Tensor's methods and properties that are not ops: what ``mount_all`` gives it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from wengert_core import conversion as _conversion
from wengert_core import infos as _infos
from wengert_core import interop as _interop
from wengert_core import legacy as _legacy
from wengert_core.devices import strided
from wengert_core.tensor import Tensor, as_subclass, mount


def _false(self: Tensor) -> bool:
    """False: this kind of tensor does not exist here."""
    return False


def _is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether the tensor is in pinned memory of the host."""
    from wengert_core.pinning import is_pinned  # few programs have any

    return is_pinned(self, device)


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor in pinned memory of the host, which a device reads directly; itself when it is there already."""
    from wengert_core.pinning import pin_memory

    return pin_memory(self, device)


def _cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """The memory of a tensor on a CUDA device, as other libraries share it (Numba's description, version 2)."""
    if self.device.type != "cuda":
        raise AttributeError(f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data "
                             "is required use tensor.cuda() to copy tensor to device memory.")
    if self.requires_grad:
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                           "required, use var.detach() to get Variable that doesn't require grad.")
    from wengert_core.elsewhere import typestr

    strides = None if self.is_contiguous() else tuple(n * self.element_size() for n in self.stride())
    return {"typestr": typestr(self), "shape": tuple(self.shape), "strides": strides, "version": 2,
            "data": (self.data_ptr() if self.numel() else 0, False)}


def _divided_by(self: Tensor, other: Any) -> Any:
    """self / other."""
    return self / other


def _dividing(self: Tensor, other: Any) -> Any:
    """Other / self."""
    return other / self


def _divide_in_place(self: Tensor, other: Any) -> Any:
    """self /= other."""
    self /= other
    return self


def _reversed(self: Tensor) -> Tensor:
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


METHODS = {
    # names of Python's operators, some of them Python 2's, that torch has too
    "__div__": _divided_by,
    "__idiv__": _divide_in_place,
    "__long__": Tensor.__int__,
    "__nonzero__": Tensor.__bool__,
    "__rdiv__": _dividing,
    "__reversed__": _reversed,
    # arrays and other libraries
    "__array__": _interop.array_interface,
    "__array_priority__": 1000,
    "__array_wrap__": _interop.array_wrap,
    "numpy": _interop.numpy,
    "tolist": _interop.tolist,
    # other ways to make a tensor
    "as_subclass": as_subclass,
    "new": _legacy.new,
    # dtypes and devices
    "bfloat16": _conversion.to_bfloat16,
    "bool": _conversion.to_bool,
    "byte": _conversion.to_byte,
    "cdouble": _conversion.to_cdouble,
    "cfloat": _conversion.to_cfloat,
    "char": _conversion.to_char,
    "cpu": _conversion.cpu,
    "cuda": _conversion.cuda,
    "double": _conversion.to_double,
    "float": _conversion.to_float,
    "get_device": _conversion.get_device,
    "half": _conversion.to_half,
    "int": _conversion.to_int,
    "is_complex": _infos.is_complex,
    "is_conj": _false,
    "is_floating_point": _infos.is_floating_point,
    "is_neg": _false,
    "is_nonzero": _infos.is_nonzero,
    "is_pinned": _is_pinned,
    "is_same_size": _is_same_size,
    "is_shared": _false,
    "is_signed": _infos.is_signed,
    "long": _conversion.to_long,
    "ndimension": Tensor.dim,
    "pin_memory": _pin_memory,
    "short": _conversion.to_short,
    "to": _conversion.to,
    "type": _conversion.type_,
    "type_as": _conversion.type_as,
}

LATER = {
    "apply_": ("element_by_element", "apply_"),
    "map_": ("element_by_element", "map_"),
    "__dlpack__": ("dlpack", "to_capsule"),
    "__dlpack_device__": ("dlpack", "device_pair"),
    "__copy__": ("copying", "shallow_copy"),
    "__deepcopy__": ("copying", "deep_copy"),
    "__reduce_ex__": ("copying", "reduce"),
    "__setstate__": ("copying", "set_state"),
}
"""Methods whose module is loaded by the first call: many programs need none of them."""

PROPERTIES = {
    "__cuda_array_interface__": _cuda_array_interface,
    "device": _conversion.device_of,
    "is_cpu": _is_cpu,
    "is_cuda": _conversion.is_cuda,
    "is_meta": _false,
    "is_mkldnn": _false,
    "is_nested": _false,
    "name": _nothing,
    "is_quantized": _false,
    "is_sparse": _false,
}


PROMISED: set[str] = set()
"""Methods that a plugin brings when its op table is loaded; until then something else is on Tensor in their place."""


def _later(attribute: str, module: str, name: str) -> Callable[..., Any]:
    """A stand-in for a method that puts the method itself in its place when it is called."""

    def first_call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        method = getattr(import_module(f"wengert_core.{module}"), name)
        mount(attribute, method)
        return method(self, *args, **kwargs)

    first_call.__name__ = attribute
    return first_call


def mount_all() -> None:
    """Give Tensor its methods and properties."""
    for name, value in METHODS.items():
        mount(name, value)
    for name, (module, target) in LATER.items():
        mount(name, _later(name, module, target))
    for name, function in PROPERTIES.items():
        mount(name, property(function))
    mount("layout", strided)
