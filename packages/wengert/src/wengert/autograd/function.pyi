from wengert_engine import Function as Function
from wengert_engine import InplaceFunction as InplaceFunction
from wengert_engine import once_differentiable as once_differentiable
from wengert_engine.function import FunctionCtx as FunctionCtx
