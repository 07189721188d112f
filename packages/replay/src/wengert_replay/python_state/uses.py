"""Uses: what the code of functions does with what has a name.

Note [What is only counted]
    ``self.calls += 1`` and ``losses.append(loss)`` change what nothing depends on if no code reads it for anything
    else. The code of the functions that a call may run shows that: wherever the name is loaded, what an operator makes
    of it is stored under it again at once, or a method is called that only adds to a container. Names are compared, not
    objects: who reads another object's attribute of that name is taken for a reader. A method, or a function that is an
    attribute, may be run if code that may run has its name.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

from wengert_replay.python_state.values import SCHEDULER, Code

PASSED_OVER = {"CACHE", "NOP", "EXTENDED_ARG", "RESUME"}
"""Instructions that do nothing."""
ADDING = {"append", "appendleft", "extend", "extendleft", "add", "update", "insert"}
"""Methods of containers that only add to them."""
VARIABLES = ("_ATTR", "_DEREF", "_GLOBAL", "_NAME")
"""Ends of the names of instructions that load or store what lives longer than a call."""
READ_BY = {"_last_lr": ("get_last_lr", "get_lr")}
"""Methods that give what a scheduler has under another name."""
MAKERS = ("__init__", "__new__", "__post_init__", "__setstate__")
"""Functions that make an object: what they store in it is new."""
LOOKERS = ("getattr", "vars", "__dict__", "__getattribute__", "globals", "locals", "eval", "exec")
"""Names by which code reads what it does not name."""


def use_of(name: str, codes: Iterable[CodeType]) -> str:
    """Return what codes do with what has a name: "read", "counted" where they only change it, "" where none names it.

    >>> class Calls:
    ...     def count(self):
    ...         self.n += 1
    ...     def rate(self):
    ...         return self.n / 2
    >>> use_of("n", [Calls.count.__code__]), use_of("n", [Calls.count.__code__, Calls.rate.__code__]), use_of("k", [])
    ('counted', 'read', '')
    """
    found = ""
    for code in all_codes(codes):
        if name not in (*code.co_names, *code.co_freevars, *code.co_cellvars, *code.co_consts):
            continue
        rows = [one for one in dis.get_instructions(code) if one.opname not in PASSED_OVER]
        for number, row in enumerate(rows):
            if row.argval != name or is_method_load(row) or not row.opname.endswith((*VARIABLES, "_CONST")):
                continue
            behind = rows[number + 1 :]
            as_key = row.opname.endswith("_CONST")
            if as_key and is_key_of_new(behind):
                continue
            if not (is_item_count([row, *behind]) if as_key else is_change(name, row, behind)):
                return "read"
            found = "counted"
    return found


def is_named(name: str, names: set[str]) -> bool:
    """Return whether names are among those by which code reads what an optimizer or a scheduler has under a name.

    A replay steps the one and the other, which read what somebody sets.
    """
    return name in names or not names.isdisjoint(READ_BY.get(name, ()))


def names_loaded(codes: Iterable[CodeType]) -> set[str]:
    """Return what codes may read: names of variables and attributes, and words, which may be keys."""
    found: set[str] = set()
    for code in all_codes(codes):
        found.update(code.co_names, code.co_freevars, (one for one in code.co_consts if isinstance(one, str)))
    return found


def names_stored(codes: Iterable[CodeType]) -> tuple[set[str], set[str]]:
    """Return the names of variables and attributes under which codes store something that outlives a call, and keys of
    items.

    >>> def reset(group):
    ...     group["lr"] = group.rate = 0.1
    >>> names_stored([reset.__code__])
    ({'rate'}, {'lr'})
    """
    names: set[str] = set()
    keys: set[str] = set()
    for code in all_codes(codes):
        rows = [row for row in dis.get_instructions(code) if row.opname not in PASSED_OVER]
        for row, following in pairwise(rows):
            if row.opname.startswith("STORE") and row.opname.endswith(VARIABLES) and row.argval not in code.co_cellvars:
                names.add(row.argval)
            is_word = row.opname.endswith("_CONST") and isinstance(row.argval, str)
            if is_word and following.opname in ("STORE_SUBSCR", "COPY"):  # the latter of ``calls["n"] += 1``
                keys.add(row.argval)
    return names, keys


def names_read(codes: Iterable[Code], found: Iterable[Any]) -> set[str]:
    """Return the names by which the code of a call may read something: those in it, and words among what it finds."""
    return words_found(found) | names_loaded(codes_in_use(own_codes(codes)))


def words_found(found: Iterable[Any]) -> set[str]:
    """Return the words among values: code may have found a name there (``group[KEY]``)."""
    return {word for kind, word in pairwise(found) if kind is str and type(word) is str}


def own_codes(codes: Iterable[Code]) -> list[Code]:
    """Return codes without those that a step of a scheduler alone may run."""
    return [one for one in codes if one[1] != SCHEDULER]


def is_change(name: str, row: dis.Instruction, behind: list[dis.Instruction]) -> bool:
    """Return whether an instruction stores, or loads for a change alone. behind: the instructions that follow."""
    return row.opname.startswith("STORE") or is_addition(behind[0]) or is_item_count(behind) or is_count(name, behind)


def is_method_load(row: dis.Instruction) -> bool:
    """Return whether an instruction loads a method that is called next: no number, or container."""
    return row.opname == "LOAD_METHOD" or "NULL|self" in row.argrepr


def is_addition(row: dis.Instruction) -> bool:
    """Return whether an instruction loads a method that only adds to a container."""
    return row.opname in ("LOAD_METHOD", "LOAD_ATTR") and row.argval in ADDING


def taker(rows: list[dis.Instruction]) -> tuple[int, int]:
    """Return the number of the instruction that takes what is on the stack before these, and the height of the stack
    behind it: 1 where that was its first operand. What further ones are computed from lies above. -1 behind a jump.
    """
    height = 1
    for number, row in enumerate(rows):
        if row.opcode in dis.hasjrel or row.opcode in dis.hasjabs:
            break
        height += dis.stack_effect(row.opcode, row.arg, jump=False)
        if height <= 1:
            return number, height
    return -1, 0


def behind_sum(rows: list[dis.Instruction]) -> list[dis.Instruction]:
    """Return the instructions behind an operator whose first operand is what is on the stack before these; [] where
    something else takes it.
    """
    number, height = taker(rows)
    if height != 1 or rows[number].opname != "BINARY_OP" or rows[number].argrepr == "[]":
        return []
    return [one for one in rows[number + 1 : number + 5] if one.opname != "SWAP"]


def is_key_of_new(rows: list[dis.Instruction]) -> bool:
    """Return whether a word is a key of a dict that is made (``{"loss": loss}``). rows: what follows."""
    number, _ = taker(rows)
    return number >= 0 and rows[number].opname == "BUILD_MAP"


def is_count(name: str, rows: list[dis.Instruction]) -> bool:
    """Return whether instructions compute a number of what was loaded, and store that alone under a name."""
    rows = behind_sum(rows)
    last = next((row for row in rows if not is_plain_load(row)), None)  # the object that has it may be loaded again
    is_stored = last is not None and last.opname.startswith("STORE") and last.opname.endswith(VARIABLES)
    return is_stored and last is not None and last.argval == name


def is_item_count(rows: list[dis.Instruction]) -> bool:
    """Return whether instructions, from a key on, store an item or change one (``calls["n"][0] += 1``)."""
    while len(rows) > 2 and is_plain_load(rows[0]) and is_subscript(rows[1]):
        rows = rows[2:]
    if len(rows) < 2 or not is_plain_load(rows[0]):
        return False
    if rows[1].opname == "STORE_SUBSCR":
        return True
    if len(rows) < 5 or not rows[1].opname == rows[2].opname == "COPY" or not is_subscript(rows[3]):
        return False
    rows = behind_sum(rows[4:])
    return bool(rows) and rows[0].opname == "STORE_SUBSCR"


def is_subscript(row: dis.Instruction) -> bool:
    return row.opname == "BINARY_SUBSCR" or (row.opname == "BINARY_OP" and row.argrepr == "[]")


def is_plain_load(row: dis.Instruction) -> bool:
    return row.opname.startswith("LOAD_") and not row.opname.endswith(("_ATTR", "_METHOD"))


def all_codes(codes: Iterable[CodeType]) -> Iterator[CodeType]:
    """Yield codes, and those of functions that are made in them."""
    for code in codes:
        yield code
        yield from all_codes(one for one in code.co_consts if isinstance(one, CodeType))


def codes_in_use(codes: Iterable[Code]) -> list[CodeType]:
    """Return the codes that a call may run: those that one of these reaches by its closure or names, and methods and
    attributes whose names one of these has.
    """
    found: dict[int, CodeType] = {}
    names: set[str] = set()
    rest, n = [*codes], -1
    while n != len(rest):
        n, waiting = len(rest), rest
        rest = []
        for code, name, around in waiting:
            is_method = name not in ("", SCHEDULER) and not name.startswith("__")
            if (is_method and name not in names) or (around and around not in found):
                rest.append((code, name, around))
            elif id(code) not in found:
                found[id(code)] = code
                for one in all_codes([code]):
                    names.update(one.co_names, [text for text in one.co_consts if isinstance(text, str)])
    return [*found.values()]
