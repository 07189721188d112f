"""Checkpointing by hooks: what a segment saved is computed again when backward first asks for it.

Note [What stands for a saved tensor]
    While the segment runs, each tensor that it saves is replaced by a Holder, and dies. When backward wants the first
    one back, the segment runs again, and what it saves then goes to the holders, one after the other. A holder dies
    with the node that owns it, so the values are freed one by one while backward goes on.
    The segment's arguments are saved by a node of their own (KeepArguments), recorded outside of the segment: if that
    lies in another checkpointed segment, they are computed again too, and a write to one of them is noticed.

Note [Generators in a program]
    No operation reads or sets the state of a generator. A program that is recorded calls these functions in each
    replay, so that its second run of a segment draws the numbers of its first.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from weakref import ref

from wengert_core import empty, equal
from wengert_core.extend import Tensor, casts_again, rng_states
from wengert_engine import Function, enable_grad
from wengert_engine.extend import current_tracer, graph_task_id, saved_values
from wengert_engine.namespaces.graph import saved_tensors_hooks
from wengert_engine.namespaces.variable import Variable

from wengert_graph import checkpoint_errors as errors
from wengert_graph.selective import KeepingContext


class StopRecomputationError(BaseException):
    """All that is needed has been computed. No Exception: functions which catch those shall not catch this."""


UNPACKED = object()
"""Stands for a value that has been handed out: a node asks for it once."""


class Holder:
    """Stands for a saved tensor. Note [What stands for a saved tensor]."""

    __slots__ = ("__weakref__", "index", "segment", "values")

    def __init__(self, segment: Segment, index: int) -> None:
        self.segment, self.index = segment, index
        self.values: dict[int, Any] = {}  # by the number of the backward that wanted them

    def held_values(self) -> list[Any]:
        """What is held in its place, for reports: the segment's arguments, and what has been computed again."""
        again = [value for value in self.values.values() if value is not UNPACKED]
        if isinstance(self.segment.again, KeepingContext):
            again += self.segment.again.held_values()
        return [value for _, _, value in saved_values(self.segment.held_values)] + again


class KeepArguments(Function):
    """Saves a segment's tensor arguments; its output is never used."""

    _inside_transforms = True

    @staticmethod
    def forward(ctx: Any, anchor: Any, *arguments: Any) -> Any:
        tensors = [one for one in arguments if isinstance(one, Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.others = [None if isinstance(one, Tensor) else one for one in arguments]
        ctx.is_tensor = [isinstance(one, Tensor) for one in arguments]
        return anchor.detach()

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return None

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("nothing leads to the node that keeps a checkpoint's arguments")


def generator_states() -> tuple[Tensor, ...]:
    """Return the states of the default generators. Note [Generators in a program]"""
    tracer = current_tracer()
    states: tuple[Tensor, ...] = _states() if tracer is None else tracer.call_python(_states, (), {})
    return states


def set_generator_states(states: tuple[Tensor, ...]) -> None:
    """Let the default generators go on from states. Note [Generators in a program]"""
    tracer = current_tracer()
    if tracer is None:
        _set_states(*states)
    else:
        tracer.call_python(_set_states, states, {})


def _states() -> tuple[Tensor, ...]:
    return tuple([state for _, state in rng_states()])


def _set_states(*states: Tensor) -> None:
    """Set states where that makes a difference: it costs several times as much as looking."""
    for (generator, now), then in zip(rng_states(), states, strict=False):
        if not equal(now, then):
            generator.set_state(then)


# A device's program calls them among its draws of random numbers.
_states._is_of_generators = _set_states._is_of_generators = True  # type: ignore[attr-defined]


@contextmanager
def random_state(states: tuple[Tensor, ...] | None) -> Generator[None, None, None]:
    """Draw random numbers from ``states`` on, and afterwards as if nothing had happened; None: no change."""
    if states is None:
        yield
        return
    before = generator_states()
    set_generator_states(states)
    try:
        yield
    finally:
        set_generator_states(before)


def facts(tensor: Any) -> dict[str, Any]:
    """What has to be the same the second time."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class Segment:
    """One call of a checkpointed function. again: the context of the second run."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], again: Any,
                 *, preserve: bool, check_facts: bool, debug: bool, early_stop: bool) -> None:
        self.function, self.keywords, self.again = function, keywords, again
        self.check_facts, self.early_stop = check_facts, early_stop
        self.rng_state, self.casts = generator_states() if preserve else None, casts_again()
        self.held_values: Any = KeepArguments.apply(empty(0, requires_grad=True), *arguments).grad_fn
        self.holders: list[ref[Holder]] = []
        self.facts: list[Any] = []
        self.locations: list[str] | None = [] if debug else None  # where each was saved
        self.complete = False  # the first run is over
        self.may_differ = False  # backward began before that: what was saved until then is a part only

    # ---- the first run

    def hooks(self) -> Any:
        """The context of the first run."""
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Any) -> Holder:
        holder = Holder(self, len(self.holders))
        self.holders.append(ref(holder))
        self.facts.append(facts(tensor) if self.check_facts else None)
        if self.locations is not None:
            self.locations.append(current_location())
        return holder

    def unpack(self, holder: Holder) -> Any:
        run = graph_task_id()
        if run == 0:  # somebody looks at a saved tensor
            return self.recompute()[holder.index]
        if run not in holder.values:
            values = self.recompute()
            for one, value in zip(self.holders, values, strict=False):
                alive = one()
                if alive is not None:
                    alive.values[run] = value
            Variable._execution_engine.queue_callback(lambda: self.forget(run))
        value = holder.values[run]
        if value is UNPACKED:
            raise errors.second_unpack()
        holder.values[run] = UNPACKED
        return value

    def forget(self, run: int) -> None:
        """A backward is over which has kept the graph: a further one computes again."""
        for one in self.holders:
            alive = one()
            if alive is not None:
                alive.values.pop(run, None)

    # ---- the second run

    def arguments(self) -> list[Any]:
        tensors = iter(self.held_values.saved_tensors)
        return [next(tensors) if is_tensor else other
                for is_tensor, other in zip(self.held_values.is_tensor, self.held_values.others, strict=True)]

    def recompute(self) -> list[Any]:
        """Run again; returns what was saved. Raises CheckpointError where that does not fit to the first run."""
        second = SecondRun(self)
        arguments = self.arguments()
        self.may_differ |= not self.complete
        try:
            with (random_state(self.rng_state), enable_grad(), self.casts(), self.again,
                  saved_tensors_hooks(second.pack, lambda tensor: tensor)):
                self.function(*arguments, **self.keywords)
        except StopRecomputationError as stop:
            if stop.args != (id(second),):
                raise
        try:
            self.compare(second)
        except errors.CheckpointError as error:
            if self.locations is None:
                raise
            raise errors.with_locations(error, self.locations, second.locations) from error
        return second.values

    def compare(self, second: SecondRun) -> None:
        if second.surplus and not self.may_differ:
            raise errors.too_many()
        if len(second.values) != len(self.holders) and not self.may_differ:
            raise errors.other_number(len(self.holders), len(second.values))
        if not self.check_facts:
            return
        triples = zip(self.holders, self.facts, second.values, strict=False)
        different = [(i, before, facts(now)) for i, (holder, before, now) in enumerate(triples)
                     if holder() is not None and before != facts(now)]
        if different:
            raise errors.other_facts(different)


class SecondRun:
    """What is saved while a segment runs again."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.values: list[Any] = []
        self.locations: list[str] = []
        self.surplus = False

    def pack(self, tensor: Any) -> Any:
        wanted = len(self.segment.holders)
        if self.segment.locations is not None:
            self.locations.append(current_location())
        if len(self.values) >= wanted:
            self.surplus = True
            return tensor.detach()
        self.values.append(tensor.detach() if tensor.requires_grad else tensor)  # what is one tensor stays one
        if self.segment.early_stop and len(self.values) == wanted:
            raise StopRecomputationError(id(self))
        return tensor.detach()


def current_location() -> str:
    """The lines of the user's program that lead here, without our own."""
    own = ("wengert_graph", "wengert_engine", "wengert_core")
    frames = [frame for frame in traceback.extract_stack() if not any(f"/{name}/" in frame.filename for name in own)]
    return "".join(traceback.format_list(frames[-4:]))
