"""wengert.autograd: reverse-mode automatic differentiation."""

from wengert_engine import Function, backward, enable_grad, grad, inference_mode, no_grad, set_grad_enabled
from wengert_engine.namespaces.variable import Variable
from wengert_engine.nested import NestedIOFunction

__all__ = ["Function", "NestedIOFunction", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad",
           "set_grad_enabled"]
