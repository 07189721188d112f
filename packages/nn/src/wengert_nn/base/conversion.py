"""Conversion of a module's tensors: dtype, device, shared memory."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor

from wengert_nn.base.registration import Attributes
from wengert_nn.parameter import Parameter

COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers."
)


class Conversion(Attributes):
    """A module as a holder of memory."""

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        """Replace the data of parameters, of their gradients, and the buffers by what a function makes of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = convert_parameter(parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Convert parameters and buffers in place; return the module.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``, ``to(memory_format=...)``, with
        ``non_blocking=``. A dtype, which must be floating point or complex, is for tensors with such a dtype only.
        """
        device, dtype, non_blocking, memory_format = parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(COMPLEX, stacklevel=2)

        def convert(tensor: Any) -> Any:
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            options: dict[str, Any] = {}
            if memory_format is not None and tensor.dim() in (4, 5):
                options["memory_format"] = memory_format
            return tensor.to(device, wanted, non_blocking, **options)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """Move the module to a device without copying: the values are undefined."""
        return self._apply(lambda tensor: wengert.empty_like(tensor, device=device), recurse=recurse)

    def cpu(self) -> Any:
        """Move parameters and buffers to the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: Any = None) -> Any:
        """Move parameters and buffers to a CUDA device, the current one by default."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def type(self, dst_type: Any) -> Any:
        """Cast all parameters and buffers."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Any:
        """Cast floating-point parameters and buffers to float32."""
        return self._apply(lambda tensor: tensor.float() if tensor.is_floating_point() else tensor)

    def double(self) -> Any:
        """Cast floating-point parameters and buffers to float64."""
        return self._apply(lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)

    def half(self) -> Any:
        """Cast floating-point parameters and buffers to float16."""
        return self._apply(lambda tensor: tensor.half() if tensor.is_floating_point() else tensor)

    def bfloat16(self) -> Any:
        """Cast floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda tensor: tensor.bfloat16() if tensor.is_floating_point() else tensor)

    def share_memory(self) -> Any:
        """Raise RuntimeError: memory of wengert's tensors is not shared between processes."""
        raise RuntimeError(
            f"share_memory: the parameters of {type(self).__name__} cannot be moved to memory that processes share: "
            "wengert's tensors live in the memory of one process. Send state_dict() to the other process instead, "
            "for example through a multiprocessing.Queue."
        )


def convert_parameter(parameter: Any, fn: Callable[[Any], Any]) -> Any:
    """Return a parameter whose data, and those of its gradient, a function has made.

    It is the same object where that is possible, so that optimizers keep it.
    """
    with wengert.no_grad():
        data = fn(parameter)
        grad: Any = parameter.grad
        grad_data: Any = None if grad is None else fn(grad)
    if may_take(parameter, data):
        if grad is not None:
            parameter.grad = None
        parameter.data = data
        result = parameter
    else:
        result = Parameter(data, parameter.requires_grad)
    if grad is not None:
        if may_take(grad, grad_data):
            grad.data = grad_data
        else:
            grad = grad_data.requires_grad_(grad.requires_grad)
        result.grad = grad
    return result


def may_take(tensor: Any, data: Any) -> builtins.bool:
    """Return whether ``tensor.data = data`` is possible: for the same layout, on any device."""
    return bool(tensor.layout == data.layout)


def parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, builtins.bool, Any]:
    """Return (device, dtype, non_blocking, memory_format) of the arguments of ``Module.to``."""
    named = {"device": None, "dtype": None, "non_blocking": False, "copy": False, "memory_format": None, **kwargs}
    rest = list(args)
    tensor = named.pop("tensor", None)
    if rest and isinstance(rest[0], Tensor):
        tensor = rest.pop(0)
    if tensor is not None:
        named["device"], named["dtype"] = tensor.device, tensor.dtype
    elif rest:
        first = rest.pop(0)
        named["dtype" if isinstance(first, wengert.dtype) else "device"] = first
        if rest and (rest[0] is None or isinstance(rest[0], wengert.dtype)):
            named["dtype"] = rest.pop(0)
    if rest:
        named["non_blocking"] = rest.pop(0)
    got = [type(one).__name__ for one in args] + [f"{key}={type(one).__name__}" for key, one in kwargs.items()]
    if isinstance(named["device"], (str, int)):
        named["device"] = wengert.device(named["device"])
    is_device = named["device"] is None or isinstance(named["device"], wengert.device)
    if rest or len(named) > 5 or not is_device or not isinstance(named["non_blocking"], bool):
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({', '.join(got)}), "
            "but expected (device, dtype, non_blocking), (dtype, non_blocking) or (tensor, non_blocking), with "
            "memory_format=; name each argument"
        )
    return named["device"], named["dtype"], named["non_blocking"], named["memory_format"]
