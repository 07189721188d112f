"""wengert-engine: recording of operations and reverse-mode differentiation for wengert-core's tensors."""

from wengert_core import factory as _factory
from wengert_core.tensor import mount as _mount

from wengert_engine import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first
from wengert_engine import attributes as _attributes
from wengert_engine import record as _record  # noqa: F401 - tells core's hooks what it does
from wengert_engine import source as _source
from wengert_engine.autograd import backward, grad, tensor_backward
from wengert_engine.custom import Function, InplaceFunction, once_differentiable
from wengert_engine.formula import set_saved_reader as _set_saved_reader
from wengert_engine.formula import set_source as _set_source
from wengert_engine.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from wengert_engine.hooks import RemovableHandle
from wengert_engine.node import Node
from wengert_engine.saved import read_saved as _read_saved

__version__ = "0.1.0"
__all__ = ["Function", "InplaceFunction", "Node", "RemovableHandle", "backward", "enable_grad", "grad",
           "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "once_differentiable",
           "set_grad_enabled"]

for _name, _attribute in _attributes.TENSOR_ATTRIBUTES.items():
    _mount(_name, _attribute)
_mount("backward", tensor_backward)
_set_saved_reader(_read_saved)
_set_source(_source.find_formula)
_factory.set_requires_grad_hook(_attributes.set_requires_grad)
