"""wengert.autograd.function: the user's own differentiable operations."""

from wengert_engine import Function, InplaceFunction, once_differentiable
from wengert_engine.function.context import FunctionCtx
from wengert_engine.function.function_class import FunctionMeta
from wengert_engine.function.nested import NestedIOFunction

BackwardCFunction = _ContextMethodMixin = FunctionCtx
"""Other names of what every context and node of a Function is: that of its base class in PyTorch, and an older one."""

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction",
           "_ContextMethodMixin", "once_differentiable"]
