"""The registry: composed by one scan, bound name by name on first use."""

from __future__ import annotations

import os
import sys

from wengert_registry import errors
from wengert_registry.candidate import AVAILABLE, FAILED, LOADED, Candidate
from wengert_registry.claims import Place
from wengert_registry.forks import fork_lock
from wengert_registry.group import Group, Registration
from wengert_registry.rules import GROUPS, Rules, check_group
from wengert_registry.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import RLock
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from wengert_registry.listing import Table

PLACES = {"op": "", "Tensor": "Tensor.{}", "wengert": "wengert.{}"}
"""Places that the rows of tables give names to, and how messages show them: an op is known as its function is."""


class Registry:
    """All groups of one process (or test).

    paths: the folders to look in, sys.path if None.   environ: the switches, os.environ if None. Both are read when the
    registry is first used, the paths once more by compose(refresh=True).
    arrangement: grows when other entry points may be in use than before; compare it, never set it.
    """

    def __init__(self, paths: Iterable[object] | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.arrangement: int = 0
        self.lock: RLock = fork_lock()
        self.rules: Rules = Rules()
        self.places: dict[str, Place] = {key: Place(self, key, shown) for key, shown in PLACES.items()}
        self.binding: dict[int, list[Candidate]] = {}  # by thread: what it is binding, outermost first
        self._paths, self._environ = paths, environ
        self._groups = {short: Group(self, short, full, noun) for short, (full, noun) in GROUPS.items()}
        self._unusable: list[Candidate] = []
        self._composed = False
        self._reported: set[str] = set()
        self._listeners: list[Callable[[], object]] = []
        self._noted: list[str] = []
        self._claimed = False  # whether names have been claimed since they were last decided

    def group(self, short: str) -> Group:
        """The group of that short name: 'ops', 'formulas', ... Raises ValueError for any other."""
        check_group(short)
        return self._groups[short]

    def register(self, group: str, name: str, obj: object, owner: str = "this process") -> Registration:
        """Group.register, for the group of that short name."""
        return self.group(group).register(name, obj, owner)

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

    def ensure(self, refresh: bool = False) -> RLock:
        """Scan, unless that has been done; returns the lock, to look at what there is."""
        if self._composed and not refresh:
            return self.lock
        with self.lock:
            if self._composed and not refresh:
                return self.lock
            problems: list[str] = []
            if self._composed:
                from importlib import invalidate_caches

                invalidate_caches()  # a distribution that has just been installed
            else:
                problems += self.rules.read(os.environ if self._environ is None else self._environ)
            found = scan(sys.path if self._paths is None else self._paths)
            self._unusable = [candidate for one in found for candidate in one.unusable]
            for group in self._groups.values():
                group.offer(found)
            self._composed = True
            self.notify_change()
        self.report_problems(*problems)
        return self.lock

    def prefer(self, choice: str) -> None:
        """'formulas:exp=dist-a, ...': of several that offer the name, take that one. Raises ValueError if malformed."""
        self._switch(choice, "prefer()")

    def disable(self, what: str) -> None:
        """'dist-a, formulas:special.*': do as if these were not installed. Raises ValueError if malformed."""
        self._switch(what, "disable()")

    def enable(self, what: str) -> None:
        """Undo disable() and the environment's switches for these; what has failed among them is tried again."""
        self._switch(what, "enable()")

    def _switch(self, text: str, source: str) -> None:
        with self.ensure():
            patterns = self.rules.add(text, source)
            for one in [one for group in self._groups.values() for one in group.known_candidates()]:
                if source == "enable()" and one.state == FAILED and any(pattern.matches(one) for pattern in patterns):
                    one.settle(AVAILABLE)
            self.notify_change()
        self.report_problems()

    def table(self, load: bool = False, check: Callable[[Candidate], Sequence[str]] | None = None) -> Table:
        """What is installed, a row for each offer, sorted; prints as a table, also in a notebook.

        Nothing is imported, unless load=True: then everything is tried, and what fails is in its row.
        check: gives what is wrong with a candidate that is loaded, a sentence for each defect.
        """
        from wengert_registry.listing import tabulate  # not needed to compose

        self.ensure()
        if load:
            for group in self._groups.values():
                group.attempt_all()
            self.report_problems()
        return tabulate(self, check)

    def standings(self, *groups: Group) -> list[tuple[Candidate, str, str]]:
        """Offers to these groups (to all), and to their other generations: each with its state among the
        others, and a sentence where there is something to say.
        """
        with self.ensure():
            chosen = groups or self._groups.values()
            families = [group.full.rpartition(".")[0] for group in groups]
            others = [one for one in self._unusable if not groups or one.group.rpartition(".")[0] in families]
            standings = [(one, *group.standing(one)) for group in chosen for one in group.candidates()]
            return standings + [(one, one.state, one.problem) for one in others]

    def reasons(self, name: str, place: str = "wengert") -> list[str]:
        """Return why a name that plugins offer is absent: a sentence for each that fails, is disabled or incompatible.

        name: below `wengert.` ('acme.foo'), or of a method where place is 'Tensor'.
        """
        shown = PLACES[place].format(name)
        sure, perhaps = [], []
        for one, state, why in self.standings(self._groups["namespace"], self._groups["ops"]):
            has_name = one.group.startswith("wengert.namespace.")
            # The entry point itself is the name ('wengert.foo', 'Tensor.foo'), or a module that has it.
            declares = has_name and f"{shown}.".removeprefix("wengert.").startswith(f"{one.name}.")
            if declares or name in (one.claims or {}).get(place, ()):
                refused = self.refusals().items() if state == LOADED else ()
                whys = [why, *(text for (loser, text), names in refused if loser is one and shown in names)]
                sure += [errors.unused_name(one, text) for text in whys if text]
            elif why and state != "shadowed" and one.state != LOADED and (not has_name or one.name.startswith("top.")):
                perhaps.append(errors.unused_name(one, why, perhaps=True))
        return sure or perhaps

    def claim(self, candidate: Candidate, names: Mapping[str, Mapping[str, object]]) -> None:
        """Note the names that a candidate's rows give, by place; they are mounted once it is loaded, as far as they
        become its own.
        """
        candidate.claims, self._claimed = names, True

    def refusals(self, mount: bool = False) -> dict[tuple[Candidate, str], list[str]]:
        """Decide who gives the names of rows; the names that plugins do not get, by plugin and reason.

        mount: let the names go to those who give them now.
        """
        refused: dict[tuple[Candidate, str], list[str]] = {}
        with self.lock:
            current = [one for group in self._groups.values() for one in group.known_candidates()
                       if one.claims and group.is_current(one)]  # fmt: skip
            current.sort(key=lambda one: (one.in_process, one.distribution.name, one.group, one.name))
            for place in self.places.values():
                for loser, why, name in place.decide(current, mount):
                    refused.setdefault((loser, why), []).append(name)
        return refused

    def notify_change(self, bound: bool = False) -> None:
        """Note that a name may stand for another thing now; bound: only a candidate has been loaded."""
        with self.lock:
            self.arrangement += not bound
            for group in self._groups.values():
                group.values.clear()
            if self._claimed or not bound:
                self._claimed = False
                refused = self.refusals(mount=True).items()
                self._noted += [errors.name_conflicts(loser, names, why) for (loser, why), names in refused]
            for listener in self._listeners:
                listener()
            self.tell()  # last: where warnings are errors, what had to be done is done

    def on_change(self, listener: Callable[[], object]) -> None:
        """Call ``listener()`` whenever a name may stand for another thing, with the lock held: to drop what was derived
        from it.
        """
        with self.lock:
            self._listeners.append(listener)

    def report_problems(self, *problems: str) -> None:
        """Say what is wrong with the switches and with the entry points; strict: raise it."""
        malformed = [one for one in self._unusable if one.state == FAILED and one.group != "?"]
        skipped = [errors.report(one, f": an entry of {one.group} is left out", one.problem)
                   for one in malformed if not self.rules.why_off(one)]  # fmt: skip
        refused = [text for group in self._groups.values() for text in group.refusals()]
        installed = [one for one, _, _ in self.standings()] if self.rules.patterns else []
        self.tell(*problems, *skipped, *refused, *self.rules.unknown(installed))

    def note(self, text: str) -> None:
        """Have a PluginWarning given by the next `tell`: where one that is an error would leave something half done."""
        self._noted.append(text)

    def tell(self, *texts: str) -> None:
        """Give a PluginWarning for what has been noted, and for these texts, each once; strict: raise them."""
        with self.lock:
            noted, self._noted = self._noted, []
            new = [text for text in dict.fromkeys([*noted, *texts]) if text not in self._reported]
            if new and self.rules.strict:
                self._reported.update(new)
                raise errors.PluginError("; ".join(new))
            for text in new:
                from warnings import warn

                self._reported.add(text)
                warn(text, errors.PluginWarning, stacklevel=2)
