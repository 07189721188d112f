"""Paused calls: recorded calls of a captured function whose first backward goes on in their recording.

Note [One recording for a call and its backward]
    A call that is recorded keeps the graph of its operations, and its recording pauses: what is freed meanwhile goes
    back to the recording's pool, which gives out nothing. The first backward of the call goes on there, so that the
    function runs once, and one program is made of both. Where that cannot be (another call comes first, somebody has
    written to a result, an argument has hooks or leads to another one, the backward builds a graph), the graph is
    dropped, and the recording becomes a program of the call alone; backward runs the function again.
    A call whose graph nobody has any more closes the pool, as the allocator is slower while one is open, and lets its
    arguments and results go: an eager call holds none of them then.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine.extend import reachable_leaves

from wengert_replay.history.joint import add_return_point
from wengert_replay.history.node import gradients_of_results
from wengert_replay.history.outside import versions_of
from wengert_replay.history.runs import Form, Graph, Way
from wengert_replay.recording.tracing import Recording


class PausedCall:
    """A call whose recording pauses. Note [One recording for a call and its backward]"""

    recording: Recording
    graph: Callable[[], Graph | None]
    results: list[Tensor]
    form: Form
    way: Way
    versions: list[int]

    def __init__(self, graph: Graph, recording: Recording, results: list[Tensor], form: Form, way: Way) -> None:
        """results: without a graph."""
        own = weakref.ref(self)
        self.graph = weakref.ref(graph, lambda _: let_go(own()))
        self.recording, self.results = recording, results
        self.form, self.way = form, way
        self.versions = versions_of(results)
        recording.pause()

    def take_results(self) -> list[Tensor]:
        """Return the results with the graph, which goes with them; none where it is gone."""
        graph, self.graph = self.graph(), no_graph
        return [] if graph is None else graph.take()

    def has_results(self) -> bool:
        """Whether nobody has written to the results."""
        return versions_of(self.results) == self.versions

    def may_go_on(self) -> bool:
        """Whether a backward may go on in the recording. It is an eager one, which sees itself what was written."""
        return (
            self.graph() is not None
            and self.has_results()
            and all(one is not None for one in self.form.leaves)
            and all(one.requires_grad for one in self.form.leaves)
            and all(self.recording.inputs[i].requires_grad for i in self.form.ends)
            and self.ends_at_arguments()
        )

    def ends_at_arguments(self) -> bool:
        """Whether gradients of arguments and leaves are those of the function alone.

        Hooks of arguments are called where the node's gradients arrive, and what leads from one argument to another, or
        to a leaf, is not the function's.
        """
        arguments: list[Any] = [self.recording.inputs[i] for i in self.form.ends]
        if any(one._backward_hooks or one.retains_grad for one in arguments):
            return False
        nodes = {id(one.grad_fn): one.grad_fn for one in arguments if one.grad_fn is not None}
        leaves, _ = reachable_leaves(list(nodes.values()), [], 0)
        ends = {id(one) for one in (*arguments, *self.form.leaves)}
        return len(nodes) < 2 and all(id(one) not in ends for one in leaves)

    def go_on(self, given: list[Tensor], pattern: Sequence[bool]) -> tuple[list[Tensor | None], int]:
        """Record the gradients of the results; return them, and the number of the launch where the call has ended.

        given: gradients of those outputs that ``pattern`` is true for, with memory that is the recording's. The graph
        is gone behind the recording.
        """
        results = self.take_results()
        inputs = list(self.recording.inputs)
        try:
            self.recording.reopen(given)
            return_point = add_return_point(self.recording, gradients_of_results.__code__)
            found = gradients_of_results(results, inputs, given, self.form, pattern)
        finally:
            self.recording.stop()
        return found, return_point


def no_graph() -> None:
    """Stands for a reference to a graph that is gone."""


def let_go(paused: PausedCall | None) -> None:
    """Let a call hold no tensors whose graph is gone."""
    if paused is not None:
        paused.results = paused.recording.forget_tensors(paused.results)


def pause_call(recording: Recording, results: list[Tensor], form: Form, way: Way) -> tuple[PausedCall, Graph]:
    """Let a recording that has stopped pause; results with a graph are replaced by tensors without."""
    graph = Graph(recording, list(results))
    plain = list(results)  # of their own: those in ``results`` become outputs of a node
    for i in form.outputs:
        results[i], plain[i] = results[i].detach(), results[i].detach()
    return PausedCall(graph, recording, plain, form, way), graph
