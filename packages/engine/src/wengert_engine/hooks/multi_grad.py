"""A hook over the gradients of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from wengert_core.messages.short_repr import short_repr
from wengert_core.tensors.tensor import Tensor

from wengert_engine.graph.removable_handle import RemovableHandle
from wengert_engine.graph.tensor_attributes import edge_of
from wengert_engine.reverse.launch import run_notes, will_run

MODES = ("all", "any")


class MultiHandle(RemovableHandle):
    """Removes the hooks of several tensors."""

    __slots__ = ("handles",)

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles: tuple[RemovableHandle, ...] = tuple(handles)

    def remove(self) -> None:
        """Remove the hooks; harmless when they are gone already."""
        for handle in self.handles:
            handle.remove()


class PendingGrads:
    """The gradients that one run has brought so far."""

    def __init__(self, expected: int, n: int) -> None:
        self.missing = expected
        self.grads: list[Any] = [None] * n


def checked_tensors(tensors: Any) -> tuple[Tensor, ...]:
    """An argument that is a sequence of tensors, as a tuple; TypeError for anything else."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, Iterable):
        raise TypeError("register_multi_grad_hook(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    found: list[Tensor] = []
    for i, one in enumerate(tensors):  # one by one: what says that it has 2**31 items is not given the memory for them
        if not isinstance(one, Tensor):
            raise TypeError("register_multi_grad_hook(): argument 'tensors' must be tuple of Tensors, expected Tensor "
                            f"as element {i}, but got {type(one).__name__}")
        found.append(one)
    return tuple(found)


def nodes_of(tensors: tuple[Tensor, ...]) -> list[Any]:
    """The node of each tensor; AssertionError for one that does not require grad."""
    nodes = [edge[0] for edge in map(edge_of, tensors) if edge is not None]
    if len(nodes) != len(tensors):
        raise AssertionError("Expected gradient function to be set")
    return nodes


def counting_hook(gather: Callable[[int, Any], None], index: int) -> Callable[[Any], None]:
    """A hook that is called for each output of a node that runs, also where that stands for a part of a graph."""
    hook = partial(gather, index)
    hook.counts_outputs = True  # type: ignore[attr-defined]
    return hook


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all") -> MultiHandle:
    """Call ``fn`` once in every run through the graph that brings gradients of ``tensors``.

    mode "all": when the gradients of all that the run reaches are there, ``fn(grads)`` with None for the others.
    mode "any": at the first of them, ``fn(grad)``.
    What fn returns is ignored. Returns a handle with ``remove()``.

    >>> import wengert_core as wc
    >>> from wengert_engine.hooks.multi_grad import register_multi_grad_hook
    >>> a, b, c = (wc.ones(1, requires_grad=True) for _ in range(3))
    >>> handle = register_multi_grad_hook([a, b, c], lambda grads: print([g is not None for g in grads]))
    >>> (a * b).backward()
    [True, True, False]
    """
    if mode not in MODES:
        raise ValueError(f"Expects mode to be one of {MODES} but got {short_repr(mode, str)}")
    tensors = checked_tensors(tensors)
    if not callable(fn):
        raise TypeError(f"register_multi_grad_hook(): argument 'fn' must be callable, not {type(fn).__name__}")
    if mode == "any":
        tensors = tuple(tensor for tensor in tensors if tensor.requires_grad)
    nodes = nodes_of(tensors)
    key = object()                      # of this hook in the notes of a run

    def gather(index: int, grad: Any) -> None:
        notes = run_notes()
        gathered = notes.get(key)
        if gathered is None:
            gathered = notes[key] = PendingGrads(sum(will_run(nodes, nodes[index])), len(nodes))
        gathered.grads[index] = grad
        gathered.missing -= 1
        if gathered.missing == 0:
            fn(gathered.grads)

    def first(grad: Any) -> None:
        notes = run_notes()
        if grad is not None and key not in notes:
            notes[key] = True
            fn(grad)

    def hook_of(index: int) -> Callable[[Any], None]:
        return first if mode == "any" else counting_hook(gather, index)

    return MultiHandle([tensor.register_hook(hook_of(i)) for i, tensor in enumerate(tensors)])
