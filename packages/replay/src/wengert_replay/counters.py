"""Counters: numbers of Python that a function changes, and that its operations may depend on.

Note [Numbers that are only counted]
    ``self.calls += 1`` changes a number that nothing depends on if no code reads it for anything else. The code of the
    functions that can be reached shows that: wherever the name of the attribute is loaded, its sum or difference with
    another number is stored under it again at once. Where the name is loaded otherwise, stands among the strings of a
    code (``getattr(self, "calls")``, ``group["k"]``), or is stored by no code that was found, operations may depend on
    the number: Note [Numbers of Python that a function changes] in programs/fingerprint.pyx.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

from wengert_replay.python_state import numbers_of
from wengert_replay.signature import objects_in

SHOWN = 4
"""The most names that a reason has."""
PASSED_OVER = {"CACHE", "COPY", "SWAP", "NOP", "EXTENDED_ARG", "RESUME"}
"""Instructions that neither load, store nor compute."""


def words_on_counters(names: list[str]) -> str:
    """Return a reason: a function changes these numbers."""
    shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    return f"the function changes numbers of Python that its operations may depend on ({shown})"


class Counters:
    """Numbers among the attributes of objects that a function can reach, before it runs."""

    function: Callable[..., Any]
    args: list[Any]
    codes: list[CodeType]
    before: dict[tuple[int, str], tuple[str, type, Any]]
    dicts: set[int]

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.function, self.args = function, [*objects_in((args, kwargs))]
        self.codes = []
        self.before = self.look(self.codes)
        self.dicts = {address for address, _ in self.before}

    def look(self, codes: list[CodeType]) -> dict[tuple[int, str], tuple[str, type, Any]]:
        try:
            return numbers_of(self.function, self.args, codes)
        except Exception:  # of a list or a class of the user's that cannot be looked into
            return {}

    def find_changes(self) -> list[str]:
        """Return the names of those that are others now, but for those that are only counted."""
        now = self.look([]).items()
        others = [(key, row) for key, row in now if key[0] in self.dicts and row != self.before.get(key)]
        names = {name for (_, name), _ in others}
        counted = {name for name in names if is_only_counted(name, self.codes)}
        return sorted({f"{owner}.{name}" for (_, name), (owner, _, _) in others if name not in counted})


def is_only_counted(name: str, codes: Iterable[CodeType]) -> bool:
    """Return whether codes store an attribute, and load it for nothing but a sum that is stored there again.

    >>> class Calls:
    ...     def count(self):
    ...         self.n += 1
    ...     def rate(self):
    ...         return self.n / 2
    >>> is_only_counted("n", [Calls.count.__code__]), is_only_counted("n", [Calls.count.__code__, Calls.rate.__code__])
    (True, False)
    """
    is_stored = False
    for code in all_codes(codes):
        if name in code.co_consts:
            return False
        if name not in code.co_names:
            continue
        rows = [one for one in dis.get_instructions(code) if one.opname not in PASSED_OVER]
        for number, row in enumerate(rows):
            if row.argval != name or not row.opname.endswith("_ATTR"):
                continue
            is_stored = is_stored or row.opname == "STORE_ATTR"
            if row.opname != "STORE_ATTR" and not is_count(name, rows[number + 1 : number + 5]):
                return False
    return is_stored


def is_count(name: str, rows: list[dis.Instruction]) -> bool:
    """Return whether instructions add a number or a variable to what was loaded, and store the sum under a name."""
    if len(rows) < 4 or not is_plain_load(rows[0]) or rows[1].opname != "BINARY_OP":
        return False
    last = rows[3] if is_plain_load(rows[2]) else rows[2]  # the object that it is stored in is loaded again
    return rows[1].argrepr in ("+", "-", "+=", "-=") and last.opname == "STORE_ATTR" and last.argval == name


def is_plain_load(row: dis.Instruction) -> bool:
    return row.opname.startswith("LOAD_") and not row.opname.endswith(("_ATTR", "_METHOD"))


def all_codes(codes: Iterable[CodeType]) -> Iterator[CodeType]:
    """Yield codes, and those of functions that are made in them."""
    for code in codes:
        yield code
        yield from all_codes(one for one in code.co_consts if isinstance(one, CodeType))
