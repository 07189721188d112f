"""wengert.autograd: reverse-mode automatic differentiation."""

from wengert_engine import Function, backward, enable_grad, grad, inference_mode, no_grad, set_grad_enabled
from wengert_engine.namespaces.variable import Variable

__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "inference_mode", "no_grad", "set_grad_enabled"]
