"""What called what, with times: the sum over a whole profile, for flame graphs."""

from __future__ import annotations

from typing import Any

from wengert_profiler.records import Records


class Branch:
    """A name in a place of the tree: the time of all events that ran there, and how many there were."""

    __slots__ = ("below", "count", "name", "own", "total")

    def __init__(self, name: str) -> None:
        self.name, self.total, self.own, self.count = name, 0, 0, 0
        self.below: dict[str, Branch] = {}

    def under(self, name: str) -> Branch:
        """The branch for a name below this one."""
        found = self.below.get(name)
        if found is None:
            found = self.below[name] = Branch(name)
        return found

    def as_dict(self) -> dict[str, Any]:
        """For JSON: n name, t microseconds, s those without the branches below, c count, k branches."""
        return {
            "n": self.name,
            "t": round(self.total / 1e3, 3),
            "s": round(self.own / 1e3, 3),
            "c": self.count,
            "k": [one.as_dict() for one in sorted(self.below.values(), key=lambda branch: -branch.total)],
        }


def tree_of(records: Records) -> Branch:
    """The tree of a profile. Events with a stack lie below the calls of the program that led to them."""
    names, which = records.naming
    table = records.table
    root = Branch("all")
    places: list[Branch] = []
    rows = zip(
        which.tolist(),
        table["parent"].tolist(),
        table["stack"].tolist(),
        records.durations.tolist(),
        records.self_durations.tolist(),
        strict=True,
    )
    for name, parent, stack, total, own in rows:
        above = places[parent] if parent >= 0 else root
        if parent < 0:
            root.total += total
            for line in reversed(records.stack_of(stack) if stack else []):
                above = above.under(line)
                above.total += total
                above.count += 1
        place = above.under(names[name])
        place.total += total
        place.own += own
        place.count += 1
        places.append(place)
    return root
