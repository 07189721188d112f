"""Every row of the sample table, called with an argument of another type: refused where PyTorch 2.13 refuses it.

What differs is in differences/arguments.txt, and must. See parity/wrong_arguments.py.
"""

from __future__ import annotations

import pytest
import wengert
from parity import answers, sample_table
from parity.wrong_arguments import outcome

RECORDED = answers.answers_of("arguments")
PATHS = answers.paths_in_torch("arguments")
DIFFERENCES = answers.differences("arguments")
"""Calls that are taken here and refused there ("OP: +NAME"), or the other way round ("OP: -NAME")."""


def difference(op: str) -> set[str]:
    """The calls of an op that differ, as in differences/arguments.txt."""
    expected, got = RECORDED[op], outcome(PATHS.get(op, op), sample_table.samples_of(op), wengert)
    asked = {*expected["refused"], *expected["taken"]}
    assert asked == {*got["refused"], *got["taken"]}, f"{op}: its samples changed: python -m tools.record sample_table"
    taken = {f"{op}: +{name}" for name in set(expected["refused"]) - set(got["refused"])}
    return taken | {f"{op}: -{name}" for name in set(got["refused"]) - set(expected["refused"])}


@pytest.mark.parametrize("op", sorted(RECORDED))
def test_arguments_of_another_type(op: str) -> None:
    assert difference(op) == {case for case in DIFFERENCES if case.partition(": ")[0] == op}


def test_every_row_has_been_asked_for() -> None:
    assert sorted(RECORDED) == sample_table.recorded_ops()


def test_every_difference_is_of_an_op() -> None:
    assert {case.partition(": ")[0] for case in DIFFERENCES} - set(RECORDED) == set()
