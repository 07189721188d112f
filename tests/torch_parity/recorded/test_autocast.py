"""Every row of the sample table inside of autocast, against the dtypes that PyTorch 2.13 gave: see oracle_autocast.py.

What differs is in autocast_differences.txt, with the reason, and must.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import oracle_rows
import pytest
import wengert
from oracle_autocast import DTYPES, autocast_dtypes

HERE = Path(__file__).parent


@cache
def recorded() -> dict[str, Any]:
    """PyTorch's dtypes by op."""
    return dict(json.loads((HERE / "answers" / "autocast.json").read_text(encoding="utf-8"))["ops"])


@cache
def differences() -> dict[tuple[str, str], str]:
    """The reason by op and dtype of the arguments."""
    found, reason = {}, ""
    for line in (HERE / "autocast_differences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            op, _, names = line.partition(": ")
            found.update({(op, name): reason for name in names.split(", ")})
    return found


def unlike(op: str) -> dict[str, str]:
    """The dtypes of arguments with which the op differs, and how."""
    path, expected = recorded()[op]["path"], recorded()[op]["dtypes"]
    got = autocast_dtypes(path, oracle_rows.samples_of(op), wengert)
    assert len(got) == len(expected), f"{op}: the samples have changed, run tools/record/inputs.py"
    found = {}
    for i, (theirs, ours) in enumerate(zip(expected, got, strict=True)):
        for name, one, other in zip(DTYPES, theirs, ours, strict=True):
            if one != other:
                found.setdefault(name, f"sample {i}: expected {one}, got {other}")
    return found


@pytest.mark.parametrize("op", sorted(recorded()))
def test_dtypes_inside_of_autocast(op: str) -> None:
    found = unlike(op)
    assert set(found) == {name for other, name in differences() if other == op}, found


def test_every_row_has_been_asked_for() -> None:
    missing = {op for op in oracle_rows.names() if oracle_rows.samples_of(op)} - set(recorded())
    assert missing <= set(oracle_rows.OURS)


def test_every_difference_is_of_an_op() -> None:
    assert {op for op, _ in differences()} - set(recorded()) == set()
