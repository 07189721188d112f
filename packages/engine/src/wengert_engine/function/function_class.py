"""Function, the base class of a user's own differentiable operations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

from wengert_engine.function.apply import apply_function
from wengert_engine.function.context import FunctionCtx
from wengert_engine.graph.node import make_function_node_class
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.modes.grad_mode import is_grad_enabled, no_grad


class FunctionMeta(type):
    """Makes the class of nodes that a Function's outputs get, when the Function is defined."""

    _backward_cls: type

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        super().__init__(name, bases, members)
        cls._backward_cls = make_function_node_class(name + "Backward", (FunctionCtx,), {
            "__module__": "wengert.autograd.function", "__slots__": (), "_forward_cls": cls, "apply": _apply_node})
        cls._splits_context = bool(bases) and _member(cls, "setup_context") is not _member(Function, "setup_context")
        cls._has_defaults = cls._splits_context and _has_defaults(cls)
        chosen: Any = _chosen_backward(cls) if bases else vars(cls)["backward"].__func__
        cls._run_backward = staticmethod(chosen)


def _member(cls: type, name: str) -> Any:
    """The raw member of a class, as written: staticmethod objects stay what they are."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def _apply_node(node: Any, *grads: Any) -> Any:
    """What backward gives for these gradients of the outputs, unchecked."""
    return node._forward_cls._run_backward(node, *grads)


def _has_defaults(cls: Any) -> bool:
    """Does forward have parameters with defaults? setup_context gets them filled in."""
    from inspect import Parameter, signature

    try:
        parameters = signature(cls.forward).parameters.values()
    except ValueError:                  # a compiled function that does not tell
        return False
    return any(one.default is not Parameter.empty for one in parameters)


def _chosen_backward(cls: Any) -> Callable[..., Any]:
    """backward, or vjp where only that is given; with both, a function that refuses."""
    plain = _member(Function, "backward")
    own_backward, own_vjp = _member(cls, "backward"), _member(cls, "vjp")
    if own_vjp is plain:
        return cls.backward  # type: ignore[no-any-return]
    if own_backward is plain or own_backward is own_vjp:
        return cls.vjp  # type: ignore[no-any-return]

    def refuse(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                           f"only implement one of them. The Function is {cls.__name__}")

    return refuse


def in_order(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """A call's arguments in the order of forward's parameters, defaults filled in."""
    from inspect import signature

    before = () if cls._splits_context else (None,)
    bound = signature(cls.forward).bind(*before, *args, **kwargs)
    bound.apply_defaults()
    return bound.args[len(before):]


class Function(metaclass=FunctionMeta):
    """Base of a differentiable operation of one's own: static methods ``forward`` and ``backward``; call ``apply``.

    >>> import wengert_core as wc
    >>> from wengert_engine import Function
    >>> class Exp(Function):
    ...     @staticmethod
    ...     def forward(ctx, i):
    ...         result = i.exp()
    ...         ctx.save_for_backward(result)
    ...         return result
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         result, = ctx.saved_tensors
    ...         return grad_output * result
    >>> x = wc.zeros(2, requires_grad=True)
    >>> y = Exp.apply(x)
    >>> y.sum().backward()
    >>> x.grad.tolist()
    [1.0, 1.0]
    """

    _splits_context: bool
    _has_defaults: bool
    _run_backward: Callable[..., Any]
    _inside_transforms = False      # runs under transforms of functions without a setup_context of its own
    _skips_none = False  # what gets None is not reached, as if there was no edge: it stands for a part of a graph
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    """True: what save_for_backward kept is freed when backward reads ctx.saved_tensors, which it may do once."""
    boxed_grads_call = False
    """True: backward gets one list of the outputs' gradients, which it may empty."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_user(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
                  "should invoke them on the class itself. Instantiating an autograd function will raise an error "
                  f"in a future version: call {type(self).__name__}.apply(...)", DeprecationWarning)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use "
                           "new-style autograd function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record it. Arguments may be given by forward's names."""
        if kwargs or cls._has_defaults:
            return apply_function(cls, in_order(cls, args, kwargs))
        try:
            return apply_function(cls, args)
        except TypeError:
            if cls._splits_context:
                in_order(cls, args, kwargs)  # when the arguments are the mistake, this says so
            raise

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """``forward(ctx, *args)``, or ``forward(*args)`` together with setup_context: computes the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, when ``forward`` does not take ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of forward's arguments (None for those without) from those of its outputs. Alias: vjp."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD. "
                                  "(see docs/errors/custom-function)")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs from those of the inputs."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with "
                                  "forward mode AD. (see docs/errors/custom-function)")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """The rule under vmap."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap "
                                  "staticmethod or set generate_vmap_rule=True.")


class InplaceFunction(Function):
    """Kept for older code: a Function with an ``inplace`` flag."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class _RefuseTwice(Function):
    """The identity, whose backward is an error."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, value: Any, *inputs: Any) -> Any:
        return value

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable "
                           "(see docs/errors/second-derivative)")


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for backward: what it computes cannot be differentiated again; trying to is an error, not a wrong
    zero.
    """

    @functools.wraps(function)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = function(ctx, *args)
        if not is_grad_enabled():
            return outputs
        tracked = [arg for arg in args if isinstance(arg, Tensor) and edge_of(arg) is not None]
        if not tracked:
            return outputs
        single = not isinstance(outputs, tuple)
        results = tuple(out if out is None else _RefuseTwice.apply(out.detach(), *tracked)
                        for out in ((outputs,) if single else outputs))
        return results[0] if single else results

    return wrapper
