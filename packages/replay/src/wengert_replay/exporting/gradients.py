"""Gradients of leaves in a file: what a program needs before a call, and what it sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.tensors import address_of

if TYPE_CHECKING:
    from wengert_replay.exporting.saving import Writer
    from wengert_replay.programs.program import Program


def encode_gradients(program: Program, file: Writer, slot_of: Callable[[Any], str]) -> list[dict[str, Any]]:
    """Return an entry for each leaf; note in ``file.links`` which tensor from outside is the gradient of which leaf."""
    entries = []
    for plan in program.leaves:
        after = value_after(program, plan)
        entry: dict[str, Any] = {
            "before": bool(plan.had_grad),
            "uses": None,
            "changes": bool(plan.changes),
            "after": None if after is None else slot_of(after),
        }
        if plan.input >= 0:
            if plan.grad_storage:
                raise ProgramFileError("the program adds to the gradient that an argument had before: set it to None "
                                       "first")  # fmt: skip
            entries.append({"leaf": f"a{plan.input}", **entry})
            continue
        leaf = file.number_of(plan.leaf, is_leaf=True)
        if plan.had_grad:
            file.links[leaf] = file.number_of(gradient_now(program, plan), is_leaf=True)
            entry["uses"] = f"w{file.links[leaf]}" if plan.grad_storage else None
        entries.append({"leaf": f"w{leaf}", **entry})
    return entries


def value_after(program: Program, plan: Any) -> Any:
    """Return the value that becomes the gradient of a leaf; None where it gets none, or where its gradient stays."""
    first = plan if plan.alike < 0 else program.leaves[plan.alike]
    if not plan.changes or (first.grad is None and (first.changes or not first.had_grad)):
        return None
    if first.value is None:
        raise ProgramFileError("a tensor gets a gradient that no operation of the program has computed: call backward, "
                               "or write to the gradient in place")  # fmt: skip
    return first.value


def gradient_now(program: Program, plan: Any) -> Any:
    """Return the gradient that a leaf has; it must be that of the recording where the program uses it."""
    grad = plan.leaf.grad
    if grad is None:
        raise ProgramFileError("the program was recorded when a tensor had a gradient, and it has none now")
    used = [address for _, storage, address, _, _ in program.outside if storage == plan.grad_storage]
    if used and address_of(grad) != used[0]:
        raise ProgramFileError("a tensor has another gradient than when the program was recorded: call the function "
                               "once more, and save the program of that call")  # fmt: skip
    return grad
