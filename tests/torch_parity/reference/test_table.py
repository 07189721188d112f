"""docs/reference-table.md stays true: every test it names exists, and what it calls open is marked so."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
try:
    from tools.generate import reference_table
finally:
    sys.path.remove(str(ROOT))

TEXT = reference_table.PAGE.read_text(encoding="utf-8")
ROWS = reference_table.rows(TEXT)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line{row.line}")
def test_row(row):
    assert row.name
    assert row.behavior
    assert re.fullmatch(r"[0-4](, [0-4])*|-", row.seeds), row.seeds
    assert row.named_tests or reference_table.OPEN.search(row.tests), "neither a test nor the issue it is open for"
    for path, name in row.named_tests:
        assert name in reference_table.tests_of(path), f"{path} has no {name}"


def test_what_is_open_is_marked_so():
    assert reference_table.update_page(TEXT) == TEXT, "run tools/generate/reference_table.py"


def test_every_file_of_reference_tests_has_a_row():
    named = {path for row in ROWS for path, _ in row.named_tests}
    files = {str(path.relative_to(ROOT)) for path in Path(__file__).parent.glob("test_*.py")}
    assert files - named == {str(Path(__file__).relative_to(ROOT))}


def test_the_page_is_in_the_documentation():
    assert "\nreference-table\n" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_a_row_that_names_no_test_is_seen():
    (row,) = reference_table.rows("| name | seeds | behavior | test |\n| --- | --- | --- | --- |\n| a | 0 | b | c |\n")
    assert row.named_tests == []
    assert not reference_table.OPEN.search(row.tests)
