"""tools/compare/operators.py: its statements run with wengert, and a cell is the median of its passes."""

import os
import sys
from pathlib import Path
from unittest import mock

import pytest
import wengert

ROOT = Path(__file__).resolve().parents[2]
with mock.patch.object(sys, "path", [str(ROOT), *sys.path]), mock.patch.dict(os.environ):
    from tools.compare import operators as compare_operators
    from tools.compare.operator_rows import all_rows
    from tools.compare.operators import Measurement, of_passes
    from tools.compare.timing import Plan


def ratios(*found):
    return [Measurement(ratio) for ratio in found]


def test_a_cell_is_the_median_of_its_passes_however_it_came_out():
    assert of_passes(ratios(2.0, 0.4, 1.0)) == Measurement(1.0, apart=5.0)
    assert of_passes(ratios(0.4, 2.0, 0.3)).ratio == 0.4
    assert of_passes(ratios(0.9)) == Measurement(0.9)


def test_a_pass_that_failed_is_told():
    assert str(of_passes([Measurement(1.0), Measurement(None, "ValueError: no"), Measurement(2.0)])) == "ValueError: no"
    assert str(of_passes([Measurement(None)] * 3)) == ""


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_each_statement_runs(row):
    call = {"torch": wengert, "wengert": wengert}
    for backward in (False, True)[: 1 + row.backward]:
        cell = compare_operators.measure(row, call, 16, backward, Plan(1, 1))
        assert cell.ratio is not None, cell.trouble


def test_a_table_has_each_cell_and_counts(monkeypatch):
    monkeypatch.setattr(compare_operators, "SIZES", (16,))
    rows = [row for row in all_rows() if row.name in {"add", "arange"}]
    given = iter([0.25, 2.0, 1.0, 1.0, 4.0, 2.0, 0.25, 8.0, 2.0])  # add, its backward, arange; three times
    monkeypatch.setattr(
        compare_operators,
        "measure",
        lambda row, *rest: Measurement(next(given) if row.backward or not rest[2] else None),
    )
    lines = list(compare_operators.table(rows, {"torch": wengert}, 1, Plan(1, 1), 3))
    assert lines[1] == "| operator | forward 16 | backward 16 |"
    assert lines[3:7] == [
        "| add | 0.25 | 4.00 |",
        "| arange | 2.00 |  |",
        "| **geometric mean** | 0.71 | 4.00 |",
        "| **lowest** | 0.25 | 4.00 |",
    ]
    assert lines[7] == "\nGeometric mean of all 3 ratios: 1.26, median: 2.00."
    assert lines[8] == "Below 0.5: 1; below 1 at 16 elements: 1. Passes over 1.5 times apart: 3.\n"
