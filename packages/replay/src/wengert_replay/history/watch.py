"""Watch: what a function does to the graph, while it is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wengert_core.extend import DisableTorchFunctionSubclass, Tensor
from wengert_engine import RemovableHandle

from wengert_replay.graphs import is_freed
from wengert_replay.history.edges import graph_clock
from wengert_replay.history.node import has_graph
from wengert_replay.history.outside import histories_of, numbers_of_hooks
from wengert_replay.history.states import State
from wengert_replay.refusal import Refusal
from wengert_replay.signature import Unhashable, flatten


def retain_flags(tensors: list[Tensor]) -> list[bool]:
    """Return which tensors keep their gradients. Subclasses do not hear of it."""
    with DisableTorchFunctionSubclass():
        return [one.retains_grad for one in tensors]


class Watch:
    """The graph and the tensors as they were before a function ran."""

    tensors: list[Tensor]
    histories: list[tuple[int, int]]
    clock: int
    state: State
    retained: list[bool]
    last_hook: int

    def __init__(self, tensors: list[Tensor], written: list[Tensor], generators: list[Any]) -> None:
        """tensors: those among the arguments.   written: tensors from outside that calls before have written to.
        generators: those that calls before have drawn from, beside default ones.
        """
        self.tensors, self.histories = tensors, histories_of(tensors)
        self.retained = retain_flags(tensors)
        self.clock, self.state = graph_clock(), State(written, True, generators)
        self.last_hook = RemovableHandle({}).id  # those of hooks rise

    def refusal(self) -> str:
        """Return why the function cannot be replayed: "" or words."""
        if histories_of(self.tensors) != self.histories:
            return "the function changes the history of an argument"
        if retain_flags(self.tensors) != self.retained:
            return "the function lets an argument keep its gradient (retain_grad())"
        return ""

    def refuse_new_hooks(self, outside: Iterable[Tensor]) -> None:
        """Raise Refusal where the function has registered a hook on an argument or a tensor from outside.

        Each call does that; a replay would not, and a backward that runs the function again would do it twice.
        """
        for one in (*self.tensors, *outside):
            if one.requires_grad and any(number > self.last_hook for number in numbers_of_hooks(one)):
                raise Refusal("the function registers a hook on an argument or a tensor from outside", transient=True)

    def finds_graph(self, result: Any) -> bool:
        """Whether a result has a graph that no backward has run and freed."""
        results: list[Tensor] = []
        try:
            flatten(result, results)
        except Unhashable:
            return False
        return any(has_graph(one) and not is_freed(one.grad_fn) for one in results
                   if all(one is not tensor for tensor in self.tensors))  # fmt: skip
