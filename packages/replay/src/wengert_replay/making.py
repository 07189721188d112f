"""Making: a program of a recording that has stopped, and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor

from wengert_replay.arguments import describe_tensors
from wengert_replay.collecting import collect_young
from wengert_replay.graphs import is_spent, walk
from wengert_replay.history.outside import predates
from wengert_replay.owners import blocks_of, maker_of
from wengert_replay.programs.program import Program
from wengert_replay.recording.tracing import Recording, thread_modes
from wengert_replay.refusal import (
    BACKWARD_AND_GRAPH,
    NESTED_RESULT,
    OWN_GRADIENT,
    SHARED_OUTSIDE,
    SHARED_RESULTS,
    Miss,
    Refusal,
    stored_words,
    unknown_object,
)
from wengert_replay.signature import Unhashable, containers, find_state, flatten, surroundings


def make_program(recording: Recording, result: Any, arguments: Any, miss: Miss | None) -> Program:
    """Return the program of a recording that has stopped. Raises Refusal.

    arguments: their structure.   miss: where the program that it is a branch of has stopped.
    """
    results: list[Tensor] = []
    try:
        shape = flatten(result, results)
    except Unhashable as error:
        raise Refusal(unknown_object(error)) from None
    except RecursionError:
        raise Refusal(NESTED_RESULT) from None
    kind = find_state(shape, arguments)
    if kind is not None:
        raise Refusal(f"the result has an object of type {kind.__name__} in it, which each call makes anew")
    known = {id(leaf) for leaf, _ in recording.leaves.values()}
    if any(one.is_leaf and one.requires_grad and one.grad is not None and id(one) not in known
           and not predates(one, recording) for one in results):  # fmt: skip
        raise Refusal(OWN_GRADIENT)
    if leads_to_own_gradient(results, recording):
        raise Refusal(BACKWARD_AND_GRAPH)
    grads = [leaf.grad for leaf, _ in recording.leaves.values() if leaf.grad is not None]
    live = blocks_in_use(recording, [*results, *grads])
    owners = [tensor.untyped_storage().data_ptr() for tensor in {id(one): one for one in [*results, *grads]}.values()]
    if len({one for one in owners if one in live}) < sum(one in live for one in owners):
        raise Refusal(SHARED_RESULTS)
    fork = () if miss is None else (miss.node, miss.number, miss.seen)
    return Program(recording, results, live, lambda node: is_spent(node, recording.inputs), shape, *fork)


def leads_to_own_gradient(results: list[Tensor], recording: Recording) -> bool:
    """Whether the graph of a result, though freed, leads to a leaf of the function's own, which has got a gradient.

    A replay would give the same leaf each time.
    """
    own = {id(leaf) for leaf, before in recording.leaves.values() if leaf.grad is not before
           and (id(leaf) in recording.made or not predates(leaf, recording))}  # fmt: skip
    return bool(own) and any(id(leaf) in own for one in results for _, leaf in walk([one.grad_fn]))


def why_no_program(recording: Recording, key: Any, tensors: list[Tensor], args: Any, kwargs: Any, result: Any) -> str:
    """Return what the function has done that a replay would not do; "" for nothing."""
    if (thread_modes(), surroundings()) != (key[2], key[3]):
        return "the function leaves a mode changed: whether gradients are recorded, the default dtype, or the like"
    described, why = describe_tensors(tensors)
    rows = [[row[:4] + row[5:6] for row in one] for one in (described or (), key[1])]  # without has_grad
    if why or rows[0] != rows[1]:
        return "the function changes shape, dtype or requires_grad of an argument"
    if recording.reaches_argument():
        return SHARED_OUTSIDE
    now: list[Tensor] = []
    try:
        unchanged = bool(flatten((args, kwargs), now) == key[0])
    except Exception:  # of a class of the user's, or Unhashable
        unchanged = False
    if not unchanged or any(one is not other for one, other in zip(now, tensors, strict=True)):
        return "the function changes a list, a dict or a dataclass among its arguments"
    try:
        shared = containers((args, kwargs)) & containers(result)
    except RecursionError:
        return NESTED_RESULT
    return "a list, a dict or a dataclass among the arguments is in the result" if shared else ""


def blocks_in_use(
    recording: Recording, tensors: list[Tensor], collect: Callable[[], Any] = collect_young
) -> set[int]:
    """Return the addresses of the recording's blocks that these tensors have. collect: frees garbage.

    Raises Refusal where other blocks are in use, too, or where no step computes a tensor.
    """
    why = recording.why_not_made(tensors)
    if why:
        raise Refusal(why)
    used = {tensor.untyped_storage().data_ptr() for tensor in tensors} | blocks_of(recording, tensors)
    if not recording.live_blocks() <= used:
        collect()
    live = recording.live_blocks()
    if not live <= used:
        raise Refusal(stored_words(len(live - used), maker_of(recording, live - used)), transient=True)
    return live
