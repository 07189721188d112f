"""Rows of the sample table, saved and loaded: the same values and gradients bit by bit, and the same errors."""

from __future__ import annotations

import io
import warnings

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load, save_program
from wengert_testing.samples import CASES

from ..test_replayed_samples import UNSPECIFIED, outcome, program_of, reversed_numbers, variables_of

STEP = 7
"""Every so many rows are run here; tools and releases run all (STEP = 1)."""
OTHER_WAY = (ProgramGuardError, ProgramFileError)


def check(case, sample):
    """Return how many programs were saved, and loaded and called beside the function."""
    function = program_of(case, sample)
    captured = wg.capture(function)
    arrays = variables_of(sample)
    others = [reversed_numbers(array) for array in arrays]
    expected = outcome(captured, arrays)
    programs = [one for one in wg.replay.explain(captured).programs if type(one) is wg.replay.Program]
    for program in programs:
        file = io.BytesIO()
        save_program(program, file)
        loaded = load(io.BytesIO(file.getvalue()))
        for values in (arrays, others, arrays):
            expected, got = outcome(function, values), outcome(loaded, values)
            if got[0] is ProgramGuardError and values is others:
                continue
            assert got == expected, f"{case.op}{sample!r}: {program}"
    return len(programs)


@pytest.mark.parametrize("case", [case for case in CASES[::STEP] if case.op not in UNSPECIFIED], ids=str)
def test_saved_operations_give_the_same_bits(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in case.samples("float64"):
            check(case, sample)
