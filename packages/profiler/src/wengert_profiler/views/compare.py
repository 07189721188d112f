"""compare: what became slower from one profile to another."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from wengert_profiler.views.formats import format_time


class Change(NamedTuple):
    """One key in two profiles. Times are microseconds, of what the events of the key did themselves."""

    key: str
    count_before: int
    count_after: int
    time_before: float
    time_after: float

    @property
    def difference(self) -> float:
        """How much longer it took; negative: how much less."""
        return self.time_after - self.time_before

    @property
    def ratio(self) -> float:
        """The time after by the time before, per call; infinity for what is new, 1 where neither took any."""
        if not self.count_before:
            return float("inf") if self.count_after else 1.0
        if not self.count_after:
            return 0.0
        if not self.time_before:
            return float("inf") if self.time_after else 1.0
        return (self.time_after / self.count_after) / (self.time_before / self.count_before)


class Comparison(Sequence[Change]):
    """The changes of two profiles, what became slower first."""

    def __init__(self, changes: list[Change]) -> None:
        self.changes: list[Change] = sorted(changes, key=lambda change: -change.difference)

    def __len__(self) -> int:
        return len(self.changes)

    def __getitem__(self, index: Any) -> Any:
        return self.changes[index]

    def slower(self, ratio: float = 1.1) -> list[Change]:
        """Those which take longer for a call by this factor, and longer altogether."""
        return [change for change in self.changes if change.ratio >= ratio and change.difference > 0]

    def rows(self) -> list[list[str]]:
        """The cells of a table."""
        total = Change(
            "Total",
            sum(c.count_before for c in self),
            sum(c.count_after for c in self),
            sum(c.time_before for c in self),
            sum(c.time_after for c in self),
        )
        return [
            [
                c.key,
                str(c.count_before),
                str(c.count_after),
                format_time(c.time_before),
                format_time(c.time_after),
                ("+" if c.difference > 0 else "") + format_time(c.difference),
                ratio_text(c),
            ]
            for c in (*self.changes, total)
        ]

    def table(self, row_limit: int = 100) -> str:
        """A table as text; the last row is the sum over all."""
        rows = self.rows()
        rows = [*rows[:-1][: row_limit if row_limit >= 0 else None], rows[-1]]
        wide = max(len(row[0]) for row in rows)
        widths = [max(wide, 4), *[max(len(row[i]) for row in [list(HEADS), *rows]) for i in range(1, len(HEADS))]]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in (HEADS, *rows)]
        rule = "  ".join("-" * w for w in widths)
        return "\n".join([rule, lines[0], rule, *lines[1:-1], rule, lines[-1]]) + "\n"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in row) + "</tr>"
            for row in self.rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


HEADS = ("Name", "Calls before", "Calls after", "Self before", "Self after", "Difference", "Per call")


def ratio_text(change: Change) -> str:
    """The ratio as text."""
    if not change.count_before:
        return "new"
    return "gone" if not change.count_after else f"x {change.ratio:.2f}"


def compare(before: Any, after: Any, group_by_input_shape: bool = False) -> Comparison:
    """Compare two profiles, by name or by name and input shapes.

    before, after: a profile, an EventList, or the path of a Chrome trace that was written earlier.
    Returns the changes, what became slower first. TraceFileError for a file that is no trace.

    >>> import wengert as wg
    >>> def work(n):
    ...     with wg.autograd.profiler.profile() as prof:
    ...         for _ in range(n):
    ...             x = wg.ones(2) * 2
    ...     return prof
    >>> sorted((one.key, one.count_before, one.count_after) for one in wg.profiler.compare(work(1), work(3)))
    [('aten::mul', 1, 3), ('aten::ones', 1, 3)]
    """
    first, second = averages(before, group_by_input_shape), averages(after, group_by_input_shape)
    changes = []
    for key in {**first, **second}:
        a, b = first.get(key), second.get(key)
        changes.append(
            Change(
                key,
                a.count if a else 0,
                b.count if b else 0,
                a.self_cpu_time_total if a else 0.0,
                b.self_cpu_time_total if b else 0.0,
            )
        )
    return Comparison(changes)


def averages(source: Any, by_shape: bool) -> dict[str, Any]:
    """The sums of a profile by key."""
    if not hasattr(source, "key_averages"):
        from wengert_profiler.export.trace_files import load_chrome_trace

        source = load_chrome_trace(source)
    return {f"{one.key} {one.input_shapes}" if by_shape else one.key: one for one in source.key_averages(by_shape)}
