"""wengert-engine: recording of operations and reverse-mode differentiation for wengert-core's tensors.

What differentiates, and what defines functions of one's own, is loaded when it is asked for: Note [Loaded by the first
use].
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from wengert_core.devices import device as _device
from wengert_core.drivers.create import factory as _factory
from wengert_core.tensors.lazy_attribute import Later as _Later
from wengert_core.tensors.tensor import mount as _mount

from wengert_engine import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first
from wengert_engine.graph import formula_lookup as _formula_lookup
from wengert_engine.graph import tensor_attributes as _tensor_attributes
from wengert_engine.graph import tensor_hooks as _tensor_hooks
from wengert_engine.graph.formula import set_saved_reader as _set_saved_reader
from wengert_engine.graph.formula import set_source as _set_source
from wengert_engine.graph.node import Node
from wengert_engine.graph.removable_handle import RemovableHandle
from wengert_engine.modes.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from wengert_engine.record import record as _record  # noqa: F401 - tells core's hooks what it does
from wengert_engine.record.saved_values import read_saved as _read_saved

if _TYPE_CHECKING:
    from wengert_engine.function.function_class import Function, InplaceFunction, once_differentiable
    from wengert_engine.reverse.api import backward, grad

__version__ = "0.1.0"
__all__ = ["Function", "InplaceFunction", "Node", "RemovableHandle", "backward", "enable_grad", "grad",
           "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "once_differentiable",
           "set_grad_enabled"]

# Note [Loaded by the first use]
#     Importing wengert brings what every operation asks: attributes of tensors, grad modes, the recorder. Half of the
#     engine's modules work in a backward or a Function only and are loaded when one is asked for; Tensor.backward
#     stands on the tensor as methods of core's families that are not loaded do. A device that has streams needs the
#     module that follows them from its first operation on, so it comes with the device.
_MODULES = {"Function": "function.function_class", "InplaceFunction": "function.function_class",
            "once_differentiable": "function.function_class", "backward": "reverse.api", "grad": "reverse.api"}


def __getattr__(name: str) -> object:
    """A name whose module is loaded by the first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'wengert_engine' has no attribute '{name}'")
    found = globals()[name] = getattr(_import_module(f"wengert_engine.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


def _mount_backward(_family: str) -> None:
    from wengert_engine.reverse.api import tensor_backward

    _mount("backward", tensor_backward)


for _name, _attribute in (_tensor_attributes.TENSOR_ATTRIBUTES | _tensor_hooks.TENSOR_HOOKS).items():
    _mount(_name, _attribute)
_mount("backward", _Later("backward", "autograd", _mount_backward))
_set_saved_reader(_read_saved)
_set_source(_formula_lookup.find_formula)
_factory.set_requires_grad_hook(_tensor_attributes.set_requires_grad)
_device.when_loaded(lambda _foreign: _import_module("wengert_engine.reverse.streams"))
