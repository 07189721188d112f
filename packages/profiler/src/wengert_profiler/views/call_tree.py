"""What called what, with times: the sum over a whole profile, for flame graphs."""

from __future__ import annotations

from typing import Any

from wengert_profiler.columns.records import Records
from wengert_profiler.views.formats import format_share, format_time


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

    def describe(self, whole: int) -> str:
        """The time, its share of the whole profile's, and the count, in words.

        >>> branch = Branch("aten::mul")
        >>> branch.total, branch.own, branch.count = 250_000, 200_000, 2
        >>> branch.describe(1_000_000)
        'aten::mul: 250.000us in 2 calls, 25.00% of all; 200.000us of it itself'
        """
        calls = f"{self.count} call{'' if self.count == 1 else 's'}"
        total, own = format_time(self.total / 1e3), format_time(self.own / 1e3)
        return f"{self.name}: {total} in {calls}, {format_share(self.total, whole)} of all; {own} of it itself"

    def as_dict(self, whole: int | None = None) -> dict[str, Any]:
        """For JSON: n name, t microseconds, s those without the branches below, c count, d this in words, k branches.

        whole: nanoseconds of which shares are told; this branch's where none are given.
        """
        whole = self.total if whole is None else whole
        return {
            "n": self.name,
            "t": round(self.total / 1e3, 3),
            "s": round(self.own / 1e3, 3),
            "c": self.count,
            "d": self.describe(whole),
            "k": [one.as_dict(whole) for one in sorted(self.below.values(), key=lambda branch: -branch.total)],
        }


def tree_of(records: Records) -> Branch:
    """The tree of a profile. Events with a stack lie below the calls of the program that led to them."""
    names, which = records.naming
    table = records.table
    root = Branch("all")
    branches: list[Branch] = []
    rows = zip(
        which.tolist(),
        table["parent"].tolist(),
        table["stack"].tolist(),
        records.durations.tolist(),
        records.self_durations.tolist(),
        strict=True,
    )
    for name, parent, stack, total, own in rows:
        above = branches[parent] if parent >= 0 else root
        if parent < 0:
            root.total += total
            root.count += 1
            for line in reversed(records.stack_of(stack) if stack else []):
                above = above.under(line)
                above.total += total
                above.count += 1
        child = above.under(names[name])
        child.total += total
        child.own += own
        child.count += 1
        branches.append(child)
    return root
