"""One group of plugins: its names, and the way from a name to what it stands for."""

from __future__ import annotations

from wengert_registry import errors
from wengert_registry.candidate import AVAILABLE, FAILED, LOADED, Candidate, Distribution
from wengert_registry.claims import choose
from wengert_registry.offers import Offers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    from wengert_registry.composition import Registry
    from wengert_registry.offers import Section

    Accept = Callable[[Candidate, object], object]


class Group:
    """The plugins of one entry-point group. Names are listed without loading anything; `get` and `find` load."""

    def __init__(self, registry: Registry, short: str, full: str, noun: str) -> None:
        self._registry = registry
        self.short: str = short
        self.full: str = full
        self.noun: str = noun
        self.accept: Accept = lambda candidate, obj: obj
        self._together = False
        self._offers = Offers(full)
        self._values: dict[str, object] = {}  # what get() returned, until anything changes

    def __repr__(self) -> str:
        return f"<Group {self.full}: {', '.join(self.names()) or 'empty'}>"

    # ---- what is there: loads nothing

    def names(self, prefix: str = "") -> tuple[str, ...]:
        """The names that can be asked for (those that begin with a prefix), sorted; some may turn out to clash or fail
        when they are.
        """
        self._registry.ensure()
        with self._registry.lock:
            names = sorted([name for name in self._offers.names() if name.startswith(prefix)])
            if all(map(self._registry.rules.leaves_alone, self._offers.sections)):
                return tuple(names)
            return tuple(name for name in names if self._active(name))

    def sections(self) -> Sequence[Section]:
        """The entry points by distribution, in use or not; no candidates are made. Another object after each scan."""
        self._registry.ensure()
        return self._offers.sections

    def foreign_names(self) -> set[str]:
        """The names that others than wengert's own distributions offer, in use or not."""
        self._registry.ensure()
        with self._registry.lock:
            return self._offers.foreign()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        self._registry.ensure()
        with self._registry.lock:
            return isinstance(name, str) and bool(self._active(name))

    def candidates(self) -> list[Candidate]:
        """All, whatever their state."""
        return [one for name in sorted(self._offers.names()) for one in self._offers.at(name)]

    def known_candidates(self) -> list[Candidate]:
        """Those that somebody has asked for, among which are all that have been loaded."""
        return self._offers.candidates()

    # ---- from a name to a value: loads on first use

    def get(self, name: str) -> object:
        """What the name stands for; loaded on first use and kept.

        Raises MissingPluginError if nobody offers it, DuplicatePluginError if several do and none is preferred,
        PluginError (from the plugin's own exception) if it cannot be loaded. A plugin that fails is also reported,
        once, for whoever catches the exception.
        """
        try:
            return self._values[name]  # one step: another thread may forget it at any time
        except KeyError:
            pass
        try:
            return self._load_winner(name).value
        except errors.PluginError as error:
            if error.candidate is not None and not self._registry.rules.strict:
                try:
                    self._report(name, error)
                except errors.PluginWarning:  # warnings are errors here, and this error says the same
                    raise error from error.__cause__
            raise

    def find(self, name: str) -> object | None:
        """As get, but None if nobody offers the name."""
        return self.get(name) if name in self._values or name in self else None

    def load_all(self, names: Iterable[str] | None = None) -> dict[str, object]:
        """Every value (those of these names) by its name, sorted. What cannot be had is warned about, once, and left
        out (strict: raised).
        """
        found = {}
        outcomes = self.attempt_all(names)
        if names is None and self._together:
            self._registry.report_unknown_rows()
        for name, outcome in outcomes.items():
            if isinstance(outcome, Candidate):
                found[name] = outcome.value
            elif self._registry.rules.strict:
                raise outcome
            else:
                self._report(name, outcome)
        return found

    def attempt_all(self, names: Iterable[str] | None = None) -> dict[str, Candidate | errors.PluginError]:
        """Load everything, or these names; what came of it by name, sorted. Neither warns nor raises."""
        outcomes: dict[str, Candidate | errors.PluginError] = {}
        for name in self.names() if names is None else sorted(names):
            try:
                outcomes[name] = self._load_winner(name)
            except errors.PluginError as error:
                outcomes[name] = error
        return outcomes

    def _load_winner(self, name: str) -> Candidate:
        """The candidate that stands for the name, loaded."""
        self._registry.ensure()
        while True:
            with self._registry.lock:
                active = self._active(name)
                candidate = self._find_winner(active)
                if not active:
                    raise errors.missing(self.noun, name, self.names(), self.reasons(name))
                if candidate is None:
                    raise errors.duplicate(active)
                if candidate.state == LOADED:
                    self._values[name] = candidate.value
                    return candidate
                if candidate.state == FAILED:
                    raise errors.load_failure(candidate) from candidate.cause
            if self._together and not candidate.distribution.first_party:
                self._bind_others(True, False)
            if candidate.state == AVAILABLE:
                self._registry.bind(candidate, self)

    def _bind_others(self, *first_party: bool) -> None:
        """Load what has not been loaded of this group, wengert's own first; what fails says so when it is asked for.

        Not while this thread loads a plugin, which asks for another: it may be one that waits for this one.
        """
        with self._registry.lock:
            chosen = [one for one in map(self.current, self.names()) if one is not None and one.state == AVAILABLE]
        for ours in first_party:
            for one in chosen:
                if one.distribution.first_party is ours and not self._registry.is_binding():
                    self._registry.bind(one, self)

    def _report(self, name: str, error: errors.PluginError) -> None:
        distribution = str(error.candidate.distribution) if error.candidate else ""
        self._registry.report((self.full, name, distribution), str(error))

    # ---- changing it

    def on_accept(self, hook: Accept, together: bool = False) -> Accept:
        """Set the hook that checks what a plugin gives: hook(candidate, obj) returns what `get` will return, or raises
        to refuse the plugin. Usable as a decorator.

        It runs once for each candidate, with the registry's lock held. What was loaded before it was set is forgotten
        and goes through it at its next lookup.
        together: the rows of plugins have names that may clash, so that with a stranger's plugin all are loaded,
        wengert's own first: who gets a name must not depend on who was loaded.
        """
        with self._registry.lock:
            self.accept, self._together = hook, together
            for candidate in self._offers.candidates():
                candidate.reset()
            self._registry.notify_change()
        return hook

    def register(self, name: str, obj: object, owner: str = "this process") -> Registration:
        """Register in this process; wins over entry points and over earlier registrations of the name.

        The accept hook runs at once, and what it raises comes through: then nothing is registered.
        In a `with` statement the registration ends with the block; otherwise it lasts, or until its remove().
        """
        if type(name) is not str or not name:
            raise errors.bad_name(self.noun, name)
        candidate = Candidate(Distribution(owner), self.full, name, "in process")
        candidate.in_process, candidate.obj = True, obj
        if self._together:
            self._registry.ensure()
            self._bind_others(True)
        with self._registry.lock:
            candidate.settle(self.accept(candidate, obj))
            self._offers.add(candidate)
            self._registry.notify_change()
        return Registration(self, candidate)

    def unregister(self, candidate: Candidate) -> None:
        """Undo a registration of this process; nothing happens if it is undone already."""
        with self._registry.lock:
            if self._offers.remove(candidate):
                self._registry.notify_change()

    # ---- who stands for a name; used by the registry, with the lock held

    def offer(self, sections: list[Section]) -> None:
        """Take these, and no others, as what entry points offer."""
        self._offers.replace(sections)

    def forget_values(self) -> None:
        """Have the next lookup decide anew: something has changed."""
        self._values.clear()

    def current(self, name: str) -> Candidate | None:
        """The candidate that the name stands for, loaded or not; None where nobody, or more than one, offers it."""
        return self._find_winner(self._active(name))

    def is_current(self, candidate: Candidate) -> bool:
        """Return whether the candidate is loaded and is what its name stands for."""
        return candidate.state == LOADED and self.current(candidate.name) is candidate

    def standing(self, candidate: Candidate) -> tuple[str, str]:
        """A candidate's state among the others, and a sentence where there is something to say."""
        why_not = self._why_not(candidate)
        if why_not:
            return ("shadowed" if candidate.distribution.hidden_by else "disabled"), why_not
        active = self._active(candidate.name)
        chosen = self._find_winner(active)
        if chosen is None:
            return "clash", str(errors.duplicate(active))
        if chosen is candidate:
            return candidate.state, errors.cause_text(candidate.cause) if candidate.state == FAILED else ""
        if chosen.in_process or self._registry.rules.preference(active) is chosen:
            return "shadowed", f"{chosen.distribution} is used instead"
        return "refused", errors.reserved_name(chosen)

    def refusals(self) -> list[str]:
        """A report for each entry point whose name is wengert's, or of the distribution with the op table."""
        standings = [(one, *self.standing(one)) for one in self._offers.several()]
        return [errors.entry_conflict(one, why) for one, state, why in standings if state == "refused"]

    def reasons(self, name: str) -> list[str]:
        """Return why a name that plugins offer is absent: a sentence for each that is disabled or incompatible."""
        self._registry.ensure()
        with self._registry.lock:
            rejected = [(one, self._why_not(one)) for one in self._offers.at(name)]
            rejected += [(one, one.problem) for one in self._registry.incompatible(self.full) if one.name == name]
            return [errors.unused_name(one, why) for one, why in rejected]

    def _why_not(self, candidate: Candidate) -> str:
        """Why a candidate does not count; '' if it does."""
        if candidate.in_process:
            return ""
        if candidate.distribution.hidden_by:
            return f"hidden by {candidate.distribution.hidden_by}, earlier on sys.path"
        return self._registry.rules.why_off(candidate)

    def _active(self, name: str) -> list[Candidate]:
        """The candidates that compete for a name; more than one is a clash unless one is preferred."""
        offers = self._offers.at(name)
        if offers and offers[-1].in_process:
            return offers[-1:]
        return [candidate for candidate in offers if not self._why_not(candidate)]

    def _find_winner(self, active: list[Candidate]) -> Candidate | None:
        """The one that the name stands for. Note [Who gives a name]"""
        if len(active) < 2:
            return active[0] if active else None
        owner = self._registry.owner_of_formulas(active[0].name) if self.short == "formulas" else ""
        return choose(active, self._registry.rules, owner=owner)


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
