"""The table of docs/reference-table.md: which tests its rows name, and which of those are open.

`python -m tools.generate.reference_table` rewrites "open: issue 3" in rows whose tests have lost or got their xfail
mark.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference-table.md"
TEST = re.compile(r"`((?:packages/[^`]+/)?tests/[^`]+)::([^`]+)`")
OPEN = re.compile(r"open: issue \d+$|^not part of this project$")
THIS = re.compile(r"; open: issue 3$")


class Row(NamedTuple):
    """A line of the table."""

    line: int
    name: str
    seeds: str
    behavior: str
    tests: str

    @property
    def named_tests(self) -> list[tuple[str, str]]:
        """(path, name) of each test."""
        return TEST.findall(self.tests)


def rows(text: str) -> list[Row]:
    """The rows of all tables of the page; a vertical bar inside a cell is written \\|."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0] != "name" and not cells[0].startswith("---"):
            found.append(Row(number, *cells))
    return found


@cache
def tests_of(path: str) -> dict[str, bool]:
    """The tests of a file, or the cases of a file of snippets: name -> is it marked as open?"""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".txt"):
        return dict.fromkeys(re.findall(r"^## (\S+)", text, re.MULTILINE), False)
    return {
        node.name: any("xfail" in ast.unparse(mark) and "parametrize" not in ast.unparse(mark)
                       for mark in node.decorator_list)
        for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    }


def is_open(row: Row) -> bool:
    """Does a test of the row still carry its mark?"""
    return any(tests_of(path).get(name, False) for path, name in row.named_tests)


def update_page(text: str) -> str:
    """The page with "open: issue 3" where a test is marked, and without where none is."""
    lines = text.splitlines()
    for row in rows(text):
        if row.named_tests and is_open(row) != bool(THIS.search(row.tests)):
            cell = f"{row.tests}; open: issue 3" if is_open(row) else THIS.sub("", row.tests)
            lines[row.line - 1] = f"| {row.name} | {row.seeds} | {row.behavior} | {cell} |"
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8")
    after = update_page(before)
    PAGE.write_text(after, encoding="utf-8")
    sys.exit(0 if before == after else f"{PAGE.relative_to(ROOT)}: rewritten")
