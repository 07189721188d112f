"""Numbers: what a program computes with Python's numbers, such as the step size that follows from a count of steps.

Note [Numbers in files]
    The bits of such a number are those of Python's arithmetic, so a loaded program computes it in Python as well, in
    each replay: a list of operations on floats, which read tensors of one number and write to them. There are no names
    but those of OPERATIONS, no loops, and no values but floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import wengert_core
from wengert_core.extend import Tensor
from wengert_engine import no_grad
from wengert_engine.extend import current_tracer

from wengert_replay.exporting.errors import ProgramFileError
from wengert_replay.exporting.values import expect

OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow,
    "neg": operator.neg,
}  # fmt: skip
"""Operations on floats; each gives the next float."""
WRITES = ("add_", "mul_")
"""Operations of a tensor, by its number, and a float; they give none. ``item`` gives the float of a tensor."""


class Numbers:
    """A list of operations on floats. Note [Numbers in files]"""

    writes = True

    def __init__(self, code: Any, results: Any, n_tensors: int) -> None:
        """code: lists of a name and its operands; an int is the number of a float, or of a tensor where one belongs.

        results: floats, or the numbers of those that are given. Raises ProgramFileError.
        """
        self.code: list[tuple[str, list[Any]]] = []
        n = 0
        for entry in expect(code, list, "numbers"):
            name, *operands = expect(entry, list, "numbers") or [""]
            takes_tensor = name == "item" or name in WRITES
            arity = 1 if name in ("item", "neg") else 2
            if not isinstance(name, str) or not (takes_tensor or name in OPERATIONS) or len(operands) != arity:
                raise ProgramFileError(f"an operation on numbers that is not known: {entry!r:.60}")
            for i, one in enumerate(operands):
                check_operand(one, n_tensors if takes_tensor and not i else n, may_be_float=not takes_tensor or i > 0)
            self.code.append((name, operands))
            n += name not in WRITES
        self.results = expect(results, list, "numbers")
        for one in self.results:
            check_operand(one, n, may_be_float=True)

    def __call__(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the results as tensors; a capture calls the operations again in each replay."""
        tracer = current_tracer()
        found = self.compute(*tensors) if tracer is None else tracer.call_python(self.compute, tuple(tensors), {})
        return tuple(found)

    def compute(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        found: list[float] = []
        with no_grad():
            for name, operands in self.code:
                if name == "item":
                    found.append(number_in(tensors[operands[0]]))
                elif name in WRITES:
                    getattr(tensors[operands[0]], name)(value_of(operands[1], found))
                else:
                    found.append(OPERATIONS[name](*[value_of(one, found) for one in operands]))
                    if type(found[-1]) is not float:
                        raise ProgramFileError(f"{name} of numbers gives a {type(found[-1]).__name__}")
        numbers = [value_of(one, found) for one in self.results]
        return tuple([wengert_core.tensor(one, dtype=wengert_core.float64) for one in numbers])


def check_operand(value: Any, n: int, may_be_float: bool) -> None:
    """Raise ProgramFileError for what is neither a number below ``n`` nor, where one may be there, a float."""
    if not (type(value) is int and 0 <= value < n) and not (may_be_float and type(value) is float):
        raise ProgramFileError(f"an operand of numbers that is not there: {value!r:.40}")


def value_of(operand: Any, found: list[float]) -> float:
    """Return a float, or the one with that number."""
    return found[operand] if type(operand) is int else operand


def number_in(t: Tensor) -> float:
    """Return the number of a tensor, or of a vector that has it several times."""
    if t.numel() == 0 or t.dtype.is_complex or t.dim() > 1:
        raise ProgramFileError(f"numbers are read of a tensor of {t.dtype.name}{list(t.shape)}")
    return float((t[0] if t.dim() else t).item())
