"""One group of plugins: its names, and the way from a name to what it stands for."""

from __future__ import annotations

from _thread import get_ident
from time import perf_counter_ns

from wengert_registry import errors
from wengert_registry.candidate import AVAILABLE, FAILED, LOADED, Candidate, Distribution, attempt
from wengert_registry.claims import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from wengert_registry.composition import Registry

    Accept = Callable[[Candidate, object], object]


class Group:
    """The plugins of one entry-point group. Names are listed without loading anything; `get` and `find` load."""

    def __init__(self, registry: Registry, short: str, full: str, noun: str) -> None:
        self._registry = registry
        self.short: str = short
        self.full: str = full
        self.noun: str = noun
        self._known: dict[tuple[object, ...], Candidate] = {}  # those that somebody has asked for, by their keys
        self.values: dict[str, object] = {}  # what get() returned, until anything changes
        self._accept: Accept = lambda candidate, obj: obj
        self._together = False
        self._sections: dict[Distribution, dict[str, str]] = {}  # those of this process last
        self._offers: dict[str, list[Candidate]] = {}  # by name, those that somebody has asked for

    def __repr__(self) -> str:
        return f"<Group {self.full}: {', '.join(self.names()) or 'empty'}>"

    def names(self, prefix: str = "") -> tuple[str, ...]:
        """The names that can be asked for (those that begin with a prefix), sorted; some may turn out to clash or fail
        when they are.
        """
        with self._registry.ensure():
            names = set[str]().union(*self._sections.values())
            found = sorted([name for name in names if name.startswith(prefix)])
            if not all(map(self._registry.rules.leaves_alone, self._sections)):
                found = [name for name in found if self._rivals(name)]
            return tuple(found)

    def sections(self) -> dict[Distribution, dict[str, str]]:
        """Offers, in use or not, by distribution: the targets by name. Another object after each change."""
        with self._registry.ensure():
            return self._sections

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        with self._registry.ensure():
            return isinstance(name, str) and bool(self._rivals(name))

    def candidates(self) -> list[Candidate]:
        """All, whatever their state."""
        return [one for name in sorted(set[str]().union(*self._sections.values())) for one in self._at(name)]

    def known_candidates(self) -> list[Candidate]:
        """Those that somebody has asked for, among which are all that have been loaded."""
        return [*self._known.values()]

    def get(self, name: str) -> object:
        """What the name stands for; loaded on first use and kept.

        Raises MissingPluginError if nobody offers it, DuplicatePluginError if several do and none is preferred,
        PluginError (from the plugin's own exception) if it cannot be loaded. A plugin that fails is also reported,
        once, for whoever catches the exception.
        """
        try:
            return self.values[name]  # one step: another thread may forget it at any time
        except KeyError:
            pass
        try:
            return self._load(name).value
        except errors.PluginError as error:
            if error.candidate is not None and not self._registry.rules.strict:
                try:
                    self._registry.tell(str(error))
                except errors.PluginWarning:  # warnings are errors here, and this error says the same
                    raise error from error.__cause__
            raise

    def find(self, name: str) -> object | None:
        """As get, but None if nobody offers the name."""
        return self.get(name) if name in self.values or name in self else None

    def load_all(self, names: Iterable[str] | None = None) -> dict[str, object]:
        """Every value (those of these names) by its name, sorted. What cannot be had is warned about, once, and left
        out (strict: raised).
        """
        outcomes = self.attempt_all(names)
        if names is None and self._together:
            self._registry.report_problems()  # preferred names that no table has
        failures = [one for one in outcomes.values() if not isinstance(one, Candidate)]
        if failures and self._registry.rules.strict:
            raise failures[0]
        for failure in failures:
            self._registry.tell(str(failure))
        return {name: one.value for name, one in outcomes.items() if isinstance(one, Candidate)}

    def attempt_all(self, names: Iterable[str] | None = None) -> dict[str, Candidate | errors.PluginError]:
        """Load everything, or these names; what came of it by name, sorted. Neither warns nor raises."""
        outcomes: dict[str, Candidate | errors.PluginError] = {}
        for name in self.names() if names is None else sorted(names):
            try:
                outcomes[name] = self._load(name)
            except errors.PluginError as error:
                outcomes[name] = error
        return outcomes

    def _load(self, name: str) -> Candidate:
        """The candidate that stands for the name, loaded."""
        while True:
            with self._registry.ensure():
                rivals, candidate = self._rivals(name), self.current(name)
                if not rivals:
                    absent = f"no {self.noun} '{name}' is installed; installed: {errors.quote_names(self.names())}"
                    raise errors.MissingPluginError(". ".join([absent, *self.reasons(name)]))
                if candidate is None:
                    clash = f"{self.noun} '{name}' is registered twice: {errors.conflict(rivals, name)}"
                    raise errors.DuplicatePluginError(f"{clash} {errors.PAGE}")
                if candidate.state == LOADED:
                    self.values[name] = candidate.value
                    return candidate
                if candidate.state == FAILED:
                    raise errors.load_failure(candidate) from candidate.cause
            if self._together and not candidate.distribution.first_party:
                self._load_others()
            if candidate.state == AVAILABLE:
                self._bind(candidate)

    def _load_others(self, ours_only: bool = False) -> None:
        """Load what has not been loaded of this group, wengert's own first; what fails says so when it is asked for.

        Not while this thread loads a plugin, which asks for another: it may be one that waits for this one.
        """
        with self._registry.ensure():
            chosen = [one for one in map(self.current, self.names()) if one is not None and one.state == AVAILABLE]
        for one in sorted(chosen, key=lambda one: not one.distribution.first_party):
            if get_ident() not in self._registry.binding and (one.distribution.first_party or not ours_only):
                self._bind(one)

    def _bind(self, candidate: Candidate) -> None:
        """Load and accept, at most once, whichever threads ask; the outcome is the candidate's state.

        Raises PluginError if this thread is binding the candidate already.
        """
        stack = self._registry.binding.setdefault(get_ident(), [])
        if candidate in stack:
            needs = [f"{one.short}:{one.name} ({one.distribution})" for one in stack[stack.index(candidate) :]]
            cycle = " -> ".join([*needs, needs[0]])
            way_out = "Move one of these lookups into a function"
            raise errors.PluginError(f"plugins need each other while they load: {cycle}. {way_out}")
        try:  # Ctrl-C may come behind each call: the candidate is on the stack for no longer than it is being loaded
            stack.append(candidate)
            began = perf_counter_ns()
            value: object
            value, cause = attempt(candidate.load)  # not with the lock, which a thread that imports the module may want
            with self._registry.lock:
                if candidate.state != AVAILABLE:  # another thread was faster
                    return
                if cause is None:
                    value, cause = attempt(self._accept, candidate, value)
                candidate.settle(LOADED if cause is None else FAILED, value, cause, perf_counter_ns() - began)
                self._registry.notify_change(bound=True)
        finally:
            if candidate in stack:
                stack.remove(candidate)
            if not stack:
                del self._registry.binding[get_ident()]

    def on_accept(self, hook: Accept, together: bool = False) -> Accept:
        """Set the hook that checks what a plugin gives: hook(candidate, obj) returns what `get` will return, or raises
        to refuse the plugin. Usable as a decorator.

        It runs once for each candidate, with the registry's lock held. What was loaded before it was set is forgotten
        and goes through it at its next lookup.
        together: the rows of plugins have names that may clash, so that with a stranger's plugin all are loaded,
        wengert's own first: who gets a name must not depend on who was loaded.
        """
        with self._registry.lock:
            self._accept, self._together = hook, together
            for candidate in self.known_candidates():
                candidate.settle(AVAILABLE)
            self._registry.notify_change()
        return hook

    def register(self, name: str, obj: object, owner: str = "this process") -> Registration:
        """Register in this process; wins over entry points and over earlier registrations of the name.

        The accept hook runs at once, and what it raises comes through: then nothing is registered.
        In a `with` statement the registration ends with the block; otherwise it lasts, or until its remove().
        """
        if type(name) is not str or not name:
            raise TypeError(f"a {self.noun} is registered under a name, a str that is not empty; got {name!r}")
        candidate = Candidate(Distribution(owner), self.full, name, "in process")
        candidate.obj = obj
        if self._together:
            self._load_others(ours_only=True)
        with self._registry.lock:
            candidate.settle(LOADED, self._accept(candidate, obj))
            self._known[candidate.key()] = candidate
            self._sections, self._offers = {**self._sections, candidate.distribution: {name: candidate.target}}, {}
            self._registry.notify_change()
        return Registration(self, candidate)

    def unregister(self, candidate: Candidate) -> None:
        """Undo a registration of this process; nothing happens if it is undone already."""
        with self._registry.lock:
            if self._known.pop(candidate.key(), None) is not None:
                others = {one: rows for one, rows in self._sections.items() if one is not candidate.distribution}
                self._sections, self._offers = others, {}
                self._registry.notify_change()

    def offer(self, distributions: Iterable[Distribution]) -> None:
        """Take these as what is installed. Candidates of the same entry points keep what they have become."""
        found = {one: one.groups[self.full] for one in distributions if self.full in one.groups}
        local = {one: rows for one, rows in self._sections.items() if not one.folder}
        self._sections, self._offers = found | local, {}

    def current(self, name: str) -> Candidate | None:
        """The candidate that the name stands for, loaded or not; None where nobody, or more than one, offers it."""
        return self._decide(name)[0]

    def is_current(self, candidate: Candidate) -> bool:
        """Return whether the candidate is loaded and is what its name stands for."""
        return candidate.state == LOADED and self.current(candidate.name) is candidate

    def standing(self, candidate: Candidate) -> tuple[str, str]:
        """A candidate's state among the others, and a sentence where there is something to say."""
        why_off = self._registry.rules.why_off(candidate)
        if why_off:
            return "disabled", why_off
        chosen, why = self._decide(candidate.name)
        if chosen is None:
            return "clash", why
        if chosen is candidate:
            return candidate.state, errors.cause_text(candidate.cause)
        return ("refused", why) if why else ("shadowed", f"{chosen.distribution} is used instead")

    def refusals(self) -> list[str]:
        """A report for each entry point whose name is wengert's, or of the distribution with the op table."""
        names: set[str] = set()
        shared: set[str] = set()
        for rows in self._sections.values():
            shared |= names.intersection(rows)
            names.update(rows)
        standings = [(one, *self.standing(one)) for name in sorted(shared) for one in self._at(name)]
        return [errors.entry_conflict(one, why) for one, state, why in standings if state == "refused"]

    def reasons(self, name: str) -> list[str]:
        """Return why a name that plugins offer is absent: a sentence for each that is disabled or incompatible."""
        standings = self._registry.standings(self)
        return [errors.unused_name(one, why) for one, _, why in standings if one.name == name and why]

    def _at(self, name: str) -> list[Candidate]:
        """The candidates of a name, those registered in this process last."""
        made = self._offers  # another thread may replace it
        if name not in made:
            found = []
            for distribution, rows in self._sections.items():
                if name in rows:
                    one = Candidate(distribution, self.full, name, rows[name])
                    one = self._known.setdefault(one.key(), one)  # the same one after another scan
                    one.distribution = distribution
                    found.append(one)
            if not found:
                return found
            made[name] = found
        return made[name]

    def _rivals(self, name: str) -> list[Candidate]:
        """The candidates that compete for a name."""
        return [candidate for candidate in self._at(name) if not self._registry.rules.why_off(candidate)]

    def _decide(self, name: str) -> tuple[Candidate | None, str]:
        """The one of several that has a name, and why the others have not."""
        rivals, owner = self._rivals(name), ""
        if len(rivals) > 1 and self.short == "formulas":  # those of an op table come with it
            ops = self._registry.group("ops")
            table = ops.current(name) or ops.current(name.partition(".")[0])
            owner = table.distribution.name if table is not None else ""
        return decide(rivals, self._registry.rules, name, owner=owner)


class Registration:
    """An in-process registration; a context manager that restores what was there before."""

    def __init__(self, group: Group, candidate: Candidate) -> None:
        self._group, self._candidate = group, candidate

    def remove(self) -> None:
        """Undo it; harmless when repeated."""
        self._group.unregister(self._candidate)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()
