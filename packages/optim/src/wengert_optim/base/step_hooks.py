"""Hooks around every optimizer's step and the label that a step has in profiles."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import wengert

__all__ = [
    "GLOBAL_POST_HOOKS",
    "GLOBAL_PRE_HOOKS",
    "GRAPHS",
    "PROFILER",
    "add_hook",
    "grad_mode_of",
    "in_profile",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "use_grad_for_differentiable",
    "with_hooks",
]

PROFILER = "wengert.autograd.profiler"
"""The module of profiles: a step that runs before it is loaded is in no profile, so it needs no label."""
GRAPHS = "wengert_replay.devices.graphs"
"""The module of graphs of devices: no graph is captured before it is loaded."""
GLOBAL_PRE_HOOKS: OrderedDict[int, Callable[..., Any]] = OrderedDict()
GLOBAL_POST_HOOKS: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def add_hook(hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], prepend: bool = False) -> Any:
    """Add a hook, in front of all others if ``prepend``, and return the handle whose ``remove`` takes it away."""
    from wengert.utils.hooks import RemovableHandle

    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> Any:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimizer; return a handle that can remove it.

    The hook returns None, or a tuple of the ``args`` and ``kwargs`` that the step gets instead.

    >>> import wengert as wg
    >>> def note(optimizer, args, kwargs):
    ...     print("before a step of", type(optimizer).__name__)
    >>> handle = wg.optim.optimizer.register_optimizer_step_pre_hook(note)
    >>> wg.optim.SGD([wg.ones(1, requires_grad=True)]).step()
    before a step of SGD
    >>> handle.remove()
    """
    return add_hook(GLOBAL_PRE_HOOKS, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> Any:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimizer; return a handle that can remove it."""
    return add_hook(GLOBAL_POST_HOOKS, hook)


def in_profile(label: str, function: Callable[..., Any], *args: Any) -> Any:
    """Return ``function(*args)``, which has the label in a profile that is running."""
    profiler = sys.modules.get(PROFILER)
    if profiler is None:
        return function(*args)
    with profiler.record_function(label):
        return function(*args)


def with_hooks(optimizer: Any, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the step between the hooks of all optimizers and those of this one; RuntimeError for a bad result."""
    for hook in [*GLOBAL_PRE_HOOKS.values(), *optimizer._optimizer_step_pre_hooks.values()]:
        result = hook(optimizer, args, kwargs)
        if result is None:
            continue
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
        args, kwargs = result
    value = step(*args, **kwargs)
    for hook in [*optimizer._optimizer_step_post_hooks.values(), *GLOBAL_POST_HOOKS.values()]:
        hook(optimizer, args, kwargs)
    return value


def grad_mode_of(optimizer: Any) -> AbstractContextManager[Any]:
    """Return the context of an optimizer's step: a graph is recorded only if the default ``differentiable`` is true.

    ``set_grad_enabled(False)`` switches when it is made: Ctrl-C before the ``with`` would leave gradients off.
    """
    return wengert.set_grad_enabled(True) if optimizer.defaults["differentiable"] else wengert.no_grad()


def use_grad_for_differentiable(step: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a step so that it records a graph only if the optimizer's default ``differentiable`` is true."""
    from functools import wraps

    @wraps(step)
    def step_in_its_mode(*args: Any, **kwargs: Any) -> Any:
        with grad_mode_of(args[0]):
            return step(*args, **kwargs)

    return step_in_its_mode
