"""Variable (deprecated): the name tensors with gradients once had."""

from operator import index
from typing import Any

from wengert_core import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.gradient_edge import GradientEdge
from wengert_engine.messages import errors
from wengert_engine.reverse.launch import queue_callback, run_backward, wants_inputs
from wengert_engine.reverse.roots import input_edges, root_edges, root_gradients


class _EngineBase:
    """The class of ``Variable._execution_engine``, where programs for PyTorch find the engine."""

    queue_callback = staticmethod(queue_callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether no backward that runs in this thread was asked for the gradients of certain inputs."""
        return not wants_inputs()

    def run_backward(self, tensors: Any, grad_tensors: Any, keep_graph: bool, create_graph: bool, inputs: Any = (),
                     allow_unreachable: bool = False, accumulate_grad: bool = False) -> tuple[Any, ...] | None:
        """Run the graph behind ``tensors`` backward: what ``backward`` and ``grad`` are made of.

        tensors, grad_tensors, inputs: tuples; each tensor has a gradient of its shape.   allow_unreachable: the
        gradient of an input that was not used is None instead of an error.   accumulate_grad: gradients are added into
        ``grad``, of the leaves or of ``inputs``, and None is returned; else a gradient for each of ``inputs``.
        Raises RuntimeError for anything else.

        >>> import wengert as wg
        >>> x = wg.ones(2, requires_grad=True)
        >>> engine = wg.autograd.Variable._execution_engine
        >>> engine.run_backward((x * 2,), (wg.ones(2),), False, False, (x,))
        (tensor([2., 2.]),)
        """
        check_tuples(tensors, grad_tensors)
        starts = root_edges(tensors)
        check_gradients(grad_tensors)
        check_ends(inputs, accumulate_grad)
        found = run_backward(starts, root_gradients(tensors, grad_tensors), keep_graph, create_graph,
                             input_edges(inputs) if inputs else None, accumulate_grad)
        if accumulate_grad:
            return None
        for i, gradient in enumerate(found):
            if gradient is None and not allow_unreachable:
                raise errors.unused_input(i)
        return tuple(found)


def check_tuples(tensors: Any, grad_tensors: Any) -> None:
    """RuntimeError unless both are tuples of one length, the first of tensors or edges."""
    for name, given in (("tensors", tensors), ("grad_tensors", grad_tensors)):
        if not isinstance(given, tuple):
            raise RuntimeError(f"{name} argument is expected to be a tuple, but got {type(given).__name__}")
    if len(tensors) != len(grad_tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grad_tensors)} gradients")
    for i, one in enumerate(tensors):
        if not isinstance(one, (Tensor, GradientEdge)):
            raise RuntimeError(f"element {i} of tensors tuple is neither a Tensor nor a GradientEdge but "
                               f"{type(one).__name__}")


def check_gradients(grad_tensors: tuple[Any, ...]) -> None:
    """RuntimeError for a gradient that is no tensor."""
    for i, gradient in enumerate(grad_tensors):
        if gradient is None:
            raise RuntimeError(f"element {i} of gradients tuple is None, but the corresponding Tensor requires grad")
        if not isinstance(gradient, Tensor):
            raise RuntimeError(f"element {i} of gradients tuple is not a Tensor or None but {type(gradient).__name__}")


def check_ends(inputs: tuple[Any, ...], accumulate_grad: bool) -> None:
    """RuntimeError for an input that is no tensor, or for none where gradients are to be returned. Tensors into which
    they go retain them.
    """
    if not (inputs or accumulate_grad):
        raise RuntimeError("grad requires non-empty inputs: give inputs, or accumulate_grad=True")
    for one in inputs:
        if not isinstance(one, (Tensor, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(one).__name__}")
        if accumulate_grad and isinstance(one, Tensor):
            one.retain_grad()


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

    _execution_engine = _EngineBase()

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
        requires_grad = bool(index(requires_grad))
        if volatile:
            warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients: this one is "
                               f"{data.dtype}")
        result: Any = data.detach()
        result.requires_grad = requires_grad
        return result


__all__ = ["Variable"]
