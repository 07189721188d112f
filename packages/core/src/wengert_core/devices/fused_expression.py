"""FusedExpression: several pointwise operations that a device's kernel computes at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wengert_core.dispatch.op import Op, find


class FusedOperand(NamedTuple):
    """An operand of a step: what it is, "input", "number" or "step", and its position among these."""

    kind: str
    position: int


class FusedStep(NamedTuple):
    """An operation on numbers: its name (``step_name``), and its operands in the order of its reference."""

    op: str
    operands: tuple[FusedOperand, ...]


class FusedExpression(NamedTuple):
    """Pointwise operations in the order of their computation, each of which is computed for n elements.

    dtype: "f" (float32) or "d" (float64), of all numbers.   inputs: for each array that is read None, where element i
    is number i of contiguous memory, or pairs (size, stride in elements) of its dims, where i counts through these in
    row-major order; a stride may be 0, and an array without dims has no pairs.   numbers: how many numbers there are
    beside.   steps: the operations; a step may use earlier ones.   outputs: the steps whose values are written, each to
    contiguous memory of its own, which may be that of a contiguous input.
    It does not tell n, nor the numbers, so that one kernel serves many calls. It has a hash.
    """

    dtype: str
    inputs: tuple[tuple[tuple[int, int], ...] | None, ...]
    numbers: int
    steps: tuple[FusedStep, ...]
    outputs: tuple[int, ...]


def step_name(op: Op, reference: Any) -> str:
    """Return the name of an operation as a step: its op's, with the variant's value behind it ("pow 2").

    "": it is no step, because its reference is neither the op's nor a variant's.
    """
    op = op.out_of_place or op
    if reference is op.reference:
        return op.name
    variants = op.options.get("variants", {}).items()
    return next((f"{op.name} {value}" for value, row in variants if row["reference"] is reference), "")


def step_reference(name: str) -> Callable[..., Any]:
    """Return the reference of a step: a function of an array namespace and the operands.

    >>> import numpy as np
    >>> step_reference("pow 2")(np, np.arange(3.0)).tolist()
    [0.0, 1.0, 4.0]
    """
    op_name, _, value = name.partition(" ")
    op = find(op_name)
    found: Any = next(row["reference"] for key, row in op.options["variants"].items() if str(key) == value) if value \
        else op.reference  # fmt: skip
    return found  # type: ignore[no-any-return]
