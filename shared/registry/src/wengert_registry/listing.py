"""Installed plugins, and their states: the table of plugins, and the program `python -m wengert plugins`."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import wengert_registry
from wengert_registry.candidate import LOADED, Candidate, attempt
from wengert_registry.errors import PluginError, cause_text

Check = Callable[[Candidate], Sequence[str]]
"""Gives what is wrong with a plugin that has been loaded, a sentence for each defect."""
HEADINGS = ("group", "name", "distribution", "state", "ms", "error")
WRONG = ("failed", "clash", "refused", "defective")
"""States that let the program end with 1."""


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
        lines = [" ".join(cell.split()) for cell in shown]
        return tuple("".join(sign if sign.isprintable() else "?" for sign in line) for line in lines)


class Table(list[Row]):
    """A list of rows that knows how to be shown."""

    def __str__(self) -> str:
        lines = [HEADINGS, *(row.cells() for row in self)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

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


def tabulate(registry: wengert_registry.Registry, check: Check | None) -> Table:
    """All candidates, sorted, the same in every run; `check`, and names that they do not get, make them defective."""
    rows = Table()
    refusals = registry.refusals()
    for one, state, error in registry.standings():
        if state == LOADED:
            defects = [f"{', '.join(names)}: refused: {why}" for (who, why), names in refusals.items() if who is one]
            if check is not None:
                said, raised = attempt(check, one)
                defects += said or ([f"the check of it raised {cause_text(raised)}"] if raised is not None else [])
            state, error = ("defective", "; ".join(defects)) if defects else (state, error)
        owner, ms = one.distribution, one.bind_ns / 1e6 if one.bind_ns else None
        rows.append(Row(one.group, one.name, owner.name, owner.version, state, one.target, ms, error))
    rows.sort(key=lambda row: row[:5])
    return rows


def main(argv: Sequence[str], registry: wengert_registry.Registry | None = None, check: Check | None = None) -> int:
    """Print the table of plugins; argv is what follows `plugins`.

    Returns 1 if a plugin has failed, clashes, is refused or defective, otherwise 0. Imports no plugin without --load;
    with it `check` says what is wrong with each that is loaded. Nothing but the table is written to stdout, whatever
    plugins print.
    """
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m wengert plugins", description="List the plugins of wengert.")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    parser.add_argument("--load", action="store_true", help="load and check every plugin")
    wanted = parser.parse_args(argv)
    listed = wengert_registry.registry if registry is None else registry
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
        try:
            listed.ensure()
        except PluginError as error:  # strict
            print(error, file=sys.stderr)
        table = listed.table(wanted.load, check if wanted.load else None)
    print(table.to_json() if wanted.json else table)
    return int(any(row.state in WRONG for row in table))


def program(argv: Sequence[str], check: Check | None = None) -> int:
    """`main` for a process of its own: what C code and child processes print, and what is printed when it ends, goes to
    stderr as well.
    """
    try:
        os.fstat(2)
        saved = os.dup(1)
    except OSError:  # one of them is closed
        return main(argv, check=check)
    sys.stdout.flush()
    os.dup2(2, 1)
    try:
        with os.fdopen(saved, "w", encoding=sys.stdout.encoding) as stdout, contextlib.redirect_stdout(stdout):
            return main(argv, check=check)
    except BrokenPipeError:  # who reads the list has seen enough, as `head`
        return 1
