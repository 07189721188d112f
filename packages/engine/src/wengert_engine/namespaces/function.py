"""wengert.autograd.function: the user's own differentiable operations."""

from wengert_engine import Function, InplaceFunction, once_differentiable
from wengert_engine.function import FunctionCtx

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
