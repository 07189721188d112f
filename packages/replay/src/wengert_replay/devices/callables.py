"""Graphed callables: functions and modules whose forward and backward are a graph of the device each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor, accelerator_functions, casts_are_cached
from wengert_engine import Function, grad, once_differentiable

from wengert_replay.devices.graphs import CUDAGraph, graph, graph_plugin
from wengert_replay.signature import flatten
from wengert_replay.structures import rebuild


def make_graphed_callables(
    callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False, pool: Any = None
) -> Any:
    """Return functions, or modules, that run as graphs of a CUDA device: one for forward, one for backward.

    callables: a function or a module, or a tuple of them in the order of their calls; a module is changed, and returned
    itself.   sample_args: a tuple of tensors (for a tuple of callables, a tuple of such tuples) of the shapes, dtypes
    and ``requires_grad`` that arguments will have.   num_warmup_iters: runs ahead of the capture.   allow_unused_input:
    whether an argument or a parameter may have no gradient.   pool: of ``graph_pool_handle``.
    RuntimeError inside of ``autocast`` with a cache, which would keep what one run has cast: ``cache_enabled=False``.
    Results lie in memory that the next call overwrites, and are differentiated once. Where the mode of a module
    (``train()``, ``eval()``) is another one than at the capture, it runs as usual.
    """
    return graph_callables(graph, callables, sample_args, num_warmup_iters, allow_unused_input, pool)


class CallableGraphs:
    """One callable with its two graphs, and the memory that they use."""

    def __init__(self, function: Any, args: Any, graph_class: type[CUDAGraph]) -> None:
        self.function, self.args = function, args
        self.forward_graph, self.backward_graph = graph_class(), graph_class()
        self.inputs: list[Tensor] = []  # arguments, then parameters
        flatten(args, self.inputs)
        self.n_args = len(self.inputs)
        if is_module(function):
            self.inputs += list(function.parameters())
        self.outputs: list[Tensor] = []
        self.structure: Any = None
        self.grad_outputs: list[Tensor | None] = []
        self.grad_inputs: list[Tensor | None] = []

    def gradients(self, outputs: Sequence[Tensor], grads: Sequence[Tensor], allow_unused: bool) -> list[Tensor | None]:
        """Return the gradients of the inputs; None for those that require none."""
        wanted = [one for one in self.inputs if one.requires_grad]
        found = iter(grad(tuple(outputs), tuple(wanted), tuple(grads), allow_unused=allow_unused))
        return [next(found) if one.requires_grad else None for one in self.inputs]

    def warm_up(self, allow_unused: bool) -> None:
        """Run forward and backward once."""
        outputs: list[Tensor] = []
        flatten(self.function(*self.args), outputs)
        roots = [one for one in outputs if one.requires_grad]
        if roots:
            self.gradients(roots, [one.new_empty(one.shape) for one in roots], allow_unused)

    def capture_forward(self, context: type[graph], pool: Any) -> None:
        with context(self.forward_graph, pool=pool):
            result = self.function(*self.args)
        self.structure = flatten(result, self.outputs)

    def capture_backward(self, context: type[graph], pool: Any, allow_unused: bool) -> None:
        roots = [one for one in self.outputs if one.requires_grad]
        made = {id(one): one.new_empty(one.shape) for one in roots}
        self.grad_outputs = [made.get(id(one)) for one in self.outputs]
        if not roots:
            self.grad_inputs = [None] * len(self.inputs)
            return
        with context(self.backward_graph, pool=pool):
            self.grad_inputs = self.gradients(roots, [made[id(one)] for one in roots], allow_unused)

    def function_class(self) -> type[Function]:
        """Return the autograd function of the two graphs."""
        mine = self

        class GraphedFunction(Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
                for static, given in zip(mine.inputs[: mine.n_args], inputs, strict=False):
                    copy_unless_same(static, given)
                mine.forward_graph.replay()
                return tuple(one.detach() for one in mine.outputs)

            @staticmethod
            @once_differentiable
            def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
                for static, given in zip(mine.grad_outputs, grads, strict=True):
                    if static is not None:
                        copy_unless_same(static, given)
                if any(one is not None for one in mine.grad_outputs):
                    mine.backward_graph.replay()
                return tuple(None if one is None else one.detach() for one in mine.grad_inputs)

        return GraphedFunction

    def make_call(self) -> Callable[..., Any]:
        """Return the function that callers get."""
        function, parameters = self.function_class(), self.inputs[self.n_args :]

        def call_graph(*args: Any) -> Any:
            given: list[Tensor] = []
            flatten(args, given)
            if len(given) != self.n_args:
                raise ValueError(f"the graphed callable of {name_of(self.function)} was captured with {self.n_args} "
                                 f"tensors, and got {len(given)}")  # fmt: skip
            return rebuild(self.structure, list(function.apply(*given, *parameters)))

        return call_graph


def copy_unless_same(target: Tensor, source: Tensor) -> None:
    """Copy a tensor to memory that a graph reads, unless it is there already."""
    if target.data_ptr() != source.data_ptr():
        target.copy_(source)


def name_of(function: Any) -> str:
    """Return what a callable is called in messages."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def is_module(function: Any) -> bool:
    """Return whether a callable is a module, with parameters, buffers and hooks."""
    return all(hasattr(function, name) for name in ("parameters", "buffers", "_forward_hooks", "training"))


def check_callable(function: Any, args: Any) -> None:
    """Raise AssertionError for a module with hooks or trainable buffers, or arguments that are no tensors; TypeError
    for what cannot be called, or arguments that are no tuple.
    """
    if not callable(function):
        raise TypeError("make_graphed_callables(): argument 'callables' (position 1) must be a function, a module, or "
                        f"a tuple of them, not {type(function).__name__}")  # fmt: skip
    if not isinstance(args, (tuple, list)):
        raise TypeError("make_graphed_callables(): argument 'sample_args' (position 2) must be a tuple of tensors, as "
                        "(x,), or, for a tuple of callables, of such tuples; got for "
                        f"{name_of(function)}: {type(args).__name__}")  # fmt: skip
    if is_module(function):
        if function._backward_hooks or function._forward_hooks or function._forward_pre_hooks:
            raise AssertionError(
                "Modules must not have hooks registered at the time they are passed. However, registering hooks on "
                "modules after passing them through make_graphed_callables is allowed."
            )
        if any(one.requires_grad for one in function.buffers()):
            raise AssertionError(
                "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may be "
                "trainable. All buffers must have ``requires_grad=False``."
            )
    if not all(isinstance(one, Tensor) for one in leaves_of(args)):
        raise AssertionError(
            "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."
        )


def leaves_of(value: Any) -> list[Any]:
    """Return the values in nested tuples, lists and dicts."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves_of(item)]
    return [leaf for item in value for leaf in leaves_of(item)] if isinstance(value, (tuple, list)) else [value]


def graph_callables(
    context: type[graph], callables: Any, sample_args: Any, num_warmup_iters: int, allow_unused_input: bool, pool: Any
) -> Any:
    """Return what ``make_graphed_callables`` does, for the type of device of a context."""
    kind = context.graph_class.kind
    if casts_are_cached(kind):
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`."
        )
    if type(num_warmup_iters) is not int or num_warmup_iters < 0:
        raise TypeError("make_graphed_callables(): argument 'num_warmup_iters' must be an int of at least 0, got "
                        f"{num_warmup_iters!r:.60}")  # fmt: skip
    plugin = graph_plugin(kind, "CUDAGraph")
    several = isinstance(callables, tuple)
    functions = callables if several else (callables,)
    samples = sample_args if several else (sample_args,)
    if len(functions) != len(samples):
        raise ValueError(f"make_graphed_callables: {len(functions)} callables, and arguments for {len(samples)}")
    for function, args in zip(functions, samples, strict=True):
        check_callable(function, args)
    pairs = [
        CallableGraphs(function, args, context.graph_class) for function, args in zip(functions, samples, strict=True)
    ]
    pool = plugin.make_graph_pool() if pool is None else pool
    warm_up(kind, pairs, num_warmup_iters, allow_unused_input)
    for one in pairs:
        one.capture_forward(context, pool)
    for one in reversed(pairs):  # the order of backward: the captures share memory
        one.capture_backward(context, pool, allow_unused_input)
    made = [install(one) for one in pairs]
    return tuple(made) if several else made[0]


def warm_up(kind: str, pairs: list[CallableGraphs], num_warmup_iters: int, allow_unused_input: bool) -> None:
    """Run each callable some times on another stream: what is made at the first run is no part of a graph."""
    names = accelerator_functions(kind)
    names["synchronize"]()
    with names["stream"](names["Stream"]()):
        for one in pairs:
            for _ in range(num_warmup_iters):
                one.warm_up(allow_unused_input)
    names["synchronize"]()


def install(one: CallableGraphs) -> Any:
    """Return the graphed function; of a module the module, whose forward uses it in the mode of the capture."""
    call, module = one.make_call(), one.function
    if not is_module(module):
        return call
    mode, plain = module.training, module.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs) if module.training == mode else plain(*args, **kwargs)

    module.forward = forward
    return module
