"""The registry: composed by one scan, bound name by name on first use."""

from __future__ import annotations

import os
import sys
from _thread import RLock, get_ident  # threading costs a millisecond more
from time import perf_counter_ns

from wengert_registry import errors
from wengert_registry.candidate import AVAILABLE, FAILED, Candidate, attempt
from wengert_registry.claims import Place
from wengert_registry.group import Group, Registration
from wengert_registry.rules import GROUPS, Rules
from wengert_registry.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from wengert_registry.offers import Section
    from wengert_registry.table import Table

PLACES = {"op": "", "Tensor": "Tensor.{}", "wengert": "wengert.{}"}
"""Places that the rows of tables give names to, and how messages show them: an op is known as its function is."""


class Registry:
    """All groups of one process (or test).

    paths: the folders to look in, sys.path if None.   environ: the switches, os.environ if None. Both are read when the
    registry is first used, the paths once more by compose(refresh=True).
    arrangement: grows when other entry points may be in use than before; compare it, never set it.

    Note [Imports happen outside the lock]
    The registry's lock guards its state and the accept hooks, not the import of a plugin's module: for that Python has
    a lock for each module. If the registry's were held as well, a thread that binds a plugin (registry, then module)
    and one that imports the same module, which looks something up (module, then registry), would wait for each other
    for ever.
    """

    def __init__(self, paths: Iterable[object] | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.arrangement: int = 0
        self.lock: RLock = RLock()
        self.rules: Rules = Rules()
        self.places: dict[str, Place] = {name: Place(self, shown) for name, shown in PLACES.items()}
        self._paths, self._environ = paths, environ
        self._groups = {short: Group(self, short, full, noun) for short, (full, noun) in GROUPS.items()}
        self._unusable: list[Candidate] = []  # malformed, or for another generation
        self._composed = False
        self._binding: dict[int, list[Candidate]] = {}  # by thread: what it is binding, outermost first
        self._reported: set[tuple[str, ...]] = set()
        self._listeners: list[Callable[[], object]] = []
        self._noted: list[str] = []
        self._claimed = False  # whether names have been claimed since they were last decided
        self._claimants: dict[Candidate, None] = {}  # those whose rows give names, in the order of loading

    def group(self, short: str) -> Group:
        """The group of that short name: 'ops', 'formulas', ... Raises ValueError for any other."""
        if short not in self._groups:
            raise errors.unknown_group(short, list(self._groups))
        return self._groups[short]

    def register(self, group: str, name: str, obj: object, owner: str = "this process") -> Registration:
        """Group.register, for the group of that short name."""
        return self.group(group).register(name, obj, owner)

    # ---- composing

    def compose(self, refresh: bool = False) -> Registry:
        """Scan if that has not been done, or once more with refresh=True (after pip install, say); returns self.

        With WENGERT_PLUGINS=eager everything is loaded too. The first lookup of any name scans by itself and loads
        only that name; so a package calls this as the last line of its import, when plugins can import it.
        """
        self.ensure(refresh)
        if self.rules.eager:
            for group in self._groups.values():
                group.load_all()
        return self

    def ensure(self, refresh: bool = False) -> None:
        """Scan, unless that has been done."""
        if self._composed and not refresh:
            return
        with self.lock:
            if self._composed and not refresh:
                return
            problems = [] if self._composed else self.rules.read(os.environ if self._environ is None else self._environ)
            sections, self._unusable = self._scan()
            for group in self._groups.values():
                group.offer([one for one in sections if one.group == group.full])
            self._composed = True
            self.notify_change()
        self._report_all(problems)

    def _scan(self) -> tuple[list[Section], list[Candidate]]:
        """The entry points that are installed now: those which can be used, and those which cannot."""
        if self._composed:
            from importlib import invalidate_caches

            invalidate_caches()  # a distribution that has just been installed
        return scan(sys.path if self._paths is None else self._paths)

    def _report_all(self, problems: Sequence[str] = ()) -> None:
        """Say what is wrong with the switches and with the entry points; strict: raise it."""
        malformed = [one for one in self._unusable if one.state == FAILED and one.group != "?"]
        counts = [one for one in malformed if not (one.distribution.hidden_by or self.rules.why_off(one))]
        refused = [text for group in self._groups.values() for text in group.refusals()]
        unknown = self.rules.unknown(self._all()) if self.rules.name_anything() else ()
        self._report_texts([*problems, *map(errors.skipped_line, counts), *refused, *unknown])

    def report_unknown_rows(self) -> None:
        """Say which preferred names no table has, now that all tables are loaded."""
        rows = {one: {n for place in self.places.values() for n in place.names_of(one)} for one in self._claimants}
        self._report_texts(self.rules.unknown(self._all(), rows))

    def _all(self) -> list[Candidate]:
        """Every offer of every distribution, usable or not."""
        return [*self._unusable, *(one for group in self._groups.values() for one in group.candidates())]

    def incompatible(self, full: str) -> list[Candidate]:
        """What is offered to other generations of a group."""
        family = full.rpartition(".")[0]
        return [one for one in self._unusable if one.group.rpartition(".")[0] == family]

    # ---- binding

    def bind(self, candidate: Candidate, group: Group) -> None:
        """Load and accept, at most once, whichever threads ask; the outcome is the candidate's state.

        Raises PluginError if this thread is binding the candidate already.
        """
        stack = self._binding.setdefault(get_ident(), [])
        if candidate in stack:
            raise errors.cycle([*stack[stack.index(candidate) :], candidate])
        stack.append(candidate)
        began = perf_counter_ns()
        try:
            value: object
            value, cause = attempt(candidate.load)
            with self.lock:
                if candidate.state != AVAILABLE:  # another thread was faster
                    return
                if cause is None:
                    value, cause = attempt(group.accept, candidate, value)
                candidate.settle(value, cause)
                candidate.bind_ns = perf_counter_ns() - began
                self.notify_change(bound=True)
        finally:
            stack.pop()
            if not stack:
                del self._binding[get_ident()]

    def is_binding(self) -> bool:
        """Return whether this thread is binding a candidate."""
        return get_ident() in self._binding

    # ---- the user's wishes

    def prefer(self, choice: str) -> None:
        """'formulas:exp=dist-a, ...': of several that offer the name, take that one. Raises ValueError if malformed."""
        self._switch(lambda: self.rules.prefer(choice))

    def disable(self, what: str) -> None:
        """'dist-a, formulas:special.*': do as if these were not installed. Raises ValueError if malformed."""
        self._switch(lambda: self.rules.switch(what, "disabled by disable()"))

    def enable(self, what: str) -> None:
        """Undo disable() and the environment's switches for these; what has failed among them is tried again."""

        def switch() -> None:
            patterns = self.rules.switch(what, "")
            for candidate in [one for group in self._groups.values() for one in group.known_candidates()]:
                if candidate.state == FAILED and any(pattern.matches(candidate) for pattern in patterns):
                    candidate.reset()

        self._switch(switch)

    def _switch(self, action: Callable[[], object]) -> None:
        self.ensure()
        with self.lock:
            action()
            self.notify_change()
        self._report_all()

    # ---- looking at it

    def table(self, load: bool = False, check: Callable[[Candidate], Sequence[str]] | None = None) -> Table:
        """What is installed, a row for each offer, sorted; prints as a table, also in a notebook.

        Nothing is imported, unless load=True: then everything is tried, and what fails is in its row.
        check: gives what is wrong with a candidate that is loaded, a sentence for each defect.
        """
        from wengert_registry.table import tabulate  # not needed to compose

        self.ensure()
        if load:
            for group in self._groups.values():
                group.attempt_all()
            self.report_unknown_rows()
        defects = {one: self._defects(one, check) for one in self._all() if self.is_current(one)}
        with self.lock:
            return tabulate(self._groups.values(), self._unusable, defects)

    def _defects(self, candidate: Candidate, check: Callable[[Candidate], Sequence[str]] | None) -> list[str]:
        """Return the defects of a candidate that is in use: names that it does not get, and what the check says."""
        refused = {
            why: names for (loser, why), names in self._name_conflicts(mount=False).items() if loser is candidate
        }
        found = [f"{', '.join(names)}: refused: {why}" for why, names in refused.items()]
        if check is not None:
            said, error = attempt(check, candidate)
            found += [f"the check of it raised {errors.cause_text(error)}"] if error else said or ()
        return found

    def reasons(self, name: str, place: str = "wengert") -> list[str]:
        """Return why a name that plugins offer is absent: a sentence for each that fails, is disabled or incompatible.

        name: below `wengert.` ('acme.foo'), or of a method where place is 'Tensor'.
        """
        from wengert_registry.absence import reasons  # when something is missing

        self.ensure()
        with self.lock:
            return reasons(self, self.places[place], name)

    # ---- used by the groups and places

    def is_current(self, candidate: Candidate) -> bool:
        """Return whether a candidate is loaded and in use."""
        group = self._groups.get(candidate.short)
        return group is not None and group.is_current(candidate)

    def owner_of_formulas(self, name: str) -> str:
        """The distribution whose op table formulas registered under this name belong to."""
        owner = self._groups["ops"].current(name) or self._groups["ops"].current(name.partition(".")[0])
        return owner.distribution.name if owner is not None else ""

    def notify_change(self, bound: bool = False) -> None:
        """Note that a name may stand for another thing now; bound: only a candidate has been loaded."""
        with self.lock:
            self.arrangement += not bound
            for group in self._groups.values():
                group.forget_values()
            if self._claimants and (self._claimed or not bound):
                self._claimed = False
                refused = self._name_conflicts(mount=True).items()
                self._noted += [errors.name_conflicts(loser, names, why) for (loser, why), names in refused]
            for listener in self._listeners:
                listener()
            self.tell()  # last: where warnings are errors, what had to be done is done

    def _name_conflicts(self, mount: bool) -> dict[tuple[Candidate, str], list[str]]:
        """Decide who gives the names of rows; the names that plugins do not get, by plugin and reason.

        mount: let the names go to those who give them now.
        """
        current = {one for one in self._claimants if self.is_current(one)}
        refused: dict[tuple[Candidate, str], list[str]] = {}
        for place in self.places.values():
            for losers, name, why in place.settle(current, mount):
                for loser in losers:
                    refused.setdefault((loser, why), []).append(name)
        return refused

    def claim(self, candidate: Candidate, names: Mapping[str, Mapping[str, object]]) -> None:
        """Note the names that a candidate's rows give, by place; they are mounted once it is loaded."""
        self._claimants[candidate] = None
        self._claimed = True
        for place, given in names.items():
            self.places[place].claim(candidate, given)

    def on_change(self, listener: Callable[[], object]) -> None:
        """Call ``listener()`` whenever a name may stand for another thing, with the lock held: to drop what was derived
        from it.
        """
        with self.lock:
            self._listeners.append(listener)

    # ---- warnings

    def note(self, text: str) -> None:
        """Have a PluginWarning given by the next `tell`: where one that is an error would leave something half done."""
        self._noted.append(text)

    def tell(self) -> None:
        """Give the warnings that have been noted, each once; strict: raise them."""
        texts, self._noted = self._noted, []
        self._report_texts(texts)

    def _report_texts(self, texts: Iterable[str]) -> None:
        """Give each warning that has not been given; strict: raise them."""
        new = [text for text in texts if (text,) not in self._reported]
        if new and self.rules.strict:
            self._reported.update((text,) for text in new)
            raise errors.PluginError("; ".join(new))
        for text in new:
            self.report((text,), text)

    def report(self, key: tuple[str, ...], text: str) -> None:
        """Give a PluginWarning, once for each key."""
        with self.lock:
            if key in self._reported:
                return
            self._reported.add(key)
        from warnings import warn

        warn(text, errors.PluginWarning, stacklevel=2)
