"""Changes: what a function changes in Python's state, and its operations may depend on.

Note [Changes of Python's state]
    A counter, a flag that the first call sets, an item that an iterator has given are frozen in a program. Nobody can
    see whether operations depend on them (``decay = 1 / self.n``, ``if self.n % 100 == 0``): so a function that changes
    something in each call and reads it runs as usual. Where no code that was found names it, where an iterator does not
    tell where it is, and where a function under ``compiler.disable`` has changed it, which each replay calls, another
    recording shows whether operations depend on it: a recording becomes a program then if the one before has done the
    same. A function that draws random numbers of Python or NumPy, but for those in functions that replays call, runs as
    usual.

Note [What is only counted]
    ``self.calls += 1`` and ``losses.append(loss)`` change what nothing depends on if no code reads it for anything
    else. The code of the functions that a call may run shows that: wherever the name is loaded, what an operator makes
    of it is stored under it again at once, or a method is called that only adds to a container. Names are compared, not
    objects: who reads another object's attribute of that name is taken for a reader.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

from wengert_replay.python_state.states import walk_for_changes
from wengert_replay.python_state.values import Mark, random_sources, random_state, set_random_state
from wengert_replay.signature import objects_in

SHOWN = 4
"""The most names that a reason has."""
PASSED_OVER = {"CACHE", "NOP", "EXTENDED_ARG", "RESUME"}
"""Instructions that do nothing."""
ADDING = {"append", "appendleft", "extend", "extendleft", "add", "update", "insert"}
"""Methods of containers that only add to them."""
VARIABLES = ("_ATTR", "_DEREF", "_GLOBAL", "_NAME")
"""Ends of the names of instructions that load or store what lives longer than a call."""

State = dict[tuple[str, ...], tuple[list[Any], str]]


def words_on_changes(names: list[str]) -> str:
    """Return a reason: a function changes what has these names."""
    return f"the function changes numbers or objects of Python that it reads, or may read ({first_names(names)})"


def words_on_draws(names: list[str]) -> str:
    """Return a reason: a function draws random numbers of these sources."""
    return f"the function draws random numbers outside of wengert ({first_names(names)})"


def first_names(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


class Draws:
    """The states of sources of random numbers, to find those that a function draws from."""

    sources: dict[str, Any]
    found: set[str]
    first: dict[str, Any]
    states: dict[str, Any]

    def __init__(self, sources: dict[str, Any]) -> None:
        self.sources, self.found = sources, set()
        self.first = self.states = self.look()

    def look(self) -> dict[str, Any]:
        self.sources.update(random_sources())
        return {name: random_state(source) for name, source in self.sources.items()}

    def note(self) -> None:
        """Note what has been drawn up to here."""
        self.found |= {name for name, state in self.look().items() if self.states.get(name) != state}

    def go_on(self) -> None:
        """Pass over what has been drawn since the last note."""
        self.states = self.look()

    def restore(self) -> None:
        """Set the states back, as the function is run again."""
        for name, state in self.first.items():
            set_random_state(self.sources[name], state)


class Changes:
    """A look at what a function can reach, before it runs."""

    function: Callable[..., Any]
    args: list[Any]
    guarded: bool
    found: list[Any]
    marks: list[Mark]
    codes: list[tuple[CodeType, str]]
    draws: Draws
    aside: set[tuple[str, ...]]

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, guarded: bool) -> None:
        """guarded: the state is part of the function's signature, but for iterators that do not tell where they are."""
        self.function, self.args, self.guarded = function, [*objects_in((args, kwargs))], guarded
        self.found, self.marks, self.codes, sources = self.look()
        named: dict[str, Any] = {}
        for number, source in sources:
            name = name_at(self.marks, number)
            named[name if name not in named else f"{name}, number {number}"] = source
        self.draws, self.aside = Draws(named), set()

    def look(self) -> tuple[list[Any], list[Mark], list[tuple[CodeType, str]], list[tuple[int, Any]]]:
        try:
            return walk_for_changes(self.function, self.args)
        except Exception:  # of a list or a class of the user's that cannot be looked into
            return [], [], [], []

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function that each replay calls: what it draws is its own, and what it changes may not be read."""
        if str(getattr(function, "__module__", "")).startswith("wengert"):
            return function(*args, **kwargs)
        self.draws.note()
        found, marks, *_ = self.look()
        try:
            return function(*args, **kwargs)
        finally:
            self.draws.go_on()
            now, now_marks, *_ = self.look()
            if now != found:
                changed = differences(named_parts(found, marks), named_parts(now, now_marks))
                self.aside.update(path for path, *_ in changed)

    def find_drawn(self) -> list[str]:
        """Return the names of the sources that random numbers have been drawn from."""
        self.draws.note()
        return sorted(self.draws.found)

    def find(self) -> tuple[list[str], list[str]]:
        """Return the names of what is another one now: of what is read, and of what may be; but for what is counted."""
        found, marks, *_ = self.look()
        if found == self.found:
            return [], []
        changed = differences(named_parts(self.found, self.marks), named_parts(found, marks))
        codes = codes_in_use(self.codes)
        used: dict[str, set[str]] = {"read": set(), "": set(), "counted": set()}
        for path, owner, parts in changed:
            name, is_unknown = path[-1] if path else "an argument", any(type(part) is object for part in parts)
            if is_unknown or not self.guarded:
                use = "" if is_unknown or path in self.aside else use_of(name, codes)
                used[use].add(f"{owner}.{name}" if owner else name)
        return sorted(used["read"]), sorted(used[""])


def name_at(marks: list[Mark], number: int) -> str:
    """Return the name of what stands behind a number of values."""
    around = [(behind - first, name) for first, behind, name, _ in marks if name and first <= number <= behind]
    return min(around)[1] if around else "an argument"


def named_parts(found: list[Any], marks: list[Mark]) -> State:
    """Return what has a name: by the names on the way to it, the values that no further name leads to, and the class
    of the object whose attribute it is, or is in.

    >>> named_parts([1, 2, 3, 4], [(1, 3, "a", ""), (2, 3, "b", "A")])
    {(): ([1, 4], ''), ('a',): ([2], ''), ('a', 'b'): ([3], 'A')}
    """
    paths: list[tuple[str, ...]] = [()] * len(found)
    made: State = {(): ([], "")}
    for first, behind, name, owner in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if first < behind:
            around = paths[first]
            path = (*around, name) if name else around
            made.setdefault(path, ([], owner or made[around][1]))
            paths[first:behind] = [path] * (behind - first)
    for path, value in zip(paths, found, strict=True):
        made[path][0].append(value)
    return made


def differences(before: State, now: State) -> Iterator[tuple[tuple[str, ...], str, list[Any]]]:
    """Yield the names on the way to what differs, its owner and its values. What is new, or gone, is yielded once, with
    all that lies behind it.
    """
    for path in before.keys() | now.keys():
        parts, owner = now.get(path) or before[path]
        if path in before and path in now:
            if parts != before[path][0]:
                yield path, owner, parts
        elif path[:-1] in before and path[:-1] in now:
            yield path, owner, parts


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
            if not (is_item_count([row, *behind]) if as_key else is_change(name, row, behind)):
                return "read"
            found = "counted"
    return found


def is_change(name: str, row: dis.Instruction, behind: list[dis.Instruction]) -> bool:
    """Return whether an instruction stores, or loads for a change alone. behind: the instructions that follow."""
    return row.opname.startswith("STORE") or is_addition(behind[0]) or is_item_count(behind) or is_count(name, behind)


def is_method_load(row: dis.Instruction) -> bool:
    """Return whether an instruction loads a method that is called next: no number, or container."""
    return row.opname == "LOAD_METHOD" or "NULL|self" in row.argrepr


def is_addition(row: dis.Instruction) -> bool:
    """Return whether an instruction loads a method that only adds to a container."""
    return row.opname in ("LOAD_METHOD", "LOAD_ATTR") and row.argval in ADDING


def behind_sum(rows: list[dis.Instruction]) -> list[dis.Instruction]:
    """Return the instructions behind an operator whose first operand is what is on the stack before these; [] where
    something else takes it. What the second operand is computed from lies above it.
    """
    height = 1
    for number, row in enumerate(rows):
        if row.opcode in dis.hasjrel or row.opcode in dis.hasjabs:
            break
        height += dis.stack_effect(row.opcode, row.arg, jump=False)
        if height <= 1:
            is_operator = height == 1 and row.opname == "BINARY_OP" and row.argrepr != "[]"
            return [one for one in rows[number + 1 : number + 5] if one.opname != "SWAP"] if is_operator else []
    return []


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


def codes_in_use(codes: Iterable[tuple[CodeType, str]]) -> list[CodeType]:
    """Return the codes that a call may run. codes: (code, the name under which a class has it, "" for any other one).

    A method may be called if code that may run has its name.
    """
    found, methods = [], dict[str, list[CodeType]]()
    for code, name in codes:
        if name and not name.startswith("__"):
            methods.setdefault(name, []).append(code)
        else:
            found.append(code)
    for code in found:  # which grows
        for one in all_codes([code]):
            for name in (*one.co_names, *[name for name in one.co_consts if isinstance(name, str)]):
                found += methods.pop(name, ())
    return found
