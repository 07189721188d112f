"""Every row of the sample table as a function, a method, in place and with out=, against what PyTorch 2.13 did.

Also whether results are views or the inputs themselves, which inputs are written to, and the names of results. What
differs is in forms_differences.txt, with the reason, and must. See oracle_forms.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import oracle_rows
import pytest
import wengert
from oracle_forms import forms
from test_inputs import differs, is_left_to_lapack

HERE = Path(__file__).parent


@cache
def recorded() -> dict[str, Any]:
    """What PyTorch did, by op."""
    return dict(json.loads((HERE / "answers" / "forms.json").read_text(encoding="utf-8"))["ops"])


@cache
def differences() -> dict[tuple[str, str], str]:
    """The reason by op and form."""
    found, reason = {}, ""
    for line in (HERE / "forms_differences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            op, _, names = line.partition(": ")
            found.update({(op, form): reason for form in names.split("; ")})
    return found


def form_differs(op: str, expected: Any, got: Any) -> str | None:
    """What differs of one form; where rounding decides about values, they are left out."""
    if "refused" in (expected, got) or "no tensor" in (expected, got):
        return None if expected == got else f"expected {expected}, got {got}"
    if expected[1:] != got[1:]:
        return f"expected {expected[1:]}, got {got[1:]}"
    return None if is_left_to_lapack(op, "edges") else differs(expected[0], got[0])


def unlike(op: str) -> dict[str, str]:
    """The forms of an op that differ, and how."""
    got = forms(recorded()[op]["path"], oracle_rows.samples_of(op), oracle_rows.names_of(op), wengert)
    pairs = {form: form_differs(op, expected, got[form]) for form, expected in recorded()[op]["forms"].items()}
    return {form: found for form, found in pairs.items() if found is not None}


@pytest.mark.parametrize("op", sorted(recorded()))
def test_forms_of_a_call(op: str) -> None:
    found = unlike(op)
    assert set(found) == {form for name, form in differences() if name == op}, found


def test_every_row_has_been_asked_for() -> None:
    assert {op for op in oracle_rows.names() if oracle_rows.samples_of(op)} - set(recorded()) == set(oracle_rows.OURS)


def test_every_difference_is_of_an_op() -> None:
    assert {op for op, _ in differences()} - set(recorded()) == set()
