"""Changes: what a function changes in Python's state, and its operations may depend on.

Note [Changes of Python's state]
    A counter, a flag that the first call sets, an item that an iterator has given are frozen in a program. Nobody can
    see whether operations depend on them (``decay = 1 / self.n``, ``if self.n % 100 == 0``): so a function that changes
    something in each call and reads it runs as usual. Where no code that was found names it, where an iterator does not
    tell where it is, and where a function under ``compiler.disable`` has changed it, which each replay calls, another
    recording shows whether operations depend on it: a recording becomes a program then if the one before has done the
    same. A function that draws random numbers of Python or NumPy, but for those in functions that replays call, runs as
    usual.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from wengert_replay.python_state.uses import (
    LOOKERS,
    MAKERS,
    codes_in_use,
    is_named,
    names_loaded,
    names_read,
    names_stored,
    own_codes,
    use_of,
    words_found,
)
from wengert_replay.python_state.values import (
    OPTIM,
    SCHEDULER,
    Code,
    Mark,
    random_sources,
    random_state,
    set_random_state,
)
from wengert_replay.python_state.walker import walk_for_changes
from wengert_replay.signature import objects_in

SHOWN = 4
"""The most names that a reason has."""

State = dict[tuple[str, ...], tuple[list[Any], str]]


def words_on_changes(names: list[str]) -> str:
    """Return a reason: a function changes what has these names."""
    return f"the function changes numbers or objects of Python that it reads, or may read ({first_names(names)})"


def words_on_shared(names: list[str]) -> str:
    """Return a reason: functions that each replay calls change what the function reads, or the other way round."""
    return (f"the function and those under compiler.disable that it calls share numbers or objects of Python "
            f"({first_names(names)})")  # fmt: skip


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
    codes: list[Code]
    draws: Draws
    aside: set[tuple[str, ...]]
    read_aside: set[str]
    set_aside: set[str]
    options: set[str]

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, guarded: bool) -> None:
        """guarded: the state is part of the function's signature, but for iterators that do not tell where they are."""
        self.function, self.args, self.guarded = function, [*objects_in((args, kwargs))], guarded
        self.found, self.marks, self.codes, sources = self.look()
        named: dict[str, Any] = {}
        for number, source in sources:
            name = name_at(self.marks, number)
            named[name if name not in named else f"{name}, number {number}"] = source
        self.draws, self.aside = Draws(named), set()
        self.read_aside, self.set_aside, self.options = set(), set(), set()

    def look(self) -> tuple[list[Any], list[Mark], list[Code], list[tuple[int, Any]]]:
        try:
            return walk_for_changes(self.function, self.args)
        except Exception:  # of a list or a class of the user's that cannot be looked into
            return [], [], [], []

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function that each replay calls: what it draws is its own, and what it changes may not be read."""
        if str(getattr(function, "__module__", "")).startswith("wengert"):
            self.set_aside.update(getattr(function, "changed_names", ()))
            self.read_aside.update(getattr(function, "read_names", ()))
            self.options.update(getattr(function, "option_names", ()))
            return function(*args, **kwargs)
        self.note_names(function, args, kwargs)
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

    def note_names(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """Note what a function that each replay calls may read of Python's state, and what it may set."""
        with contextlib.suppress(Exception):  # of a list or a class of the user's that cannot be looked into
            own = getattr(function, "__code__", None)
            found = walk_for_changes(function, [*objects_in((args, kwargs))])[2]
            # a method that a library may call, such as an optimizer's step, is not called by this function
            codes = codes_in_use(one for one in found
                                 if one[1] not in ("", "__wrapped__") or one[2] or one[0] is own)  # fmt: skip
            self.read_aside |= names_loaded(codes)
            self.set_aside.update(*names_stored(codes))

    def find_shared(self) -> list[str]:
        """Return names under which functions that each replay calls, and the code around them, tell each other
        something: in another call the one may set another value, which the other reads.
        """
        if not (self.set_aside or self.read_aside or self.options):
            return []
        codes = codes_in_use(one for one in own_codes(self.codes) if one[0].co_name not in MAKERS)
        words = words_found(self.found)
        methods = names_loaded(codes) - self.set_aside
        found = {one for one in self.set_aside if use_of(one, codes) == "read" or is_named(one, words | methods)}
        stored, keys = names_stored(codes)
        return sorted(found | (self.read_aside & (stored | keys)) | (self.options & keys))

    def find_drawn(self) -> list[str]:
        """Return the names of the sources that random numbers have been drawn from."""
        self.draws.note()
        return sorted(self.draws.found)

    def names(self) -> list[str]:
        """Return the names of all that is another one now."""
        found, marks, *_ = self.look()
        changed = differences(named_parts(self.found, self.marks), named_parts(found, marks))
        named = [(path[-1] if path else "an argument", owner) for path, owner, _ in changed]
        return sorted({f"{owner}.{name}" if owner else name for name, owner in named})

    def find(self) -> tuple[list[str], list[str]]:
        """Return the names of what is another one now: of what is read, and of what may be; but for what is counted."""
        found, marks, *_ = self.look()
        if found == self.found:
            return [], []
        changed = differences(named_parts(self.found, self.marks), named_parts(found, marks))
        codes = codes_in_use(self.codes)
        names, is_obscure = names_read(self.codes, self.found), not names_loaded(codes).isdisjoint(LOOKERS)
        used: dict[str, set[str]] = {"read": set(), "": set(), "counted": set()}
        for path, owner, parts in changed:
            name, is_unknown = path[-1] if path else "an argument", any(type(part) is object for part in parts)
            if is_unknown or not self.guarded:
                if owner.startswith((OPTIM, SCHEDULER)):
                    use = "read" if is_named(name, names) else "counted"
                else:
                    use = "" if is_unknown or path in self.aside else use_of(name, codes)
                    use = "" if use == "counted" and is_obscure else use
                used[use].add(f"{owner.removeprefix(SCHEDULER)}.{name}" if owner else name)
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
