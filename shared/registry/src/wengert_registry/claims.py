"""Names that several plugins may give to one place: an op's name, a method of Tensor, a name of `wengert`.

Who gives a name is decided by one order, for entry points as for rows: docs/decisions/0015-who-gives-a-name.md.
"""

from __future__ import annotations

from wengert_registry import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wengert_registry.candidate import Candidate
    from wengert_registry.composition import Registry
    from wengert_registry.rules import Rules

    Mount = Callable[[str, object], object]

NEEDED = ("wengert-core", "wengert-engine", "wengert-formulas")
"""Those that wengert cannot do without: others that say to be wengert's own do not get in their way."""


def decide(
    claimants: list[Candidate], rules: Rules, name: str, names: tuple[str, ...] = (), owner: str = ""
) -> tuple[Candidate | None, str]:
    """The one of several claimants that a name goes to, None where nobody wins; and why the others do not get it, ''
    where they need not be told: what is registered in this process wins, the last one first, then what the user
    prefers, then what is wengert's own, or of the owner, then the only one. Of several strangers none wins.

    names: those of a row, for what the user prefers.   owner: the distribution whose op table has the name.
    """
    if len(claimants) < 2 or claimants[-1].in_process:
        return (claimants[-1] if claimants else None), ""
    wanted = rules.preference(claimants, names)
    if wanted is not None:
        return wanted, ""
    ours = [one for one in claimants if one.distribution.first_party]
    needed = [one for one in ours if one.distribution.name in NEEDED]
    best = needed or ours or [one for one in claimants if one.distribution.name == owner]
    if len(best) == 1:
        return best[0], errors.reserved_name(best[0])
    return None, f"the same is given {errors.conflict(claimants, name)}"


class Place:
    """A place that names are given to. `put` and `take` mount a value and take it away again.

    shown: how a message has a name, '' where nothing need be said of one that is refused.
    holder: why no table gets the name, or the candidate whose entry point is called so; '' where it is free.
    """

    def __init__(self, registry: Registry, key: str, shown: str) -> None:
        self._registry, self.key, self.shown = registry, key, shown
        self.holder: Callable[[str], Candidate | str] = lambda name: ""
        self.put: Mount = lambda name, value: None
        self.take: Mount = lambda name, value: None
        self.winners: dict[str, tuple[Candidate, object]] = {}  # what is mounted

    def connect(self, holder: Callable[[str], Candidate | str], put: Mount, take: Mount) -> None:
        """Say who has names already and how names are mounted; those that are claimed already are mounted now."""
        with self._registry.lock:
            self.holder, self.put, self.take = holder, put, take
            self.winners.clear()
            self._registry.notify_change()

    def decide(self, candidates: Iterable[Candidate], mount: bool) -> list[tuple[Candidate, str, str]]:
        """Decide who gives each name, of candidates that are in use; who does not get which, and why.

        mount: take away and mount what has changed.
        """
        claims: dict[str, dict[Candidate, object]] = {}
        for one in candidates:
            for name, value in (one.claims or {}).get(self.key, {}).items():
                claims.setdefault(name, {})[one] = value
        winners: dict[str, tuple[Candidate, object]] = {}
        refusals = []
        for name in sorted(claims):
            winner, why = self._decide_one(name, [*claims[name]])
            if winner is not None:
                winners[name] = winner, claims[name][winner]
            if why and self.shown:
                refusals += [(one, why, self.shown.format(name)) for one in claims[name] if one is not winner]
        for name, (giver, value) in [*self.winners.items()] if mount else ():
            has = winners.get(name, (None, None))
            if has[0] is not giver or has[1] is not value:
                del self.winners[name]
                self.take(name, value)
        for name, has in winners.items() if mount else ():
            if name not in self.winners:
                self.winners[name] = has
                self.put(name, has[1])
        return refusals

    def _decide_one(self, name: str, claimants: list[Candidate]) -> tuple[Candidate | None, str]:
        """Decide who gives the name, and why the others do not; '' where they need not be told."""
        holder = self.holder(name)
        if isinstance(holder, str):
            if holder:
                return None, holder
        elif not claimants[-1].in_process and not any(one.distribution.first_party for one in claimants):
            strangers = [one for one in claimants if one.distribution.name != holder.distribution.name]
            return None, errors.reserved_name(holder) if strangers else ""
        return decide(claimants, self._registry.rules, "NAME", (name, self.shown.format(name) or name))
