"""Variable (deprecated): the name tensors with gradients once had."""

from typing import Any

from wengert_core import TABLE
from wengert_core.tensor import Tensor


class VariableMeta(type):
    """Tensors are instances of Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(tensor, requires_grad)``: deprecated; gives a tensor that shares the memory, without history.

    >>> import wengert as wg
    >>> v = wg.autograd.Variable(wg.ones(2), requires_grad=True)
    >>> isinstance(v, wg.Tensor), isinstance(v, wg.autograd.Variable), v.requires_grad
    (True, True, True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if data is None:
            data = TABLE.ops["empty"](0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        result: Any = data.detach()
        result.requires_grad = requires_grad
        return result
