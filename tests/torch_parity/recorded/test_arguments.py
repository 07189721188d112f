"""Every row of the sample table, called with an argument of another type: refused where PyTorch 2.13 refuses it.

What differs is in arguments_differences.txt, and must. See oracle_arguments.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import oracle_rows
import pytest
import wengert
from oracle_arguments import outcome

HERE = Path(__file__).parent


@cache
def recorded() -> dict[str, Any]:
    """What PyTorch did, by op."""
    return dict(json.loads((HERE / "answers" / "arguments.json").read_text(encoding="utf-8"))["ops"])


@cache
def differences() -> dict[str, set[str]]:
    """By op the calls that are taken here and refused there ("+name"), or the other way round ("-name")."""
    found: dict[str, set[str]] = {}
    for line in (HERE / "arguments_differences.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            op, _, names = line.partition(": ")
            found.setdefault(op, set()).update(names.split(", "))
    return found


def difference(op: str) -> set[str]:
    """What differs of an op, as in arguments_differences.txt."""
    expected = recorded()[op]
    got = outcome(expected["path"], oracle_rows.samples_of(op), wengert)
    asked = {*expected["refused"], *expected["taken"]}
    assert asked == {*got["refused"], *got["taken"]}, f"{op}: the samples have changed, run tools/record/inputs.py"
    return {f"+{name}" for name in set(expected["refused"]) - set(got["refused"])} | {
        f"-{name}" for name in set(got["refused"]) - set(expected["refused"])
    }


@pytest.mark.parametrize("op", sorted(recorded()))
def test_arguments_of_another_type(op: str) -> None:
    assert difference(op) == differences().get(op, set())


def test_every_row_has_been_asked_for() -> None:
    assert {op for op in oracle_rows.names() if oracle_rows.samples_of(op)} - set(recorded()) == set(oracle_rows.OURS)


def test_every_difference_is_of_an_op() -> None:
    assert set(differences()) - set(recorded()) == set()
