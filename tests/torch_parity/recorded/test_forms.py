"""Every row of the sample table as a function, a method, in place and with out=, against what PyTorch 2.13 did.

Also whether results are views or the inputs themselves, which inputs are written to, and the names of results. What
differs is in differences/forms.txt, with the reason, and must. See parity/call_forms.py.
"""

from __future__ import annotations

import pytest
import wengert
from parity import answers, sample_table
from parity.call_forms import forms
from parity.compare_summaries import form_differs

RECORDED = answers.answers_of("forms")
PATHS = answers.paths_in_torch("forms")
DIFFERENCES = answers.differences("forms")


def unlike(op: str) -> dict[str, str]:
    """The forms of an op that differ, and how."""
    got = forms(PATHS.get(op, op), sample_table.samples_of(op), sample_table.names_of(op), wengert)
    pairs = {f"{op}: {form}": form_differs(op, theirs, got[form]) for form, theirs in RECORDED[op].items()}
    return {case: found for case, found in pairs.items() if found is not None}


@pytest.mark.parametrize("op", sorted(RECORDED))
def test_forms_of_a_call(op: str) -> None:
    found = unlike(op)
    assert set(found) == {case for case in DIFFERENCES if case.partition(": ")[0] == op}, found


def test_every_row_has_been_asked_for() -> None:
    assert sorted(RECORDED) == sample_table.recorded_ops()


def test_every_difference_is_of_an_op() -> None:
    assert {case.partition(": ")[0] for case in DIFFERENCES} - set(RECORDED) == set()
