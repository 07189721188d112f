"""Every row of the sample table inside of autocast, against the dtypes that PyTorch 2.13 gave.

What differs is in differences/autocast.txt, with the reason, and must. See parity/autocast_dtypes.py.
"""

from __future__ import annotations

import pytest
import wengert
from parity import answers, sample_table
from parity.autocast_dtypes import DTYPES, autocast_dtypes

RECORDED = answers.answers_of("autocast")
PATHS = answers.paths_in_torch("autocast")
DIFFERENCES = answers.differences("autocast")


def unlike(op: str) -> dict[str, str]:
    """The dtypes of arguments with which the op differs, and how."""
    expected, got = RECORDED[op], autocast_dtypes(PATHS.get(op, op), sample_table.samples_of(op), wengert)
    assert len(got) == len(expected), f"{op}: its samples changed: python -m tools.record sample_table"
    found: dict[str, str] = {}
    for i, (theirs, ours) in enumerate(zip(expected, got, strict=True)):
        for name, one, other in zip(DTYPES, theirs, ours, strict=True):
            if one != other:
                found.setdefault(f"{op}: {name}", f"sample {i}: expected {one}, got {other}")
    return found


@pytest.mark.parametrize("op", sorted(RECORDED))
def test_dtypes_inside_of_autocast(op: str) -> None:
    found = unlike(op)
    assert set(found) == {case for case in DIFFERENCES if case.partition(": ")[0] == op}, found


def test_every_row_has_been_asked_for() -> None:
    assert sorted(RECORDED) == sample_table.recorded_ops()


def test_every_difference_is_of_an_op() -> None:
    assert {case.partition(": ")[0] for case in DIFFERENCES} - set(RECORDED) == set()
