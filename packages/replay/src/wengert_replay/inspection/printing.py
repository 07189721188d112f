"""Text of a program: one line for each operation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from sys import byteorder
from typing import TYPE_CHECKING, Any

from numpy import frombuffer

from wengert_replay.inspection.counting import count

if TYPE_CHECKING:
    from wengert_replay.programs.program import Program
    from wengert_replay.trace.steps import Step

SHOWN_WHOLE = 100
"""The most operations of a program that is printed whole."""
HEAD, TAIL = 40, 20
"""The number of the first, and of the last, operations of a longer program that are printed."""
VALUE = re.compile(r"[aw]\d+|%\d+(\.\d+)?")
"""Names of values."""
OUTSIDE = "a tensor from outside"
"""The name of a tensor of which nothing is known but what Python has read of it."""
RETURNED = "the call returns; what follows is its backward"


def format_program(program: Program) -> str:
    """Return the operations of a program, and how large it is. Of a long program the middle is left out.

    ``%3`` is the result of operation 3, ``a0`` the first tensor among the arguments, ``w0`` a tensor from outside.
    Behind an operation stands how it is replayed:

    - nothing: by launches of kernels
    - ``[view]``: there is nothing to do, as the result is a view
    - ``[store]``: the result is a stored value
    - ``[call]``: by a call of its driver
    - ``[error]``: by a call of its driver, which must raise the error that the function has caught
    - ``[python]``: it is a Python function, which is called
    - ``[loop]``, ``[choice]``: it is a construct; its bodies follow, further in

    A line "guard: %3 is True" is a number that Python has read, which a replay compares. Of a branch the operations are
    shown that it does not share with its trunk.
    """
    return "\n".join([repr(program), *format_steps(program, 0), *format_branches(program)])


def summarize_program(program: Program) -> str:
    """Return how large a program is."""
    operations, launches = count(len(program.steps), "operation"), count(program.n_launches, "launch", "launches")
    called = count_calls(program)
    return (f"<wengert.replay.Program of {operations}: {launches}{called and f', with calls of {called}'}; "
            f"{program.nbytes} bytes>")  # fmt: skip


def count_calls(program: Program) -> str:
    """Return what a replay calls beside kernels, by kind: "1 driver, 2 constructs"; "" for nothing."""
    loops = loops_of(program)
    others = [call.step for call in program.calls.values() if call.step.number not in loops]
    functions = sum(step.way == "python" and not is_return_point(step) for step in others)
    kinds = (sum(step.way != "python" for step in others), "driver"), (functions, "Python function")
    return ", ".join(count(n, kind) for n, kind in (*kinds, (len(loops), "construct")) if n)


def format_branches(program: Program) -> Iterator[str]:
    for branch in program.branches:
        first = shared_steps(program, branch)
        yield f"branch in place of operations {first} and on: {branch!r}"
        yield from format_steps(branch, first)
        yield from format_branches(branch)


def shared_steps(program: Program, branch: Program) -> int:
    """Return how many operations a branch has in common with its trunk."""
    pairs = zip(program.steps, branch.steps, strict=False)
    return sum(1 for _ in takewhile(lambda pair: format_step(pair[0]) == format_step(pair[1]), pairs))


def format_steps(program: Program, first: int) -> Iterator[str]:
    """Yield a line for each operation from one on, or for the first and last of many."""
    n = len(program.steps)
    if n - first <= SHOWN_WHOLE:
        yield from format_range(program, first, n)
        return
    yield from format_range(program, first, first + HEAD)
    yield f"... {n - first - HEAD - TAIL:,} more operations (program.steps has them all)"
    yield from format_range(program, n - TAIL, n)


def format_range(program: Any, first: int, end: int) -> Iterator[str]:
    """Yield the lines of some operations of a program or of a loop's body. Behind a loop stand the lines of its body,
    which has names of its own.
    """
    loops = loops_of(program)
    for number in range(first, end):
        line = format_step(program.steps[number])
        if number not in loops:
            yield line
            continue
        yield line.replace("  [python]", f"  [{loops[number].label}]")
        bodies = loops[number].all_bodies()
        for k, body in enumerate(bodies):
            if len(bodies) > 1:
                is_choice = loops[number].label == "choice"
                yield f"    {('if true', 'if false')[k]}:" if is_choice else f"    body {k} of {len(bodies)}:"
            yield from (f"    {inner}" for inner in format_range(body, 0, len(body.steps)))


def loops_of(program: Any) -> dict[int, Any]:
    """Return the loops of a program or of a body by their numbers among its operations."""
    return {call.step.number: call for call in program.calls.values() if hasattr(call, "all_bodies")}


def format_step(step: Step) -> str:
    """Return an operation as it is printed: results, name, arguments, types, how it is replayed, line."""
    if step.way == "guard":
        return f"guard: {format_guard(step)}{f'  # {step.line}' if step.line else ''}"
    if is_return_point(step):
        return RETURNED
    outputs = ", ".join(name for name, _, _ in step.outputs)
    types = ", ".join(map(format_type, step.outputs))
    way = "" if step.way == "launches" else f"  [{step.way}]"
    line = f"  # {step.line}" if step.line else ""
    inputs = step.inputs[0] if step.op.params == ("arguments",) and step.inputs else step.inputs
    call = f"{name_of(step)}({', '.join(map(format_argument, inputs))})"
    return f"{outputs} = {call}: {types}{way}{line}" if outputs else f"{call}{way}{line}"


def is_return_point(step: Step) -> bool:
    """Return whether a step stands between a call whose results have a graph and its backward. See history/joint.pyx"""
    return bool(step.name == "return" and step.way == "python" and not step.outputs)


def name_of(step: Step) -> str:
    """Return the name of an operation, or of a Python function with the functions that it is made in."""
    return str(step.name).replace("<locals>.", "")


def format_guard(step: Step) -> str:
    """Return what a guard compares: "%3 is True"."""
    value, seen = step.arguments
    name = getattr(value, "name", OUTSIDE)
    dtype = getattr(value, "dtype", None)
    try:
        numbers = frombuffer(seen, dtype_by_bytes(seen) if dtype is None else dtype.name).tolist()
    except (TypeError, ValueError):  # of a type that NumPy does not have, or of a part of a number
        return f"{name} has the bytes {seen.hex()}"
    return f"{name} is {numbers[0] if len(numbers) == 1 else numbers}"


def dtype_by_bytes(data: bytes) -> str:
    """Return the dtype of a whole number that is not large, of which the bytes alone are known: a float number with
    these bytes does not occur. Raises ValueError for others.
    """
    whole = int.from_bytes(data, byteorder, signed=True)
    if abs(whole) >= 1 << 4 * len(data):
        raise ValueError(f"{data.hex()} may be a float number")
    return "bool" if len(data) == 1 and whole in (0, 1) else f"int{8 * len(data)}"


def format_type(output: tuple[str, Any, tuple[int, ...]]) -> str:
    """Return dtype and shape of a result: "float32[2, 3]"."""
    _, dtype, shape = output
    return f"{'bytes' if dtype is None else dtype.name}{list(shape)}"


def format_argument(value: Any) -> str:
    """Return an argument as it is printed: a value by its name, also in lists and tuples."""
    if type(value) in (list, tuple):
        items = ", ".join(map(format_item, value))
        return f"[{items}]" if type(value) is list else f"({items}{',' * (len(value) == 1)})"
    return value if isinstance(value, str) else repr(value)


def format_item(value: Any) -> str:
    """Return an item of a list or a tuple: a string that is no name of a value has quotation marks."""
    return repr(value) if isinstance(value, str) and not VALUE.fullmatch(value) else format_argument(value)
