"""wengert.autograd.function: the user's own differentiable operations."""

from wengert_engine import Function, InplaceFunction, once_differentiable
from wengert_engine.function import FunctionCtx
from wengert_engine.nested import NestedIOFunction

_ContextMethodMixin = FunctionCtx
"""The older name."""

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "NestedIOFunction", "_ContextMethodMixin",
           "once_differentiable"]
