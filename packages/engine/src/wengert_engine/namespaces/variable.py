"""Variable (deprecated): the name tensors with gradients once had."""

from operator import index
from typing import Any

from wengert_core import TABLE
from wengert_core.caution import warn_user
from wengert_core.tensor import Tensor

from wengert_engine.starting import queue_callback


class Engine:
    """What ``Variable._execution_engine`` is: older programs find the engine here."""

    queue_callback = staticmethod(queue_callback)


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

    _execution_engine = Engine()

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False, _grad_fn: Any = None,
                **others: Any) -> Any:
        if _grad_fn is not None:  # PyTorch takes no node either: a history is recorded, not given
            got = type(_grad_fn).__name__
            raise TypeError(f"_grad_fn has to be a Function object or None, but got {got}")
        if others:
            raise TypeError(f"Variable(): '{next(iter(others))}' is an invalid keyword argument for this function; "
                            "it takes data, requires_grad and volatile")
        if data is None:
            data = TABLE.ops["empty"](0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        result: Any = data.detach()
        result.requires_grad = bool(index(requires_grad))
        return result


__all__ = ["Variable"]
