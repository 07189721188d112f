"""Loops and conds of a program from a file, as they are read: what does not fit together is refused.

Note [What is checked of a loop]
    A loop runs in C, which copies bytes between the carry, rows and arguments of bodies. So whatever it copies must
    have the same dtype and sizes, and the carry the same strides: of bodies and results by what the file says, of the
    tensors of a call when it comes to the loop. That bodies give what the file says is seen where they are recorded.
"""

from __future__ import annotations

from typing import Any

from wengert_replay.exporting.bodies import PortableBody, is_alike
from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.instructions import Instruction, Slot
from wengert_replay.exporting.loop_runs import PortableChoice, PortableLoop
from wengert_replay.exporting.pseudo_ops import ANY_ROOM
from wengert_replay.exporting.tensors import Geometry
from wengert_replay.exporting.values import DTYPES, expect

MOST_BODIES = 10_000
"""Bodies of all steps of a loop, each as often as it is named: a call records so many."""
MOST_BOUND = 1 << 62


def loop_step(values: dict[str, Any], line: str, kinds: list[Geometry], known: list[PortableBody]) -> Instruction:
    """Return the step of a loop. known: the bodies that the file has. Raises ProgramFileError."""
    name = expect(values["name"], str, "a loop")
    bodies, outside = read_bodies(values["bodies"], known)
    tests, outside_of_tests = read_bodies(values["tests"], known)
    made = PortableLoop(name, line, bodies, tests, kinds)
    made.following = numbers_of(values["following"], -1, len(bodies))
    made.backwards = [expect(one, bool, name) for one in expect(values["backwards"], list, name)]
    (made.count,) = numbers_of([values["count"]], -1, 1 << 63)
    (made.room,) = numbers_of([values["room"]], ANY_ROOM, 1 << 63)
    (made.index_step,) = numbers_of([values["index_step"]], -1, 2)
    made.keeps, made.counts = (expect(values[one], bool, name) for one in ("keeps", "counts"))
    carry, rows, into = (slots_of(values[one], one == "carry") for one in ("carry", "rows", "into"))
    bounds = read_bounds(values["bounds"])
    made.n_carry, made.n_rows, made.n_into = len(carry), len(rows), len(into)
    made.n_outputs = len(kinds) - len(carry) * (1 + made.keeps) - made.counts
    check_loop(made, carry, bounds)
    step = Instruction("loop", line, made, kinds)
    operands = {"carry": carry, "rows": rows, "bounds": bounds, "into": into, "outside": outside + outside_of_tests}
    for parameter, value in operands.items():
        step.add(parameter, value)
    return step


def choice_step(values: dict[str, Any], line: str, kinds: list[Geometry], known: list[PortableBody]) -> Instruction:
    """Return the step of a cond. Raises ProgramFileError."""
    name = expect(values["name"], str, "a cond")
    bodies, outside = read_bodies(values["bodies"], known)
    if len(bodies) != 2 or any(body.inputs for body in bodies) or not isinstance(values["predicate"], Slot):
        raise ProgramFileError("a cond has a predicate and two bodies without arguments")
    for body in bodies:
        require(len(body.kinds) == len(kinds), "a cond gives as many tensors as its bodies")
        require(all(map(is_alike, body.kinds, kinds)), "the bodies of a cond give what it gives")
    step = Instruction("choice", line, PortableChoice(name, line, bodies, kinds), kinds)
    step.add("predicate", values["predicate"])
    step.add("outside", outside)
    return step


# ---- parts


def require(holds: bool, what: str) -> None:
    """Raise ProgramFileError where something does not hold that must be true of every loop."""
    if not holds:
        raise ProgramFileError(f"a loop is malformed: {what}, which is not so here")


def read_bodies(data: Any, known: list[PortableBody]) -> tuple[list[PortableBody], list[list[Slot]]]:
    """Return bodies by their numbers, and the tensors that each reads of the program around."""
    bodies, outside = [], []
    for entry in expect(data, list, "bodies"):
        parts = expect(entry, list, "a body")
        require(len(parts) == 2, "it names bodies and what they read")
        (number,) = numbers_of(parts[:1], 0, len(known))
        body, slots = known[number], slots_of(parts[1])
        require(len(slots) == body.n_outside, "it gives a body the tensors that this reads")
        bodies.append(body)
        outside.append(slots)
    require(sum(body.weight for body in bodies) <= MOST_BODIES, f"it has not more than {MOST_BODIES} bodies in bodies")
    return bodies, outside


def slots_of(data: Any, may_be_none: bool = False) -> list[Any]:
    """Return a list of tensors."""
    items: list[Any] = expect(data, list, "tensors of a loop")
    require(all(isinstance(one, Slot) or (may_be_none and one is None) for one in items), "its operands are tensors")
    return items


def numbers_of(data: Any, low: int, end: int) -> list[int]:
    """Return whole numbers from ``low`` up to before ``end``."""
    items: list[int] = expect(data, list, "numbers of a loop")
    require(all(type(one) is int and low <= one < end for one in items), "its numbers are in their ranges")
    return items


def read_bounds(data: Any) -> list[Any] | None:
    """Return the bounds of a range; None for none."""
    if data is None:
        return None
    items: list[Any] = expect(data, list, "bounds")
    fits = [isinstance(one, Slot) or (type(one) is int and abs(one) < MOST_BOUND) for one in items]
    require(len(items) == 2 and all(fits), "a range has two bounds")
    return items


# ---- what must fit together


def check_loop(loop: PortableLoop, carry: list[Any], bounds: list[Any] | None) -> None:
    """Raise ProgramFileError unless the parts of a loop fit together. Note [What is checked of a loop]"""
    bodies, tests, n = loop.bodies, loop.tests, loop.n_carry
    require(len(loop.following) == len(bodies), "each body says which comes next")
    require(loop.n_outputs >= loop.n_into, "it gives as many tensors as its bodies")
    require(not loop.n_into or not (loop.keeps or loop.counts), "what is written into others comes last")
    require(len(loop.backwards) == loop.n_rows + loop.n_outputs, "rows and outputs have a direction")
    require(not tests or 0 <= len(tests) - len(bodies) <= 1, "it has a test for each body and one more, or none")
    require(len(tests) <= len(bodies) or not bodies or -1 in loop.following, "no body goes on where it has one more")
    require(bool(tests) + (bounds is not None) + (loop.count >= 0) == 1, "it ends by a test, a range or a count")
    require(not tests or loop.n_rows + loop.n_outputs == 0, "a loop with a test has no rows")
    require(not loop.index_step or bounds is not None, "its number is one of a range")
    require(bool(bodies) or not (loop.keeps or loop.counts or loop.n_outputs), "a loop without a body gives its carry")
    require(not loop.counts or (bool(tests) and loop.keeps and loop.room != -1), "it counts where it keeps the carry")
    for k, one in enumerate(carry):
        require((one is None) == (bool(bodies) and bodies[0].inputs[k : k + 1] == [None]), "its carry is there")
    for body in bodies:
        check_body(loop, body)
    for body, number in zip(bodies, loop.following, strict=True):
        following = bodies[number].inputs[:n] if number >= 0 else body.kinds[:n]
        require(all(map(is_alike, body.kinds[:n], following)), "a body gives the carry that the next one takes")
    for test, body in zip(tests, bodies, strict=False):
        require(len(test.inputs) == n and all(map(is_alike, test.inputs, body.inputs[:n])), "a test takes the carry")
    for test in tests:
        sizes = [kind.numel for kind in test.kinds if kind is not None]
        require(len(test.inputs) == n and None not in test.inputs, "a test takes the carry")
        require(len(test.kinds) == 1 and sizes == [1], "a test gives one number")
    check_kept(loop, bounds)


def check_body(loop: PortableLoop, body: PortableBody) -> None:
    """Raise ProgramFileError unless a body takes and gives what its loop has."""
    n, kinds = loop.n_carry, loop.kinds
    require(len(body.inputs) == n + loop.n_rows + bool(loop.index_step), "a body takes carry, rows and its number")
    require(len(body.kinds) == n + loop.n_outputs, "a body gives carry and outputs")
    require(None not in body.inputs[n:] and None not in body.kinds[n:], "rows and outputs are there")
    if loop.index_step:
        require(is_number(body.inputs[-1]), "the number of an iteration is of int64")
    for kind, *others in zip(kinds, body.inputs[:n], body.kinds, strict=False):
        fits = [is_alike(kind, one, strides=False) or one.numel != kind.numel for one in others if one is not None]
        require(all(fits), "it gives its carry")  # a run that ends with another number of elements is an error
    for kind, row in zip(kinds[n:], body.kinds[n:], strict=False):
        is_row = row is not None and kind.dtype is row.dtype and kind.shape[1:] == row.shape and len(kind.shape) > 0
        require(is_row, "outputs are rows of what it gives")


def check_kept(loop: PortableLoop, bounds: list[Any] | None) -> None:
    """Raise ProgramFileError unless there is room for the carries that a loop keeps."""
    if not loop.keeps:
        return
    n, count = loop.n_carry, loop.room if loop.room >= 0 else loop.count
    require(len(loop.bodies) == 1, "a loop with a gradient has one body")
    if loop.room == ANY_ROOM:
        count = -1
    elif count < 0 and bounds is not None:
        require(not any(isinstance(one, Slot) for one in bounds), "there is room for so many iterations")
        count = max(bounds[1] - bounds[0], 0)
    first = n + loop.n_outputs
    for kind, one in zip(loop.kinds[first : first + n], loop.bodies[0].inputs[:n], strict=True):
        nbytes = 0 if one is None or not one.numel else one.end * one.dtype.itemsize
        fits = kind.dtype is DTYPES["bool"] and kind.strides == (1,) \
            and (kind.shape == (count * nbytes,) or count < 0)  # fmt: skip
        require(one is not None and fits, "what is kept are bytes for so many iterations")
    require(not loop.counts or is_number(loop.kinds[-1]), "the number of iterations is of int64")


def is_number(kind: Geometry | None) -> bool:
    """Return whether this is a whole number of 64 bits."""
    return kind is not None and kind.dtype is DTYPES["int64"] and kind.shape == ()
