"""Handles of hooks: what register_hook and its kin return."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Self

from wengert_core.runtime.user_warnings import warn_of_lost_hooks

Hooks = dict[int, Callable[..., Any]]
_ids = count()


class RemovableHandle:
    """Removes a hook: by remove(), or at the end of a with block.

    hooks_dict: where the hook is kept under the handle's ``id``.   extra_dict: another such dict, or a list of them.
    """

    __slots__ = ("extra", "hooks", "id")

    extra: list[Hooks]
    hooks: Hooks
    id: int

    def __init__(self, hooks_dict: Hooks, *, extra_dict: Hooks | list[Hooks] | None = None) -> None:
        self.hooks = hooks_dict
        self.extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self.id = next(_ids)

    def remove(self) -> None:
        """Remove the hook; harmless when it is gone already."""
        for hooks in (self.hooks, *self.extra):
            hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    """Put a hook at the end of ``hooks``; returns its handle. TypeError when it cannot be called."""
    if not callable(hook):
        raise TypeError(f"a hook must be callable, got {type(hook).__name__}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def unserializable_hook(hook: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: pickling a tensor that has this hook loses it without a warning.

    >>> import pickle, wengert_core as wc, wengert_engine
    >>> from wengert_engine.graph.removable_handle import unserializable_hook
    >>> x = wc.ones(2, requires_grad=True)
    >>> handle = x.register_hook(unserializable_hook(lambda grad: grad * 2))
    >>> pickle.loads(pickle.dumps(x)).tolist()
    [1.0, 1.0]
    """
    hook.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return hook


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook of a tensor that pickle will not keep."""
    warn_of_lost_hooks((tensor._backward_hooks or {}).values())
