from wengert_engine import Function as Function
from wengert_engine import InplaceFunction as InplaceFunction
from wengert_engine import once_differentiable as once_differentiable
from wengert_engine.function.context import (
           FunctionCtx as BackwardCFunction,  # the name in PyTorch of every node's base class
)
from wengert_engine.function.context import FunctionCtx as FunctionCtx
from wengert_engine.function.context import FunctionCtx as _ContextMethodMixin  # the older name
from wengert_engine.function.function_class import FunctionMeta as FunctionMeta
from wengert_engine.function.nested import NestedIOFunction as NestedIOFunction

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction",
           "_ContextMethodMixin", "once_differentiable"]
