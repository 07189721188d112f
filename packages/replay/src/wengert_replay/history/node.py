"""Nodes: the gradients of a call of a captured function, by running it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine import grad, inference_mode
from wengert_engine.extend import reachable_leaves

from wengert_replay.history.outside import shares_memory, versions_of, was_replaced
from wengert_replay.history.runs import Form, Run
from wengert_replay.history.shared_gradients import with_own_memory
from wengert_replay.history.states import Modes, RestoredFlags, RestoredState, WithoutHooks
from wengert_replay.refusal import NO_HISTORY, Refusal
from wengert_replay.signature import flatten


def restore_state(run: Run) -> RestoredState:
    """Return a block with memory outside and generators as they were before the call. It gives what may end that."""
    return RestoredState(run, check_outside)


def check_outside(run: Run) -> None:
    """Raise RuntimeError where a tensor from outside is not what it was in the call: the function runs again."""
    if versions_of(run.form.read) != run.versions:
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: a "
            f"tensor from outside that {run.history.name} has read, which backward runs again. Clone it before, "
            "or call backward() first"
        )
    joint = run.joint or run.way.joint
    is_replaced = run.way.is_replaced or was_replaced(run.form.tensors)
    if is_replaced or (joint is not None and joint.program.was_replaced()):
        raise RuntimeError(
            f"a tensor from outside that {run.history.name} has read was replaced between the call and its backward, "
            "which runs the function again: call backward() first"
        )


def arguments_of_call(inputs: Sequence[Tensor], ends: Sequence[int]) -> list[Tensor]:
    """Return arguments that require gradients as in the call: ``requires_grad_()`` may have changed that since.

    ends: the numbers of those that do.
    """
    return [one if one.requires_grad == (i in ends) else one.detach().requires_grad_(i in ends)
            for i, one in enumerate(inputs)]  # fmt: skip


def leaves_like(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return leaves in place of tensors that require gradients, with the same memory and hooks.

    The function may ask for their gradients, which calls the hooks; ``WithoutHooks`` is for the gradients of results.
    """
    with inference_mode(False):
        return [leaf_like(one) if one.requires_grad else one for one in tensors]


def leaf_like(tensor: Any) -> Tensor:
    leaf: Any = tensor.detach().requires_grad_()
    hooks = tensor._backward_hooks
    if hooks:
        leaf._backward_hooks = dict(hooks)
    return leaf  # type: ignore[no-any-return]


def has_graph(tensor: Tensor) -> bool:
    """Return whether a result has a graph. Refusal for a view made under ``no_grad`` whose base got a history later."""
    try:
        return tensor.requires_grad and not tensor.is_leaf
    except RuntimeError:
        raise Refusal(NO_HISTORY) from None


def arguments_from_outside(roots: Sequence[Tensor], inputs: Sequence[Tensor], form: Form) -> dict[Tensor, int]:
    """Return arguments that the function also uses from outside, each with its place among those that get gradients.

    inputs: leaves that stand for the arguments and have their memory.
    """
    leaves, _ = reachable_leaves([root.grad_fn for root in roots], [], 0)
    known = {id(one) for one in (*inputs, *form.leaves)}
    places = {number: [inputs[number]] for number in form.ends}
    found = [(leaf, [at for at, number in enumerate(form.ends) if shares_memory(leaf, places[number])])
             for leaf in leaves if id(leaf) not in known]  # fmt: skip
    return {leaf: at[0] for leaf, at in found if at}


def gradients_of(
    function: Callable[[list[Tensor]], Any],
    inputs: list[Tensor],
    given: list[Tensor],
    form: Form,
    pattern: Sequence[bool],
    note_return: Callable[[], None] | None = None,
    create_graph: bool = False,
    modes: Modes | None = None,
) -> tuple[list[Tensor], list[Tensor | None]]:
    """Run a function and differentiate it; return its results, without a graph, and the gradients of inputs and leaves.

    inputs: leaves.   given: gradients of those outputs that ``pattern`` is true for.   note_return: is called between
    the two.   modes: of the call; None: those of now, while gradients are recorded. Raises RuntimeError where the
    results are others than those of the call.
    """
    results: list[Tensor] = []
    with RestoredFlags(form), (modes or Modes.of_gradients()).restore():
        structure = flatten(function(inputs), results)
    if structure != form.structure or outputs_of(results) != form.outputs:
        raise RuntimeError("a captured function gives other results when backward runs it again than in the call")
    if note_return is not None:
        note_return()
    gradients = differentiate(results, inputs, given, form, pattern, create_graph)
    return [one.detach() if has_graph(one) else one for one in results], gradients


def check_results(name: str, expected: Sequence[Tensor] | None, results: Sequence[Tensor]) -> None:
    """Raise RuntimeError where a function has given other numbers than its program; None: that has not run."""
    if expected is None or (len(expected) == len(results) and all(map(has_numbers_of, expected, results))):
        return
    raise RuntimeError(
        f"wengert.capture: backward runs {name} again, which now gives other numbers than in the call: it depends on "
        "Python's state, which has changed in between. Give what changes to the function as an argument, or call "
        "backward() before it changes"
    )


def has_numbers_of(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same numbers, NaN in the same places."""
    if one.dtype is not other.dtype or one.shape != other.shape:
        return False
    one, other = one.detach(), other.detach()
    return bool(((one == other) | ((one != one) & (other != other))).all())


def outputs_of(results: Sequence[Tensor]) -> list[int]:
    """Return the numbers of the results of a run on leaves that have a graph."""
    return [i for i, one in enumerate(results) if has_graph(one)]


def differentiate(
    results: list[Tensor],
    inputs: list[Tensor],
    given: list[Tensor],
    form: Form,
    pattern: Sequence[bool],
    create_graph: bool = False,
) -> list[Tensor | None]:
    """Return the gradients of inputs and leaves; the graph of the results is kept.

    Note [Gradients that share memory] in shared_gradients.py
    """
    roots = [results[i] for i, wanted in zip(form.outputs, pattern, strict=True) if wanted]
    leaves = form.leaves
    ends = [*(inputs[i] for i in form.ends), *leaves]
    twice = arguments_from_outside(roots, inputs, form)
    with RestoredFlags(form), WithoutHooks([*ends, *twice]):
        parts = grad(roots, [*ends, *twice], given, retain_graph=True, create_graph=create_graph, allow_unused=True)
    found = list(parts[: len(ends)])
    for number, part in zip(twice.values(), parts[len(ends) :], strict=True):
        ours = found[number]
        found[number] = part if ours is None else ours if part is None else ours + part
    return with_own_memory(found, [*inputs, *leaves, *results], given, create_graph)


def gradients_of_results(
    results: list[Tensor], inputs: list[Tensor], given: list[Tensor], form: Form, pattern: Sequence[bool]
) -> list[Tensor | None]:
    """Return the gradients of inputs and leaves, for results of a call on the arguments themselves.

    What the graph has saved stays, so that nothing is written there: another backward of a replay reads it again.
    """
    roots = [results[i] for i, wanted in zip(form.outputs, pattern, strict=True) if wanted]
    leaves = form.leaves
    ends = [*(inputs[i] for i in form.ends), *leaves]
    with WithoutHooks(leaves):
        found = grad(roots, ends, given, retain_graph=True, allow_unused=True)
    return with_own_memory(found, [*inputs, *leaves, *results], given)
