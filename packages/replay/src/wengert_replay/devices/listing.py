"""Listing: the operations of a recording on a device, as a program prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from weakref import ref

from wengert_core.extend import Tensor

from wengert_replay.devices.watch import line_text
from wengert_replay.inspection.printing import HEAD, SHOWN_WHOLE, TAIL

MOST_NUMBERS = 8
"""Elements that are shown of a tensor that Python reads."""


class Row(NamedTuple):
    """An operation, or a number that Python reads."""

    text: str
    line: int
    """Its number among the lines of the recording."""
    is_guard: bool


class Listing:
    """The operations of a recording. ``a0`` is the first tensor among the arguments, ``w0`` one from outside."""

    def __init__(self, inputs: Sequence[Tensor], lines: Any) -> None:
        """lines: of the program, by their numbers."""
        self.rows: list[Row] = []
        self.all_lines = lines
        self.names: dict[int, tuple[ref[Tensor], str]] = {}  # until the recording ends
        self.n_outside: int = 0
        for number, one in enumerate(inputs):
            self.names.setdefault(id(one), (ref(one), f"a{number}"))

    def find(self, tensor: Tensor) -> str:
        """Return the name of a tensor; "" for an unknown one."""
        known = self.names.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else ""

    def name(self, tensor: Tensor) -> str:
        """Return the name of an argument; an unknown one is from outside."""
        found = self.find(tensor)
        if not found:
            found = f"w{self.n_outside}"
            self.n_outside += 1
            self.names[id(tensor)] = ref(tensor), found
        return found

    def argument(self, value: Any) -> str:
        """Return an argument as it is printed."""
        if isinstance(value, Tensor):
            return self.name(value)
        if type(value) in (tuple, list):
            inner = ", ".join(map(self.argument, value))
            return f"[{inner}]" if type(value) is list else f"({inner}{',' * (len(value) == 1)})"
        return repr(value)

    def call(self, name: str, arguments: Sequence[tuple[str, Any]]) -> str:
        """Return an operation as it is printed. arguments: with their names; "" for those that need none."""
        words = [f"{key}={self.argument(value)}" if key else self.argument(value) for key, value in arguments]
        return f"{name}({', '.join(words)})"

    def add(self, call: str, result: Any, line: int) -> None:
        """Add an operation that has ended. call: of the method of this name."""
        number = len(self.rows)
        results = [one for one in (result if isinstance(result, (tuple, list)) else (result,))
                   if isinstance(one, Tensor)]  # fmt: skip
        for k, one in enumerate(results):
            if not self.find(one):
                self.names[id(one)] = ref(one), f"%{number}" if len(results) == 1 else f"%{number}.{k}"
        names = ", ".join(map(self.name, results))
        types = ", ".join(map(tensor_type, results))
        self.rows.append(Row(f"{names} = {call}: {types}" if results else call, line, False))

    def add_guard(self, tensor: Tensor, numbers: str, line: int) -> None:
        """Add a number that Python has read."""
        self.rows.append(Row(f"guard: {self.name(tensor)} is {numbers}", line, True))

    def add_alias(self, source: Tensor, made: Tensor) -> None:
        """Let a tensor on the memory of another one have its name."""
        self.names[id(made)] = ref(made), self.name(source)

    def close(self) -> None:
        """Name no more tensors."""
        self.names.clear()

    def lines(self) -> Iterator[str]:
        """Yield a line for each operation; of many the first and the last."""
        n = len(self.rows)
        for number, row in enumerate(self.rows):
            if n <= SHOWN_WHOLE or number < HEAD or number >= n - TAIL:
                line = line_text(self.all_lines, row.line)
                yield f"{row.text}  # {line}" if line else row.text
            elif number == HEAD:
                yield f"... {n - HEAD - TAIL:,} more operations"


def tensor_type(tensor: Tensor) -> str:
    """Return dtype and shape: "float32[2, 3]"."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def number_words(numbers: Any) -> str:
    """Return what an array of NumPy has, as it is printed."""
    flat = numbers.reshape(-1)
    shown = flat[:MOST_NUMBERS].tolist()
    if len(flat) == 1:
        return str(shown[0])
    return str(shown) if len(flat) <= MOST_NUMBERS else f"[{', '.join(map(str, shown))}, ...] of {len(flat)}"
