"""Text of a program: one line for each operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_replay.program import Program
    from wengert_replay.steps import Step


def format_program(program: Program) -> str:
    """Return the operations of a program, and how large it is.

    ``%3`` is the result of operation 3, ``a0`` the first tensor among the arguments, ``w0`` a tensor from outside.
    Behind an operation stands how it is replayed: by launches of kernels if nothing is said, as a view, by a stored
    value, or by a call of its driver.
    """
    lines = [repr(program)]
    lines += [format_step(step) for step in program.steps]
    return "\n".join(lines)


def format_step(step: Step) -> str:
    outputs = ", ".join(name for name, _, _ in step.outputs)
    types = ", ".join(f"{dtype.name}{list(shape)}" for _, dtype, shape in step.outputs)
    way = "" if step.way == "launches" else f"  [{step.way}]"
    line = f"  # {step.line}" if step.line else ""
    return f"{outputs} = {step.op.name}({', '.join(map(format_argument, step.inputs))}): {types}{way}{line}"


def format_argument(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
