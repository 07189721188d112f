"""Hooks that see all modules of the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from wengert.utils.hooks import RemovableHandle

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]

PARAMETER_REGISTRATION: Hooks = OrderedDict()
MODULE_REGISTRATION: Hooks = OrderedDict()
BUFFER_REGISTRATION: Hooks = OrderedDict()
FORWARD_PRE: Hooks = OrderedDict()
FORWARD: Hooks = OrderedDict()
FORWARD_WITH_KWARGS: OrderedDict[int, bool] = OrderedDict()
FORWARD_ALWAYS: OrderedDict[int, bool] = OrderedDict()
BACKWARD_PRE: Hooks = OrderedDict()
BACKWARD: Hooks = OrderedDict()
FULL_BACKWARD: list[bool | None] = [None]
"""Whether the hooks in BACKWARD are full ones; None while there was none."""
ENABLE: list[Callable[[], None]] = []
"""Called when a hook that calls must look for is registered; ``calls`` puts it here."""

MIXED = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


def register(hooks: Hooks, hook: Hook, **extra: Any) -> RemovableHandle:
    """Add a hook to a table and return the handle that removes it."""
    handle = RemovableHandle(hooks, **extra)
    hooks[handle.id] = hook
    return handle


def register_call_hook(hooks: Hooks, hook: Hook, **extra: Any) -> RemovableHandle:
    """Add a hook that calls of modules must look for."""
    ENABLE[0]()
    return register(hooks, hook, **extra)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when a module gets a buffer; a result that is not None takes its place."""
    return register(BUFFER_REGISTRATION, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when a module gets a child; a result that is not None takes its place."""
    return register(MODULE_REGISTRATION, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, param)`` when a module gets a parameter; a result that is not None takes its place."""
    return register(PARAMETER_REGISTRATION, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before each call of a module; a result that is not None becomes the arguments."""
    return register_call_hook(FORWARD_PRE, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after each call of a module; a result that is not None becomes the output.

    with_kwargs: call ``hook(module, args, kwargs, output)``. always_call: also when the call raises an exception.
    """
    handle = register_call_hook(FORWARD, hook, extra_dict=[FORWARD_WITH_KWARGS, FORWARD_ALWAYS])
    if with_kwargs:
        FORWARD_WITH_KWARGS[handle.id] = True
    if always_call:
        FORWARD_ALWAYS[handle.id] = True
    return handle


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Register a hook of the deprecated kind; ``register_module_full_backward_hook`` takes its place."""
    if FULL_BACKWARD[0] is True:
        raise RuntimeError(MIXED)
    FULL_BACKWARD[0] = False
    return register_call_hook(BACKWARD, hook)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward of each module; a result takes the gradients' place."""
    return register_call_hook(BACKWARD_PRE, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the backward of each module."""
    if FULL_BACKWARD[0] is False:
        raise RuntimeError(MIXED)
    FULL_BACKWARD[0] = True
    return register_call_hook(BACKWARD, hook)
