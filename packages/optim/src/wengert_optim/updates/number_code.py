"""Number code: what a rule computes with Python's numbers in a step, as a list that a file can hold.

Note [Rules that are traced]
    A rule's ``advance`` counts a step in tensors of one number, and computes what its update needs with Python's
    arithmetic. It is called here with symbols in place of those tensors and of the learning rate: they note each
    operation. A rule that decides by a number has no such list.
"""

from __future__ import annotations

from typing import Any

import wengert
from wengert import Tensor

__all__ = ["NumberCode", "trace_numbers"]


class NoCode(Exception):
    """A rule does something else with its numbers than arithmetic."""


class NumberCode:
    """The operations of a step.

    code: lists of a name and its operands: a float, the number of an earlier one, or, first for ``item``, ``add_`` and
    ``mul_``, the number of a tensor. The learning rate is the tensor behind those that count.
    results: of each tensor of the step's result, in their order, a float, a number, or the tensor itself.
    tensors: those behind the ones that count.
    """

    __slots__ = ("code", "results", "tensors")

    def __init__(self) -> None:
        self.code: list[list[Any]] = []
        self.results: list[Any] = []
        self.tensors: list[Tensor] = []

    def note(self, name: str, *operands: Any) -> Number:
        """Note an operation that gives a number."""
        number = sum(one[0] not in ("add_", "mul_") for one in self.code)
        self.code.append([name, *operands])
        return Number(self, number)


class Number:
    """A number that is computed in each step."""

    def __init__(self, code: NumberCode, number: int) -> None:
        self.code, self.number = code, number

    def read(self) -> int:
        """Return its number."""
        return self.number

    def compute(self, name: str, *operands: Any) -> Number:
        return self.code.note(name, *map(operand_of, operands))

    def __add__(self, other: Any) -> Number:
        return self.compute("add", self, other)

    def __radd__(self, other: Any) -> Number:
        return self.compute("add", other, self)

    def __sub__(self, other: Any) -> Number:
        return self.compute("sub", self, other)

    def __rsub__(self, other: Any) -> Number:
        return self.compute("sub", other, self)

    def __mul__(self, other: Any) -> Number:
        return self.compute("mul", self, other)

    def __rmul__(self, other: Any) -> Number:
        return self.compute("mul", other, self)

    def __truediv__(self, other: Any) -> Number:
        return self.compute("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Number:
        return self.compute("truediv", other, self)

    def __pow__(self, other: Any) -> Number:
        return self.compute("pow", self, other)

    def __rpow__(self, other: Any) -> Number:
        return self.compute("pow", other, self)

    def __neg__(self) -> Number:
        return self.compute("neg", self)

    def refuse(self, *_: Any) -> Any:
        raise NoCode

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = refuse
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise NoCode(name)


class Counter(Number):
    """A tensor of one number, which a step reads and writes."""

    def __init__(self, code: NumberCode, place: int) -> None:
        self.code, self.place = code, place
        self.item: int | None = None

    def read(self) -> int:
        """Return the number of what it holds now."""
        if self.item is None:
            self.item = self.code.note("item", self.place).number
        return self.item

    def add_(self, other: Any) -> None:
        """Note that a number is added."""
        self.write("add_", other)

    def mul_(self, other: Any) -> None:
        """Note that it is multiplied."""
        self.write("mul_", other)

    def write(self, name: str, other: Any) -> None:
        if self.item is not None:
            raise NoCode  # who has read it has the symbol, which is another number from now on
        self.code.code.append([name, self.place, operand_of(other)])


def operand_of(value: Any) -> Any:
    """Return a number's number, or a float. Raises NoCode."""
    if isinstance(value, Number):
        return value.read()
    if type(value) not in (int, float) or float(value) != value:
        raise NoCode
    return float(value)


def trace_numbers(rule: Any, options: Any, n_counters: int) -> NumberCode | None:
    """Return what a rule computes in a step; None where no list says it."""
    made, lr = NumberCode(), options.get("lr")
    if type(lr) is float:
        made.tensors.append(wengert.tensor(lr, dtype=wengert.float64, device="cpu"))
        options = {**options, "lr": Counter(made, n_counters)}
    try:
        numbers = rule.advance(options, *[Counter(made, place) for place in range(n_counters)])
        for one in numbers if isinstance(numbers, tuple) else (numbers,):
            if isinstance(one, Number):
                made.results.append(one.read())
            elif type(one) is float:
                made.results.append(one)
            elif isinstance(one, (Tensor, tuple)):
                raise NoCode
    except NoCode:
        return None
    made.results += made.tensors
    return made
