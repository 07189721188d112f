"""The entries of loops and conds in a file, and of their bodies.

Note [Loops in files]
    A loop is one step, as it is one instruction: it names its carry, the tensors whose rows it reads, its bounds and
    its bodies by number. A body is an entry of a table of the file: the types of its arguments, steps of its own, and
    the places of its results. In it ``a0`` is an argument of the body, and ``w0`` one of the tensors that the step
    gives it beside: what the body reads of the program around. A body comes behind those that its steps name, so that
    none can name itself. Backward of a loop is a loop, too. A cond is a step with two bodies without arguments.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.pseudo_ops import ANY_ROOM, PARAMETERS
from wengert_replay.exporting.values import Unportable
from wengert_replay.loops.choice import Choice
from wengert_replay.trace.values import Value

if TYPE_CHECKING:
    from wengert_replay.exporting.saving import Writer
    from wengert_replay.exporting.step_entries import StepWriter
    from wengert_replay.loops.body import Body
    from wengert_replay.loops.loop import Loop
    from wengert_replay.trace.steps import Step

MOST_NESTED = 16
"""Bodies inside of bodies."""


def encode_loop(steps: StepWriter, step: Step, loop: Loop, where: str) -> list[Any]:
    """Return the entry of a loop or a cond."""
    operands = [slot_in(steps, value) for value in step.arguments[0]]
    places = iter([None if place is None else operands[place] for place in loop.places])
    bodies, tests = ([encode_body(steps, body, operands, where) for body in some] for some in (loop.bodies, loop.tests))
    name = {"str": loop.construct}
    if isinstance(loop, Choice):
        return steps.entry(step, "", "choice", PARAMETERS["choice"], [name, next(places), bodies])
    values = {
        "name": name,
        "carry": [next(places) for _ in loop.carry],
        "rows": [next(places) for _ in loop.rows],
        "bounds": None if loop.bounds is None else [one if type(one) is int else next(places) for one in loop.bounds],
        "into": list(places),
        "bodies": bodies,
        "tests": tests,
        "following": list(loop.following),
        "backwards": list(loop.backwards),
        "count": loop.count,
        "room": ANY_ROOM if loop.drops else loop.room,
        "index_step": loop.index_step,
        "keeps": bool(loop.kept),
        "counts": bool(loop.counts),
    }
    return steps.entry(step, "", "loop", PARAMETERS["loop"], [values[name] for name in PARAMETERS["loop"]])


def slot_in(steps: StepWriter, value: Any) -> str:
    """Return the place of an operand of a loop."""
    if not isinstance(value, Value):
        raise Unportable("Tensor")
    return steps.slot_of(value)


def encode_body(steps: StepWriter, body: Body, operands: list[str], where: str) -> list[Any]:
    """Return the number of a body, and the places of the tensors that it reads of the program around."""
    if any(place is None for place in body.places):
        raise ProgramFileError(f"{where} reads a tensor from outside that is gone: keep it in a variable")
    own = steps.for_body(body)
    if own.depth > MOST_NESTED:
        raise ProgramFileError(f"{where} is a construct inside of {MOST_NESTED} others, and no file can hold more: "
                               "write one of them as a loop of Python, or an if")  # fmt: skip
    entry = {
        "outside": len(body.places),
        "inputs": [None if one is None else type_number(steps.file, one) for one in body.like_inputs],
        "steps": [entry for step in body.steps for entry in own.encode(step)],
        "results": [None if like is None else own.slot_of(value)
                    for like, value in zip(body.like_results, body.result_values, strict=True)],
    }  # fmt: skip
    number = steps.file.bodies.number_of(json.dumps(entry), entry)
    return [number, [operands[place] for place in body.places if place is not None]]


def type_number(file: Writer, like: Any) -> int:
    """Return the number of a tensor's dtype, sizes and strides."""
    key = (like.dtype.name, tuple(like.shape), tuple(like.stride()))
    return file.types.number_of(key, key)
