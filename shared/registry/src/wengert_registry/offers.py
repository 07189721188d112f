"""The offers of one group: entry points as they are installed, which become candidates when they are asked for."""

from __future__ import annotations

from wengert_registry.candidate import Candidate, Distribution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Section:
    """The entry points of one group in one distribution: the targets by their names."""

    __slots__ = ("distribution", "group", "rows")

    def __init__(self, distribution: Distribution, group: str, rows: dict[str, str]) -> None:
        self.distribution: Distribution = distribution
        self.group: str = group
        self.rows: dict[str, str] = rows


class Offers:
    """The candidates of a group by name; those that are registered in this process after entry points."""

    def __init__(self, full: str) -> None:
        self._full = full
        self.sections: Sequence[Section] = ()
        self._made: dict[str, list[Candidate]] = {}

    def replace(self, sections: Sequence[Section]) -> None:
        """Take these as what is installed. Candidates of the same entry points keep what they have become."""
        made = self.candidates()
        before = {one.key(): one for one in made if not one.in_process}
        self.sections = sections
        self._made.clear()
        for name in {one.name for one in before.values()}:
            offers = self.at(name)
            for i, one in enumerate(offers):
                if one.key() in before:
                    offers[i] = before[one.key()]
                    offers[i].distribution = one.distribution
        for one in made:
            if one.in_process:
                self.add(one)

    def at(self, name: str) -> list[Candidate]:
        """The candidates of a name."""
        offers = self._made.get(name)
        if offers is None:
            rows = [(one.distribution, one.rows[name]) for one in self.sections if name in one.rows]
            offers = [Candidate(distribution, self._full, name, target) for distribution, target in rows]
            if offers:
                offers = self._made.setdefault(name, offers)  # another thread may have been faster
        return offers

    def add(self, candidate: Candidate) -> None:
        """Add what is registered in this process."""
        self._made.setdefault(candidate.name, self.at(candidate.name)).append(candidate)

    def remove(self, candidate: Candidate) -> bool:
        """Take a registration away; False if there is none."""
        offers = self._made.get(candidate.name, [])
        if candidate not in offers:
            return False
        offers.remove(candidate)
        return True

    def names(self) -> set[str]:
        """All names that are offered."""
        return {name for name, offers in self._made.items() if offers}.union(*(one.rows for one in self.sections))

    def foreign(self) -> set[str]:
        """The names that others than wengert's own distributions offer."""
        rows = [one.rows for one in self.sections if not one.distribution.first_party]
        return {one.name for one in self.candidates() if one.in_process}.union(*rows)

    def several(self) -> list[Candidate]:
        """The candidates that are not the only ones of their names."""
        shared = {name for name, offers in self._made.items() if len(offers) > 1}
        seen: set[str] = set()
        for section in self.sections:
            shared |= seen.intersection(section.rows)
            seen.update(section.rows)
        return [one for name in sorted(shared) for one in self.at(name)]

    def candidates(self) -> list[Candidate]:
        """The candidates that have been asked for: no other is loaded or has failed."""
        return [one for offers in [*self._made.values()] for one in offers]
