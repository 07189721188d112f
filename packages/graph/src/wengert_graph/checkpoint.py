"""wengert.utils.checkpoint: save memory by computing again. What a function saves for its derivative is dropped, and
computed a second time when backward gets there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from wengert_core.extend import Tensor, casts_again, warn_user
from wengert_engine import Function, backward, enable_grad, is_grad_enabled, no_grad
from wengert_engine.namespaces.variable import Variable

from wengert_graph import checkpoint_errors as errors
from wengert_graph.checkpoint_errors import CheckpointError
from wengert_graph.recomputing import Segment, generator_states, random_state
from wengert_graph.selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

__all__ = ["SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "SelectiveCheckpointContext",
           "check_backward_validity", "checkpoint", "checkpoint_sequential", "create_selective_checkpoint_contexts",
           "detach_variable", "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop"]

R = TypeVar("R")
CHECKS = ("default", "none")
Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


class Wishes:
    """What the context managers below have set, for all threads; None: as each checkpoint says."""

    early_stop: bool | None = None
    debug: bool | None = None


def noop_context_fn() -> Contexts:
    """Contexts for the first and the second run that do nothing: the default of ``context_fn``.

    >>> from wengert.utils.checkpoint import noop_context_fn
    >>> first, again = noop_context_fn()
    >>> with first, again:
    ...     pass
    """
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Generator[None, None, None]:
    """In this context, checkpoints with use_reentrant=False stop (or not) their second run once all is computed that
    backward needs, whatever their argument ``early_stop`` says.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> x = wg.ones(2, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(lambda x: (x.exp(), print("to the end"))[0], x, use_reentrant=False)
    to the end
    >>> y.sum().backward()
    to the end
    """
    before, Wishes.early_stop = Wishes.early_stop, enable
    try:
        yield
    finally:
        Wishes.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Generator[None, None, None]:
    """In this context, checkpoints with use_reentrant=False remember where tensors are saved, for their error messages,
    or not (False), whatever their argument ``debug`` says; None: as that says.

    >>> from wengert.utils.checkpoint import set_checkpoint_debug_enabled
    >>> with set_checkpoint_debug_enabled(True):
    ...     pass
    """
    before, Wishes.debug = Wishes.debug, enabled
    try:
        yield
    finally:
        Wishes.debug = before


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn when no tensor among the inputs requires grad.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import check_backward_validity
    >>> check_backward_validity([wg.ones(2, requires_grad=True), 3])
    """
    if not any(isinstance(one, Tensor) and one.requires_grad for one in inputs):
        warn_user("None of the inputs have requires_grad=True. Gradients will be None")


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors as leaves that share their memory and require grad where they did; other values as they are.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import detach_variable
    >>> detach_variable((wg.ones(2, requires_grad=True) * 2, 3))
    (tensor([2., 2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise errors.not_a_tuple(inputs)
    return tuple(_detach(one) if isinstance(one, Tensor) else one for one in inputs)


def _detach(tensor: Any) -> Any:
    leaf = tensor.detach()
    leaf.requires_grad = tensor.requires_grad
    return leaf


class CheckpointFunction(Function):
    """The reentrant way: a Function whose backward runs the function again, and backward through that.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import CheckpointFunction
    >>> CheckpointFunction.apply(wg.exp, True, wg.zeros(2, requires_grad=True))
    tensor([1., 1.], grad_fn=<CheckpointFunctionBackward>)
    """

    _is_all_operations = True
    """Nothing but operations, though the code writes to ``ctx``: whoever reads it for side effects looks here."""
    _needs_whole_backward = True
    """No gradients of chosen inputs: whoever would ask for these, such as a captured function, looks here."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.rng_state, ctx.casts = generator_states() if preserve_rng_state else None, casts_again()
        ctx.inputs = [None if isinstance(one, Tensor) else one for one in args]
        ctx.positions = [i for i, one in enumerate(args) if isinstance(one, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.positions))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        if not Variable._execution_engine.is_checkpoint_valid():
            raise errors.incompatible_with_grad()
        inputs = list(ctx.inputs)
        for position, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
            inputs[position] = tensor
        leaves = detach_variable(tuple(inputs))
        with random_state(ctx.rng_state), ctx.casts(), enable_grad():
            outputs = ctx.run_function(*leaves)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = [(output, grad) for output, grad in zip(outputs, args, strict=True)
                 if isinstance(output, Tensor) and output.requires_grad]
        if not pairs:
            raise errors.unnecessary()
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *(leaf.grad if isinstance(leaf, Tensor) else None for leaf in leaves)


def checkpoint(function: Callable[..., R], *args: Any, use_reentrant: bool | None = None,
               context_fn: Callable[[], Contexts] = noop_context_fn, determinism_check: str = "default",
               debug: bool = False, early_stop: bool = True, **kwargs: Any) -> R:
    """``function(*args, **kwargs)``, without keeping what its derivative needs: backward computes it again.

    use_reentrant: False (say so: the default, True, warns) is the way that works everywhere: keyword arguments,
    captured parameters, ``autograd.grad``, higher derivatives. True: a Function that calls backward inside of backward.
    preserve_rng_state=True: the second run draws the same random numbers.
    The rest only with use_reentrant=False. context_fn: gives a context for the first and one for the second run.
    determinism_check: "default" compares shape, dtype and device of what the two runs save, "none" does not.
    debug: errors show where each tensor was saved. early_stop: end the second run once all is there.
    Raises CheckpointError, in backward, where the second run saves something else than the first.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> y = checkpoint(lambda x, power: (x ** power).exp(), x, 2, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad.equal(2 * x * (x * x).exp())
    True
    """
    if use_reentrant is None:
        warn_user(f"torch.utils.checkpoint: {errors.EXPLICIT}")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        if determinism_check not in CHECKS:
            raise errors.no_such_check(determinism_check, CHECKS)
        result: R = _later(function, args, kwargs, context_fn(), preserve=preserve,
                           check_facts=determinism_check != "none",
                           debug=debug if Wishes.debug is None else Wishes.debug,
                           early_stop=early_stop if Wishes.early_stop is None else Wishes.early_stop)
        return result
    if kwargs:
        raise errors.unexpected_keywords(list(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise errors.only_without_reentry()
    output: R = CheckpointFunction.apply(function, preserve, *args)
    return output


def _later(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], contexts: Contexts,
           **settings: Any) -> Any:
    """The way without reentry: run as a segment. settings: attributes of Segment."""
    if not is_grad_enabled():
        return function(*args, **kwargs)
    first, again = contexts
    segment = Segment(function, args, kwargs, again, **settings)
    with segment.hooks(), first:
        result = function(*args, **kwargs)
    segment.complete = True
    return result


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None,
                          **kwargs: Any) -> Any:
    """The functions one after the other, in ``segments`` parts of which all but the last are checkpointed.

    functions: a sequence, or a module whose ``children()`` are one. kwargs: preserve_rng_state.

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint_sequential
    >>> x = wg.zeros(2, requires_grad=True)
    >>> checkpoint_sequential([wg.sin, wg.cos, wg.exp, wg.sqrt], 2, x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([-0., -0.])
    """
    if use_reentrant is None:
        warn_user(f"torch.utils.checkpoint.checkpoint_sequential: {errors.EXPLICIT_SEQUENTIAL}")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise errors.unexpected_keywords(list(kwargs))
    parts = list(functions.children()) if hasattr(functions, "children") else functions
    size = len(parts) // segments
    done = 0
    for start in range(0, size * (segments - 1), size):
        done = start + size
        input = checkpoint(_in_turn(parts[start:done]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _in_turn(parts[done:])(input)


def _in_turn(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return run
