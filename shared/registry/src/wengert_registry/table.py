"""The list of what is installed, for people: as aligned text, as HTML, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wengert_registry.candidate import FAILED, LOADED, Candidate
from wengert_registry.group import Group

HEADINGS = ("group", "name", "distribution", "state", "ms", "error")


class Row(NamedTuple):
    """One offer of one name."""

    group: str  # 'wengert.ops.v1'
    name: str
    distribution: str  # normalized name, or the owner of an in-process registration
    version: str  # '' where unknown
    state: str  # available, loaded, defective, failed, disabled, incompatible, clash, refused or shadowed
    value: str  # 'module:object' or 'in process'
    import_ms: float | None  # import and acceptance; None where it has not been loaded
    error: str  # a sentence where there is something to say, otherwise ''

    def cells(self) -> tuple[str, ...]:
        """As it is shown: on one line, without control characters."""
        ms = "" if self.import_ms is None else f"{self.import_ms:.1f}"
        shown = (self.group, self.name, f"{self.distribution} {self.version}", self.state, ms, self.error)
        return tuple(_one_line(cell) for cell in shown)


class Table(list[Row]):
    """A list of rows that knows how to be shown."""

    def __str__(self) -> str:
        lines = [HEADINGS, *(row.cells() for row in self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join(line.rstrip() for line in shown)

    def _repr_html_(self) -> str:
        from html import escape

        def line(tag: str, cells: tuple[str, ...]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        body = "".join(line("td", row.cells()) for row in self)
        return f"<table><thead>{line('th', HEADINGS)}</thead><tbody>{body}</tbody></table>"

    def to_json(self) -> str:
        """A list of objects with the fields of Row."""
        from json import dumps

        return dumps([row._asdict() for row in self], indent=2)


def tabulate(groups: Iterable[Group], unusable: list[Candidate], defects: dict[Candidate, list[str]]) -> Table:
    """All candidates of the groups and those that no group takes; sorted, the same in every run."""
    rows: list[Row] = []
    for group in groups:
        for candidate in group.candidates():
            state, error = group.standing(candidate)
            if state == LOADED and defects.get(candidate):
                state, error = "defective", "; ".join(defects[candidate])
            rows.append(_row(candidate, state, error))
    rows += [_row(one, FAILED if one.state == FAILED else "incompatible", one.problem) for one in unusable]
    return Table(sorted(rows, key=lambda row: row[:5]))


def _row(candidate: Candidate, state: str, error: str) -> Row:
    owner, ns = candidate.distribution, candidate.bind_ns
    ms = None if ns is None else ns / 1e6
    return Row(candidate.group, candidate.name, owner.name, owner.version, state, candidate.target, ms, error)


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))
