"""The registry: composed by one scan, bound name by name on first use."""

from __future__ import annotations

import os
import sys
from _thread import RLock

from wengert_registry import errors
from wengert_registry.candidate import FAILED, Binder, Candidate
from wengert_registry.group import Group, Registration
from wengert_registry.rules import GROUPS, KNOWN, Pattern, Rules, items
from wengert_registry.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wengert_registry.table import Table


class Registry:
    """All groups of one process (or test).

    paths: the folders to look in, sys.path if None.   environ: the switches, os.environ if None. Both are read when the
    registry is first used, the paths once more by compose(refresh=True).
    epoch: grows with every change of what a name may stand for; compare it, never set it.
    """

    def __init__(self, paths: Iterable[object] | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.epoch = 0
        self.lock = RLock()
        self.binder = Binder(self.lock)
        self.rules = Rules()
        self._paths, self._environ = paths, environ
        self._groups = {short: Group(self, short, full, noun) for short, (full, noun) in GROUPS.items()}
        self._unusable: list[Candidate] = []  # malformed, or for another generation
        self._composed = False
        self._reported: set[tuple[str, ...]] = set()
        self._listeners: list[Callable[[], object]] = []

    def group(self, short: str) -> Group:
        """The group of that short name: 'ops', 'formulas', ... Raises ValueError for any other."""
        try:
            return self._groups[short]
        except KeyError:
            raise errors.unknown_group(short, list(self._groups)) from None

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
            self._take(self._scan())
            self._composed = True
            self.changed()
        self._report_all(problems)

    def _scan(self) -> list[Candidate]:
        """What is installed now; entry points that were known before keep what they have become."""
        if self._composed:
            from importlib import invalidate_caches

            invalidate_caches()  # a distribution that has just been installed
        before = {one.key(): one for group in self._groups.values() for one in group.candidates()}
        found = []
        for entry in scan(sys.path if self._paths is None else self._paths):
            problem = entry.problem
            if not problem and entry.group not in KNOWN:
                problem = errors.incompatible(entry.group, list(KNOWN))
            candidate = Candidate(entry.distribution, entry.group, entry.name, entry.target, problem)
            if entry.problem:
                candidate.state = FAILED
            known = before.get(candidate.key())
            if known is not None:
                known.distribution = candidate.distribution
            found.append(known if known is not None and not problem else candidate)
        return found

    def _take(self, found: list[Candidate]) -> None:
        self._unusable = [one for one in found if one.problem]
        for group in self._groups.values():
            group.offer([one for one in found if one.group == group.full and not one.problem])

    def _report_all(self, problems: list[str]) -> None:
        """Say what is wrong with the switches and with the entry points; strict: raise it."""
        malformed = [one for one in self._unusable if one.state == FAILED and one.group != "?"]
        ignored = [one for one in malformed if one.distribution.hidden_by or self.rules.why_off(one)]
        problems = problems + [errors.left_out(one) for one in malformed if one not in ignored]
        if problems and self.rules.strict:
            raise errors.PluginError("; ".join(problems))
        for problem in problems:
            self.report((problem,), problem)

    def incompatible(self, full: str, name: str) -> list[Candidate]:
        """Offers of the name in other generations of the group."""
        family = full.rpartition(".")[0]
        return [one for one in self._unusable if one.name == name and one.group.rpartition(".")[0] == family]

    # ---- the user's wishes

    def prefer(self, choice: str) -> None:
        """'formulas:exp=dist-a, ...': of several that offer the name, take that one. Raises ValueError if malformed."""
        self.ensure()
        with self.lock:
            self.rules.prefer(choice)
            self.changed()

    def disable(self, what: str) -> None:
        """'dist-a, formulas:special.*': do as if these were not installed. Raises ValueError if malformed."""
        self.ensure()
        with self.lock:
            self.rules.switch(what, "disabled by disable()")
            self.changed()

    def enable(self, what: str) -> None:
        """Undo disable() and the environment's switches for these; what has failed among them is tried again."""
        self.ensure()
        with self.lock:
            self.rules.switch(what, "")
            patterns = [Pattern(item) for item in items(what)]
            for candidate in [one for group in self._groups.values() for one in group.candidates()]:
                if candidate.state == FAILED and any(pattern.matches(candidate) for pattern in patterns):
                    candidate.reset()
            self.changed()

    # ---- looking at it

    def table(self, load: bool = False) -> Table:
        """What is installed, a row for each offer, sorted; prints as a table, also in a notebook.

        Nothing is imported, unless load=True: then everything is tried, and what fails is in its row.
        """
        from wengert_registry.table import tabulate  # not needed to compose

        self.ensure()
        if load:
            for group in self._groups.values():
                group.attempt_all()
        with self.lock:
            return tabulate([self._groups[short] for short in GROUPS], self._unusable)

    # ---- used by the groups

    def changed(self) -> None:
        """What a name stands for may be another thing now."""
        with self.lock:
            self.epoch += 1
            for group in self._groups.values():
                group.forget_values()
            for listener in self._listeners:
                listener()

    def on_change(self, listener: Callable[[], object]) -> None:
        """Call ``listener()`` whenever a name may stand for another thing, with the lock held: to drop what was derived
        from it.
        """
        with self.lock:
            self._listeners.append(listener)

    def report(self, key: tuple[str, ...], text: str) -> None:
        """A PluginWarning, once for each key."""
        with self.lock:
            if key in self._reported:
                return
            self._reported.add(key)
        from warnings import warn

        warn(text, errors.PluginWarning, stacklevel=2)
