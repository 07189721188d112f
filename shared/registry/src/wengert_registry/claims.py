"""Names that several plugins may give to one place: an op's name, a method of Tensor, a name of `wengert`.

Note [Who gives a name]
An entry point's own name is known when the registry composes; the names of a table's rows are known once it is loaded.
Both are decided by the same order, whatever the order in which plugins are loaded:

1. what was registered in this process, the last one first;
2. what the user prefers (`WENGERT_PREFER`, `prefer()`);
3. what is wengert's own, and for formulas what comes with the op table of that name;
4. the only one that claims it;
5. nobody: of several strangers none wins, so that no installation changes silently what a name stands for.

A name that the place itself holds (core's ops, Tensor's methods) is not in question at all. Who loses a name keeps all
its others. When plugins are switched off or on, names are decided anew, so that they go and come with their plugin.
"""

from __future__ import annotations

from wengert_registry import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from wengert_registry.candidate import Candidate
    from wengert_registry.composition import Registry
    from wengert_registry.rules import Rules

    Refusal = tuple[list[Candidate], str, str]  # who is refused, the name as it is shown, why


NEEDED = ("wengert-core", "wengert-engine", "wengert-formulas")
"""Those that wengert cannot do without: others that say to be wengert's own do not get in their way."""


def choose(claimants: list[Candidate], rules: Rules, names: tuple[str, ...] = (), owner: str = "") -> Candidate | None:
    """The one of several claimants that a name goes to; None where nobody wins. Note [Who gives a name]

    names: those of a row, for what the user prefers.   owner: the distribution whose op table has the name.
    """
    local = [one for one in claimants if one.in_process]
    if local:
        return local[-1]
    wanted = rules.preference(claimants, names)
    if wanted is not None:
        return wanted
    ours = [one for one in claimants if one.distribution.first_party]
    needed = [one for one in ours if one.distribution.name in NEEDED]
    for part in (needed, ours, [one for one in claimants if one.distribution.name == owner], claimants):
        if part:
            return part[0] if len(part) == 1 else None
    return None


class Place:
    """A place that names are given to. `put` and `take` mount a value and take it away again.

    shown: how a message has a name, '' where nothing need be said of one that is refused.
    holder: why no table gets the name, or the candidate whose entry point is called so; '' where it is free.
    """

    def __init__(self, registry: Registry, shown: str) -> None:
        self._registry, self._shown = registry, shown
        self.holder: Callable[[str], Candidate | str] = lambda name: ""
        self.put: Callable[[str, object], object] = lambda name, value: None
        self.take: Callable[[str, object], object] = lambda name, value: None
        self.winners: dict[str, tuple[Candidate, object]] = {}  # what is mounted
        self._claims: dict[str, dict[Candidate, object]] = {}

    def connect(
        self,
        holder: Callable[[str], Candidate | str],
        put: Callable[[str, object], object],
        take: Callable[[str, object], object],
    ) -> None:
        """Say who has names already and how names are mounted; those that are claimed already are mounted now."""
        with self._registry.lock:
            self.holder, self.put, self.take = holder, put, take
            self.winners.clear()
            if self._claims:
                self._registry.notify_change()

    def claim(self, candidate: Candidate, names: Mapping[str, object]) -> None:
        """Note the names that a candidate gives; they are mounted once it is loaded, as far as they become its own."""
        for claims in self._claims.values():
            claims.pop(candidate, None)
        for name, value in names.items():
            self._claims.setdefault(name, {})[candidate] = value

    def claimants(self, name: str) -> list[Candidate]:
        """All that give the name, in use or not."""
        return sorted(self._claims.get(name, ()), key=_order)

    def names_of(self, candidate: Candidate) -> set[str]:
        """The names that a candidate gives, in use or not."""
        return {name for name, claims in self._claims.items() if candidate in claims}

    def show(self, name: str) -> str:
        """The name as messages have it: 'Tensor.foo'."""
        return self._shown.format(name) or name

    def settle(self, current: Collection[Candidate], mount: bool) -> list[Refusal]:
        """Decide who gives each name, of these candidates, which are in use; returns what is refused.

        mount: mount and take away what has changed.
        """
        winners: dict[str, tuple[Candidate, object]] = {}
        refusals: list[Refusal] = []
        for name in sorted(self._claims):
            claimants = [one for one in self.claimants(name) if one in current]
            winner, why = self._decide(name, claimants)
            if winner is not None:
                winners[name] = winner, self._claims[name][winner]
            losers = [one for one in claimants if one is not winner]
            if why and losers and self._shown:
                refusals.append((losers, self.show(name), why))
        if mount:
            self._mount(winners)
        return refusals

    def _mount(self, winners: dict[str, tuple[Candidate, object]]) -> None:
        """Take away and mount what has changed."""
        for name, had in [*self.winners.items()]:
            has = winners.get(name)
            if has is None or has[0] is not had[0] or has[1] is not had[1]:
                del self.winners[name]
                self.take(name, had[1])
        for name, has in winners.items():
            if name not in self.winners:
                self.winners[name] = has
                self.put(name, has[1])

    def refusal(self, name: str) -> str:
        """Return why those who claim the name, and are in use, do not give it."""
        return self._decide(name, [one for one in self.claimants(name) if self._registry.is_current(one)])[1]

    def _decide(self, name: str, claimants: list[Candidate]) -> tuple[Candidate | None, str]:
        """Decide who gives the name, and why the others do not; '' where they need not be told."""
        holder = self.holder(name) if claimants else ""
        if isinstance(holder, str):
            if holder or not claimants:
                return None, holder
        elif not claimants[-1].in_process and not any(one.distribution.first_party for one in claimants):
            strangers = [one for one in claimants if one.distribution.name != holder.distribution.name]
            return None, errors.reserved_name(holder) if strangers else ""
        names = (name, self.show(name))
        winner = choose(claimants, self._registry.rules, names)
        if winner is None:
            return None, errors.conflict(claimants)
        wanted = winner.in_process or self._registry.rules.preference(claimants, names) is winner
        return winner, "" if wanted else errors.reserved_name(winner)


def _order(candidate: Candidate) -> tuple[bool, str, str, str]:
    return candidate.in_process, candidate.distribution.name, candidate.group, candidate.name
